//! A judged document as verdicts, and which predictions it is about.

use std::collections::BTreeMap;

use judica_data::foreign::Reads;
use judica_data::names::data_stem;
use judica_data::row_keys::{CORRECT, METHOD, STATUS, verdict};
use judica_data::rows::{kept_members, text_of};
use judica_data::work_error::WorkError;
use judica_run::options::RunOptions;
use serde_json::{Map, Value};

use super::facts::Verdicts;
use crate::predictions::called::Called;
use crate::predictions::document::text;
use crate::predictions::pieces::PieceReader;
use crate::predictions::row::Row;
use crate::predictions::seen::{Print, Seen, SeenRows};
use crate::predictions::{PredictionFile, Predictions};

const CHUNK_BYTES: usize = 1 << 20;
/// What stands between the run and the judge in the name of a document.
const BY_JUDGE: &str = "__judge-";

/// What a judge said of each model.
pub(super) type ByModel = BTreeMap<String, Verdicts>;

/// A judged document.
#[derive(Debug)]
pub(super) struct Document {
    /// What the judge said; `None` if no model was asked (`no_llm`): then rows that nobody
    /// looked at are called wrong, which is no judgment.
    pub verdicts: Option<ByModel>,
    /// Rows that an earlier one of the same model has the id of; they do not count.
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
        let (options, mut seen) = (RunOptions::default(), SeenRows::default());
        let (mut rows, mut repeated) = (0_u64, 0);
        while let Some(piece) = reader.next_piece()? {
            if let Some(document) = piece.document().filter(|_| rows == 0) {
                metadata = document.metadata();
            }
            for record in piece.records() {
                rows += 1;
                let row = text_of(&record).and_then(|()| Row::read(&file.columns, record.bytes));
                let named = row.and_then(|row| {
                    let at = record.position;
                    let called = Called::of(&row, at, file, piece.document(), &options)?;
                    Ok((Print::of(&row, &called, false).0, called.subject))
                });
                match named {
                    Err(_) => counting.count(&file.dataset, &Map::new()),
                    Ok((print, _)) if seen.add(print) == Seen::SameKey => repeated += 1,
                    Ok((_, model)) => counting.count(&model, &kept_members(record.bytes)),
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
    found: ByModel,
    unasked: bool,
}

impl Counting {
    /// Counts a row of a model.
    pub fn count(&mut self, model: &str, row: &Map<String, Value>) {
        let said = |key: &str| row.get(key).and_then(Value::as_str).map(str::trim);
        let method = said(METHOD).unwrap_or_default();
        self.unasked |= method == "no_llm";
        let status = STATUS.iter().find_map(|key| said(key));
        let mut given = CORRECT.iter().filter_map(|key| row.get(*key));
        let correct = given.find(|value| !value.is_null());
        let found = self.found.entry(model.to_owned()).or_default();
        match correct
            .and_then(said_correct)
            .filter(|_| status != Some("error"))
        {
            None => found.missing += 1,
            Some(correct) => {
                found.decided.count(correct);
                if method == "unmatched" {
                    found.unmatched.count(correct);
                }
            }
        }
    }

    /// What they became; `None` if no model was asked.
    pub fn verdicts(self) -> Option<ByModel> {
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
