use super::*;
use crate::error::DataErrorKind;
use crate::sha256::sha256_hex;
use std::io::Write;

const TEXT: &[u8] = b"{\"a\":1}\n{\"b\":2}\n";

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn open(name: &str, raw: &[u8]) -> Result<Source, DataError> {
    Source::over(
        Path::new(name),
        Box::new(io::Cursor::new(raw.to_vec())),
        Some(Sha256::new()),
    )
}

fn read_all(name: &str, raw: &[u8]) -> Result<(Vec<u8>, InputDigest), DataError> {
    let mut source = open(name, raw)?;
    let mut bytes = Vec::new();
    source
        .read_to_end(&mut bytes)
        .map_err(|e| DataError::reading(source.path(), e))?;
    Ok((bytes, source.finish()?))
}

#[test]
fn plain_and_compressed_give_the_same_bytes() {
    let two_members = [gzip(&TEXT[..5]), gzip(&TEXT[5..])].concat();
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9][..], &zstd(TEXT)].concat();
    let two_frames = [zstd(&TEXT[..5]), zstd(&TEXT[5..])].concat();
    let raws = [
        TEXT.to_vec(),
        gzip(TEXT),
        two_members,
        zstd(TEXT),
        two_frames,
        skippable,
    ];
    for raw in raws {
        // The name plays no part, not even a wrong one.
        for name in ["a.jsonl", "a.gz", "a.zst", "-"] {
            let (bytes, digest) = read_all(name, &raw).unwrap();
            assert_eq!(bytes, TEXT);
            assert_eq!(digest.path, Path::new(name));
            assert_eq!(digest.sha256, sha256_hex(&raw));
            assert_eq!(digest.bytes, raw.len() as u64);
        }
    }
}

#[test]
fn known_digest() {
    let (_, digest) = read_all("a", b"abc").unwrap();
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest.sha256, expected);
}

#[test]
fn a_byte_order_mark_is_stripped_but_counted() {
    let marked = [&BOM[..], TEXT].concat();
    for raw in [marked.clone(), gzip(&marked), zstd(&marked)] {
        let source = open("a", &raw).unwrap();
        assert_eq!(source.offset(), 3);
        let (bytes, digest) = read_all("a", &raw).unwrap();
        assert_eq!(bytes, TEXT);
        assert_eq!(digest.sha256, sha256_hex(&raw));
    }
    for short in [
        &b""[..],
        &BOM[..1],
        &BOM[..2],
        b"ab",
        b"abc",
        b"abcd",
        b"abcde",
    ] {
        assert_eq!(read_all("a", short).unwrap().0, short);
    }
    assert_eq!(read_all("a", &BOM).unwrap().0, b"");
}

#[test]
fn finish_hashes_what_was_not_read() {
    let raw = gzip(&TEXT.repeat(10_000));
    let source = open("a.gz", &raw).unwrap();
    assert_eq!(source.finish().unwrap().sha256, sha256_hex(&raw));
    let garbage = [raw, b"garbage".to_vec()].concat();
    let source = open("a.gz", &garbage).unwrap();
    let digest = source.finish().unwrap();
    assert_eq!(
        (digest.sha256, digest.bytes),
        (sha256_hex(&garbage), garbage.len() as u64)
    );
}

#[test]
fn every_cut_is_noticed() {
    for (name, raw) in [("a.gz", gzip(TEXT)), ("a.zst", zstd(TEXT))] {
        for cut in 0..raw.len() {
            let error = read_all(name, &raw[..cut]).unwrap_err();
            assert_eq!(
                error.kind(),
                DataErrorKind::Malformed,
                "{name} {cut}: {error}"
            );
            assert!(
                error.to_string().contains("cut short"),
                "{name} {cut}: {error}"
            );
            // After a whole member, too, unless the cut is exactly there.
            if cut > 0 {
                let second = [&raw[..], &raw[..cut]].concat();
                let error = read_all(name, &second).unwrap_err();
                assert_eq!(
                    error.kind(),
                    DataErrorKind::Malformed,
                    "{name} {cut}: {error}"
                );
            }
        }
    }
}

#[test]
fn any_flipped_byte_never_panics() {
    for raw in [gzip(TEXT), zstd(TEXT)] {
        for i in 0..raw.len() {
            let mut bad = raw.clone();
            bad[i] ^= 0x55;
            if let Err(error) = read_all("a", &bad) {
                assert_eq!(error.kind(), DataErrorKind::Malformed, "{i}: {error}");
            }
        }
        let trailing = [&raw[..], b"garbage"].concat();
        assert_eq!(
            read_all("a", &trailing).unwrap_err().kind(),
            DataErrorKind::Malformed
        );
    }
}

/// Gives some bytes, then fails as a disk does.
struct Failing(io::Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buf)? {
            // A message of the decoders' own kind, which must not mislead.
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            n => Ok(n),
        }
    }
}

#[test]
fn a_failing_disk_is_not_blamed_on_the_data() {
    for raw in [TEXT.to_vec(), gzip(TEXT), zstd(TEXT)] {
        let half = raw[..raw.len() - 4].to_vec();
        let inner = Box::new(Failing(io::Cursor::new(half)));
        let mut source = Source::over(Path::new("a"), inner, Some(Sha256::new())).unwrap();
        let error = loop {
            match source.read_bytes(&mut [0; 100]) {
                Ok(0) => panic!("the failure went unnoticed"),
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), DataErrorKind::Io, "{error}");
        assert!(error.is_environment());
    }
}

#[test]
fn paths_that_are_no_files() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Source::open(&dir.path().join("none")).err().unwrap();
    assert_eq!(missing.kind(), DataErrorKind::Missing);
    let folder = Source::open(dir.path()).err().unwrap();
    assert!(
        folder
            .to_string()
            .ends_with(": is a folder, a file is needed"),
        "{folder}"
    );
    assert!(!folder.is_environment());
}
