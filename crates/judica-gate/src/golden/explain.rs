//! What a gate says beside its number: how many of how many, how sure, and which runs
//! broke it. Formats that CI systems show hold nothing but gates.

use judica_model::gate::GateResult;
use judica_model::gate_table::brief;
use judica_model::metric::MetricValue;

use super::metrics::WELL_FORMED;
use super::report::GoldenReport;
use judica_model::text::few;

/// Runs that are named; all of them stand in the report.
const NAMED: usize = 5;

/// Gives every gate that tested something its remark.
pub(super) fn explain(report: &mut GoldenReport) {
    let metrics: Vec<_> = report
        .metrics
        .named()
        .into_iter()
        .map(|(name, metric)| {
            (
                name,
                metric.numerator,
                metric.denominator,
                interval(&metric.value),
            )
        })
        .collect();
    for gate in report.gates.iter_mut().filter(|gate| !gate.vacuous) {
        let found = metrics.iter().find(|(name, ..)| *name == gate.metric);
        let Some((_, numerator, denominator, interval)) = found else {
            continue;
        };
        let mut note = format!("{numerator} of {denominator}{interval}");
        if !gate.pass {
            let broke = report
                .per_run
                .iter()
                .filter(|run| run.gates_failed.contains(&gate.name.as_str()))
                .map(|run| run.run.run_id.as_str());
            note.push_str(&named(&broke.collect::<Vec<_>>()));
        }
        gate.note = Some(note);
    }
}

/// Says how many queries no run answers, beside the gate that is always there: where they
/// require nothing, no number tells of them. Annotations show only what fails or had nothing to
/// test, so recall says it, too, if it is of the latter.
pub(super) fn unasked(report: &mut GoldenReport) {
    let (missing, queries) = (report.missing_runs.total(), report.queries);
    // Without any run, the gates say so themselves.
    if missing == 0 || report.runs == 0 {
        return;
    }
    let have = if missing == 1 { "has" } else { "have" };
    let remark = format!("{missing} of {queries} queries {have} no run");
    let tells = |gate: &&mut GateResult| {
        gate.name == WELL_FORMED || gate.vacuous && gate.metric == "golden_recall"
    };
    for gate in report.gates.iter_mut().filter(tells) {
        let note = gate.note.take().into_iter();
        gate.note = Some(note.chain([remark.clone()]).collect::<Vec<_>>().join("; "));
    }
}

fn interval(value: &MetricValue) -> String {
    match value {
        MetricValue::Defined {
            ci: Some([lo, hi]), ..
        } => format!("; interval [{}, {}]", brief(*lo), brief(*hi)),
        _ => String::new(),
    }
}

fn named(runs: &[&str]) -> String {
    match runs.len() {
        0 => String::new(),
        all => format!("; broken by {}", few(runs.iter().take(NAMED), ", ", all)),
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn few_runs_are_named_and_many_counted() {
        assert_eq!(named(&[]), "");
        assert_eq!(named(&["a", "b"]), "; broken by a, b");
        let seven = ["1", "2", "3", "4", "5", "6", "7"];
        assert_eq!(named(&seven), "; broken by 1, 2, 3, 4, 5 and 2 more");
    }
}
