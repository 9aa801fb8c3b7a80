//! One file of predictions, whole in memory, for what needs every row at hand.

use judica_data::chunks::{Found, RawRecord};
use judica_data::rejects::{Refusal, Reject};
use judica_data::rows::{Spelt, kept_members, spelt_members, text_of};
use judica_data::work_error::WorkError;
use judica_model::text::quoted;
use judica_run::options::RunOptions;
use serde_json::{Map, Value as Json};

use super::called::Called;
use super::columns::{Columns, INPUT};
use super::files::PredictionFile;
use super::pieces::PieceReader;
use super::row::{Arrays, Row};
use super::seen::{Print, Seen, SeenRows, record_print};
use crate::normalize::Golds;
use judica_text::gold::Gold;

const CHUNK_BYTES: usize = 1 << 20;

/// The predictions of one file.
#[derive(Debug, Clone)]
pub struct Predictions {
    /// Where they come from.
    pub file: PredictionFile,
    /// SHA-256 of the file as it lies on disk, in hex.
    pub sha256: String,
    /// How many bytes that is.
    pub bytes: u64,
    /// How it was read, where it is a table.
    pub read_as: Option<String>,
    /// Everything a document says besides its rows, in its order.
    pub metadata: Map<String, Json>,
    /// Numbers in it as they are written.
    pub spelt: Spelt,
    /// The rows that can be used, in their order.
    pub rows: Vec<PredictionRow>,
    /// The rows that cannot, whole: `inputs = rows + rejects`.
    pub rejects: Vec<Reject>,
    /// How many rows without an id say the same as an earlier one. They are rows like any
    /// other: data sets do hold a question twice.
    pub duplicates: u64,
    /// What all golds look like, also those of rows that cannot be used otherwise.
    pub golds: Golds,
}

/// A row that can be used.
#[derive(Debug, Clone)]
pub struct PredictionRow {
    /// What it is called.
    pub called: Called<'static>,
    /// Whether it says itself who answered.
    pub names_subject: bool,
    /// What it stands or falls with.
    pub cluster: Option<String>,
    /// The line it begins on, from 1.
    pub line: u64,
    /// Where it can be found again.
    pub stands: Found,
    /// What was asked.
    pub input: String,
    /// What was expected.
    pub gold: Gold,
    /// What was answered.
    pub prediction: String,
    /// Milliseconds the model took.
    pub latency_ms: Option<f64>,
    /// Tokens of the question.
    pub tokens_input: Option<u64>,
    /// Tokens of the answer.
    pub tokens_output: Option<u64>,
    /// What the answer cost.
    pub usd: Option<f64>,
    /// What the row itself says of an exact match.
    pub exact_match: Option<bool>,
    /// Under which names input, gold and prediction stand.
    pub keys: [String; 3],
    /// The whole row, keys in their order.
    pub fields: Map<String, Json>,
    /// Numbers in it as they are written.
    pub spelt: Spelt,
}

impl PredictionRow {
    /// A fingerprint of what it stands or falls with.
    pub fn print(&self) -> u64 {
        let Called { dataset, .. } = &self.called;
        record_print(self.cluster.as_deref(), dataset, &self.called.item())
    }
}

impl Predictions {
    /// How many rows the file has, usable or not.
    pub fn inputs(&self) -> u64 {
        (self.rows.len() + self.rejects.len()) as u64
    }

    /// Its rows, rejects and metadata, of which nothing is left behind.
    #[must_use]
    pub fn take(&mut self) -> Predictions {
        Predictions {
            file: self.file.clone(),
            sha256: self.sha256.clone(),
            bytes: self.bytes,
            read_as: self.read_as.clone(),
            metadata: std::mem::take(&mut self.metadata),
            spelt: std::mem::take(&mut self.spelt),
            rows: std::mem::take(&mut self.rows),
            rejects: std::mem::take(&mut self.rejects),
            duplicates: self.duplicates,
            golds: self.golds,
        }
    }
}

/// Reads a file. Rows that cannot be used are kept as rejects; a file without any row is
/// an error.
pub fn load(file: &PredictionFile, arrays: Arrays) -> Result<Predictions, WorkError> {
    load_among(
        file,
        arrays,
        &RunOptions::default(),
        &mut SeenRows::default(),
    )
}

/// The same for a file among others whose rows were seen: with `options`, they all go into
/// one run.
pub fn load_among(
    file: &PredictionFile,
    arrays: Arrays,
    options: &RunOptions,
    seen: &mut SeenRows,
) -> Result<Predictions, WorkError> {
    let mut reader = PieceReader::new(std::slice::from_ref(file), CHUNK_BYTES)?;
    seen.next_file(true);
    let mut found = Predictions {
        file: file.clone(),
        sha256: String::new(),
        bytes: 0,
        read_as: None,
        metadata: Map::new(),
        spelt: Spelt::new(),
        rows: Vec::new(),
        rejects: Vec::new(),
        duplicates: 0,
        golds: Golds::default(),
    };
    let mut first = true;
    while let Some(piece) = reader.next_piece()? {
        if std::mem::take(&mut first)
            && let Some(document) = piece.document()
        {
            found.metadata = document.metadata();
            found.spelt = document.spelt();
        }
        for record in piece.records() {
            let called = |row: &Row<'_>| {
                let at = record.position;
                Ok(Called::of(row, at, file, piece.document(), options)?.into_owned())
            };
            match read(
                &file.columns,
                &record,
                arrays,
                &mut found.golds,
                seen,
                called,
            ) {
                Ok((row, repeated)) => {
                    found.duplicates += u64::from(repeated);
                    found.rows.push(row);
                }
                Err(refusal) => found.rejects.push(reject(&file.name, &record, refusal)),
            }
        }
        reader.recycle(piece);
    }
    if let Some(digest) = reader.digests().first() {
        let digest = file.digest(digest);
        found.sha256 = digest.sha256;
        found.bytes = digest.bytes;
        found.read_as = digest.read_as;
    }
    Ok(found)
}

/// The refusal of a row whose key an earlier row has.
pub(crate) fn same_key(called: &Called) -> Refusal {
    let Some(id) = &called.id else {
        let detail = format!(
            "a row without an id is called by its place, and an earlier file of the same data \
             set and subject has {}, too; give rows ids, or files names of their own",
            called.item()
        );
        return Refusal::new("duplicate_key", detail);
    };
    let id = quoted(id, 80);
    Refusal::new(
        "duplicate_id",
        format!("an earlier row has the id {id}, too"),
    )
}

/// A row, and whether it says the same as an earlier one.
fn read(
    columns: &Columns,
    record: &RawRecord,
    arrays: Arrays,
    golds: &mut Golds,
    seen: &mut SeenRows,
    called: impl FnOnce(&Row<'_>) -> Result<Called<'static>, Refusal>,
) -> Result<(PredictionRow, bool), Refusal> {
    text_of(record)?;
    let row = Row::read(columns, record.bytes)?;
    let gold = row.gold(arrays);
    if let Ok(gold) = &gold {
        golds.see(gold);
    }
    let no_input = || columns.door.missing(&[INPUT]);
    let input = row.input_value().ok_or_else(no_input)?;
    let gold = gold?;
    let prediction = row.prediction(arrays, &gold)?.into_owned();
    golds.see_answer(&gold, &prediction);
    row.check_id()?;
    let called = called(&row)?;
    // Last, so that a row that cannot be used does not stand in the way of one that can.
    let seen = seen.add(Print::of(&row, &called, true).0);
    if seen == Seen::SameKey {
        return Err(same_key(&called));
    }
    let found = PredictionRow {
        called,
        names_subject: row.subject().is_some(),
        cluster: row.cluster().map(|cluster| cluster.into_owned()),
        line: record.line,
        stands: record.found(),
        input: input.text().into_owned(),
        prediction,
        latency_ms: row.latency_ms(),
        tokens_input: row.tokens_input(),
        tokens_output: row.tokens_output(),
        usd: row.usd(),
        exact_match: row.exact_match(),
        keys: row.keys()?,
        fields: kept_members(record.bytes),
        spelt: spelt_members(record.bytes),
        gold,
    };
    Ok((found, seen == Seen::Repeated))
}

fn reject(file: &str, record: &RawRecord, refusal: Refusal) -> Reject {
    Reject {
        file: file.to_owned(),
        line: record.line,
        byte_offset: record.offset,
        reason: refusal.reason.into(),
        detail: refusal.detail,
        raw: record.raw(),
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
