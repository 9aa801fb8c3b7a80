//! Whether a metric is significantly worse than before: by the items both reports have,
//! else by the two intervals.

use judica_model::gate_table::brief;
use judica_model::run::{Direction, MetricKind, MetricSpec};
use judica_run::compare::report::{Finding, MetricRow};
use judica_run::compare::{Clusters, CompareRequest, Measured as Pairs, compare, finish};

use super::document::Measured;
use super::evaluate::{ALPHA, Held, Inputs, comparison};
use super::file::Gate;
use super::items::{self, Items};
use super::metric::{Complaint, Metric, range};
use super::pointer::suggestion;
use super::rule::Significance;

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
            Some(old_items) => pair(gate, &new_items, &old_items, test)
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
    let worse = match test.better() {
        Some(Direction::Lower) => now[0] > before[1],
        _ => now[1] < before[0],
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
    test: &Significance,
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
    let alpha = test.alpha;
    let report = compare(&CompareRequest {
        better: better(gate, test, new)?,
        subjects: gate.subject.iter().cloned().collect(),
        metric: Some(gate.metric.clone()),
        margin,
        // A gate is one test, whatever else the runs hold.
        each_alone: true,
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
    remarks.extend(report.notes);
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
    remarks.extend(seen(row));
    let pass = match &row.no_worse_than {
        Some(found) => {
            remarks.push(match (found.lower, &found.undefined) {
                (Some(lower), _) => format!("the change is at least {}", brief(lower)),
                (None, Some(why)) => why.clone(),
                (None, None) => "the change is not known".to_owned(),
            });
            found.pass == Some(true)
        }
        None => holds(row),
    };
    Ok(Held {
        pass,
        remarks,
        over,
    })
}

/// Which way is better as the gate says: it may say what the run leaves open, but nothing else.
fn better(gate: &Gate, test: &Significance, run: &Measured) -> Result<Direction, Complaint> {
    let said = test.better().unwrap_or(Direction::None);
    let mut metrics = run.run.manifest.metrics.iter();
    let declared = metrics.find(|spec| spec.name == gate.metric);
    let declared = declared.map_or(Direction::None, |spec| spec.direction);
    let way = match (declared, said) {
        (Direction::Higher, Direction::Lower) => "higher",
        (Direction::Lower, Direction::Higher) => "lower",
        _ => return Ok(said),
    };
    let message = format!(
        "`higher_is_better` contradicts the run, which says that of `{}` {way} is better",
        gate.metric
    );
    Err((message, Some("leave it out".to_owned())))
}

/// The comparison of runs over the items that both reports have; `None` if there are none.
fn pair(gate: &Gate, new: &Items, old: &Items, test: &Significance) -> Option<Held> {
    let both: Vec<[f64; 2]> = new
        .iter()
        .filter_map(|(id, value)| Some([*old.get(id)?, *value]))
        .collect();
    let pairs = both.iter().enumerate();
    let clusters = Clusters::of(
        both.len(),
        pairs.map(|(at, [before, now])| (at, [*before, 1.0], [*now, 1.0])),
    );
    let kind = match clusters.binary {
        true => MetricKind::Rate,
        false => MetricKind::Mean,
    };
    let direction = test.better().unwrap_or(Direction::Higher);
    let spec = MetricSpec::column(&gate.metric, kind, direction);
    let row = MetricRow::begin((0, 1), &spec, None, true, Pairs::of(&spec, clusters));
    let request = CompareRequest {
        confidence: 1.0 - test.alpha,
        ..CompareRequest::new(Vec::new(), 1)
    };
    let report = finish(&request, Vec::new(), vec![row], Vec::new(), Vec::new());
    let row = report.metrics.first()?;
    let mean = row.difference.value?;
    let common = both.len();
    let alone = match new.len() + old.len() - 2 * common {
        0 => String::new(),
        alone => format!(" ({alone} in one report only)"),
    };
    let differ = both.iter().filter(|[before, now]| before != now).count();
    let mut remarks = vec![format!(
        "paired on {common} items{alone}, {differ} differ, mean difference {}",
        brief(mean)
    )];
    remarks.extend(seen(row));
    Some(Held {
        pass: holds(row),
        remarks,
        over: None,
    })
}

/// Whether what decides is neither worse nor unknown.
fn holds(row: &MetricRow) -> bool {
    !matches!(row.verdict, Finding::Worse | Finding::Undefined)
}

/// What the test says, and what it could not have seen.
fn seen(row: &MetricRow) -> impl Iterator<Item = String> {
    let p = row.p.zip(row.test);
    let p = p.map(|(p, test)| format!("p {} ({test})", brief(p)));
    let detectable = match (row.smallest_detectable, &row.smallest_detectable_undefined) {
        (Some(seen), _) => Some(format!(
            "a difference of {} would have been seen four times out of five",
            brief(seen)
        )),
        (None, why) => why
            .as_ref()
            .map(|why| format!("which difference would have been seen is not known: {why}")),
    };
    p.into_iter().chain(detectable)
}
