//! The pages, and what stands in their fences.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the sources.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn text(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The chapters of the book, by their paths from the root.
pub fn chapters() -> Vec<String> {
    let summary = text("docs/SUMMARY.md");
    let links = summary.split("](").skip(1);
    links
        .filter_map(|rest| rest.split_once(')'))
        .map(|(path, _)| format!("docs/{path}"))
        .collect()
}

/// All files below a folder that end so, by their paths from the root; folders of builds are
/// passed over.
pub fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(files(&path, ending));
        } else if path.ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A fenced block.
#[derive(Debug)]
pub struct Fence {
    /// The line it begins on, from 1.
    pub line: usize,
    /// What stands behind the fence.
    pub language: String,
    pub body: String,
    /// Whether a heading stands between it and the fence before.
    pub apart: bool,
}

/// The fences of a page in reading order, and its lines outside of them.
pub fn fences(text: &str) -> (Vec<Fence>, Vec<(usize, &str)>) {
    let (mut found, mut prose) = (Vec::new(), Vec::new());
    let mut apart = true;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let Some(language) = line.trim_start().strip_prefix("```") else {
            apart |= line.starts_with('#');
            prose.push((number + 1, line));
            continue;
        };
        let body = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| !line.trim_start().starts_with("```"))
            .map(|line| format!("{}\n", line.get(indent..).unwrap_or_default()))
            .collect();
        found.push(Fence {
            line: number + 1,
            language: language.to_owned(),
            body,
            apart: std::mem::take(&mut apart),
        });
    }
    (found, prose)
}
