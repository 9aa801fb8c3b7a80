use super::*;
use crate::error::DataErrorKind;
use proptest::prelude::*;
use std::io::Write;

/// Line, offset, raw text, and fields or reason.
type Row = (u64, u64, Vec<u8>, Result<Vec<String>, &'static str>);

fn read(name: &str, bytes: &[u8]) -> Result<(Vec<String>, Vec<Row>), DataError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut reader = CsvReader::open(&path, None)?;
    let header = reader.header().to_vec();
    let mut rows = Vec::new();
    while let Some(record) = reader.next_record()? {
        let fields = record.fields.map_err(|fault| fault.reason);
        let fields = fields.map(|fields| fields.iter().map(str::to_owned).collect());
        rows.push((record.line, record.offset, record.raw.to_vec(), fields));
    }
    assert!(reader.next_record()?.is_none());
    let digest = reader.finish()?;
    assert_eq!(digest.bytes, bytes.len() as u64);
    Ok((header, rows))
}

fn row(line: u64, offset: u64, raw: &str, fields: &[&str]) -> Row {
    let fields = fields.iter().map(|f| f.to_string()).collect();
    (line, offset, raw.into(), Ok(fields))
}

fn bad(line: u64, offset: u64, raw: &[u8], reason: &'static str) -> Row {
    (line, offset, raw.to_vec(), Err(reason))
}

#[test]
fn records_know_their_place() {
    let text = "item,value\r\n1,a\r\n\r\n\"2\",\"x\r\ny\"\r\n3,\"say \"\"no\"\", please\"";
    let (header, rows) = read("a.csv", text.as_bytes()).unwrap();
    assert_eq!(header, ["item", "value"]);
    assert_eq!(
        rows,
        [
            row(2, 12, "1,a", &["1", "a"]),
            row(4, 19, "\"2\",\"x\r\ny\"", &["2", "x\r\ny"]),
            row(
                6,
                31,
                "3,\"say \"\"no\"\", please\"",
                &["3", "say \"no\", please"]
            ),
        ]
    );
}

#[test]
fn a_mark_a_tab_and_compression_are_seen_through() {
    let text = "\u{feff}item\tvalue\n1\ta,b\n";
    let expected = [row(2, 14, "1\ta,b", &["1", "a,b"])];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    for (name, bytes) in [
        ("a.tsv", text.as_bytes().to_vec()),
        ("a.TSV.gz", gzip.finish().unwrap()),
        ("b.tab.zst", zstd::encode_all(text.as_bytes(), 1).unwrap()),
    ] {
        let (header, rows) = read(name, &bytes).unwrap();
        assert_eq!(header, ["item", "value"], "{name}");
        assert_eq!(rows, expected, "{name}");
    }
}

#[test]
fn bad_records_are_faults_and_the_next_is_read() {
    let text = b"a,b\n1\n2,3,4\n\xff,5\n6,7\n \n8,9\n";
    let (_, rows) = read("a.csv", text).unwrap();
    assert_eq!(
        rows,
        [
            bad(2, 4, b"1", "wrong_field_count"),
            bad(3, 6, b"2,3,4", "wrong_field_count"),
            bad(4, 12, b"\xff,5", "invalid_utf8"),
            row(5, 16, "6,7", &["6", "7"]),
            row(7, 22, "8,9", &["8", "9"]),
        ]
    );
}

#[test]
fn half_a_character_on_either_side_of_a_comma_is_not_one() {
    let (_, rows) = read("a.csv", b"a,b\n\xc3,\xa9\n").unwrap();
    assert_eq!(rows, [bad(2, 4, b"\xc3,\xa9", "invalid_utf8")]);
}

#[test]
fn a_quote_that_is_not_closed_is_named() {
    for (text, raw) in [
        ("a,b\n1,2\n3,\"x\n4,5\n", "3,\"x\n4,5"),
        ("a,b\n1,2\n3,\"x", "3,\"x"),
        ("a,b\n1,2\n\"", "\""),
    ] {
        let (_, rows) = read("a.csv", text.as_bytes()).unwrap();
        assert_eq!(rows[0], row(2, 4, "1,2", &["1", "2"]));
        assert_eq!(rows[1..], [bad(3, 8, raw.as_bytes(), "unclosed_quote")]);
    }
    // A quote inside a field that is not quoted is a character like any other.
    let (_, rows) = read("a.csv", b"a,b\n1,5\" pipe").unwrap();
    assert_eq!(rows, [row(2, 4, "1,5\" pipe", &["1", "5\" pipe"])]);
}

#[test]
fn empty_files_and_broken_headers() {
    for text in ["", "\n", "\r\n\r\n", "\u{feff}", " \n"] {
        let (header, rows) = read("a.csv", text.as_bytes()).unwrap();
        assert!(header.is_empty() && rows.is_empty(), "{text:?}");
    }
    let (header, rows) = read("a.csv", b"only").unwrap();
    assert_eq!((header, rows), (vec!["only".to_owned()], Vec::new()));
    for text in [&b"a,\xff\n1,2\n"[..], b"a,\"b\n1,2\n"] {
        let error = read("a.csv", text).unwrap_err();
        assert_eq!(error.kind(), DataErrorKind::Malformed);
        assert!(error.to_string().contains("header"), "{error}");
    }
}

#[test]
fn the_only_column_may_be_blank() {
    let (_, rows) = read("a.csv", b"a\n \n\"\"\n").unwrap();
    assert_eq!(rows, [row(2, 2, " ", &[" "]), row(3, 4, "\"\"", &[""])]);
}

#[test]
fn an_archive_cut_short_fails_after_its_records() {
    let text: String = (0..20_000).map(|i| format!("{i},x\n")).collect();
    let whole = zstd::encode_all(format!("a,b\n{text}").as_bytes(), 1).unwrap();
    let error = read("a.csv.zst", &whole[..whole.len() - 5]).unwrap_err();
    assert_eq!(error.kind(), DataErrorKind::Malformed);
}

#[test]
fn delimiters_by_name() {
    for (name, delimiter) in [
        ("a.csv", Some(b',')),
        ("d.tsv/a.CSV.gz", Some(b',')),
        ("a.tsv", Some(b'\t')),
        ("a.tab.zst", Some(b'\t')),
        ("-", None),
        ("csv", None),
        ("a.jsonl", None),
    ] {
        assert_eq!(named_delimiter(Path::new(name)), delimiter, "{name}");
    }
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9]{0,6}", "[ ,;\t\"\r\na\u{e9}]{0,8}", "\\PC{0,4}"]
}

proptest! {
    #[test]
    fn what_was_written_is_read(
        (header, rows) in (1usize..5).prop_flat_map(|n| (
            prop::collection::vec("[a-z]{1,5}", n),
            prop::collection::vec(prop::collection::vec(field(), n), 0..20),
        )),
        crlf: bool, tab: bool, always: bool, start in 0usize..40,
    ) {
        let terminator = if crlf { ::csv::Terminator::CRLF } else { ::csv::Terminator::Any(b'\n') };
        let style = if always { ::csv::QuoteStyle::Always } else { ::csv::QuoteStyle::Necessary };
        let delimiter = if tab { b'\t' } else { b',' };
        let mut writer = ::csv::WriterBuilder::new()
            .delimiter(delimiter).terminator(terminator).quote_style(style).from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let bytes = writer.into_inner().unwrap();

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, &bytes).unwrap();
        // Somebody may have looked at the start of the file before.
        let mut source = Source::open(&path).unwrap();
        let mut taken = vec![0; start];
        let n = source.read_bytes(&mut taken).unwrap();
        taken.truncate(n);
        let mut reader = CsvReader::over(source, taken, delimiter).unwrap();
        prop_assert_eq!(reader.header(), &header[..]);
        let mut read = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            let at = record.offset as usize;
            prop_assert_eq!(record.raw, &bytes[at..at + record.raw.len()]);
            prop_assert_eq!(record.line, 1 + newlines(&bytes[..at]));
            read.push(record.fields.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
        }
        prop_assert_eq!(read, rows);
    }

    #[test]
    fn no_bytes_are_lost_whatever_they_are(body in prop::collection::vec(
        prop_oneof![Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), Just(b'a'), any::<u8>()], 0..60)
    ) {
        let text = [b"a,b\n", &body[..]].concat();
        let (_, rows) = read("a.csv", &text).unwrap();
        let mut at = 4;
        for (_, offset, raw, _) in rows {
            let offset = offset as usize;
            prop_assert!(text[at..offset].iter().all(u8::is_ascii_whitespace), "{:?}", &text[at..offset]);
            prop_assert_eq!(&text[offset..offset + raw.len()], &raw[..]);
            at = offset + raw.len();
        }
        prop_assert!(text[at..].iter().all(u8::is_ascii_whitespace));
    }
}
