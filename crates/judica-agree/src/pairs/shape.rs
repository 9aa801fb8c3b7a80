//! Pairs read by the shape of their lines ([`judica_data::json::shape`]). A line of another
//! shape, or one that is broken, is left to [`super::line`].

use judica_data::json::scan::{RawString, Scanner, ValueKind};
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

/// The shape of a line, if it is one that the quick way can read: with a question, two labels,
/// and no evidence beside a single validator.
#[derive(Debug, Default)]
pub struct LineShape(Shape<(Kind, Slot)>);

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
    /// Nothing that decides a pair.
    Other,
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
    /// What else is told about the answer, if anything.
    pub about: Option<About<'a>>,
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
        Some(LineShape(shape))
    }

    /// Reads a line of this shape whose labels are known; `None` for any other.
    pub fn read<'a>(&self, line: &'a [u8], policy: &Policy) -> Option<Read<'a>> {
        let mut texts = [None; 3];
        let mut lists = [Ids::default(); 2];
        let mut single = Single::default();
        let mut flagged = false;
        let mut about = None;
        self.0.read(line, |at, (kind, slot)| {
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
                }
                (Kind::List, slot) => {
                    let from = scanner.pos;
                    if scanner.peek() != Some(b'[') {
                        return None;
                    }
                    match slot {
                        Slot::Citations => single.cited(&mut scanner)?,
                        Slot::Retrieved => single.retrieved(&mut scanner)?,
                        _ => drop(skip_list(&mut scanner, |_| ()).ok()?),
                    }
                    let ids = Ids::over(scanner.slice(from, scanner.pos));
                    match slot {
                        Slot::Citations => lists[0] = ids,
                        Slot::Retrieved => lists[1] = ids,
                        _ => {}
                    }
                }
                (Kind::Any, Slot::Flag) => flagged |= truthy(&mut scanner).ok()?,
                (Kind::Any, _) => scanner.skip_value(DEPTH / 2, DEPTH).ok()?,
            }
            Some(scanner.pos)
        })?;
        let [Some(qid), Some(scholar), Some(auditor)] = texts else {
            return None;
        };
        let labels = [known(scholar, policy)?, known(auditor, policy)?];
        let [cited, retrieved] = lists;
        let in_scope = || match single.among_retrieved() {
            Some(answer) => answer,
            None => cited.all_among(retrieved),
        };
        Some(Read {
            qid,
            labels,
            decision: policy.decide(labels.map(Some), flagged, in_scope),
            about,
        })
    }
}

/// The usual case of citations: a single one, before what was retrieved, nothing escaped.
/// It is looked up while the list goes by, so that no list is walked twice.
#[derive(Default)]
struct Single<'a> {
    cited: Option<&'a [u8]>,
    looked: bool,
    found: bool,
}

impl<'a> Single<'a> {
    fn cited(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        let mut count = 0;
        let mut plain = true;
        let mut last = None;
        let texts = |text: RawString<'a>| {
            count += 1;
            plain &= !text.escaped;
            last = Some(text.raw);
        };
        let all = skip_list(scanner, texts).ok()?;
        self.cited = last.filter(|_| all && count == 1 && plain);
        Some(())
    }

    fn retrieved(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        let Some(cited) = self.cited else {
            return skip_list(scanner, |_| ()).ok().map(drop);
        };
        let mut plain = true;
        let mut found = false;
        let texts = |text: RawString<'a>| {
            plain &= !text.escaped;
            found |= text.raw == cited;
        };
        let all = skip_list(scanner, texts).ok()?;
        (self.looked, self.found) = (all && plain, found);
        Some(())
    }

    /// Whether the citation is among what was retrieved, if this was the usual case.
    fn among_retrieved(&self) -> Option<bool> {
        self.looked.then_some(self.found)
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
            _ => match kind {
                ValueKind::String => self.value(Slot::Other, Kind::Text),
                ValueKind::Array => self.value(Slot::Other, Kind::List),
                _ => self.value(Slot::Other, Kind::Any),
            },
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
        match kind {
            Kind::Text => drop(self.scanner.string_contents().ok()?),
            Kind::List | Kind::Any => self.scanner.skip_value(DEPTH / 2, DEPTH).ok()?,
        }
        self.from = self.scanner.pos;
        Some(())
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
