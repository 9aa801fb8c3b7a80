//! Which harness a file or a folder is of, and which files make up a log.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::foreign::{Reads, pointer, seems};
use judica_data::listing::{Entry, entries};
use judica_data::names::{data_stem, table_stem};
use judica_data::ordered::Workers;
use judica_data::source::{STDIN, Source, gives_once};
use judica_data::work_error::WorkError;
use judica_run::family::Input;

use crate::import::How;
use crate::log::{Harness, Log};
use crate::table;
use crate::{deepeval, helm, inspect, lm_eval, openai_evals, promptfoo};

/// What a log's files are used as.
pub const ROLE: &str = "log";
/// How much of a file is looked at.
const START: usize = 64 << 10;

/// How the logs of a harness are told and opened.
pub struct Format {
    /// The harness.
    pub harness: Harness,
    /// Whether a file or a folder is one of its logs, or the part of one that names it.
    pub recognise: fn(&Candidate) -> bool,
    /// All files of the log that this file or folder names, the one that names it first.
    pub files: fn(&Path) -> Result<Vec<PathBuf>, WorkError>,
    /// Opens the log that these files make up.
    pub open: for<'h> fn(&[Input], Workers<'h>) -> Opened<'h>,
}

/// A log that is open.
pub type Opened<'h> = Result<Box<dyn Log + 'h>, WorkError>;

/// All formats; of several that recognise a file the first counts.
pub static FORMATS: &[Format] = &[
    inspect::FORMAT,
    lm_eval::FORMAT,
    promptfoo::FORMAT,
    deepeval::FORMAT,
    helm::FORMAT,
    openai_evals::FORMAT,
];

/// A log that is one file.
pub fn one_file(path: &Path) -> Result<Vec<PathBuf>, WorkError> {
    Ok(vec![path.to_owned()])
}

/// The file of such a log.
pub fn only(files: &[Input]) -> Result<&Input, WorkError> {
    let none = || WorkError::BadInput("a log without a file".to_owned());
    files.first().ok_or_else(none)
}

/// A file or a folder that may be a log.
pub struct Candidate<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// How it begins, decompressed; empty for a folder.
    pub start: &'a [u8],
}

impl Candidate<'_> {
    /// The last part of its path.
    pub fn name(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    }

    /// Whether it is JSON, and all of these stand in its beginning.
    pub fn mentions(&self, words: &[&str]) -> bool {
        // A program that reads such logs, or a page about them, mentions as much.
        let is_json = matches!(self.start.trim_ascii_start().first(), Some(b'{' | b'['));
        if !is_json || self.start.contains(&0) {
            return false;
        }
        let found = |word: &str| memchr::memmem::find(self.start, word.as_bytes()).is_some();
        words.iter().all(|word| found(word))
    }
}

/// A log: what it is of, and its files.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The harness.
    pub harness: Harness,
    /// Its files, the one that names it first.
    pub files: Vec<Input>,
}

impl Chosen {
    /// Opens it.
    pub fn open<'h>(&self, how: &How, workers: Workers<'h>) -> Opened<'h> {
        if self.harness == Harness::Table {
            let cluster = how.cluster.as_deref();
            return table::open(&self.files, &how.table, cluster, workers);
        }
        let format = FORMATS.iter().find(|format| format.harness == self.harness);
        let format = format.ok_or_else(|| {
            let name = self.harness.name();
            WorkError::BadInput(format!("logs of {name} cannot be read by this program"))
        })?;
        (format.open)(&self.files, workers)
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        self.files.first().map_or("", |file| &file.name)
    }
}

/// The logs that were meant.
#[derive(Debug, Default)]
pub struct Chosens {
    /// The logs, in the order of what was given, folders by the bytes of names.
    pub logs: Vec<Chosen>,
    /// Files in folders that are no log of a harness that is known.
    pub unknown: Vec<String>,
    /// Links in folders that lead nowhere.
    pub dangling: Vec<String>,
    /// Where the files of logs are, however they were called.
    taken: BTreeSet<PathBuf>,
}

/// Finds the logs in files and folders; only those of one harness, if it is named.
pub fn choose(paths: &[PathBuf], asked: Option<Harness>) -> Result<Chosens, WorkError> {
    let mut chosen = Chosens::default();
    for path in paths {
        if path == Path::new(STDIN) {
            let why = "standard input: a log is read twice; give it as a file";
            return Err(WorkError::BadInput(why.to_owned()));
        }
        if gives_once(path) {
            return Err(WorkError::BadInput(format!(
                "{}: a log is read twice; put what this pipe or device gives into a file",
                path.display()
            )));
        }
        let there = fs::metadata(path).map_err(|error| DataError::reading(path, error))?;
        if there.is_dir() {
            let before = chosen.unknown.len();
            if !chosen.folder(path, asked)? {
                let looked = chosen.unknown.len() - before;
                return Err(WorkError::BadInput(format!(
                    "{}: no log in this folder; looked at {looked} files",
                    path.display()
                )));
            }
        } else if !chosen.has(path) && !chosen.file(path, asked)? {
            let Some(harness) = asked else {
                return Err(WorkError::BadInput(no_log(path)));
            };
            chosen.take(harness, path)?;
        }
    }
    Ok(chosen)
}

/// Where a file is, whatever leads there.
fn place_of(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

impl Chosens {
    /// Whether a file belongs to a log that was taken.
    fn has(&self, path: &Path) -> bool {
        self.taken.contains(&place_of(path))
    }

    /// Takes a file, if somebody knows it.
    fn file(&mut self, path: &Path, asked: Option<Harness>) -> Result<bool, WorkError> {
        if asked == Some(Harness::Table) {
            let name = path.to_string_lossy();
            let is_data = data_stem(&name).or_else(|| table_stem(&name)).is_some();
            return match is_data {
                true => self.take(Harness::Table, path).map(|()| true),
                false => Ok(false),
            };
        }
        let start = start_of(path)?;
        self.known(
            &Candidate {
                path,
                start: &start,
            },
            asked,
        )
    }

    fn known(&mut self, found: &Candidate, asked: Option<Harness>) -> Result<bool, WorkError> {
        let mut formats = FORMATS
            .iter()
            .filter(|format| asked.is_none_or(|asked| asked == format.harness));
        match formats.find(|format| (format.recognise)(found)) {
            Some(format) => {
                self.take(format.harness, found.path)?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Takes the log that this file or folder names, unless it was taken before.
    fn take(&mut self, harness: Harness, path: &Path) -> Result<(), WorkError> {
        let format = FORMATS.iter().find(|format| format.harness == harness);
        let files = match format {
            Some(format) => (format.files)(path)?,
            None => one_file(path)?,
        };
        if files.is_empty() {
            return Err(WorkError::BadInput(format!(
                "{}: neither a log of {} nor a file of one{}",
                path.display(),
                harness.title(),
                instead(harness, path)
            )));
        }
        if files.iter().all(|file| self.has(file)) {
            return Ok(());
        }
        self.taken.extend(files.iter().map(|file| place_of(file)));
        let files = files.iter().map(|file| Input::given(ROLE, file)).collect();
        self.logs.push(Chosen { harness, files });
        Ok(())
    }

    /// Takes all logs of a folder and of those below it; says whether there are some, be they
    /// taken before. Links to folders are not followed.
    fn folder(&mut self, path: &Path, asked: Option<Harness>) -> Result<bool, WorkError> {
        let itself = Candidate { path, start: &[] };
        if self.known(&itself, asked)? {
            return Ok(true);
        }
        let mut found = false;
        for Entry { path, kind, .. } in entries(path)? {
            if kind.is_dir() {
                found |= self.folder(&path, asked)?;
            } else if kind.is_symlink() && !path.exists() {
                self.dangling.push(path.display().to_string());
            } else if path.is_file() && (self.has(&path) || self.file(&path, asked)?) {
                found = true;
            } else if gives_once(&path) || path.is_file() {
                self.unknown.push(path.display().to_string());
            }
        }
        Ok(found)
    }
}

/// The harness that a file is a log of, or the part of one that names it; or a folder that
/// is one log.
pub fn harness_of(path: &Path) -> Option<Harness> {
    let start = match path.is_dir() {
        true => Vec::new(),
        false => start_of(path).ok()?,
    };
    let start = &start;
    let found = Candidate { path, start };
    let mut formats = FORMATS.iter();
    let format = formats.find(|format| (format.recognise)(&found))?;
    Some(format.harness)
}

/// What a file seems to be that was said to be a log of this harness, where that is another.
pub fn instead(harness: Harness, path: &Path) -> String {
    match harness_of(path) {
        Some(found) if found == harness => String::new(),
        Some(found) => format!(
            "; it seems to be a log of {}: --as {}",
            found.title(),
            found.name()
        ),
        None => said(path),
    }
}

/// What a file seems to be, as it goes on behind what is wrong with it.
fn said(path: &Path) -> String {
    let Some(mut guess) = seems(path, Reads::JsonOrTable) else {
        return String::new();
    };
    // Who is told to import it has just tried to.
    if guess.advice.contains("judica import ") {
        guess.advice =
            "It breaks off before it says enough: it was cut short, or is still written."
                .to_owned();
    }
    guess.said()
}

/// What is said of a file that is no log.
fn no_log(path: &Path) -> String {
    let names = Harness::ALL.map(Harness::name).join(", ");
    let text = format!(
        "{}: not a log of a harness that is known ({names}); --as NAME says which it is, \
         --as table that it is a table of scores",
        path.display()
    );
    text + &said(path) + &pointer(path)
}

/// How a file begins. What cannot be unpacked is no log.
fn start_of(path: &Path) -> Result<Vec<u8>, WorkError> {
    match Source::open_unhashed(path) {
        Ok(mut source) => Ok(source.start(START)),
        Err(error) if error.is_environment() => Err(error.into()),
        Err(_) => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_in_text_only() {
        let words = br#"{"spec": {"completion_fns": ["m"]}}"#.to_vec();
        let zipped = [&b"PK\x03\x04\x14\0"[..], &words].concat();
        for (start, known) in [(words, true), (zipped, false)] {
            let found = Candidate {
                path: Path::new("log"),
                start: &start,
            };
            let recognised = FORMATS.iter().any(|format| (format.recognise)(&found));
            assert_eq!(recognised, known);
        }
    }
}
