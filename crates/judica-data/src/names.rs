//! What the name of a data file says: what the data is called, and how it is laid out.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::work_error::WorkError;

/// What several files or folders are called, each otherwise: as given, one label each, or by
/// their names, or by their paths where two have the same name.
pub fn labels(paths: &[PathBuf], given: &[String]) -> Result<Vec<String>, WorkError> {
    let bad = |message: String| Err(WorkError::BadInput(message));
    let whole: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let named: Vec<String> = whole
        .iter()
        .map(|path| shown_stem(path).to_owned())
        .collect();
    let distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let labels = match given {
        [] if distinct(&named) => named,
        [] => whole,
        given => given.to_vec(),
    };
    if labels.len() != paths.len() {
        return bad(format!("{} labels for {} files", labels.len(), paths.len()));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = labels.iter().find(|label| !seen.insert(*label)) {
        return bad(format!("two files have the label {twice:?}"));
    }
    Ok(labels)
}

/// A file name without the extensions of data files, packed or not; `None` if it has none
/// of them.
pub fn data_stem(name: &str) -> Option<&str> {
    let name = unpacked(name);
    strip(name, &[".json"]).or_else(|| strip(name, &LINES))
}

/// The same for tables.
pub fn table_stem(name: &str) -> Option<&str> {
    strip(unpacked(name), &TABLES)
}

/// The extensions of what has one record on each line.
const LINES: [&str; 5] = [".jsonl", ".ndjson", ".jl", ".jsonlines", ".ldjson"];

/// The extensions of tables.
const TABLES: [&str; 11] = [
    ".csv", ".tsv", ".tab", ".psv", ".parquet", ".parq", ".pq", ".arrow", ".arrows", ".ipc",
    ".feather",
];

/// The extensions of what people write to be read, run or looked at, and programs to be set:
/// no rows, however they begin.
const OTHERS: [&str; 20] = [
    ".md", ".rst", ".tex", ".html", ".htm", ".xml", ".svg", ".py", ".ipynb", ".js", ".ts", ".css",
    ".rs", ".r", ".sh", ".sql", ".toml", ".yaml", ".yml", ".lock",
];

/// Whether a file's name says that it holds no rows.
pub fn is_of_other(name: &str) -> bool {
    strip(unpacked(name), &OTHERS).is_some()
}

/// What the data in a file is called where nothing else says so: the last part of its path
/// without the extensions of data files; standard input is `stdin`.
pub fn shown_stem(path: &str) -> &str {
    if path == "-" {
        return "stdin";
    }
    let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty());
    let name = name.unwrap_or(path);
    data_stem(name).or_else(|| table_stem(name)).unwrap_or(name)
}

/// Whether a file's name promises one record on each line.
pub fn has_lines(name: &str) -> bool {
    strip(unpacked(name), &LINES).is_some()
}

/// A name without the extension of what is packed.
pub(crate) fn unpacked(name: &str) -> &str {
    strip(name, &[".gz", ".gzip", ".zst", ".zstd"]).unwrap_or(name)
}

fn strip<'a>(name: &'a str, extensions: &[&str]) -> Option<&'a str> {
    extensions.iter().find_map(|extension| {
        let at = name.len().checked_sub(extension.len())?;
        let (stem, end) = (name.get(..at)?, name.get(at..)?);
        (!stem.is_empty() && end.eq_ignore_ascii_case(extension)).then_some(stem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_lose_the_extensions_of_data_only() {
        assert_eq!(data_stem("qwen-2.5_x.JSON"), Some("qwen-2.5_x"));
        for lines in ["x.jsonl.gz", "x.jl", "x.JSONLINES.zstd", "x.ldjson.gzip"] {
            assert_eq!(data_stem(lines), Some("x"), "{lines}");
        }
        for table in [
            "x.csv.zstd",
            "x.parq",
            "x.parquet.gzip",
            "x.arrows",
            "x.ipc",
        ] {
            assert_eq!(table_stem(table), Some("x"), "{table}");
        }
        assert_eq!(data_stem("é.json"), Some("é"));
        for other in ["qwen-2.5", ".json", "x.tar.gz", "x.gz", ""] {
            assert_eq!(data_stem(other), None, "{other}");
        }
    }

    #[test]
    fn lines_are_promised_by_the_name() {
        assert!(has_lines("x.ndjson.zst") && has_lines("x.jsonl"));
        assert!(!has_lines("x.json") && !has_lines("jsonl"));
    }
}
