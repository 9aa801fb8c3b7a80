use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::chunks::{ChunkReader, Found};
use crate::fingerprint::fingerprint;
use crate::rejects::Raw;
use crate::source::tests::gzip;

/// Line, position, where it stands, the object or the reason.
pub(super) type Row = (u64, u64, Found, Result<String, &'static str>);

pub(super) struct Read {
    pub rows: Vec<Row>,
    raw: Vec<Vec<u8>>,
    pub how: Vec<String>,
}

pub(super) fn read_by(
    name: &str,
    bytes: &[u8],
    tables: &Tables,
    target: usize,
) -> Result<Read, DataError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let reader = ChunkReader::new(&[path], target).unwrap();
    let mut reader = reader.with_tables(tables);
    let (mut rows, mut raw) = (Vec::new(), Vec::new());
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records() {
            let text = match record.fault {
                Some(fault) => Err(fault.refusal().reason),
                None => Ok(String::from_utf8_lossy(record.bytes).into_owned()),
            };
            rows.push((record.line, record.position, record.found(), text));
            let Raw::Whole(kept) = record.raw() else {
                panic!("short rows only");
            };
            let start = chunk.start_of(&record);
            if record.found().offset.is_some() {
                let again = chunk.raw(start..start + record.bytes.len());
                assert_eq!(again, Raw::Whole(kept.clone()));
            }
            raw.push(kept);
        }
        reader.recycle(chunk);
    }
    assert_eq!(reader.digests()[0].bytes, bytes.len() as u64);
    let how = reader.tables_read().iter().map(|read| read.how.clone());
    Ok(Read {
        how: how.collect(),
        rows,
        raw,
    })
}

pub(super) fn read(name: &str, bytes: &[u8]) -> Read {
    let whole = read_by(name, bytes, &Tables::default(), 1 << 20).unwrap();
    for target in [1, 7, 64] {
        let pieces = read_by(name, bytes, &Tables::default(), target).unwrap();
        assert_eq!(pieces.rows, whole.rows, "{target}");
        assert_eq!(pieces.how, whole.how);
    }
    whole
}

fn objects(name: &str, text: &str) -> Vec<String> {
    let rows = read(name, text.as_bytes()).rows;
    rows.into_iter().map(|row| row.3.unwrap()).collect()
}

fn reasons(name: &str, bytes: &[u8]) -> Vec<Option<&'static str>> {
    let rows = read(name, bytes).rows.into_iter();
    rows.map(|row| row.3.err()).collect()
}

fn found(text: &str, offset: u64) -> Found {
    Found {
        offset: Some(offset),
        bytes: Some(text.len() as u64),
        hash: fingerprint(text.as_bytes()),
    }
}

#[test]
fn rows_are_objects_and_know_their_place() {
    let text = "item,value\r\n1,a\r\n\r\n\"2\",\"x\r\ny\"\r\n3,\"say \"\"no\"\", please\"";
    let read = read("a.csv", text.as_bytes());
    let row = |line, position, offset, raw: &str, object: &str| -> Row {
        (line, position, found(raw, offset), Ok(object.to_owned()))
    };
    let expected = [
        row(2, 1, 12, "1,a", r#"{"item":"1","value":"a"}"#),
        row(
            4,
            2,
            19,
            "\"2\",\"x\r\ny\"",
            r#"{"item":"2","value":"x\r\ny"}"#,
        ),
        row(
            6,
            3,
            31,
            "3,\"say \"\"no\"\", please\"",
            r#"{"item":"3","value":"say \"no\", please"}"#,
        ),
    ];
    assert_eq!(read.rows, expected);
    assert_eq!(read.raw[0], b"1,a");
    assert_eq!(read.how, ["CSV, delimiter ',', 2 columns, 3 rows"]);
}

#[test]
fn lines_are_those_of_the_file_whatever_ends_them() {
    let lines = |text: &str| -> Vec<u64> {
        let rows = read("a.csv", text.as_bytes()).rows;
        rows.into_iter().map(|row| row.0).collect()
    };
    assert_eq!(lines("sep=;\na;b\n1;2\n\n3;4\n"), [3, 5]);
    assert_eq!(lines("sep=;\r\na;b\r\n1;2\r\n"), [3]);
    assert_eq!(lines("a,b\r1,2\r\r\"x\ry\",4\r5,6"), [2, 4, 6]);
    // Where LF ends lines, CR is part of a text.
    assert_eq!(lines("a,b\n\"x\ry\",2\n3,4\n"), [2, 3]);
}

#[test]
fn what_separates_fields_is_found_and_said() {
    for (name, text, how) in [
        ("a.csv", "a;b\n1;x, y\n", "CSV, delimiter ';'"),
        ("a.csv", "a,b\n1;2,3;4\n", "CSV, delimiter ','"),
        ("a.csv", "a|b\n1|2\n", "CSV, delimiter '|'"),
        ("a.tsv", "a\tb\n1\tx,y\n", "TSV"),
        ("a.csv", "a\tb\n1\tx,y\n", "TSV"),
        ("a.tsv", "a,b\n1,2\n", "CSV, delimiter ','"),
        ("a.csv", "a,b;c\n1,2;3\n", "CSV, delimiter ','"),
        ("a.csv", "sep=;\na,x;b\n1;2\n", "CSV, delimiter ';'"),
        ("a", "a;b\n1;2\n", "CSV, delimiter ';'"),
        ("a.txt", "\"a\nb\";c\n1;2", "CSV, delimiter ';'"),
    ] {
        let read = read(name, text.as_bytes());
        assert_eq!(read.how, [format!("{how}, 2 columns, 1 row")], "{text:?}");
    }
    // Nothing else tells that these are tables.
    for (name, text) in [
        ("a.jsonl", "a,b\n1,2\n"),
        ("a", "a\nb\n"),
        ("a", "{\"a\": 1, \"b\": 2}\n"),
    ] {
        assert_eq!(read(name, text.as_bytes()).how, [""; 0], "{text:?}");
    }
    let given = Tables {
        delimiter: Some(b':'),
        ..Tables::default()
    };
    let read = read_by("a.jsonl", b"a:b\n1:2\n", &given, 99).unwrap();
    assert_eq!(read.rows[0].3.as_deref(), Ok(r#"{"a":"1","b":"2"}"#));
}

#[test]
fn marks_encodings_and_compression_are_seen_through() {
    let text = "\u{feff}a,b\n1,é😀\n";
    let expected = r#"{"a":"1","b":"é😀"}"#;
    let utf16 = |big: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        let bytes = units.map(|unit| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        });
        bytes.flatten().collect()
    };
    for (name, bytes, offset) in [
        ("a.csv", text.as_bytes().to_vec(), 7),
        ("a.csv.gz", gzip(text.as_bytes()), 7),
        (
            "a.csv.zst",
            zstd::encode_all(text.as_bytes(), 1).unwrap(),
            7,
        ),
        ("a.csv", utf16(false), 4),
        ("a.csv", utf16(true), 4),
        ("a.csv.gz", gzip(&utf16(true)), 4),
    ] {
        let read = read(name, &bytes);
        assert_eq!(
            read.rows,
            [(2, 1, found("1,é😀", offset), Ok(expected.to_owned()))]
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let part = crate::source::read_part(&path, offset, "1,é😀".len() as u64);
        assert_eq!(part.unwrap(), "1,é😀".as_bytes());
    }
    let cut = utf16(false);
    let tables = Tables::default();
    assert!(read_by("a.csv", &cut[..cut.len() - 1], &tables, 9).is_err());
}

#[test]
fn rows_that_cannot_be_used_are_refused_and_the_next_is_read() {
    let text = b"a,b\n1\n2,3,4\n\xff,5\n6,7\n \n8,9\na,b\n10,\"x\n";
    let expected = [
        Some("wrong_field_count"),
        Some("wrong_field_count"),
        Some("invalid_utf8"),
        None,
        None,
        Some("repeated_header"),
        Some("unclosed_quote"),
    ];
    assert_eq!(reasons("a.csv", text), expected);
    assert_eq!(read("a.csv", text).raw[6], b"10,\"x");
    assert_eq!(
        reasons("a.csv", b"a,b\n\xc3,\xa9\n"),
        [Some("invalid_utf8")]
    );
    // A quote inside a field that is not quoted is a character like any other.
    assert_eq!(
        objects("a.csv", "a,b\n1,5\" pipe"),
        [r#"{"a":"1","b":"5\" pipe"}"#]
    );
}

#[test]
fn text_after_a_closing_quote_is_refused() {
    let text = br#"a,b
1,"say \"hi\" now"
2,"say ""hi"" now"
3,"blank" 
4,"x"y
"#;
    let refused = Some("text_after_quote");
    assert_eq!(reasons("a.csv", text), [refused, None, None, refused]);
    let Err(error) = read_by("a.csv", b"a,\"b\"c\n1,2\n", &Tables::default(), 9) else {
        panic!("a header like that");
    };
    assert!(error.to_string().contains("field 2 goes on"), "{error}");
}

#[test]
fn an_empty_cell_is_null_and_an_empty_text_is_quoted() {
    let text = "a,b,c\n,\"\", \n";
    assert_eq!(objects("a.csv", text), [r#"{"a":null,"b":"","c":" "}"#]);
    assert_eq!(
        objects("a.csv", "a\n \n\"\"\n"),
        [r#"{"a":" "}"#, r#"{"a":""}"#]
    );
}

#[test]
fn blanks_that_align_cells_in_markdown_are_none_of_them() {
    let text = "| a  |   b |\n|----|----:|\n| x  |   3 |\n|    | y z |\n";
    assert_eq!(
        objects("a.md", text),
        [
            r#"{"column 1":null,"a":"x","b":"3","column 4":null}"#,
            r#"{"column 1":null,"a":null,"b":"y z","column 4":null}"#
        ]
    );
    assert_eq!(
        objects("a.csv", "a|b\n x | 3\n"),
        [r#"{"a":" x ","b":" 3"}"#]
    );
}

#[test]
fn a_decimal_comma_is_one_where_semicolons_separate() {
    let text = "n;t;m\n1,5;1,5;x\n-2,25;1,2,3;1,5\n3;;\n";
    let expected = [
        r#"{"n":"1.5","t":"1,5","m":"x"}"#,
        r#"{"n":"-2.25","t":"1,2,3","m":"1.5"}"#,
        r#"{"n":"3","t":null,"m":null}"#,
    ];
    assert_eq!(objects("a.csv", text), expected);
    let how = &read("a.csv", text.as_bytes()).how[0];
    assert_eq!(how, "CSV, delimiter ';', decimal comma, 3 columns, 3 rows");
}

#[test]
fn a_word_among_numbers_leaves_their_commas_decimal() {
    for text in ["a;b\n3,5;3,5\n7,5;unclear\n2,25;2,25\n", "b\n1,5\n?\n2,5\n"] {
        let rows = objects("a.csv", &text.replace('\n', ";x\n"));
        assert!(rows.iter().all(|row| !row.contains("5,")), "{rows:?}");
        assert!(rows.iter().all(|row| !row.contains(",5")), "{rows:?}");
    }
    // A number now and then is none that a file is written by.
    let rows = objects("a.csv", "a;b\nx;1,5\ny;z\n");
    assert!(rows[0].contains("1,5"), "{rows:?}");
}

#[test]
fn a_value_that_is_not_there_says_nothing_about_commas() {
    for missing in ["NA", "n/a", "NaN", "null", "None", "\"\"", " "] {
        let text = format!("n\n0,5\n{missing}\n0,75\n");
        let text = text.replace('\n', ";x\n");
        let rows = objects("a.csv", &text);
        assert!(rows[0].contains("\"0.5\""), "{rows:?}");
        assert!(rows[2].contains("\"0.75\""), "{rows:?}");
    }
}

#[test]
fn a_decimal_comma_is_one_in_cells_that_mean_numbers_too() {
    let tables = Tables {
        nested: vec![Nested::new(
            &["action.x"],
            (Some("action"), "x"),
            Cells::Value,
        )],
        ..Tables::default()
    };
    let text = b"id;action.x;t\n1;0,52;1,5\n2;-3;x\n3;007,5;\n";
    let read = read_by("a.csv", text, &tables, 99).unwrap();
    let rows: Vec<String> = read.rows.into_iter().map(|row| row.3.unwrap()).collect();
    assert_eq!(
        rows,
        [
            r#"{"id":"1","t":"1.5","action":{"x":0.52}}"#,
            r#"{"id":"2","t":"x","action":{"x":-3}}"#,
            // No JSON number, so text it is.
            r#"{"id":"3","t":null,"action":{"x":"007.5"}}"#,
        ]
    );
}

#[test]
fn names_that_mean_something_are_told_whatever_their_capitals() {
    let label = (Some("scholar"), "label");
    let nested = vec![
        Nested::new(&["scholar_label", "scholar.label"], label, Cells::Text),
        Nested::new(&["flags"], (None, "flags"), Cells::Json),
    ];
    let tables = Tables {
        names: vec!["gold".to_owned(), "id".to_owned()],
        nested,
        ..Tables::default()
    };
    let read = |text: &str| {
        let read = read_by("a.csv", text.as_bytes(), &tables, 99);
        read.map(|read| read.rows[0].3.clone().unwrap())
            .map_err(|error| error.to_string())
    };
    assert_eq!(
        read("Scholar.Label, GOLD ,x,x,,Flags\ny,g,1,2,3,\"{\"\"a\"\": 1}\""),
        Ok(r#"{"gold":"g","x":"1","x (2)":"2","column 5":"3","flags":{"a": 1},"scholar":{"label":"y"}}"#.to_owned())
    );
    // What is called so exactly goes first.
    assert_eq!(
        read("Gold,gold\n1,2"),
        Ok(r#"{"Gold":"1","gold":"2"}"#.to_owned())
    );
    assert_eq!(
        read("flags,x\n{1,2"),
        Ok(r#"{"flags":"{1","x":"2"}"#.to_owned())
    );
    let error = read("gold,gold\n1,2").unwrap_err();
    assert!(error.contains("two columns are called `gold`"), "{error}");
}

#[test]
fn empty_files_and_broken_headers() {
    for text in ["", "\n", "\r\n\r\n", "\u{feff}", " \n", "only", "a,b\n"] {
        assert!(read("a.csv", text.as_bytes()).rows.is_empty(), "{text:?}");
    }
    for text in [&b"a,\xff\n1,2\n"[..], b"a,\"b\n1,2\n"] {
        let error = read_by("a.csv", text, &Tables::default(), 9).err().unwrap();
        assert!(error.to_string().contains("header"), "{error}");
    }
}

#[test]
fn an_archive_cut_short_fails_after_its_records() {
    let text: String = (0..20_000).map(|i| format!("{i},x\n")).collect();
    let whole = zstd::encode_all(format!("a,b\n{text}").as_bytes(), 1).unwrap();
    assert!(
        read_by(
            "a.csv.zst",
            &whole[..whole.len() - 5],
            &Tables::default(),
            99
        )
        .is_err()
    );
}

#[test]
fn a_table_is_told_by_its_name_or_its_beginning() {
    let tables = Tables::default();
    for (name, start, told) in [
        ("a.csv", "x", Told::Delimited),
        ("a.json", "x,y\n1,2\n", Told::Other),
        ("-", "x,y\n1,2\n", Told::Delimited),
        ("-", "x,y\n1,2,3\n", Told::Other),
        ("a.csv", "{\"a\": 1}", Told::Other),
        ("a.csv", "{\"a\": 1},b", Told::Delimited),
        ("a.csv", "PK\u{3}\u{4}\0", Told::Other),
        ("a.csv", "", Told::Other),
        ("a.csv", "PAR1", Told::Typed(TypedFormat::Parquet)),
    ] {
        assert_eq!(
            tables.tell(Path::new(name), start.as_bytes()),
            told,
            "{name} {start}"
        );
    }
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9]{1,6}", "[ ,;\t\"\r\na\u{e9}]{1,8}", "\\PC{1,4}"]
}

proptest! {
    #[test]
    fn what_was_written_is_read(
        rows in (2usize..5).prop_flat_map(|n| {
            prop::collection::vec(prop::collection::vec(cell(), n), 0..20)
        }),
        crlf: bool, tab: bool, always: bool, target in 1usize..300,
    ) {
        let terminator = if crlf { ::csv::Terminator::CRLF } else { ::csv::Terminator::Any(b'\n') };
        let style = if always { ::csv::QuoteStyle::Always } else { ::csv::QuoteStyle::Necessary };
        let delimiter = if tab { b'\t' } else { b',' };
        let mut writer = ::csv::WriterBuilder::new()
            .delimiter(delimiter).terminator(terminator).quote_style(style).from_writer(Vec::new());
        let columns = rows.first().map_or(2, Vec::len);
        let header: Vec<String> = (0..columns).map(|n| format!("Column{n}")).collect();
        writer.write_record(&header).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let bytes = writer.into_inner().unwrap();
        let tables = Tables { delimiter: Some(delimiter), ..Tables::default() };
        let read = read_by("a", &bytes, &tables, target).unwrap();
        prop_assert_eq!(read.rows.len(), rows.len());
        for ((row, raw), written) in read.rows.iter().zip(&read.raw).zip(&rows) {
            let at = row.2.offset.unwrap() as usize;
            prop_assert_eq!(&bytes[at..at + raw.len()], &raw[..]);
            let lines = bytes[..at].iter().filter(|byte| **byte == b'\n').count();
            prop_assert_eq!(row.0, 1 + lines as u64);
            let object: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(row.3.as_ref().unwrap()).unwrap();
            let cells: Vec<&str> = object.values().map(|cell| cell.as_str().unwrap()).collect();
            prop_assert_eq!(cells, written.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_bytes_are_lost_whatever_they_are(body in prop::collection::vec(
        prop_oneof![Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), Just(b'a'), any::<u8>()], 0..60),
        target in 1usize..80,
    ) {
        let text = [b"a,b\n", &body[..]].concat();
        let tables = Tables { delimiter: Some(b','), ..Tables::default() };
        prop_assume!(!text.contains(&0));
        let read = read_by("a.csv", &text, &tables, target).unwrap();
        let mut at = 4;
        for (row, raw) in read.rows.iter().zip(&read.raw) {
            let offset = row.2.offset.unwrap() as usize;
            prop_assert!(text[at..offset].iter().all(u8::is_ascii_whitespace), "{:?}", &text[at..offset]);
            prop_assert_eq!(&text[offset..offset + raw.len()], &raw[..]);
            at = offset + raw.len();
        }
        prop_assert!(text[at..].iter().all(u8::is_ascii_whitespace));
    }
}
