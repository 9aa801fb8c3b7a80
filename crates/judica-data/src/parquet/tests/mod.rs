//! Tests of the whole way: borrowed columns, file, owned columns.

mod cases;
mod refusals;
mod round_trip;

use bytes::Bytes;

use super::{CompiledSpec, EncodedRowGroup, TableReader, TableWriter};

/// Writes row groups as one file and opens it.
fn reopened(spec: &CompiledSpec, groups: Vec<EncodedRowGroup>) -> TableReader {
    let bytes = written(spec, groups);
    TableReader::from_bytes(Bytes::from(bytes)).expect("what was written opens")
}

fn written(spec: &CompiledSpec, groups: Vec<EncodedRowGroup>) -> Vec<u8> {
    let pairs = [("question".to_owned(), "réponse".to_owned())];
    let mut writer = TableWriter::new(Vec::new(), spec, &pairs).expect("a file begins");
    for group in groups {
        writer.append(group).expect("a row group fits its table");
    }
    writer.finish().expect("a file ends")
}
