use super::raw::BEGINNING;
use super::*;
use proptest::prelude::*;

fn reject(raw: &[u8]) -> Reject {
    Reject {
        file: "in/a.jsonl".to_owned(),
        line: 3,
        byte_offset: 120,
        reason: "malformed_json".into(),
        detail: "expected `,`".to_owned(),
        raw: raw.into(),
    }
}

fn written(rejects: &[Reject]) -> Vec<u8> {
    let mut writer = RejectWriter::new(Vec::new());
    for reject in rejects {
        writer.write(reject).unwrap();
    }
    writer.into_inner()
}

fn read(bytes: &[u8]) -> Result<Vec<Reject>, DataError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rejects.jsonl");
    std::fs::write(&path, bytes).unwrap();
    read_rejects(&path)?.collect()
}

#[test]
fn text_stays_readable() {
    let line = String::from_utf8(written(&[reject(b"{\"a\": \x01\"\xc3\xa9")])).unwrap();
    assert_eq!(
        line,
        "{\"file\":\"in/a.jsonl\",\"line\":3,\"byte_offset\":120,\"reason\":\"malformed_json\",\
         \"detail\":\"expected `,`\",\"raw\":\"{\\\"a\\\": \\u0001\\\"\u{e9}\"}\n"
    );
}

#[test]
fn bytes_that_are_not_text_are_coded() {
    let line = String::from_utf8(written(&[reject(b"\xff\xfe")])).unwrap();
    assert!(line.ends_with(",\"raw_base64\":\"//4=\"}\n"), "{line}");
}

#[test]
fn long_records_are_kept_as_their_place() {
    let whole = vec![b'a'; LARGEST_KEPT];
    assert_eq!(Raw::from(&whole[..]), Raw::Whole(whole.clone()));
    for length in [LARGEST_KEPT, LARGEST_KEPT + 1] {
        let bytes = vec![b'a'; length];
        let mut pieces = RawPieces::default();
        bytes.chunks(7000).for_each(|piece| pieces.take(piece));
        assert_eq!(pieces.finish(), Raw::from(bytes));
    }
    // The last character that would fit is cut in two, and left out.
    let text = format!("{}é{}", "a".repeat(BEGINNING - 1), "a".repeat(LARGEST_KEPT));
    let sha256 = crate::sha256::sha256_hex(&text);
    let line = String::from_utf8(written(&[reject(text.as_bytes())])).unwrap();
    let expected = format!(
        ",\"raw_bytes\":{},\"raw_sha256\":\"{sha256}\",\"raw_beginning\":\"{}\"}}\n",
        text.len(),
        "a".repeat(BEGINNING - 1)
    );
    assert!(line.ends_with(&expected), "{line}");
    let bytes = vec![0xff; LARGEST_KEPT + 1];
    let line = String::from_utf8(written(&[reject(&bytes)])).unwrap();
    assert!(line.contains(",\"raw_beginning_base64\":\"////"), "{line}");
    assert!(line.len() < 2000);
    let both = [reject(text.as_bytes()), reject(&bytes)];
    assert_eq!(read(&written(&both)).unwrap(), both);
    let half = line.replace(",\"raw_bytes\":65537", "");
    let error = read(half.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("needs both"), "{error}");
}

#[test]
fn errors_name_the_line() {
    let good = written(&[reject(b"x")]);
    let mut bytes = good.clone();
    bytes.extend_from_slice(b"\n{\"file\":1}\n");
    let error = read(&bytes).unwrap_err().to_string();
    assert!(
        error.contains("rejects.jsonl: line 3 is not a reject: "),
        "{error}"
    );
    let both = String::from_utf8(good)
        .unwrap()
        .replace("}\n", ",\"raw_base64\":\"\"}\n");
    let error = read(both.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("needs one of"), "{error}");
    assert!(read_rejects(Path::new("/no/such")).is_err());
}

proptest! {
    #[test]
    fn round_trip(raws in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
                  texts in prop::collection::vec(".*", 0..5)) {
        let raws = raws.into_iter().chain(texts.into_iter().map(String::into_bytes));
        let rejects: Vec<_> = raws.map(|raw| reject(&raw)).collect();
        prop_assert_eq!(read(&written(&rejects)).unwrap(), rejects);
    }
}
