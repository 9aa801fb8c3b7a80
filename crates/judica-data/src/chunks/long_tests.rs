//! Records that are too long are passed over, and nothing else changes.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::rejects::Raw;
use crate::source::tests::gzip;

/// Place, raw and reason of every record; the position too.
type Seen = Vec<(u64, u64, u64, Raw, Option<&'static str>)>;

fn read(path: &Path, target: usize, longest: usize) -> Seen {
    let reader = ChunkReader::unhashed(&[path.to_owned()], target).unwrap();
    let mut reader = reader.limited(longest);
    let mut seen = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        assert!(chunk.data.len() <= target + longest + 600_000);
        for record in chunk.records() {
            let reason = record.fault.map(|fault| fault.refusal().reason);
            let start = (record.offset - chunk.base_offset) as usize;
            let raw = record.raw();
            assert_eq!(chunk.raw(start..start + record.bytes.len()), raw);
            seen.push((record.line, record.position, record.offset, raw, reason));
        }
        reader.recycle(chunk);
    }
    seen
}

/// The same as if every record were held, those that are too long refused and described.
fn check(name: &str, raw: &[u8], target: usize, longest: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, raw).unwrap();
    let whole = read(&path, target, usize::MAX >> 1);
    let limited = read(&path, target, longest);
    assert_eq!(whole.len(), limited.len());
    for (held, given) in whole.into_iter().zip(limited) {
        let Raw::Whole(bytes) = &held.3 else {
            panic!("tests keep to short records");
        };
        if bytes.len() <= longest {
            assert_eq!(held, given);
            continue;
        }
        assert_eq!((held.0, held.1, held.2), (given.0, given.1, given.2));
        assert_eq!(given.4, Some(LINE_TOO_LONG));
        match given.3 {
            Raw::Whole(kept) => assert_eq!(&kept, bytes),
            Raw::Cut {
                length,
                sha256,
                beginning,
            } => {
                assert_eq!(length, bytes.len() as u64);
                assert_eq!(sha256, crate::sha256::sha256_hex(bytes));
                assert!(bytes.starts_with(&beginning));
            }
        }
    }
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        Just("x".to_owned()),
        Just("x\r".to_owned()),
        Just("\n".to_owned()),
        Just(" ".to_owned()),
        (0usize..3000).prop_map(|n| "y".repeat(n)),
        (0usize..3000).prop_map(|n| " ".repeat(n)),
        (0usize..3000).prop_map(|n| "é\r".repeat(n)),
    ];
    prop::collection::vec(piece, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn lines(texts in texts(), end in "[\r\n]{0,3}", target in 1usize..5000, longest in 1usize..4000) {
        let text = texts.join("\n") + &end;
        check("a.jsonl", text.as_bytes(), target, longest);
        check("a.jsonl.gz", &gzip(text.as_bytes()), target, longest);
    }

    #[test]
    fn elements(texts in texts(), target in 1usize..5000, longest in 1usize..4000) {
        let quoted = |text: &String| serde_json::to_string(text).unwrap();
        let items: Vec<String> = texts
            .iter()
            .map(|text| format!("{{\n\"a\": [{}]\n}}", quoted(text)))
            .collect();
        check("a.json", format!("[{}]\n", items.join(",\n")).as_bytes(), target, longest);
        check("a.json", format!("[{},", items.join(",")).as_bytes(), target, longest);
        check("a.jsonl", items.join("\n").as_bytes(), target, longest);
    }
}

#[test]
fn a_document_is_a_record() {
    for length in [0, 10, 99, 100, 101, 5000] {
        let text = format!("{{\n\"a\":\"{}\"}}", "x".repeat(length));
        check("a.json", text.as_bytes(), 10, 110);
    }
}

#[test]
fn a_record_that_never_ends_is_not_held() {
    // What is read is 64 MiB; what is held a thousandth of it.
    let zeros = || zstd::encode_all(std::io::repeat(b'a').take(64 << 20), 1).unwrap();
    let open = || zstd::encode_all(std::io::repeat(b'[').take(64 << 20), 1).unwrap();
    use std::io::Read;
    let folder = tempfile::tempdir().unwrap();
    for (name, raw) in [
        ("a.jsonl.zst", zeros()),
        ("a.json.zst", open()),
        ("a.jsonl.zst", open()),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, raw).unwrap();
        let seen = read(&path, 4096, 50_000);
        assert_eq!(seen.len(), 1, "{name}");
        assert_eq!(seen[0].4, Some(LINE_TOO_LONG));
        let Raw::Cut { length, .. } = seen[0].3 else {
            panic!("{name}");
        };
        assert!(length > (64 << 20) - 2, "{name} {length}");
    }
}
