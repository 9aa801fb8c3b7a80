//! Opening an input: what format it has, and the right reader for it.

use std::io::Write;
use std::path::Path;

use judica_data::chunks::ChunkReader;
use judica_data::csv::{CsvReader, named_delimiter};
use judica_data::error::DataError;
use judica_data::source::{STDIN, Source};
use tempfile::NamedTempFile;

use crate::error::AgreeError;

/// Bytes of JSON per chunk.
const CHUNK_BYTES: usize = 1 << 20;
/// How much is read at a time to tell the format.
const START: usize = 4096;

/// An open input.
pub(super) enum Input {
    /// Records with a header.
    Csv(CsvReader),
    /// Objects. The file is where they are, if that is not where they were: it is removed
    /// when it is dropped.
    Json(ChunkReader, Option<NamedTempFile>),
}

/// Opens an input. Its name tells the format; if it does not, the first byte that is not
/// blank does: `{` and `[` begin JSON. A delimiter means that it is no JSON.
pub(super) fn open(path: &Path, delimiter: Option<u8>) -> Result<Input, AgreeError> {
    if delimiter.is_some() || named_delimiter(path).is_some() {
        return Ok(Input::Csv(CsvReader::open(path, delimiter)?));
    }
    if named_json(path) {
        return json(path);
    }
    let mut source = Source::open(path)?;
    let start = read_start(&mut source)?;
    match start.trim_ascii_start().first() {
        Some(b'{' | b'[') if path == Path::new(STDIN) => spooled(source, start),
        Some(b'{' | b'[') => json(path),
        _ => Ok(Input::Csv(CsvReader::over(source, start, b',')?)),
    }
}

fn json(path: &Path) -> Result<Input, AgreeError> {
    let reader = ChunkReader::new(&[path.to_owned()], CHUNK_BYTES)?;
    Ok(Input::Json(reader, None))
}

/// Standard input cannot be opened again, so what it gives goes to a file first.
fn spooled(mut source: Source, start: Vec<u8>) -> Result<Input, AgreeError> {
    let folder = std::env::temp_dir();
    let mut file = NamedTempFile::new().map_err(|e| DataError::writing(&folder, e))?;
    let mut buffer = start;
    while !buffer.is_empty() {
        let written = file.write_all(&buffer);
        written.map_err(|e| DataError::writing(file.path(), e))?;
        buffer.resize(1 << 18, 0);
        let read = source.read_bytes(&mut buffer)?;
        buffer.truncate(read);
    }
    let reader = ChunkReader::new(&[file.path().to_owned()], CHUNK_BYTES)?;
    Ok(Input::Json(reader, Some(file)))
}

/// The start of a source, up to its first byte that is not blank and a little more.
fn read_start(source: &mut Source) -> Result<Vec<u8>, DataError> {
    let mut start = Vec::new();
    let mut piece = [0; START];
    while start.trim_ascii_start().is_empty() {
        let read = source.read_bytes(&mut piece)?;
        if read == 0 {
            break;
        }
        start.extend_from_slice(&piece[..read]);
    }
    Ok(start)
}

/// Whether a name says JSON, compression aside.
fn named_json(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase());
    let name = name.unwrap_or_default();
    let compressed = name.strip_suffix(".gz").or(name.strip_suffix(".zst"));
    let plain = compressed.unwrap_or(&name);
    [".jsonl", ".ndjson", ".json"]
        .iter()
        .any(|end| plain.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        for name in ["a.json", "A.JSONL", "a.ndjson.gz", "a.json.zst"] {
            assert!(named_json(Path::new(name)), "{name}");
        }
        for name in ["-", "a", "a.csv", "json", "a.jsonl.txt"] {
            assert!(!named_json(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn what_was_spooled_is_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("piped");
        let lines: String = (0..50_000)
            .map(|i| format!("{{\"item\": {i}}}\n"))
            .collect();
        for text in [lines.as_str(), "  [1, 2]"] {
            std::fs::write(&path, text).unwrap();
            let mut source = Source::open(&path).unwrap();
            let start = read_start(&mut source).unwrap();
            let Input::Json(mut reader, file) = spooled(source, start).unwrap() else {
                panic!("JSON");
            };
            let mut records = 0;
            while let Some(chunk) = reader.next_chunk().unwrap() {
                records += chunk.records().count();
            }
            assert_eq!(records, if text == lines { 50_000 } else { 2 });
            let spool = file.unwrap().path().to_owned();
            assert!(!spool.exists());
        }
    }
}
