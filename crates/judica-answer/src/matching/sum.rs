//! Where runs of rows come together, in the order of the input.

use arrow_array::BooleanArray;
use judica_data::work_error::WorkError;

use super::batch::{Batch, Task, settled, way};
use super::outputs::Outputs;
use super::rates::Clusters;
use super::tally::Tally;
use crate::normalize::Golds;
use crate::predictions::Called;
use crate::predictions::load::same_key;
use crate::predictions::pieces::Piece;
use crate::predictions::row::Row;
use crate::predictions::seen::{Seen, SeenRows};

/// What rows came to, file by file.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub tallies: Vec<Tally>,
    pub clusters: Vec<Clusters>,
    pub golds: Vec<Golds>,
}

/// Everything so far.
pub(super) struct Sum<'t, 'o> {
    task: &'t Task<'t>,
    /// By file.
    tallies: Vec<Tally>,
    /// By file.
    clusters: Vec<Clusters>,
    /// By file.
    golds: Vec<Golds>,
    outputs: Outputs<'o>,
    /// The rows seen.
    seen: SeenRows,
    file: usize,
}

impl<'t, 'o> Sum<'t, 'o> {
    /// Nothing yet.
    pub fn new(task: &'t Task<'t>, outputs: Outputs<'o>) -> Self {
        let files = task.files.len();
        Sum {
            task,
            tallies: vec![Tally::default(); files],
            clusters: task.files.iter().map(|_| Clusters::default()).collect(),
            golds: task
                .golds
                .clone()
                .unwrap_or_else(|| vec![Golds::default(); files]),
            outputs,
            seen: SeenRows::default(),
            file: 0,
        }
    }

    /// What there was in each file, and what was written.
    pub fn finish(mut self) -> Result<(Counts, Outputs<'o>), WorkError> {
        self.settle_details()?;
        let files = self.tallies.iter_mut().zip(&mut self.clusters);
        for ((tally, clusters), golds) in files.zip(&self.golds) {
            let way = way(self.task.choice, *golds);
            tally.settle(way);
            clusters.settle(way);
        }
        let counts = Counts {
            tallies: self.tallies,
            clusters: self.clusters,
            golds: self.golds,
        };
        Ok((counts, self.outputs))
    }

    /// The file that was read has ended: what its golds are is known.
    fn settle_details(&mut self) -> Result<(), WorkError> {
        let golds = self.golds.get(self.file).copied().unwrap_or_default();
        self.outputs.settle(way(self.task.choice, golds))
    }

    /// Adds a run of rows.
    pub fn take(&mut self, batch: &Batch, piece: &Piece) -> Result<(), WorkError> {
        if piece.file != self.file {
            self.settle_details()?;
            self.outputs.next_dataset();
            self.file = piece.file;
            self.seen.next_file(self.outputs.is_one_run());
        }
        let seen: Vec<Seen> = batch
            .prints
            .iter()
            .map(|print| self.seen.add(*print))
            .collect();
        let golds = &mut self.golds[piece.file];
        if self.task.golds.is_none() {
            golds.merge(batch.golds);
        }
        if let Some(way) = settled(self.task.choice, *golds) {
            self.outputs.settle(way)?;
        }
        let tally = &mut self.tallies[piece.file];
        let repeated = seen.contains(&Seen::Repeated);
        let repeated = repeated.then(|| seen.iter().map(|seen| *seen == Seen::Repeated).collect());
        if self.task.part.is_none() && batch.refusals.is_empty() && !seen.contains(&Seen::SameKey) {
            let count = |flags: &BooleanArray| flags.true_count() as u64;
            tally.duplicates += repeated.as_ref().map_or(0, count);
            tally.merge(&batch.tally);
            self.clusters[piece.file].merge(&batch.clusters, None);
            let [one, other] = &batch.details;
            self.outputs.tell([one, other])?;
            return self.outputs.record(batch, None, repeated.as_ref());
        }
        let usable = batch.marks.iter().zip(piece.records());
        let usable = usable.filter(|(mark, _)| mark.outcome.is_ok());
        let used = usable
            .zip(&seen)
            .map(|((_, record), seen)| *seen != Seen::SameKey && self.task.holds(record.position));
        let used: BooleanArray = used.map(Some).collect();
        self.clusters[piece.file].merge(&batch.clusters, Some(&used));
        self.outputs.record(batch, Some(&used), repeated.as_ref())?;
        let mut seen = seen.into_iter();
        let mut details_start = [0; 2];
        for (mark, record) in batch.marks.iter().zip(piece.records()) {
            let [one, other] =
                [0, 1].map(|way| &batch.details[way][details_start[way]..mark.details_end[way]]);
            details_start = mark.details_end;
            let seen = mark.outcome.is_ok().then(|| seen.next()).flatten();
            if !self.task.holds(record.position) {
                continue;
            }
            let refusal = match mark.outcome {
                Err(at) => batch.refusals[at].clone(),
                Ok(counted) if seen != Some(Seen::SameKey) => {
                    tally.duplicates += u64::from(seen == Some(Seen::Repeated));
                    tally.add(counted);
                    self.outputs.tell([one, other])?;
                    continue;
                }
                Ok(_) => {
                    let file = &self.task.files[piece.file];
                    let (at, options) = (record.position, self.task.options);
                    // It has been read once.
                    let row = Row::read(&file.columns, record.bytes);
                    let called = row.and_then(|row| {
                        Called::of(&row, at, file, piece.document(), options)
                            .map(Called::into_owned)
                    });
                    called.map_or_else(std::convert::identity, |called| same_key(&called))
                }
            };
            tally.refuse(refusal.reason.into());
            self.outputs.refuse(piece.file, &record, &refusal)?;
        }
        Ok(())
    }
}
