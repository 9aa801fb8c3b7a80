//! One chunk of recorded episodes: read, joined with its predictions, compared.

use arrow_array::RecordBatch;
use judica_data::chunks::{Chunk, RawRecord};
use judica_data::rejects::Refusal;
use judica_data::work_error::WorkError;
use judica_run::options::RunOptions;
use judica_run::records::RecordColumns;

use super::episode::{Compared, Gathered, Outcome, compare};
use super::refused::{Input, RefusedRow};
use crate::action::Action;
use crate::details::write_line;
use crate::family::{Recording, Rows};
use crate::load::action::Rules;
use crate::load::episode::{Episode, episode};
use crate::load::fault::Fault;
use crate::load::index::{Fingerprint, Index, Run, fingerprint, repeat, within};
use crate::load::milestone::Milestone;
use crate::load::prediction::prediction;
use crate::load::store::{Stands, Store};
use crate::load::survey::{Whose, usable};
use crate::load::text::name_of_row;
use crate::load::usage::told;
use crate::tally::Tally;

/// No more predictions than this are held at once, unless a single episode has more.
const BLOCK_BYTES: u64 = 4 << 20;
/// Runs with no more than this between them are read at once.
const READ_OVER: u64 = 16 << 10;

/// What every batch needs to know.
#[derive(Clone, Copy)]
pub struct Plan<'p> {
    /// How actions are read and compared.
    pub rules: Rules,
    /// One list of milestones for every episode, instead of their own.
    pub milestones: Option<&'p [Milestone]>,
    /// Where the predictions stand.
    pub index: &'p Index,
    /// Where they are read from.
    pub store: &'p Store,
    /// Whether lines of details are wanted.
    pub details: bool,
    /// Where the predictions of a table stand in it, by their places in the store.
    pub stands: &'p Stands,
    /// How records are made, if a run is wanted.
    pub recording: Option<&'p Recording>,
    /// How episodes are called, whether or not one is,
    pub naming: &'p RunOptions,
    /// and the file they stand in.
    pub file: &'p str,
    /// Which of what rows say of whose they are counts.
    pub whose: Whose,
}

impl Plan<'_> {
    /// Under what an episode was predicted that says this of its data set.
    fn predicted_as(&self, name: &str, dataset: Option<&str>) -> Fingerprint {
        let name = fingerprint(name);
        let within = within(name, self.naming.dataset(dataset, self.file));
        self.index.predicted_as(name, within, dataset.is_some())
    }
}

/// A row of a chunk that is an episode.
pub struct Row<'a> {
    record: RawRecord<'a>,
    /// Its name, as the index knows it.
    pub name: Fingerprint,
    episode: Episode<'a>,
}

/// The episodes of a chunk.
#[derive(Default)]
pub struct Batch<'a> {
    /// Rows that are episodes.
    pub rows: Vec<Row<'a>>,
    /// Names of rows that were refused, as far as they could be read.
    pub refused_names: Vec<Fingerprint>,
    /// What was refused so far.
    pub refused: Vec<RefusedRow>,
    /// How many rows there are.
    pub inputs: u64,
    steps: Vec<Option<Action<'a>>>,
}

/// What a chunk became.
#[derive(Default)]
pub struct Scored {
    /// Counts.
    pub tally: Tally,
    /// Lines of details.
    pub details: Vec<u8>,
    /// Records of the run.
    pub records: Option<RecordBatch>,
    /// Rows that could not be used, those of recorded episodes first.
    pub refused: Vec<RefusedRow>,
}

impl Scored {
    /// Takes in an episode: `line` is where it stands, `target` its row, and `output` what
    /// was predicted for it.
    pub fn add(
        &mut self,
        plan: &Plan,
        line: u64,
        of: &Compared,
        texts: Rows,
        columns: &mut Option<RecordColumns>,
    ) {
        let dataset = plan
            .naming
            .dataset(of.episode.dataset.as_deref(), plan.file);
        self.tally.add(plan.rules.mode, line, dataset, of);
        if plan.details {
            write_line(of, &mut self.details);
        }
        if let (Some(recording), Some(columns)) = (plan.recording, columns) {
            recording.push(of, texts, columns);
        }
    }
}

impl<'a> Batch<'a> {
    /// Reads a chunk. An episode that does not say which repeat it is stands for all that
    /// were predicted.
    pub fn read(chunk: &'a Chunk, plan: &Plan) -> Batch<'a> {
        // Mostly all of it is text, which is told fastest for all rows at once.
        let all_text = std::str::from_utf8(&chunk.data).is_ok();
        let mut batch = Batch::default();
        for record in chunk.records() {
            batch.inputs += 1;
            let read = usable(&record, all_text).and_then(|()| {
                episode(record.bytes, plan.rules, &mut batch.steps).map_err(Fault::refusal)
            });
            match read {
                Ok(episode) => {
                    let first = plan.predicted_as(&episode.name, episode.dataset.as_deref());
                    match (episode.epoch, &*plan.index.repeats(first)) {
                        (Some(epoch), _) | (None, &[epoch]) => {
                            batch.push(record, episode, first, epoch)
                        }
                        (None, epochs) => {
                            for epoch in epochs {
                                batch.push(record, episode.clone(), first, *epoch);
                            }
                        }
                    }
                }
                Err(refusal) => {
                    if let Ok(name) = name_of_row(record.bytes) {
                        let told = told(record.bytes).unwrap_or_default();
                        let first = plan.predicted_as(&name, told.dataset.as_deref());
                        let epochs = plan.index.repeats(first);
                        let names = epochs.iter().map(|epoch| repeat(first, *epoch));
                        batch.refused_names.extend(names);
                    }
                    let refused = RefusedRow::record(Input::Episodes, &record, refusal);
                    batch.refused.push(refused);
                }
            }
        }
        batch
    }

    fn push(
        &mut self,
        record: RawRecord<'a>,
        mut episode: Episode<'a>,
        first: Fingerprint,
        epoch: i32,
    ) {
        episode.epoch = Some(epoch);
        self.rows.push(Row {
            record,
            name: repeat(first, epoch),
            episode,
        });
    }

    /// Takes out the episodes at these places: an earlier row has their name. A row that
    /// stands for several repeats is refused, once, if none of them is left to it.
    pub fn drop_duplicates(&mut self, places: &[usize]) {
        if places.is_empty() {
            return;
        }
        let rows = std::mem::take(&mut self.rows);
        let kept = |place: &usize| places.binary_search(place).is_err();
        let mut begin = 0;
        for of_record in rows.chunk_by(|a, b| a.record.position == b.record.position) {
            let end = begin + of_record.len();
            if !(begin..end).any(|place| kept(&place)) {
                let name = &of_record[0].episode.name;
                let detail = format!("/episode_id: {name:?} was seen before");
                let refusal = Refusal::new("duplicate_episode", detail);
                let record = &of_record[0].record;
                self.refused
                    .push(RefusedRow::record(Input::Episodes, record, refusal));
            }
            begin = end;
        }
        let rows = rows.into_iter().enumerate();
        self.rows = rows
            .filter_map(|(place, row)| kept(&place).then_some(row))
            .collect();
        // Rows of a binary table stand nowhere but in its order.
        self.refused
            .sort_by_key(|refused| (refused.offset, refused.line));
    }

    /// Compares the episodes with their predictions.
    pub fn score(
        self,
        plan: &Plan,
        columns: &mut Option<RecordColumns>,
    ) -> Result<Scored, WorkError> {
        let mut scored = Scored {
            refused: self.refused,
            ..Scored::default()
        };
        let mut block = Vec::new();
        let mut runs: Vec<&Run> = Vec::new();
        let mut rest = &self.rows[..];
        while !rest.is_empty() {
            // As many episodes as fit, at least one.
            runs.clear();
            let (mut bytes, mut ends) = (0, Vec::new());
            for row in rest {
                let before = runs.len();
                runs.extend(plan.index.runs_of(row.name));
                bytes += runs[before..]
                    .iter()
                    .map(|run| run.end - run.offset)
                    .sum::<u64>();
                if bytes > BLOCK_BYTES && !ends.is_empty() {
                    runs.truncate(before);
                    break;
                }
                ends.push(runs.len());
            }
            let (rows, later) = rest.split_at(ends.len());
            rest = later;
            block.clear();
            let starts = read_runs(&runs, plan.store, &mut block)?;
            let predictions = Predictions {
                runs: &runs,
                starts: &starts,
                block: &block,
                all_text: std::str::from_utf8(&block).is_ok(),
            };
            predictions.compare(rows, &ends, &self.steps, plan, &mut scored, columns)?;
        }
        scored.records = columns.as_mut().map(RecordColumns::take);
        Ok(scored)
    }
}

/// Reads runs into a block; says where in it each begins. Runs that follow each other in
/// the file, as they do where both files have the same order, are read at once.
pub fn read_runs(
    runs: &[&Run],
    store: &Store,
    block: &mut Vec<u8>,
) -> Result<Vec<usize>, WorkError> {
    let mut starts = Vec::with_capacity(runs.len());
    let mut at = 0;
    while let Some(first) = runs.get(at) {
        let mut end = first.end;
        let base = block.len();
        let together = runs[at..]
            .iter()
            .take_while(|run| {
                let near = run.offset == first.offset
                    || (run.offset >= end && run.offset - end <= READ_OVER);
                end = if near { run.end } else { end };
                near
            })
            .count();
        let offsets = runs[at..at + together].iter().map(|run| run.offset);
        starts.extend(offsets.map(|offset| base + (offset - first.offset) as usize));
        store.read(first.offset, end, block)?;
        at += together;
    }
    Ok(starts)
}

/// The predictions of some episodes, in memory.
struct Predictions<'b> {
    runs: &'b [&'b Run],
    starts: &'b [usize],
    block: &'b [u8],
    all_text: bool,
}

impl<'b> Predictions<'b> {
    /// `ends` says where the runs of each row end.
    fn compare(
        &self,
        rows: &[Row],
        ends: &[usize],
        steps: &[Option<Action>],
        plan: &Plan,
        scored: &mut Scored,
        columns: &mut Option<RecordColumns>,
    ) -> Result<(), WorkError> {
        let mut gathered = Gathered::default();
        let mut outcome = Outcome::default();
        let mut begin = 0;
        for (row, &end) in rows.iter().zip(ends) {
            let episode = &row.episode;
            gathered.reset(episode.steps);
            for run in begin..end {
                self.gather(run, row, plan, &mut gathered, &mut scored.refused)?;
            }
            let steps = &steps[episode.first_step..episode.first_step + episode.steps];
            let milestones = plan.milestones.unwrap_or(&episode.milestones);
            let mode = plan.rules.mode;
            compare(mode, steps, milestones, &gathered, &mut outcome);
            let of = Compared {
                episode,
                steps,
                milestones,
                predicted: &gathered,
                outcome: &outcome,
            };
            let texts = Rows {
                target: Some(row.record.bytes),
                runs: &self.runs[begin..end],
                starts: &self.starts[begin..end],
                block: self.block,
                stands: plan.stands,
            };
            scored.add(plan, row.record.line, &of, texts, columns);
            begin = end;
        }
        Ok(())
    }

    fn gather(
        &self,
        at: usize,
        row: &Row,
        plan: &Plan,
        gathered: &mut Gathered<'b>,
        refused: &mut Vec<RefusedRow>,
    ) -> Result<(), WorkError> {
        let run = self.runs[at];
        let start = self.starts[at];
        for record in records(plan.index, run, &self.block[start..]) {
            let read = usable(&record, self.all_text)
                .and_then(|()| prediction(record.bytes, plan.rules).map_err(Fault::refusal));
            let taken = match read {
                Ok(prediction) if prediction.name != row.episode.name => {
                    return Err(plan.store.changed(record.offset).into());
                }
                Ok(prediction) => gathered.add(prediction),
                Err(refusal) => Err(refusal),
            };
            if let Err(refusal) = taken {
                refused.push(RefusedRow::record(Input::Predictions, &record, refusal));
            }
        }
        Ok(())
    }
}

/// The rows of a run, whose bytes `block` begins with.
pub fn records<'b>(
    index: &Index,
    run: &Run,
    block: &'b [u8],
) -> impl Iterator<Item = RawRecord<'b>> {
    let mut counted = 0;
    let mut line = run.line;
    let base = run.offset;
    index.rows_of(run).map(move |(from, to)| {
        let (from, to) = (from as usize, to as usize);
        line += memchr::memchr_iter(b'\n', &block[counted..from]).count() as u64;
        counted = from;
        RawRecord::new(line, line, base + from as u64, &block[from..to])
    })
}
