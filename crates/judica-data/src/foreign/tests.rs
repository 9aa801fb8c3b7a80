use super::*;

fn told(name: &str, start: &[u8]) -> Option<(&'static str, String)> {
    guess(Path::new(name), start, Reads::Json).map(|guess| (guess.what, guess.advice))
}

fn what(name: &str, start: &[u8]) -> Option<&'static str> {
    told(name, start).map(|(what, _)| what)
}

#[test]
fn formats_are_told_by_how_they_begin() {
    let utf_16: Vec<u8> = "{\"a\": 1}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let utf_16_big: Vec<u8> = "{\"a\": 1}"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let marked = [b"\xff\xfe".to_vec(), utf_16.clone()].concat();
    for (text, encoding) in [
        (&utf_16, "-f UTF-16LE"),
        (&utf_16_big, "-f UTF-16BE"),
        (&marked, "-f UTF-16 "),
    ] {
        let (_, advice) = told("a.jsonl", text).unwrap();
        assert!(advice.contains(encoding), "{advice}");
    }
    let mut tar = vec![b'x'; 600];
    tar[257..262].copy_from_slice(b"ustar");
    for (name, start, expected) in [
        ("a.jsonl", &b"PAR1\x15\x00"[..], "a Parquet table"),
        ("a.xlsx", b"PK\x03\x04\x14", "an Excel workbook"),
        ("log.eval", b"PK\x03\x04\x14", "an Inspect log (.eval)"),
        ("a.jsonl", b"PK\x03\x04\x14", "a zip archive"),
        ("a.db", b"SQLite format 3\0\x10", "an SQLite database"),
        ("a.pkl", b"\x80\x04\x95\x00", "a Python pickle"),
        ("a.npy", b"\x93NUMPY\x01", "a NumPy array"),
        ("a.jsonl", b"", "empty"),
        ("a.jsonl", b" \n\n", "empty"),
        ("a.jsonl", &utf_16, "UTF-16 text"),
        ("a.jsonl", &utf_16_big, "UTF-16 text"),
        ("a.jsonl", &marked, "UTF-16 text"),
        ("a.jsonl", &tar, "a tar archive"),
        ("a.jsonl", b"\x01\0\x02garbage", "binary data, not text"),
        ("a.jsonl", b"\n<!DOCTYPE HTML><html>", "a web page"),
        ("a.jsonl", b"<?xml version='1.0'?>", "XML"),
        ("a.jsonl", b"\xff\xff\xff\xff\x10\0", "an Arrow stream"),
        (
            "a.jsonl",
            b"\x1e{\"a\": 1, \"b\": 2}\n\x1e{\"a\": 1, \"b\": 2}\n",
            "JSON with a mark before each row (RFC 7464)",
        ),
        (
            "a.jsonl",
            br#""{\"a\": 1, \"b\": 2}""#,
            "texts that hold JSON, one on each line, and no rows",
        ),
        ("a.jsonl", b"qid,label\na,VALID\nb,\"x,y\"\n", "CSV"),
        ("a.jsonl", b"qid\tlabel\na\tVALID\n", "tab-separated values"),
        ("a.jsonl", b"qid;label\na;VALID\n", "CSV with semicolons"),
        (
            "a.jsonl",
            b"{'a': 1}\n",
            "Python objects as `print` shows them, not JSON",
        ),
        (
            "a.jsonl",
            b"version https://git-lfs.github.com/spec/v1\noid",
            "a Git LFS pointer, not the file itself",
        ),
        (
            "a.json",
            br#"{"version": 2, "status": "success", "eval": {"task": "#,
            "a log of Inspect",
        ),
        (
            "a.json",
            br#"{"qid":{"0":"a","1":"b"},"label":{"0":"#,
            "a pandas frame by columns, as `to_json` writes it unless told otherwise",
        ),
        (
            "a.json",
            br#"{"gold":{},"prediction":{}}"#,
            "a pandas frame by columns, as `to_json` writes it unless told otherwise",
        ),
        (
            "a.json",
            br#"{"0":{"qid":"a"},"1":"#,
            "a pandas frame by index",
        ),
        (
            "a.json",
            br#"{"columns":["qid"],"index":[0],"data":[["#,
            "a pandas frame, split into columns, index and data",
        ),
        (
            "a.json",
            br#"{"schema":{"fields":[{"name":"#,
            "a pandas frame with its table schema",
        ),
        (
            "a.json",
            br#"{"gold":["a","b"],"prediction":["a","c"]}"#,
            "a pandas frame by columns, each of them a list",
        ),
        (
            "a.json",
            b"[[1, 2], [3",
            "a list of lists, without the names of columns",
        ),
        (
            "a.jsonl",
            br#"{"file":"x","line":1,"byte_offset":0,"reason":"odd"#,
            "rows that judica refused before (rejects.jsonl)",
        ),
        (
            "s.json",
            br#"{"schema_version": "judica.summary/1", "leaderboard": [{"#,
            "the summary of a run of `judica eval`",
        ),
    ] {
        let found = what(name, start);
        assert_eq!(found, Some(expected), "{}", String::from_utf8_lossy(start));
    }
}

#[test]
fn what_may_be_rows_is_nothing_else() {
    for start in [
        &br#"{"qid": "a", "label": "VALID"}"#[..],
        br#"[{"a": 1}]"#,
        b"{\"a\": ",
        b"not json at all",
        b"1\n2\n",
        b"{\"a\":\"\xff\"}",
        b"{\"a\":{\"b\":{\"0\":1}}}",
        // One row of several, or one whose lists are no columns.
        b"{\"gold\":[\"a\",\"b\"],\"p\":[\"a\",\"c\"]}\n{}",
        b"{\"gold\":[\"a\",\"b\"],\"p\":\"a\"}",
        b"{\"gold\":[\"a\"],\"p\":[\"a\"]}",
    ] {
        assert_eq!(
            what("a.jsonl", start),
            None,
            "{}",
            String::from_utf8_lossy(start)
        );
    }
    let csv = b"item,rater,value\n";
    assert_eq!(guess(Path::new("a.csv"), csv, Reads::JsonOrTable), None);
}

#[test]
fn advice_can_be_typed_as_it_stands() {
    let (_, advice) = told("in/a.parquet", b"PAR1").unwrap();
    assert_eq!(
        advice,
        "Write it as JSON lines first: python3 -c \"import pandas as pd; \
         pd.read_parquet('in/a.parquet').to_json('in/a.jsonl', orient='records', lines=True, \
         date_format='iso', double_precision=15)\""
    );
    let (_, advice) = told("a.jsonl", b"PAR1").unwrap();
    assert!(advice.contains("'a.jsonl.jsonl'"), "{advice}");
    for name in ["-", "a'; rm -rf x.parquet", "-x", "é"] {
        let (_, advice) = told(name, b"PAR1").unwrap();
        assert!(advice.contains("read_parquet('FILE')"), "{advice}");
    }
}

#[test]
fn a_typed_table_is_damaged_only_where_it_cannot_be_opened() {
    let item: arrow_array::ArrayRef = std::sync::Arc::new(arrow_array::Int64Array::from(vec![1]));
    let batch = arrow_array::RecordBatch::try_from_iter([("other", item)]).unwrap();
    let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    let whole = file.into_inner().unwrap();
    let packed = crate::source::tests::gzip(&whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrow");
    for (bytes, damaged) in [
        (&whole[..], false),
        (&packed, false),
        (&whole[..whole.len() - 9], true),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let said = seems(&path, Reads::JsonOrTable).unwrap().advice;
        assert_eq!(said.starts_with("It cannot be opened"), damaged, "{said}");
        assert_eq!(said.is_empty(), !damaged, "{said}");
    }
}

#[test]
fn what_is_said_names_the_file_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.jsonl");
    let say = |bytes: &[u8], rows, first| {
        std::fs::write(&path, bytes).unwrap();
        let unusable = Unusable {
            path: &path,
            name: &path.to_string_lossy(),
            rows,
            format: Reads::Json,
            first,
        };
        nothing_usable(&[unusable])
    };
    let name = path.display().to_string();
    let text = say(b"PAR1abc", 3, None);
    let start =
        format!("{name}: not one of its 3 rows can be used; it seems to be a Parquet table.\n");
    assert!(text.starts_with(&start), "{text}");
    let refusal = "missing_qid: no `qid`".to_owned();
    assert_eq!(
        say(b"{}", 1, Some((1, refusal))),
        format!(
            "{name}: its one row cannot be used.\n  The first, line 1: missing_qid: no `qid`\n  \
             judica look {name} says what it is."
        )
    );
    let refusal = "invalid_utf8: not UTF-8".to_owned();
    let text = say(b"{\"gold\": \"\xd6sterreich\"}", 1, Some((1, refusal)));
    let iconv = format!(
        "iconv -f CP1252 -t UTF-8 {name} > {}",
        folder.path().join("utf8-p.jsonl").display()
    );
    assert!(text.contains(&iconv), "{text}");
    let text = say(b"", 0, None);
    assert!(
        text.contains("there is no row in it; it seems to be empty."),
        "{text}"
    );
}

#[test]
fn every_mark_is_told_and_none_hides_another() {
    for start in 0..=255u8 {
        // Whatever a byte is followed by, nothing panics.
        for length in 0..40 {
            let _ = what("x", &vec![start; length]);
        }
    }
}

#[test]
fn a_file_in_another_encoding_keeps_its_ending() {
    let advice = |name: &str| filled("iconv IN > SAME", Path::new(name));
    assert_eq!(advice("in/a.csv"), "iconv in/a.csv > in/utf8-a.csv");
    assert_eq!(advice("a"), "iconv a > utf8-a");
}
