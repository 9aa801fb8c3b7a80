//! Files of predictions and judged documents as facts.

use std::path::PathBuf;

use judica_data::parallel::parallel_map;
use judica_data::rejects::Reject;
use serde_json::Value;

use super::facts::{RunFacts, Tally, Tokens};
use super::judged::{self, Judge};
use crate::error::AnswerError;
use crate::normalize::{Matched, Normalizer};
use crate::predictions::{self, PredictionFile, Predictions};

/// What is compared.
pub struct Inputs<'a> {
    /// Files of predictions, or folders of them; one file is one run.
    pub predictions: Vec<PathBuf>,
    /// A folder of judged documents, `<judge>/<dataset>.json`. A document may stand among
    /// the predictions instead: it holds all they hold.
    pub judged: Option<PathBuf>,
    /// The judge whose verdicts are taken; needed where there are several.
    pub judge: Option<String>,
    /// What is equal to the gold where a row does not say so itself.
    pub normalizer: &'a dyn Normalizer,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
    /// How many files are read at once.
    pub threads: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The files of predictions, as rejects name them.
    pub files: Vec<String>,
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
pub fn load(inputs: &Inputs) -> Result<Loaded, AnswerError> {
    let files = predictions::list(&inputs.predictions)?;
    let judge = match &inputs.judged {
        Some(folder) => Some(judged::find(folder, inputs.judge.as_deref())?),
        None => None,
    };
    let read = parallel_map(&files, inputs.threads, |file| {
        one(file, judge.as_ref(), inputs.normalizer)
    });
    let mut loaded = Loaded {
        files: files.iter().map(PredictionFile::shown).collect(),
        judge: judge.as_ref().map(|judge| judge.name.clone()),
        ..Loaded::default()
    };
    let mut own_judges: Vec<String> = Vec::new();
    for run in read {
        let run = run?;
        if let Some(reject) = run.rejects.first().filter(|_| inputs.strict) {
            return Err(AnswerError::BadInput(format!(
                "{}:{}: {}: {}",
                reject.file, reject.line, reject.reason, reject.detail
            )));
        }
        loaded.inputs += run.facts.rows + run.rejects.len() as u64;
        loaded.facts.push(run.facts);
        loaded.rejects.extend(run.rejects);
        loaded.notes.extend(run.notes);
        own_judges.extend(run.own_judge);
    }
    own_judges.sort();
    own_judges.dedup();
    if own_judges.len() > 1 {
        return Err(AnswerError::BadInput(format!(
            "the files were judged by several judges ({}), whose verdicts do not mean the \
             same; give the files of one",
            own_judges.join(", ")
        )));
    }
    let is_judged = loaded.facts.iter().any(|run| run.judged.is_some());
    loaded.judge = loaded.judge.or(own_judges.pop()).filter(|_| is_judged);
    if let Some(judge) = &judge {
        loaded.notes.extend(unused(judge, &files));
    }
    Ok(loaded)
}

/// What one file gave.
struct Run {
    facts: RunFacts,
    rejects: Vec<Reject>,
    notes: Vec<String>,
    /// The judge whose verdicts stand in the file itself.
    own_judge: Option<String>,
}

fn one(
    file: &PredictionFile,
    judge: Option<&Judge>,
    normalizer: &dyn Normalizer,
) -> Result<Run, AnswerError> {
    let found = predictions::load(file)?;
    let mut notes = Vec::new();
    let own_judge = match judge {
        None => text(&found, &["judge_model"]).map(str::to_owned),
        Some(_) => None,
    };
    let judged = match judge.and_then(|judge| judge.document(&file.dataset)) {
        Some(document) => verdicts_of(&found, document, &mut notes)?,
        None if own_judge.is_some() => verdicts(&found, &mut notes),
        None => None,
    };
    let name = file.name();
    if !found.rejects.is_empty() {
        notes.push(format!(
            "{name}: {} of {} rows cannot be used",
            found.rejects.len(),
            found.inputs()
        ));
    }
    let model = text(&found, &["model", "model_short"]).unwrap_or_else(|| {
        notes.push(format!(
            "{name}: names no model; it goes by the name of the file"
        ));
        &file.dataset
    });
    let run = text(&found, &["run_name", "run_id"]).unwrap_or(&file.dataset);
    let facts = RunFacts {
        model: model.to_owned(),
        run: run.to_owned(),
        rows: found.rows.len() as u64,
        exact: exact(&found, normalizer),
        judged,
        latencies_ms: found.rows.iter().filter_map(|row| row.latency_ms).collect(),
        tokens: tokens(&found, &name, &mut notes),
        stated_seconds: stated_seconds(&found),
    };
    Ok(Run {
        facts,
        rejects: found.rejects,
        notes,
        own_judge,
    })
}

fn verdicts_of(
    predictions: &Predictions,
    document: &PredictionFile,
    notes: &mut Vec<String>,
) -> Result<Option<Tally>, AnswerError> {
    let judged = predictions::load(document)?;
    let source = text(&judged, &["source_sha256"]);
    if source.is_some_and(|source| source != predictions.sha256) {
        notes.push(format!(
            "{}: was judged from other bytes than those of {}; judge again if the \
             predictions changed",
            document.shown(),
            predictions.file.name()
        ));
    }
    Ok(verdicts(&judged, notes))
}

fn verdicts(document: &Predictions, notes: &mut Vec<String>) -> Option<Tally> {
    let tally = judged::verdicts(document);
    if tally.is_none() {
        notes.push(format!(
            "{}: was made without asking a model, so it does not count as judged",
            document.file.shown()
        ));
    }
    tally
}

/// Judged documents whose predictions are not among the files.
fn unused(judge: &Judge, files: &[PredictionFile]) -> Option<String> {
    let is_used = |document: &PredictionFile| files.iter().any(|f| f.dataset == document.dataset);
    let unused = judge.files.iter().filter(|document| !is_used(document));
    let names: Vec<&str> = unused.map(|document| document.dataset.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "judged, but not among the predictions: {}",
            names.join(", ")
        )
    })
}

/// What a row says itself, else what the normaliser says.
fn exact(found: &Predictions, normalizer: &dyn Normalizer) -> Tally {
    let mut tally = Tally::default();
    for row in &found.rows {
        tally.count(
            row.exact_match.unwrap_or_else(|| {
                normalizer.compare(&row.gold, &row.prediction) == Matched::Exact
            }),
        );
    }
    tally
}

/// The tokens of the rows; if no row tells, the totals that the file states.
fn tokens(found: &Predictions, name: &str, notes: &mut Vec<String>) -> Tokens {
    let mut tokens = Tokens::default();
    for row in &found.rows {
        if let (Some(input), Some(output)) = (row.tokens_input, row.tokens_output) {
            tokens = tokens.plus(Tokens {
                input,
                output,
                rows: 1,
            });
        }
    }
    if tokens.rows > 0 {
        return tokens;
    }
    let total = |key| member(found, "metrics")?.get(key)?.as_u64();
    match (total("total_tokens_input"), total("total_tokens_output")) {
        (Some(input), Some(output)) if input > 0 || output > 0 => {
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
fn stated_seconds(found: &Predictions) -> Option<f64> {
    let number = |key| member(found, key)?.as_f64();
    let seconds = number("hours_used").map(|hours| hours * 3600.0);
    seconds
        .or_else(|| number("total_seconds"))
        .filter(|seconds| seconds.is_finite() && *seconds > 0.0)
}

/// The first of these texts that a file has about itself.
fn text<'a>(found: &'a Predictions, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| {
        let text = member(found, key)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    })
}

/// What a file says about itself, beside its rows or in an object called `metadata`.
fn member<'a>(found: &'a Predictions, key: &str) -> Option<&'a Value> {
    let own = found.metadata.get(key);
    own.or_else(|| found.metadata.get("metadata")?.get(key))
        .filter(|value| !value.is_null())
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
