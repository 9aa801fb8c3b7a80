//! Deciding how the records lie in a file.

use std::path::Path;

use crate::elements::{is_complete, is_complete_object, is_space};
use crate::foreign::rows_of_document;
use crate::names::has_lines;
use crate::source::STDIN;

/// How the records lie in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// One JSON value on each line.
    Lines,
    /// The elements of one JSON array.
    Array,
    /// JSON values that follow each other, spread over lines as they like.
    Values,
    /// The whole file is one record.
    Document,
}

/// What the start of a file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    /// The format is settled.
    Is(Format),
    /// It hangs on whether this first line, from here on, is a whole object.
    NeedsLine {
        /// Where in the start of the file the line's first byte stands.
        from: usize,
    },
}

/// How many lines are looked at to tell lines from values spread over lines.
const LOOKED_AT: usize = 4;

/// Tells the format from the start of the file.
///
/// What is named `.jsonl`, or another of the names of lines, holds lines: a first line that is
/// broken must not turn the others into one record. But a list or pretty-printed objects saved
/// under such a name are told by their first lines, none of which is whole.
pub(super) fn sniff(path: &Path, start: &[u8]) -> Guess {
    let Some(from) = start.iter().position(|&b| !is_space(b)) else {
        return Guess::Is(Format::Lines);
    };
    let extension = bare_extension(path);
    let named_lines = has_lines(&path.to_string_lossy());
    match start[from] {
        b'[' if !named_lines || is_list(&start[from..]) => Guess::Is(Format::Array),
        b'{' if extension.as_deref() == Some("json") => Guess::NeedsLine { from },
        b'{' if is_spread(&start[from..]) => Guess::Is(Format::Values),
        _ => Guess::Is(Format::Lines),
    }
}

/// Where in the start of a file its list of rows begins, if it is a document that holds one.
pub(super) fn rows_within(path: &Path, start: &[u8], format: Format) -> Option<usize> {
    let is_list = format == Format::Array || has_lines(&path.to_string_lossy());
    match start.iter().find(|&&byte| !is_space(byte)) {
        Some(b'{') if !is_list => rows_of_document(start),
        _ => None,
    }
}

/// How a document is called by [`layout`].
pub(crate) const DOCUMENT: &str = "one JSON document";

/// How the records lie in a file that begins so, in words.
pub(crate) fn layout(path: &Path, start: &[u8]) -> &'static str {
    let format = match sniff(path, start) {
        Guess::Is(format) => format,
        Guess::NeedsLine { from } => {
            let mut lines = start[from..].split(|&byte| byte == b'\n');
            by_first_line(lines.next().unwrap_or_default())
        }
    };
    match format {
        Format::Lines => "JSON lines",
        Format::Array => "a JSON list",
        Format::Values => "JSON objects over several lines",
        Format::Document => DOCUMENT,
    }
}

/// Whether a text in a file of lines is not lines, but one list or values that are spread
/// over several lines: for readers that hold the whole file.
pub fn is_not_lines(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    match text.first() {
        Some(b'[') => is_list(text),
        Some(b'{') => is_spread(text),
        _ => false,
    }
}

/// Whether a file of lines that begins with `[` is one list after all. No record is a list,
/// so it is one if nothing follows its first line, or if that line does not hold all of it.
fn is_list(text: &[u8]) -> bool {
    let mut lines = lines(text);
    let first = lines.next().unwrap_or_default();
    if first.len() == text.trim_ascii_end().len() && !is_complete(first) {
        // All that was looked at is one line: long, and it holds objects.
        return first[1..].trim_ascii_start().starts_with(b"{");
    }
    if is_complete(first) {
        return lines.next().is_none() && first[1..].trim_ascii_start().starts_with(b"{");
    }
    is_spread(text)
}

/// Whether the first value goes on over several lines. A value that stands whole on a line
/// near the beginning, with another after it, tells a file of lines whose first is broken.
fn is_spread(text: &[u8]) -> bool {
    let shown: Vec<&[u8]> = lines(text).take(LOOKED_AT + 1).collect();
    let goes_on = |line: &[u8]| matches!(line.last(), Some(b'{' | b'[' | b',' | b':'));
    let [first, rest @ ..] = shown.as_slice() else {
        return false;
    };
    let opens = |line: &[u8]| matches!(line.first(), Some(b'{' | b'['));
    let alone = rest
        .iter()
        .enumerate()
        .take(LOOKED_AT - 1)
        .any(|(at, line)| {
            let next = rest.get(at + 1);
            is_complete(line) && next.is_none_or(|next| opens(next))
        });
    !rest.is_empty() && goes_on(first) && !is_complete(first) && !alone
}

/// The lines of a text that are not blank, without blanks around.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty())
}

/// Settles [`Guess::NeedsLine`].
pub(super) fn by_first_line(line: &[u8]) -> Format {
    if is_complete_object(line) {
        Format::Lines
    } else {
        Format::Document
    }
}

/// The extension without the compression's, in lower case.
fn bare_extension(path: &Path) -> Option<String> {
    if path == Path::new(STDIN) {
        return None;
    }
    let lower = |p: &Path| Some(p.extension()?.to_str()?.to_ascii_lowercase());
    match lower(path)?.as_str() {
        "gz" | "gzip" | "zst" | "zstd" => lower(Path::new(path.file_stem()?)),
        other => Some(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents() {
        let sniff = |name: &str, text: &str| sniff(Path::new(name), text.as_bytes());
        assert_eq!(sniff("a.json", " \n[1]"), Guess::Is(Format::Array));
        assert_eq!(sniff("-", "[1]"), Guess::Is(Format::Array));
        assert_eq!(sniff("a.json.gz", "\n{"), Guess::NeedsLine { from: 1 });
        assert_eq!(sniff("a.txt", "{"), Guess::Is(Format::Lines));
        assert_eq!(sniff("-", "{"), Guess::Is(Format::Lines));
        assert_eq!(sniff("a.json", "  "), Guess::Is(Format::Lines));
        assert_eq!(sniff("a.json", "x"), Guess::Is(Format::Lines));
        assert_eq!(by_first_line(b"{\"a\":1}\r\n"), Format::Lines);
        assert_eq!(by_first_line(b"{\n"), Format::Document);
    }

    #[test]
    fn lines_by_name_are_lines_unless_none_of_them_is_whole() {
        let pretty = "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}\n";
        let list = format!("[\n{pretty},\n{pretty}]\n");
        let long = format!("[{}", "{\"a\": 1}, ".repeat(9000));
        for (text, format) in [
            ("{\"a\": 1}\n{\"a\": 2}\n", Format::Lines),
            ("", Format::Lines),
            ("x,y\n1,2\n", Format::Lines),
            // Lists.
            (list.as_str(), Format::Array),
            ("[\n  {\"a\": 1},\n  {\"a\": 2}\n]", Format::Array),
            ("[\n{\"a\": 1},\n{\"a\": 2},\n{\"a\": 3}\n]", Format::Array),
            ("[{\"a\": 1},\n {\"a\": 2}]", Format::Array),
            ("[{\"a\": 1}, {\"a\": 2}]", Format::Array),
            (" [{\"a\": 1}]\n\n", Format::Array),
            (long.as_str(), Format::Array),
            // Lines that are lists.
            ("[1, 2]\n[3, 4]\n", Format::Lines),
            ("[1, 2]\n", Format::Lines),
            ("[{\"a\": 1}]\n[{\"a\": 2}]\n", Format::Lines),
            ("[1, 2\n[3, 4]\n", Format::Lines),
            ("[1,\n[3, 4]\n[5]\n", Format::Lines),
            // Objects over several lines.
            (pretty, Format::Values),
            ("{\r\n \"a\": 1}\r\n{\r\n \"a\": 2}\r\n", Format::Values),
            // A first line that is broken.
            ("{\"a\":\n{\"a\": 2}\n{\"a\": 3}\n", Format::Lines),
            ("{\n{\"a\": 2}\n{\"a\": 3}\n", Format::Lines),
            ("{\"a\": 1, \"b\n{\"a\": 2}\n", Format::Lines),
            ("{\n", Format::Lines),
            ("{\"a\":\n{\"a\": 2}", Format::Lines),
            ("[\n{\"a\": 2}\n{\"a\": 3}\n", Format::Lines),
        ] {
            for name in ["a.jsonl", "a.NDJSON", "d.json/a.jsonl.gz", "a.ndjson.zst"] {
                let told = sniff(Path::new(name), text.as_bytes());
                assert_eq!(told, Guess::Is(format), "{name} {text}");
            }
            assert_eq!(is_not_lines(text.as_bytes()), format != Format::Lines);
        }
    }
}
