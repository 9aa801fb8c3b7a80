//! JSON that is laid out otherwise than as rows, or that another command wrote.

use super::marks::python;
use super::shapes::{JUDGED, SHAPES, Shape};
use super::{Kind, Reads};
use crate::json::{ScanError, Scanner, ValueKind};
use crate::row_keys::{GOLD, ID, PREDICTION, ROWS};

/// Deep enough for whatever is looked at.
const DEPTH: usize = 128;

macro_rules! frame {
    ($rows:literal) => {
        concat!(
            "Write it as JSON lines first: ",
            python!("", "json.load(open('IN', 'rb'))", $rows)
        )
    };
}

const BY_COLUMNS: Kind = Kind {
    what: "a pandas frame by columns, as `to_json` writes it unless told otherwise",
    advice: frame!("({'index': k, **{c: d[c].get(k) for c in d}} for k in next(iter(d.values())))"),
};
const BY_INDEX: Kind = Kind {
    what: "a pandas frame by index",
    advice: frame!("({'index': k, **r} for k, r in d.items())"),
};
const SPLIT: Kind = Kind {
    what: "a pandas frame, split into columns, index and data",
    advice: frame!(
        "({'index': k, **dict(zip(d['columns'], r))} for k, r in \
         zip(d.get('index', range(len(d['data']))), d['data']))"
    ),
};
const TABLE: Kind = Kind {
    what: "a pandas frame with its table schema",
    advice: frame!("d['data']"),
};
const BY_LISTS: Kind = Kind {
    what: "a pandas frame by columns, each of them a list",
    advice: frame!("(dict(zip(d, r)) for r in zip(*d.values()))"),
};
const VALUES: Kind = Kind {
    what: "a list of lists, without the names of columns",
    advice: "Write each row as an object: in pandas, df.to_json('OUT', orient='records', \
             lines=True)",
};

const RUN_TOGETHER: Kind = Kind {
    what: "JSON values one after the other, neither one document nor one on each line",
    advice: "Write one on each line: jq -c . IN > OUT",
};

/// Values that nothing keeps apart, or that have several lines each.
pub(super) fn run_together(start: &[u8]) -> Option<Kind> {
    let start = start.trim_ascii_start();
    let mut scanner = Scanner::new(start, 0);
    scanner.skip_value(0, DEPTH).ok()?;
    let (first, rest) = start.split_at(scanner.pos);
    let next = rest.trim_ascii_start();
    let between = &rest[..rest.len() - next.len()];
    let on_lines = between.contains(&b'\n') && !first.contains(&b'\n');
    (first.starts_with(b"{") && next.starts_with(b"{") && !on_lines).then_some(RUN_TOGETHER)
}

/// What begins like this, if it is JSON.
pub(super) fn kind_of(start: &[u8], rows: Reads) -> Option<Kind> {
    let mut scanner = Scanner::new(start, 0);
    match scanner.kind().ok()? {
        ValueKind::Object => {
            let (top, alone) = taken_apart(start);
            frame(&top, alone).or(run_together(start)).or_else(|| {
                let mut told = SHAPES.iter().filter(|shape| shape.told);
                let judged = rows == Reads::Judged;
                let found = told.find(|shape| shape.fits(&|name| has(&top, name)))?;
                (found.name != JUDGED || !judged).then(|| found.kind())
            })
        }
        ValueKind::Array => {
            scanner.expect(b'[').ok()?;
            let first = scanner.kind().ok()?;
            (first == ValueKind::Array).then_some(VALUES)
        }
        _ => None,
    }
}

/// Whether a document is a table by columns, each of them a list or an object by row.
pub fn is_by_columns(document: &[u8]) -> bool {
    let (top, alone) = taken_apart(document);
    alone && (by_lists(&top) || by_listed_ids(&top) || by_objects(&top))
}

/// Whether a line is a table whose columns are objects by the number of the row, or lists of
/// which one holds the ids. One row may hold nothing but lists of one length, or objects with
/// the same names, but not that.
pub fn is_surely_by_columns(line: &[u8]) -> bool {
    let (top, alone) = taken_apart(line);
    let by_numbers = top.iter().all(is_numbered) || top.iter().all(is_empty);
    alone && (top.len() > 1 && by_numbers || by_listed_ids(&top))
}

/// Whether all are lists of one length, also under the id, which of one row is no list.
fn by_listed_ids(top: &[Member]) -> bool {
    let Some(ids) = top.iter().find(|member| member.name == ID) else {
        return false;
    };
    let alike = |member: &Member| member.length == ids.length;
    ids.length.is_some() && !ids.of_objects && top.len() > 1 && top.iter().all(alike)
}

/// Whether all are objects by row: numbers, or the same few names in each, or none.
fn by_objects(top: &[Member]) -> bool {
    let rows = top.first().and_then(|first| first.keys.as_deref());
    let several = rows.is_some_and(|rows| rows.len() > 1);
    let same = |member: &Member| several && member.keys.as_deref() == rows;
    let by_row = |member: &Member| is_numbered(member) || same(member);
    top.len() > 1 && (top.iter().all(by_row) || top.iter().all(is_empty))
}

fn is_numbered(member: &Member) -> bool {
    member.kind == ValueKind::Object && member.inner.as_deref().is_some_and(is_number)
}

fn is_empty(member: &Member) -> bool {
    member.keys.as_ref().is_some_and(Vec::is_empty)
}

fn is_number(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_field(member: &Member) -> bool {
    let mut names = GOLD.iter().chain(&PREDICTION);
    names.any(|name| member.name.eq_ignore_ascii_case(name))
}

/// One row may hold lists, too, but seldom nothing else, and all of one length.
fn by_lists(top: &[Member]) -> bool {
    let length = top.first().and_then(|first| first.length);
    let alike = |member: &Member| member.length == length && !member.of_objects;
    length > Some(1) && top.len() > 1 && top.iter().all(alike)
}

/// Where in a document, or in the start of one, its list of rows begins.
pub(crate) fn rows_of_document(start: &[u8]) -> Option<usize> {
    rows_of(&document_of_rows(start)?).map(|list| list.at)
}

/// The members of a document, or of the start of one, that holds a list of rows. An object of a
/// kind that is known is that, and one of several is a row.
fn document_of_rows(start: &[u8]) -> Option<Vec<Member>> {
    let mut scanner = Scanner::new(start, 0);
    let ended = scanner.skip_value(0, DEPTH).is_ok();
    if ended && !scanner.at_end() {
        return None;
    }
    let top = top_of(start);
    let known = |shape: &Shape| shape.fits(&|name| has(&top, name));
    if frame(&top, ended).is_some() || SHAPES.iter().any(known) {
        return None;
    }
    rows_of(&top).is_some().then_some(top)
}

/// The keys of lists of objects in a document of rows, the one that is taken first.
pub(super) fn lists_of_rows(start: &[u8]) -> Vec<&'static str> {
    let top = document_of_rows(start).unwrap_or_default();
    let is_list = |name: &&str| top.iter().any(|m| m.of_objects && m.name == *name);
    ROWS.into_iter().filter(is_list).collect()
}

/// The list of rows among what stands at the top.
pub(super) fn rows_of(top: &[Member]) -> Option<&Member> {
    ROWS.iter().find_map(|name| {
        let mut lists = top.iter().filter(|member| member.of_objects);
        lists.find(|list| list.name == *name)
    })
}

/// A frame of pandas, laid out otherwise than as rows. `alone` says that nothing else is in
/// the file.
pub(super) fn frame(top: &[Member], alone: bool) -> Option<Kind> {
    let first = top.first()?;
    let inner = first.inner.as_deref();
    match (first.name.as_str(), first.kind) {
        ("columns" | "index" | "data", ValueKind::Array) if has(top, "columns") => Some(SPLIT),
        ("schema", ValueKind::Object) if inner == Some("fields") => Some(TABLE),
        (_, ValueKind::Object) if inner.is_some_and(is_number) => Some(BY_COLUMNS),
        (name, ValueKind::Object) if is_number(name) => Some(BY_INDEX),
        // Reports hold such objects as well, but not under the names of what rows hold.
        (_, ValueKind::Object) if alone && by_objects(top) && top.iter().any(is_field) => {
            Some(BY_COLUMNS)
        }
        (_, ValueKind::Array) if alone && (by_lists(top) || by_listed_ids(top)) => Some(BY_LISTS),
        _ => None,
    }
}

/// What stands at the top of a document.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its key.
    pub name: String,
    /// What it is.
    pub kind: ValueKind,
    /// Where it begins.
    pub(super) at: usize,
    /// The first key of an object; the text of a text.
    pub inner: Option<String>,
    /// Whether it is a list that begins with an object.
    pub of_objects: bool,
    /// How many elements a list has, if all of it is there.
    length: Option<usize>,
    /// The keys of an object, if all of it is there.
    keys: Option<Vec<Vec<u8>>>,
}

/// Whether something stands at the top.
pub(super) fn has(top: &[Member], name: &str) -> bool {
    top.iter().any(|member| member.name == name)
}

/// The keys at the top of an object, as far as it is there.
pub(super) fn top_of(start: &[u8]) -> Vec<Member> {
    taken_apart(start).0
}

/// The same, and whether the object is whole and alone.
fn taken_apart(start: &[u8]) -> (Vec<Member>, bool) {
    let mut top: Vec<Member> = Vec::new();
    let text = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
    let mut scanner = Scanner::new(start, 0);
    // Mostly the text is cut off somewhere: what came before is what counts.
    let walked: Result<(), ScanError> = scanner.members(|key, scanner| {
        let kind = scanner.kind()?;
        let at = scanner.pos;
        let mut inside = Scanner::new(start, at);
        let mut inner = None;
        let mut of_objects = false;
        let stop = |inside: &Scanner| Err(ScanError::Syntax(inside.pos));
        match kind {
            ValueKind::Object => {
                let _: Result<(), ScanError> = inside.members(|key, inside| {
                    inner.get_or_insert_with(|| text(key));
                    // The first is enough.
                    stop(inside)
                });
            }
            ValueKind::Array => {
                let _: Result<(), ScanError> = inside.elements(|_, inside| {
                    of_objects = inside.kind()? == ValueKind::Object;
                    stop(inside)
                });
            }
            ValueKind::String => {
                let mut buffer = Vec::new();
                inner = inside
                    .string()
                    .ok()
                    .map(|found| text(found.decode(&mut buffer)));
            }
            _ => {}
        }
        top.push(Member {
            name: text(key),
            kind,
            at,
            inner,
            of_objects,
            length: None,
            keys: None,
        });
        let (mut length, mut keys) = (0, Vec::new());
        match kind {
            ValueKind::Array => scanner.elements(|_, scanner| {
                length += 1;
                scanner.skip_value(2, DEPTH)
            })?,
            ValueKind::Object => scanner.members(|key, scanner| {
                keys.push(key.to_vec());
                scanner.skip_value(2, DEPTH)
            })?,
            _ => scanner.skip_value(1, DEPTH)?,
        }
        if let Some(member) = top.last_mut() {
            member.length = (kind == ValueKind::Array).then_some(length);
            member.keys = (kind == ValueKind::Object).then_some(keys);
        }
        Ok(())
    });
    let alone = walked.is_ok() && scanner.at_end();
    (top, alone)
}
