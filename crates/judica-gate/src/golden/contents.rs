//! The bytes of a run's files.
//!
//! A large folder has a million of them, most of a few hundred bytes, so that the calls to
//! the operating system are what takes time: as few as possible, into one buffer.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::Utf8Error;

use judica_data::error::DataError;
use judica_data::limits;
use judica_data::source::{Source, begins_packed};
use serde::de::IgnoredAny;

use judica_data::work_error::WorkError;

/// Room for most files at once.
const USUAL: usize = 16 << 10;

/// Why a file could not be used.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// What it holds is not what it should.
    Malformed(String),
    /// The evaluation cannot go on.
    Stop(WorkError),
}

/// Reads a file, decompressed if need be, into `buffer`, and gives its text.
pub(super) fn read<'b>(path: &Path, buffer: &'b mut Vec<u8>) -> Result<&'b str, Unreadable> {
    match fill(path, buffer) {
        Ok(()) => {}
        Err(DataError::Malformed { reason, .. }) => return Err(Unreadable::Malformed(reason)),
        Err(error) => return Err(Unreadable::Stop(error.into())),
    }
    text(buffer).map_err(|error| Unreadable::Malformed(format!("not UTF-8: {error}")))
}

/// Whether a file holds one JSON value.
pub(super) fn is_json(path: &Path, buffer: &mut Vec<u8>) -> Result<bool, WorkError> {
    // One read that leaves room is the whole file wherever files are files; should it be
    // less, what was read does not parse, and the file is read again to its end.
    buffer.resize(USUAL, 0);
    let first = File::open(path).and_then(|mut file| file.read(buffer));
    if let Ok(length) = first
        && length < buffer.len()
        && text(&buffer[..length]).is_ok_and(is_value)
    {
        return Ok(true);
    }
    match read(path, buffer) {
        Ok(text) => Ok(is_value(text)),
        Err(Unreadable::Malformed(_)) => Ok(false),
        Err(Unreadable::Stop(error)) => Err(error),
    }
}

fn is_value(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Bytes as text, without a byte order mark.
fn text(bytes: &[u8]) -> Result<&str, Utf8Error> {
    let text = std::str::from_utf8(bytes)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn fill(path: &Path, buffer: &mut Vec<u8>) -> Result<(), DataError> {
    let reading = |error| DataError::reading(path, error);
    buffer.clear();
    buffer.reserve(USUAL);
    let file = File::open(path).map_err(reading)?;
    // Through `take`, so that the file is not asked for its length first.
    let most = limits::longest();
    let room = most as u64 + 1;
    file.take(room).read_to_end(buffer).map_err(reading)?;
    if is_packed(path, buffer) {
        buffer.clear();
        let source = Source::open_unhashed(path)?;
        source.take(room).read_to_end(buffer).map_err(reading)?;
    }
    if buffer.len() > most {
        return Err(limits::too_long(path, most));
    }
    Ok(())
}

/// Whether a file is compressed: by its first bytes, or because its name says so.
fn is_packed(path: &Path, bytes: &[u8]) -> bool {
    let named = path.extension();
    begins_packed(bytes) || named.is_some_and(|extension| extension == "gz" || extension == "zst")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn text_is_text_however_it_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let mut buffer = Vec::new();
        let mut read = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            match super::read(&path, &mut buffer) {
                Ok(text) => text.to_owned(),
                Err(Unreadable::Malformed(reason)) => format!("error: {reason}"),
                Err(Unreadable::Stop(error)) => format!("stop: {error}"),
            }
        };
        assert_eq!(read("a.json", b"\xef\xbb\xbf{}"), "{}");
        assert_eq!(read("a.json", b""), "");
        let long = vec![b'x'; 3 * USUAL];
        assert_eq!(read("b.json", &long).len(), long.len());
        assert_eq!(read("c.json.gz", b""), "error: gzip data is cut short");
        assert!(read("d.json", b"\x1f\x8b\x08").starts_with("error: "));
        assert!(read("e.json", b"{\"a\": \"\xff\"}").starts_with("error: not UTF-8"));
        assert!(matches!(
            super::read(&folder.path().join("none"), &mut Vec::new()),
            Err(Unreadable::Stop(_))
        ));
    }

    #[test]
    fn a_file_is_json_or_not_whatever_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        let mut buffer = Vec::new();
        for spaces in [0, USUAL - 3, USUAL - 2, USUAL - 1, 2 * USUAL] {
            for (json, valid) in [
                ("{}", true),
                ("[1", false),
                ("", false),
                ("\u{feff}1", true),
            ] {
                let padded = [json, &" ".repeat(spaces)].concat();
                for (text, valid) in [(padded.clone(), valid), (padded + "}", false)] {
                    fs::write(&path, &text).unwrap();
                    assert_eq!(
                        is_json(&path, &mut buffer).unwrap(),
                        valid,
                        "{json}, {spaces}"
                    );
                }
            }
        }
        assert!(is_json(folder.path(), &mut buffer).is_ok_and(|valid| !valid));
        assert!(is_json(&folder.path().join("none"), &mut buffer).is_err());
    }
}
