//! Bytes read as rows, through the door that every command has.

use std::io::Write;
use std::path::Path;

use judica_data::chunks::ChunkReader;
use judica_data::error::DataError;
use judica_data::limits;
use judica_data::table::Tables;

/// The line of a row, and its bytes or why it is refused.
pub type Row = (u64, Result<Vec<u8>, &'static str>);

/// The rows of a file that would hold these bytes, and how reading ended: the same however
/// large the pieces are in which it is read.
pub fn rows(bytes: &[u8], tables: &Tables) -> (Vec<Row>, Result<(), String>) {
    // What is hostile here is hostile within a mebibyte.
    limits::set_longest(1 << 20);
    // What is in memory is rows and nothing else; a file may be anything.
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("room for it");
    let whole = rows_by(file.path(), tables, 1 << 20);
    for target in [1, 60] {
        assert_eq!(
            rows_by(file.path(), tables, target),
            whole,
            "in pieces of {target}"
        );
    }
    whole
}

fn rows_by(path: &Path, tables: &Tables, target: usize) -> (Vec<Row>, Result<(), String>) {
    let mut rows = Vec::new();
    let mut read = || {
        let mut reader = ChunkReader::new(&[path.to_owned()], target)?.with_tables(tables);
        while let Some(chunk) = reader.next_chunk()? {
            rows.extend(chunk.records().map(|record| {
                let row = match record.fault {
                    Some(fault) => Err(fault.refusal().reason),
                    None => Ok(record.bytes.to_vec()),
                };
                (record.line, row)
            }));
            reader.recycle(chunk);
        }
        Ok(())
    };
    let ended = read().map_err(|error: DataError| error.to_string());
    (rows, ended)
}
