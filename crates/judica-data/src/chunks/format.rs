//! Deciding how the records lie in a file.

use std::path::Path;

use crate::elements::{is_complete_object, is_space};
use crate::source::STDIN;

/// How the records lie in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// One JSON value on each line.
    Lines,
    /// The elements of one JSON array.
    Array,
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

/// Whether the name alone says JSON lines. Then the contents are not asked: a
/// first line that is broken must not turn the other lines into one record.
pub(super) fn named_lines(path: &Path) -> bool {
    matches!(bare_extension(path).as_deref(), Some("jsonl" | "ndjson"))
}

/// Tells the format from the start of the file.
pub(super) fn sniff(path: &Path, start: &[u8]) -> Guess {
    let Some(from) = start.iter().position(|&b| !is_space(b)) else {
        return Guess::Is(Format::Lines);
    };
    match start[from] {
        b'[' => Guess::Is(Format::Array),
        b'{' if bare_extension(path).as_deref() == Some("json") => Guess::NeedsLine { from },
        _ => Guess::Is(Format::Lines),
    }
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
        "gz" | "zst" => lower(Path::new(path.file_stem()?)),
        other => Some(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for lines in ["a.jsonl", "a.NDJSON", "d.json/a.jsonl.gz", "a.ndjson.zst"] {
            assert!(named_lines(Path::new(lines)), "{lines}");
        }
        for other in ["-", "a.json", "a", "jsonl", "a.jsonl.txt", "a.gz"] {
            assert!(!named_lines(Path::new(other)), "{other}");
        }
    }

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
}
