//! JSON that is laid out otherwise than as rows, or that another command wrote.

use super::marks::pandas;
use super::shapes::{JUDGED, SHAPES};
use super::{Kind, Reads};
use crate::json::{ScanError, Scanner, ValueKind};

/// Deep enough for whatever is looked at.
const DEPTH: usize = 128;

const BY_COLUMNS: Kind = Kind {
    what: "a pandas frame by columns, as `to_json` writes it unless told otherwise",
    advice: pandas!("read_json('IN')"),
};
const BY_INDEX: Kind = Kind {
    what: "a pandas frame by index",
    advice: pandas!("read_json('IN', orient='index')"),
};
const SPLIT: Kind = Kind {
    what: "a pandas frame, split into columns, index and data",
    advice: pandas!("read_json('IN', orient='split')"),
};
const TABLE: Kind = Kind {
    what: "a pandas frame with its table schema",
    advice: pandas!("read_json('IN', orient='table')"),
};
const VALUES: Kind = Kind {
    what: "a list of lists, without the names of columns",
    advice: "Write each row as an object: in pandas, df.to_json('OUT', orient='records', \
             lines=True)",
};

/// What begins like this, if it is JSON.
pub(super) fn kind_of(start: &[u8], rows: Reads) -> Option<Kind> {
    let mut scanner = Scanner::new(start, 0);
    match scanner.kind().ok()? {
        ValueKind::Object => {
            let top = top_of(start);
            frame(&top).or_else(|| {
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

/// A frame of pandas, laid out otherwise than as rows.
pub(super) fn frame(top: &[Member]) -> Option<Kind> {
    let first = top.first()?;
    let is_number = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
    let inner = first.inner.as_deref();
    match (first.name.as_str(), first.kind) {
        ("columns" | "index" | "data", ValueKind::Array) if has(top, "columns") => Some(SPLIT),
        ("schema", ValueKind::Object) if inner == Some("fields") => Some(TABLE),
        (_, ValueKind::Object) if inner.is_some_and(is_number) => Some(BY_COLUMNS),
        (name, ValueKind::Object) if is_number(name) => Some(BY_INDEX),
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
}

/// Whether something stands at the top.
pub(super) fn has(top: &[Member], name: &str) -> bool {
    top.iter().any(|member| member.name == name)
}

/// The keys at the top of an object, as far as it is there.
pub(super) fn top_of(start: &[u8]) -> Vec<Member> {
    let mut top = Vec::new();
    let text = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
    let mut scanner = Scanner::new(start, 0);
    // Mostly the text is cut off somewhere: what came before is what counts.
    let _: Result<(), ScanError> = scanner.members(|key, scanner| {
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
        });
        scanner.skip_value(1, DEPTH)
    });
    top
}
