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
    strip(unpacked(name), &[".json", ".jsonl", ".ndjson"])
}

/// The same for tables.
pub fn table_stem(name: &str) -> Option<&str> {
    strip(unpacked(name), &TABLES)
}

/// The extensions of tables.
const TABLES: [&str; 8] = [
    ".csv", ".tsv", ".tab", ".psv", ".parquet", ".pq", ".arrow", ".feather",
];

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
    strip(unpacked(name), &[".jsonl", ".ndjson"]).is_some()
}

fn unpacked(name: &str) -> &str {
    strip(name, &[".gz", ".zst"]).unwrap_or(name)
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
        assert_eq!(data_stem("x.jsonl.gz"), Some("x"));
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
