//! Whether a metric is significantly worse than before: by the items both reports have,
//! else by the two intervals.

use judica_model::gate_table::brief;
use judica_run::compare::report::Finding;
use judica_run::compare::{CompareRequest, compare};
use judica_stats::permutation::paired_permutation;

use super::evaluate::{ALPHA, Held, Inputs, comparison};
use super::file::Gate;
use super::items::{self, Items};
use super::metric::{Complaint, Metric, range};
use super::pointer::suggestion;
use super::rule::Significance;

/// Where drawn signs come from: fixed, so that the same reports give the same result.
const SEED: u64 = 0;
/// Choices of signs to draw where there are too many to enumerate.
const RESAMPLES: usize = 10_000;
/// Fewer are drawn where that would mean more signs than this, but never fewer than
/// [`LEAST_RESAMPLES`]: with a million items the p-value hardly depends on it.
const MOST_SIGNS: usize = 1_000_000_000;
const LEAST_RESAMPLES: usize = 1_000;

/// Holds a metric against an older one.
pub(super) fn no_significant_drop(
    gate: &Gate,
    test: &Significance,
    inputs: &Inputs,
    new: &Metric,
    old: Option<&Metric>,
) -> Result<Held, Complaint> {
    let (Some(old), Some(baseline)) = (old, inputs.baseline) else {
        return Err(("there is no baseline".to_owned(), None));
    };
    let mut remarks = Vec::new();
    if let (Ok(value), Ok(before)) = (&new.value, &old.value) {
        remarks.push(comparison(*value, *before));
    }
    if let Some(pointer) = &test.items {
        let Some(new_items) = items::read(inputs.report, pointer)? else {
            let message = format!(
                "no results per item at `{pointer}` in {}",
                inputs.report.name
            );
            let fits = |value: &serde_json::Value| value.is_array() || value.is_object();
            return Err((message, suggestion(&inputs.report.value, pointer, fits)));
        };
        let paired = match items::read(baseline, pointer)? {
            None => Err("unpaired: the baseline has no results per item"),
            Some(old_items) => pair(&new_items, &old_items, test)
                .ok_or("unpaired: the reports have no item in common"),
        };
        match paired {
            Ok(paired) => {
                remarks.extend(paired.remarks);
                return Ok(Held { remarks, ..paired });
            }
            Err(why) => remarks.push(why.to_owned()),
        }
    }
    let now = new.needed_interval(inputs.report, &gate.metric)?;
    let before = old.needed_interval(baseline, &gate.metric)?;
    let worse = if test.higher_is_better {
        now[1] < before[0]
    } else {
        now[0] > before[1]
    };
    remarks.push(format!(
        "compared by intervals, the baseline's is {}: {}",
        range(before),
        if worse {
            "they do not meet"
        } else {
            "no significant change for the worse"
        }
    ));
    Ok(Held {
        pass: !worse,
        remarks,
        over: None,
    })
}

/// Holds a metric of a run against that of an older run, item by item.
pub(super) fn over_runs(
    gate: &Gate,
    inputs: &Inputs,
    whole: &Metric,
    alpha: f64,
    margin: Option<f64>,
) -> Result<Held, Complaint> {
    let runs = (
        inputs.report.run.as_ref(),
        inputs.baseline.and_then(|old| old.run.as_ref()),
    );
    let (Some(new), Some(old)) = runs else {
        let message = format!("{} compares two runs item by item", gate.rule.operator());
        let help = "give run folders, and name the metric: judica gate check RUN --baseline RUN";
        return Err((message, Some(help.to_owned())));
    };
    let report = compare(&CompareRequest {
        subjects: gate.subject.iter().cloned().collect(),
        metric: Some(gate.metric.clone()),
        margin,
        confidence: 1.0 - alpha,
        ..CompareRequest::new(vec![old.run.path.clone(), new.run.path.clone()], 1)
    })
    .map_err(|error| (error.to_string(), None))?;
    if report.unpaired {
        let message = "the runs have no item in common, so nothing can be held item by item";
        return Err((message.to_owned(), None));
    }
    let dataset = gate.dataset.as_deref();
    // Where a run has this data set alone, all that is paired is in it.
    let alone = [new, old].iter().any(|run| run.only_dataset() == dataset);
    let dataset = dataset.filter(|_| !alone);
    let row = report
        .metrics
        .iter()
        .find(|row| row.metric == gate.metric && row.dataset.as_deref() == dataset);
    let Some(row) = row else {
        return Err((
            format!("no such data set in both runs: {}", gate.shown()),
            None,
        ));
    };
    // Both sides are measured over the same items, so that they differ by the change.
    let over = (whole.n.is_some_and(|n| row.n < n) && row.b.value.is_some())
        .then(|| Metric::over_common(&row.b, row.b.ci.filter(|_| alpha == ALPHA)));
    let alone = match report.items.only_a + report.items.only_b {
        0 => String::new(),
        alone => format!(" ({alone} in one run only)"),
    };
    let mut remarks = vec![format!(
        "paired on {} items of {} in common{alone}",
        row.n, report.items.common
    )];
    if let Some(least) = gate.min_n.filter(|least| (row.n as f64) < *least) {
        remarks.push(format!("min_n is {least}"));
        return Ok(Held {
            pass: false,
            remarks,
            over,
        });
    }
    if let (Some(value), Some(before)) = (row.b.value, row.a.value) {
        remarks.push(comparison(value, before));
    }
    remarks.extend(row.p.map(|p| format!("p {}", brief(p))));
    remarks.extend(row.smallest_detectable.map(|seen| {
        format!(
            "a difference of {} would have been seen four times out of five",
            brief(seen)
        )
    }));
    let pass = match &row.no_worse_than {
        Some(found) => {
            remarks.push(match (found.lower, &found.undefined) {
                (Some(lower), _) => format!("the change is at least {}", brief(lower)),
                (None, Some(why)) => why.clone(),
                (None, None) => "the change is not known".to_owned(),
            });
            found.pass == Some(true)
        }
        None => !matches!(row.verdict, Finding::Worse | Finding::Undefined),
    };
    Ok(Held {
        pass,
        remarks,
        over,
    })
}

/// The paired test over the common items; `None` if there are none.
fn pair(new: &Items, old: &Items, test: &Significance) -> Option<Held> {
    let differences: Vec<f64> = new
        .iter()
        .filter_map(|(id, value)| Some(value - old.get(id)?))
        .collect();
    let nonzero = differences.iter().filter(|&&d| d != 0.0).count();
    let resamples = (MOST_SIGNS / nonzero.max(1)).clamp(LEAST_RESAMPLES, RESAMPLES);
    let result = paired_permutation(&differences, u32::try_from(resamples).ok()?, SEED)?;
    let mean = result.mean_difference;
    let worse = if test.higher_is_better {
        mean < 0.0
    } else {
        mean > 0.0
    };
    let pass = !(worse && result.p_value < test.alpha);
    let common = differences.len();
    let alone = new.len() + old.len() - 2 * common;
    let alone = match alone {
        0 => String::new(),
        alone => format!(" ({alone} in one report only)"),
    };
    let method = if result.exact { "exact" } else { "drawn" };
    Some(Held {
        pass,
        remarks: vec![format!(
            "paired on {common} items{alone}, {nonzero} differ, mean difference {}, p {} ({method})",
            brief(mean),
            brief(result.p_value)
        )],
        over: None,
    })
}
