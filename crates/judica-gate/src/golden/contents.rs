//! The bytes of a run's files.
//!
//! A large folder has a million of them, most of a few hundred bytes, so that the calls to
//! the operating system are what takes time: as few as possible, into one buffer.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use judica_data::error::DataError;
use judica_data::source::Source;

use crate::error::GateError;

/// Room for most files at once.
const USUAL: usize = 16 << 10;

/// Why a file could not be used.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// What it holds is not what it should.
    Malformed(String),
    /// The evaluation cannot go on.
    Stop(GateError),
}

/// Reads a file, decompressed if need be, into `buffer`, and gives its text.
pub(super) fn read<'b>(path: &Path, buffer: &'b mut Vec<u8>) -> Result<&'b str, Unreadable> {
    match fill(path, buffer) {
        Ok(()) => {}
        Err(DataError::Malformed { reason, .. }) => return Err(Unreadable::Malformed(reason)),
        Err(error) => return Err(Unreadable::Stop(error.into())),
    }
    match std::str::from_utf8(buffer) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => Err(Unreadable::Malformed(format!("not UTF-8: {error}"))),
    }
}

fn fill(path: &Path, buffer: &mut Vec<u8>) -> Result<(), DataError> {
    let reading = |error| DataError::reading(path, error);
    buffer.clear();
    buffer.reserve(USUAL);
    let file = File::open(path).map_err(reading)?;
    // Through `take`, so that the file is not asked for its length first.
    file.take(u64::MAX).read_to_end(buffer).map_err(reading)?;
    if is_packed(path, buffer) {
        buffer.clear();
        let mut source = Source::open_unhashed(path)?;
        source.read_to_end(buffer).map_err(reading)?;
    }
    Ok(())
}

/// Whether a file is compressed: by its first bytes, or because its name says so.
fn is_packed(path: &Path, bytes: &[u8]) -> bool {
    let gzip_or_zstd = matches!(bytes, [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..]);
    let named = path.extension();
    gzip_or_zstd || named.is_some_and(|extension| extension == "gz" || extension == "zst")
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
}
