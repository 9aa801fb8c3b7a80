//! One row as it stands in a file: which of its keys mean what.
//!
//! Tools name the same thing differently; [`row_keys`] says which name goes before which.
//! A key that stands twice counts the last time. Nothing is copied here.

use std::borrow::Cow;

use judica_data::json::{ScanError, Scanner, ValueKind};
use judica_data::rejects::Refusal;
use judica_data::row_keys::{self, FORMULA, GOLD_LISTS, OUTPUT, OUTPUTS};

use super::value::Value;
use crate::gold::Gold;

/// Names of the gold answer, the preferred one first.
pub const GOLD_KEYS: [&str; 7] = {
    let ([a, b, c], [d, e, f]) = (GOLD_LISTS, row_keys::GOLD);
    [a, b, c, d, e, f, OUTPUT]
};
/// Names of the prediction, the preferred one first; [`OUTPUT`] only where the gold stands
/// elsewhere.
pub const PREDICTION_KEYS: [&str; 5] = {
    let [a, b, c, d] = row_keys::PREDICTION;
    [a, b, c, d, OUTPUT]
};
/// Names of numbers that a row may have.
const MEASURED: [&str; 6] = [
    "latency_ms",
    "tokens_input",
    "tokens_output",
    "token_usage",
    "exact_match",
    "usd",
];
const LATENCY: usize = 0;
const TOKENS_INPUT: usize = 1;
const TOKENS_OUTPUT: usize = 2;
const TOKEN_USAGE: usize = 3;
const EXACT_MATCH: usize = 4;
const USD: usize = 5;
/// Names of the model that answered, the preferred one first: in a row, or in a document.
pub(super) const SUBJECT_KEYS: [&str; 5] =
    ["model", "model_name", "model_short", "run_name", "backend"];
/// The name of the data set, in a row or in a document.
pub(super) const DATASET_KEY: &str = "dataset";
/// Other names by which a row is told apart.
const KEYS: [&str; 3] = [DATASET_KEY, "epoch", "cluster"];
const DATASET: usize = 0;
const EPOCH: usize = 1;
const CLUSTER: usize = 2;
/// How deep a row may be nested. Others stop at 128, and a row will stand two levels deeper
/// in a judged document.
pub(crate) const DEPTH: usize = 100;
/// More tokens than this in one row are a mistake.
const MOST_TOKENS: f64 = 1e15;

/// What a JSON array is that stands under a name for one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrays {
    /// Several answers, all of them required.
    Several,
    /// One answer that happens to be an array.
    One,
}

/// A row, not yet looked into.
#[derive(Debug, Default, Clone)]
pub struct Row<'a> {
    id: Option<Value<'a>>,
    input: [Option<Value<'a>>; row_keys::INPUT.len()],
    gold: [Option<Value<'a>>; GOLD_KEYS.len()],
    prediction: [Option<Value<'a>>; row_keys::PREDICTION.len()],
    measured: [Option<Value<'a>>; MEASURED.len()],
    subject: [Option<Value<'a>>; SUBJECT_KEYS.len()],
    keys: [Option<Value<'a>>; KEYS.len()],
}

impl<'a> Row<'a> {
    /// Finds the fields of a row. The bytes must be UTF-8.
    pub fn read(bytes: &'a [u8]) -> Result<Row<'a>, Refusal> {
        let mut scanner = Scanner::new(bytes, 0);
        if scanner.kind().map_err(malformed)? != ValueKind::Object {
            // The kind is told by the first byte; what follows may be no JSON at all.
            scanner.skip_value(0, DEPTH).map_err(malformed)?;
            scanner.end().map_err(malformed)?;
            return Err(Refusal::new("not_an_object", "a row must be an object"));
        }
        let mut row = Row::default();
        row.walk(&mut scanner).map_err(malformed)?;
        scanner.end().map_err(malformed)?;
        Ok(row)
    }

    fn walk(&mut self, scanner: &mut Scanner<'a>) -> Result<(), ScanError> {
        scanner.members(|key, scanner| {
            let place = self.place(key);
            let value = Value::scan(scanner, 1, DEPTH)?;
            if let Some(place) = place {
                *place = value;
            }
            Ok(())
        })
    }

    fn place(&mut self, key: &[u8]) -> Option<&mut Option<Value<'a>>> {
        let at = |names: &[&str]| names.iter().position(|name| name.as_bytes() == key);
        if let Some(at) = at(&row_keys::INPUT) {
            Some(&mut self.input[at])
        } else if let Some(at) = at(&GOLD_KEYS) {
            Some(&mut self.gold[at])
        } else if let Some(at) = at(&row_keys::PREDICTION) {
            Some(&mut self.prediction[at])
        } else if let Some(at) = at(&MEASURED) {
            Some(&mut self.measured[at])
        } else if let Some(at) = at(&SUBJECT_KEYS) {
            Some(&mut self.subject[at])
        } else if let Some(at) = at(&KEYS) {
            Some(&mut self.keys[at])
        } else {
            (key == row_keys::ID.as_bytes()).then_some(&mut self.id)
        }
    }

    /// The name under which the input stands, and its value.
    pub fn input_value(&self) -> Option<(&'static str, Value<'a>)> {
        first(&row_keys::INPUT, &self.input)
    }

    /// The name under which the gold answer stands, and its value.
    pub fn gold_value(&self) -> Result<(&'static str, Value<'a>), Refusal> {
        let says = |(key, value): &(&'static str, Value)| match *key {
            OUTPUTS => formulas(*value).is_some(),
            key => !GOLD_LISTS.contains(&key) || !value.is_empty_list(),
        };
        let mut named = GOLD_KEYS.into_iter().zip(self.gold);
        let found = named.find_map(|(key, value)| Some((key, value?)).filter(says));
        found.ok_or_else(|| missing("missing_gold", "gold", &GOLD_KEYS))
    }

    /// The name under which the prediction stands, and its value.
    pub fn prediction_value(&self) -> Result<(&'static str, Value<'a>), Refusal> {
        let own = first(&row_keys::PREDICTION, &self.prediction);
        let left_over = || {
            let value = self.gold[GOLD_KEYS.len() - 1]?;
            let gold = self.gold_value().ok()?;
            (gold.0 != OUTPUT).then_some((OUTPUT, value))
        };
        own.or_else(left_over)
            .ok_or_else(|| missing("missing_prediction", "prediction", &PREDICTION_KEYS))
    }

    /// The gold answer: one, or a list of which all are required.
    pub fn gold(&self, arrays: Arrays) -> Result<Gold, Refusal> {
        let (key, value) = self.gold_value()?;
        if key == OUTPUTS {
            return Ok(Gold::list(formulas(value).unwrap_or_default()));
        }
        if arrays == Arrays::One && !GOLD_LISTS.contains(&key) {
            return Ok(Gold::one(&value.text()));
        }
        let Some(items) = value.items() else {
            return Ok(Gold::one(&value.text()));
        };
        let refusal = |reason, what| Err(Refusal::new(reason, format!("`{key}` {what}")));
        let Some(items) = items else {
            return refusal("bad_gold", "holds something other than texts");
        };
        if items.is_empty() {
            return refusal("missing_gold", "is an empty list");
        }
        let texts = items.iter().map(|item| item.text().into_owned());
        Ok(Gold::list(texts.collect()))
    }

    /// The prediction, held against this gold; of a list each element on its line.
    pub fn prediction(&self, arrays: Arrays, gold: &Gold) -> Result<Cow<'a, str>, Refusal> {
        let (key, value) = self.prediction_value()?;
        if arrays == Arrays::One && gold.formulas().len() == 1 {
            return Ok(value.text());
        }
        let Some(items) = value.items() else {
            return Ok(value.text());
        };
        let items = items.ok_or_else(|| {
            let detail = format!("`{key}` holds something other than texts");
            Refusal::new("bad_prediction", detail)
        })?;
        let lines: Vec<_> = items.iter().map(|item| item.text()).collect();
        Ok(Cow::Owned(lines.join("\n")))
    }

    /// What it is called; an empty name is none, and neither is one that rows without a
    /// name have: see [`super::called`].
    pub fn id(&self) -> Option<Cow<'a, str>> {
        let id = self.id?.text();
        (!id.trim().is_empty() && !is_place(&id)).then_some(id)
    }

    /// Whose answer it says it is.
    pub(super) fn subject(&self) -> Option<Cow<'a, str>> {
        let mut named = self.subject.iter().flatten();
        named.find_map(|value| value.name())
    }

    /// The data set it says it belongs to.
    pub(super) fn dataset(&self) -> Option<Cow<'a, str>> {
        self.keys[DATASET]?.name()
    }

    /// What it says it stands or falls with.
    pub fn cluster(&self) -> Option<Cow<'a, str>> {
        self.keys[CLUSTER]?.name()
    }

    /// Which repeat of the question it is, from 1.
    pub(super) fn epoch(&self) -> i32 {
        let epoch = self.keys[EPOCH].and_then(|value| value.number());
        let whole = epoch.filter(|n| (1.0..=f64::from(i32::MAX)).contains(n) && n.fract() == 0.0);
        whole.map_or(1, |n| n as i32)
    }

    /// Milliseconds the model took, where that is a number that means something.
    pub fn latency_ms(&self) -> Option<f64> {
        self.measured[LATENCY]?.number().filter(|ms| *ms >= 0.0)
    }

    /// Tokens of the question.
    pub fn tokens_input(&self) -> Option<u64> {
        tokens(self.measured[TOKENS_INPUT]).or_else(|| self.used(["input_tokens", "tokens_input"]))
    }

    /// Tokens of the answer.
    pub fn tokens_output(&self) -> Option<u64> {
        tokens(self.measured[TOKENS_OUTPUT])
            .or_else(|| self.used(["output_tokens", "tokens_output"]))
    }

    /// Tokens that `token_usage` counts under the first of these names that counts any.
    fn used(&self, names: [&str; 2]) -> Option<u64> {
        let usage = self.measured[TOKEN_USAGE]?;
        names.iter().find_map(|name| tokens(usage.member(name)))
    }

    /// What the answer cost, where that is a number that means something.
    pub fn usd(&self) -> Option<f64> {
        self.measured[USD]?.number().filter(|usd| *usd >= 0.0)
    }

    /// What the row itself says of an exact match.
    pub fn exact_match(&self) -> Option<bool> {
        self.measured[EXACT_MATCH]?.boolean()
    }
}

/// Whether a text is what a row without a name is called: `:12`.
fn is_place(text: &str) -> bool {
    let digits = text.strip_prefix(':');
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The golds in a list of objects that each have one; `None` if it is anything else.
fn formulas(outputs: Value) -> Option<Vec<String>> {
    let items = outputs.items()??;
    let formula = |item: &Value| Some(item.member(FORMULA)?.text().into_owned());
    let found: Option<Vec<String>> = items.iter().map(formula).collect();
    found.filter(|found| !found.is_empty())
}

fn tokens(value: Option<Value>) -> Option<u64> {
    let count = value?.number()?;
    let whole = (0.0..=MOST_TOKENS).contains(&count) && count.fract() == 0.0;
    whole.then_some(count as u64)
}

fn first<'a>(
    keys: &[&'static str],
    values: &[Option<Value<'a>>],
) -> Option<(&'static str, Value<'a>)> {
    let found = keys.iter().zip(values).find(|(_, value)| value.is_some())?;
    Some((found.0, (*found.1)?))
}

fn missing(reason: &'static str, what: &str, keys: &[&str]) -> Refusal {
    let names: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    Refusal::new(
        reason,
        format!("no {what}: expected it under {}", names.join(", ")),
    )
}

fn malformed(error: ScanError) -> Refusal {
    match error {
        ScanError::Syntax(at) => Refusal::new(
            "malformed_json",
            format!("not JSON from byte {at} of the row"),
        ),
        ScanError::TooDeep(_) => Refusal::new("too_deep", format!("nested deeper than {DEPTH}")),
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
