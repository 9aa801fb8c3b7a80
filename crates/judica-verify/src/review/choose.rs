//! Which records are reviewed, when there are more than anybody wants to pay for.
//!
//! A sample by the hash of what a record is called: it spreads over models and tasks, does
//! not depend on the order of the inputs, and a larger limit chooses the same records and
//! more, so that replies which were paid for serve again.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};

use judica_data::sha256::Sha256;

use super::options::{ReviewOptions, ReviewRecords};
use judica_data::work_error::WorkError;
use judica_model::run::RunRecord;
use judica_run::export::each;
use judica_run::open::Run;

/// The records to be reviewed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// How many could have been chosen.
    pub candidates: u64,
    /// The numbers of those chosen among all records, from 0, ascending.
    pub numbers: Vec<u64>,
}

/// Chooses among the records of a run. Memory grows with the limit alone.
pub(super) fn choose(
    run: &Run,
    options: &ReviewOptions,
    interrupted: &AtomicBool,
) -> Result<Chosen, WorkError> {
    let mut candidates = 0;
    let mut number = 0;
    // The greatest on top: what goes first when a better one comes.
    let mut kept: BinaryHeap<(u64, u64)> = BinaryHeap::new();
    each(run, &mut |record, _| {
        if interrupted.load(Ordering::Relaxed) {
            return Err(WorkError::Interrupted);
        }
        if options.records == ReviewRecords::All || has_failed(record) {
            candidates += 1;
            kept.push((place(record), number));
            if kept.len() as u64 > options.limit {
                kept.pop();
            }
        }
        number += 1;
        Ok(())
    })?;
    let mut numbers: Vec<u64> = kept.into_iter().map(|(_, number)| number).collect();
    numbers.sort_unstable();
    Ok(Chosen {
        candidates,
        numbers,
    })
}

fn has_failed(record: &RunRecord) -> bool {
    record.evidence.iter().any(|atom| !atom.pass)
}

/// Where a record stands in the queue. A model answers a sample once in an epoch, so no two
/// have the same name.
fn place(record: &RunRecord) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update((record.item.len() as u64).to_le_bytes());
    hasher.update(record.item.as_bytes());
    hasher.update(record.subject.as_bytes());
    if record.epoch != 1 {
        hasher.update(record.epoch.to_le_bytes());
    }
    let hash = hasher.finish();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(first)
}
