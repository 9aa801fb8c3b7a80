//! Bytes read as rows, through the door that every command has.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use judica_data::chunks::ChunkReader;
use judica_data::error::DataError;
use judica_data::limits;
use judica_data::memory::{self, Held};
use judica_data::table::Tables;

/// The line of a row, and its bytes or why it is refused.
pub type Row = (u64, Result<Vec<u8>, &'static str>);

/// The rows of a file that would hold these bytes, and how reading ended: the same however
/// large the pieces are in which it is read.
pub fn rows(bytes: &[u8], tables: &Tables) -> (Vec<Row>, Result<(), String>) {
    // What is hostile here is hostile within a mebibyte.
    limits::set_longest(1 << 20);
    let whole = rows_by(bytes, tables, 1 << 20);
    for target in [1, 60] {
        assert_eq!(
            rows_by(bytes, tables, target),
            whole,
            "in pieces of {target}"
        );
    }
    whole
}

fn rows_by(bytes: &[u8], tables: &Tables, target: usize) -> (Vec<Row>, Result<(), String>) {
    let path = PathBuf::from("fuzzed");
    let held = Held::Lines(Arc::new(bytes.to_vec()));
    let inputs = Arc::new(BTreeMap::from([(path.clone(), held)]));
    let mut rows = Vec::new();
    let read = || {
        let mut reader = ChunkReader::new(&[path], target)?.with_tables(tables);
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
    let ended = memory::among(Some(inputs), read).map_err(|error: DataError| error.to_string());
    (rows, ended)
}
