//! One row of predictions: which of its fields mean what.
//!
//! The fields are those of [`super::columns`]; nothing is copied here.

use std::borrow::Cow;

use judica_data::rejects::Refusal;
use judica_data::row_keys::{self, FORMULA, GOLD_LISTS, OUTPUT};
use judica_data::rows::{self, Value, joined};

use judica_model::run::Verdict;

use super::columns::{
    BY, CLUSTER, CONFIDENCE, Columns, DATASET, EPOCH, EXACT_MATCH, EXPECTED_OPTIONS, GOLD, ID,
    INPUT, LATENCY, LEFT_OVER, OUTPUTS, PREDICTION, SUBJECT, TOKEN_USAGE, TOKENS_IN, TOKENS_OUT,
    USD, VERDICT,
};
use judica_run::text::Several;
use judica_text::gold::Gold;
use serde_json::json;

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

/// What a JSON array is that stands under a name for one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrays {
    /// Several answers, all of them required.
    Several,
    /// One answer that happens to be an array.
    One,
}

/// A row, not yet looked into.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    columns: &'a Columns,
    row: rows::Row<'a, { super::columns::COUNT }>,
}

impl<'a> Row<'a> {
    /// Finds the fields of a row. The bytes must be UTF-8.
    pub fn read(columns: &'a Columns, bytes: &'a [u8]) -> Result<Row<'a>, Refusal> {
        let row = columns.door.read(bytes)?;
        columns.watched.see(&row);
        Ok(Row { columns, row })
    }

    /// What was asked.
    pub fn input_value(&self) -> Option<Value<'a>> {
        self.row.get(INPUT)
    }

    /// Which field holds the gold answer, and its value.
    fn gold_field(&self) -> Result<(usize, Value<'a>), Refusal> {
        let says = |(slot, value): &(usize, Value)| match *slot {
            OUTPUTS => formulas(*value).is_some(),
            EXPECTED_OPTIONS..OUTPUTS => !value.is_empty_list(),
            _ => true,
        };
        // Where the user names the gold it stands nowhere else.
        let last = match self.columns.door.is_given(GOLD) {
            true => GOLD,
            false => LEFT_OVER,
        };
        let mut fields = EXPECTED_OPTIONS..=last;
        let found = fields.find_map(|slot| Some((slot, self.row.get(slot)?)).filter(says));
        found.ok_or_else(|| {
            let slots: Vec<usize> = (EXPECTED_OPTIONS..=last).collect();
            self.columns.door.missing(&slots)
        })
    }

    /// The gold answer as it stands.
    pub fn gold_value(&self) -> Result<Value<'a>, Refusal> {
        self.gold_field().map(|(_, value)| value)
    }

    /// Which field holds the prediction, and its value.
    fn prediction_field(&self) -> Result<(usize, Value<'a>), Refusal> {
        if let Some(own) = self.row.get(PREDICTION) {
            // Where there was an error, nothing is no answer.
            let failed = || {
                let verdict = self.row.get(VERDICT);
                verdict.is_some_and(|verdict| verdict.text() == Verdict::Error.name())
            };
            return match self.columns.of_run && own.text().is_empty() && failed() {
                true => Err(self.columns.door.missing(&[PREDICTION])),
                false => Ok((PREDICTION, own)),
            };
        }
        let named = self.columns.door.is_given(PREDICTION);
        let left_over = || {
            let value = self.row.get(LEFT_OVER).filter(|_| !named)?;
            let (gold, _) = self.gold_field().ok()?;
            (gold != LEFT_OVER).then_some((LEFT_OVER, value))
        };
        left_over().ok_or_else(|| {
            let slots = [PREDICTION, LEFT_OVER];
            self.columns
                .door
                .missing(&slots[..if named { 1 } else { 2 }])
        })
    }

    /// The prediction as it stands.
    pub fn prediction_value(&self) -> Result<Value<'a>, Refusal> {
        self.prediction_field().map(|(_, value)| value)
    }

    /// The names under which input, gold and prediction stand.
    pub(super) fn keys(&self) -> Result<[String; 3], Refusal> {
        let slots = [INPUT, self.gold_field()?.0, self.prediction_field()?.0];
        Ok(slots.map(|slot| self.columns.door.name_in(&self.row, slot)))
    }

    /// The gold answer: one, or a list of which all are required.
    pub fn gold(&self, arrays: Arrays) -> Result<Gold, Refusal> {
        let (slot, value) = self.gold_field()?;
        if slot == OUTPUTS {
            return Ok(Gold::list(formulas(value).unwrap_or_default()));
        }
        let text = || match self.columns.of_run {
            true => gold_of_run(&value.text()),
            false => Gold::one(&value.text()),
        };
        if arrays == Arrays::One && slot >= GOLD {
            return Ok(match text() {
                // What a run keeps of a list is that list again.
                Gold::List(texts) | Gold::Any(texts) => Gold::one(&json!(texts).to_string()),
                one => one,
            });
        }
        let Some(items) = value.items() else {
            return Ok(text());
        };
        let key = || self.columns.door.name_in(&self.row, slot);
        let refusal = |reason, what| Err(Refusal::new(reason, format!("`{}` {what}", key())));
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
        let (slot, value) = self.prediction_field()?;
        if arrays == Arrays::One && gold.formulas().len() == 1 {
            return Ok(value.text());
        }
        let Some(items) = value.items() else {
            return Ok(value.text());
        };
        let items = items.ok_or_else(|| {
            let key = self.columns.door.name_in(&self.row, slot);
            let detail = format!("`{key}` holds something other than texts");
            Refusal::new("bad_prediction", detail)
        })?;
        let lines: Vec<_> = items.iter().map(|item| item.text()).collect();
        Ok(Cow::Owned(lines.join("\n")))
    }

    /// What it is called; an empty name is none, and neither is one that rows without a
    /// name have: see [`super::called`]. Parts of a name are joined by slashes.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        let parts = self.columns.parts;
        let id = match parts {
            1 => self.row.get(ID)?.text(),
            _ => {
                let part = |slot| Some(self.row.get(slot)?.text());
                let parts: Option<Vec<Cow<str>>> = (ID..ID + parts).map(part).collect();
                Cow::Owned(joined(&parts?))
            }
        };
        // An item of a run may be called by its place, and stays that item.
        let is_name = self.columns.of_run || !is_place(&id);
        (!id.trim().is_empty() && is_name).then_some(id)
    }

    /// Refuses a row without the name that the user says it has.
    pub(crate) fn check_id(&self) -> Result<(), Refusal> {
        if !self.columns.names_items() || self.id().is_some() {
            return Ok(());
        }
        let slots: Vec<usize> = (ID..ID + self.columns.parts).collect();
        Err(self.columns.door.missing(&slots))
    }

    /// Whose answer it says it is.
    pub(super) fn subject(&self) -> Option<Cow<'a, str>> {
        self.row.name(SUBJECT)
    }

    /// The data set it says it belongs to.
    pub(super) fn dataset(&self) -> Option<Cow<'a, str>> {
        self.row.name(DATASET)
    }

    /// What it says it stands or falls with.
    pub fn cluster(&self) -> Option<Cow<'a, str>> {
        self.row.name(CLUSTER)
    }

    /// Which repeat of the question it is, from 1.
    pub(super) fn epoch(&self) -> Result<i32, Refusal> {
        self.row.epoch(EPOCH)
    }

    /// Milliseconds the model took, where that is a number that means something.
    pub fn latency_ms(&self) -> Option<f64> {
        self.row.amount(LATENCY)
    }

    /// Tokens of the question.
    pub fn tokens_input(&self) -> Option<u64> {
        let own = self.row.tokens(TOKENS_IN);
        own.or_else(|| {
            self.row
                .tokens_in(TOKEN_USAGE, ["input_tokens", "tokens_input"])
        })
    }

    /// Tokens of the answer.
    pub fn tokens_output(&self) -> Option<u64> {
        let own = self.row.tokens(TOKENS_OUT);
        own.or_else(|| {
            self.row
                .tokens_in(TOKEN_USAGE, ["output_tokens", "tokens_output"])
        })
    }

    /// What the answer cost, where that is a number that means something.
    pub fn usd(&self) -> Option<f64> {
        self.row.amount(USD)
    }

    /// How sure the answer is said to be, between 0 and 1, or why that cannot be used.
    pub(crate) fn confidence(&self) -> Result<f64, &'static str> {
        let Some(value) = self.row.get(CONFIDENCE) else {
            return Err("no confidence");
        };
        match value.number() {
            Some(sure) if (0.0..=1.0).contains(&sure) => Ok(sure),
            Some(_) => Err("a confidence outside 0-1"),
            None => Err("a confidence that is no number"),
        }
    }

    /// What it is told apart by, unless that is blank.
    pub(crate) fn by(&self) -> Option<Cow<'a, str>> {
        let by = self.row.get(BY)?.text();
        (!by.trim().is_empty()).then_some(by)
    }

    /// What the row itself says of an exact match.
    pub fn exact_match(&self) -> Option<bool> {
        self.row.get(EXACT_MATCH)?.boolean()
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

/// A gold as a run keeps it, so that it is the same gold when it is read again.
pub fn kept(gold: &Gold) -> String {
    match gold {
        Gold::Any(texts) => json!(texts).to_string(),
        Gold::List(texts) if texts.len() > 1 => json!({"all": texts}).to_string(),
        Gold::List(_) | Gold::One(_) => {
            let text = gold.shown();
            match Several::read(&text) {
                Some(_) => json!({"all": [text]}).to_string(),
                None => text,
            }
        }
    }
}

/// What a run keeps of a gold, read again.
fn gold_of_run(text: &str) -> Gold {
    match Several::read(text) {
        Some(Several::Any(texts)) => Gold::Any(texts),
        Some(Several::All { all }) => match <[String; 1]>::try_from(all) {
            Ok([one]) => Gold::One(one),
            Err(all) => Gold::List(all),
        },
        None => Gold::one(text),
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
