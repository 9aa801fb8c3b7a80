//! Pairs read by the shape of their lines ([`judica_data::json::shape`]). A line of another
//! shape, or one that is broken, is left to [`super::line`].

use judica_data::json::scan::{RawString, Scanner, ValueKind, starts_with};
use judica_data::json::shape::{Shape, Shapes};

use super::about::{self, About};
use super::arbitrate::Decision;
use super::ids::Ids;
use super::label::Label;
use super::line::{DEPTH, Keys, skip_list, truthy};
use super::policy::Policy;
use super::text::Text;

/// More values than this, and the line is nothing that repeats.
const MOST_STEPS: usize = 64;

/// Longer values are not expected to recur.
const MOST_REPEATED: usize = 64;
/// Nor are those that were another one so often.
const MOST_CHANGES: u8 = 100;

/// The shape of a line, if it is one that the quick way can read: with a question, two labels,
/// and no evidence beside a single validator.
#[derive(Debug)]
pub struct LineShape {
    shape: Shape<(Kind, Slot)>,
    /// Those of each [`Slot::Other`].
    others: Vec<Repeats>,
}

/// A value that may be the same from line to line.
#[derive(Debug, Default)]
struct Repeats {
    /// The last one, if the next may be the same.
    last: Vec<u8>,
    /// How much more often it was another than the same.
    changes: u8,
}

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A text; its opening quote stands before it.
    Text,
    /// A list.
    List,
    /// Anything.
    Any,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Qid,
    Scholar,
    Auditor,
    Citations,
    Retrieved,
    /// A hard flag.
    Flag,
    /// One of [`about::KEYS`].
    About(u8),
    /// Nothing that decides a pair: which of these it is.
    Other(u8),
}

/// What decides a pair, read by its shape.
#[derive(Debug)]
pub struct Read<'a> {
    /// Which question.
    pub qid: RawString<'a>,
    /// Both labels.
    pub labels: [Label; 2],
    /// How it is decided.
    pub decision: Decision,
}

impl LineShape {
    /// The shape of a line, if it has one.
    pub fn learn(line: &[u8], keys: &Keys) -> Option<LineShape> {
        let mut learner = Learner {
            keys,
            scanner: Scanner::new(line, 0),
            line,
            from: 0,
            seen: Vec::new(),
            shape: Shape::default(),
        };
        learner.object(Place::Line)?;
        let Learner {
            mut scanner,
            from,
            seen,
            mut shape,
            ..
        } = learner;
        let whole = [Slot::Qid, Slot::Scholar, Slot::Auditor]
            .iter()
            .all(|slot| seen.contains(slot));
        if !scanner.at_end() || !whole {
            return None;
        }
        shape.close(&line[from..]);
        let others = seen.iter().map(|_| Repeats::default()).collect();
        Some(LineShape { shape, others })
    }

    /// Reads a line of this shape whose labels are known; `None` for any other. What else is
    /// told about the answer, if anything, is put in its place: it is large, and seldom there.
    pub fn read<'a>(
        &mut self,
        line: &'a [u8],
        policy: &Policy,
        about: &mut Option<About<'a>>,
    ) -> Option<Read<'a>> {
        *about = None;
        let mut texts = [None; 3];
        let mut cited = Citations::default();
        let mut flagged = false;
        let others = &mut self.others;
        self.shape.read(line, |at, (kind, slot)| {
            if let Slot::Other(which) = slot {
                return others[usize::from(which)].skip(line, at, kind);
            }
            let mut scanner = Scanner::new(line, at);
            match (kind, slot) {
                (Kind::Text, slot) => {
                    let text = scanner.string_contents().ok()?;
                    match slot {
                        Slot::Qid => texts[0] = Some(text),
                        Slot::Scholar => texts[1] = Some(text),
                        Slot::Auditor => texts[2] = Some(text),
                        Slot::About(key) => about
                            .get_or_insert_with(About::default)
                            .set(usize::from(key), Text::Is(text)),
                        _ => {}
                    }
                    Some(scanner.pos)
                }
                (Kind::List, slot) => cited.read_list(line, at, slot == Slot::Retrieved),
                (Kind::Any, _) => {
                    let (raised, end) = read_flag(line, at)?;
                    flagged |= raised;
                    Some(end)
                }
            }
        })?;
        let [Some(qid), Some(scholar), Some(auditor)] = texts else {
            return None;
        };
        let labels = [known(scholar, policy)?, known(auditor, policy)?];
        Some(Read {
            qid,
            labels,
            decision: policy.decide(labels.map(Some), flagged, || cited.are_retrieved()),
        })
    }
}

/// Whether the flag that stands here is raised, and where it ends.
fn read_flag(line: &[u8], at: usize) -> Option<(bool, usize)> {
    let mut scanner = Scanner::new(line, at);
    let raised = truthy(&mut scanner).ok()?;
    Some((raised, scanner.pos))
}

impl Repeats {
    /// Where a value ends of which only that is asked. Validators repeat their reasons, which
    /// is told faster than where they end.
    #[inline]
    fn skip(&mut self, line: &[u8], at: usize, kind: Kind) -> Option<usize> {
        if !self.last.is_empty() && starts_with(line.get(at..)?, &self.last) {
            self.changes = self.changes.saturating_sub(1);
            return Some(at + self.last.len());
        }
        let end = value_end(line, at, kind)?;
        self.last.clear();
        // A number may go on where the last one ended; texts and lists are told to their ends.
        if kind != Kind::Any && end - at <= MOST_REPEATED && self.changes < MOST_CHANGES {
            self.changes += 1;
            self.last.extend_from_slice(&line[at..end]);
        }
        Some(end)
    }
}

/// Where the value of a kind ends that stands here.
#[inline(never)]
fn value_end(line: &[u8], at: usize, kind: Kind) -> Option<usize> {
    let mut scanner = Scanner::new(line, at);
    match kind {
        Kind::Text => drop(scanner.string_contents().ok()?),
        Kind::List if scanner.peek() != Some(b'[') => return None,
        Kind::List => skip_list(&mut scanner).ok()?,
        Kind::Any => scanner.skip_value(DEPTH / 2, DEPTH).ok()?,
    }
    Some(scanner.pos)
}

/// What an answer cites, and what was retrieved.
#[derive(Default)]
struct Citations<'a> {
    cited: Ids<'a>,
    retrieved: Ids<'a>,
    /// The usual case: a single citation, before what was retrieved. It is looked up while the
    /// list goes by, so that no list is walked twice.
    single: Option<&'a [u8]>,
    found: Option<bool>,
}

impl<'a> Citations<'a> {
    /// Reads the list that begins here; says where it ends. Not a part of its caller, whose
    /// registers are better used by all that is no list.
    #[inline(never)]
    fn read_list(&mut self, line: &'a [u8], at: usize, retrieved: bool) -> Option<usize> {
        let single = self.single.filter(|_| retrieved);
        let plain = PlainList::read(line, at, single.unwrap_or_default());
        let end = match &plain {
            Some(list) => list.end,
            None => value_end(line, at, Kind::List)?,
        };
        let ids = Ids::over(&line[at..end]);
        if retrieved {
            self.retrieved = ids;
            self.found = single.and(plain).map(|list| list.found);
        } else {
            self.cited = ids;
            self.single = plain.filter(|list| list.count == 1).map(|list| list.last);
        }
        Some(end)
    }

    fn are_retrieved(&self) -> bool {
        self.found
            .unwrap_or_else(|| self.cited.all_among(self.retrieved))
    }
}

/// A list of texts without escapes, with a comma and at most one blank between them.
struct PlainList<'a> {
    end: usize,
    count: usize,
    last: &'a [u8],
    /// Whether the text that was looked for is among them.
    found: bool,
}

impl<'a> PlainList<'a> {
    fn read(line: &'a [u8], at: usize, wanted: &[u8]) -> Option<Self> {
        let mut scanner = Scanner::new(line, at);
        if !scanner.take_exact(b"[") {
            return None;
        }
        let (mut count, mut found) = (0, false);
        loop {
            let last = scanner.plain_string()?;
            count += 1;
            found |= last.len() == wanted.len() && starts_with(last, wanted);
            if scanner.take_exact(b",") {
                scanner.take_exact(b" ");
            } else {
                let end = scanner.pos + 1;
                return scanner.take_exact(b"]").then_some(PlainList {
                    end,
                    count,
                    last,
                    found,
                });
            }
        }
    }
}

/// The shapes that the latest lines had.
pub type LatestShapes = Shapes<LineShape>;

/// A label that is written plainly.
#[inline]
fn known(text: RawString, policy: &Policy) -> Option<Label> {
    if text.escaped {
        None
    } else {
        policy.label(text.raw)
    }
}

/// Where an object stands.
#[derive(Clone, Copy)]
enum Place {
    Line,
    Side(Slot),
    Answer,
    Flags,
}

struct Learner<'a> {
    keys: &'a Keys,
    scanner: Scanner<'a>,
    line: &'a [u8],
    /// Where the text before the next value begins.
    from: usize,
    /// Slots met so far. Of equal keys the last one counts, which the quick way does not
    /// know; so a line that has any has no shape.
    seen: Vec<Slot>,
    shape: Shape<(Kind, Slot)>,
}

impl Learner<'_> {
    fn object(&mut self, place: Place) -> Option<()> {
        self.scanner.expect(b'{').ok()?;
        if self.scanner.take(b'}') {
            return Some(());
        }
        let mut objects: Vec<&[u8]> = Vec::new();
        loop {
            let key = self.scanner.key().ok()?;
            if key.escaped || objects.contains(&key.raw) {
                return None;
            }
            objects.push(key.raw);
            self.member(place, key.raw)?;
            if !self.scanner.take(b',') {
                return self.scanner.expect(b'}').ok();
            }
        }
    }

    fn member(&mut self, place: Place, key: &[u8]) -> Option<()> {
        let kind = self.scanner.kind().ok()?;
        let is_object = kind == ValueKind::Object;
        let is = |known: &String| known.as_bytes() == key;
        let rater = self.keys.raters.iter().position(is);
        match (place, key) {
            (Place::Line, b"qid") => self.value(Slot::Qid, Kind::Text),
            (Place::Line, _) if let Some(at) = rater => match is_object {
                true => self.object(Place::Side([Slot::Scholar, Slot::Auditor][at])),
                false => None,
            },
            (Place::Line, b"answer_json") if is_object => self.object(Place::Answer),
            (Place::Line, b"flags") if is_object => self.object(Place::Flags),
            (Place::Line, b"retrieved_ids") => self.value(Slot::Retrieved, Kind::List),
            (Place::Line, b"answer_json" | b"flags") => None,
            (Place::Side(slot), b"label") => self.value(slot, Kind::Text),
            (Place::Side(_), b"answer_json" | b"flags" | b"retrieved_ids") => None,
            (Place::Answer, b"citations") => self.value(Slot::Citations, Kind::List),
            (Place::Flags, _) if self.keys.flags.iter().any(is) => {
                self.value(Slot::Flag, Kind::Any)
            }
            (Place::Line, key) if let Some(at) = about::position(key) => {
                self.value(Slot::About(at as u8), Kind::Text)
            }
            _ => {
                // Fewer than the most steps.
                let other = Slot::Other(self.seen.len() as u8);
                let kind = match kind {
                    ValueKind::String => Kind::Text,
                    ValueKind::Array => Kind::List,
                    _ => Kind::Any,
                };
                self.value(other, kind)
            }
        }
    }

    /// Notes what stands before the value here, and steps over it.
    fn value(&mut self, slot: Slot, kind: Kind) -> Option<()> {
        if self.shape.value_count() >= MOST_STEPS {
            return None;
        }
        match kind {
            Kind::Text if self.scanner.take(b'"') => {}
            Kind::List if self.scanner.peek() == Some(b'[') => {}
            Kind::Any => {
                self.scanner.peek();
            }
            Kind::Text | Kind::List => return None,
        }
        let before = &self.line[self.from..self.scanner.pos];
        self.shape.push(before, (kind, slot));
        self.seen.push(slot);
        self.scanner.pos = value_end(self.line, self.scanner.pos, kind)?;
        self.from = self.scanner.pos;
        Some(())
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
