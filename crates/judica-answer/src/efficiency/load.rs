//! Files of predictions and judged documents as facts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use judica_data::parallel::parallel_map;
use judica_data::rejects::Reject;
use judica_data::work_error::WorkError;
use serde_json::Value;

use super::document::{Document, Source, own_stem};
use super::facts::{RunFacts, Tally, Tokens};
use super::judged::{self, Judge};
use super::judgment::Judgment;
use super::report::RunFile;
use super::runs;
use crate::normalize::Choice;
use crate::predictions::document::{member, text};
use crate::predictions::{self, Columns, PredictionFile, PredictionRow, Predictions};
use judica_text::normalize::{Matched, Normalizer};

/// What is compared.
pub struct Inputs<'a> {
    /// Files of predictions, or folders of them; one file is one run.
    pub predictions: Vec<PathBuf>,
    /// Where fields stand in them.
    pub columns: Columns,
    /// Runs that other commands left.
    pub runs: Vec<PathBuf>,
    /// A folder of judged documents, `<judge>/<dataset>.json`. A document may stand among
    /// the predictions instead: it holds all they hold.
    pub judged: Option<PathBuf>,
    /// The judge whose verdicts are taken; needed where there are several.
    pub judge: Option<String>,
    /// What is equal to the gold where a row does not say so itself.
    pub choice: &'a Choice,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
    /// How many files are read at once.
    pub threads: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The files of predictions.
    pub files: Vec<RunFile>,
    /// One for each file of predictions.
    pub facts: Vec<RunFacts>,
    /// Whose verdicts were taken, if any.
    pub judge: Option<String>,
    /// How many rows the files of predictions have, usable or not.
    pub inputs: u64,
    /// The rows that cannot be used.
    pub rejects: Vec<Reject>,
    /// What a reader of the report should know.
    pub notes: Vec<String>,
}

/// Reads all files.
pub fn load(inputs: &Inputs) -> Result<Loaded, WorkError> {
    let files = predictions::list_with(
        &inputs.predictions,
        inputs.columns.clone(),
        &BTreeMap::new(),
    )?;
    let judge = match &inputs.judged {
        Some(folder) => {
            let wanted = inputs.judge.as_deref();
            Some(judged::find(
                folder,
                wanted,
                &inputs.columns,
                inputs.threads,
            )?)
        }
        None => None,
    };
    let read = parallel_map(&files, inputs.threads, |file| {
        one(file, judge.as_ref(), inputs.choice)
    });
    let mut loaded = Loaded {
        judge: judge.as_ref().map(|judge| judge.name.clone()),
        ..Loaded::default()
    };
    let mut own_judges: Vec<String> = Vec::new();
    // Which documents were taken, and for which file.
    let mut taken: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    let read: Vec<Vec<Run>> = read.into_iter().collect::<Result<_, _>>()?;
    predictions::check_columns(&files)?;
    loaded.notes.extend(predictions::unread_notes(&files));
    none_twice(&read)?;
    let runs = read.into_iter().enumerate();
    for (at, run) in runs.flat_map(|(at, runs)| runs.into_iter().map(move |run| (at, run))) {
        if let Some(reject) = run.rejects.first().filter(|_| inputs.strict) {
            return Err(WorkError::BadInput(format!(
                "{}:{}: {}: {}",
                reject.file, reject.line, reject.reason, reject.detail
            )));
        }
        if let Some(document) = run.document
            && let Some((before, other)) = taken.insert(document, (at, run.file.file.clone()))
            && before != at
        {
            return Err(WorkError::BadInput(format!(
                "{}: judged is {other} or this, nobody can tell: {} is about both",
                run.file.file,
                run.file.judged.unwrap_or_default()
            )));
        }
        loaded.inputs += run.facts.rows + run.rejects.len() as u64;
        loaded.facts.push(run.facts);
        loaded.files.push(run.file);
        loaded.rejects.extend(run.rejects);
        loaded.notes.extend(run.notes);
        own_judges.extend(run.own_judge);
    }
    own_judges.sort();
    own_judges.dedup();
    if own_judges.len() > 1 {
        return Err(WorkError::BadInput(format!(
            "the files were judged by several judges ({}), whose verdicts do not mean the \
             same; give the files of one",
            own_judges.join(", ")
        )));
    }
    let is_judged = loaded.facts.iter().any(|run| run.judged.is_some());
    loaded.judge = loaded.judge.or(own_judges.pop()).filter(|_| is_judged);
    if let Some(judge) = &judge {
        loaded.notes.extend(unused(judge, &taken));
    }
    let mut added = BTreeSet::new();
    for folder in &inputs.runs {
        let place = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        if !added.insert(place) {
            let message = format!("{}: this run is given twice", folder.display());
            return Err(WorkError::BadInput(message));
        }
        runs::add(folder, &mut loaded)?;
    }
    Ok(loaded)
}

/// A judged document holds all its predictions hold: who gives both counts them twice.
fn none_twice(read: &[Vec<Run>]) -> Result<(), WorkError> {
    let runs = || read.iter().flatten();
    let by_bytes: BTreeMap<&str, &Run> = runs()
        .filter(|run| !run.sha256.is_empty())
        .map(|run| (run.sha256.as_str(), run))
        .collect();
    let by_name: BTreeMap<_, &Run> = runs()
        .filter(|run| run.source.is_none())
        .map(|run| ((&run.facts.model, &run.facts.run, run.stem.as_str()), run))
        .collect();
    for run in runs() {
        let given = match &run.source {
            Some(Source::Bytes(sha256)) => by_bytes.get(sha256.as_str()),
            Some(Source::Name(stem)) => by_name.get(&(&run.facts.model, &run.facts.run, stem)),
            None => None,
        };
        if let Some(source) = given.filter(|source| source.file.file != run.file.file) {
            return Err(WorkError::BadInput(format!(
                "{}: was judged from {}, which is given, too, so that its rows would count \
                 twice; give one of them",
                run.file.file, source.file.file
            )));
        }
    }
    Ok(())
}

/// What one file gave.
struct Run {
    file: RunFile,
    facts: RunFacts,
    rejects: Vec<Reject>,
    notes: Vec<String>,
    /// The judge whose verdicts stand in the file itself.
    own_judge: Option<String>,
    /// The place of the judged document about it.
    document: Option<usize>,
    /// Its bytes' SHA-256, and its name without what follows the data set's.
    sha256: String,
    stem: String,
    /// What it was judged from, if it is a judged document.
    source: Option<Source>,
}

/// Reads a file: one run, or one for each of several models that its rows name.
fn one(
    file: &PredictionFile,
    judge: Option<&Judge>,
    choice: &Choice,
) -> Result<Vec<Run>, WorkError> {
    let mut found = predictions::load(file, choice.arrays())?;
    let judgment = Judgment::of(&found, judge)?;
    let named = |row: &PredictionRow| Some(row.called.subject.to_string());
    let mut models: Vec<Option<String>> = match text(&found.metadata, &["model", "model_short"]) {
        Some(_) => vec![None],
        None => found.rows.iter().map(named).collect(),
    };
    models.sort_unstable();
    models.dedup();
    if let [] | [_] = models.as_slice() {
        // Who is called like the file need not be named.
        let names = found.rows.iter().any(|row| row.names_subject);
        let model = models
            .pop()
            .flatten()
            .filter(|model| names || *model != file.dataset);
        return Ok(vec![run_of(found, model, true, judgment, choice)]);
    }
    let mut rows = std::mem::take(&mut found.rows);
    // What cannot be used is nobody's, and goes with the first.
    let mut rejects = std::mem::take(&mut found.rejects);
    let mut said = BTreeSet::new();
    let runs = models.into_iter().map(|model| {
        let own = Predictions {
            rows: rows.extract_if(.., |row| named(row) == model).collect(),
            rejects: std::mem::take(&mut rejects),
            ..found.clone()
        };
        let mut run = run_of(own, model, false, judgment.clone(), choice);
        // What goes for the file is said once.
        run.notes.retain(|note| said.insert(note.clone()));
        run
    });
    Ok(runs.collect())
}

/// The run of one model: all rows of a file (`whole`), or those of one of several.
fn run_of(
    found: Predictions,
    named: Option<String>,
    whole: bool,
    judgment: Judgment,
    choice: &Choice,
) -> Run {
    let file = &found.file.clone();
    let name = file.base_name();
    let judged = judgment.about(named.as_deref().filter(|_| !whole), &found);
    let Judgment {
        own_judge,
        document,
        judged_in,
        mut notes,
        ..
    } = judgment;
    if !found.rejects.is_empty() {
        notes.push(format!(
            "{name}: {} of {} rows cannot be used",
            found.rejects.len(),
            found.inputs()
        ));
    }
    let source = own_judge.as_ref().and_then(|_| Source::of(&found.metadata));
    let stated = text(&found.metadata, &["model", "model_short"]);
    let model = stated.or(named.as_deref()).unwrap_or_else(|| {
        notes.push(format!(
            "{name}: names no model; it goes by the name of the file"
        ));
        &file.dataset
    });
    let by_name = match (whole, &named) {
        (false, Some(model)) => format!("{}__{model}", file.dataset),
        _ => file.dataset.clone(),
    };
    let run = text(&found.metadata, &["run_name", "run_id"]).unwrap_or(&by_name);
    let normalizer = choice.of(found.golds);
    let (exact, compared) = exact(&found, normalizer);
    if compared > 0 {
        let note = choice.note(found.golds);
        notes.extend(note.map(|note| format!("{name}: {note}")));
    }
    notes.extend(estimated(&found, &name));
    let tokens = tokens(&found, whole, &mut notes);
    let facts = RunFacts {
        model: model.to_owned(),
        run: run.to_owned(),
        rows: found.rows.len() as u64,
        exact,
        normalizer: normalizer.name(),
        judged,
        latencies_ms: found.rows.iter().filter_map(|row| row.latency_ms).collect(),
        untimed_tokens: untimed(&found, &tokens),
        tokens,
        usd: found.rows.iter().filter_map(|row| row.usd).collect(),
        measured: None,
        stated_seconds: stated_seconds(&found, whole, &mut notes),
    };
    Run {
        file: RunFile {
            file: file.name.clone(),
            dataset: file.dataset.clone(),
            model: model.to_owned(),
            run: run.to_owned(),
            normalizer: Some(normalizer.name()),
            judged: judged_in,
            read_as: found.read_as.clone(),
        },
        facts,
        rejects: found.rejects,
        notes,
        own_judge,
        document,
        sha256: found.sha256,
        stem: own_stem(&name).to_owned(),
        source,
    }
}

/// Judged documents that were not taken.
fn unused(judge: &Judge, taken: &BTreeMap<usize, (usize, String)>) -> Option<String> {
    let files = judge.files.iter().enumerate();
    let unused = files.filter(|(at, _)| !taken.contains_key(at));
    let name = |(_, (file, document)): (usize, &(PredictionFile, Option<Document>))| {
        let unread = if document.is_none() {
            " (cannot be read)"
        } else {
            ""
        };
        format!("{}{unread}", file.dataset)
    };
    let names: Vec<String> = unused.map(name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "judged, but not among the predictions: {}",
            names.join(", ")
        )
    })
}

/// What a row says itself, else what the normaliser says; and of how many it had to say.
fn exact(found: &Predictions, normalizer: &dyn Normalizer) -> (Tally, u64) {
    let mut tally = Tally::default();
    let mut compared = 0;
    for row in &found.rows {
        tally.count(row.exact_match.unwrap_or_else(|| {
            compared += 1;
            normalizer.compare(&row.gold, &row.prediction) == Matched::Exact
        }));
    }
    (tally, compared)
}

/// Tokens that were not counted by whoever charged for them.
fn estimated(found: &Predictions, name: &str) -> Option<String> {
    let is_estimate = |row: &&PredictionRow| {
        row.fields.get("usage_estimated").and_then(Value::as_bool) == Some(true)
    };
    let rows = found.rows.iter().filter(is_estimate).count();
    (rows > 0).then(|| {
        format!(
            "{name}: tokens are estimates in {rows} of {} rows",
            found.rows.len()
        )
    })
}

fn tokens_of(row: &PredictionRow) -> Option<Tokens> {
    Some(Tokens {
        input: row.tokens_input?,
        output: row.tokens_output?,
        rows: 1,
    })
}

/// How many of the rows with these tokens do not say how long they took.
fn untimed(found: &Predictions, tokens: &Tokens) -> u64 {
    let of_all = tokens.rows == found.rows.len() as u64;
    let has_tokens = |row: &&PredictionRow| of_all || tokens_of(row).is_some();
    let rows = found.rows.iter().filter(has_tokens);
    rows.filter(|row| row.latency_ms.is_none()).count() as u64
}

/// The tokens of the rows; if no row tells, the totals that the file states.
fn tokens(found: &Predictions, whole: bool, notes: &mut Vec<String>) -> Tokens {
    let of_rows = found.rows.iter().filter_map(tokens_of);
    let tokens = of_rows.fold(Tokens::default(), Tokens::plus);
    if tokens.rows > 0 {
        return tokens;
    }
    let total = |key| member(&found.metadata, "metrics")?.get(key)?.as_u64();
    match (total("total_tokens_input"), total("total_tokens_output")) {
        (Some(input), Some(output)) if input > 0 || output > 0 => {
            if !whole {
                notes.push(nobodys(found, "the tokens in its `metrics`"));
                return tokens;
            }
            let name = found.file.base_name();
            notes.push(format!(
                "{name}: no row has tokens; those of its `metrics` are taken"
            ));
            Tokens {
                input,
                output,
                rows: found.rows.len() as u64,
            }
        }
        _ => tokens,
    }
}

/// How long the run took, if the file says so.
fn stated_seconds(found: &Predictions, whole: bool, notes: &mut Vec<String>) -> Option<f64> {
    let number = |key| member(&found.metadata, key)?.as_f64();
    let hours = number("hours_used").map(|hours| hours * 3600.0);
    let seconds = hours
        .or_else(|| number("total_seconds"))
        .filter(|seconds| seconds.is_finite() && *seconds > 0.0)?;
    if !whole {
        notes.push(nobodys(found, "the time it states"));
    }
    whole.then_some(seconds)
}

/// A total over rows of several models cannot be parted among them.
fn nobodys(found: &Predictions, total: &str) -> String {
    let name = found.file.base_name();
    format!("{name}: its rows name several models, among whom {total} cannot be parted")
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
