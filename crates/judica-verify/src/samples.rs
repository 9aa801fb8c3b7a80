//! Samples: the questions and their gold answers, kept as numbers only.

use judica_data::chunks::{ChunkReader, RawRecord};
use judica_data::error::DataError;
use judica_data::json::{Scanner, ValueKind};
use rustc_hash::FxHashMap;

use crate::line::{Entry, Refusal, pick, pick_object};
use crate::outputs::given;
use crate::protocol::{JumpReference, Protocol, Shape, Task};
use crate::response::{FieldSink, FieldState, ResponseReader};

/// One sample.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Its id.
    pub id: Box<str>,
    /// Position of its task in the protocol.
    pub task: u32,
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
    /// How many each file gave.
    by_file: Vec<u64>,
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

    /// The gold values of a sample: `horizon` per field, NaN where there is none.
    pub fn gold(&self, protocol: &Protocol, sample: &Sample) -> Option<&[f64]> {
        let width = protocol.fields.len() * protocol.tasks[sample.task as usize].horizon;
        sample.gold_at.map(|at| &self.values[at..at + width])
    }

    /// The current state of a sample: one value per field, NaN where there is none.
    pub fn current_state(&self, protocol: &Protocol, sample: &Sample) -> Option<&[f64]> {
        sample
            .state_at
            .map(|at| &self.values[at..at + protocol.fields.len()])
    }
}

/// Reads samples line by line.
pub struct SampleLoader<'p> {
    protocol: &'p Protocol,
    reader: ResponseReader<'p>,
    default_task: Option<String>,
    samples: Samples,
    states: Vec<FieldState>,
    texts: Vec<(u32, Box<str>)>,
}

const KEYS: [&str; 8] = [
    "sample_id",
    "id",
    "task_id",
    "task",
    "context",
    "gold",
    "next_second",
    "T+1",
];
const GOLD_KEYS: [&str; 3] = ["next_second", "T+1", "available"];

impl<'p> SampleLoader<'p> {
    /// A loader; `default_task` is for samples that name none.
    pub fn new(protocol: &'p Protocol, default_task: Option<String>) -> Self {
        SampleLoader {
            protocol,
            reader: ResponseReader::new(protocol),
            default_task,
            samples: Samples::default(),
            states: vec![FieldState::Missing; protocol.fields.len()],
            texts: Vec::new(),
        }
    }

    /// Takes one record; `position` is its number in the file, from 1, by which it is
    /// called if it has no id.
    pub fn add(&mut self, bytes: &[u8], position: u64) -> Result<(), Refusal> {
        let mut entries = [None; 8];
        pick(bytes, &KEYS, &mut entries, None)?;
        let [
            sample_id,
            id,
            task_id,
            task,
            context,
            gold,
            next_second,
            t_plus_1,
        ] = entries.map(given);
        let task = self.task_of(task_id.or(task))?;
        let id = identifier_or_line(sample_id.or(id), "sample_id", || {
            line_identifier(&self.protocol.tasks[task].name, position)
        })?;
        if self.samples.by_id.contains_key(&id) {
            return Err(Refusal::new(
                "duplicate_sample",
                format!("sample `{id}` was given before"),
            ));
        }
        let gold_at = self.read_gold(task, gold, next_second.or(t_plus_1))?;
        let state_at = match self.protocol.jump_reference {
            JumpReference::CurrentState => self.read_state(context),
            JumpReference::PreviousOutput => None,
        };
        let index = u32::try_from(self.samples.list.len())
            .map_err(|_| Refusal::new("too_many_samples", "more than 4,294,967,295 samples"))?;
        self.samples.by_id.insert(id.clone(), index);
        self.samples.list.push(Sample {
            id,
            task: task as u32,
            gold_at,
            state_at,
        });
        Ok(())
    }

    /// Takes every record of `reader`; `refused` hears of those that cannot be taken, with
    /// the number of their file, and decides whether to go on.
    pub fn load<E: From<DataError>>(
        mut self,
        reader: &mut ChunkReader,
        mut refused: impl FnMut(usize, &RawRecord, Refusal) -> Result<(), E>,
    ) -> Result<Samples, E> {
        while let Some(chunk) = reader.next_chunk()? {
            let mut used = 0;
            for record in chunk.records() {
                let taken = match record.fault {
                    Some(fault) => Err(fault.refusal()),
                    None => self.add(record.bytes, record.position),
                };
                match taken {
                    Ok(()) => used += 1,
                    Err(refusal) => refused(chunk.file, &record, refusal)?,
                }
            }
            self.samples.by_file.resize(chunk.file + 1, 0);
            self.samples.by_file[chunk.file] += used;
            reader.recycle(chunk);
        }
        Ok(self.finish())
    }

    /// All samples taken so far.
    pub fn finish(self) -> Samples {
        self.samples
    }

    fn task_of(&self, entry: Option<Entry>) -> Result<usize, Refusal> {
        let mut buffer = Vec::new();
        let named = match &entry {
            Some(entry) => match entry.identifier(&mut buffer) {
                Some(name) => Some(name),
                None => return Err(Refusal::new("invalid_task", "task_id must be text")),
            },
            None => self.default_task.as_deref(),
        };
        let Some(name) = named else {
            return Err(Refusal::new(
                "missing_task",
                "the line names no task_id and no --task was given",
            ));
        };
        self.protocol
            .task_index(name)
            .ok_or_else(|| unknown_task(self.protocol, name))
    }

    /// Finds the gold object: inside `gold`, or at the top of the line.
    fn read_gold(
        &mut self,
        task: usize,
        gold: Option<Entry>,
        top: Option<Entry>,
    ) -> Result<Option<usize>, Refusal> {
        let mut object = top;
        if let Some(gold) = gold.filter(|gold| gold.kind == ValueKind::Object) {
            let mut inner = [None; 3];
            pick_object(
                &mut Scanner::new(gold.span, 0),
                &GOLD_KEYS,
                &mut inner,
                None,
            )
            .map_err(|_| Refusal::new("malformed_json", "the gold object is malformed"))?;
            let [next_second, t_plus_1, available] = inner.map(given);
            if available.is_some_and(|entry| entry.span == b"false") {
                return Ok(None);
            }
            object = next_second.or(t_plus_1).or(top);
        }
        let task = &self.protocol.tasks[task];
        Ok(object.and_then(|entry| self.read_values(entry, task)))
    }

    fn read_state(&mut self, context: Option<Entry>) -> Option<usize> {
        let context = context.filter(|context| context.kind == ValueKind::Object)?;
        let mut inner = [None; 1];
        pick_object(
            &mut Scanner::new(context.span, 0),
            &["current_state"],
            &mut inner,
            None,
        )
        .ok()?;
        // A state is one moment, whatever the tasks ask for.
        let moment = Task {
            name: String::new(),
            shape: Shape::Scalar,
            horizon: 1,
            description: String::new(),
        };
        self.read_values(inner[0]?, &moment)
    }

    /// Reads an object (or text holding one) by the rules of a response, and keeps
    /// its values: what is a valid prediction is a valid gold.
    fn read_values(&mut self, entry: Entry, task: &Task) -> Option<usize> {
        let mut buffer = Vec::new();
        let text = match (entry.kind, &entry.string) {
            (ValueKind::Object, _) => entry.span,
            (ValueKind::String, Some(string)) => string.decode(&mut buffer),
            _ => return None,
        };
        let text = std::str::from_utf8(text).ok()?;
        let at = self.samples.values.len();
        self.samples
            .values
            .resize(at + self.protocol.fields.len() * task.horizon, f64::NAN);
        self.texts.clear();
        let mut sink = FieldSink {
            states: &mut self.states,
            values: &mut self.samples.values[at..],
            texts: &mut self.texts,
            texts_before: 0,
        };
        if self.reader.read(text, task, &mut sink).succeeded() {
            return Some(at);
        }
        self.samples.values.truncate(at);
        None
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
