//! One row as it stands in a file: which of its keys mean what.
//!
//! Tools name the same thing differently, so gold and prediction have aliases; where a row
//! has several, the first in the list that is not null counts. A key that stands twice
//! counts the last time. Nothing is copied here.

use std::borrow::Cow;

use judica_data::json::{ScanError, Scanner, ValueKind};
use judica_data::rejects::Refusal;

use super::value::Value;
use crate::gold::Gold;

/// Names of the gold answer, the preferred one first.
pub const GOLD_KEYS: [&str; 4] = ["expected", "gold", "output", "expected_options"];
/// Names of the prediction, the preferred one first.
pub const PREDICTION_KEYS: [&str; 3] = ["generated", "prediction", "model_output"];
/// How deep a row may be nested. Others stop at 128, and a row will stand two levels deeper
/// in a judged document.
pub(crate) const DEPTH: usize = 100;
/// More tokens than this in one row are a mistake.
const MOST_TOKENS: f64 = 1e15;

/// A row, not yet looked into.
#[derive(Debug, Default, Clone)]
pub struct Row<'a> {
    /// What it is called.
    pub id: Option<Value<'a>>,
    /// What was asked.
    pub input: Option<Value<'a>>,
    gold: [Option<Value<'a>>; GOLD_KEYS.len()],
    prediction: [Option<Value<'a>>; PREDICTION_KEYS.len()],
    latency_ms: Option<Value<'a>>,
    tokens_input: Option<Value<'a>>,
    tokens_output: Option<Value<'a>>,
    exact_match: Option<Value<'a>>,
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
        Some(match key {
            b"input" => &mut self.input,
            b"expected" => &mut self.gold[0],
            b"gold" => &mut self.gold[1],
            b"output" => &mut self.gold[2],
            b"expected_options" => &mut self.gold[3],
            b"generated" => &mut self.prediction[0],
            b"prediction" => &mut self.prediction[1],
            b"model_output" => &mut self.prediction[2],
            b"id" => &mut self.id,
            b"latency_ms" => &mut self.latency_ms,
            b"tokens_input" => &mut self.tokens_input,
            b"tokens_output" => &mut self.tokens_output,
            b"exact_match" => &mut self.exact_match,
            _ => return None,
        })
    }

    /// The name under which the gold answer stands, and its value.
    pub fn gold_value(&self) -> Result<(&'static str, Value<'a>), Refusal> {
        first(&GOLD_KEYS, &self.gold).ok_or_else(|| missing("missing_gold", "gold", &GOLD_KEYS))
    }

    /// The name under which the prediction stands, and its value.
    pub fn prediction_value(&self) -> Result<(&'static str, Value<'a>), Refusal> {
        first(&PREDICTION_KEYS, &self.prediction)
            .ok_or_else(|| missing("missing_prediction", "prediction", &PREDICTION_KEYS))
    }

    /// The gold answer: one, or a list of which all are required.
    pub fn gold(&self) -> Result<Gold, Refusal> {
        let (key, value) = self.gold_value()?;
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

    /// The prediction; of a list each element on its line.
    pub fn prediction(&self) -> Result<Cow<'a, str>, Refusal> {
        let (key, value) = self.prediction_value()?;
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

    /// What it is called; an empty name is none.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        let id = self.id?.text();
        (!id.trim().is_empty()).then_some(id)
    }

    /// Milliseconds the model took, where that is a number that means something.
    pub fn latency_ms(&self) -> Option<f64> {
        self.latency_ms?.number().filter(|ms| *ms >= 0.0)
    }

    /// Tokens of the question.
    pub fn tokens_input(&self) -> Option<u64> {
        tokens(self.tokens_input)
    }

    /// Tokens of the answer.
    pub fn tokens_output(&self) -> Option<u64> {
        tokens(self.tokens_output)
    }

    /// What the row itself says of an exact match.
    pub fn exact_match(&self) -> Option<bool> {
        self.exact_match?.boolean()
    }
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
