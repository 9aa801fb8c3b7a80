//! The fields of a row of predictions, and where a user says they stand.

use std::sync::Arc;

use judica_data::row_keys::{self, GOLD_LISTS, OUTPUT};
use judica_data::rows::{Door, Field, chosen_columns, field};
use judica_data::work_error::WorkError;
use judica_model::comma_list;
use judica_run::layout::head;

use super::found::Watched;

pub(crate) const ID: usize = 0;
/// The first of the places that a name may have further parts in.
const ID_PARTS: usize = 1;
/// The most parts of a name.
const MOST_PARTS: usize = 4;
pub(crate) const INPUT: usize = 4;
pub(crate) const EXPECTED_OPTIONS: usize = 5;
pub(crate) const OUTPUTS: usize = 7;
pub(crate) const GOLD: usize = 8;
pub(crate) const LEFT_OVER: usize = 9;
pub(crate) const PREDICTION: usize = 10;
pub(crate) const LATENCY: usize = 11;
pub(crate) const TOKENS_IN: usize = 12;
pub(crate) const TOKENS_OUT: usize = 13;
pub(crate) const USD: usize = 14;
pub(crate) const EXACT_MATCH: usize = 15;
pub(crate) const SUBJECT: usize = 16;
pub(crate) const DATASET: usize = 17;
pub(crate) const EPOCH: usize = 18;
pub(crate) const CLUSTER: usize = 19;
pub(crate) const TOKEN_USAGE: usize = 20;
pub(crate) const CONFIDENCE: usize = 21;
pub(crate) const BY: usize = 22;
/// Of records of a run: whether there was an answer at all.
pub(crate) const VERDICT: usize = 23;
pub(crate) const COUNT: usize = 24;

const fn needed(
    name: &'static str,
    aliases: &'static [&'static str],
    missing: &'static str,
) -> Field {
    Field {
        name,
        aliases,
        missing,
    }
}

pub(super) static FIELDS: [Field; COUNT] = [
    needed("id", &[row_keys::ID], "missing_id"),
    field("id", &[]),
    field("id", &[]),
    field("id", &[]),
    needed("input", &row_keys::INPUT, "missing_input"),
    needed("gold", &[GOLD_LISTS[0]], "missing_gold"),
    field("gold", &[GOLD_LISTS[1]]),
    field("gold", &[GOLD_LISTS[2]]),
    needed("gold", &row_keys::GOLD, "missing_gold"),
    field("output", &[OUTPUT]),
    needed("prediction", &row_keys::PREDICTION, "missing_prediction"),
    field("latency_ms", &[row_keys::LATENCY]),
    field("tokens_in", &row_keys::TOKENS_IN),
    field("tokens_out", &row_keys::TOKENS_OUT),
    field("usd", &[row_keys::USD]),
    field("exact_match", &["exact_match"]),
    field("subject", &row_keys::SUBJECT),
    field("dataset", &[row_keys::DATASET]),
    field("epoch", &[row_keys::EPOCH]),
    field("cluster", &[row_keys::CLUSTER]),
    field("token_usage", &["token_usage"]),
    field("confidence", &[]),
    field("by", &[]),
    field("verdict", &[]),
];

/// The fields that a user may name, as the help of `--column` has them.
const NAMED: &str = "item, input, gold, prediction, subject, dataset, epoch, cluster, latency_ms, \
                     tokens_in, tokens_out, usd";

/// Where fields stand in the records of a run that are called otherwise in rows.
const RUN_COLUMNS: [(&str, &str); 6] = [
    ("item", head::ITEM),
    ("subject", head::SUBJECT),
    ("input", head::TEXTS[0]),
    ("gold", head::TEXTS[1]),
    ("prediction", head::TEXTS[2]),
    ("verdict", head::VERDICT),
];

/// The fields of a row of predictions.
pub type PredictionDoor = Door<COUNT>;

/// Where fields stand, as the user says: `gold=label`, `item=question,turn`. Several
/// columns of predictions are several subjects, called like their columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// What was said.
    pub said: Vec<String>,
    /// Columns that each hold the answers of one subject.
    pub subjects: Vec<String>,
    /// By what rows are told apart: a column, or `subject` or `dataset` whatever says those.
    pub by: Option<String>,
    /// Whether rows are the records of a run.
    pub(crate) of_run: bool,
    pub(crate) door: PredictionDoor,
    /// Of how many parts an item's name consists.
    pub(crate) parts: usize,
    /// Columns that the user names and some row must have.
    pub(crate) watched: Watched,
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            said: Vec::new(),
            subjects: Vec::new(),
            by: None,
            of_run: false,
            door: Door::new(&FIELDS),
            parts: 1,
            watched: Watched::default(),
        }
    }
}

/// What was said of a column with the answers of one of several subjects.
fn of_subject(column: &str) -> String {
    format!("--prediction {column}")
}

impl Columns {
    /// Takes apart what was said.
    pub fn new(said: &[String]) -> Result<Columns, WorkError> {
        let mut columns = Columns {
            said: said.to_vec(),
            ..Columns::default()
        };
        // What tells rows apart may be any other field, too.
        let is_by = |said: &&String| said.trim_start().starts_with("by=");
        let (by, said): (Vec<_>, Vec<_>) = said.iter().partition(is_by);
        let chosen = |said: Vec<&String>| {
            let said: Vec<String> = said.into_iter().cloned().collect();
            chosen_columns(&said).map_err(WorkError::BadInput)
        };
        let chosen = chosen(said)?.into_iter().chain(chosen(by)?);
        let mut set: Vec<usize> = Vec::new();
        for choice in chosen {
            let slot = match choice.field.as_str() {
                "item" | "id" => ID,
                "gold" => GOLD,
                other => columns.door.slot(other).map_err(|_| {
                    WorkError::BadInput(format!(
                        "--column {other}=…: there is no field `{other}`; there are {NAMED}"
                    ))
                })?,
            };
            if slot == PREDICTION {
                let said = of_subject(&choice.column);
                columns.watched.add(PREDICTION, said);
                columns.subjects.push(choice.column);
                continue;
            }
            if set.contains(&slot) {
                let message = format!("--column {}=…: said twice", choice.field);
                return Err(WorkError::BadInput(message));
            }
            set.push(slot);
            // Without the name or the gold no row can be used, and strata look for themselves.
            if ![ID, GOLD, BY].contains(&slot) {
                let said = format!("--column {}={}", choice.field, choice.column);
                columns.watched.add(slot, said);
            }
            match slot {
                ID => columns.name_items(&choice.column)?,
                GOLD => columns.set_gold(&choice.column),
                BY => {
                    columns.door.set_beside(BY, &choice.column);
                    columns.by = Some(choice.column);
                }
                _ => columns.door.set(slot, &choice.column),
            }
        }
        if let [only] = columns.subjects.as_slice() {
            columns.door.set(PREDICTION, only);
            columns.subjects.clear();
            columns.watched = columns.watched.only(PREDICTION, "");
        }
        Ok(columns)
    }

    /// The same for the records of a run, whose columns have names of their own.
    pub(crate) fn of_run(&self) -> Result<Columns, WorkError> {
        let said = |field: &str| {
            let fields = self.said.iter().filter_map(|said| said.split_once('='));
            let same = |name: &str| name == field || (field, name) == ("item", "id");
            fields.map(|(name, _)| name.trim()).any(same)
        };
        let own = RUN_COLUMNS.iter().filter(|(field, _)| !said(field));
        let mut all: Vec<String> = own.map(|(field, name)| format!("{field}={name}")).collect();
        all.extend(self.said.iter().cloned());
        Ok(Columns {
            said: self.said.clone(),
            of_run: true,
            watched: self.watched.clone(),
            ..Columns::new(&all)?
        })
    }

    /// The same for judged rows: they keep what a row says of its subject where it stood.
    pub(crate) fn of_judged(&self) -> Columns {
        let mut judged = Columns::default();
        if self.door.is_given(SUBJECT) {
            let names = self.door.names_of(SUBJECT);
            names.iter().for_each(|name| judged.door.set(SUBJECT, name));
        }
        judged
    }

    /// Whether the user says where golds or predictions stand, so that rows are what is given.
    pub fn name_answers(&self) -> bool {
        self.door.is_given(GOLD) || self.door.is_given(PREDICTION) || !self.subjects.is_empty()
    }

    /// The same for the answers of one of several subjects.
    pub(crate) fn of_subject(self: &Arc<Self>, column: &str) -> Arc<Self> {
        let mut one = Columns::clone(self);
        one.door.set(PREDICTION, column);
        one.watched = self.watched.only(PREDICTION, &of_subject(column));
        Arc::new(one)
    }

    /// What the user names as the gold is all of it.
    fn set_gold(&mut self, column: &str) {
        (EXPECTED_OPTIONS..=OUTPUTS).for_each(|list| self.door.clear(list));
        self.door.set(GOLD, column);
    }

    fn name_items(&mut self, columns: &str) -> Result<(), WorkError> {
        let parts = comma_list::split(columns)
            .map_err(|why| WorkError::BadInput(format!("--item {why}")))?;
        if parts.len() > MOST_PARTS || parts.iter().any(String::is_empty) {
            return Err(WorkError::BadInput(format!(
                "--item {columns}: expected one column, or up to {MOST_PARTS} with commas between"
            )));
        }
        self.parts = parts.len();
        self.door.set_beside(ID, &parts[0]);
        for (slot, part) in (ID_PARTS..).zip(&parts[1..]) {
            self.door.set_beside(slot, part);
        }
        Ok(())
    }

    /// Whether the user says where rows say how sure they are.
    pub fn have_confidence(&self) -> bool {
        self.door.is_given(CONFIDENCE)
    }

    /// Whether the user says how items are called: then every row must say so.
    pub(crate) fn names_items(&self) -> bool {
        self.door.is_given(ID)
    }
}
