//! Outputs: what models answered. A chunk of lines becomes a [`Batch`]: the numbers
//! of every response side by side, ready to be verified.

use judica_data::chunks::{Chunk, RawRecord};
use judica_data::json::ValueKind;
use judica_data::json::shape::Shapes;
use rustc_hash::FxHashMap;

use crate::beside::{Beside, Told};
use crate::evidence::Known;
use crate::line::{Capture, Entry, Refusal, pick};
use crate::protocol::Protocol;
use crate::response::{FieldSink, FieldState, MAX_BYTES, ParseOutcome, ResponseReader, excerpt};
use crate::samples::{Samples, line_identifier, unknown_task};
use crate::value::Value;

mod shape;

use self::shape::OutputShape;

/// Where an output stands in its chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InChunk {
    /// Where its line begins in the chunk's data.
    pub start: usize,
    /// Length of the line.
    pub length: usize,
    /// The fingerprint of the line.
    pub hash: u64,
}

/// One output that names a known sample and task.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Where it stands.
    pub place: InChunk,
    /// Line number from 1.
    pub line: u64,
    /// The model, as a position in [`Batch::models`].
    pub model: u32,
    /// The sample.
    pub sample: u32,
    /// The task.
    pub task: u32,
    /// How the response was read.
    pub outcome: ParseOutcome,
    /// What its line says beside the answer: a position in [`Batch::beside`].
    pub beside: Option<u32>,
    /// Where its values begin in [`Batch::values`].
    pub values_at: usize,
    /// Where its unusable values begin in [`Batch::texts`].
    pub texts_at: usize,
}

/// A line that was not taken.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Where its line begins in the chunk's data.
    pub start: usize,
    /// Length of the line.
    pub length: usize,
    /// Line number from 1.
    pub line: u64,
    /// Why.
    pub refusal: Refusal,
}

/// The outputs of one chunk.
#[derive(Debug, Default)]
pub struct Batch {
    /// Outputs in input order.
    pub outputs: Vec<Output>,
    /// Refused lines in input order.
    pub refused: Vec<Refused>,
    /// Models in order of first appearance in the chunk.
    pub models: Vec<Box<str>>,
    /// One state per field and output.
    pub states: Vec<FieldState>,
    /// `horizon` values per field and output.
    pub values: Vec<f64>,
    /// The same places, of a protocol that has others than numbers.
    pub held: Vec<Value>,
    /// Unusable values: (slot, what stood there). For a response that was not read,
    /// one entry with its beginning.
    pub texts: Vec<(u32, Box<str>)>,
    /// What lines say beside their answers, those that say anything.
    pub beside: Vec<Beside>,
    /// The names of clusters, one after the other.
    clusters: String,
}

impl Batch {
    /// What a line says beside its answer.
    pub fn beside_of(&self, beside: Option<u32>) -> Option<&Beside> {
        beside.map(|at| &self.beside[at as usize])
    }

    /// Which repeat of its question an answer is, from 1.
    pub fn epoch(&self, beside: Option<u32>) -> i32 {
        self.beside_of(beside).map_or(1, |beside| beside.epoch)
    }

    /// What a line itself says that its answer stands or falls with.
    pub fn cluster(&self, beside: Option<u32>) -> Option<&str> {
        let (start, end) = self.beside_of(beside)?.cluster?;
        Some(&self.clusters[start..end])
    }

    fn push_beside(&mut self, beside: Beside) -> u32 {
        self.beside.push(beside);
        self.beside.len() as u32 - 1
    }

    /// The values of an output's fields.
    pub fn known(&self, output: &Output, width: usize) -> Known<'_> {
        let at = output.values_at..output.values_at + width;
        Known {
            numbers: &self.values[at.clone()],
            values: self.held.get(at).unwrap_or_default(),
        }
    }

    /// The states of an output's fields.
    pub fn states_of(&self, index: usize, fields: usize) -> &[FieldState] {
        &self.states[index * fields..(index + 1) * fields]
    }

    /// The unusable values of an output.
    pub fn texts_of(&self, index: usize) -> &[(u32, Box<str>)] {
        let end = self
            .outputs
            .get(index + 1)
            .map_or(self.texts.len(), |next| next.texts_at);
        &self.texts[self.outputs[index].texts_at..end]
    }
}

/// What outputs are read against.
#[derive(Clone, Copy)]
pub struct OutputContext<'p> {
    /// The protocol.
    pub protocol: &'p Protocol,
    /// The samples.
    pub samples: &'p Samples,
    /// The task of outputs that name none, and whose sample is not known by id.
    pub default_task: Option<&'p str>,
    /// The model of outputs that name none.
    pub default_model: Option<&'p str>,
    /// What the place of each file says of its lines; nothing for files beyond the last.
    pub of_files: &'p [OfFile<'p>],
}

/// What the place of a file says of its lines, where they do not say it themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfFile<'p> {
    /// Their task.
    pub task: Option<u32>,
    /// Their model.
    pub model: Option<&'p str>,
}

/// The key whose string is decoded while the line is read.
const CAPTURED: &str = "raw_response_text";
const KEYS: [&str; 8] = [
    "model_name",
    "model",
    "sample_id",
    "id",
    "raw_response_text",
    "response",
    "task_id",
    "task",
];
/// Which of them hold the answer.
const RESPONSES: [usize; 2] = [4, 5];
/// Which of them name the task.
const TASKS: [usize; 2] = [6, 7];

/// How large the last batch was: chunks are alike, and growing step by step copies.
#[derive(Debug, Default)]
struct Room {
    outputs: usize,
    states: usize,
    values: usize,
}

impl Room {
    fn of(batch: &Batch) -> Room {
        Room {
            outputs: batch.outputs.len(),
            states: batch.states.len(),
            values: batch.values.len(),
        }
    }

    /// An empty batch with room for as much again, and a little more.
    fn batch(&self) -> Batch {
        let more = |n: usize| n + n / 16;
        Batch {
            outputs: Vec::with_capacity(more(self.outputs)),
            states: Vec::with_capacity(more(self.states)),
            values: Vec::with_capacity(more(self.values)),
            ..Batch::default()
        }
    }
}

/// Reads chunks of outputs. Holds scratch memory: one per thread.
pub struct OutputReader<'p> {
    context: OutputContext<'p>,
    reader: ResponseReader<'p>,
    models: FxHashMap<Box<str>, u32>,
    last_model: Option<u32>,
    of_file: OfFile<'p>,
    next_sample: u32,
    id_buffer: Vec<u8>,
    text_buffer: Vec<u8>,
    captured: Vec<u8>,
    shapes: Shapes<OutputShape>,
    room: Room,
}

impl<'p> OutputReader<'p> {
    /// A reader.
    pub fn new(context: OutputContext<'p>) -> Self {
        OutputReader {
            context,
            reader: ResponseReader::new(context.protocol),
            models: FxHashMap::default(),
            last_model: None,
            of_file: OfFile::default(),
            next_sample: 0,
            id_buffer: Vec::new(),
            text_buffer: Vec::new(),
            captured: Vec::new(),
            shapes: Shapes::default(),
            room: Room::default(),
        }
    }

    /// The protocol.
    pub fn protocol(&self) -> &'p Protocol {
        self.context.protocol
    }

    /// Reads every line of a chunk.
    pub fn read(&mut self, chunk: &Chunk) -> Batch {
        let mut batch = self.room.batch();
        self.models.clear();
        self.last_model = None;
        self.of_file = self
            .context
            .of_files
            .get(chunk.file)
            .copied()
            .unwrap_or_default();
        for record in chunk.records() {
            let start = chunk.start_of(&record);
            let length = record.bytes.len();
            let taken = match record.fault {
                Some(fault) => Err(fault.refusal()),
                None if self.take_by_shape(&record, start, &mut batch) => Ok(()),
                None => {
                    let read = self.read_line(&record, start, &mut batch);
                    read.map(|()| self.learn_shape(record.bytes, &batch))
                }
            };
            if let Err(refusal) = taken {
                batch.refused.push(Refused {
                    start,
                    length,
                    line: record.line,
                    refusal,
                });
            }
        }
        self.room = Room::of(&batch);
        batch
    }

    fn read_line(
        &mut self,
        record: &RawRecord,
        start: usize,
        batch: &mut Batch,
    ) -> Result<(), Refusal> {
        let bytes = record.bytes;
        let mut told = Told::nothing();
        let mut entries = [None; 8];
        let mut text = std::mem::take(&mut self.captured);
        let picked = pick(
            bytes,
            &KEYS,
            &mut entries,
            Some(Capture {
                key: CAPTURED,
                text: &mut text,
                // What is longer is not read, and a record shows its beginning.
                most: MAX_BYTES + 4,
            }),
            &mut |key, entry| told.take(key, entry),
        );
        self.captured = text;
        picked?;
        let [
            model_name,
            model,
            sample_id,
            id,
            raw_response_text,
            response,
            task_id,
            task,
        ] = entries;
        let response = given(raw_response_text)
            .or(given(response))
            .ok_or_else(|| {
                Refusal::new(
                    "missing_response",
                    "the line has no raw_response_text (or response)",
                )
            })?;
        if !matches!(response.kind, ValueKind::String | ValueKind::Object) {
            let detail = format!(
                "raw_response_text must be text or an object, found {:?}",
                response.kind
            );
            return Err(Refusal::new("invalid_response", detail));
        }
        let named_task = self.task_of(given(task_id).or(given(task)).as_ref())?;
        let name = given(sample_id).or(given(id));
        let sample = self.sample_of(name.as_ref(), named_task, record.position)?;
        let task = self.context.samples.get(sample).task;
        if let Some(named) = named_task
            && named != task
        {
            let name = |task: u32| &self.context.protocol.tasks[task as usize].name;
            let detail = format!(
                "the output is for task `{}`, its sample for `{}`",
                name(named),
                name(task)
            );
            return Err(Refusal::new("task_mismatch", detail));
        }
        let beside = told.finish(&mut batch.clusters)?;
        let model = self.model_of(given(model_name).or(given(model)).as_ref(), batch)?;
        let beside = beside.map(|beside| batch.push_beside(beside));
        let place = InChunk {
            start,
            length: bytes.len(),
            hash: record.found().hash,
        };
        let output = Output {
            place,
            line: record.line,
            model,
            sample,
            task,
            outcome: ParseOutcome::Direct,
            beside,
            values_at: batch.values.len(),
            texts_at: batch.texts.len(),
        };
        self.take(output, response, batch);
        Ok(())
    }

    /// The model and the task of an output, if its line says them: all that is read of it.
    /// `models` holds models by their numbers.
    pub fn series(
        &mut self,
        of_file: OfFile<'p>,
        record: &RawRecord,
        models: &mut Batch,
    ) -> Option<(u32, u32)> {
        self.of_file = of_file;
        let mut entries = [None; 8];
        if record.fault.is_some() {
            return None;
        }
        pick(record.bytes, &KEYS, &mut entries, None, &mut |_, _| ()).ok()?;
        let [model_name, model, sample_id, id, _, _, task_id, task] = entries;
        let task = given(task_id).or(given(task));
        let task = self.task_of(task.as_ref()).ok()?;
        let name = given(sample_id).or(given(id));
        let sample = self.sample_of(name.as_ref(), task, record.position);
        let task = self.context.samples.get(sample.ok()?).task;
        let model = self.model_of(given(model_name).or(given(model)).as_ref(), models);
        Some((model.ok()?, task))
    }

    /// Reads the response of an output.
    fn take(&mut self, mut output: Output, response: Entry, batch: &mut Batch) {
        let protocol = self.context.protocol;
        let task = &protocol.tasks[output.task as usize];
        let width = protocol.fields.len() * task.horizon;
        let (states_at, values_at) = (batch.states.len(), output.values_at);
        batch
            .states
            .resize(states_at + protocol.fields.len(), FieldState::Missing);
        batch.values.resize(values_at + width, f64::NAN);
        if protocol.is_mixed() {
            batch.held.resize(values_at + width, Value::Nothing);
        }
        let text = match (&response.string, response.kind) {
            (Some(string), _) => string.decode(&mut self.text_buffer),
            (None, ValueKind::String) => &self.captured,
            (None, _) => response.span,
        };
        // The line was checked to be UTF-8 and escapes decode to it.
        let text = std::str::from_utf8(text).unwrap_or_default();
        let mut sink = FieldSink {
            states: &mut batch.states[states_at..],
            values: &mut batch.values[values_at..],
            held: batch.held.get_mut(values_at..).unwrap_or_default(),
            texts: &mut batch.texts,
            texts_before: output.texts_at,
        };
        output.outcome = self.reader.read(text, task, &mut sink);
        if !output.outcome.succeeded() {
            batch.texts.push((0, excerpt(text.as_bytes())));
        }
        batch.outputs.push(output);
    }

    fn task_of(&mut self, entry: Option<&Entry>) -> Result<Option<u32>, Refusal> {
        let Some(entry) = entry else {
            return Ok(self.of_file.task);
        };
        // There are few, and to compare is quicker than to look up.
        let mut tasks = self.context.protocol.tasks.iter();
        if let Some(task) = tasks.position(|task| entry.is_plainly(&task.name)) {
            return Ok(Some(task as u32));
        }
        let name = entry
            .identifier(&mut self.id_buffer)
            .ok_or_else(|| Refusal::new("invalid_task", "task_id must be text"))?;
        match self.context.protocol.task_index(name) {
            Some(task) => Ok(Some(task as u32)),
            None => Err(unknown_task(self.context.protocol, name)),
        }
    }

    fn sample_of(
        &mut self,
        entry: Option<&Entry>,
        task: Option<u32>,
        position: u64,
    ) -> Result<u32, Refusal> {
        let samples = self.context.samples;
        // Answers mostly come in the order of their questions.
        let next = samples.nth(self.next_sample);
        if let (Some(entry), Some(next)) = (entry, next)
            && entry.is_plainly(&next.id)
        {
            self.next_sample += 1;
            return Ok(self.next_sample - 1);
        }
        let by_line;
        let id = match entry {
            Some(entry) => entry.identifier(&mut self.id_buffer).ok_or_else(|| {
                Refusal::new("invalid_sample_id", "sample_id must be text or a number")
            })?,
            None => {
                let named =
                    task.map(|task| self.context.protocol.tasks[task as usize].name.as_str());
                let named = named.or(self.context.default_task);
                let Some(task) = named.or(self.context.protocol.only_task()) else {
                    let detail = "the line has no sample_id (or id), and no task by which its line number could name one";
                    return Err(Refusal::new("missing_sample_id", detail));
                };
                by_line = line_identifier(task, position);
                &*by_line
            }
        };
        let found = samples.find(id, self.next_sample).ok_or_else(|| {
            Refusal::new(
                "unknown_sample",
                format!("no sample `{}`", excerpt(id.as_bytes())),
            )
        })?;
        self.next_sample = found + 1;
        Ok(found)
    }

    fn model_of(&mut self, entry: Option<&Entry>, batch: &mut Batch) -> Result<u32, Refusal> {
        // Lines of one model mostly stand together.
        let last = self
            .last_model
            .map(|last| (last, &*batch.models[last as usize]));
        if let (Some((last, name)), Some(entry)) = (last, entry)
            && entry.is_plainly(name)
        {
            return Ok(last);
        }
        let invalid = || Refusal::new("invalid_model_name", "model_name must be text or a number");
        let name = match entry {
            Some(entry) => Some(entry.identifier(&mut self.id_buffer).ok_or_else(invalid)?),
            None => None,
        };
        // A blank name is none.
        let name = name
            .filter(|name| !name.trim().is_empty())
            .or(self.of_file.model)
            .or(self.context.default_model);
        let Some(name) = name else {
            let detail = "the line has no model_name (or model), and no --model was given";
            return Err(Refusal::new("missing_model_name", detail));
        };
        if let Some((last, _)) = last.filter(|(_, last)| *last == name) {
            return Ok(last);
        }
        let model = match self.models.get(name) {
            Some(model) => *model,
            None => {
                let model = batch.models.len() as u32;
                batch.models.push(name.into());
                self.models.insert(name.into(), model);
                model
            }
        };
        self.last_model = Some(model);
        Ok(model)
    }
}

/// The response in a line that was taken, as text.
pub fn response_text(line: &[u8]) -> Option<String> {
    let mut entries = [None; 8];
    pick(line, &KEYS, &mut entries, None, &mut |_, _| ()).ok()?;
    let response = given(entries[4]).or(given(entries[5]))?;
    let mut buffer = Vec::new();
    let text = match &response.string {
        Some(string) => string.decode(&mut buffer),
        None => response.span,
    };
    String::from_utf8(text.to_vec()).ok()
}

/// A key that is there and not null.
pub fn given(entry: Option<Entry>) -> Option<Entry> {
    entry.filter(|entry| entry.kind != ValueKind::Null)
}
