//! The gates file: TOML in, gates out, every mistake named with its place.

use std::collections::BTreeSet;
use std::ops::Range;

use judica_data::toml_file::{Entry, Place, Problem, did_you_mean};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::pointer;
use super::rule::{
    IN_SHORT, NO_SIGNIFICANT_DROP, NO_WORSE_THAN, OPERATORS, Rule, Significance, belongs,
};

/// The version of the format that is understood here.
const VERSION: f64 = 1.0;

/// The level of a test of significance, unless the gate says otherwise.
const ALPHA: f64 = 0.05;

/// What a gate may have.
const KEYS: [&str; 16] = [
    "name",
    "metric",
    "subject",
    "dataset",
    "op",
    "threshold",
    "tolerance",
    "alpha",
    "higher_is_better",
    "items",
    "interval",
    "min_n",
    "note",
    "vacuous",
    "report",
    "baseline",
];

/// What may become of a gate whose metric is undefined.
const VACUOUS: [&str; 2] = ["fail", "pass"];

/// One gate of the file.
#[derive(Debug)]
pub(super) struct Gate {
    pub name: String,
    /// A JSON pointer, or the name of a run's metric.
    pub metric: String,
    /// Of a run's metric, whose; none for all subjects together.
    pub subject: Option<String>,
    /// Of a run's metric, in which data set; none for all together.
    pub dataset: Option<String>,
    pub rule: Rule,
    /// Where the interval stands, if not beside the metric.
    pub interval: Option<String>,
    /// How many items its metric must rest on.
    pub min_n: Option<f64>,
    /// Why the gate exists.
    pub note: Option<String>,
    /// Whether it passes if its metric is undefined, if it says so.
    pub undefined_passes: Option<bool>,
    /// Files to read instead of those given, relative to the gates file.
    pub report: Option<String>,
    pub baseline: Option<String>,
    pub metric_span: Range<usize>,
    pub op_span: Range<usize>,
}

impl Gate {
    /// Whether its metric is one of a run, by name.
    pub(super) fn is_named(&self) -> bool {
        is_name(&self.metric)
    }

    /// What its metric is called in results.
    pub(super) fn shown(&self) -> String {
        let of = |key: &str, name: &Option<String>| {
            let name = name.as_ref();
            name.map(|name| format!("[{key}={name}]"))
                .unwrap_or_default()
        };
        let (subject, dataset) = (of("subject", &self.subject), of("dataset", &self.dataset));
        format!("{}{subject}{dataset}", self.metric)
    }

    /// A problem of this gate.
    pub(super) fn problem(
        &self,
        place: &Place,
        span: &Range<usize>,
        message: &str,
        help: Option<String>,
    ) -> Problem {
        let message = format!("gate `{}`: {message}", self.name);
        place.problem(span.clone(), message, help)
    }
}

/// Reads a gates file. All gates with a mistake are named, each with its first.
pub(super) fn parse(place: &Place) -> Result<Vec<Gate>, Vec<Problem>> {
    let root = DeTable::parse(place.source()).map_err(|error| {
        let span = error.span().unwrap_or_default();
        vec![place.problem(span, error.message(), None)]
    })?;
    let mut problems = Vec::new();
    let whole = Entry::new(place, root.get_ref(), 0..0, "gate");
    problems.extend(whole.unknown_keys(&["version", "gate"]));
    problems.extend(version(&whole).err());
    let mut gates: Vec<Gate> = Vec::new();
    let mut names = BTreeSet::new();
    match entries(place, root.get_ref()) {
        Err(problem) => problems.push(problem),
        Ok(entries) => {
            for entry in entries {
                match gate(place, entry, &mut names) {
                    Ok(gate) => gates.push(gate),
                    Err(problem) => problems.push(problem),
                }
            }
        }
    }
    if problems.is_empty() {
        Ok(gates)
    } else {
        Err(problems)
    }
}

fn version(whole: &Entry) -> Result<(), Problem> {
    let (message, span) = match whole.number("version")? {
        Some((number, _)) if number == VERSION => return Ok(()),
        Some((number, span)) => {
            let message =
                format!("version {number} of gates files is not known here, only {VERSION}");
            (message, span)
        }
        None => (
            format!("a gates file begins with `version = {VERSION}`"),
            0..0,
        ),
    };
    Err(whole.problem(span, &message, None))
}

/// The tables under `[[gate]]`.
fn entries<'a, 'i>(
    place: &Place,
    root: &'a DeTable<'i>,
) -> Result<&'a [Spanned<DeValue<'i>>], Problem> {
    let none = || place.problem(0..0, "there is no [[gate]] in this file", None);
    let gates = root.get("gate").ok_or_else(none)?;
    match gates.get_ref() {
        DeValue::Array(entries) if !entries.is_empty() => Ok(entries),
        DeValue::Array(_) => Err(none()),
        _ => Err(place.problem(gates.span(), "gates are written under [[gate]]", None)),
    }
}

fn gate(
    place: &Place,
    value: &Spanned<DeValue>,
    names: &mut BTreeSet<String>,
) -> Result<Gate, Problem> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err(place.problem(value.span(), "a gate is a table, [[gate]]", None));
    };
    let entry = Entry::new(place, table, value.span(), "gate");
    let (name, span) = entry.required("name", "a unique name", Entry::text)?;
    if name.trim().is_empty() {
        return Err(place.problem(span, "a gate's name cannot be empty", None));
    }
    if !names.insert(name.clone()) {
        let message = format!("there are two gates called `{name}`");
        return Err(place.problem(span, message, None));
    }
    let entry = entry.named(&name);
    let known = [&KEYS[..], &IN_SHORT[..]].concat();
    entry.unknown_keys(&known).next().map_or(Ok(()), Err)?;
    let (metric, metric_span) = entry.required(
        "metric",
        "the name of a run's metric, or a JSON pointer such as \"/metrics/kappa\"",
        name_or_pointer_at,
    )?;
    let (operator, op_span, threshold) = operator(&entry)?;
    only_keys_of(&entry, &operator)?;
    let plain = |found: Option<(String, Range<usize>)>| found.map(|(text, _)| text);
    let named = |key: &str| -> Result<Option<String>, Problem> {
        let found = entry.text(key)?;
        match &found {
            Some((_, span)) if !is_name(&metric) => {
                let message = format!("`{key}` belongs to a metric that is named, not pointed to");
                let help = "a pointer selects by key: /leaderboard[model_name=medlm]/mean_total";
                Err(entry.problem(span.clone(), &message, Some(help.to_owned())))
            }
            _ => Ok(plain(found)),
        }
    };
    for key in ["items", "interval"] {
        if let Some((_, span)) = entry.text(key)?.filter(|_| is_name(&metric)) {
            let message = format!("`{key}` belongs to a metric that is pointed to, not named");
            let help = "a run has the items and intervals of its metrics itself";
            return Err(entry.problem(span, &message, Some(help.to_owned())));
        }
    }
    Ok(Gate {
        subject: named("subject")?,
        dataset: named("dataset")?,
        metric,
        rule: rule(&entry, &operator, threshold)?,
        interval: plain(pointer_at(&entry, "interval")?),
        min_n: min_n(&entry)?,
        note: plain(entry.text("note")?),
        undefined_passes: vacuous(&entry)?,
        report: plain(entry.text("report")?),
        baseline: plain(entry.text("baseline")?),
        name,
        metric_span,
        op_span,
    })
}

/// The operator, and the key that its threshold stands under: `threshold`, or its own name.
fn operator(entry: &Entry) -> Result<(String, Range<usize>, &'static str), Problem> {
    let short = IN_SHORT
        .into_iter()
        .find_map(|key| Some((key, entry.first_key(|found| found == key)?.1)));
    let wanted = format!("one of {}", OPERATORS.join(", "));
    let Some((key, span)) = short else {
        let (operator, span) = entry.required("op", &wanted, Entry::text)?;
        if !OPERATORS.contains(&operator.as_str()) {
            let message = format!("unknown operator `{operator}`");
            let help = did_you_mean(&operator, &OPERATORS);
            return Err(entry.problem(span, &message, Some(help)));
        }
        return Ok((operator, span, "threshold"));
    };
    if let Some((other, span)) = entry.first_key(|key| ["op", "threshold"].contains(&key)) {
        let message = format!("`{key}` says it all: `{other}` cannot stand beside it");
        return Err(entry.problem(span, &message, None));
    }
    Ok((key.to_owned(), span, key))
}

/// How many items the metric must rest on.
fn min_n(entry: &Entry) -> Result<Option<f64>, Problem> {
    match entry.number("min_n")? {
        Some((number, span)) if number < 1.0 || number.fract() != 0.0 => {
            Err(entry.problem(span, "`min_n` is a whole number from 1", None))
        }
        found => Ok(found.map(|(number, _)| number)),
    }
}

/// What becomes of the gate if its metric is undefined.
fn vacuous(entry: &Entry) -> Result<Option<bool>, Problem> {
    match entry.text("vacuous")? {
        None => Ok(None),
        Some((word, _)) if VACUOUS.contains(&word.as_str()) => Ok(Some(word == "pass")),
        Some((word, span)) => {
            let message = format!("`vacuous` is \"fail\" or \"pass\", not `{word}`");
            Err(entry.problem(span, &message, Some(did_you_mean(&word, &VACUOUS))))
        }
    }
}

/// Refuses keys that mean nothing to the operator: who wrote them expects them to matter.
fn only_keys_of(entry: &Entry, operator: &str) -> Result<(), Problem> {
    let Some((name, span)) = entry.first_key(|key| !belongs(key, operator)) else {
        return Ok(());
    };
    let help = if name == "threshold" {
        format!("its level is `alpha`, {ALPHA} unless given")
    } else {
        let users = OPERATORS.into_iter().filter(|op| belongs(name, op));
        format!("it belongs to {}", users.collect::<Vec<_>>().join(", "))
    };
    let message = format!("`{name}` means nothing to `{operator}`");
    Err(entry.problem(span, &message, Some(help)))
}

fn rule(entry: &Entry, operator: &str, key: &str) -> Result<Rule, Problem> {
    match operator {
        "between" => return Ok(Rule::Between(range(entry, key)?)),
        NO_SIGNIFICANT_DROP => return Ok(Rule::NoSignificantDrop(significance(entry)?)),
        _ => {}
    }
    let (number, span) = entry.required(key, "a number", Entry::number)?;
    let size = || {
        let message = format!("{operator} is a distance and cannot be negative");
        let help = Some(format!("did you mean {}?", -number));
        (number >= 0.0)
            .then_some(number)
            .ok_or_else(|| entry.problem(span, &message, help))
    };
    Ok(match operator {
        ">=" => Rule::AtLeast(number),
        "<=" => Rule::AtMost(number),
        "max_drop" => Rule::MaxDrop(size()?),
        "max_rise" => Rule::MaxRise(size()?),
        NO_WORSE_THAN => Rule::NoWorseThan(size()?),
        "lower_bound_at_least" => Rule::LowerBound(number),
        "upper_bound_at_most" => Rule::UpperBound(number),
        _ => Rule::Equal {
            target: number,
            tolerance: tolerance(entry)?,
        },
    })
}

fn tolerance(entry: &Entry) -> Result<f64, Problem> {
    match entry.number("tolerance")? {
        None => Ok(0.0),
        Some((tolerance, _)) if tolerance >= 0.0 => Ok(tolerance),
        Some((_, span)) => Err(entry.problem(span, "a tolerance cannot be negative", None)),
    }
}

/// The two ends of `between`.
fn range(entry: &Entry, key: &str) -> Result<[f64; 2], Problem> {
    let ([lo, hi], span) = entry.required(key, "[lo, hi]", Entry::two_numbers)?;
    if lo > hi {
        let message = format!("nothing lies between {lo} and {hi}");
        let help = Some(format!("did you mean [{hi}, {lo}]?"));
        return Err(entry.problem(span, &message, help));
    }
    Ok([lo, hi])
}

fn significance(entry: &Entry) -> Result<Significance, Problem> {
    let alpha = match entry.number("alpha")? {
        None => ALPHA,
        Some((alpha, _)) if alpha > 0.0 && alpha < 1.0 => alpha,
        Some((_, span)) => {
            let message = "`alpha`, the level of a test, lies between 0 and 1";
            return Err(entry.problem(span, message, None));
        }
    };
    Ok(Significance {
        alpha,
        higher_is_better: entry.flag("higher_is_better")?,
        items: pointer_at(entry, "items")?.map(|(pointer, _)| pointer),
    })
}

/// Whether a metric is named, and not pointed to.
fn is_name(metric: &str) -> bool {
    !metric.is_empty() && !metric.starts_with('/')
}

/// A string that is a name or a JSON pointer.
fn name_or_pointer_at(entry: &Entry, key: &str) -> Result<Option<(String, Range<usize>)>, Problem> {
    match entry.text(key)? {
        Some((text, span)) if is_name(&text) => Ok(Some((text, span))),
        _ => pointer_at(entry, key),
    }
}

/// A string that must be a JSON pointer.
fn pointer_at(entry: &Entry, key: &str) -> Result<Option<(String, Range<usize>)>, Problem> {
    let Some((text, span)) = entry.text(key)? else {
        return Ok(None);
    };
    if let Some(help) = pointer::mistake(&text) {
        let message = format!("`{text}` is not a JSON pointer");
        return Err(entry.problem(span, &message, Some(help)));
    }
    Ok(Some((text, span)))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
