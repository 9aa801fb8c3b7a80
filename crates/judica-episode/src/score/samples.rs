//! Stored samples: rows that hold a recorded action and what was predicted for it.
//!
//! Rows of one episode may stand anywhere in the file. A first pass has noted where; here
//! they are fetched episode by episode, in the order in which the episodes appear, and put
//! together by their `step_index`. A place without a row is left out. If what was recorded
//! cannot be read in one of them, the whole episode is refused: the rest would be another
//! episode.

use std::path::Path;

use judica_data::chunks::{ChunkReader, RawRecord};
use judica_data::identity::is_same;
use judica_data::ordered::{self, Workers};
use judica_data::rejects::Refusal;
use judica_data::rows::Placed;
use judica_data::source::STDIN;
use judica_data::work_error::WorkError;
use judica_run::records::RecordColumns;

use super::Outputs;
use super::batch::{Plan, Scored, read_runs, records};
use super::episode::{Compared, Gathered, Outcome, compare};
use super::refused::{Input, RefusedRow};
use super::run::Sum;
use crate::family::{Recording, Rows};
use crate::load::columns::tables;
use crate::load::episode::Episode;
use crate::load::fault::Fault;
use crate::load::index::{Fingerprint, Run};
use crate::load::prediction::Prediction;
use crate::load::sample::{Sample, is_sample, sample};
use crate::load::survey::{About, usable};
use crate::tally::Tally;

/// Episodes that a thread takes at once: so many that little time goes into taking turns.
const BATCH: usize = 16;

/// Whether the episodes are stored samples, which bring their predictions.
pub fn are_given(
    episodes: &Path,
    placed: &Placed,
    predictions: Option<&Path>,
) -> Result<bool, WorkError> {
    let bad = |message: String| Err(WorkError::BadInput(message));
    let file = episodes.display();
    // What can be read only once is what the user says it is.
    let samples = match is_file(episodes) {
        true => holds_samples(episodes, placed)?,
        false => predictions.is_none(),
    };
    match predictions {
        Some(predictions) if samples && !is_same(episodes, predictions) => bad(format!(
            "{file}: its rows hold what was predicted (`pred_action`), too; leave --predictions out"
        )),
        None if !samples => bad(format!(
            "{file}: no predictions: --predictions is needed, unless the rows of --episodes hold \
             both `ground_truth_action` and `pred_action`"
        )),
        _ => Ok(samples),
    }
}

fn is_file(path: &Path) -> bool {
    // A file that is missing is told by who opens it.
    path != Path::new(STDIN) && std::fs::metadata(path).map_or(true, |found| found.is_file())
}

/// Whether the first row that can be read is a sample.
fn holds_samples(path: &Path, placed: &Placed) -> Result<bool, WorkError> {
    let reader = ChunkReader::unhashed(&[path.to_owned()], 1)?;
    let mut reader = reader.with_tables(&tables()).with_placed(placed);
    // A chunk may hold nothing but the beginning of a list.
    while let Some(chunk) = reader.next_chunk()? {
        let can_be_read = |record: &RawRecord| {
            serde_json::from_slice::<serde::de::IgnoredAny>(record.bytes).is_ok()
        };
        if let Some(record) = chunk.records().find(can_be_read) {
            return Ok(is_sample(record.bytes));
        }
    }
    Ok(false)
}

/// Compares all episodes of the index of a plan.
pub fn run(plan: &Plan, workers: Workers, outputs: &mut Outputs) -> Result<Tally, WorkError> {
    let names: Vec<Fingerprint> = plan.index.names().collect();
    let mut batches = names.chunks(BATCH);
    let sum = ordered::run(
        workers,
        |_| Ok(batches.next()),
        Sum::new(outputs),
        || Ok(plan.recording.map(Recording::columns)),
        |columns, batch, way| {
            let scored: Vec<_> = batch
                .iter()
                .map(|name| episode(plan, *name, columns))
                .collect();
            let records = columns.as_mut().map(RecordColumns::take);
            way.pass(|sum| {
                let mut scored = scored.into_iter();
                scored.try_for_each(|scored| sum.take(0, scored?))?;
                sum.append(records)
            })
        },
    )?;
    Ok(sum.tally)
}

/// Whether a row is about what it was found to be about before.
fn is_about(record: &RawRecord, name: Fingerprint, plan: &Plan) -> bool {
    About::of(record.bytes, plan.whose, true).is_ok_and(|about| about.key() == name)
}

/// Puts one episode together and compares it.
fn episode(
    plan: &Plan,
    name: Fingerprint,
    columns: &mut Option<RecordColumns>,
) -> Result<Scored, WorkError> {
    let mut scored = Scored::default();
    let runs: Vec<&Run> = plan.index.runs_of(name).collect();
    let mut block = Vec::new();
    let starts = read_runs(&runs, plan.store, &mut block)?;
    let mut rows: Vec<(RawRecord, Sample)> = Vec::new();
    let mut whole = true;
    let mut refuse = |record: &RawRecord, refusal| {
        let refused = RefusedRow::record(Input::Predictions, record, refusal);
        scored.refused.push(refused);
    };
    for (run, start) in runs.iter().zip(&starts) {
        for record in records(plan.index, run, &block[*start..]) {
            let read = usable(&record, false)
                .and_then(|()| sample(record.bytes, plan.rules).map_err(Fault::refusal));
            match read {
                Ok(_) if !is_about(&record, name, plan) => {
                    return Err(plan.store.changed(record.offset).into());
                }
                Ok(row) => rows.push((record, row)),
                Err(refusal) => {
                    whole = false;
                    refuse(&record, refusal);
                }
            }
        }
    }
    if !whole {
        for (record, row) in &rows {
            let detail = format!("/episode_id: another row of {:?} was refused", row.name);
            refuse(record, Refusal::new("refused_episode", detail));
        }
        scored.refused.sort_by_key(|refused| refused.offset);
        return Ok(scored);
    }
    let line = rows.first().map_or(0, |(record, _)| record.line);
    let length = rows.iter().map(|(_, row)| row.step_index + 1).max();
    let length = usize::try_from(length.unwrap_or(0)).unwrap_or(0);
    let mut steps = Vec::new();
    steps.resize_with(length, || None);
    let mut gathered = Gathered::default();
    gathered.reset(length);
    let mut head = None;
    for (record, row) in rows {
        let Sample {
            name,
            step_index,
            goal,
            dataset,
            cluster,
            epoch,
            usage,
            gold,
            predicted,
        } = row;
        let head = head.get_or_insert_with(|| Episode {
            name: name.clone(),
            goal: None,
            first_step: 0,
            steps: length,
            milestones: Vec::new(),
            dataset: None,
            cluster: None,
            epoch,
        });
        head.goal = head.goal.take().or(goal);
        head.dataset = head.dataset.take().or(dataset);
        head.cluster = head.cluster.take().or(cluster);
        let taken = gathered.add(Prediction {
            name,
            step_index: Some(step_index),
            steps: vec![predicted],
            cluster: None,
            usage,
        });
        match taken {
            Ok(()) => steps[step_index as usize] = Some(gold),
            Err(refusal) => refuse(&record, refusal),
        }
    }
    let Some(whole) = head else {
        return Ok(scored);
    };
    let milestones = plan.milestones.unwrap_or_default();
    let mode = plan.rules.mode;
    let mut outcome = Outcome::default();
    compare(mode, &steps, milestones, &gathered, &mut outcome);
    let of = Compared {
        episode: &whole,
        steps: &steps,
        milestones,
        predicted: &gathered,
        outcome: &outcome,
    };
    let texts = Rows {
        target: None,
        runs: &runs,
        starts: &starts,
        block: &block,
        stands: plan.stands,
    };
    scored.add(plan, line, &of, texts, columns);
    Ok(scored)
}
