//! Where runs of rows come together, in the order of the input.

use super::batch::{Batch, settled, way};
use super::outputs::Outputs;
use super::tally::Tally;
use crate::error::AnswerError;
use crate::normalize::{Choice, Golds};
use crate::predictions::load::same_id;
use crate::predictions::pieces::Piece;
use crate::predictions::row::Row;
use crate::predictions::seen::{Seen, SeenRows};

/// Everything so far.
pub(super) struct Sum<'o> {
    choice: &'o Choice,
    /// By file.
    tallies: Vec<Tally>,
    /// By file.
    golds: Vec<Golds>,
    outputs: Outputs<'o>,
    /// The rows seen in the file that is being read: each file has ids of its own.
    seen: SeenRows,
    file: usize,
}

impl<'o> Sum<'o> {
    /// Nothing yet.
    pub fn new(files: usize, choice: &'o Choice, outputs: Outputs<'o>) -> Self {
        Sum {
            choice,
            tallies: vec![Tally::default(); files],
            golds: vec![Golds::default(); files],
            outputs,
            seen: SeenRows::default(),
            file: 0,
        }
    }

    /// What there was in each file, and what was written.
    pub fn finish(mut self) -> Result<(Vec<Tally>, Vec<Golds>, Outputs<'o>), AnswerError> {
        self.settle_details()?;
        for (tally, golds) in self.tallies.iter_mut().zip(&self.golds) {
            tally.settle(way(self.choice, *golds));
        }
        Ok((self.tallies, self.golds, self.outputs))
    }

    /// The file that was read has ended: what its golds are is known.
    fn settle_details(&mut self) -> Result<(), AnswerError> {
        let golds = self.golds.get(self.file).copied().unwrap_or_default();
        Ok(self.outputs.settle(way(self.choice, golds))?)
    }

    /// Adds a run of rows.
    pub fn take(&mut self, batch: &Batch, piece: &Piece) -> Result<(), AnswerError> {
        if piece.file != self.file {
            self.settle_details()?;
            self.outputs.next_dataset();
            self.file = piece.file;
            self.seen = SeenRows::default();
        }
        let seen: Vec<Seen> = batch
            .prints
            .iter()
            .map(|print| self.seen.add(*print))
            .collect();
        let golds = &mut self.golds[piece.file];
        golds.merge(batch.golds);
        if let Some(way) = settled(self.choice, *golds) {
            self.outputs.settle(way)?;
        }
        let tally = &mut self.tallies[piece.file];
        let repeated = seen.iter().filter(|seen| **seen == Seen::Repeated).count();
        tally.duplicates += repeated as u64;
        if batch.refusals.is_empty() && !seen.contains(&Seen::SameId) {
            tally.merge(&batch.tally);
            let [one, other] = &batch.details;
            return Ok(self.outputs.tell([one, other])?);
        }
        let mut seen = seen.into_iter();
        let mut details_start = [0; 2];
        for (mark, record) in batch.marks.iter().zip(piece.records()) {
            let [one, other] =
                [0, 1].map(|way| &batch.details[way][details_start[way]..mark.details_end[way]]);
            details_start = mark.details_end;
            let refusal = match mark.outcome {
                Err(at) => batch.refusals[at].clone(),
                Ok(counted) if seen.next() != Some(Seen::SameId) => {
                    tally.add(counted);
                    self.outputs.tell([one, other])?;
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
