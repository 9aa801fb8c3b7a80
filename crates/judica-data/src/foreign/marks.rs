//! Formats that are told by their first bytes or their first lines.

use std::path::Path;

use memchr::{memchr, memmem};

use super::{Kind, Reads};
use crate::json::Scanner;
use crate::table::{TypedFormat, opens};

const fn kind(what: &'static str, advice: &'static str) -> Kind {
    Kind { what, advice }
}

macro_rules! pandas {
    ($read:literal) => {
        concat!(
            "Write it as JSON lines first: python3 -c \"import pandas as pd; pd.",
            $read,
            ".to_json('OUT', orient='records', lines=True, date_format='iso', double_precision=15)\""
        )
    };
}

/// Rows that Python makes, written with all their digits.
macro_rules! python {
    ($modules:literal, $read:literal, $($rows:tt)+) => {
        concat!(
            "python3 -c \"import json",
            $modules,
            "; d = ",
            $read,
            "; open('OUT', 'w').writelines(json.dumps(r, default=str) + '\\n' for r in ",
            $($rows)+,
            ")\""
        )
    };
}
pub(super) use python;

macro_rules! excel {
    () => {
        concat!(
            "Write it as JSON lines first, of several sheets the first (sheet_name='NAME' takes \
             another): ",
            python!(
                ", pandas as pd",
                "pd.read_excel('IN', dtype=object, keep_default_na=False)",
                "d.astype(object).where(d.notna(), None).to_dict('records')"
            )
        )
    };
}

macro_rules! separated {
    ($mark:literal) => {
        concat!(
            "Write it as JSON lines first: ",
            python!(
                ", csv",
                "open('IN', newline='', encoding='utf-8-sig')",
                "csv.DictReader(d, delimiter='",
                $mark,
                "')"
            )
        )
    };
}

/// What a stream of Arrow begins with.
pub(super) const ARROW_STREAM: &[u8] = b"\xff\xff\xff\xff";

/// What formats begin with.
const MARKS: [(&[u8], Kind); 28] = [
    (
        ARROW_STREAM,
        kind(
            "an Arrow stream",
            "Write it as a table first: python3 -c \"import pyarrow as pa, pyarrow.parquet as pq; \
             pq.write_table(pa.ipc.open_stream('IN').read_all(), 'IN.parquet')\"",
        ),
    ),
    (
        b"\x1e{",
        kind(
            "JSON with a mark before each row (RFC 7464)",
            "Leave the marks out: tr -d '\\036' < IN > OUT",
        ),
    ),
    (
        b"PAR1",
        kind("a Parquet table", pandas!("read_parquet('IN')")),
    ),
    (
        b"ARROW1",
        kind("an Arrow (Feather) table", pandas!("read_feather('IN')")),
    ),
    (b"ORC", kind("an ORC table", pandas!("read_orc('IN')"))),
    (
        b"\x89HDF\r\n\x1a\n",
        kind("an HDF5 file", pandas!("read_hdf('IN')")),
    ),
    (b"\xd0\xcf\x11\xe0", kind("an old Excel workbook", excel!())),
    (
        b"Obj\x01",
        kind(
            "an Avro file",
            "Write it as JSON lines first: fastavro IN > OUT",
        ),
    ),
    (
        b"SQLite format 3\0",
        kind(
            "an SQLite database",
            "Write the table as a JSON array first: sqlite3 -json IN 'SELECT * FROM my_table' > \
             OUT",
        ),
    ),
    (
        b"\x93NUMPY",
        kind(
            "a NumPy array",
            "Write it as JSON lines, one object for each row.",
        ),
    ),
    (
        b"%PDF-",
        kind("a PDF document", "The rows are needed, as JSON lines."),
    ),
    (
        b"BZh",
        kind(
            "a bzip2 archive",
            "Unpack it first: bunzip2 IN (gzip and zstd are read as they are)",
        ),
    ),
    (
        b"\xfd7zXZ\0",
        kind(
            "an xz archive",
            "Unpack it first: unxz IN (gzip and zstd are read as they are)",
        ),
    ),
    (
        b"\x04\x22\x4d\x18",
        kind(
            "an LZ4 archive",
            "Unpack it first: lz4 -d IN (gzip and zstd are read as they are)",
        ),
    ),
    (
        b"Rar!\x1a\x07",
        kind("a RAR archive", "Unpack it first: unrar x IN"),
    ),
    (
        b"<stata_dta>",
        kind("a Stata table", pandas!("read_stata('IN')")),
    ),
    (b"$FL2", kind("an SPSS table", pandas!("read_spss('IN')"))),
    (b"RDX2\n", R_DATA),
    (b"RDX3\n", R_DATA),
    (
        b"MATLAB 5.0",
        kind(
            "a MATLAB file",
            "The rows are needed, as a table or JSON lines.",
        ),
    ),
    (
        b"{\\rtf",
        kind(
            "a text document (RTF)",
            "The rows are needed, as a table or JSON lines.",
        ),
    ),
    (
        b"7z\xbc\xaf\x27\x1c",
        kind("a 7-Zip archive", "Unpack it first: 7z x IN"),
    ),
    (
        b"version https://git-lfs.github.com/spec/",
        kind(
            "a Git LFS pointer, not the file itself",
            "Fetch the file first: git lfs pull --include IN",
        ),
    ),
    (
        b"{'",
        kind(
            "Python objects as `print` shows them, not JSON",
            "Write each row with json.dumps(row) instead of str(row).",
        ),
    ),
    (
        b"[{'",
        kind(
            "Python objects as `print` shows them, not JSON",
            "Write each row with json.dumps(row) instead of str(row).",
        ),
    ),
    (
        b"--- ",
        kind(
            "YAML",
            "Write it as JSON: python3 -c \"import json, yaml; json.dump(yaml.safe_load(open('IN')), open('OUT', 'w'))\"",
        ),
    ),
    (
        b"---\n",
        kind(
            "YAML",
            "Write it as JSON: python3 -c \"import json, yaml; json.dump(yaml.safe_load(open('IN')), open('OUT', 'w'))\"",
        ),
    ),
    (
        b"\x1bLua",
        kind("compiled code", "The rows are needed, as JSON lines."),
    ),
];

const R_DATA: Kind = kind(
    "data of R",
    "Write it as CSV first: Rscript -e \"write.csv(get(load('IN')), 'FILE.csv')\"",
);

const ZIP: &[u8] = b"PK\x03\x04";
/// What zip archives are, by the ends of their names.
const ZIPPED: [(&str, Kind); 7] = [
    ("xlsx", kind("an Excel workbook", excel!())),
    ("xlsm", kind("an Excel workbook", excel!())),
    ("ods", kind("an OpenDocument sheet", excel!())),
    (
        "docx",
        kind(
            "a Word document",
            "The rows are needed, as a table or JSON lines.",
        ),
    ),
    (
        "eval",
        kind(
            "an Inspect log (.eval)",
            "Make a run of it: judica import IN --run DIR",
        ),
    ),
    (
        "npz",
        kind(
            "NumPy arrays",
            "Write them as JSON lines, one object for each row.",
        ),
    ),
    ("", kind("a zip archive", "Unpack it first: unzip IN")),
];

const EMPTY: Kind = kind(
    "empty",
    "The step that writes it may have failed; look there.",
);
// Without a mark, iconv takes UTF-16 for little-endian.
const UTF_16_LITTLE: Kind = kind(
    "UTF-16 text",
    "Write it as UTF-8 first: iconv -f UTF-16LE -t UTF-8 IN > SAME",
);
const UTF_16_BIG: Kind = kind(
    "UTF-16 text",
    "Write it as UTF-8 first: iconv -f UTF-16BE -t UTF-8 IN > SAME",
);
const UTF_16: Kind = kind(
    "UTF-16 text",
    "Write it as UTF-8 first: iconv -f UTF-16 -t UTF-8 IN > SAME",
);
const UTF_32: Kind = kind(
    "UTF-32 text",
    "Write it as UTF-8 first: iconv -f UTF-32 -t UTF-8 IN > SAME",
);
const WINDOWS: Kind = kind(
    "text that is not UTF-8, by its bytes Windows-1252, as Excel on Windows writes it",
    "Write it as UTF-8 first: iconv -f CP1252 -t UTF-8 IN > SAME",
);
const OTHER_TEXT: Kind = kind(
    "text that is not UTF-8",
    "Write it as UTF-8 first, from the encoding that it has: iconv -f FROM -t UTF-8 IN > SAME",
);
const PICKLE: Kind = kind("a Python pickle", pandas!("read_pickle('IN')"));
const TAR: Kind = kind("a tar archive", "Unpack it first: tar -xf IN");
const HTML: Kind = kind(
    "a web page",
    "A download that needs a login gives such a page; look at it in a browser.",
);
const XML: Kind = kind("XML", "The rows are needed, as JSON lines.");
const BINARY: Kind = kind(
    "binary data, not text",
    "The rows are needed, as JSON lines.",
);
const CSV: Kind = kind("CSV", separated!(","));
const TSV: Kind = kind("tab-separated values", separated!("\\t"));
const TEXTS: Kind = kind(
    "texts that hold JSON, one on each line, and no rows",
    "Take the rows out of the texts: jq -c fromjson IN > OUT",
);
const COMMENTED: Kind = kind(
    "a table with comments before its header",
    "Leave them out: awk 'rows || !/^#/ { rows = 1; print }' IN > SAME",
);
const PROMPTFOO_CSV: Kind = kind(
    "the table that promptfoo writes for people",
    "Write its results as JSON instead: promptfoo eval -o out.json",
);
const SEMICOLONS: Kind = kind("CSV with semicolons", separated!(";"));

/// What begins like this.
pub(super) fn kind_of(path: &Path, start: &[u8], rows: Reads) -> Option<Kind> {
    if start.starts_with(ZIP) {
        let name = path.to_string_lossy().to_ascii_lowercase();
        let found = ZIPPED.iter().find(|(end, _)| name.ends_with(end));
        return found.map(|(_, kind)| *kind);
    }
    let reads_tables = rows != Reads::Json;
    if let Some((_, kind)) = MARKS.iter().find(|(mark, _)| start.starts_with(mark)) {
        let advice = match TypedFormat::told(start).filter(|_| reads_tables) {
            None => kind.advice,
            Some(_) if !path.is_file() => "Put it into a file: it is not read from a pipe.",
            Some(format) if !opens(path, format) => {
                "It cannot be opened: it is damaged (cut short, or written by a program that \
                 failed), or has a column of a type that is not read, like whole numbers of 128 \
                 bits."
            }
            // It is read: what is wrong with its rows is said of them.
            Some(_) => "",
        };
        return Some(Kind { advice, ..*kind });
    }
    if start.starts_with(b"\xff\xfe\0\0") || start.starts_with(b"\0\0\xfe\xff") {
        return Some(UTF_32);
    }
    let words: Vec<&[u8]> = start.chunks_exact(2).take(16).collect();
    let zeros = |at: usize| words.len() > 1 && words.iter().all(|word| word[at] == 0);
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        return Some(UTF_16);
    }
    match (zeros(0), zeros(1)) {
        (true, false) => return Some(UTF_16_BIG),
        (false, true) => return Some(UTF_16_LITTLE),
        _ => {}
    }
    // The oldest are text: a mark, a dictionary or a list, and its number.
    if matches!(start, [0x80, 2..=5, ..]) || matches!(start, [b'(', b'd' | b'l', b'p', b'0', ..]) {
        return Some(PICKLE);
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some(TAR);
    }
    let text = start.trim_ascii_start();
    // Lines of JSON with a stray zero are still that.
    if start.contains(&0) && !matches!(text.first(), Some(b'{' | b'[')) {
        return Some(BINARY);
    }
    let begins = |with: &str| {
        let start = text.get(..with.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
    };
    match text.first() {
        None => Some(EMPTY),
        Some(b'<') if begins("<!doctype html") || begins("<html") => Some(HTML),
        Some(b'<') if begins("<?xml") => Some(XML),
        Some(b'{' | b'[') => None,
        Some(b'"') if are_texts(text) => Some(TEXTS),
        Some(_) if is_of_promptfoo(text) => Some(PROMPTFOO_CSV),
        Some(b'#') if separated(text).is_none() && separated(uncommented(text)).is_some() => {
            Some(COMMENTED)
        }
        Some(_) => separated(text)
            .filter(|_| !reads_tables || is_named_json(path))
            .map(|kind| match reads_tables {
                false => kind,
                // It would be read under its own name.
                true => Kind {
                    advice: "Call it .csv or .tsv.",
                    ..kind
                },
            }),
    }
}

/// Whether the first line is one text of JSON, and no cell of a table with others behind it.
fn are_texts(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut scanner = Scanner::new(line, 0);
    let is_row = |inner: &[u8]| inner.starts_with(b"{\\\"");
    scanner.string().is_ok_and(|found| is_row(found.raw)) && scanner.at_end()
}

/// What text is written in that is not UTF-8.
pub(super) fn encoding(start: &[u8]) -> Option<Kind> {
    // A character may be cut off with the text.
    let error = std::str::from_utf8(start).err()?;
    error.error_len()?;
    let is_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c');
    // Bytes that mean nothing in Windows-1252.
    let unknown = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
    match () {
        () if !start.iter().all(is_text) => None,
        () if start.iter().any(|byte| unknown.contains(byte)) => Some(OTHER_TEXT),
        () => Some(WINDOWS),
    }
}

fn is_named_json(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    [".json", ".jsonl", ".ndjson"]
        .iter()
        .any(|end| name.contains(end))
}

/// Whether it is the table that promptfoo writes for people, by its header.
fn is_of_promptfoo(text: &[u8]) -> bool {
    let header = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    memmem::find(header, b",Status,Score,Named Scores,").is_some()
}

/// What follows the comments at the beginning.
fn uncommented(mut text: &[u8]) -> &[u8] {
    while let (Some(b'#'), Some(end)) = (text.first(), memchr(b'\n', text)) {
        text = &text[end + 1..];
    }
    text
}

/// Values separated in each of the first lines alike.
fn separated(text: &[u8]) -> Option<Kind> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').take(4).collect();
    let whole = &lines[..lines.len().saturating_sub(1).max(1)];
    let count = |line: &[u8], mark: u8| line.iter().filter(|&&byte| byte == mark).count();
    let kinds = [(b'\t', TSV), (b',', CSV), (b';', SEMICOLONS)];
    let alike = |mark: u8| {
        let fields = count(whole[0], mark);
        // Quoted fields may hold more of them.
        fields > 0 && whole.iter().all(|line| count(line, mark) >= fields)
    };
    kinds
        .iter()
        .find(|(mark, _)| alike(*mark))
        .map(|(_, kind)| *kind)
}
