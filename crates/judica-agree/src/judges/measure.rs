//! From a folder to a report.

use std::path::Path;

use super::compare::{compare, share};
use super::folder::{self, Folder, HUMAN, JudgedFile};
use super::human;
use super::judge::Judge;
use super::load::{self, Choice, Loaded};
use super::refused::{refusals, rejects, strict};
use super::report::{
    Coverage, JudgeSummary, JudgesReport, LeftOut, SCHEMA_VERSION, SourceAgreement,
};
use super::votes::{Votes, YES, tally};
use super::{JudgesRequest, base_name, disagree, estimate};
use crate::error::AgreeError;
use crate::panel::{BootstrapOptions, coefficients, pairwise};
use crate::refusals::EXAMPLES;

/// Why a judge without rows has no rate.
const NO_USED_ROW: &str = "no usable row";

pub(super) fn measure(request: &JudgesRequest) -> Result<JudgesReport, AgreeError> {
    let options = &request.bootstrap;
    let folder = folder::list(&request.eval_dir)?;
    let human_files = human_files(request, &folder)?;
    let choice = Choice {
        include_deterministic: request.include_deterministic,
        drop_invalid: request.drop_invalid,
    };
    let loaded = load::load(&folder.judged, choice, options.threads)?;
    if loaded.judges.is_empty() {
        return Err(nothing_judged(&request.eval_dir, &loaded));
    }
    let human = match human_files.as_slice() {
        [] => None,
        files => Some(human::read(files, &loaded)?),
    };
    let rejects = rejects(&folder.judged, &loaded, human.as_ref())?;
    if request.strict {
        strict(&loaded, &rejects)?;
    }

    let votes = Votes::new(&loaded, human.as_ref());
    let judges = votes.of_judges();
    let pairs = pairwise(&votes.panel(&votes.ratings), options);
    let (effective_judges, effective_note) = estimate::effective(&votes, &judges);
    let (disagreement_items, disagreements) =
        disagree::find(&votes, &loaded, &folder.judged, request.disagreements)?;
    let items = request.aggregate_items.then_some(&loaded.items);
    let mut notes = notes(&loaded, &folder, human.is_some() && request.human.is_none());
    notes.extend(ids_note(&loaded));
    notes.extend(effective_note);
    Ok(JudgesReport {
        schema_version: SCHEMA_VERSION,
        eval_dir: base_name(&request.eval_dir),
        judges: summaries(&loaded, &votes, request),
        items: votes.items.len() as u64,
        sources: votes.sources.len() as u64,
        overall: coefficients(&votes.panel(&votes.ratings), options),
        judges_only: human
            .as_ref()
            .map(|_| coefficients(&votes.panel(&judges), options)),
        per_source: per_source(&votes, options),
        coverage: coverage(&votes, options),
        human: human
            .as_ref()
            .map(|human| compare(&votes, human, &pairs, options.confidence)),
        pairwise: pairs,
        effective_judges,
        aggregate: request
            .aggregate
            .and_then(|_| estimate::aggregate(&votes, &judges, items, options.confidence)),
        disagreement_items,
        disagreements,
        bootstrap: options.into(),
        refused: refusals(&loaded, &rejects),
        notes,
        rejects,
    })
}

/// The files that people's verdicts are in.
fn human_files(request: &JudgesRequest, folder: &Folder) -> Result<Vec<JudgedFile>, AgreeError> {
    let Some(path) = &request.human else {
        return Ok(folder.human.clone());
    };
    if !folder.human.is_empty() {
        return Err(AgreeError::BadInput(format!(
            "{}: has a folder `{HUMAN}`, and {} is given too: which of them are the people?",
            request.eval_dir.display(),
            path.display()
        )));
    }
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy().into_owned();
    Ok(vec![JudgedFile {
        path: path.clone(),
        stem: folder::dataset(&name).to_owned(),
        name,
        judge: None,
    }])
}

fn nothing_judged(eval_dir: &Path, loaded: &Loaded) -> AgreeError {
    let shown = eval_dir.display();
    AgreeError::BadArtifact(match loaded.refused_files.first() {
        Some(file) => format!(
            "{shown}: no judged data set; {}: {}",
            file.name, file.fault.detail
        ),
        None => format!("{shown}: no judged data set: expected <judge>/<dataset>.json"),
    })
}

fn summaries(loaded: &Loaded, votes: &Votes, request: &JudgesRequest) -> Vec<JudgeSummary> {
    let mut yes = vec![0; votes.judges];
    for at in 0..votes.items.len() {
        let row = votes.judges_row(at).iter().zip(&mut yes);
        row.for_each(|(&vote, yes)| *yes += u64::from(vote == YES));
    }
    let judges = loaded.judges.iter().zip(yes);
    judges
        .map(|(judge, yes)| summary(judge, yes, request))
        .collect()
}

fn summary(judge: &Judge, yes: u64, request: &JudgesRequest) -> JudgeSummary {
    let models: Vec<&str> = judge.models.iter().map(String::as_str).collect();
    let [exact, structural, no_llm, unmatched] = judge.without_judge;
    let dropped = |count: u64| if request.drop_invalid { count } else { 0 };
    JudgeSummary {
        name: judge.name.clone(),
        judge_model: (!models.is_empty()).then(|| models.join(", ")),
        files: judge.files,
        rows: judge.rows,
        used: judge.used,
        left_out: LeftOut {
            exact,
            structural,
            no_llm,
            unmatched,
            invalid: dropped(judge.invalid),
            declined: dropped(judge.declined),
        },
        invalid: judge.invalid,
        declined: judge.declined,
        refused_rows: judge.refused,
        duplicates: judge.duplicates,
        yes,
        yes_rate: share(yes, judge.used, request.bootstrap.confidence, NO_USED_ROW),
    }
}

fn per_source(votes: &Votes, options: &BootstrapOptions) -> Vec<SourceAgreement> {
    let agreement = |(source, rows): &(String, std::ops::Range<usize>)| {
        let ratings = votes.of_items(rows.clone());
        SourceAgreement {
            source: source.clone(),
            items: rows.len() as u64,
            coefficients: coefficients(&votes.panel(&ratings), options),
        }
    };
    votes.sources.iter().map(agreement).collect()
}

fn coverage(votes: &Votes, options: &BootstrapOptions) -> Vec<Coverage> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); votes.raters.len() + 1];
    for at in 0..votes.items.len() {
        let (yes, no) = tally(votes.row(at));
        rows[(yes + no) as usize].push(at);
    }
    let covered = rows
        .into_iter()
        .enumerate()
        .filter(|(_, rows)| !rows.is_empty());
    let agreement = |(raters, rows): (usize, Vec<usize>)| {
        let items = rows.len() as u64;
        let ratings = votes.of_items(rows.into_iter());
        let found = coefficients(&votes.panel(&ratings), options);
        Coverage {
            raters: raters as u64,
            items,
            percent_agreement: found.percent_agreement,
            krippendorff_alpha: found.krippendorff_alpha,
        }
    };
    covered.map(agreement).collect()
}

/// Rows that tell the same item apart by an id that only some of them carry share nothing,
/// which is rarely what was meant.
fn ids_note(loaded: &Loaded) -> Option<String> {
    let mut items: Vec<(&str, &[u8], bool)> = loaded
        .items
        .iter()
        .map(|(_, key)| (key.source(), key.content(), key.id().is_some()))
        .collect();
    items.sort_unstable();
    let alike = |pair: &[(&str, &[u8], bool)]| {
        let [a, b] = [&pair[0], &pair[1]];
        (a.0, a.1) == (b.0, b.1) && a.2 != b.2
    };
    match items.windows(2).filter(|pair| alike(pair)).count() {
        0 => None,
        n => Some(format!(
            "{n} items stand in some rows with an id and in others without one; \
             they were not taken for the same"
        )),
    }
}

fn notes(loaded: &Loaded, folder: &Folder, people_from_folder: bool) -> Vec<String> {
    let mut notes = Vec::new();
    for judge in &loaded.judges {
        if judge.used == 0 {
            notes.push(format!("judge `{}` has no usable row", judge.name));
        }
        if judge.models.len() > 1 {
            notes.push(format!(
                "judge `{}` is {} models",
                judge.name,
                judge.models.len()
            ));
        }
    }
    let without_judge = |judge: &Judge| judge.without_judge.iter().sum::<u64>();
    let left_out: u64 = loaded.judges.iter().map(without_judge).sum();
    if left_out > 0 {
        notes.push(format!(
            "{left_out} rows that were decided without a judge are left out"
        ));
    }
    if people_from_folder {
        notes.push(format!(
            "the folder `{HUMAN}` holds people's verdicts, not a judge's"
        ));
    }
    if !folder.passed_over.is_empty() {
        let count = folder.passed_over.len();
        let first: Vec<&str> = folder
            .passed_over
            .iter()
            .take(EXAMPLES)
            .map(String::as_str)
            .collect();
        let more = if count > EXAMPLES { ", …" } else { "" };
        notes.push(format!(
            "not read, {count} in all: {}{more}",
            first.join(", ")
        ));
    }
    notes
}
