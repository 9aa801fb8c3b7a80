//! Tables in memory: read by the door of tables, hashed as JSON lines, known to one thread
//! and those it starts.

use arrow_array::{ArrayRef, Int64Array, StringArray};

use super::*;
use crate::chunks::ChunkReader;
use crate::parallel::parallel_map;
use crate::sha256::sha256_hex;
use crate::source::Source;
use crate::table::Tables;

const LINES: &[u8] = b"{\"id\":\"a\",\"n\":1}\n{\"id\":null,\"n\":2}\n{\"id\":\"a\",\"n\":1}\n{\"id\":null,\"n\":2}\n";

fn table() -> Held {
    let ids: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let batch = RecordBatch::try_from_iter_with_nullable([("id", ids, true), ("n", numbers, true)]);
    let batch = batch.unwrap();
    Held::Table(Arc::new(HeldTable {
        schema: batch.schema(),
        batches: vec![batch.clone(), batch.slice(0, 0), batch],
    }))
}

fn with<T>(held: Held, work: impl FnOnce() -> T) -> T {
    let inputs = BTreeMap::from([(PathBuf::from("outputs"), held)]);
    among(Some(Arc::new(inputs)), work)
}

fn read(held: Held) -> (Vec<u8>, crate::source::InputDigest) {
    with(held, || {
        let reader = ChunkReader::new(&["outputs".into()], 20).unwrap();
        let mut reader = reader.with_tables(&Tables::default());
        let mut rows = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            for record in chunk.records() {
                rows.extend_from_slice(record.bytes);
                rows.push(b'\n');
            }
        }
        (rows, reader.digests()[0].clone())
    })
}

#[test]
fn a_table_is_read_as_rows_and_hashed_as_json_lines() {
    let (rows, digest) = read(table());
    assert_eq!(rows, LINES);
    assert_eq!(digest.sha256, sha256_hex(LINES));
    assert_eq!(digest.bytes, LINES.len() as u64);
    let how = digest.read_as.unwrap();
    assert_eq!(how, "table in memory, 2 columns, 4 rows");
    // Whoever only asks for its hash or its bytes gets the same.
    let other = with(table(), || {
        Source::open(Path::new("outputs")).unwrap().finish()
    });
    assert_eq!(other.unwrap().sha256, digest.sha256);
    let bytes = with(table(), || crate::source::read_whole(Path::new("outputs")));
    assert_eq!(bytes.unwrap(), LINES);
}

#[test]
fn lines_in_memory_are_a_file_of_lines() {
    let (rows, digest) = read(Held::Lines(Arc::new(LINES)));
    assert_eq!(rows, LINES);
    assert_eq!(digest.sha256, sha256_hex(LINES));
    assert!(digest.read_as.unwrap().contains(IN_MEMORY));
}

#[test]
fn no_rows_and_no_columns() {
    let empty = RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty()));
    let held = |batches| {
        Held::Table(Arc::new(HeldTable {
            schema: empty.schema(),
            batches,
        }))
    };
    assert_eq!(read(held(vec![])).0, b"");
    let rows = arrow_array::RecordBatchOptions::new().with_row_count(Some(2));
    let rows = RecordBatch::try_new_with_options(empty.schema(), vec![], &rows).unwrap();
    // A row without anything is still a row.
    assert_eq!(read(held(vec![rows])).0, b"{}\n{}\n");
    assert_eq!(read(Held::Lines(Arc::new(b""))).0, b"");
}

#[test]
fn a_name_is_known_to_the_threads_of_its_work_alone() {
    let path = Path::new("outputs");
    with(table(), || {
        assert_eq!(parallel_map(&[(), ()], 2, |()| is_held(path)), [true, true]);
        let stranger = std::thread::spawn(|| is_held(Path::new("outputs")));
        assert!(!stranger.join().unwrap());
    });
    assert!(!is_held(path));
    assert!(Source::open(path).is_err());
}
