//! What one row of a judged data set says.
//!
//! Tools name the same field differently, so each has aliases; where a row has several,
//! the first in the list that is not null counts. A key that stands twice counts the last
//! time. Everything else in a row, above all what a judge wrote, is data that nobody here
//! interprets.

use std::borrow::Cow;

use judica_data::json::scan::RawString;
use judica_data::json::{ScanError, Scanner, ValueKind};

/// Containers may be nested this deep.
pub(super) const DEPTH: usize = 128;

/// The fields, each with its names, the preferred one first.
const FIELDS: [&[&str]; 9] = [
    &["input", "nl"],
    &[
        "gold",
        "expected",
        "reference",
        "output",
        "expected_options",
    ],
    &["prediction", "generated", "model_output"],
    &["correct"],
    &["decision_method"],
    &["parse_status", "status"],
    &["id"],
    &["source_file"],
    &["reasoning"],
];
const INPUT: usize = 0;
const GOLD: usize = 1;
const PREDICTION: usize = 2;
const CORRECT: usize = 3;
const METHOD: usize = 4;
const STATUS: usize = 5;
const ID: usize = 6;
const SOURCE: usize = 7;
const REASONING: usize = 8;

/// How rows are decided without a judge.
pub(super) const WITHOUT_JUDGE: [&str; 4] = ["exact", "structural", "no_llm", "unmatched"];

/// What became of the judge's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// Nothing unusual is said.
    Read,
    /// It could not be parsed, and the verdict stands in for it.
    Invalid,
    /// The model declined to judge, and the verdict stands in for it.
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
    /// Whether the answer was found correct.
    pub correct: bool,
    /// How it was decided, where the row says so.
    pub method: Option<Cow<'a, str>>,
    /// Its place in [`WITHOUT_JUDGE`], if it was decided like that.
    pub without_judge: Option<usize>,
    /// What became of the judge's reply.
    pub reply: Reply,
}

/// Reads a row.
pub(super) fn read(bytes: &[u8]) -> Result<Row<'_>, Fault> {
    let fields = Fields::read(bytes)?;
    let input = fields.text(INPUT);
    let input = input.ok_or_else(|| Fault::new("missing_input", "no `input`"))?;
    let method = fields.text(METHOD).map(trimmed);
    let is_method = |name: &&str| {
        let method = method.as_deref();
        method.is_some_and(|method| method.eq_ignore_ascii_case(name))
    };
    Ok(Row {
        correct: verdict(fields.value(CORRECT))?,
        source: fields.text(SOURCE),
        id: fields.text(ID),
        input,
        gold: fields.text(GOLD),
        prediction: fields.text(PREDICTION),
        without_judge: WITHOUT_JUDGE.iter().position(is_method),
        reply: reply(fields.text(STATUS).as_deref()),
        method: method.filter(|method| !method.is_empty()),
    })
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
    fields.text(REASONING).map(Cow::into_owned)
}

/// yes/no, true/false, 1/0 in any case, as text, boolean or number.
fn verdict(value: Option<Value>) -> Result<bool, Fault> {
    let text = match value {
        None => return Err(Fault::new("missing_verdict", "no `correct`")),
        Some(value) => value.text(),
    };
    let is = |words: [&str; 4]| {
        let said = text.trim();
        words.iter().any(|word| said.eq_ignore_ascii_case(word))
    };
    if is(["yes", "true", "1", "1.0"]) {
        Ok(true)
    } else if is(["no", "false", "0", "0.0"]) {
        Ok(false)
    } else {
        let shown: String = text.chars().take(40).collect();
        let detail = format!("`correct` is {shown:?}, expected yes or no");
        Err(Fault::new("unknown_verdict", detail))
    }
}

fn reply(status: Option<&str>) -> Reply {
    let status = status.unwrap_or_default().trim();
    let is = |words: [&str; 4]| words.iter().any(|word| status.eq_ignore_ascii_case(word));
    if is(["invalid", "unparsed", "parse_error", "parse_failure"]) {
        Reply::Invalid
    } else if is(["refused", "refusal", "content_filter", "declined"]) {
        Reply::Declined
    } else {
        Reply::Read
    }
}

/// A value as it stands in the row.
#[derive(Clone, Copy)]
enum Value<'a> {
    Text(RawString<'a>),
    Other(&'a [u8]),
}

impl<'a> Value<'a> {
    /// Text as it is, everything else as compact JSON.
    fn text(self) -> Cow<'a, str> {
        match self {
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
}

/// The fields of a row that are not null, by field and alias.
struct Fields<'a> {
    found: [[Option<Value<'a>>; 5]; FIELDS.len()],
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
        let mut fields = Self {
            found: Default::default(),
        };
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
