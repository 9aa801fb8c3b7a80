//! The scores of every record, grouped by (task, model) in input order.
//!
//! Medians and percentiles need every value. The first ones are kept in memory; beyond that
//! they go to an unnamed temporary file, block by block, so that memory does not grow
//! with the number of outputs. The file vanishes with the process, however it ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;

use arrow_array::{Array, StringArray};
use judica_data::place::Following;
use judica_run::names::Names;

use super::dimensions::DimensionSums;
use super::state::GroupKey;
use crate::evaluate::Evaluated;

/// The scores of one record; NaN stands for null.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreEntry {
    /// The sample.
    pub sample: u32,
    /// The number of the cluster that it was given, from 1; without one it stands by its sample.
    pub cluster: Option<NonZeroU32>,
    /// Whether the record passed the gate.
    pub passed: bool,
    /// Percent of required keys present.
    pub availability: f64,
    /// Severity-weighted percent of passed atoms.
    pub constraint: f64,
    /// Score of the error against the gold.
    pub error: f64,
    /// The weighted sum.
    pub total: f64,
    /// Mean absolute error.
    pub mae: f64,
}

/// Bytes of an entry on disk.
const ENTRY_BYTES: usize = 48;
/// Entries of a group that are put away together.
const BLOCK_ENTRIES: usize = 128;
/// Blocks that stay in memory (28 MB) before others go to disk.
const HELD_BLOCKS: usize = 4096;

/// Entries of a selection that are held in memory (48 MB).
const IN_MEMORY_ENTRIES: usize = 1 << 20;

/// All scores of a run.
pub struct ScoreLog {
    folder: PathBuf,
    file: Option<File>,
    written: u64,
    /// How many more blocks may stay in memory.
    room: usize,
    groups: BTreeMap<GroupKey, Group>,
    /// Whether a sample has a record that counts, if the sample does.
    answered: Vec<bool>,
    /// The clusters that records were given.
    pub clusters: Names,
    /// Sums over dimensions, of a protocol that has some.
    pub dimensions: DimensionSums,
}

#[derive(Default)]
struct Group {
    /// Blocks in memory: those before the ones on disk.
    held: Vec<Box<[ScoreEntry]>>,
    /// Where blocks on disk begin.
    blocks: Vec<u64>,
    pending: Vec<ScoreEntry>,
}

impl ScoreLog {
    /// An empty log; `folder` is where the temporary file would go.
    pub fn new(folder: PathBuf) -> Self {
        ScoreLog::holding(folder, HELD_BLOCKS)
    }

    fn holding(folder: PathBuf, room: usize) -> Self {
        ScoreLog {
            folder,
            file: None,
            written: 0,
            room,
            groups: BTreeMap::new(),
            answered: Vec::new(),
            clusters: Names::default(),
            dimensions: DimensionSums::default(),
        }
    }

    /// Adds the records of a chunk, with the clusters that they were given; chunks must come in
    /// input order.
    pub fn add(&mut self, evaluated: &Evaluated, clusters: &StringArray) -> io::Result<()> {
        for (at, row) in evaluated.records.iter().enumerate() {
            let scores = &row.scores;
            let entry = ScoreEntry {
                sample: row.sample,
                cluster: self.cluster(clusters, at),
                passed: scores.passed,
                availability: scores.availability,
                constraint: scores.constraint,
                error: scores.error,
                total: scores.total,
                mae: scores.mae,
            };
            self.push((row.task, row.model), entry)?;
        }
        let width = evaluated.dimensions.len() / evaluated.records.len().max(1);
        if width > 0 {
            let dimensions = evaluated.dimensions.chunks(width);
            for (row, dimensions) in evaluated.records.iter().zip(dimensions) {
                let key = (row.task, row.model);
                self.dimensions.add(key, dimensions, row.scores.total);
            }
        }
        Ok(())
    }

    /// The number of the cluster that a record was given.
    pub fn cluster(&mut self, clusters: &StringArray, at: usize) -> Option<NonZeroU32> {
        let given = clusters.is_valid(at).then(|| clusters.value(at))?;
        NonZeroU32::new(self.clusters.number(given) + 1)
    }

    /// Adds a record; records must come in input order.
    pub fn push(&mut self, key: GroupKey, entry: ScoreEntry) -> io::Result<()> {
        let sample = entry.sample as usize;
        if self.answered.len() <= sample {
            self.answered.resize(sample + 1, false);
        }
        self.answered[sample] |= !entry.passed || !entry.total.is_nan();
        let group = self.groups.entry(key).or_default();
        group.pending.push(entry);
        if group.pending.len() < BLOCK_ENTRIES {
            return Ok(());
        }
        // Though it may never be needed: where there can be none, that shows at once.
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder)?),
        };
        if self.room > 0 {
            self.room -= 1;
            let next = Vec::with_capacity(BLOCK_ENTRIES);
            let block = std::mem::replace(&mut group.pending, next);
            group.held.push(block.into_boxed_slice());
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(BLOCK_ENTRIES * ENTRY_BYTES);
        group
            .pending
            .drain(..)
            .for_each(|entry| write_entry(&entry, &mut bytes));
        file.write_all(&bytes)?;
        group.blocks.push(self.written);
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Whether samples have a record that counts, if the sample does; up to the last one answered.
    pub fn answered(&self) -> &[bool] {
        &self.answered
    }

    /// Calls `each` with every entry.
    pub fn replay_all(&self, each: &mut dyn FnMut(&ScoreEntry)) -> io::Result<()> {
        let keys: Vec<GroupKey> = self.groups.keys().copied().collect();
        self.replay(&keys, each)
    }

    /// How many entries some groups have.
    pub fn count(&self, keys: &[GroupKey]) -> usize {
        let of_group = |group: &Group| {
            (group.held.len() + group.blocks.len()) * BLOCK_ENTRIES + group.pending.len()
        };
        keys.iter()
            .filter_map(|key| self.groups.get(key))
            .map(of_group)
            .sum()
    }

    /// Calls `each` with every entry of some groups: group by group, each in input order.
    pub fn replay(&self, keys: &[GroupKey], each: &mut dyn FnMut(&ScoreEntry)) -> io::Result<()> {
        let mut bytes = [0; BLOCK_ENTRIES * ENTRY_BYTES];
        for group in keys.iter().filter_map(|key| self.groups.get(key)) {
            group.held.iter().flatten().for_each(&mut *each);
            if let Some(file) = &self.file {
                for offset in &group.blocks {
                    Following::new(file, *offset).read_exact(&mut bytes)?;
                    bytes
                        .chunks_exact(ENTRY_BYTES)
                        .for_each(|bytes| each(&read_entry(bytes)));
                }
            }
            group.pending.iter().for_each(&mut *each);
        }
        Ok(())
    }

    /// The entries of some groups, held in memory if they are not too many.
    pub fn select<'a>(&'a self, keys: &'a [GroupKey]) -> io::Result<Selection<'a>> {
        let mut loaded = None;
        let mut groups = keys.iter().filter_map(|key| self.groups.get(key));
        let on_disk = groups.any(|group| !group.blocks.is_empty());
        if on_disk && self.count(keys) <= IN_MEMORY_ENTRIES {
            let groups = keys.iter().map(|key| {
                let mut entries = Vec::with_capacity(self.count(&[*key]));
                self.replay(&[*key], &mut |entry| entries.push(*entry))?;
                Ok((key.1, entries))
            });
            loaded = Some(groups.collect::<io::Result<_>>()?);
        }
        Ok(Selection {
            log: self,
            keys,
            loaded,
        })
    }
}

/// The entries of some groups, to be gone through several times.
pub struct Selection<'a> {
    log: &'a ScoreLog,
    keys: &'a [GroupKey],
    loaded: Option<Vec<(u32, Vec<ScoreEntry>)>>,
}

impl Selection<'_> {
    /// How many entries there are.
    pub fn count(&self) -> usize {
        self.log.count(self.keys)
    }

    /// Calls `each` with every model and entry, in the same order each time.
    pub fn replay(&self, each: &mut dyn FnMut(u32, &ScoreEntry)) -> io::Result<()> {
        match &self.loaded {
            Some(groups) => {
                for (model, entries) in groups {
                    entries.iter().for_each(|entry| each(*model, entry));
                }
                Ok(())
            }
            None => self
                .keys
                .iter()
                .try_for_each(|key| self.log.replay(&[*key], &mut |entry| each(key.1, entry))),
        }
    }
}

fn write_entry(entry: &ScoreEntry, out: &mut Vec<u8>) {
    out.extend_from_slice(&entry.sample.to_le_bytes());
    let cluster = entry.cluster.map_or(0, NonZeroU32::get);
    out.extend_from_slice(&(cluster << 1 | u32::from(entry.passed)).to_le_bytes());
    for value in [
        entry.availability,
        entry.constraint,
        entry.error,
        entry.total,
        entry.mae,
    ] {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn read_entry(bytes: &[u8]) -> ScoreEntry {
    let word = |at: usize| {
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[at..at + 4]);
        u32::from_le_bytes(word)
    };
    let double = |at: usize| f64::from_bits(u64::from(word(at)) | u64::from(word(at + 4)) << 32);
    ScoreEntry {
        sample: word(0),
        cluster: NonZeroU32::new(word(4) >> 1),
        passed: word(4) & 1 == 1,
        availability: double(8),
        constraint: double(16),
        error: double(24),
        total: double(32),
        mae: double(40),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_the_disk_to_the_bit() {
        let entry = ScoreEntry {
            sample: 7,
            cluster: NonZeroU32::new(3),
            passed: true,
            availability: 100.0,
            constraint: f64::NAN,
            error: -0.0,
            total: 1e-300,
            mae: f64::MAX,
        };
        let mut bytes = Vec::new();
        write_entry(&entry, &mut bytes);
        assert_eq!(bytes.len(), ENTRY_BYTES);
        let back = read_entry(&bytes);
        assert_eq!(back.constraint.to_bits(), entry.constraint.to_bits());
        assert_eq!(back.error.to_bits(), entry.error.to_bits());
        assert_eq!(
            (back.sample, back.cluster, back.passed),
            (7, entry.cluster, true)
        );
        assert_eq!((back.total, back.mae), (1e-300, f64::MAX));
    }
}

#[cfg(test)]
#[path = "scores_tests.rs"]
pub(super) mod log_tests;
