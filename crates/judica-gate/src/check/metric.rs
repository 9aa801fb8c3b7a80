//! Reading a metric out of a report.

use judica_data::json::{interval_ends, pointer_part};
use judica_model::gate_table::brief;
use judica_model::metric::MetricValue;
use judica_model::nearest::nearest;
use judica_run::compare::report::SideValue;
use serde_json::{Map, Value};

use super::document::{Document, Measured};
use super::file::Gate;
use super::pointer::{find, resolve, sibling, suggestion};

/// A metric as a report gives it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Metric {
    /// Its number, or why there is none.
    pub value: Result<f64, String>,
    /// How many items it rests on, if the report says so.
    pub n: Option<u64>,
    /// Its interval, if the report has one.
    pub interval: Option<[f64; 2]>,
    /// What the report says about it, e.g. why it has no interval.
    remark: Option<String>,
}

impl Metric {
    /// The value of one side of a comparison, over the items that both sides have.
    pub fn over_common(side: &SideValue, interval: Option<[f64; 2]>) -> Self {
        Metric {
            value: side.value.ok_or_else(|| "no value".to_owned()),
            n: Some(side.n),
            interval,
            remark: side.ci_undefined.clone(),
        }
    }
}

/// A complaint about what a gate finds, and how it may be mended.
pub(super) type Complaint = (String, Option<String>);

/// Reads the metric of a gate.
pub(super) fn read_of(document: &Document, gate: &Gate) -> Result<Metric, Complaint> {
    if !gate.is_named() {
        return read(document, &gate.metric, gate.interval.as_deref());
    }
    let Some(run) = &document.run else {
        let message = format!("`{}` is not a JSON pointer", gate.metric);
        let help = format!(
            "did you mean `/{}`? Metrics are named in runs, and {} is a report",
            gate.metric.replace('.', "/"),
            document.name
        );
        return Err((message, Some(help)));
    };
    let dataset = gate.dataset.as_deref();
    // What is in one data set alone is in all of them together.
    let dataset = dataset.filter(|_| dataset != run.only_dataset());
    let found = run.values.iter().find(|of| {
        of.metric == gate.metric && of.subject == gate.subject && of.dataset.as_deref() == dataset
    });
    let Some(found) = found else {
        return Err(missing(document, gate, run));
    };
    Ok(match &found.value {
        MetricValue::Undefined { reason } => undefined(reason.clone()),
        MetricValue::Defined {
            value,
            n,
            ci,
            ci_undefined,
            note,
            ..
        } => Metric {
            value: Ok(*value),
            n: Some(*n),
            interval: *ci,
            remark: ci_undefined.clone().or_else(|| note.clone()),
        },
    })
}

/// What a run has in place of what a gate names.
fn missing(document: &Document, gate: &Gate, run: &Measured) -> Complaint {
    let message = format!("no metric `{}` in the run {}", gate.shown(), document.name);
    let known = run.run.manifest.metrics.iter();
    let known = known.map(|spec| spec.name.clone()).collect();
    let mut subjects: Vec<String> = run
        .values
        .iter()
        .filter_map(|of| of.subject.clone())
        .collect();
    subjects.sort_unstable();
    subjects.dedup();
    let choices = [
        ("metric", Some(&gate.metric), known),
        ("subject", gate.subject.as_ref(), subjects),
        ("dataset", gate.dataset.as_ref(), run.datasets.clone()),
    ];
    let wrong = choices
        .iter()
        .find(|(_, wanted, known)| wanted.is_some_and(|wanted| !known.contains(wanted)));
    let help = wrong.map(|(what, wanted, known)| {
        let meant = wanted.and_then(|wanted| nearest(wanted, known.iter().map(String::as_str)));
        match (known.as_slice(), meant) {
            ([], _) => format!("the run has no {what}s"),
            (_, Some(meant)) => format!("did you mean `{meant}`?"),
            (known, None) => format!("the run's {what}s are {}", known.join(", ")),
        }
    });
    (message, help)
}

/// Reads the metric at `pointer`, with its interval from `interval` if that is given.
pub(super) fn read(
    document: &Document,
    pointer: &str,
    interval: Option<&str>,
) -> Result<Metric, Complaint> {
    let mut metric = read_at(document, pointer)?;
    if let Some(place) = interval {
        let found = resolve(&document.value, place).ok_or_else(|| {
            let message = format!("no interval at `{place}` in {}", document.name);
            let fits = |value: &Value| interval_ends(value).is_some();
            (message, suggestion(&document.value, place, fits))
        })?;
        metric.interval = optional_ends(found).map_err(|what| wrong(document, place, &what))?;
    }
    Ok(metric)
}

fn read_at(document: &Document, pointer: &str) -> Result<Metric, Complaint> {
    let report = &document.value;
    let found = find(report, pointer).map_err(|fitting| match fitting {
        0 => {
            let message = format!("no metric at `{pointer}` in {}", document.name);
            (message, suggestion(report, pointer, is_metric))
        }
        several => {
            let what = format!("selects {several} elements, and one is needed");
            wrong(document, pointer, &what)
        }
    })?;
    let beside = |suffix| resolve(report, &sibling(pointer, suffix)?);
    if let Some(why) = said(beside("_undefined"), &format!("{pointer}_undefined")) {
        return Ok(undefined(why));
    }
    match found {
        Value::Null => {
            let why = reason(report, pointer);
            Ok(undefined(why.unwrap_or("null in the report").to_owned()))
        }
        Value::Number(number) => {
            let around = pointer.strip_suffix("/value");
            let around = around.and_then(|around| resolve(report, around)?.as_object());
            if let Some(why) = around.and_then(stands_in) {
                return Ok(undefined(why));
            }
            let interval = beside("_ci").map_or(Ok(None), optional_ends);
            let place = format!("{pointer}_ci");
            Ok(Metric {
                value: finite(number).ok_or_else(|| "not a finite number".to_owned()),
                n: None,
                interval: interval.map_err(|what| wrong(document, &place, &what))?,
                remark: None,
            })
        }
        Value::Object(members) if members.contains_key("value") => {
            let text = |key: &str| members.get(key).and_then(Value::as_str).map(str::to_owned);
            let value = match (&members["value"], stands_in(members)) {
                (Value::Number(_) | Value::Null, Some(why)) => Err(why),
                (Value::Number(number), None) => {
                    finite(number).ok_or_else(|| "not a finite number".to_owned())
                }
                (Value::Null, None) => Err("null in the report, which does not say why".to_owned()),
                (other, _) => {
                    let what = format!("has a `value` that is {}", kind(other));
                    return Err(wrong(document, pointer, &what));
                }
            };
            let interval = members.get("ci").map_or(Ok(None), optional_ends);
            let place = format!("{pointer}/ci");
            Ok(Metric {
                value,
                n: members.get("n").and_then(Value::as_u64),
                interval: interval.map_err(|what| wrong(document, &place, &what))?,
                remark: text("note"),
            })
        }
        other => {
            let what = format!("is {}", kind(other));
            let (message, _) = wrong(document, pointer, &what);
            let message = format!("{message}; a number or an object with `value` is needed");
            Err((message, suggestion(report, pointer, is_metric)))
        }
    }
}

/// What is said under a key that says why there is no number, or only that there is none.
fn said(value: Option<&Value>, key: &str) -> Option<String> {
    match value? {
        Value::String(why) if !why.trim().is_empty() => Some(why.clone()),
        Value::Bool(true) => Some(format!("{key} is true")),
        _ => None,
    }
}

/// Why the number of a metric object, if it has one, only stands in for one: writers who have
/// to write a number there write 0.
fn stands_in(members: &Map<String, Value>) -> Option<String> {
    let nothing = members.get("n").and_then(Value::as_f64) == Some(0.0);
    said(members.get("undefined"), "`undefined`")
        .or_else(|| nothing.then(|| "it rests on no items (n 0)".to_owned()))
}

/// Why the number at `pointer` is null, as far as the report says so under `undefined`:
/// beside it, or beside an object around it, a text or an object from name to text.
fn reason<'d>(report: &'d Value, pointer: &str) -> Option<&'d str> {
    let (mut around, key) = pointer.rsplit_once('/')?;
    let key = pointer_part(key);
    let told = |around: &str| resolve(report, &format!("{around}/undefined"));
    if let Some(Value::String(why)) = told(around) {
        return Some(why);
    }
    loop {
        if let Some(why) = told(around).and_then(|reasons| reasons.get(&key)?.as_str()) {
            return Some(why);
        }
        (around, _) = around.rsplit_once('/')?;
    }
}

impl Metric {
    /// What is known about it beside its value: how many items and which interval.
    pub(super) fn details(&self) -> Vec<String> {
        let n = self.n.map(|n| format!("n {n}"));
        let interval = self
            .interval
            .map(|ends| format!("interval {}", range(ends)));
        n.into_iter().chain(interval).collect()
    }

    /// Why it has no interval, in words.
    pub(super) fn why_no_interval(&self) -> String {
        let why = self.remark.as_ref();
        why.map_or("no interval".to_owned(), |why| {
            format!("no interval: {why}")
        })
    }

    /// Its interval, which a gate cannot do without.
    pub(super) fn needed_interval(
        &self,
        document: &Document,
        pointer: &str,
    ) -> Result<[f64; 2], Complaint> {
        self.interval.ok_or_else(|| {
            let message = format!(
                "the metric at `{pointer}` in {} has {}",
                document.name,
                self.why_no_interval()
            );
            let help = "an interval is `ci` in a metric object, a sibling ending in `_ci`, or \
                        where the gate's `interval` points to";
            (message, Some(help.to_owned()))
        })
    }
}

/// `[0.71, 0.88]`.
pub(super) fn range([lo, hi]: [f64; 2]) -> String {
    format!("[{}, {}]", brief(lo), brief(hi))
}

/// Whether a gate could read this as a metric.
pub(super) fn is_metric(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Object(members) => {
            matches!(members.get("value"), Some(Value::Number(_) | Value::Null))
        }
        _ => false,
    }
}

fn undefined(reason: String) -> Metric {
    Metric {
        value: Err(reason),
        n: None,
        interval: None,
        remark: None,
    }
}

fn finite(number: &serde_json::Number) -> Option<f64> {
    number.as_f64().filter(|value| value.is_finite())
}

/// The ends of an interval; null means that there is none.
fn optional_ends(value: &Value) -> Result<Option<[f64; 2]>, String> {
    match value {
        Value::Null => Ok(None),
        other => interval_ends(other)
            .map(Some)
            .ok_or_else(|| "is not an interval [lo, hi] with lo <= hi".to_owned()),
    }
}

fn wrong(document: &Document, pointer: &str, what: &str) -> Complaint {
    (format!("`{pointer}` in {} {what}", document.name), None)
}

/// What a value is, for a complaint.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
