//! A run made again from its manifest, and held against itself byte by byte.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::memory::IN_MEMORY;
use judica_data::source::Source;
use judica_data::temporary::TemporaryFolder;
use judica_data::work_error::WorkError;
use serde::Serialize;
use serde_json::Value;

use crate::export::{each, json_line};
use crate::family::{Family, Input, Rerun};
use crate::manifest::{InputEntry, Manifest, name, read_plain};
use crate::open::Run;
use crate::text::candidates;

/// What the two runs are called where they differ.
const SIDES: [&str; 2] = ["then", "now"];

/// What came of making a run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reproduction {
    /// Every file that can be made again is the same, byte for byte.
    pub identical: bool,
    /// Files compared.
    pub compared: Vec<String>,
    /// The first difference, in words.
    pub first_difference: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Makes a run again in a temporary folder beside it, and compares.
pub fn reproduce(
    families: &[&Family],
    folder: &Path,
    input_folder: Option<&Path>,
    allow_commands: bool,
    threads: usize,
    interrupted: &AtomicBool,
) -> Result<Reproduction, WorkError> {
    let run = Run::open(folder)?;
    let manifest = &run.manifest;
    let Some(family) = families
        .iter()
        .find(|family| family.command == manifest.command)
    else {
        return Err(WorkError::BadArtifact(format!(
            "{}: made by the command `{}`, which this program does not have",
            folder.join(name::MANIFEST).display(),
            manifest.command
        )));
    };
    let mut notes = Vec::new();
    if manifest.judica_version != env!("CARGO_PKG_VERSION") {
        notes.push(format!(
            "made by judica {}, now {}",
            manifest.judica_version,
            env!("CARGO_PKG_VERSION")
        ));
    }
    let inputs: Vec<Input> = manifest
        .inputs
        .iter()
        .map(|input| locate(input, folder, input_folder))
        .collect::<Result<_, _>>()?;
    let beside = folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let temporary = TemporaryFolder::create_in(beside)
        .or_else(|_| TemporaryFolder::create_in(&std::env::temp_dir()))
        .map_err(|error| WorkError::BadArtifact(format!("temporary folder: {error}")))?;
    (family.rerun)(&Rerun {
        manifest,
        run: &run,
        inputs: &inputs,
        folder: temporary.path(),
        allow_commands,
        threads,
        interrupted,
    })?;
    let again = Manifest::read(temporary.path())?;
    let mut compared: Vec<String> = Vec::new();
    let mut rows_alone = false;
    let names: BTreeSet<&String> = manifest.files.keys().chain(again.files.keys()).collect();
    for name in names {
        let entries = [manifest.files.get(name), again.files.get(name)];
        let once = entries.iter().flatten().find(|entry| !entry.reproducible);
        match (once, entries) {
            (None, _) => compared.push(name.clone()),
            // Only the run that is held against this one was put together from pieces.
            (Some(_), [Some(_), Some(now)]) if now.reproducible => {
                if !as_they_stood(manifest, name) {
                    compared.push(name.clone());
                    continue;
                }
                let rows = name == name::RECORDS;
                rows_alone |= rows;
                notes.push(format!(
                    "{name} was put together from pieces as they stood: its {} compared",
                    if rows {
                        "rows, not its bytes, are"
                    } else {
                        "bytes are not"
                    },
                ));
            }
            (Some(entry), _) => notes.push(format!("{name} is not made again: {}", entry.kind)),
        }
    }
    let mut first_difference = None;
    for name in &compared {
        first_difference = difference(&run.path, temporary.path(), name)?;
        if first_difference.is_some() {
            break;
        }
    }
    let first_difference = first_difference
        .or_else(|| {
            let [then, now] =
                [run.path.as_path(), temporary.path()].map(|of| of.join(name::RECORDS));
            let at = rows_alone.then(|| differing_rows(&then, &now)).flatten()?;
            Some(format!("{}: {at}", name::RECORDS))
        })
        .map_or_else(
            || manifest_difference(&run, temporary.path(), &compared),
            |at| Ok(Some(at)),
        )?;
    compared.push(name::MANIFEST.to_owned());
    Ok(Reproduction {
        identical: first_difference.is_none(),
        compared,
        first_difference,
        notes,
    })
}

/// Whether a table of a run may be of pieces that were put together as they stood, as all of its
/// tables then are.
fn as_they_stood(manifest: &Manifest, table: &str) -> bool {
    let is_table = |name: &str| name.ends_with(".parquet");
    let mut tables = manifest.files.iter().filter(|(name, _)| is_table(name));
    is_table(table) && tables.all(|(_, entry)| !entry.reproducible)
}

/// The manifests, as they are written, may differ in files that are not made again, and in
/// nothing else. The clock is not asked again, so that what it said can only be such a thing.
fn manifest_difference(
    run: &Run,
    again: &Path,
    compared: &[String],
) -> Result<Option<String>, WorkError> {
    let plain = |folder: &Path| -> Result<Value, WorkError> {
        let text = read_plain(&folder.join(name::MANIFEST))?;
        let mut manifest: Value = serde_json::from_slice(&text)
            .map_err(|error| WorkError::BadArtifact(format!("{}: {error}", name::MANIFEST)))?;
        if let Some(Value::Object(files)) = manifest.get_mut("files") {
            files.retain(|name, _| compared.contains(name));
        }
        Ok(manifest)
    };
    let at = json_difference(&plain(&run.path)?, &plain(again)?, String::new(), SIDES);
    let at = at.or_else(|| wrong_time(&run.manifest));
    Ok(at.map(|at| format!("{}: {at}", name::MANIFEST)))
}

/// What cannot be when a run was made.
fn wrong_time(manifest: &Manifest) -> Option<String> {
    let time = &manifest.created_at;
    let given = manifest.options.get("timestamp").and_then(Value::as_str);
    match given {
        Some(given) if given != time => Some(format!(
            "/created_at: {time}, but /options/timestamp is {given}"
        )),
        _ if chrono::DateTime::parse_from_rfc3339(time).is_err() => {
            Some(format!("/created_at: {time} is no date and time"))
        }
        _ => None,
    }
}

/// Finds an input whose bytes have the recorded hash. What came from standard input may
/// stand in the named folder under any name.
fn locate(input: &InputEntry, run: &Path, input_folder: Option<&Path>) -> Result<Input, WorkError> {
    let found = |path: PathBuf| Input {
        role: input.role.clone(),
        path,
        name: input.path.clone(),
    };
    let has_hash = |path: &Path| -> Result<bool, WorkError> {
        let length = std::fs::metadata(path).map_or(0, |found| found.len());
        Ok(length == input.bytes && Source::open(path)?.finish()?.sha256 == input.sha256)
    };
    // The first file with these bytes in a folder, whatever it is called.
    let held_by = |folder: &Path| -> Result<Option<Input>, WorkError> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file())
            .collect();
        files.sort();
        for path in files {
            if has_hash(&path)? {
                return Ok(Some(found(path)));
            }
        }
        Ok(None)
    };
    if input.path == judica_data::source::STDIN {
        if let Some(there) = input_folder.map(&held_by).transpose()?.flatten() {
            return Ok(there);
        }
        return Err(WorkError::BadArtifact(format!(
            "{}: an input was read from standard input, which cannot be read again; --inputs \
             DIR names a folder that holds it (SHA-256 {})",
            run.join(name::MANIFEST).display(),
            input.sha256
        )));
    }
    if input
        .read_as
        .as_ref()
        .is_some_and(|how| how.contains(IN_MEMORY))
    {
        return Err(WorkError::BadArtifact(format!(
            "{}: the input `{}` was a table in the memory of another program, which cannot be \
             read again",
            run.join(name::MANIFEST).display(),
            input.path
        )));
    }
    let mut changed = None;
    for path in candidates(&input.path, run, input_folder) {
        if !path.is_file() {
            continue;
        }
        if has_hash(&path)? {
            return Ok(found(path));
        }
        changed.get_or_insert(path);
    }
    // A manifest is text and cannot keep a name that is none.
    if input.path.contains(char::REPLACEMENT_CHARACTER) {
        for path in candidates(&input.path, run, input_folder) {
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            if let Some(there) = held_by(folder)? {
                return Ok(there);
            }
        }
    }
    Err(WorkError::BadArtifact(match changed {
        Some(path) => format!(
            "{}: its content has changed since the run (SHA-256 differs)",
            path.display()
        ),
        None => format!(
            "{}: input not found; --inputs DIR names a folder to look in",
            input.path
        ),
    }))
}

/// The first difference between a file of the run and its new twin, in words.
fn difference(old: &Path, new: &Path, name: &str) -> Result<Option<String>, WorkError> {
    let (old, new) = (old.join(name), new.join(name));
    match (old.is_file(), new.is_file()) {
        (true, true) => {}
        (true, false) => return Ok(Some(format!("{name}: written then, not now"))),
        (false, _) => return Ok(Some(format!("{name}: written now, not then"))),
    }
    let Some(offset) = first_differing_byte(&old, &new)? else {
        return Ok(None);
    };
    let detail = match name.rsplit('.').next() {
        Some("jsonl") => differing_line(&old, &new)?,
        Some("parquet") if name == name::RECORDS => Some(
            differing_rows(&old, &new).unwrap_or("same records, stored differently".to_owned()),
        ),
        Some("json") => {
            let parse = |path: &Path| {
                let text = std::fs::read(path).ok()?;
                serde_json::from_slice::<Value>(&text).ok()
            };
            let both = parse(&old).zip(parse(&new));
            both.and_then(|(old, new)| json_difference(&old, &new, String::new(), SIDES))
        }
        _ => None,
    };
    Ok(Some(match detail {
        Some(detail) => format!("{name}: {detail}"),
        None => format!("{name}: byte {offset}"),
    }))
}

fn open(path: &Path) -> Result<BufReader<File>, WorkError> {
    let file = File::open(path)
        .map_err(|error| WorkError::BadArtifact(format!("{}: {error}", path.display())))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

fn reading(error: std::io::Error) -> WorkError {
    WorkError::BadArtifact(format!("a file of the run: {error}"))
}

pub(crate) fn first_differing_byte(old: &Path, new: &Path) -> Result<Option<u64>, WorkError> {
    let (mut old, mut new) = (open(old)?, open(new)?);
    let mut offset = 0;
    loop {
        let a = old.fill_buf().map_err(reading)?;
        let b = new.fill_buf().map_err(reading)?;
        let common = a.len().min(b.len());
        if a[..common] != b[..common] {
            let at = (0..common).find(|at| a[*at] != b[*at]).unwrap_or(0);
            return Ok(Some(offset + at as u64));
        }
        if common == 0 {
            return Ok((a.len() != b.len()).then_some(offset));
        }
        offset += common as u64;
        old.consume(common);
        new.consume(common);
    }
}

fn differing_line(old: &Path, new: &Path) -> Result<Option<String>, WorkError> {
    let (mut old, mut new) = (open(old)?.split(b'\n'), open(new)?.split(b'\n'));
    let mut number = 0;
    loop {
        number += 1;
        let (a, b) = (old.next().transpose(), new.next().transpose());
        match (a.map_err(reading)?, b.map_err(reading)?) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
                let pointer = parse(&a)
                    .zip(parse(&b))
                    .and_then(|(a, b)| json_difference(&a, &b, String::new(), SIDES));
                let pointer = pointer.map(|at| format!(", {at}")).unwrap_or_default();
                return Ok(Some(format!("line {number}{pointer}")));
            }
            (None, None) => return Ok(None),
            (Some(_), None) => return Ok(Some(format!("line {number} and after: then, not now"))),
            (None, Some(_)) => return Ok(Some(format!("line {number} and after: now, not then"))),
        }
    }
}

/// The first record of two tables of records that is not the same.
fn differing_rows(old: &Path, new: &Path) -> Option<String> {
    let lines = |path: &Path| -> Option<Vec<(String, u64)>> {
        let folder = path.parent()?;
        let run = Run {
            path: folder.to_owned(),
            manifest: Manifest::read(folder).ok()?,
        };
        let mut lines = Vec::new();
        each(&run, &mut |record, own| {
            let mut line = Vec::new();
            json_line(record, own, &mut line);
            // A fingerprint of each is enough to compare, and keeps this small.
            let print = judica_data::fingerprint::fingerprint(&line);
            lines.push((format!("item {} of {}", record.item, record.subject), print));
            Ok(())
        })
        .ok()?;
        Some(lines)
    };
    let (Some(old), Some(new)) = (lines(old), lines(new)) else {
        return Some("the table in the run folder cannot be read".to_owned());
    };
    let differing = old.iter().zip(&new).position(|(a, b)| a != b);
    match differing {
        Some(position) => Some(format!("record {} ({})", position + 1, old[position].0)),
        None if old.len() != new.len() => {
            Some(format!("{} records then, {} now", old.len(), new.len()))
        }
        None => None,
    }
}

/// The first difference of two JSON values, as a JSON pointer and both values.
pub(crate) fn json_difference(
    old: &Value,
    new: &Value,
    at: String,
    sides: [&str; 2],
) -> Option<String> {
    let [then, now] = sides;
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let mut found = keys.map(|key| {
                let at = format!("{at}/{}", judica_data::json::pointer_key(key));
                let shown = |value: Option<&Value>| {
                    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
                };
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => json_difference(a, b, at, sides),
                    (a, b) => Some(format!("{at}: {} {then}, {} {now}", shown(a), shown(b))),
                }
            });
            found.find_map(|found| found)
        }
        (Value::Array(a), Value::Array(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            let mut found =
                pairs.map(|(index, (a, b))| json_difference(a, b, format!("{at}/{index}"), sides));
            let length = || {
                (a.len() != b.len())
                    .then(|| format!("{at}: {} entries {then}, {} {now}", a.len(), b.len()))
            };
            found.find_map(|found| found).or_else(length)
        }
        (a, b) if a == b => None,
        (a, b) => Some(format!("{at}: {a} {then}, {b} {now}")),
    }
}
