//! One line of judgments: found in one walk over its JSON, nothing copied.
//!
//! Merged lines hold both validators (each under its key) and the evidence; lines of
//! separate files hold one (`label`, `reason`), and may hold the evidence it saw. One
//! reader serves both, since the names do not clash. What a validator or a generator
//! wrote is data: it is compared, never followed.

use judica_data::json::scan::{ScanError, Scanner, ValueKind};
use judica_data::table::{Cells, Nested};

use super::about::{self, About};
use super::ids::Ids;
use super::text::Text;

/// How deep a line may be nested: deeper than other rows, which may stand in a document
/// later. Lines are read as they are, and validators write what they like into them.
pub(super) const DEPTH: usize = 512;

/// What a line holds, as far as agreement is concerned.
#[derive(Debug, Default)]
pub struct Line<'a> {
    /// Which question.
    pub qid: Text<'a>,
    /// What else is told about the answer.
    pub about: About<'a>,
    /// What the line itself says: the form of separate files.
    pub own: Side<'a>,
    /// The first validator; `None` if there is no such key.
    pub scholar: Option<Side<'a>>,
    /// The second validator.
    pub auditor: Option<Side<'a>>,
}

/// One validator's judgment, and the evidence that stands beside it.
#[derive(Debug, Default, Clone)]
pub struct Side<'a> {
    /// The label.
    pub label: Text<'a>,
    /// Why.
    pub reason: Text<'a>,
    /// What was looked at.
    pub evidence: Evidence<'a>,
    /// True where something else than an object stood.
    pub not_an_object: bool,
}

/// What stands beside a judgment to be checked.
#[derive(Debug, Default, Clone)]
pub struct Evidence<'a> {
    /// Whether a hard red flag is raised.
    pub flagged: bool,
    /// A key that holds something it cannot hold.
    pub bad_shape: Option<&'static str>,
    /// What the answer cites.
    pub citations: Ids<'a>,
    /// What was retrieved.
    pub retrieved: Ids<'a>,
    /// The answer's claim.
    pub claim: Text<'a>,
    /// The answer as it stands.
    pub answer_text: Option<&'a [u8]>,
    /// The retrieved ids as they stand.
    pub retrieved_text: Option<&'a [u8]>,
}

impl<'a> Line<'a> {
    /// Reads a line that holds what it holds under these keys.
    pub fn read(bytes: &'a [u8], keys: &Keys) -> Result<Line<'a>, BadLine> {
        let mut scanner = Scanner::new(bytes, 0);
        match scanner.kind() {
            Ok(ValueKind::Object) => {}
            Ok(_) => {
                // Not JSON at all is the plainer reason, if it is one.
                scanner.skip_value(0, DEPTH)?;
                return Err(if scanner.at_end() {
                    BadLine::NotAnObject
                } else {
                    BadLine::Malformed(scanner.pos)
                });
            }
            Err(error) => return Err(error.into()),
        }
        let mut line = Line::default();
        // The last of several equal keys wins, so each sets all that it stands for.
        object(&mut scanner, &keys.line, &mut |key, scanner| {
            match key {
                0 => line.qid = text(scanner)?,
                1 => side(&mut line.scholar, scanner, keys)?,
                2 => side(&mut line.auditor, scanner, keys)?,
                3 => answer(&mut line.own.evidence, scanner)?,
                4 => retrieved(&mut line.own.evidence, scanner)?,
                5 => flags(&mut line.own.evidence, scanner, keys)?,
                6 => line.own.label = text(scanner)?,
                7 => line.own.reason = text(scanner)?,
                _ if key < keys.line.len() => line.about.set(key - OWN.len(), text(scanner)?),
                _ => scanner.skip_value(1, DEPTH)?,
            }
            Ok(())
        })?;
        if !scanner.at_end() {
            return Err(BadLine::Malformed(scanner.pos));
        }
        Ok(line)
    }
}

/// Why a line cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadLine {
    /// Not JSON from this byte on.
    Malformed(usize),
    /// Nested too deeply.
    TooDeep,
    /// JSON, but not an object.
    NotAnObject,
}

impl From<ScanError> for BadLine {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Syntax(at) => BadLine::Malformed(at),
            ScanError::TooDeep(_) => BadLine::TooDeep,
        }
    }
}

type Scan<T> = Result<T, ScanError>;

/// Walks over an object and hands the position of each key in `known` to `member`, which
/// must take the value; keys that are not there have the position `known.len()`.
///
/// Writers repeat themselves: the key after the last one is usually the next in `known`,
/// which is told by comparing it and not by looking for its end. Any other order costs a
/// little time and nothing else.
#[inline]
fn object<'a>(
    scanner: &mut Scanner<'a>,
    known: &[impl AsRef<[u8]>],
    member: &mut impl FnMut(usize, &mut Scanner<'a>) -> Scan<()>,
) -> Scan<()> {
    scanner.expect(b'{')?;
    if scanner.take(b'}') {
        return Ok(());
    }
    let mut likely = 0;
    loop {
        scanner.peek();
        let at = match known.get(likely) {
            Some(key) if scanner.take_exact(key.as_ref()) => likely,
            _ => look_up(scanner, known)?,
        };
        scanner.expect(b':')?;
        member(at, scanner)?;
        likely = at + 1;
        if !scanner.take(b',') {
            return scanner.expect(b'}');
        }
    }
}

#[cold]
fn look_up(scanner: &mut Scanner, known: &[impl AsRef<[u8]>]) -> Scan<usize> {
    let mut decoded = Vec::new();
    let raw = scanner.string()?;
    let key = raw.decode(&mut decoded);
    let same = |quoted: &[u8]| quoted.get(1..quoted.len() - 1) == Some(key);
    let found = known.iter().position(|quoted| same(quoted.as_ref()));
    Ok(found.unwrap_or(known.len()))
}

/// Keys as they usually stand in a merged line, the raters' where nothing stands; those after
/// them (and `label`, `reason`) may stand beside either validator, too.
const OWN: [&str; 8] = [
    "qid",
    "",
    "",
    "answer_json",
    "retrieved_ids",
    "flags",
    "label",
    "reason",
];
const SIDE: [&[u8]; 5] = [
    b"\"label\"",
    b"\"reason\"",
    b"\"answer_json\"",
    b"\"retrieved_ids\"",
    b"\"flags\"",
];

/// Where lines hold what, as a policy has it.
#[derive(Debug, Clone)]
pub struct Keys {
    /// The raters'.
    pub(super) raters: [String; 2],
    /// Flags of which each is a hard one.
    pub(super) flags: Vec<String>,
    /// All keys of a line, in quotes: [`OWN`], then those that tell about the answer.
    line: Vec<Box<[u8]>>,
    /// The flags, in quotes.
    raised: Vec<Box<[u8]>>,
}

impl Keys {
    /// The keys with those of raters and of flags, neither of which need escapes.
    pub(super) fn new(raters: [&str; 2], flags: &[String]) -> Self {
        let quoted = |key: &str| format!("\"{key}\"").into_bytes().into_boxed_slice();
        let mut own = OWN;
        (own[1], own[2]) = (raters[0], raters[1]);
        let about = about::KEYS.iter().map(|(key, _)| Box::from(*key));
        Keys {
            raters: raters.map(str::to_owned),
            line: own.into_iter().map(quoted).chain(about).collect(),
            raised: flags.iter().map(|flag| quoted(flag)).collect(),
            flags: flags.to_vec(),
        }
    }

    /// All names of columns.
    pub(super) fn names(&self) -> Vec<String> {
        let inside = |quoted: &[u8]| String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into();
        self.line.iter().map(|key| inside(key)).collect()
    }

    /// Columns of tables that stand in an object of their own, or hold JSON: what a validator
    /// says stands in columns of its name.
    pub(super) fn columns(&self) -> Vec<Nested> {
        let mut columns = Vec::new();
        for key in &self.raters {
            for (names, inside) in table_names(key).iter().zip(["label", "reason"]) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                columns.push(Nested::new(&names, (Some(key), inside), Cells::Text));
            }
        }
        let json = ["answer_json", "retrieved_ids", "flags"];
        columns.extend(json.map(|key| Nested::new(&[key], (None, key), Cells::Json)));
        // As a frame of such lines is written flat.
        let answer = [("claim", Cells::Text), ("citations", Cells::Json)];
        let answer = answer.map(|(inside, cells)| ("answer_json", inside, cells));
        let flags = self
            .flags
            .iter()
            .map(|flag| ("flags", &**flag, Cells::Value));
        for (key, inside, cells) in answer.into_iter().chain(flags) {
            let name = format!("{key}.{}", inside.to_lowercase());
            columns.push(Nested::new(&[&name], (Some(key), inside), cells));
        }
        columns
    }
}

/// The columns of a rater's labels and reasons, in lower case.
pub(super) fn table_names(key: &str) -> [Vec<String>; 2] {
    let key = key.to_lowercase();
    let [labels, reasons] = ["label", "reason"]
        .map(|inside| vec![format!("{key}_{inside}"), format!("{key}.{inside}")]);
    [[vec![key], labels].concat(), reasons]
}

/// Whether a key of lines, or a column of tables, is no rater's.
pub(super) fn is_taken(key: &str) -> bool {
    let key = key.to_lowercase();
    OWN.contains(&key.as_str()) || about::position(key.as_bytes()).is_some()
}

/// Reads a judgment into its place: it is large, and moving it would cost as much as
/// reading it.
fn side<'a>(place: &mut Option<Side<'a>>, scanner: &mut Scanner<'a>, keys: &Keys) -> Scan<()> {
    if scanner.peek() != Some(b'{') {
        let is_null = scanner.kind()? == ValueKind::Null;
        *place = (!is_null).then(|| Side {
            not_an_object: true,
            ..Side::default()
        });
        return scanner.skip_value(1, DEPTH);
    }
    *place = None;
    let found = place.get_or_insert_default();
    object(scanner, &SIDE, &mut |key, scanner| {
        match key {
            0 => found.label = text(scanner)?,
            1 => found.reason = text(scanner)?,
            2 => answer(&mut found.evidence, scanner)?,
            3 => retrieved(&mut found.evidence, scanner)?,
            4 => flags(&mut found.evidence, scanner, keys)?,
            _ => scanner.skip_value(2, DEPTH)?,
        }
        Ok(())
    })
}

fn retrieved<'a>(evidence: &mut Evidence<'a>, scanner: &mut Scanner<'a>) -> Scan<()> {
    let (ids, whole) = ids(scanner)?;
    evidence.retrieved_text = Some(whole);
    evidence.retrieved = ids.unwrap_or_default();
    note_shape(evidence, "retrieved_ids", ids.is_none());
    Ok(())
}

fn note_shape(evidence: &mut Evidence, key: &'static str, bad: bool) {
    if bad {
        evidence.bad_shape = Some(key);
    } else if evidence.bad_shape == Some(key) {
        evidence.bad_shape = None;
    }
}

const ANSWER: [&[u8]; 2] = [b"\"claim\"", b"\"citations\""];

fn flags<'a>(evidence: &mut Evidence<'a>, scanner: &mut Scanner<'a>, keys: &Keys) -> Scan<()> {
    evidence.flagged = false;
    let is_object = scanner.peek() == Some(b'{');
    if !is_object {
        let holds = truthy(scanner)?;
        note_shape(evidence, "flags", holds);
        return Ok(());
    }
    note_shape(evidence, "flags", false);
    // One bit for each.
    let mut raised = 0_u64;
    object(scanner, &keys.raised, &mut |key, scanner| {
        if key < keys.raised.len() {
            raised = raised & !(1 << key) | u64::from(truthy(scanner)?) << key;
        } else {
            scanner.skip_value(2, DEPTH)?;
        }
        Ok(())
    })?;
    evidence.flagged = raised != 0;
    Ok(())
}

fn answer<'a>(evidence: &mut Evidence<'a>, scanner: &mut Scanner<'a>) -> Scan<()> {
    evidence.citations = Ids::default();
    evidence.claim = Text::Missing;
    let is_object = scanner.peek() == Some(b'{');
    let start = scanner.pos;
    let mut bad = false;
    if is_object {
        object(scanner, &ANSWER, &mut |key, scanner| {
            match key {
                0 => evidence.claim = text(scanner)?,
                1 => {
                    let (ids, _) = ids(scanner)?;
                    bad = ids.is_none();
                    evidence.citations = ids.unwrap_or_default();
                }
                _ => scanner.skip_value(2, DEPTH)?,
            }
            Ok(())
        })?;
    } else {
        bad = truthy(scanner)?;
    }
    evidence.answer_text = Some(scanner.slice(start, scanner.pos));
    note_shape(evidence, "answer_json", bad);
    Ok(())
}

/// Whether a value holds anything: the sense in which a flag is raised. False are null,
/// false, zero, and what is empty.
pub(super) fn truthy(scanner: &mut Scanner) -> Scan<bool> {
    if scanner.take_bytes(b"false") {
        return Ok(false);
    }
    let kind = scanner.kind()?;
    let start = scanner.pos;
    if kind == ValueKind::Number || kind == ValueKind::BareWord {
        return Ok(scanner.number()? != 0.0);
    }
    scanner.skip_value(2, DEPTH)?;
    let whole = scanner.slice(start, scanner.pos);
    Ok(match kind {
        ValueKind::Null => false,
        ValueKind::Boolean => whole == b"true",
        ValueKind::String => whole.len() > 2,
        // An empty container may have blanks between its brackets.
        _ => !whole[1..whole.len() - 1].trim_ascii().is_empty(),
    })
}

/// A list of identifiers and the value as it stands. A single text counts as a list of
/// one, and what holds nothing as an empty one; `None` for anything else.
fn ids<'a>(scanner: &mut Scanner<'a>) -> Scan<(Option<Ids<'a>>, &'a [u8])> {
    let is_list = scanner.peek() == Some(b'[');
    let is_text = scanner.peek() == Some(b'"');
    let start = scanner.pos;
    let holds = if is_list {
        skip_list(scanner)?;
        true
    } else {
        truthy(scanner)?
    };
    let whole = scanner.slice(start, scanner.pos);
    let list = match holds {
        false => Some(Ids::default()),
        true if is_list || is_text => Some(Ids::over(whole)),
        true => None,
    };
    Ok((list, whole))
}

/// Skips a list, quickly if it holds texts only.
pub(super) fn skip_list(scanner: &mut Scanner) -> Scan<()> {
    let start = scanner.pos;
    scanner.pos += 1;
    while scanner.string_if_next()?.is_some() {
        if !scanner.take(b',') {
            return scanner.expect(b']');
        }
    }
    scanner.pos = start;
    scanner.skip_value(2, DEPTH)
}

#[inline]
fn text<'a>(scanner: &mut Scanner<'a>) -> Scan<Text<'a>> {
    if let Some(text) = scanner.string_if_next()? {
        return Ok(Text::Is(text));
    }
    Ok(match scanner.kind()? {
        ValueKind::String => Text::Is(scanner.string()?),
        ValueKind::Null => {
            scanner.skip_value(1, DEPTH)?;
            Text::Missing
        }
        ValueKind::Number => {
            let start = scanner.pos;
            scanner.skip_value(1, DEPTH)?;
            Text::Number(scanner.slice(start, scanner.pos))
        }
        _ => {
            let start = scanner.pos;
            scanner.skip_value(1, DEPTH)?;
            Text::WrongType(scanner.slice(start, scanner.pos))
        }
    })
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
