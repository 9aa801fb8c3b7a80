use super::*;
use crate::error::DataErrorKind;
use crate::source::tests::gzip;
use proptest::prelude::*;
use std::io::Write;

/// Line, offset, bytes and fault of a record.
pub(super) type Row = (u64, u64, Vec<u8>, Option<&'static str>);

/// The files' records, checking on the way what holds for all chunks.
fn read_paths(paths: &[PathBuf], target: usize) -> (Vec<(usize, Row)>, Option<DataError>) {
    let mut reader = ChunkReader::new(paths, target).unwrap();
    let mut rows = Vec::new();
    let mut place = (0, None);
    let error = loop {
        let chunk = match reader.next_chunk() {
            Ok(None) => break None,
            Ok(Some(chunk)) => chunk,
            Err(error) => break Some(error),
        };
        if let (file, Some(end)) = place
            && file == chunk.file
        {
            assert_eq!((chunk.base_offset, chunk.first_line), end);
        }
        let newlines = chunk.data.iter().filter(|&&b| b == b'\n').count() as u64;
        let end = chunk.base_offset + chunk.data.len() as u64;
        place = (chunk.file, Some((end, chunk.first_line + newlines)));
        let told = |fault| match fault {
            Fault::Structure(what) => what,
            _ => LINE_TOO_LONG,
        };
        let row = |r: RawRecord| (r.line, r.offset, r.bytes.to_vec(), r.fault.map(told));
        rows.extend(chunk.records().map(|r| (chunk.file, row(r))));
        reader.recycle(chunk);
    };
    assert!(reader.next_chunk().unwrap().is_none());
    if error.is_none() {
        assert_eq!(reader.digests().len(), paths.len());
        let bytes: u64 = reader.digests().iter().map(|d| d.bytes).sum();
        assert_eq!(bytes, reader.raw_bytes());
    }
    (rows, error)
}

pub(super) fn read(name: &str, raw: &[u8], target: usize) -> (Vec<Row>, Option<DataError>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, raw).unwrap();
    let (rows, error) = read_paths(&[path], target);
    (rows.into_iter().map(|(_, row)| row).collect(), error)
}

/// What the rules say, in the plainest way.
fn naive(text: &[u8], base: u64) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut offset = base;
    for (i, line) in text.split(|&b| b == b'\n').enumerate() {
        let bytes = line.strip_suffix(b"\r").unwrap_or(line);
        if !bytes.iter().all(u8::is_ascii_whitespace) {
            rows.push((i as u64 + 1, offset, bytes.to_vec(), None));
        }
        offset += line.len() as u64 + 1;
    }
    rows
}

fn lines_text() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        Just(b'\n'),
        Just(b'\r'),
        Just(b' '),
        Just(b'x'),
        any::<u8>()
    ];
    prop::collection::vec(byte, 0..300)
}

proptest! {
    #[test]
    fn chunks_are_the_lines(text in lines_text(), target in 0usize..80, bom: bool) {
        prop_assume!(!text.starts_with(&[0xef]) && !text.starts_with(&[0x1f]));
        prop_assume!(!is_not_lines(&text));
        let mark: &[u8] = if bom { &[0xef, 0xbb, 0xbf] } else { &[] };
        let raw = [mark, &text].concat();
        let expected = naive(&text, mark.len() as u64);
        for (name, raw) in [
            ("a.jsonl", raw.clone()),
            ("a.ndjson.gz", gzip(&raw)),
            ("b.jsonl", zstd::encode_all(&raw[..], 1).unwrap()),
        ] {
            let (rows, error) = read(name, &raw, target);
            prop_assert!(error.is_none());
            prop_assert_eq!(&rows, &expected);
        }
    }
}

fn numbered_lines(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|i| format!("{{\"id\":{i}}}\n").into_bytes())
        .collect()
}

#[test]
fn boundaries_depend_on_the_bytes_only() {
    let text = numbered_lines(2000);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    std::fs::write(&path, &text).unwrap();
    let mut reader = ChunkReader::new(&[path], 1000).unwrap();
    let mut at = 0;
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let end = match text[at..].get(999..) {
            Some(tail) => at + 999 + tail.iter().position(|&b| b == b'\n').unwrap() + 1,
            None => text.len(),
        };
        assert_eq!(chunk.data, &text[at..end]);
        at = end;
    }
    assert_eq!(at, text.len());
}

#[test]
fn several_files_keep_their_own_lines() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ["a.jsonl", "empty.jsonl", "b.jsonl"].map(|n| dir.path().join(n));
    std::fs::write(&paths[0], "1\n2").unwrap();
    std::fs::write(&paths[1], "").unwrap();
    std::fs::write(&paths[2], "\n3\n").unwrap();
    let (rows, _) = read_paths(&paths, 1);
    let row = |file, line, offset, text: &str| (file, (line, offset, text.into(), None));
    assert_eq!(
        rows,
        [row(0, 1, 0, "1"), row(0, 2, 2, "2"), row(2, 2, 1, "3")]
    );
}

/// Cuts a compressed file everywhere, and gives the most records that any of
/// its beginnings still held.
fn most_before_a_cut(name: &str, raw: &[u8], step: usize, expected: &[Row]) -> usize {
    let mut most = 0;
    for cut in (0..raw.len()).rev().step_by(step) {
        let (rows, error) = read(name, &raw[..cut], 64);
        assert_eq!(error.unwrap().kind(), DataErrorKind::Malformed);
        assert_eq!(rows, expected[..rows.len()]);
        most = most.max(rows.len());
    }
    most
}

#[test]
fn records_before_a_cut_come_before_the_error() {
    let text = numbered_lines(300);
    let expected = naive(&text, 0);
    let most = most_before_a_cut("a.jsonl.gz", &gzip(&text), 1, &expected);
    assert_eq!(most, 300);
    // Zstandard gives nothing of a block that is not whole. Half of the text
    // is in a block before the last here, if in a frame that is cut.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.write_all(&text[..text.len() / 2]).unwrap();
    encoder.flush().unwrap();
    encoder.write_all(&text[text.len() / 2..]).unwrap();
    let raw = encoder.finish().unwrap();
    let most = most_before_a_cut("a.jsonl.zst", &raw, 1, &expected);
    let whole = text[..text.len() / 2].iter().filter(|&&b| b == b'\n');
    assert_eq!(most, whole.count());
}

#[test]
fn a_large_archive_cut_gives_most_of_its_records() {
    let text = numbered_lines(40_000);
    let expected = naive(&text, 0);
    let zst = zstd::encode_all(&text[..], 1).unwrap();
    for (name, raw) in [("a.jsonl.gz", gzip(&text)), ("a.jsonl.zst", zst)] {
        let most = most_before_a_cut(name, &raw, raw.len(), &expected);
        assert!(most > 25_000, "{name} {most}");
    }
}

#[test]
fn a_huge_line() {
    let long = vec![b'x'; 8 << 20];
    let text = [b"1\n", &long[..], b"\r\n2\n"].concat();
    for name in ["a.jsonl", "a.txt"] {
        let (rows, _) = read(name, &text, 4096);
        assert_eq!(rows, naive(&text, 0));
    }
}

#[test]
fn missing_files_are_noticed_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let there = dir.path().join("a");
    std::fs::write(&there, "1").unwrap();
    let error = ChunkReader::new(&[there, dir.path().join("b")], 1)
        .err()
        .unwrap();
    assert_eq!(error.kind(), DataErrorKind::Missing);
}

#[test]
fn readers_and_chunks_can_change_threads() {
    fn sent<T: Send>() {}
    sent::<ChunkReader>();
    sent::<Chunk>();
}
