//! The second pass: episodes read on all threads, compared in parallel, added up in the
//! order of their file.
//!
//! Every chunk passes two gates. At the first one, names are checked in order, so
//! that of equal names the first is known before anything is compared; at the second one,
//! results come together.

use std::io::Write;
use std::path::Path;

use arrow_array::RecordBatch;
use judica_data::chunks::Chunk;
use judica_data::error::DataError;
use judica_data::ordered::{self, Workers};
use judica_data::rejects::Refusal;
use judica_data::rows::Placed;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;
use rustc_hash::FxHashSet;

use super::batch::{Batch, Plan, Scored, records};
use super::refused::{Input, RefusedRow, Refuser};
use super::{Hooks, Outputs};
use crate::family::Recording;
use crate::load::fault::Fault;
use crate::load::index::{Claim, Claims, Fingerprint, Index, fingerprint};
use crate::load::prediction::prediction;
use crate::load::survey::{read_as, reader, usable};
use crate::load::text::name_of_row;
use crate::load::usage::told;
use crate::tally::Tally;

/// Which names have been seen, and whose predictions are claimed.
struct Names {
    seen: FxHashSet<Fingerprint>,
    claims: Claims,
}

impl Names {
    /// Takes in the names of a batch; gives the places of those that were there already.
    fn admit(&mut self, index: &Index, batch: &Batch) -> Vec<usize> {
        for name in &batch.refused_names {
            index.claim(&mut self.claims, *name, Claim::Refused);
        }
        let mut again = Vec::new();
        for (place, row) in batch.rows.iter().enumerate() {
            if self.seen.insert(row.name) {
                index.claim(&mut self.claims, row.name, Claim::Scored);
            } else {
                again.push(place);
            }
        }
        again
    }
}

/// Where results come together, in order.
pub(super) struct Sum<'s> {
    rows: u64,
    pub tally: Tally,
    outputs: &'s mut Outputs,
}

impl<'s> Sum<'s> {
    pub fn new(outputs: &'s mut Outputs) -> Self {
        Sum {
            rows: 0,
            tally: Tally::default(),
            outputs,
        }
    }

    pub fn take(&mut self, rows: u64, scored: Scored) -> Result<(), WorkError> {
        self.rows += rows;
        self.tally.merge(&scored.tally);
        if let Some(file) = &mut self.outputs.details {
            let written = file.write_all(&scored.details);
            written.map_err(|e| DataError::writing(file.final_path(), e))?;
        }
        self.append(scored.records)?;
        let refuse = |refused| self.outputs.refuser.refuse(refused);
        scored.refused.into_iter().try_for_each(refuse)
    }

    pub fn append(&mut self, records: Option<RecordBatch>) -> Result<(), WorkError> {
        match (&mut self.outputs.run, records) {
            (Some(run), Some(records)) => run.append(records),
            _ => Ok(()),
        }
    }
}

/// What the episodes gave.
pub struct Read {
    /// How many rows there are.
    pub rows: u64,
    /// What they add up to.
    pub tally: Tally,
    /// What the file is, if a run names it.
    pub digest: Option<InputDigest>,
    /// How it was read, if it is a table.
    pub read_as: Option<String>,
}

/// Compares all episodes of `path`; gives how many rows there are, what they add up to, and
/// what the file is if a run names it.
pub fn run(
    (path, placed): (&Path, &Placed),
    plan: &Plan,
    threads: usize,
    hooks: &Hooks,
    already_read: u64,
    outputs: &mut Outputs,
) -> Result<Read, WorkError> {
    let mut reader = reader(path, plan.recording.is_some(), placed)?;
    let next = |done: Option<Chunk>| {
        if let Some(done) = done {
            reader.recycle(done);
        }
        let chunk = reader.next_chunk();
        (hooks.progress)(already_read + reader.raw_bytes());
        Ok(chunk?)
    };
    let names = Names {
        seen: FxHashSet::default(),
        claims: plan.index.claims(),
    };
    let workers = hooks.workers(threads);
    let (names, sum) = ordered::run_both(
        workers,
        next,
        names,
        Sum::new(outputs),
        || Ok(plan.recording.map(Recording::columns)),
        |columns, chunk, way| {
            let mut batch = Batch::read(chunk, plan);
            let rows = batch.inputs;
            let (again, way) = way.pass(|names| Ok(names.admit(plan.index, &batch)))?;
            batch.drop_duplicates(&again);
            let scored = batch.score(plan, columns)?;
            way.pass(|sum| sum.take(rows, scored))
        },
    )?;
    let (rows, tally) = (sum.rows, sum.tally);
    reader.check_placed()?;
    refuse_unclaimed(plan, &names.claims, workers, &mut outputs.refuser)?;
    Ok(Read {
        rows,
        tally,
        digest: reader.digests().first().cloned(),
        read_as: read_as(&reader),
    })
}

/// Refuses the predictions that no episode claimed, in the order of their file.
fn refuse_unclaimed(
    plan: &Plan,
    claims: &Claims,
    workers: Workers,
    refuser: &mut Refuser,
) -> Result<(), WorkError> {
    let mut block = Vec::new();
    for (run, claim) in plan.index.left(claims) {
        workers.go_on()?;
        block.clear();
        plan.store.read(run.offset, run.end, &mut block)?;
        for record in records(plan.index, run, &block) {
            // What is wrong with the row itself is the plainer reason.
            let read = usable(&record, false)
                .and_then(|()| prediction(record.bytes, plan.rules).map_err(Fault::refusal));
            let refusal = read.err().unwrap_or_else(|| {
                unclaimed(claim, record.bytes, plan, refuser.file(Input::Episodes))
            });
            refuser.refuse(RefusedRow::record(Input::Predictions, &record, refusal))?;
        }
    }
    Ok(())
}

fn unclaimed(claim: Claim, row: &[u8], plan: &Plan, episodes: &str) -> Refusal {
    let name = name_of_row(row).unwrap_or_default();
    let told = told(row).unwrap_or_default();
    let of = match told.dataset.filter(|_| plan.whose.dataset) {
        Some(dataset) => format!(" of {dataset:?}"),
        // It may have one in a data set, which other rows are about.
        None if plan.index.names_dataset(fingerprint(&name)) => {
            " for a row that names no `dataset`, as others do".to_owned()
        }
        None => String::new(),
    };
    if claim == Claim::Refused {
        let detail = format!("/episode_id: the episode {name:?}{of} of {episodes} was refused");
        return Refusal::new("refused_episode", detail);
    }
    let detail = format!("/episode_id: {episodes} has no episode {name:?}{of}");
    Refusal::new("unknown_episode", detail)
}
