//! Opening an input: what format it has, and the right reader for it.

use std::path::Path;

use judica_data::chunks::ChunkReader;
use judica_data::csv::{CsvReader, named_delimiter};
use judica_data::source::Source;

use crate::error::AgreeError;

/// Bytes of JSON per chunk.
const CHUNK_BYTES: usize = 1 << 20;

/// An open input.
pub(super) enum Input {
    /// Records with a header.
    Csv(CsvReader),
    /// Objects.
    Json(ChunkReader),
}

/// Opens an input. Its name tells the format; if it does not, the first byte that is not
/// blank does: `{` and `[` begin JSON. A delimiter means that it is no JSON.
pub(super) fn open(path: &Path, delimiter: Option<u8>, hashed: bool) -> Result<Input, AgreeError> {
    let mut source = match hashed {
        true => Source::open(path)?,
        false => Source::open_unhashed(path)?,
    };
    if let Some(delimiter) = delimiter.or(named_delimiter(path)) {
        return Ok(Input::Csv(CsvReader::over(source, Vec::new(), delimiter)?));
    }
    let json = named_json(path) || matches!(source.first_visible()?, Some(b'{' | b'['));
    Ok(match json {
        true => Input::Json(ChunkReader::over(source, CHUNK_BYTES)),
        false => Input::Csv(CsvReader::over(source, Vec::new(), b',')?),
    })
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
}
