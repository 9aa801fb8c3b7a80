//! `judica gate init`: a gates file to start from, with every current value filled in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use judica_data::work_error::WorkError;
use judica_model::gate_table::brief;
use judica_model::metric::MetricValue;
use judica_model::run::{Direction, MetricKind, MetricSpec};
use judica_run::open::Run;
use judica_run::values::MetricOf;
use judica_stats::tango::tango_interval;

use super::document::Document;
use super::found::{Found, metrics};
use crate::unique;

/// Above this, two decimals are not what one rounds to.
const LARGE: f64 = 1e12;

const HEAD: &str = "\
# Every gate holds one metric of the report against a threshold. The thresholds below are
# the current values, rounded to two decimals on the passing side, and the direction is
# guessed from the name: go through them, tighten what matters, delete what does not.
#
# op = \">=\", \"<=\", \"==\" (with `tolerance`), \"between\" (threshold = [lo, hi])
#      \"max_drop\", \"max_rise\": the change from --baseline is at most the threshold
#      \"lower_bound_at_least\", \"upper_bound_at_most\": the end of the interval
#      \"no_significant_drop\": not significantly worse than --baseline (`alpha`, `items`)
#
# Gates that compare need `--baseline`, which is never what is checked itself.
#
# A metric that the report does not hold is an error. One that is undefined fails its gate;
# `vacuous = \"pass\"` lets that gate pass then, with nothing tested.

version = 1
";

/// Writes a gates file for a report. It passes on the report it was made from, but for gates
/// that compare: those need an older one.
pub fn init(report: &Path) -> Result<String, WorkError> {
    let document = Document::read(report, |_| true)?;
    if let Some(measured) = &document.run {
        return Ok(of_run(&document.name, &measured.run, &measured.values));
    }
    let found = metrics(&document);
    if !any_defined(&found) {
        let message = format!(
            "{}: no metric found: neither an object with `value` and `n` or `ci`, nor a number \
             whose name is that of a rate, such as `accuracy`",
            report.display()
        );
        return Err(WorkError::BadInput(message));
    }
    let mut out = format!("# Gates for {}.\n#\n{HEAD}", comment(&document.name));
    for (one, name) in found.iter().zip(names(&found)) {
        out.push('\n');
        out.push_str(&gate(one, &name));
    }
    Ok(out)
}

/// Whether [`init`] finds anything to hold in a report of these bytes.
pub fn can_be_gated(report: &[u8]) -> bool {
    let document = unique::from_slice(report).map(|value| Document {
        name: String::new(),
        value,
        run: None,
    });
    document.is_ok_and(|document| any_defined(&metrics(&document)))
}

fn any_defined(found: &[Found]) -> bool {
    found.iter().any(|found| found.metric.value.is_ok())
}

/// The gates of a run: every metric that has a direction, for each of its subjects. A sole
/// subject is not named: where rows name none it is called as its file is, and the next run's
/// otherwise.
fn of_run(name: &str, run: &Run, values: &[MetricOf]) -> String {
    let head = HEAD.replace(
        ", and the direction is\n# guessed from the name: go",
        ":\n# go",
    );
    let head = head.replace(
        "(`alpha`, `items`)\n",
        "(`alpha`, `items`)\n#      \"no_worse_than\": worse than --baseline by no more than the threshold\n",
    );
    let mut out = format!("# Gates for the run {}.\n#\n{head}", comment(name));
    let subjects: BTreeSet<_> = values.iter().filter_map(|of| of.subject.as_ref()).collect();
    for of in values
        .iter()
        .filter(|of| of.subject.is_some() && of.dataset.is_none())
    {
        let spec = run
            .manifest
            .metrics
            .iter()
            .find(|spec| spec.name == of.metric);
        let lower = match spec.map(|spec| spec.direction) {
            Some(Direction::Higher) => false,
            Some(Direction::Lower) => true,
            Some(Direction::None) | None => continue,
        };
        let subject = of.subject.as_deref().filter(|_| subjects.len() > 1);
        let begun = |more: &str| begun(&of.metric, subject, more);
        let gate = format!(
            "{}op = \"{}\"\n",
            begun(""),
            if lower { "<=" } else { ">=" }
        );
        out.push('\n');
        match &of.value {
            MetricValue::Defined { value, n, .. } => out.push_str(&format!(
                "{gate}threshold = {}  # now {}, n {n}\n",
                rounded(*value, lower),
                brief(*value)
            )),
            // A gate over nothing would fail on the very run it was made from.
            MetricValue::Undefined { reason } => {
                out.push_str(&format!("# Undefined here: {}\n", comment(reason)));
                gate.lines()
                    .for_each(|line| out.push_str(&format!("# {line}\n")));
                out.push_str("# threshold = 0\n");
            }
        }
        if let Some(spec) = spec.filter(|spec| spec.primary) {
            out.push_str(&no_worse(spec, of, &begun(" is no worse")));
        }
    }
    out
}

/// The lines that every gate of a run begins with.
fn begun(metric: &str, subject: Option<&str>, more: &str) -> String {
    let of = subject.map_or(String::new(), |subject| format!(" of {subject}"));
    let name = quoted(&format!("{metric}{of}{more}"));
    let subject = subject.map_or(String::new(), |subject| {
        format!("subject = {}\n", quoted(subject))
    });
    let metric = quoted(metric);
    format!("[[gate]]\nname = {name}\nmetric = {metric}\n{subject}")
}

/// How much worse a share may be.
const MARGIN: f64 = 0.02;

/// A gate against an older run, item by item; commented out where even the same answers could
/// not pass it. It names no baseline: the run that the file is made from would be no worse than
/// itself, also where it is checked, or made again under its name.
fn no_worse(spec: &MetricSpec, of: &MetricOf, begun: &str) -> String {
    let (margin, can_pass) = match (&of.value, spec.kind) {
        (MetricValue::Defined { n, clusters, .. }, MetricKind::Rate) => {
            let items = clusters.unwrap_or(*n);
            let interval = tango_interval(0, 0, items, 0.9);
            (MARGIN, interval.is_some_and(|found| found.lo >= -MARGIN))
        }
        (MetricValue::Defined { value, .. }, MetricKind::Mean | MetricKind::Ratio) => {
            let margin = MARGIN * value.abs();
            (if margin > 0.0 { margin } else { MARGIN }, true)
        }
        _ => (MARGIN, false),
    };
    let gate = format!("{begun}no_worse_than = {}\n", brief(margin));
    let why =
        "# Item by item, by no more than that in the metric's unit, than in --baseline RUN.\n";
    if can_pass {
        return format!("\n{why}{gate}");
    }
    let lines = gate.lines().map(|line| format!("# {line}\n"));
    let few = "# Too few items here: the same answers again would not show it.\n";
    format!("\n{why}{few}{}", lines.collect::<String>())
}

fn gate(found: &Found, name: &str) -> String {
    let op = if found.lower_is_better { "<=" } else { ">=" };
    let head = format!(
        "[[gate]]\nname = {}\nmetric = {}\nop = \"{op}\"\n",
        quoted(name),
        quoted(&found.pointer)
    );
    let about = match found.labels.as_slice() {
        [] => String::new(),
        labels => format!("# {}\n", comment(&labels.join(", "))),
    };
    match &found.metric.value {
        Ok(value) => {
            let mut now = vec![format!("now {}", brief(*value))];
            now.extend(found.metric.details());
            let threshold = rounded(*value, found.lower_is_better);
            let now = comment(&now.join(", "));
            format!("{about}{head}threshold = {threshold}  # {now}\n")
        }
        // A gate over nothing would fail on the very report it was made from.
        Err(reason) => {
            let lines = head.lines().map(|line| format!("# {line}\n"));
            let why = format!("# Undefined here: {}\n", comment(reason));
            about + &why + &lines.collect::<String>() + "# threshold = 0\n"
        }
    }
}

/// A name for each metric: its own key, or its whole path where several have that key.
fn names(found: &[Found]) -> Vec<String> {
    let mut users = BTreeMap::new();
    for one in found {
        *users.entry(key(&one.pointer)).or_insert(0) += 1;
    }
    let mut taken = BTreeSet::new();
    let name = |one: &Found| {
        let own = key(&one.pointer);
        let alone = (users.get(own) == Some(&1)).then(|| own.to_owned());
        let path = one.pointer.trim_start_matches('/').to_owned();
        // Keys can be blank, and paths can look like keys.
        let numbered = (1..).map(|i| format!("metric {i}"));
        let free = |name: &String| !name.trim().is_empty() && taken.insert(name.clone());
        let mut candidates = alone.into_iter().chain([path]).chain(numbered);
        candidates.find(free).unwrap_or_default()
    };
    found.iter().map(name).collect()
}

/// The last key of a pointer, as it is written there.
fn key(pointer: &str) -> &str {
    pointer.rsplit('/').next().unwrap_or_default()
}

/// A threshold of two decimals that `value` passes: the nearest, or else the next.
fn rounded(value: f64, up: bool) -> String {
    let next = if up { value + 0.01 } else { value - 0.01 };
    let passes = |threshold: f64| {
        if up {
            value <= threshold
        } else {
            value >= threshold
        }
    };
    let text = [value, next]
        .into_iter()
        .filter(|_| value.abs() < LARGE)
        .map(|number| format!("{number:.2}"))
        .find(|text| text.parse().is_ok_and(passes));
    match text.as_deref() {
        Some("-0.00") => "0.00".to_owned(),
        Some(text) => text.to_owned(),
        None => format!("{value:?}"),
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Text that stays within its comment.
fn comment(text: &str) -> String {
    let visible = |c: char| match c {
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(visible).collect()
}

#[cfg(test)]
#[path = "init_tests.rs"]
mod tests;
