//! Where runs of rows come together, in the order of the input.

use super::batch::Batch;
use super::outputs::Outputs;
use super::tally::Tally;
use crate::error::AnswerError;
use crate::predictions::load::same_id;
use crate::predictions::pieces::Piece;
use crate::predictions::row::Row;
use crate::predictions::seen::{Seen, SeenRows};

/// Everything so far.
pub(super) struct Sum<'o> {
    /// By file.
    tallies: Vec<Tally>,
    outputs: Outputs<'o>,
    /// The rows seen in the file that is being read: each file has ids of its own.
    seen: SeenRows,
    file: usize,
}

impl<'o> Sum<'o> {
    /// Nothing yet.
    pub fn new(files: usize, outputs: Outputs<'o>) -> Self {
        Sum {
            tallies: vec![Tally::default(); files],
            outputs,
            seen: SeenRows::default(),
            file: 0,
        }
    }

    /// What there was in each file, and what was written.
    pub fn finish(self) -> (Vec<Tally>, Outputs<'o>) {
        (self.tallies, self.outputs)
    }

    /// Adds a run of rows.
    pub fn take(&mut self, batch: &Batch, piece: &Piece) -> Result<(), AnswerError> {
        if piece.file != self.file {
            self.file = piece.file;
            self.seen = SeenRows::default();
        }
        let seen: Vec<Seen> = batch
            .prints
            .iter()
            .map(|print| self.seen.add(*print))
            .collect();
        let tally = &mut self.tallies[piece.file];
        let repeated = seen.iter().filter(|seen| **seen == Seen::Repeated).count();
        tally.duplicates += repeated as u64;
        if batch.refusals.is_empty() && !seen.contains(&Seen::SameId) {
            tally.merge(&batch.tally);
            return Ok(self.outputs.tell(&batch.details)?);
        }
        let mut seen = seen.into_iter();
        let mut details_start = 0;
        for (mark, record) in batch.marks.iter().zip(piece.records()) {
            let details = &batch.details[details_start..mark.details_end];
            details_start = mark.details_end;
            let refusal = match mark.outcome {
                Err(at) => batch.refusals[at].clone(),
                Ok(counted) if seen.next() != Some(Seen::SameId) => {
                    tally.add(counted);
                    self.outputs.tell(details)?;
                    continue;
                }
                Ok(_) => {
                    let row = Row::read(record.bytes).ok();
                    let id = row.and_then(|row| row.id());
                    same_id(id.as_deref().unwrap_or_default())
                }
            };
            tally.refuse(refusal.reason);
            self.outputs.refuse(piece.file, &record, &refusal)?;
        }
        Ok(())
    }
}
