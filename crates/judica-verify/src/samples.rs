//! Samples: the questions and their gold answers, kept as numbers, and as values of other
//! kinds where a protocol has them.

mod load;
mod piece;
mod read;

use rustc_hash::FxHashMap;

use crate::evidence::Known;
use crate::line::{Entry, Refusal};
use crate::protocol::Protocol;
use crate::summary::scored::Items;
use crate::value::Value;
pub use load::SampleLoader;
pub use read::{GivenGold, GoldReading};

/// One sample.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Its id.
    pub id: Box<str>,
    /// Position of its task in the protocol.
    pub task: u32,
    /// What it stands or falls with: a position among the names of clusters.
    cluster: Option<u32>,
    /// Where its gold values begin, or `None` without usable gold.
    gold_at: Option<usize>,
    /// Where its current state begins, or `None` without one.
    state_at: Option<usize>,
}

/// All samples of a run.
#[derive(Debug, Default)]
pub struct Samples {
    list: Vec<Sample>,
    by_id: FxHashMap<Box<str>, u32>,
    values: Vec<f64>,
    /// The same places, of a protocol that has others than numbers.
    held: Vec<Value>,
    clusters: Vec<Box<str>>,
    cluster_by_name: FxHashMap<Box<str>, u32>,
    /// How many each file gave.
    by_file: Vec<u64>,
    /// What they say, where a run keeps that.
    texts: Vec<Texts>,
    /// Their records, one after the other, where a program is to be given them.
    lines: Vec<u8>,
    /// Where each ends there.
    line_ends: Vec<usize>,
}

/// What a sample says, as it stands in the file.
#[derive(Debug, Default)]
pub struct Texts {
    input: Option<Box<str>>,
    target: Option<Box<str>>,
}

impl Texts {
    /// What is asked.
    pub fn input(&self) -> Option<&str> {
        self.input.as_deref()
    }

    /// What is expected.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }
}

impl Samples {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many samples a file gave.
    pub fn of_file(&self, file: usize) -> u64 {
        self.by_file.get(file).copied().unwrap_or(0)
    }

    /// The sample at a position.
    pub fn get(&self, index: u32) -> &Sample {
        &self.list[index as usize]
    }

    /// Whether any sample names what it stands or falls with.
    pub fn has_clusters(&self) -> bool {
        !self.clusters.is_empty()
    }

    /// What a sample stands or falls with.
    pub fn cluster(&self, index: u32) -> Option<&str> {
        let cluster = self.get(index).cluster?;
        Some(&self.clusters[cluster as usize])
    }

    /// The number of a cluster, new or known.
    fn cluster_number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.cluster_by_name.get(name) {
            return *known;
        }
        let number = self.clusters.len() as u32;
        self.clusters.push(name.into());
        self.cluster_by_name.insert(name.into(), number);
        number
    }

    /// What a sample says; of a run that keeps it.
    pub fn texts(&self, index: u32) -> &Texts {
        &self.texts[index as usize]
    }

    /// The record of a sample, of a protocol whose programs are given it.
    pub fn line(&self, index: u32) -> &[u8] {
        let start = match index {
            0 => 0,
            _ => self.line_ends[index as usize - 1],
        };
        &self.lines[start..self.line_ends[index as usize]]
    }

    /// The sample in this place, if there are so many.
    pub fn nth(&self, index: u32) -> Option<&Sample> {
        self.list.get(index as usize)
    }

    /// All samples in input order.
    pub fn iter(&self) -> impl Iterator<Item = &Sample> {
        self.list.iter()
    }

    /// The position of the sample with this id. `guess` is tried first: outputs
    /// mostly come in the order of the samples.
    pub fn find(&self, id: &str, guess: u32) -> Option<u32> {
        match self.list.get(guess as usize) {
            Some(sample) if &*sample.id == id => Some(guess),
            _ => self.by_id.get(id).copied(),
        }
    }

    /// The gold values of a sample: `horizon` per field.
    pub fn gold(&self, protocol: &Protocol, sample: &Sample) -> Option<Known<'_>> {
        let width = protocol.fields.len() * protocol.tasks[sample.task as usize].horizon;
        sample.gold_at.map(|at| self.known(at, width))
    }

    fn known(&self, at: usize, width: usize) -> Known<'_> {
        Known {
            numbers: &self.values[at..at + width],
            values: self.held.get(at..at + width).unwrap_or_default(),
        }
    }

    fn truncate(&mut self, at: usize) {
        self.values.truncate(at);
        self.held.truncate(at);
    }

    /// Whether a sample has a gold value to compare with.
    pub fn has_gold(&self, index: u32) -> bool {
        self.get(index).gold_at.is_some()
    }

    /// The current state of a sample: one value per field.
    pub fn current_state(&self, protocol: &Protocol, sample: &Sample) -> Option<Known<'_>> {
        let fields = protocol.fields.len();
        sample.state_at.map(|at| self.known(at, fields))
    }
}

/// Samples with the names of their tasks.
pub struct OfProtocol<'a> {
    /// The protocol that names tasks.
    pub protocol: &'a Protocol,
    /// The samples.
    pub samples: &'a Samples,
}

impl Items for OfProtocol<'_> {
    fn key(&self, sample: u32) -> (&str, &str) {
        let sample = self.samples.get(sample);
        (&self.protocol.tasks[sample.task as usize].name, &sample.id)
    }

    fn has_gold(&self, sample: u32) -> bool {
        self.samples.has_gold(sample)
    }
}

/// The refusal for a task the protocol does not name.
pub fn unknown_task(protocol: &Protocol, name: &str) -> Refusal {
    let known: Vec<&str> = protocol
        .tasks
        .iter()
        .map(|task| task.name.as_str())
        .collect();
    Refusal::new(
        "unknown_task",
        format!("task `{name}` is none of {}", known.join(", ")),
    )
}

/// The id of a record without one: `<task>_000` for the first of its file.
pub fn line_identifier(task: &str, position: u64) -> Box<str> {
    format!("{task}_{:03}", position.saturating_sub(1)).into()
}

/// The identifier in an entry, or the one made from the line where there is none.
pub fn identifier_or_line(
    entry: Option<Entry>,
    key: &str,
    from_line: impl FnOnce() -> Box<str>,
) -> Result<Box<str>, Refusal> {
    match entry {
        Some(entry) => match entry.identifier(&mut Vec::new()) {
            Some(id) => Ok(id.into()),
            None => Err(Refusal::new(
                "invalid_sample_id",
                format!("{key} must be text or a number"),
            )),
        },
        None => Ok(from_line()),
    }
}

#[cfg(test)]
#[path = "samples_tests.rs"]
mod tests;
