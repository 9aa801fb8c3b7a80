//! What a file seems to be of which nothing could be used, and what to do about it.
//!
//! Input that was given and that nobody could use is never a success; whoever gave it
//! mostly gave the right data in another format. `marks` tells formats by their first bytes,
//! `json` tells JSON that is laid out otherwise than as rows, `shapes` what rows and documents
//! are by their keys; here is how it is said. `head` and `fit` are for who asks before he
//! runs a command: what a file is, and which commands read it.

pub mod fit;
mod guess;
pub mod head;
mod json;
mod marks;
pub mod shapes;

use std::path::Path;
use std::sync::Mutex;

use judica_model::text::shell_path;

use crate::chunks::{LINE_TOO_LONG, NOT_UTF8};
use crate::elements::is_complete_object;
use crate::names::{data_stem, has_lines, is_of_other, table_stem};
use crate::source::{STDIN, Source};
use crate::table::{Tables, first_line};
pub(crate) use json::rows_of_document;
pub use json::{is_by_columns, is_surely_by_columns};

/// How much of a file is looked at.
const START: usize = 64 << 10;
/// How much of a document is looked at for what it holds besides its rows.
const DOCUMENT: usize = 64 << 20;

/// The start of standard input, which cannot be read again.
static STDIN_START: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Keeps what was read from standard input; says whether more is wanted.
pub(crate) fn remember(bytes: &[u8]) -> bool {
    let mut start = STDIN_START.lock().unwrap_or_else(|p| p.into_inner());
    let room = START - start.len();
    start.extend_from_slice(&bytes[..bytes.len().min(room)]);
    start.len() < START
}

/// What a command reads rows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// JSON or JSON lines.
    Json,
    /// The same, or a table.
    JsonOrTable,
    /// The same, also as a judge's documents.
    Judged,
}

/// What a file seems to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// What it is, with its article.
    pub what: &'static str,
    /// What to do about it; nothing for a table that is read.
    pub advice: String,
}

impl Guess {
    /// How it goes on behind what is wrong with a file.
    pub fn said(&self) -> String {
        let Guess { what, advice } = self;
        match advice.is_empty() {
            true => String::new(),
            false => format!("; it seems to be {what}.\n  {advice}"),
        }
    }
}

/// What a file seems to be, if that can be told from how it begins.
pub fn seems(path: &Path, rows: Reads) -> Option<Guess> {
    let start = start_of(path)?;
    guess(path, &start, rows)
}

/// The same for a file that is broken somewhere: only what is no JSON from the start counts.
pub fn seems_no_json(path: &Path, rows: Reads) -> Option<Guess> {
    let start = start_of(path)?;
    marks::kind_of(path, &start, rows).map(|kind| kind.guess(path))
}

fn guess(path: &Path, start: &[u8], rows: Reads) -> Option<Guess> {
    let kind = marks::kind_of(path, start, rows).or_else(|| json::kind_of(start, rows))?;
    Some(kind.guess(path))
}

/// A format, and what to do about it. In the advice `IN` stands for the file, `OUT` for
/// its name with `.jsonl`, and `SAME` for a name of the same kind beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    what: &'static str,
    advice: &'static str,
}

impl Kind {
    fn guess(self, path: &Path) -> Guess {
        Guess {
            what: self.what,
            advice: filled(self.advice, path),
        }
    }
}

/// The start of a file, decompressed.
fn start_of(path: &Path) -> Option<Vec<u8>> {
    if path == Path::new(STDIN) {
        let start = STDIN_START.lock().unwrap_or_else(|p| p.into_inner());
        return Some(start.clone());
    }
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    // What can be read of a damaged file tells as much.
    Some(Source::open_unhashed(path).ok()?.start(START))
}

/// Whether a file may hold rows, by its name or by how it begins. A single document holds
/// them only where a list of them is in it.
pub fn may_hold_rows(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(start) = start_of(path).filter(|start| !start.trim_ascii().is_empty()) else {
        return false;
    };
    let list = || {
        let inner = start.trim_ascii_start().strip_prefix(b"[");
        inner.is_some_and(|inner| inner.trim_ascii_start().starts_with(b"{"))
    };
    match () {
        () if has_lines(&name) || table_stem(&name).is_some() => true,
        () if data_stem(&name).is_some() => list() || rows_of_document(&start).is_some(),
        () if is_of_other(&name) => false,
        () => {
            list()
                || is_complete_object(first_line(start.trim_ascii_start()))
                || Tables::default().is_table(path, &start)
        }
    }
}

/// The keys of a document under which rows may stand, the one whose rows are taken first: where
/// there is more than one, that is to be said.
pub fn lists_of_rows(path: &Path) -> Vec<&'static str> {
    let begins_as_one = start_of(path).is_some_and(|start| {
        !has_lines(&path.to_string_lossy()) && rows_of_document(&start).is_some()
    });
    if path == Path::new(STDIN) || !begins_as_one {
        return Vec::new();
    }
    let source = Source::open_unhashed(path);
    source.map_or_else(
        |_| Vec::new(),
        |mut source| json::lists_of_rows(&source.start(DOCUMENT)),
    )
}

/// Whom to ask what a file is: a line of its own, if the file can be looked at.
pub fn pointer(path: &Path) -> String {
    if path == Path::new(STDIN) || !path.exists() {
        return String::new();
    }
    let name = shell_path(path);
    format!("\n  judica look {name} says what it is.")
}

/// Puts names into an advice, where a shell takes them as they are.
fn filled(advice: &str, path: &Path) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
    let name = path.to_str().filter(|name| {
        *name != STDIN && !name.starts_with('-') && !name.is_empty() && name.chars().all(plain)
    });
    let name = name.unwrap_or("FILE");
    let same = Path::new(name).file_name().unwrap_or_default();
    let same = Path::new(name).with_file_name(format!("utf8-{}", same.display()));
    let out = Path::new(name).with_extension("jsonl");
    // Nobody writes over what he reads.
    let out = if out == Path::new(name) {
        format!("{name}.jsonl")
    } else {
        out.display().to_string()
    };
    let same = same.display().to_string();
    let names = [("IN", name), ("OUT", out.as_str()), ("SAME", same.as_str())];
    let (mut text, mut rest) = (String::new(), advice);
    // What is filled in is not looked at again.
    while let Some((at, word, name)) = names
        .iter()
        .filter_map(|(word, name)| rest.find(word).map(|at| (at, word, name)))
        .min()
    {
        text.push_str(&rest[..at]);
        text.push_str(name);
        rest = &rest[at + word.len()..];
    }
    text + rest
}

/// An input of which nothing could be used.
#[derive(Debug, Clone)]
pub struct Unusable<'a> {
    /// Where its rows are.
    pub path: &'a Path,
    /// What the user knows it as.
    pub name: &'a str,
    /// How many rows it has, all of them refused.
    pub rows: u64,
    /// What may be written in it.
    pub format: Reads,
    /// The line of the first, and what is wrong with it.
    pub first: Option<(u64, String)>,
}

impl Unusable<'_> {
    /// What the file is written in, where that is why its first row was refused.
    fn encoding(&self) -> Option<Guess> {
        let (_, why) = self.first.as_ref()?;
        let start = start_of(self.path).filter(|_| why.starts_with(NOT_UTF8))?;
        marks::encoding(&start).map(|kind| kind.guess(self.path))
    }

    /// What is said about it: which file, that nothing in it could be used, what it seems
    /// to be, and what to do.
    pub fn message(&self) -> String {
        let name = match self.name {
            STDIN => "standard input",
            name => name,
        };
        let mut text = match self.rows {
            0 => format!("{name}: there is no row in it"),
            1 => format!("{name}: its one row cannot be used"),
            rows => format!("{name}: not one of its {rows} rows can be used"),
        };
        let seems = seems(self.path, self.format).or_else(|| self.encoding());
        let seems = seems.filter(|guess| self.first.is_none() || !guess.advice.is_empty());
        match (seems, &self.first) {
            // What is too long is that, whatever it holds.
            (_, Some((line, why))) if why.starts_with(LINE_TOO_LONG) => {
                text.push_str(&format!(".\n  The first, line {line}: {why}"));
            }
            (Some(guess), _) => {
                text.push_str(&guess.said());
            }
            (None, Some((line, why))) => {
                text.push_str(&format!(".\n  The first, line {line}: {why}"));
            }
            (None, None) => {}
        }
        text.push_str(&pointer(Path::new(self.name)));
        text
    }
}

/// What is said where of all inputs of a command nothing could be used.
pub fn nothing_usable(inputs: &[Unusable]) -> String {
    /// So many files are told about one by one.
    const TOLD: usize = 3;
    let mut lines: Vec<String> = inputs.iter().take(TOLD).map(Unusable::message).collect();
    if inputs.len() > TOLD {
        lines.push(format!("… and {} more files alike", inputs.len() - TOLD));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
