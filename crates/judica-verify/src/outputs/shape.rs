//! Outputs read by the shape of their lines ([`judica_data::json::shape`]).
//!
//! The answers of one model repeat keys, order and blanks, also inside the text that they are
//! mostly written as. So the numbers of an answer are read where they stand in the line, without
//! undoing its escapes first. What is not a line of finite numbers in known places is left to
//! the long way.

use judica_data::chunks::RawRecord;
use judica_data::json::number::json_number;
use judica_data::json::scan::{RawString, same_bytes};
use judica_data::json::shape::Shape;
use judica_data::json::text::{plain_run_end, unescape_one};
use judica_data::json::{Scanner, ValueKind};

use super::{Batch, InChunk, KEYS, Output, OutputReader, RESPONSES, TASKS};
use crate::beside::{self, Told};
use crate::line::Entry;
use crate::protocol::{self, Protocol, Task};
use crate::response::{FieldState, MAX_DEPTH, ParseOutcome};

/// Longer lines are nothing that repeats. No line of such a shape has a response that is too
/// long to be read.
const LONGEST_LINE: usize = 64 << 10;
/// More values than this are nothing that repeats either.
const MOST_VALUES: usize = 512;

/// The keys of the task are the last ones, and only compared.
const _: () = assert!(TASKS[0] + TASKS.len() == KEYS.len());

/// What a value of a line is.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// That of one of [`KEYS`].
    Key(u8),
    /// What is told beside the answer, under this key.
    Beside(&'static str),
    /// Nothing that decides.
    Other,
    /// A number of the answer, by its place among the values.
    Number(u32),
}

/// How a value is read.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A text; its opening quote stands before it.
    Text,
    /// Anything.
    Any,
}

/// The shape of a line, and what is known of all that have it.
#[derive(Debug)]
pub(super) struct OutputShape {
    line: Shape<(Kind, Slot)>,
    task: u32,
    outcome: ParseOutcome,
    states: Box<[FieldState]>,
    width: usize,
}

impl OutputReader<'_> {
    /// Takes a line that has the shape of one before it; false for any other.
    #[inline]
    pub(super) fn take_by_shape(
        &mut self,
        record: &RawRecord,
        start: usize,
        batch: &mut Batch,
    ) -> bool {
        if record.bytes.len() > LONGEST_LINE {
            return false;
        }
        let values_at = batch.values.len();
        let mut shapes = std::mem::take(&mut self.shapes);
        let taken = shapes.read(|shape| {
            batch.values.resize(values_at + shape.width, f64::NAN);
            let taken = self.take_as(shape, record, start, batch, values_at);
            if taken.is_none() {
                batch.values.truncate(values_at);
            }
            taken
        });
        self.shapes = shapes;
        taken.is_some()
    }

    fn take_as(
        &mut self,
        shape: &OutputShape,
        record: &RawRecord,
        start: usize,
        batch: &mut Batch,
        values_at: usize,
    ) -> Option<()> {
        let line = record.bytes;
        let mut told = Told::nothing();
        let mut entries: [Option<Entry>; TASKS[0]] = [None; TASKS[0]];
        let mut names_task = false;
        let values = &mut batch.values[values_at..];
        let task_name = self.context.protocol.tasks[shape.task as usize]
            .name
            .as_bytes();
        shape.line.read(line, |at, (kind, slot)| {
            if let Slot::Number(place) = slot {
                let (number, length) = json_number(line.get(at..)?)?;
                values[place as usize] = number;
                return number.is_finite().then_some(at + length);
            }
            let mut scanner = Scanner::new(line, at);
            let entry = match kind {
                Kind::Text => text(&mut scanner)?,
                Kind::Any => scalar(&mut scanner, slot)?,
            };
            match slot {
                // Tasks share shapes; that it is another one mostly shows before its numbers.
                Slot::Key(key) => match entries.get_mut(usize::from(key)) {
                    Some(place) => *place = Some(entry),
                    None => {
                        let escaped = entry.string.is_some_and(|text| text.escaped);
                        if escaped || !same_bytes(entry.span, task_name) {
                            return None;
                        }
                        names_task = true;
                    }
                },
                Slot::Beside(key) => told.take(key.as_bytes(), entry),
                Slot::Other | Slot::Number(_) => {}
            }
            Some(scanner.pos)
        })?;
        // None of them is null, which a shape would have said.
        let [model_name, model, sample_id, id, ..] = &entries;
        let named = match names_task {
            true => Some(shape.task),
            false => self.of_file.task,
        };
        let name = sample_id.as_ref().or(id.as_ref());
        let sample = self.sample_of(name, named, record.position).ok()?;
        let task = self.context.samples.get(sample).task;
        if task != shape.task || named.is_some_and(|named| named != task) {
            return None;
        }
        let model = model_name.as_ref().or(model.as_ref());
        let model = self.model_of(model, batch).ok()?;
        let beside = told.finish(&mut batch.clusters).ok()?;
        let beside = beside.map(|beside| batch.push_beside(beside));
        batch.states.extend_from_slice(&shape.states);
        batch.outputs.push(Output {
            place: InChunk {
                start,
                length: line.len(),
                hash: record.found().hash,
            },
            line: record.line,
            model,
            sample,
            task,
            outcome: shape.outcome,
            beside,
            values_at,
            texts_at: batch.texts.len(),
        });
        Some(())
    }

    /// Learns the shape of a line that was just taken the long way.
    #[cold]
    pub(super) fn learn_shape(&mut self, line: &[u8], batch: &Batch) {
        let Some(output) = batch.outputs.last() else {
            return;
        };
        let protocol = self.context.protocol;
        if protocol.is_mixed() || line.len() > LONGEST_LINE || !output.outcome.succeeded() {
            return;
        }
        let states = batch.states_of(batch.outputs.len() - 1, protocol.fields.len());
        let usual = |state: &FieldState| matches!(state, FieldState::Valid | FieldState::Missing);
        if !states.iter().all(usual) {
            return;
        }
        let task = &protocol.tasks[output.task as usize];
        let object_at = self.reader.object_at;
        self.shapes.learn(|| {
            let mut learner = Learner {
                line,
                from: 0,
                shape: Shape::default(),
            };
            learner.learn(protocol, task, object_at)?;
            let Learner {
                from, mut shape, ..
            } = learner;
            shape.close(&line[from..]);
            Some(OutputShape {
                line: shape,
                task: output.task,
                outcome: output.outcome,
                states: states.into(),
                width: protocol.fields.len() * task.horizon,
            })
        });
    }
}

/// A text whose opening quote was taken. What stands between values was checked when the shape
/// was learnt; the values are to be text, too.
#[inline]
fn text<'a>(scanner: &mut Scanner<'a>) -> Option<Entry<'a>> {
    let string = scanner.string_contents().ok()?;
    if !string.raw.is_ascii() {
        std::str::from_utf8(string.raw).ok()?;
    }
    Some(Entry {
        kind: ValueKind::String,
        span: string.raw,
        string: Some(string),
    })
}

/// A number where it counts, else any value.
fn scalar<'a>(scanner: &mut Scanner<'a>, slot: Slot) -> Option<Entry<'a>> {
    let kind = scanner.kind().ok()?;
    if kind != ValueKind::Number && !matches!(slot, Slot::Other) {
        return None;
    }
    let start = scanner.pos;
    scanner.skip_value(0, usize::MAX).ok()?;
    let span = scanner.slice(start, scanner.pos);
    std::str::from_utf8(span).ok()?;
    Some(Entry {
        kind,
        span,
        string: None,
    })
}

struct Learner<'a> {
    line: &'a [u8],
    /// Where the text before the next value begins.
    from: usize,
    shape: Shape<(Kind, Slot)>,
}

impl<'a> Learner<'a> {
    fn learn(&mut self, protocol: &Protocol, task: &Task, object_at: usize) -> Option<()> {
        let mut scanner = Scanner::new(self.line, 0);
        // Of equal keys the last one counts, which the quick way does not know.
        let mut seen: Vec<&[u8]> = Vec::new();
        let mut answered = false;
        scanner.expect(b'{').ok()?;
        loop {
            let key = scanner.key().ok()?;
            if key.escaped || seen.contains(&key.raw) {
                return None;
            }
            seen.push(key.raw);
            let kind = scanner.kind().ok()?;
            let start = scanner.pos;
            let position = KEYS.iter().position(|known| known.as_bytes() == key.raw);
            let string = match kind {
                ValueKind::String => Some(scanner.string().ok()?),
                _ => {
                    scanner.skip_value(0, usize::MAX).ok()?;
                    None
                }
            };
            match (position, string) {
                // That there is none is part of the shape.
                _ if kind == ValueKind::Null => {}
                (Some(at), _) if RESPONSES.contains(&at) => {
                    if std::mem::replace(&mut answered, true) {
                        return None;
                    }
                    let answer = match string {
                        Some(string) => Answer::of_text(string, start + 1),
                        None => Answer::of_object(&self.line[start..scanner.pos], start),
                    };
                    self.numbers(&answer, protocol, task, object_at)?;
                }
                (Some(at), _) => self.value(Slot::Key(at as u8), string, start, scanner.pos)?,
                (None, _) => {
                    let slot = beside::key(key.raw).map_or(Slot::Other, Slot::Beside);
                    self.value(slot, string, start, scanner.pos)?;
                }
            }
            if !scanner.take(b',') {
                scanner.expect(b'}').ok()?;
                return answered.then_some(());
            }
        }
    }

    /// Notes a value and what stands before it.
    fn value(
        &mut self,
        slot: Slot,
        string: Option<RawString>,
        start: usize,
        end: usize,
    ) -> Option<()> {
        let (kind, start, end) = match string {
            Some(_) => (Kind::Text, start + 1, end),
            None => (Kind::Any, start, end),
        };
        if self.shape.value_count() >= MOST_VALUES {
            return None;
        }
        self.shape.push(&self.line[self.from..start], (kind, slot));
        self.from = end;
        Some(())
    }

    /// Notes the numbers of an answer: those of an object that holds a number for every field
    /// that it has, once each.
    fn numbers(
        &mut self,
        answer: &Answer,
        protocol: &Protocol,
        task: &Task,
        object_at: usize,
    ) -> Option<()> {
        let mut scanner = Scanner::new(&answer.text, object_at);
        let mut seen = vec![false; protocol.fields.len()];
        scanner.expect(b'{').ok()?;
        if scanner.take(b'}') {
            return Some(());
        }
        loop {
            let key = scanner.key().ok()?;
            match protocol.field_index(key.decode(&mut Vec::new())) {
                None => scanner.skip_value(1, MAX_DEPTH).ok()?,
                Some(field) => {
                    if std::mem::replace(&mut seen[field], true) {
                        return None;
                    }
                    let first = field * task.horizon;
                    match task.shape {
                        protocol::Shape::Scalar => self.number(answer, &mut scanner, first)?,
                        protocol::Shape::Array => {
                            scanner.expect(b'[').ok()?;
                            for step in 0..task.horizon {
                                if step > 0 {
                                    scanner.expect(b',').ok()?;
                                }
                                self.number(answer, &mut scanner, first + step)?;
                            }
                            scanner.expect(b']').ok()?;
                        }
                    }
                }
            }
            if !scanner.take(b',') {
                return scanner.expect(b'}').ok();
            }
        }
    }

    fn number(&mut self, answer: &Answer, scanner: &mut Scanner, place: usize) -> Option<()> {
        if scanner.kind().ok()? != ValueKind::Number {
            return None;
        }
        let start = scanner.pos;
        scanner.number().ok().filter(|number| number.is_finite())?;
        let number = answer.text.get(start..scanner.pos)?;
        let in_line = answer.places[start]..answer.places[start] + number.len();
        // Written without escapes, and so does what the line says.
        if self.line.get(in_line.clone())? != number || answer.places[scanner.pos] != in_line.end {
            return None;
        }
        let slot = Slot::Number(place as u32);
        self.value(slot, None, in_line.start, in_line.end)
    }
}

/// The text of an answer, and where in the line each of its bytes stands.
struct Answer {
    text: Vec<u8>,
    places: Vec<usize>,
}

impl Answer {
    fn of_object(object: &[u8], start: usize) -> Answer {
        Answer {
            text: object.to_vec(),
            places: (start..=start + object.len()).collect(),
        }
    }

    fn of_text(string: RawString, start: usize) -> Answer {
        let raw = string.raw;
        let (mut text, mut places) = (Vec::with_capacity(raw.len()), Vec::new());
        let mut at = 0;
        while at < raw.len() {
            let end = plain_run_end(raw, at);
            text.extend_from_slice(&raw[at..end]);
            places.extend(start + at..start + end);
            if end == raw.len() {
                break;
            }
            // The line was read, so every escape is one.
            at = unescape_one(raw, end, &mut text).unwrap_or(raw.len());
            places.resize(text.len(), start + end);
        }
        places.push(start + raw.len());
        Answer { text, places }
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
