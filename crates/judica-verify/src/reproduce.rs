//! `judica reproduce`: run again what a manifest records, and compare byte for byte.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use judica_data::atomic::write_atomic;
use judica_data::json::json_bytes;
use judica_data::source::Source;
use judica_data::temporary::TemporaryFolder;
use serde::Serialize;

use crate::agent::RulesAs;
use crate::error::EvalError;
use crate::eval::{EvalRequest, Hooks, InputFile, evaluate_as, sha256_hex};
use crate::manifest::{
    InputEntry, MANIFEST, Manifest, RECORDS_JSONL, RECORDS_PARQUET, REJECTS, REVIEWS, Role,
};
use crate::stored::folder::RunFolder;

/// What came of running again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reproduction {
    /// Every file is the same, byte for byte.
    pub identical: bool,
    /// Files compared.
    pub compared: Vec<String>,
    /// The first difference, in words.
    pub first_difference: Option<String>,
    /// Versions that differ between then and now.
    pub notes: Vec<String>,
}

/// Runs a run folder's manifest again, in a temporary folder beside it.
pub fn reproduce(
    folder: &Path,
    input_folder: Option<&Path>,
    threads: usize,
    hooks: &Hooks,
) -> Result<Reproduction, EvalError> {
    let run = RunFolder::open(folder)?;
    let manifest = &run.manifest;
    let mut notes = Vec::new();
    if manifest.judica_version != env!("CARGO_PKG_VERSION") {
        notes.push(format!(
            "made by judica {}, now {}",
            manifest.judica_version,
            env!("CARGO_PKG_VERSION")
        ));
    }
    let inputs = |role: Role| -> Result<Vec<InputFile>, EvalError> {
        let of_role = manifest.inputs.iter().filter(|input| input.role == role);
        of_role
            .map(|input| locate(input, folder, input_folder))
            .collect()
    };
    let (samples, outputs, confidence) = (
        inputs(Role::Samples)?,
        inputs(Role::Outputs)?,
        inputs(Role::Confidence)?,
    );
    let beside = folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let temporary = TemporaryFolder::create_in(beside)
        .or_else(|_| TemporaryFolder::create_in(&std::env::temp_dir()))
        .map_err(EvalError::Temporary)?;
    let request = EvalRequest {
        protocol: run.protocol.clone(),
        protocol_given: manifest.protocol.given_as.clone(),
        samples,
        outputs,
        confidence: confidence.into_iter().next(),
        out: temporary.path().to_owned(),
        options: manifest.options.clone(),
        threads,
        created_at: manifest.created_at.clone(),
    };
    let made_by = &manifest.trace.reproducibility_info;
    let agent = RulesAs::of(made_by).ok_or_else(|| {
        EvalError::BadArtifact(format!(
            "{}: made by the agent `{}`, which this program does not have",
            folder.join(MANIFEST).display(),
            made_by.agent
        ))
    })?;
    let mut again = evaluate_as(&request, &agent, hooks)?.manifest;
    let reviews_changed = carry_reviews_over(&run, &mut again, temporary.path(), &mut notes)?;
    let mut compared: Vec<String> = manifest.files.clone();
    compared.extend(
        again
            .files
            .iter()
            .filter(|file| !manifest.files.contains(file))
            .cloned(),
    );
    compared.retain(|file| file != REVIEWS);
    compared.push(MANIFEST.to_owned());
    // The copy of the protocol is what was run, so it can only be held against its hash.
    let mut first_difference =
        (sha256_hex(run.protocol.source.as_bytes()) != manifest.protocol.sha256).then(|| {
            format!(
                "{}: its text has changed since the run",
                manifest.protocol.file
            )
        });
    for name in &compared {
        if first_difference.is_some() {
            break;
        }
        first_difference = difference(&run, temporary.path(), name)?;
    }
    let first_difference = first_difference.or(reviews_changed);
    Ok(Reproduction {
        identical: first_difference.is_none(),
        compared,
        first_difference,
        notes,
    })
}

/// Takes over what the manifest says of reviews: they are a model's words, nobody is asked
/// again, and no other file depends on them. Says so if their file is not as it was written.
fn carry_reviews_over(
    run: &RunFolder,
    again: &mut Manifest,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Result<Option<String>, EvalError> {
    let Some(reviews) = &run.manifest.reviews else {
        return Ok(None);
    };
    again.reviews = Some(reviews.clone());
    again.files.push(REVIEWS.to_owned());
    let length = run.manifest.file_bytes.get(REVIEWS);
    again
        .file_bytes
        .extend(length.map(|length| (REVIEWS.to_owned(), *length)));
    write_atomic(&folder.join(MANIFEST), &json_bytes(again))?;
    notes.push(format!(
        "{REVIEWS} holds the words of a model, which was not asked again; the rest is the rules' own"
    ));
    let path = run.path.join(REVIEWS);
    let changed = !path.is_file() || Source::open(&path)?.finish()?.sha256 != reviews.sha256;
    Ok(changed.then(|| format!("{REVIEWS}: not as it was written (SHA-256 differs)")))
}

/// Finds an input whose bytes have the recorded hash: where it was, beside the run
/// folder, or in the folder the user names.
fn locate(
    input: &InputEntry,
    folder: &Path,
    input_folder: Option<&Path>,
) -> Result<InputFile, EvalError> {
    if input.path == "-" {
        let message = "an input was read from standard input, which cannot be read again";
        return Err(EvalError::BadArtifact(format!(
            "{}: {message}",
            folder.join(MANIFEST).display()
        )));
    }
    let recorded = PathBuf::from(&input.path);
    let mut candidates = vec![recorded.clone(), folder.join(&recorded)];
    let folders = [input_folder, Some(folder), folder.parent()];
    for folder in folders.into_iter().flatten() {
        candidates.extend(ends(&recorded).map(|end| folder.join(end)));
    }
    let mut changed = None;
    for path in candidates {
        if !path.is_file() {
            continue;
        }
        if Source::open(&path)?.finish()?.sha256 == input.sha256 {
            return Ok(InputFile {
                path,
                name: input.path.clone(),
                task: input.task.clone(),
                model: input.model.clone(),
            });
        }
        changed.get_or_insert(path);
    }
    Err(EvalError::BadArtifact(match changed {
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

/// The ends of a path, the longest first: inputs that stood in folders may have moved with
/// them.
fn ends(path: &Path) -> impl Iterator<Item = PathBuf> {
    let names: Vec<_> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .map(|part| part.as_os_str().to_owned())
        .collect();
    (0..names.len()).map(move |from| names[from..].iter().collect())
}

/// The first difference between a file of the run and its new twin, in words.
fn difference(run: &RunFolder, again: &Path, name: &str) -> Result<Option<String>, EvalError> {
    let (old, new) = (run.path.join(name), again.join(name));
    match (old.is_file(), new.is_file()) {
        (true, true) => {}
        (true, false) => return Ok(Some(format!("{name}: written then, not now"))),
        (false, true) => {
            return Ok(Some(format!(
                "{name}: written now, but not in the run folder"
            )));
        }
        (false, false) => {
            return Ok(Some(format!(
                "{name}: listed in the manifest, but not in the run folder"
            )));
        }
    }
    let Some(offset) = first_differing_byte(&old, &new)? else {
        return Ok(None);
    };
    let detail = match name {
        RECORDS_JSONL | REJECTS => differing_line(&old, &new)?,
        RECORDS_PARQUET => differing_record(run, &old, &new)?,
        _ => differing_pointer(&old, &new)?,
    };
    Ok(Some(match detail {
        Some(detail) => format!("{name}: {detail}"),
        None => format!("{name}: byte {offset}"),
    }))
}

fn open(path: &Path) -> Result<BufReader<File>, EvalError> {
    let file = File::open(path)
        .map_err(|error| EvalError::BadArtifact(format!("{}: {error}", path.display())))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

fn first_differing_byte(old: &Path, new: &Path) -> Result<Option<u64>, EvalError> {
    let (mut old, mut new) = (open(old)?, open(new)?);
    let mut offset = 0;
    loop {
        let a = old.fill_buf().map_err(EvalError::Temporary)?;
        let b = new.fill_buf().map_err(EvalError::Temporary)?;
        let common = a.len().min(b.len());
        if let Some(position) = (0..common).find(|position| a[*position] != b[*position]) {
            return Ok(Some(offset + position as u64));
        }
        if common == 0 {
            return Ok((a.len() != b.len()).then_some(offset));
        }
        offset += common as u64;
        old.consume(common);
        new.consume(common);
    }
}

fn differing_line(old: &Path, new: &Path) -> Result<Option<String>, EvalError> {
    let lines = |path| -> Result<_, EvalError> { Ok(open(path)?.split(b'\n')) };
    let (mut old, mut new) = (lines(old)?, lines(new)?);
    let mut number = 0;
    loop {
        number += 1;
        let (a, b) = (old.next().transpose(), new.next().transpose());
        match (
            a.map_err(EvalError::Temporary)?,
            b.map_err(EvalError::Temporary)?,
        ) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                let parse = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).ok();
                let pointer = parse(&a)
                    .zip(parse(&b))
                    .and_then(|(a, b)| json_difference(&a, &b, String::new()));
                return Ok(Some(format!(
                    "line {number}{}",
                    pointer.map(|at| format!(", {at}")).unwrap_or_default()
                )));
            }
            (None, None) => return Ok(None),
            (Some(_), None) => return Ok(Some(format!("line {number} and after: then, not now"))),
            (None, Some(_)) => return Ok(Some(format!("line {number} and after: now, not then"))),
        }
    }
}

/// The first record of the two tables that is not the same.
fn differing_record(run: &RunFolder, old: &Path, new: &Path) -> Result<Option<String>, EvalError> {
    let rendered = |path: &Path| -> Result<Vec<(String, Vec<u8>)>, EvalError> {
        let agent = crate::agent::RuleBasedAgent;
        let renderer =
            crate::render::Renderer::new(&run.protocol, &run.checks, &agent, run.trace());
        let mut records = Vec::new();
        let mut reader = crate::stored::sheet::SheetReader::open(path, &run.protocol, &run.checks)?;
        reader.for_each(&mut |record| {
            let mut line = Vec::new();
            renderer.write(&record.view(), &mut line);
            // A hash of each record is enough to compare, and keeps this small.
            let digest = <sha2::Sha256 as sha2::Digest>::digest(&line).to_vec();
            records.push((
                format!("sample {} of model {}", record.sample_id, record.model_name),
                digest,
            ));
            Ok::<(), EvalError>(())
        })?;
        Ok(records)
    };
    let (Ok(old), Ok(new)) = (rendered(old), rendered(new)) else {
        return Ok(Some(
            "the table in the run folder cannot be read".to_owned(),
        ));
    };
    let differing = old.iter().zip(&new).position(|(a, b)| a != b);
    Ok(match differing {
        Some(position) => Some(format!("record {} ({})", position + 1, old[position].0)),
        None if old.len() != new.len() => {
            Some(format!("{} records then, {} now", old.len(), new.len()))
        }
        None => Some("same records, stored differently".to_owned()),
    })
}

fn differing_pointer(old: &Path, new: &Path) -> Result<Option<String>, EvalError> {
    let parse = |path: &Path| -> Result<Option<serde_json::Value>, EvalError> {
        let mut text = Vec::new();
        open(path)?
            .read_to_end(&mut text)
            .map_err(EvalError::Temporary)?;
        Ok(serde_json::from_slice(&text).ok())
    };
    Ok(parse(old)?
        .zip(parse(new)?)
        .and_then(|(old, new)| json_difference(&old, &new, String::new())))
}

/// The first difference of two JSON values, as a JSON pointer and both values.
fn json_difference(old: &serde_json::Value, new: &serde_json::Value, at: String) -> Option<String> {
    use serde_json::Value;
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let found = keys.map(|key| {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                let missing = &Value::Null;
                json_difference(
                    a.get(key).unwrap_or(missing),
                    b.get(key).unwrap_or(missing),
                    format!("{at}/{escaped}"),
                )
            });
            found.flatten().next()
        }
        (Value::Array(a), Value::Array(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            let found = pairs.map(|(index, (a, b))| json_difference(a, b, format!("{at}/{index}")));
            let length = || {
                (a.len() != b.len())
                    .then(|| format!("{at}: {} entries then, {} now", a.len(), b.len()))
            };
            found.flatten().next().or_else(length)
        }
        (a, b) if a == b => None,
        (a, b) => Some(format!("{at}: {a} then, {b} now")),
    }
}
