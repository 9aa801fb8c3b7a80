//! What one row of a judged data set, or of people's annotations, says.
//!
//! Tools name the same field differently, so each has aliases (`judica_data::row_keys`);
//! where a row has several, the first in the list that is not null counts. A key that
//! stands twice counts the last time. Everything else in a row, above all what a judge
//! wrote, is data that nobody here interprets.

use std::borrow::Cow;

use judica_data::json::scan::RawString;
use judica_data::json::{ScanError, Scanner, ValueKind};
use judica_data::row_keys::{
    CORRECT, GOLD, GOLD_LISTS, ID, INPUT, METHOD, OUTPUT, OUTPUTS, PREDICTION, RATER, STATUS,
    verdict,
};

use super::gold;

/// Containers may be nested this deep.
pub(super) const DEPTH: usize = 128;

/// The fields, each with its names, the preferred one first.
const FIELDS: [&[&str]; 14] = [
    &INPUT,
    &GOLD_LISTS,
    &GOLD,
    &GOLD_COLUMNS,
    &PREDICTION,
    &[OUTPUT],
    &CORRECT,
    &[METHOD],
    &STATUS,
    &[ID],
    &["source_file"],
    &["reasoning"],
    &RATER,
    &["judge_tokens_input", "judge_tokens_output"],
];
/// Several golds, each in a column of its own, as sheets for annotators have them.
const GOLD_COLUMNS: [&str; 3] = ["gold_1", "gold_2", "gold_3"];
/// The most names of a field.
const MOST_NAMES: usize = RATER.len();
const INPUT_AT: usize = 0;
const GOLD_LISTS_AT: usize = 1;
const GOLD_AT: usize = 2;
const GOLD_COLUMNS_AT: usize = 3;
const PREDICTION_AT: usize = 4;
const OUTPUT_AT: usize = 5;
const CORRECT_AT: usize = 6;
const METHOD_AT: usize = 7;
const STATUS_AT: usize = 8;
const ID_AT: usize = 9;
const SOURCE_AT: usize = 10;
const REASONING_AT: usize = 11;
const RATER_AT: usize = 12;
const TOKENS_AT: usize = 13;

/// How rows are decided without a judge.
pub(super) const WITHOUT_JUDGE: [&str; 4] = ["exact", "structural", "no_llm", "unmatched"];
/// The status of a reply that was never asked for, and the place of the way it means.
const NOT_CALLED: [(&str, usize); 3] = [
    ("not_called_exact_match", 0),
    ("not_called_no_llm", 2),
    ("not_called_missing_data", 3),
];
/// The way of deciding that says that a filter kept the model from judging.
const FILTERED: &str = "content_filtered";

/// What became of the judge's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// Nothing unusual is said.
    Read,
    /// It could not be parsed, and the verdict stands in for it.
    Invalid,
    /// The model declined to judge, or was kept from it: there is no verdict.
    Declined,
}

/// Why a row cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// A short code.
    pub reason: &'static str,
    /// A sentence.
    pub detail: String,
}

impl Fault {
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { reason, detail }
    }
}

/// A row that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    /// The data set, where the row names it.
    pub source: Option<Cow<'a, str>>,
    /// Its id.
    pub id: Option<Cow<'a, str>>,
    /// What was asked.
    pub input: Cow<'a, str>,
    /// What was expected.
    pub gold: Option<Cow<'a, str>>,
    /// What was answered.
    pub prediction: Option<Cow<'a, str>>,
    /// Whether the answer was found correct; whatever a declined row says, it is no verdict.
    pub correct: Option<bool>,
    /// How it was decided, where the row says so.
    pub method: Option<Cow<'a, str>>,
    /// Its place in [`WITHOUT_JUDGE`], if it was decided like that.
    pub without_judge: Option<usize>,
    /// What became of the judge's reply.
    pub reply: Reply,
    /// Who says so, where the row names anybody.
    pub rater: Option<Cow<'a, str>>,
    /// The tokens that went to the judge and came back, where the row says both.
    pub tokens: Option<[u64; 2]>,
}

/// Reads a row.
pub(super) fn read(bytes: &[u8]) -> Result<Row<'_>, Fault> {
    Fields::read(bytes)?.row()
}

/// Which column of a table holds which field.
pub(super) struct Columns(Vec<Option<(usize, usize)>>);

impl Columns {
    /// By the names in a header, capitals and blanks around them aside.
    pub fn new(header: &[String]) -> Self {
        let named = |name: &String| slot(name.trim().to_ascii_lowercase().as_bytes());
        Self(header.iter().map(named).collect())
    }

    /// Reads a row of cells; a blank one says nothing.
    pub fn read<'a>(&self, cells: impl Iterator<Item = &'a str>) -> Result<Row<'a>, Fault> {
        let mut fields = Fields::default();
        for (slot, cell) in self.0.iter().zip(cells) {
            if let Some((field, alias)) = *slot
                && !cell.trim().is_empty()
            {
                fields.found[field][alias] = Some(Value::Cell(cell));
            }
        }
        fields.row()
    }
}

/// Without blanks around it, and without a copy where there are none.
fn trimmed(text: Cow<str>) -> Cow<str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() < text.len() => Cow::Owned(text.trim().to_owned()),
        owned => owned,
    }
}

/// What the judge wrote about a row, if anything.
pub(super) fn reasoning(bytes: &[u8]) -> Option<String> {
    let fields = Fields::read(bytes).ok()?;
    fields.text(REASONING_AT).map(Cow::into_owned)
}

fn correct(value: Option<Value>) -> Result<bool, Fault> {
    let Some(value) = value else {
        return Err(Fault::new("missing_verdict", "no `correct`"));
    };
    let text = value.text();
    verdict(&text).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        let detail = format!("`correct` is {shown:?}, expected yes or no");
        Fault::new("unknown_verdict", detail)
    })
}

fn reply(status: &str, method: Option<&str>) -> Reply {
    let is = |words: &[&str]| words.iter().any(|word| status.eq_ignore_ascii_case(word));
    let filtered = method.is_some_and(|method| method.eq_ignore_ascii_case(FILTERED));
    if filtered || is(&["refused", "refusal", "content_filter", FILTERED, "declined"]) {
        Reply::Declined
    } else if is(&["invalid", "unparsed", "parse_error", "parse_failure"]) {
        Reply::Invalid
    } else {
        Reply::Read
    }
}

/// The place in [`WITHOUT_JUDGE`] of how a row was decided; where it does not say, its
/// status may.
fn without_judge(method: Option<&str>, status: &str) -> Option<usize> {
    match method {
        Some(method) => WITHOUT_JUDGE
            .iter()
            .position(|name| method.eq_ignore_ascii_case(name)),
        None => NOT_CALLED
            .iter()
            .find(|(name, _)| status.eq_ignore_ascii_case(name))
            .map(|&(_, way)| way),
    }
}

/// A value as it stands in the row.
#[derive(Clone, Copy)]
enum Value<'a> {
    Text(RawString<'a>),
    Other(&'a [u8]),
    Cell(&'a str),
}

impl<'a> Value<'a> {
    /// Text as it is, everything else as compact JSON.
    fn text(self) -> Cow<'a, str> {
        match self {
            Value::Cell(text) => Cow::Borrowed(text),
            Value::Text(text) if !text.escaped => String::from_utf8_lossy(text.raw),
            Value::Text(text) => {
                let mut buffer = Vec::with_capacity(text.raw.len());
                text.decode(&mut buffer);
                Cow::Owned(String::from_utf8_lossy(&buffer).into_owned())
            }
            Value::Other(bytes) => match serde_json::from_slice::<serde_json::Value>(bytes) {
                Ok(value) => Cow::Owned(value.to_string()),
                // NaN and its like, which this reader allows and JSON does not.
                Err(_) => String::from_utf8_lossy(bytes),
            },
        }
    }

    /// Whether it can be several golds under this name.
    fn is_list(&self, name: &str) -> bool {
        match self {
            Value::Text(_) | Value::Cell(_) => name != OUTPUTS,
            Value::Other(bytes) if name == OUTPUTS => gold::are_outputs(bytes),
            Value::Other(bytes) => bytes.starts_with(b"["),
        }
    }

    /// The same of a gold, where a list has one line per element; an empty one is none. A
    /// cell of a table can hold a list only as text.
    fn gold(self) -> Option<Cow<'a, str>> {
        match self {
            Value::Text(_) => Some(self.text()),
            Value::Other(_) | Value::Cell(_) => gold::joined(self.text()),
        }
    }
}

/// The fields of a row that are not null, by field and alias.
#[derive(Default)]
struct Fields<'a> {
    found: [[Option<Value<'a>>; MOST_NAMES]; FIELDS.len()],
}

impl<'a> Fields<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Fault> {
        if std::str::from_utf8(bytes).is_err() {
            return Err(Fault::new("invalid_utf8", "not UTF-8"));
        }
        let mut scanner = Scanner::new(bytes, 0);
        let malformed = |error: ScanError| {
            let at = error.position();
            Fault::new(
                "malformed_json",
                format!("not JSON from byte {at} of the row"),
            )
        };
        if scanner.kind().map_err(malformed)? != ValueKind::Object {
            // The kind is told by the first letter; what follows it may be no JSON.
            scanner.skip_value(0, DEPTH).map_err(malformed)?;
            scanner.end().map_err(malformed)?;
            return Err(Fault::new("not_an_object", "an object is needed"));
        }
        let mut fields = Self::default();
        let whole = fields.walk(&mut scanner).map_err(malformed);
        whole.map(|()| fields)
    }

    fn walk(&mut self, scanner: &mut Scanner<'a>) -> Result<(), ScanError> {
        scanner.members(|key, scanner| {
            let slot = slot(key);
            let kind = scanner.kind()?;
            let start = scanner.pos;
            let value = if kind == ValueKind::String {
                Some(Value::Text(scanner.string()?))
            } else {
                scanner.skip_value(1, DEPTH)?;
                let bytes = scanner.slice(start, scanner.pos);
                (kind != ValueKind::Null).then_some(Value::Other(bytes))
            };
            if let Some((field, alias)) = slot {
                self.found[field][alias] = value;
            }
            Ok::<_, ScanError>(())
        })?;
        scanner.end()
    }

    /// What the row says.
    fn row(&self) -> Result<Row<'a>, Fault> {
        let input = self.text(INPUT_AT);
        let input = input.ok_or_else(|| Fault::new("missing_input", "no `input`"))?;
        let method = self.text(METHOD_AT).map(trimmed);
        let method = method.filter(|method| !method.is_empty());
        let status = self.text(STATUS_AT).map(trimmed).unwrap_or_default();
        let reply = reply(&status, method.as_deref());
        let correct = match reply {
            Reply::Declined => None,
            Reply::Read | Reply::Invalid => Some(correct(self.value(CORRECT_AT))?),
        };
        let (gold, prediction) = self.gold_and_prediction();
        let rater = self.text(RATER_AT).map(trimmed);
        Ok(Row {
            correct,
            source: self.text(SOURCE_AT),
            id: self.text(ID_AT),
            input,
            gold,
            prediction,
            without_judge: without_judge(method.as_deref(), &status),
            reply,
            method,
            rater: rater.filter(|rater| !rater.is_empty()),
            tokens: self.tokens(),
        })
    }

    /// `output` is the gold where nothing else is, and else the prediction.
    fn gold_and_prediction(&self) -> (Option<Cow<'a, str>>, Option<Cow<'a, str>>) {
        let of = |field: usize| self.found[field].iter().flatten().copied();
        let lists = self.found[GOLD_LISTS_AT].iter().zip(GOLD_LISTS);
        let lists = lists.filter_map(|(value, name)| value.filter(|value| value.is_list(name)));
        let gold = lists.chain(of(GOLD_AT)).find_map(Value::gold);
        let gold = gold.or_else(|| {
            let columns: Vec<Cow<str>> = of(GOLD_COLUMNS_AT).map(Value::text).collect();
            (!columns.is_empty()).then(|| Cow::Owned(columns.join("\n")))
        });
        let prediction = self.text(PREDICTION_AT);
        match self.value(OUTPUT_AT) {
            Some(output) if gold.is_none() => (output.gold(), prediction),
            Some(output) => (gold, prediction.or_else(|| Some(output.text()))),
            None => (gold, prediction),
        }
    }

    fn tokens(&self) -> Option<[u64; 2]> {
        let count = |at: usize| self.found[TOKENS_AT][at]?.text().parse().ok();
        Some([count(0)?, count(1)?])
    }

    fn value(&self, field: usize) -> Option<Value<'a>> {
        self.found[field].iter().flatten().next().copied()
    }

    fn text(&self, field: usize) -> Option<Cow<'a, str>> {
        self.value(field).map(Value::text)
    }
}

/// Which field, and which of its names, a key is.
fn slot(key: &[u8]) -> Option<(usize, usize)> {
    FIELDS.iter().enumerate().find_map(|(field, names)| {
        let alias = names.iter().position(|name| name.as_bytes() == key);
        alias.map(|alias| (field, alias))
    })
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
