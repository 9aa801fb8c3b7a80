//! Lines become samples, under all the keys that they come with.

use judica_data::json::{Scanner, ValueKind};
use judica_model::nearest::nearest;

use super::piece::Piece;
use super::{Sample, Texts, identifier_or_line, line_identifier, unknown_task};
use crate::evidence::Known;
use crate::line::{Entry, Refusal, keys, pick, pick_object};
use crate::outputs::given;
use crate::protocol::form::Form;
use crate::protocol::{Protocol, Shape, Task};
use crate::response::{ArrayAs, FieldSink, FieldState, ResponseReader, excerpt, excerpt_of};
use crate::value::Value;

/// What a sample says of its gold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenGold {
    /// Nothing, or that there is none.
    Nothing,
    /// Something that is no gold.
    Unreadable {
        /// Why not.
        reason: &'static str,
        /// What stands there.
        found: Box<str>,
    },
    /// An object with fields of the protocol.
    Read,
}

/// The gold of a sample as it was read.
#[derive(Debug, Clone, Copy)]
pub struct GoldReading<'a> {
    /// The sample.
    pub sample_id: &'a str,
    /// Position of its task in the protocol.
    pub task: usize,
    /// Whether there is any.
    pub given: &'a GivenGold,
    /// What became of each field.
    pub states: &'a [FieldState],
    /// `horizon` values per field, or nothing if none is usable.
    pub values: Option<Known<'a>>,
    /// What stood where a usable value should have: (slot, excerpt).
    pub texts: &'a [(u32, Box<str>)],
    /// The sample's current state, where the protocol asks for it.
    pub current_state: Option<Known<'a>>,
}

/// Reads samples line by line, each for itself: which of several with one id counts is told
/// elsewhere.
pub(super) struct SampleReader<'p> {
    protocol: &'p Protocol,
    reader: ResponseReader<'p>,
    default_task: Option<&'p str>,
    keep_text: bool,
    /// What was read since it was last taken.
    pub piece: Piece,
    /// The gold of the last sample.
    given: GivenGold,
    fields: Fields,
    state_fields: Fields,
    /// A state is one moment, whatever the tasks ask for.
    moment: Task,
}

/// What became of the fields of an object.
struct Fields {
    states: Vec<FieldState>,
    texts: Vec<(u32, Box<str>)>,
}

impl Fields {
    fn new(protocol: &Protocol) -> Self {
        Fields {
            states: vec![FieldState::Missing; protocol.fields.len()],
            texts: Vec::new(),
        }
    }
}

const KEYS: [&str; 12] = [
    "sample_id",
    "id",
    "task_id",
    "task",
    "context",
    "gold",
    NEXT_SECOND,
    T_PLUS_1,
    "current_second",
    "T0",
    "cluster",
    AVAILABLE,
];
const NEXT_SECOND: &str = "next_second";
/// The window after the present one: a value, or one for each of its seconds.
const T_PLUS_1: &str = "T+1";
/// Whether there is the gold that stands beside it.
const AVAILABLE: &str = "available";
const GOLD_KEYS: [&str; 3] = [NEXT_SECOND, T_PLUS_1, AVAILABLE];

impl<'p> SampleReader<'p> {
    /// A reader; `default_task` is for samples that name none.
    pub fn new(protocol: &'p Protocol, default_task: Option<&'p str>, keep_text: bool) -> Self {
        SampleReader {
            protocol,
            reader: ResponseReader::new(protocol),
            default_task,
            keep_text,
            piece: Piece::default(),
            given: GivenGold::Nothing,
            fields: Fields::new(protocol),
            state_fields: Fields::new(protocol),
            moment: Task {
                name: String::new(),
                shape: Shape::Scalar,
                horizon: 1,
                description: String::new(),
            },
        }
    }

    /// Reads one record; `position` is its number in the file, from 1, by which it is
    /// called if it has no id.
    pub fn read(&mut self, bytes: &[u8], position: u64) -> Result<(), Refusal> {
        let mut entries = [None; 12];
        pick(bytes, &KEYS, &mut entries, None, &mut |_, _| ())?;
        let [
            sample_id,
            id,
            task_id,
            task,
            context,
            gold,
            next_second,
            t_plus_1,
            current_second,
            t_0,
            cluster,
            available,
        ] = entries.map(given);
        let mut held = [const { Vec::new() }; 2];
        let [gold_text, context_text] = &mut held;
        let (gold, context) = (object_in(gold, gold_text), object_in(context, context_text));
        let task = self.task_of(task_id.or(task))?;
        let id = identifier_or_line(sample_id.or(id), "sample_id", || {
            line_identifier(&self.protocol.tasks[task].name, position)
        })?;
        let answer = gold_entry(next_second, t_plus_1);
        let texts = self.keep_text.then(|| Texts {
            input: context.or(current_second).or(t_0).and_then(written),
            target: gold.or(answer.map(|(entry, _)| entry)).and_then(written),
        });
        let gold_at = self.read_gold(bytes, task, gold, answer, available)?;
        let state_at = match self.protocol.reads_state() {
            true => self.read_state(context, current_second, t_0),
            false => None,
        };
        let samples = &mut self.piece.samples;
        samples.texts.extend(texts);
        if !self.protocol.verifiers.is_empty() {
            samples.lines.extend_from_slice(bytes);
            samples.line_ends.push(samples.lines.len());
        }
        let cluster = cluster.and_then(|entry| {
            let mut buffer = Vec::new();
            entry
                .name(&mut buffer)
                .map(|name| samples.cluster_number(name))
        });
        samples.list.push(Sample {
            id,
            task: task as u32,
            cluster,
            gold_at,
            state_at,
        });
        let given = std::mem::replace(&mut self.given, GivenGold::Nothing);
        let Fields { states, texts } = &mut self.fields;
        self.piece.end_sample(given, states, texts);
        Ok(())
    }

    fn task_of(&self, entry: Option<Entry>) -> Result<usize, Refusal> {
        let mut buffer = Vec::new();
        let named = match &entry {
            Some(entry) => match entry.identifier(&mut buffer) {
                Some(name) => Some(name),
                None => return Err(Refusal::new("invalid_task", "task_id must be text")),
            },
            None => self.default_task.or(self.protocol.only_task()),
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

    /// Finds the gold object, inside `gold` or at the top of the line, and says where its
    /// values are kept, if it has any.
    fn read_gold(
        &mut self,
        line: &[u8],
        task: usize,
        gold: Option<Entry>,
        top: Option<(Entry, ArrayAs)>,
        top_available: Option<Entry>,
    ) -> Result<Option<usize>, Refusal> {
        self.given = GivenGold::Nothing;
        let mut found = top;
        let mut from_top = top.is_some();
        match gold {
            Some(gold) if gold.kind == ValueKind::Object => {
                let mut inner = [None; 3];
                pick_object(
                    &mut Scanner::new(gold.span, 0),
                    &GOLD_KEYS,
                    &mut inner,
                    None,
                    &mut |_, _| (),
                )
                .map_err(|_| Refusal::new("malformed_json", "the gold object is malformed"))?;
                let [next_second, t_plus_1, available] = inner.map(given);
                let itself = || {
                    let known = keys(gold.span).any(|key| self.protocol.knows_key(key.as_bytes()));
                    known.then_some((gold, ArrayAs::WrongShape))
                };
                let inside = gold_entry(next_second, t_plus_1);
                // A field may be called so, too.
                let is_field = inside.is_none() && self.protocol.knows_key(AVAILABLE.as_bytes());
                if let Some(given) = held_back(available.filter(|_| !is_field)) {
                    self.given = given;
                    return Ok(None);
                }
                from_top &= inside.is_none();
                found = inside.or(top).or_else(itself);
            }
            Some(gold) if found.is_none() => {
                self.given = unreadable("not_an_object", &excerpt(gold.span));
                return Ok(None);
            }
            _ => {}
        }
        if from_top && let Some(given) = held_back(top_available) {
            self.given = given;
            return Ok(None);
        }
        let Some((entry, array_as)) = found else {
            let meant = match gold {
                Some(gold) => keys(gold.span).find(|key| !GOLD_KEYS.contains(&key.as_str())),
                None => misspelt_gold(line),
            };
            if let Some(key) = meant {
                self.given = unreadable("unknown_key", &excerpt(key.as_bytes()));
            }
            return Ok(None);
        };
        let protocol = self.protocol;
        self.reader.array_as = array_as;
        let at = self.read_values(entry, &protocol.tasks[task]);
        self.reader.array_as = ArrayAs::WrongShape;
        let Some(at) = at else {
            self.given = unreadable("not_an_object", &excerpt(entry.span));
            return Ok(None);
        };
        if self.fields.states.iter().all(|s| *s == FieldState::Missing) {
            self.piece.samples.truncate(at);
            self.given = unreadable("no_known_field", &excerpt(entry.span));
            return Ok(None);
        }
        self.given = GivenGold::Read;
        self.drop_incomparable(at, protocol.tasks[task].horizon);
        let mut numbers = self.piece.samples.values[at..].iter();
        let mut others = self.piece.samples.held.get(at..).unwrap_or_default().iter();
        let usable = numbers.any(|value| !value.is_nan()) || others.any(Value::is_known);
        if !usable {
            self.piece.samples.truncate(at);
        }
        Ok(usable.then_some(at))
    }

    /// Takes texts out of the gold that equal nothing by the way they would be compared, and
    /// says so: whatever a model answered would be wrong.
    fn drop_incomparable(&mut self, at: usize, horizon: usize) {
        let held = self.piece.samples.held.get_mut(at..).unwrap_or_default();
        let slots = held.iter_mut().enumerate();
        for (slot, value) in slots {
            let field = slot / horizon;
            let Form::Text(form) = &self.protocol.fields[field].form else {
                continue;
            };
            let mut drop = |value: &mut Value, place: &str| {
                if let Some(text) = value.text()
                    && !form.can_compare(text)
                {
                    let found = serde_json::Value::from(text).to_string();
                    let found = format!("{place}{}", excerpt_of(&found));
                    self.fields.texts.push((slot as u32, found.into()));
                    self.fields.states[field] = FieldState::Invalid;
                    *value = Value::Unusable;
                }
            };
            match value {
                Value::List(items) => {
                    for (position, item) in items.iter_mut().enumerate() {
                        drop(item, &format!("[{position}]: "));
                    }
                }
                one => drop(one, ""),
            }
        }
    }

    /// The state of the sample's own moment: told in its context, as the present second, or
    /// as the present window, whose last second it is.
    fn read_state(
        &mut self,
        context: Option<Entry>,
        current_second: Option<Entry>,
        t_0: Option<Entry>,
    ) -> Option<usize> {
        let mut inner = [None; 1];
        if let Some(context) = context.filter(|context| context.kind == ValueKind::Object) {
            let mut scanner = Scanner::new(context.span, 0);
            pick_object(
                &mut scanner,
                &["current_state"],
                &mut inner,
                None,
                &mut |_, _| (),
            )
            .ok()?;
        }
        let told = given(inner[0]).or(current_second);
        // What became of the gold's fields is still wanted.
        std::mem::swap(&mut self.fields, &mut self.state_fields);
        let moment = self.moment.clone();
        self.reader.array_as = match told {
            Some(_) => ArrayAs::WrongShape,
            None => ArrayAs::Last,
        };
        let at = told
            .or(t_0)
            .and_then(|entry| self.read_values(entry, &moment));
        self.reader.array_as = ArrayAs::WrongShape;
        std::mem::swap(&mut self.fields, &mut self.state_fields);
        at
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
        let at = self.piece.samples.values.len();
        self.piece
            .samples
            .values
            .resize(at + self.protocol.fields.len() * task.horizon, f64::NAN);
        if self.protocol.is_mixed() {
            let width = self.piece.samples.values.len();
            self.piece.samples.held.resize(width, Value::Nothing);
        }
        self.fields.texts.clear();
        let mut sink = FieldSink {
            states: &mut self.fields.states,
            values: &mut self.piece.samples.values[at..],
            held: self.piece.samples.held.get_mut(at..).unwrap_or_default(),
            texts: &mut self.fields.texts,
            texts_before: 0,
        };
        if self.reader.read(text, task, &mut sink).succeeded() {
            return Some(at);
        }
        self.piece.samples.truncate(at);
        None
    }
}

/// An object that is written as text, as in the cell of a table; everything else as it is.
fn object_in<'a>(entry: Option<Entry<'a>>, text: &'a mut Vec<u8>) -> Option<Entry<'a>> {
    let Some(string) = entry.and_then(|entry| entry.string) else {
        return entry;
    };
    let span = string.decode(text).trim_ascii();
    let mut scanner = Scanner::new(span, 0);
    let is_object =
        span.starts_with(b"{") && scanner.skip_value(0, usize::MAX).is_ok() && scanner.at_end();
    match is_object {
        true => Some(Entry {
            kind: ValueKind::Object,
            span,
            string: None,
        }),
        false => entry,
    }
}

/// The gold that is meant of the two, and what an array in it stands for where the task
/// wants one value: a window begins with the second that comes next.
fn gold_entry<'a>(
    next_second: Option<Entry<'a>>,
    t_plus_1: Option<Entry<'a>>,
) -> Option<(Entry<'a>, ArrayAs)> {
    let next_second = next_second.map(|entry| (entry, ArrayAs::WrongShape));
    next_second.or(t_plus_1.map(|entry| (entry, ArrayAs::First)))
}

/// What there is instead of a gold beside which something else stands than that it is available;
/// in a table that is text.
fn held_back(available: Option<Entry>) -> Option<GivenGold> {
    match available?.span {
        b"true" | b"\"true\"" => None,
        b"false" => Some(GivenGold::Nothing),
        other => Some(unreadable("invalid_available", &excerpt(other))),
    }
}

/// A value as it is written, a string without its quotes.
fn written(entry: Entry) -> Option<Box<str>> {
    let mut buffer = Vec::new();
    let text = match &entry.string {
        Some(string) => string.decode(&mut buffer),
        None => entry.span,
    };
    std::str::from_utf8(text).ok().map(Into::into)
}

fn unreadable(reason: &'static str, found: &str) -> GivenGold {
    GivenGold::Unreadable {
        reason,
        found: found.into(),
    }
}

/// A key of a line without gold that was probably meant to hold it.
fn misspelt_gold(line: &[u8]) -> Option<String> {
    // The windows before are close to the one after in spelling only.
    let told_otherwise = |key: &str| KEYS.contains(&key) || key.starts_with("T-");
    let meant = |key: &String| {
        !told_otherwise(key) && nearest(key, ["gold", NEXT_SECOND, T_PLUS_1].into_iter()).is_some()
    };
    keys(line).find(meant)
}
