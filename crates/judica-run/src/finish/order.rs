//! Each record of the pieces stands once, and behind the one before.

use arrow_array::RecordBatch;
use judica_data::fingerprint::fingerprint;
use judica_data::work_error::WorkError;
use rustc_hash::FxHashSet;

use crate::manifest::name;
use crate::pieces::Pieces;
use crate::rows::Rows;

/// Where a record stands: the number of its input, the line, and the byte.
pub(super) type Place = (usize, i64, i64);

/// Where the records of a batch stand.
pub(super) fn places(
    batch: &RecordBatch,
    pieces: &Pieces,
    at: usize,
) -> Result<Vec<Place>, WorkError> {
    let rows = Rows::new(batch);
    let mut last: Option<(String, usize)> = None;
    let places = (0..batch.num_rows()).map(|row| {
        let place = rows.place(row)?;
        let input = match &last {
            Some((name, input)) if name == place.file => *input,
            _ => {
                let mut inputs = pieces.common().inputs.iter();
                inputs.position(|input| input.path == place.file)?
            }
        };
        last = Some((place.file.to_owned(), input));
        Some((input, place.line as i64, place.offset.unwrap_or(0) as i64))
    });
    places.collect::<Option<_>>().ok_or_else(|| {
        let path = pieces.file(&pieces.list()[at], name::RECORDS);
        WorkError::BadArtifact(format!(
            "{}: holds a record of an input that the run does not have",
            path.unwrap_or_default().display()
        ))
    })
}

/// The records so far.
pub(super) struct Order<'p> {
    pieces: &'p Pieces,
    /// Fingerprints of the keys so far.
    keys: FxHashSet<u128>,
    /// Where the last record stands, and in which piece.
    last: Option<(Place, usize)>,
}

impl<'p> Order<'p> {
    pub fn new(pieces: &'p Pieces) -> Self {
        let records = pieces.counts().records as usize;
        let mut keys = FxHashSet::default();
        // A piece that says too much of itself is not believed.
        keys.reserve(records.min(1 << 24));
        Order {
            pieces,
            keys,
            last: None,
        }
    }

    pub fn odd(&self, what: String) -> WorkError {
        WorkError::BadArtifact(format!("{}: {what}", self.pieces.folder.display()))
    }

    /// Each record stands behind the one before.
    pub fn follows(&mut self, place: Place, at: usize) -> Result<(), WorkError> {
        if let Some((before, other)) = self.last.replace((place, at))
            && place <= before
        {
            let [one, two] = [other, at].map(|at| self.pieces.list()[at].part);
            return Err(WorkError::BadArtifact(match other == at {
                true => format!(
                    "{}: the records of part {two} are not in the order of the input",
                    self.pieces.folder.display()
                ),
                false => format!(
                    "{}: part {one} and part {two} both hold line {} of {}",
                    self.pieces.folder.display(),
                    place.1,
                    self.pieces.common().inputs[place.0].path
                ),
            }));
        }
        Ok(())
    }

    /// No two records have one key.
    pub fn keys(&mut self, batch: &RecordBatch) -> Result<(), WorkError> {
        for (row, key) in prints(batch).into_iter().enumerate() {
            if !self.keys.insert(key) {
                let [_, item, subject] = Rows::new(batch).names(row);
                return Err(self.odd(format!(
                    "two pieces hold a record of item {item} of {subject}; all outputs of one \
                     subject and data set belong into one piece"
                )));
            }
        }
        Ok(())
    }
}

/// Fingerprints of the keys of records.
fn prints(batch: &RecordBatch) -> Vec<u128> {
    let (names, mut key) = (Rows::new(batch), Vec::new());
    let prints = (0..names.len()).map(|row| {
        key.clear();
        for name in names.names(row) {
            key.extend_from_slice(name.as_bytes());
            // No text holds this byte.
            key.push(0xff);
        }
        key.extend_from_slice(&names.epoch(row).to_le_bytes());
        let low = u128::from(fingerprint(&key));
        key.push(0xff);
        u128::from(fingerprint(&key)) << 64 | low
    });
    prints.collect()
}
