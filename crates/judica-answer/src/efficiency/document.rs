//! A judged document as verdicts, and which predictions it is about.

use std::collections::BTreeSet;

use judica_data::foreign::Reads;
use judica_data::names::data_stem;
use judica_data::row_keys::{CORRECT, METHOD, STATUS, verdict};
use judica_data::rows::{kept_members, text_of};
use judica_data::work_error::WorkError;
use serde_json::{Map, Value};

use super::facts::Verdicts;
use crate::predictions::document::text;
use crate::predictions::pieces::PieceReader;
use crate::predictions::row::Row;
use crate::predictions::{PredictionFile, Predictions};

const CHUNK_BYTES: usize = 1 << 20;
/// What stands between the run and the judge in the name of a document.
const BY_JUDGE: &str = "__judge-";

/// A judged document.
#[derive(Debug)]
pub(super) struct Document {
    /// What the judge said; `None` if no model was asked (`no_llm`): then rows that nobody
    /// looked at are called wrong, which is no judgment.
    pub verdicts: Option<Verdicts>,
    /// Rows that an earlier one has the id of; they do not count.
    pub repeated: u64,
    /// What it says about itself.
    metadata: Map<String, Value>,
}

impl Document {
    /// Reads a document. Verdicts are all that counts: a row may lack anything else.
    pub fn read(file: &PredictionFile) -> Result<Document, WorkError> {
        let mut reader = PieceReader::new(std::slice::from_ref(file), CHUNK_BYTES)?;
        let mut metadata = Map::new();
        let mut counting = Counting::default();
        let mut ids = BTreeSet::new();
        let (mut rows, mut repeated) = (0_u64, 0);
        while let Some(piece) = reader.next_piece()? {
            if let Some(document) = piece.document().filter(|_| rows == 0) {
                metadata = document.metadata();
            }
            for record in piece.records() {
                rows += 1;
                let Ok(row) =
                    text_of(&record).and_then(|()| Row::read(&file.columns, record.bytes))
                else {
                    counting.count(&Map::new());
                    continue;
                };
                let id = row.id().map(|id| id.into_owned());
                if id.is_some_and(|id| !ids.insert(id)) {
                    repeated += 1;
                } else {
                    counting.count(&kept_members(record.bytes));
                }
            }
            reader.recycle(piece);
        }
        if rows == 0 {
            let message = format!("{}: no rows in it; expected judged rows", file.name);
            return Err(WorkError::BadInput(message).explained(&file.path, Reads::Judged));
        }
        Ok(Document {
            verdicts: counting.verdicts(),
            repeated,
            metadata,
        })
    }

    /// Whether it was made of these bytes; `None` if it does not say.
    pub fn is_from(&self, predictions: &Predictions) -> Option<bool> {
        let source = text(&self.metadata, &["source_sha256"])?;
        Some(source == predictions.sha256)
    }

    /// How surely it is about these predictions, the surest first; `None` if it is not.
    /// `file` is the document's own.
    pub fn about(&self, file: &PredictionFile, predictions: &Predictions) -> Option<u8> {
        let dataset = &predictions.file.dataset;
        let name = predictions.file.base_name();
        let stem = data_stem(&name).unwrap_or(&name);
        let source = text(&self.metadata, &["source_file"]).map(own_stem);
        let cut = file.dataset.split_once(BY_JUDGE).map(|(run, _)| run);
        let run =
            |about: &Map<String, Value>| text(about, &["run_id", "run_name"]).map(str::to_owned);
        let runs = run(&self.metadata).zip(run(&predictions.metadata));
        let ways = [
            file.dataset == *dataset,
            self.is_from(predictions) == Some(true),
            source.is_some_and(|source| source == stem),
            cut.is_some_and(|cut| cut == stem || cut == dataset),
            source.is_none() && runs.is_some_and(|(ours, theirs)| ours == theirs),
        ];
        (0..).zip(ways).find_map(|(way, is)| is.then_some(way))
    }
}

/// What a judged document says it was made of.
#[derive(Debug)]
pub(super) enum Source {
    /// The SHA-256 of its predictions.
    Bytes(String),
    /// The name of their file, if that is all it says.
    Name(String),
}

impl Source {
    /// What the metadata of a document say.
    pub fn of(metadata: &Map<String, Value>) -> Option<Source> {
        let said = |key| text(metadata, &[key]);
        let bytes = said("source_sha256").map(|bytes| Source::Bytes(bytes.to_owned()));
        let name = || said("source_file").map(|path| Source::Name(own_stem(path).to_owned()));
        bytes.or_else(name)
    }
}

/// The name of a data set in a path as any system writes it.
pub(super) fn own_stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    data_stem(name).unwrap_or(name)
}

/// Rows on their way to becoming verdicts.
#[derive(Debug, Default)]
pub(super) struct Counting {
    found: Verdicts,
    unasked: bool,
}

impl Counting {
    /// Counts a row.
    pub fn count(&mut self, row: &Map<String, Value>) {
        let said = |key: &str| row.get(key).and_then(Value::as_str).map(str::trim);
        let method = said(METHOD).unwrap_or_default();
        self.unasked |= method == "no_llm";
        let status = STATUS.iter().find_map(|key| said(key));
        let mut given = CORRECT.iter().filter_map(|key| row.get(*key));
        let correct = given.find(|value| !value.is_null());
        match correct
            .and_then(said_correct)
            .filter(|_| status != Some("error"))
        {
            None => self.found.missing += 1,
            Some(correct) => {
                self.found.decided.count(correct);
                if method == "unmatched" {
                    self.found.unmatched.count(correct);
                }
            }
        }
    }

    /// What they became; `None` if no model was asked.
    pub fn verdicts(self) -> Option<Verdicts> {
        (!self.unasked).then_some(self.found)
    }
}

/// What a value says of an answer: text, boolean or number.
fn said_correct(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(correct) => Some(*correct),
        Value::Number(number) => verdict(&number.to_string()),
        Value::String(text) => verdict(text),
        _ => None,
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
