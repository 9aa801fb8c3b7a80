//! Holding what a report says against a gate.

use judica_model::gate::GateResult;
use judica_model::gate_table::brief;

use super::document::Document;
use super::file::Gate;
use super::metric::{self, Complaint, Metric};
use super::rule::{Rule, Significance};
use super::significance::{no_significant_drop, over_runs};

/// What values of runs have intervals at, and what no margin says otherwise is held at.
pub(super) const ALPHA: f64 = 0.05;

/// What a gate is evaluated on.
pub(super) struct Inputs<'a> {
    pub report: &'a Document,
    /// The older report; there is one wherever the gate compares.
    pub baseline: Option<&'a Document>,
    /// Whether a gate over an undefined metric passes, unless it says otherwise itself.
    pub allow_undefined: bool,
}

/// Whether a gate holds, and what a reader should know about it.
pub(super) struct Held {
    pub pass: bool,
    pub remarks: Vec<String>,
    /// The metric as it was held, where that is not over all of the run's items.
    pub over: Option<Metric>,
}

/// The gate's result, or why it has none.
pub(super) fn evaluate(gate: &Gate, inputs: &Inputs) -> Result<GateResult, Complaint> {
    let read = |document| metric::read_of(document, gate);
    let mut metric = read(inputs.report)?;
    let old = inputs.baseline.map(read).transpose()?;
    let mut remarks = Vec::new();
    if gate.report.is_some() {
        remarks.push(format!("read from {}", inputs.report.name));
    }
    // It wins over the one that was given, whatever the heading says.
    if let Some(own) = &gate.baseline {
        remarks.push(format!("against {own}"));
    }
    remarks.extend(other_name(gate, inputs));
    let few = too_few(gate, &metric);
    // What must rest on so many items does not pass for want of them, whatever is allowed.
    let undefined = |remark: String| {
        let said = [Some(remark), few.clone()].into_iter().flatten();
        (None, said.collect())
    };
    let (held, said) = match (&metric.value, old.as_ref().map(|old| &old.value)) {
        (Err(reason), _) => undefined(reason.clone()),
        (Ok(_), Some(Err(reason))) => undefined(format!("undefined in the baseline: {reason}")),
        (Ok(value), _) => {
            let held = match &few {
                Some(why) => Held {
                    pass: false,
                    remarks: vec![why.clone()],
                    over: None,
                },
                None => hold(gate, inputs, *value, &metric, old.as_ref())?,
            };
            metric = held.over.unwrap_or(metric);
            remarks.extend(metric.details());
            (Some(held.pass), held.remarks)
        }
    };
    remarks.extend(said);
    remarks.extend(gate.note.clone());
    // Nothing was tested, which is no reason to let anything through.
    let untested = gate.undefined_passes.unwrap_or(inputs.allow_undefined) && few.is_none();
    Ok(GateResult {
        name: gate.name.clone(),
        metric: gate.shown(),
        value: metric.value.ok(),
        op: gate.rule.operator().to_owned(),
        threshold: gate.rule.threshold(),
        pass: held.unwrap_or(untested),
        vacuous: held.is_none(),
        note: (!remarks.is_empty()).then(|| remarks.join("; ")),
    })
}

/// What is said where two runs have one data set each and it has another name: nobody looks at
/// it then.
fn other_name(gate: &Gate, inputs: &Inputs) -> Option<String> {
    let only = |document: &'_ Document| document.run.as_ref()?.only_dataset().map(str::to_owned);
    let (new, old) = (only(inputs.report)?, only(inputs.baseline?)?);
    (gate.is_named() && new != old).then(|| {
        format!("each run has one data set, `{new}` and `{old}`: its name was not looked at")
    })
}

/// Whether the metric rests on fewer items than the gate asks for, or nobody knows on how
/// many.
fn too_few(gate: &Gate, metric: &Metric) -> Option<String> {
    let least = gate.min_n?;
    match metric.n {
        Some(n) if n as f64 >= least => None,
        Some(n) => Some(format!("rests on {n} items, and min_n is {least}")),
        None => Some(format!(
            "the report does not say on how many items it rests, and min_n is {least}"
        )),
    }
}

fn hold(
    gate: &Gate,
    inputs: &Inputs,
    value: f64,
    metric: &Metric,
    old: Option<&Metric>,
) -> Result<Held, Complaint> {
    // A run says why a metric has no interval; then there is nothing that could clear the bar.
    if let (Rule::LowerBound(_) | Rule::UpperBound(_), true, None) =
        (&gate.rule, gate.is_named(), metric.interval)
    {
        return Ok(Held {
            pass: false,
            remarks: vec![metric.why_no_interval()],
            over: None,
        });
    }
    let interval = || metric.needed_interval(inputs.report, &gate.metric);
    let plainly = |pass| Held {
        pass,
        remarks: Vec::new(),
        over: None,
    };
    let before = || {
        let old = old.and_then(|old| old.value.as_ref().ok());
        old.copied()
            .ok_or_else(|| ("there is no baseline".to_owned(), None))
    };
    Ok(match &gate.rule {
        Rule::AtLeast(threshold) => plainly(value >= *threshold),
        Rule::AtMost(threshold) => plainly(value <= *threshold),
        Rule::Between([lo, hi]) => plainly((*lo..=*hi).contains(&value)),
        Rule::Equal { target, tolerance } => equal(value, *target, *tolerance),
        Rule::MaxDrop(most) => change(value, before()?, -most, |change, least| change >= least),
        Rule::MaxRise(most) => change(value, before()?, *most, |change, most| change <= most),
        Rule::LowerBound(least) => plainly(interval()?[0] >= *least),
        Rule::UpperBound(most) => plainly(interval()?[1] <= *most),
        Rule::NoWorseThan(margin) => {
            let usual = Significance {
                alpha: ALPHA,
                higher_is_better: None,
                items: None,
            };
            over_runs(gate, inputs, metric, &usual, Some(*margin))?
        }
        Rule::NoSignificantDrop(significance) if gate.is_named() => {
            over_runs(gate, inputs, metric, significance, None)?
        }
        Rule::NoSignificantDrop(significance) => {
            no_significant_drop(gate, significance, inputs, metric, old)?
        }
    })
}

fn equal(value: f64, target: f64, tolerance: f64) -> Held {
    let distance = (value - target).abs();
    let pass = value == target || distance <= tolerance;
    let near = !pass && distance <= 1e-9 * target.abs().max(1.0);
    let remark = if near {
        Some(format!(
            "off by {}; a `tolerance` would allow that",
            brief(distance)
        ))
    } else if tolerance > 0.0 {
        Some(format!("tolerance {}", brief(tolerance)))
    } else {
        None
    };
    Held {
        pass,
        remarks: remark.into_iter().collect(),
        over: None,
    }
}

/// A change from the baseline held against a limit.
///
/// A drop from 0.80 to 0.75 is a drop of 0.05, although the doubles nearest to these
/// numbers differ by a little more. So a change counts as equal to the limit if it differs
/// by no more than the rounding of the three numbers can explain.
fn change(value: f64, before: f64, limit: f64, within: fn(f64, f64) -> bool) -> Held {
    let change = value - before;
    // Each by itself: a sum that overflows would explain anything.
    let rounding: f64 = [value, before, limit]
        .map(|x| f64::EPSILON * x.abs())
        .iter()
        .sum();
    Held {
        pass: within(change, limit) || (change - limit).abs() <= rounding,
        remarks: vec![comparison(value, before)],
        over: None,
    }
}

/// `baseline 0.8, change -0.05`.
pub(super) fn comparison(value: f64, before: f64) -> String {
    let change = value - before;
    let sign = if change > 0.0 { "+" } else { "" };
    format!("baseline {}, change {sign}{}", brief(before), brief(change))
}
