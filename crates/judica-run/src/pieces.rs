//! Pieces of a run: `records/part-NNNNN.parquet`, and beside it what the piece was made of.
//!
//! A piece is there if its `.json` is, which gets its name last. Several processes can write
//! different pieces of one folder at the same time; one that is made again takes the place
//! of the first. [`crate::finish`] makes the run of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use judica_data::temporary::TemporaryFolder;
use judica_data::work_error::WorkError;
use judica_model::run::MetricSpec;
use judica_model::text::few;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::manifest::{Counts, InputEntry, name, read_plain};
use crate::reproduce::json_difference;
use crate::writer::{PieceEnd, RunSpec};

/// Version of a piece.
pub const SCHEMA_VERSION: &str = "judica.piece/1";
/// The folder of pieces in a run folder.
pub const FOLDER: &str = "records";
/// No run has more pieces: their names have five digits.
const MOST: u32 = 99_999;
/// Rows of inputs that every piece reads whole, and that could not be used.
pub const WHOLE_REJECTS: &str = "whole-rejects.jsonl";

/// Which of how many pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    number: u32,
    of: u32,
}

impl Part {
    /// A piece by its number from 1.
    pub fn new(number: u32, of: u32) -> Option<Part> {
        (1 <= number && number <= of && of <= MOST).then_some(Part { number, of })
    }

    /// Whether what has this hash belongs to the piece.
    pub fn holds(self, hash: u64) -> bool {
        hash % u64::from(self.of) == u64::from(self.number - 1)
    }

    /// Whether it is the piece that has what belongs to none.
    pub fn is_first(self) -> bool {
        self.number == 1
    }

    /// What a file of the run is called as a file of the piece.
    pub(crate) fn file(self, file: &str) -> String {
        file_of(self.number, file)
    }
}

fn file_of(number: u32, file: &str) -> String {
    let ending = match file {
        name::RECORDS => "parquet",
        name::MANIFEST => "json",
        other => other,
    };
    format!("part-{number:05}.{ending}")
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| {
            Part::new(number.trim().parse().ok()?, of.trim().parse().ok()?)
        });
        numbers.ok_or_else(|| {
            format!("expected a piece and how many there are, as 1/4 (at most {MOST})")
        })
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What a piece was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Version of the piece.
    pub schema_version: String,
    /// Which piece, from 1.
    pub part: u32,
    /// Of how many.
    pub parts: u32,
    /// The command.
    pub command: String,
    /// Version of the program.
    pub judica_version: String,
    /// When it was made.
    pub created_at: String,
    /// Every input with its hash, the same in all pieces.
    pub inputs: Vec<InputEntry>,
    /// The command's own options, the same in all pieces.
    pub options: Value,
    /// The metrics of the records.
    pub metrics: Vec<MetricSpec>,
    /// What else is needed to get the same records again.
    pub trace: Option<Value>,
    /// Files that the run keeps, by name.
    pub copied: BTreeMap<String, Copied>,
    /// What the command found in inputs that every piece reads whole.
    pub whole: Value,
    /// What the command found in its part of inputs that are cut, beyond records and rejects.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub cut: Value,
    /// What went into this piece of inputs that are cut, and what came of it.
    pub counts: Counts,
    /// How long the files of the piece are.
    pub files: BTreeMap<String, u64>,
}

impl Piece {
    /// A piece whose files are written.
    pub(crate) fn new(
        part: Part,
        spec: RunSpec,
        files: BTreeMap<String, u64>,
        records: u64,
        end: PieceEnd,
    ) -> Self {
        Piece {
            schema_version: SCHEMA_VERSION.to_owned(),
            part: part.number,
            parts: part.of,
            command: spec.command.to_owned(),
            judica_version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: spec.created_at,
            inputs: end.inputs,
            options: spec.options,
            metrics: spec.metrics,
            trace: end.trace,
            copied: end.copied,
            whole: end.whole,
            cut: end.cut,
            counts: Counts {
                records,
                ..end.counts
            },
            files,
        }
    }
}

/// A file that the run keeps as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// What it is.
    pub kind: String,
    /// What it holds.
    pub text: String,
}

/// All pieces of a run, which fit one another.
#[derive(Debug)]
pub struct Pieces {
    /// The run folder.
    pub folder: PathBuf,
    /// In their order; at least one.
    list: Vec<Piece>,
}

impl Pieces {
    /// Reads what the pieces in a run folder say of themselves, and whether they are the
    /// pieces of one run.
    pub fn read(folder: &Path) -> Result<Pieces, WorkError> {
        let names = names(folder);
        let mut list: Vec<Piece> = Vec::new();
        for file in names.iter().filter(|name| name.ends_with(".json")) {
            list.push(read(folder, file)?);
        }
        list.sort_by_key(|piece| piece.part);
        let pieces = Pieces {
            folder: folder.to_owned(),
            list,
        };
        let Some(first) = pieces.list.first() else {
            let why = match folder.join(name::MANIFEST).exists() {
                true => "holds no pieces; it is a finished run",
                false => "holds no pieces of a run; they are made with --part i/n",
            };
            let shown = folder.display();
            return Err(WorkError::BadArtifact(format!("{shown}: {why}")));
        };
        for piece in &pieces.list {
            pieces.fit(first, piece)?;
        }
        pieces.all_there(first)?;
        let listed = |file: &String| {
            let mut files = pieces.list.iter().flat_map(|piece| piece.files.keys());
            files.any(|name| name == file)
        };
        let strange = names
            .iter()
            .find(|name| name.ends_with(".parquet") && !listed(name));
        match strange {
            Some(file) => Err(pieces.wrong(
                file,
                "no piece of this run: nothing beside it says what it was made of, or its part \
                 was not made to the end",
            )),
            None => Ok(pieces),
        }
    }

    /// The pieces in their order.
    pub fn list(&self) -> &[Piece] {
        &self.list
    }

    /// What all pieces say alike.
    pub fn common(&self) -> &Piece {
        &self.list[0]
    }

    /// The inputs used as something, in their order.
    pub fn role(&self, role: &str) -> impl Iterator<Item = &InputEntry> {
        let inputs = self.common().inputs.iter();
        inputs.filter(move |input| input.role == role)
    }

    /// When the run was made: when its last piece was.
    pub fn created_at(&self) -> String {
        let times = self.list.iter().map(|piece| &piece.created_at);
        times.max().cloned().unwrap_or_default()
    }

    /// What went in and what came of it: pieces add up.
    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        for Piece { counts, .. } in &self.list {
            all.inputs += counts.inputs;
            all.used += counts.used;
            all.rejects += counts.rejects;
            all.records += counts.records;
            for (reason, count) in &counts.rejects_by_reason {
                *all.rejects_by_reason.entry(reason.clone()).or_default() += count;
            }
        }
        all
    }

    /// What the command found in inputs that every piece reads whole, in its own type.
    pub fn whole<T: serde::de::DeserializeOwned>(&self) -> Result<T, WorkError> {
        serde_json::from_value(self.common().whole.clone())
            .map_err(|error| self.wrong(&file_of(1, name::MANIFEST), &format!("whole: {error}")))
    }

    /// What the command found in each part of inputs that are cut, in its own type.
    pub fn cut<T: serde::de::DeserializeOwned>(&self) -> Result<Vec<T>, WorkError> {
        let read = |piece: &Piece| {
            serde_json::from_value(piece.cut.clone()).map_err(|error| {
                let file = file_of(piece.part, name::MANIFEST);
                self.wrong(&file, &format!("cut: {error}"))
            })
        };
        self.list.iter().map(read).collect()
    }

    /// The options in the command's own type.
    pub fn options<T: serde::de::DeserializeOwned>(&self) -> Result<T, WorkError> {
        serde_json::from_value(self.common().options.clone())
            .map_err(|error| self.wrong(&file_of(1, name::MANIFEST), &format!("options: {error}")))
    }

    /// A file that the run keeps.
    pub fn copied(&self, name: &str) -> Result<&str, WorkError> {
        let found = self.common().copied.get(name);
        found
            .map(|copied| &*copied.text)
            .ok_or_else(|| self.wrong(&file_of(1, self::name::MANIFEST), &format!("has no {name}")))
    }

    /// A file of a piece, if it has it.
    pub fn file(&self, piece: &Piece, file: &str) -> Option<PathBuf> {
        let name = file_of(piece.part, file);
        let there = piece.files.contains_key(&name);
        there.then(|| self.folder.join(FOLDER).join(name))
    }

    /// Removes them, once the run is made; a folder that holds something else stays.
    pub fn remove(&self) {
        let folder = self.folder.join(FOLDER);
        let ours: usize = self.list.iter().map(|piece| piece.files.len() + 1).sum();
        let all = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        // With one rename, so that a process that is killed here leaves all of them or none.
        if all == ours
            && let Ok(away) = TemporaryFolder::create_in(&self.folder)
            && std::fs::rename(&folder, away.path().join(FOLDER)).is_ok()
        {
            return;
        }
        for piece in &self.list {
            // What says that it is a piece goes last, so that what is left is told from
            // what nobody knows.
            for name in piece.files.keys() {
                let _ = std::fs::remove_file(folder.join(name));
            }
            let _ = std::fs::remove_file(folder.join(file_of(piece.part, name::MANIFEST)));
        }
        let _ = std::fs::remove_dir(folder);
    }

    pub(crate) fn wrong(&self, file: &str, what: &str) -> WorkError {
        let path = self.folder.join(FOLDER).join(file);
        WorkError::BadArtifact(format!("{}: {what}", path.display()))
    }

    fn fit(&self, first: &Piece, piece: &Piece) -> Result<(), WorkError> {
        let file = file_of(piece.part, name::MANIFEST);
        let time = &piece.created_at;
        if chrono::DateTime::parse_from_rfc3339(time).is_err() {
            return Err(self.wrong(&file, &format!("created_at: {time} is no date and time")));
        }
        for (name, bytes) in &piece.files {
            let path = self.folder.join(FOLDER).join(name);
            let found = std::fs::metadata(path).ok().filter(|found| found.is_file());
            match found {
                None => return Err(self.wrong(name, "listed by its piece, but not there")),
                Some(found) if found.len() != *bytes => {
                    return Err(self.wrong(
                        name,
                        &format!(
                            "{} bytes long, but {bytes} were written; the piece is damaged",
                            found.len()
                        ),
                    ));
                }
                Some(_) => {}
            }
        }
        for (one, other) in first.inputs.iter().zip(&piece.inputs) {
            if one.path == other.path && one.sha256 != other.sha256 {
                return Err(WorkError::BadArtifact(format!(
                    "{}: changed between part {} and part {} (its SHA-256 differs); make the \
                     parts again",
                    one.path, first.part, piece.part
                )));
            }
        }
        let common = |piece: &Piece| {
            serde_json::to_value(Piece {
                part: 0,
                created_at: String::new(),
                cut: Value::Null,
                counts: Counts::default(),
                files: BTreeMap::new(),
                ..piece.clone()
            })
            .unwrap_or_default()
        };
        let sides = [first, piece].map(|piece| format!("in part {}", piece.part));
        let sides = [&*sides[0], &*sides[1]];
        match json_difference(&common(first), &common(piece), String::new(), sides) {
            None => Ok(()),
            Some(at) => Err(self.wrong(
                &file,
                &format!("a piece of another run than part {}: {at}", first.part),
            )),
        }
    }

    fn all_there(&self, first: &Piece) -> Result<(), WorkError> {
        if let Some(two) = self.list.windows(2).find(|two| two[0].part == two[1].part) {
            let file = file_of(two[0].part, name::MANIFEST);
            return Err(self.wrong(&file, "the same part stands twice in the folder"));
        }
        let there = |number: &u32| self.list.iter().any(|piece| piece.part == *number);
        let missing: Vec<u32> = (1..=first.parts).filter(|n| !there(n)).collect();
        let Some(one) = missing.first() else {
            return Ok(());
        };
        const NAMED: usize = 10;
        Err(WorkError::BadArtifact(format!(
            "{}: of {} parts, not made yet: {}; `judica {} --part {one}/{} …` makes one",
            self.folder.display(),
            first.parts,
            few(missing.iter().take(NAMED), ", ", missing.len()),
            first.command,
            first.parts
        )))
    }
}

/// Inputs of a run in pieces must be told apart by their names: what stands where is put in
/// order by them.
pub fn all_different<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), WorkError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(WorkError::BadInput(format!(
                "{name}: read more than once, as two files or for several columns, which a run in \
                 parts cannot tell apart"
            )));
        }
    }
    Ok(())
}

/// How many pieces stand in a run folder.
pub fn count(folder: &Path) -> usize {
    let names = names(folder);
    names.iter().filter(|name| name.ends_with(".json")).count()
}

/// The files in the folder of pieces, in order; what is hidden is still being written.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join(FOLDER)).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

fn read(folder: &Path, file: &str) -> Result<Piece, WorkError> {
    let path = folder.join(FOLDER).join(file);
    let wrong = |what: String| WorkError::BadArtifact(format!("{}: {what}", path.display()));
    let text = read_plain(&path)?;
    let value: Value = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    let version = value.get("schema_version").and_then(Value::as_str);
    if version != Some(SCHEMA_VERSION) {
        return Err(wrong(format!(
            "not a piece of a run: its schema_version is not {SCHEMA_VERSION}"
        )));
    }
    let piece: Piece = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    if piece.judica_version != env!("CARGO_PKG_VERSION") {
        return Err(wrong(format!(
            "made by judica {}, and this is {}: a run is made by one version",
            piece.judica_version,
            env!("CARGO_PKG_VERSION")
        )));
    }
    let records = file_of(piece.part, name::RECORDS);
    let own =
        |name: &String| name.starts_with(&file_of(piece.part, "")) && !name.contains(['/', '\\']);
    match Part::new(piece.part, piece.parts) {
        Some(part) if part.file(name::MANIFEST) != file => Err(wrong(format!(
            "is part {} of {}, under the name of another",
            piece.part, piece.parts
        ))),
        Some(_) if piece.files.keys().all(own) && piece.files.contains_key(&records) => Ok(piece),
        _ => Err(wrong("not a piece of a run".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn parts_are_counted_from_one() {
        let part = |text: &str| text.parse::<Part>().ok().map(|part| part.to_string());
        assert_eq!(part("1/1").as_deref(), Some("1/1"));
        assert_eq!(part(" 3 / 7 ").as_deref(), Some("3/7"));
        for odd in [
            "", "1", "0/2", "3/2", "1/0", "1/100000", "-1/2", "1/2/3", "a/b",
        ] {
            assert_eq!(part(odd), None, "{odd}");
        }
    }

    #[test]
    fn every_hash_belongs_to_one_part() {
        for hash in [0, 1, 6, 7, u64::MAX] {
            let holds = |n: &u32| Part::new(*n, 7).is_some_and(|part| part.holds(hash));
            assert_eq!((1..=7).filter(holds).count(), 1);
        }
    }
}
