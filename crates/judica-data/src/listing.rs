//! Which files paths mean: themselves, those that a pattern matches, those in a folder.
//!
//! Shells put names in the place of a pattern; where one was quoted, or no shell stands
//! between, it is done here. Files come by the bytes of their paths.

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::path::{Component, Path, PathBuf};

use crate::error::DataError;
use crate::foreign::may_hold_rows;
use crate::memory;
use crate::names::{data_stem, has_lines, table_stem};
use crate::source::STDIN;
use crate::work_error::WorkError;

/// Puts what patterns match in their place; every other path stays as it is. A path that is
/// there is no pattern.
pub fn matched(paths: &[PathBuf]) -> Result<Vec<PathBuf>, WorkError> {
    let mut all = Vec::new();
    for path in paths {
        if memory::is_held(path) || !is_pattern(&path.to_string_lossy()) || path.exists() {
            all.push(path.clone());
            continue;
        }
        let found = matching(path)?;
        if found.is_empty() {
            let message = format!("{}: nothing matches this pattern", path.display());
            return Err(WorkError::BadInput(message));
        }
        all.extend(found);
    }
    Ok(all)
}

/// The same, and the data files of folders in the place of these.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, WorkError> {
    let mut all = Vec::new();
    for path in matched(paths)? {
        match is_folder(&path) {
            true => all.extend(folder(&path)?.data),
            false => all.push(path),
        }
    }
    Ok(all)
}

/// Whether a path means a folder: standard input and what is held in memory do not, whatever
/// stands under such a name.
pub fn is_folder(path: &Path) -> bool {
    path != Path::new(STDIN) && !memory::is_held(path) && path.is_dir()
}

/// What stands in a folder.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// Its path: the folder's, and the name.
    pub path: PathBuf,
    /// What it is itself, not what it may lead to.
    pub kind: FileType,
}

impl Entry {
    /// Whether its name begins with a dot.
    pub fn is_hidden(&self) -> bool {
        self.name.as_encoded_bytes().starts_with(b".")
    }
}

/// All that stands in a folder, by the bytes of the names.
pub fn entries(folder: &Path) -> Result<Vec<Entry>, DataError> {
    let reading = |error| DataError::reading(folder, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(reading)? {
        let entry = entry.map_err(reading)?;
        found.push(Entry {
            name: entry.file_name(),
            path: entry.path(),
            kind: entry.file_type().map_err(reading)?,
        });
    }
    found.sort_unstable_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
    Ok(found)
}

/// What a folder holds.
#[derive(Debug, Default)]
pub struct Folder {
    /// Its data.
    pub data: Vec<PathBuf>,
    /// Files that are left alone.
    pub left: Vec<PathBuf>,
}

/// The data files of a folder and of those below. What has lines goes before tables, which
/// are mostly made of it, and those before single documents, which mostly are reports. What is
/// hidden is passed over. Links to folders are not followed, so that none leads round in a
/// circle.
pub fn folder(top: &Path) -> Result<Folder, WorkError> {
    let mut found = Vec::new();
    let mut waiting = vec![top.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in entries(&folder)? {
            match entry.kind.is_dir() {
                _ if entry.is_hidden() => {}
                true => waiting.push(entry.path),
                false => found.push(entry.path),
            }
        }
    }
    by_bytes(&mut found);
    let kinds: [fn(&str) -> bool; 3] = [
        has_lines,
        |name| table_stem(name).is_some(),
        |name| data_stem(name).is_some(),
    ];
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let is = |path: &PathBuf, kind: fn(&str) -> bool| {
        name(path).is_some_and(|name| kind(&name)) && path.is_file()
    };
    let kind = kinds
        .iter()
        .find(|kind| found.iter().any(|path| is(path, **kind)));
    let Some(kind) = kind else {
        return Err(WorkError::BadInput(format!(
            "{}: no data in this folder; expected files named *.jsonl, *.csv, *.tsv, *.parquet, \
             *.arrow or *.json, also with .gz or .zst",
            top.display()
        )));
    };
    let (data, left) = found.into_iter().partition(|path| is(path, *kind));
    Ok(Folder { data, left })
}

/// The files of a folder that may hold rows and are none of those that are read.
pub fn unread(top: &Path, read: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(Folder { mut data, left }) = folder(top) else {
        return Vec::new();
    };
    data.extend(left);
    data.retain(|path| !read.contains(path) && may_hold_rows(path));
    by_bytes(&mut data);
    data
}

fn by_bytes(paths: &mut [PathBuf]) {
    paths.sort_by_cached_key(|path| path.as_os_str().as_encoded_bytes().to_vec());
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// What a pattern matches, part by part; `**` is any number of folders.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, DataError> {
    let mut found: Vec<PathBuf> = vec![PathBuf::new()];
    for part in pattern.components() {
        let text = part.as_os_str().to_string_lossy();
        let mut next = Vec::new();
        for path in found {
            match part {
                Component::Normal(_) if text == "**" => below(path, &mut next)?,
                Component::Normal(_) if is_pattern(&text) => {
                    let names = names_in(&path)?.into_iter();
                    let names = names.filter(|name| name_matches(text.as_bytes(), name.as_bytes()));
                    next.extend(names.map(|name| path.join(name)));
                }
                _ => next.push(path.join(part)),
            }
        }
        next.retain(|path| path.as_os_str().is_empty() || path.exists());
        found = next;
    }
    by_bytes(&mut found);
    found.dedup();
    Ok(found)
}

/// A folder and all below it that are not hidden; links are not followed.
fn below(folder: PathBuf, found: &mut Vec<PathBuf>) -> Result<(), DataError> {
    for name in names_in(&folder)? {
        let path = folder.join(&name);
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|there| there.is_dir());
        if is_folder && !name.starts_with('.') {
            below(path, found)?;
        }
    }
    found.push(folder);
    Ok(())
}

/// The names in a folder; none in what is no folder. A name that is no text matches nothing.
fn names_in(folder: &Path) -> Result<Vec<String>, DataError> {
    let place = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    if !place.is_dir() {
        return Ok(Vec::new());
    }
    let entries = entries(place)?.into_iter();
    Ok(entries
        .filter_map(|entry| entry.name.into_string().ok())
        .collect())
}

/// Whether a name matches: `*` is any text, `?` any character, `[a-c]` and `[!a-c]` one of
/// some. Hidden names are matched by patterns that begin with a dot.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    name.first() != Some(&b'.') && matches(pattern, name)
        || pattern.first() == Some(&b'.') && matches(pattern, name)
}

fn matches(mut pattern: &[u8], mut name: &[u8]) -> bool {
    // Where the last star stands, and how much it holds: it takes one byte more if the rest
    // does not fit.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        let step = match pattern {
            [b'*', rest @ ..] => {
                star = Some((rest, name));
                pattern = rest;
                continue;
            }
            [] if name.is_empty() => return true,
            [b'?', rest @ ..] if !name.is_empty() => Some((rest, &name[character(name)..])),
            [b'[', rest @ ..] if !name.is_empty() => {
                one_of(rest, name[0]).map(|rest| (rest, &name[1..]))
            }
            [byte, rest @ ..] if name.first() == Some(byte) => Some((rest, &name[1..])),
            _ => None,
        };
        (pattern, name) = match (step, star) {
            (Some(step), _) => step,
            (None, Some((rest, [_, more @ ..]))) => {
                star = Some((rest, more));
                (rest, more)
            }
            (None, _) => return false,
        };
    }
}

/// How long the first character is.
fn character(name: &[u8]) -> usize {
    let inner = name[1..].iter().take_while(|&&byte| byte & 0xc0 == 0x80);
    1 + inner.count()
}

/// What follows `[…]` if this byte is one of those in it; without an end it is a bracket.
fn one_of(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    let (not, inside) = match pattern {
        [b'!' | b'^', inside @ ..] => (true, inside),
        inside => (false, inside),
    };
    // The first may be the bracket itself.
    let Some(end) = inside.iter().skip(1).position(|&b| b == b']') else {
        return (byte == b'[').then_some(pattern);
    };
    let (mut set, rest) = (&inside[..=end], &inside[end + 2..]);
    let mut found = false;
    while let [first, more @ ..] = set {
        set = more;
        let last = match more {
            [b'-', last, more @ ..] => {
                set = more;
                last
            }
            _ => first,
        };
        found |= (first..=last).contains(&&byte);
    }
    (found != not).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.csv", "a.csv", true),
            ("*.csv", ".csv", false),
            (".*", ".csv", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?", "é", true),
            ("??", "a", false),
            ("run[0-9].json", "run7.json", true),
            ("run[!0-9].json", "run7.json", false),
            ("run[]x]", "run]", true),
            ("run[x", "run[x", true),
            ("*", "", true),
            ("", "a", false),
            ("**a", "bba", true),
        ] {
            let matched = name_matches(pattern.as_bytes(), name.as_bytes());
            assert_eq!(matched, expected, "{pattern} {name}");
        }
        let long = "a".repeat(2000);
        assert!(!matches(
            "*a".repeat(40).as_bytes(),
            &[long.as_bytes(), b"b"].concat()
        ));
    }

    #[test]
    fn patterns_and_folders_give_files_by_name() {
        let top = tempfile::tempdir().expect("a folder");
        let at = |name: &str| top.path().join(name);
        for name in [
            "b.csv",
            "a.csv",
            "x[1].csv",
            "d/c.csv",
            "d/e/a.csv",
            "d/x.json",
            ".h/a.csv",
        ] {
            fs::create_dir_all(at(name).parent().expect("a folder")).expect("made");
            fs::write(at(name), "").expect("written");
        }
        let names = |pattern: &str| -> Vec<String> {
            let all = files(&[at(pattern)]).expect("files").into_iter();
            let inner = all.map(|path| path.strip_prefix(top.path()).expect("inside").to_owned());
            inner.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(names("[ab].csv"), ["a.csv", "b.csv"]);
        assert_eq!(names("x[1].csv"), ["x[1].csv"]);
        assert_eq!(names("*/*.csv"), ["d/c.csv"]);
        assert_eq!(names("**/a.csv"), ["a.csv", "d/e/a.csv"]);
        assert_eq!(names("d*"), ["d/c.csv", "d/e/a.csv"]);
        assert!(files(&[at("*.tsv")]).is_err());
        assert_eq!(
            matched(&[PathBuf::from("-")]).expect("itself"),
            [PathBuf::from("-")]
        );
        fs::write(at("d/y.jsonl"), "").expect("written");
        let found = folder(&at("d")).expect("data");
        assert_eq!((found.data.len(), found.left.len()), (1, 3));
        for (name, text) in [
            ("a.csv", "id,gold\n1,a\n"),
            ("b.txt", "id,gold\n2,b\n"),
            ("part-00000", "{\"id\": 3}\n{\"id\": 4}\n"),
            ("rows.json", "[{\"id\": 5}]"),
            ("x.csv.1", "PAR1"),
            ("README.md", "a,b\nc,d\n"),
            ("report.json", "{\"n\": 1}"),
            ("notes.txt", "Dear all,\nthese are the rows of May.\n"),
            ("_SUCCESS", ""),
            (".b.csv", "id,gold\n"),
            ("plot.png", "\u{89}PNG"),
        ] {
            fs::create_dir_all(at("r")).expect("made");
            fs::write(at("r").join(name), text).expect("written");
        }
        let left = unread(&at("r"), &[at("r/a.csv")]);
        let left: Vec<_> = left.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(left, ["b.txt", "part-00000", "rows.json", "x.csv.1"]);
    }
}
