//! What one row of a judged data set, or of people's annotations, says.
//!
//! Everything but the declared fields, above all what a judge wrote, is data that nobody
//! here interprets.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) use judica_data::rejects::Refusal as Fault;
use judica_data::row_keys::{
    CLUSTER, CORRECT, EPOCH, GOLD, GOLD_LISTS, ID, INPUT, LATENCY, METHOD, OUTPUT, OUTPUTS,
    PREDICTION, RATER, STATUS, SUBJECT, TOKENS_IN, TOKENS_OUT, USD, verdict,
};
use judica_data::rows::{self, ColumnChoice, Door, Field, Value, chosen_columns, field};
use judica_data::work_error::WorkError;

use super::gold;
use judica_model::text::quoted;

const FIELDS_COUNT: usize = 28;
const INPUT_AT: usize = 0;
/// Several golds in one list; then one gold; then several, each in a column of its own, as
/// sheets for annotators have them.
const GOLD_LISTS_AT: usize = 1;
const GOLD_AT: usize = 4;
const GOLD_COLUMNS_AT: usize = 7;
const PREDICTION_AT: usize = 10;
const OUTPUT_AT: usize = 11;
const CORRECT_AT: usize = 12;
const METHOD_AT: usize = 13;
const STATUS_AT: usize = 14;
const ID_AT: usize = 15;
const SOURCE_AT: usize = 16;
const REASONING_AT: usize = 17;
const RATER_AT: usize = 18;
const SUBJECT_AT: usize = 19;
const EPOCH_AT: usize = 20;
const CLUSTER_AT: usize = 21;
const USAGE_AT: [usize; 4] = [22, 23, 24, 25];
const JUDGE_TOKENS_AT: [usize; 2] = [26, 27];

/// The fields. Every gold is one of its own: a list that holds nothing says nothing, and the
/// next counts.
static FIELDS: [Field; FIELDS_COUNT] = [
    field("input", &INPUT),
    field("gold", &[GOLD_LISTS[0]]),
    field("gold", &[GOLD_LISTS[1]]),
    field("gold", &[GOLD_LISTS[2]]),
    field("gold", &[GOLD[0]]),
    field("gold", &[GOLD[1]]),
    field("gold", &[GOLD[2]]),
    field("gold", &["gold_1"]),
    field("gold", &["gold_2"]),
    field("gold", &["gold_3"]),
    field("prediction", &PREDICTION),
    field("output", &[OUTPUT]),
    field("correct", &CORRECT),
    field("decision_method", &[METHOD]),
    field("status", &STATUS),
    field("id", &[ID]),
    field("source_file", &["source_file"]),
    field("reasoning", &["reasoning"]),
    field("rater", &RATER),
    field("subject", &SUBJECT),
    field("epoch", &[EPOCH]),
    field("cluster", &[CLUSTER]),
    field("latency_ms", &[LATENCY]),
    field("tokens_in", &TOKENS_IN),
    field("tokens_out", &TOKENS_OUT),
    field("usd", &[USD]),
    field("judge_tokens_input", &["judge_tokens_input"]),
    field("judge_tokens_output", &["judge_tokens_output"]),
];

/// The door for rows of judges, or of people.
#[derive(Debug)]
pub(super) struct RowDoor {
    door: Door<FIELDS_COUNT>,
    /// Fields that the user says where to find, with what was said.
    said: Vec<(usize, String)>,
    /// Which fields some row had, one bit each, and whether there was a row.
    seen: AtomicU64,
}

/// The bit that says that there was a row.
const ANY_ROW: u64 = 1 << FIELDS_COUNT;

impl RowDoor {
    /// All names, for whoever reads tables.
    pub fn names(&self) -> Vec<String> {
        self.door.names()
    }

    fn read<'a>(&self, bytes: &'a [u8]) -> Result<rows::Row<'a, FIELDS_COUNT>, Fault> {
        let row = self.door.read(bytes)?;
        let said = self.said.iter().filter(|(slot, _)| row.has(*slot));
        let there = said.fold(ANY_ROW, |there, (slot, _)| there | 1 << slot);
        // What all threads share is written once.
        if self.seen.load(Ordering::Relaxed) & there != there {
            self.seen.fetch_or(there, Ordering::Relaxed);
        }
        Ok(row)
    }

    /// What was said of fields that no row had.
    fn missing(&self) -> Vec<&str> {
        let seen = self.seen.load(Ordering::Relaxed);
        let missing = self.said.iter().filter(|(slot, _)| seen >> slot & 1 == 0);
        missing.map(|(_, said)| said.as_str()).collect()
    }

    fn has_rows(&self) -> bool {
        self.seen.load(Ordering::Relaxed) != 0
    }
}

const OF_JUDGES: &str = "judges.";
const OF_PEOPLE: &str = "human.";

/// Where the fields of judges' and of people's rows stand: what is said of `judges.correct` or
/// `human.correct` is said of one of them.
pub(super) fn doors(said: &[String]) -> Result<[RowDoor; 2], String> {
    let of = |side: &str, other: &str| {
        let own = said.iter().filter(|said| !said.starts_with(other));
        door(side, &own.cloned().collect::<Vec<String>>())
    };
    Ok([of(OF_JUDGES, OF_PEOPLE)?, of(OF_PEOPLE, OF_JUDGES)?])
}

/// The door of a side, with fields where the user says they stand.
fn door(side: &str, said: &[String]) -> Result<RowDoor, String> {
    let mut door = Door::new(&FIELDS);
    let own = said
        .iter()
        .map(|said| said.strip_prefix(side).unwrap_or(said));
    let own: Vec<String> = own.map(str::to_owned).collect();
    let mut of_slots = Vec::new();
    for (ColumnChoice { field, column }, said) in chosen_columns(&own)?.into_iter().zip(said) {
        let golds = GOLD_LISTS_AT..PREDICTION_AT;
        let slot = door.slot(&field)?;
        let slot = if golds.contains(&slot) { GOLD_AT } else { slot };
        if door.is_given(slot) {
            return Err(format!("--column {field}=…: said twice"));
        }
        if slot == GOLD_AT {
            // What the user names as the gold is all of it.
            golds.for_each(|gold| door.clear(gold));
        }
        door.set(slot, &column);
        of_slots.push((slot, said.clone()));
    }
    Ok(RowDoor {
        door,
        said: of_slots,
        seen: AtomicU64::new(0),
    })
}

/// An error if the user named a column that no row has, once all are read: what is said of both
/// sides may be found on one.
pub(super) fn check_columns(judges: &RowDoor, people: &RowDoor) -> Result<(), WorkError> {
    let not_of_people = people.missing();
    let nowhere = |said: &&&str| {
        said.starts_with(OF_JUDGES) || !people.has_rows() || not_of_people.contains(said)
    };
    let not_of_judges = match judges.has_rows() {
        true => judges.missing(),
        // Rows that cannot be read say nothing of their columns.
        false => Vec::new(),
    };
    let of_people = |said: &&&str| said.starts_with(OF_PEOPLE);
    let missing = not_of_judges.iter().find(nowhere);
    match missing.or_else(|| not_of_people.iter().find(of_people)) {
        Some(said) => Err(WorkError::BadInput(format!(
            "--column {said}: no row has it"
        ))),
        None => Ok(()),
    }
}

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

/// A row that can be used.
#[derive(Clone, Debug, PartialEq)]
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
    /// Which repeat of the question it is, from 1.
    pub epoch: i32,
    /// What else it says of the answer, if anything.
    pub about: Option<About>,
    /// The tokens that went to the judge and came back, where the row says both.
    pub tokens: Option<[u64; 2]>,
}

/// What a row says of an answer beside what is judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct About {
    /// Whose it is.
    pub subject: Option<Box<str>>,
    /// What the question stands or falls with.
    pub cluster: Option<Box<str>>,
    /// Milliseconds, tokens in and out, price.
    pub usage: [Option<f64>; 4],
}

/// Reads a row.
pub(super) fn read<'a>(bytes: &'a [u8], door: &RowDoor) -> Result<Row<'a>, Fault> {
    Fields::read(bytes, door, false)?.row()
}

/// Reads a row of a table. A blank cell says nothing, and a list can stand in one only as
/// text.
pub(super) fn read_cells<'a>(bytes: &'a [u8], door: &RowDoor) -> Result<Row<'a>, Fault> {
    Fields::read(bytes, door, true)?.row()
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
pub(super) fn reasoning(bytes: &[u8], door: &RowDoor) -> Option<String> {
    let fields = Fields::read(bytes, door, false).ok()?;
    fields.text(REASONING_AT).map(Cow::into_owned)
}

fn correct(value: Option<Value>) -> Result<bool, Fault> {
    let Some(value) = value else {
        return Err(Fault::new("missing_verdict", "no `correct`"));
    };
    let text = value.compact();
    verdict(&text).ok_or_else(|| {
        let shown = quoted(&text, 40);
        let detail = format!("`correct` is {shown}, expected yes or no");
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

/// The fields of a row that are not null.
struct Fields<'a> {
    row: rows::Row<'a, FIELDS_COUNT>,
    cells: bool,
}

impl<'a> Fields<'a> {
    fn read(bytes: &'a [u8], door: &RowDoor, cells: bool) -> Result<Self, Fault> {
        if std::str::from_utf8(bytes).is_err() {
            return Err(Fault::new("invalid_utf8", "not UTF-8"));
        }
        let row = door.read(bytes)?;
        Ok(Fields { row, cells })
    }

    fn value(&self, field: usize) -> Option<Value<'a>> {
        let value = self.row.get(field)?;
        let blank = self.cells && matches!(value, Value::Text(_)) && value.text().trim().is_empty();
        (!blank).then_some(value)
    }

    fn text(&self, field: usize) -> Option<Cow<'a, str>> {
        self.value(field).map(Value::compact)
    }

    /// A gold, where a list has one line per element; an empty one is none.
    fn gold(&self, field: usize) -> Option<Cow<'a, str>> {
        let value = self.value(field)?;
        match value {
            Value::Text(_) if !self.cells => Some(value.text()),
            _ => gold::joined(value.compact()),
        }
    }

    /// The same of a field that can hold several golds only.
    fn gold_list(&self, field: usize) -> Option<Cow<'a, str>> {
        let outputs = GOLD_LISTS[field - GOLD_LISTS_AT] == OUTPUTS;
        let is_list = match self.value(field)? {
            Value::Text(_) => !outputs,
            Value::Other(_, bytes) if outputs => gold::are_outputs(bytes),
            Value::Other(_, bytes) => bytes.starts_with(b"["),
        };
        self.gold(field).filter(|_| is_list)
    }

    /// What the row says.
    fn row(&self) -> Result<Row<'a>, Fault> {
        let input = self.text(INPUT_AT);
        let input = input.ok_or_else(|| {
            let detail = "no `input`; --column input=NAME says where it stands";
            Fault::new("missing_input", detail)
        })?;
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
            epoch: self.row.epoch(EPOCH_AT)?,
            about: self.about(),
            tokens: {
                let [sent, received] = JUDGE_TOKENS_AT.map(|field| self.row.tokens(field));
                sent.zip(received).map(|(sent, received)| [sent, received])
            },
        })
    }

    fn about(&self) -> Option<About> {
        let name = |field| self.row.name(field).map(|name| name.into());
        let about = About {
            subject: name(SUBJECT_AT),
            cluster: name(CLUSTER_AT),
            usage: USAGE_AT.map(|field| self.row.amount(field)),
        };
        (about != About::default()).then_some(about)
    }

    /// `output` is the gold where nothing else is, and else the prediction.
    fn gold_and_prediction(&self) -> (Option<Cow<'a, str>>, Option<Cow<'a, str>>) {
        let mut lists = GOLD_LISTS_AT..GOLD_AT;
        let gold = lists.find_map(|field| self.gold_list(field));
        let gold = gold.or_else(|| (GOLD_AT..GOLD_COLUMNS_AT).find_map(|field| self.gold(field)));
        let gold = gold.or_else(|| {
            let columns = GOLD_COLUMNS_AT..PREDICTION_AT;
            let columns: Vec<Cow<str>> = columns.filter_map(|field| self.text(field)).collect();
            (!columns.is_empty()).then(|| Cow::Owned(columns.join("\n")))
        });
        let prediction = self.text(PREDICTION_AT);
        match self.text(OUTPUT_AT) {
            Some(_) if gold.is_none() => (self.gold(OUTPUT_AT), prediction),
            Some(output) => (gold, prediction.or(Some(output))),
            None => (gold, prediction),
        }
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
