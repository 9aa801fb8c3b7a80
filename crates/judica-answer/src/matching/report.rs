//! The report of a match.
//!
//! `n_examples`, `exact_match` and the token totals are named as evaluators of exact match
//! name them. Rates are over the rows that can be used. Tokens are added up over the rows
//! that count them; what no row counts is null, not 0.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::rates::{Clusters, NO_ROWS, Rates};
use super::sections::Sections;
use super::tally::{Equal, Tally, Tokens};
use crate::metrics::rate;
use crate::normalize::{Choice, Golds, common_name};
use crate::predictions::PredictionFile;

/// The report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchReport {
    /// Over all files.
    #[serde(flatten)]
    pub totals: MatchTotals,
    /// The normaliser that decided on all files, or `auto` where they differ.
    pub normalizer: &'static str,
    /// What was asked beyond that.
    #[serde(flatten)]
    pub sections: Sections,
    /// Each file.
    pub files: Vec<MatchedFile>,
    /// What is to be said about files of which no row could be used.
    #[serde(skip)]
    pub unused: Vec<String>,
    /// How tables were read.
    #[serde(skip)]
    pub read: Vec<String>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchedFile {
    /// Where it was.
    pub file: String,
    /// What its data set is called.
    pub dataset: String,
    /// SHA-256 of the file as it lies on disk.
    pub sha256: String,
    /// The normaliser that decided.
    pub normalizer: &'static str,
    /// What there was in it.
    #[serde(flatten)]
    pub totals: MatchTotals,
    /// What a reader should know of the choice of the normaliser.
    #[serde(skip)]
    choice_note: Option<String>,
}

/// What rows amount to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchTotals {
    /// Rows that can be used.
    pub n_examples: u64,
    /// Rows equal to their gold once normalised, as a part of them.
    pub exact_match: Option<f64>,
    /// Tokens of questions.
    pub total_tokens_input: Option<u64>,
    /// Tokens of answers.
    pub total_tokens_output: Option<u64>,
    /// Both.
    pub total_tokens: Option<u64>,
    /// Rows that count both.
    pub tokens_rows: u64,
    /// Rows equal by structure only, as a part.
    pub structural: Option<f64>,
    /// Rows equal in either way, as a part.
    pub matched: Option<f64>,
    /// How many rows that is.
    pub counts: Counts,
    /// The shares with their intervals.
    pub intervals: Rates,
    /// All rows: `inputs = n_examples + rejects`.
    pub inputs: u64,
    /// Rows that cannot be used.
    pub rejects: u64,
    /// Why.
    pub rejects_by_reason: BTreeMap<Cow<'static, str>, u64>,
    /// Rows without an id that say the same as an earlier one; they count.
    pub duplicates: u64,
    /// Why rates are null, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<&'static str>,
    /// What else a reader should know.
    pub notes: Vec<String>,
}

/// Rows by how they were decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// By equality.
    pub exact: u64,
    /// By structure.
    pub structural: u64,
    /// By either.
    pub matched: u64,
    /// By neither.
    pub undecided: u64,
}

impl MatchReport {
    pub(super) fn new(files: Vec<MatchedFile>, tallies: &[Tally], clusters: &[Clusters]) -> Self {
        let mut all = Tally::default();
        tallies.iter().for_each(|tally| all.merge(tally));
        let unlike = unlike(&files, clusters);
        let clusters: Vec<&Clusters> = clusters.iter().collect();
        let mut totals = MatchTotals::of(&all, &clusters);
        totals.notes.extend(unlike);
        for file in &files {
            let notes = file.choice_note.iter();
            totals
                .notes
                .extend(notes.map(|note| format!("{}: {note}", file.dataset)));
        }
        MatchReport {
            totals,
            normalizer: common_name(files.iter().map(|file| file.normalizer)),
            sections: Sections::default(),
            files,
            unused: Vec::new(),
            read: Vec::new(),
        }
    }
}

impl MatchedFile {
    pub(super) fn new(
        file: &PredictionFile,
        sha256: &str,
        choice: &Choice,
        golds: Golds,
        tally: &Tally,
        clusters: &Clusters,
    ) -> Self {
        let mut totals = MatchTotals::of(tally, &[clusters]);
        let choice_note = choice.note(golds);
        totals.notes.extend(choice_note.clone());
        MatchedFile {
            file: file.name.clone(),
            dataset: file.dataset.clone(),
            sha256: sha256.to_owned(),
            normalizer: choice.of(golds).name(),
            totals,
            choice_note,
        }
    }
}

impl MatchTotals {
    /// What rows amount to.
    pub(super) fn of(tally: &Tally, clusters: &[&Clusters]) -> Self {
        let n = tally.rows;
        let [equal, _] = tally.equal;
        let Equal { exact, structural } = equal;
        let matched = exact + structural;
        let (input, output) = (known(tally.tokens_input), known(tally.tokens_output));
        let both = input.unwrap_or(0).saturating_add(output.unwrap_or(0));
        MatchTotals {
            n_examples: n,
            exact_match: rate(exact, n),
            total_tokens_input: input,
            total_tokens_output: output,
            total_tokens: input.or(output).map(|_| both),
            tokens_rows: tally.tokens_rows,
            structural: rate(structural, n),
            matched: rate(matched, n),
            counts: Counts {
                exact,
                structural,
                matched,
                undecided: n - matched,
            },
            intervals: Rates::of(clusters, equal, n),
            inputs: tally.inputs(),
            rejects: tally.rejects(),
            rejects_by_reason: tally.refused.clone(),
            duplicates: tally.duplicates,
            undefined: (n == 0).then_some(NO_ROWS),
            notes: notes(tally),
        }
    }
}

/// Why a row is refused that has the key of another.
const SAME_KEY: [&str; 2] = ["duplicate_key", "duplicate_id"];

/// What is to be said of data sets whose files were decided in different ways: their values
/// do not compare.
fn unlike(files: &[MatchedFile], clusters: &[Clusters]) -> Vec<String> {
    let mut ways: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, clusters) in files.iter().zip(clusters) {
        // A row whose key another has may have been the only one of its data set here, which a
        // run that is put together of its records does not know.
        let refused = &file.totals.rejects_by_reason;
        let whole = !SAME_KEY.iter().any(|why| refused.contains_key(*why));
        if let Some(dataset) = clusters.dataset().filter(|_| whole) {
            ways.entry(dataset).or_default().insert(file.normalizer);
        }
    }
    let unlike = ways.into_iter().filter(|(_, ways)| ways.len() > 1);
    let unlike = unlike.map(|(dataset, ways)| {
        let ways: Vec<&str> = ways.into_iter().collect();
        format!(
            "data set {dataset}: compared as {} in different files, since `auto` decides file by \
             file; name one with --normalizer",
            ways.join(" and as ")
        )
    });
    unlike.collect()
}

fn known(tokens: Tokens) -> Option<u64> {
    (tokens.rows > 0).then_some(tokens.total)
}

fn notes(tally: &Tally) -> Vec<String> {
    let n = tally.rows;
    let mut notes = Vec::new();
    for (name, tokens) in [
        ("tokens_input", tally.tokens_input),
        ("tokens_output", tally.tokens_output),
    ] {
        let missing = n - tokens.rows;
        if missing > 0 && missing == n {
            notes.push(format!("undefined: total_{name}: no row has `{name}`"));
        } else if missing > 0 {
            notes.push(format!(
                "{missing} of {n} rows have no `{name}`; the total is over the others"
            ));
        }
    }
    if tally.blank_gold > 0 {
        notes.push(format!(
            "the gold of {} of {n} rows is blank",
            tally.blank_gold
        ));
    }
    if tally.duplicates > 0 {
        notes.push(format!(
            "{} of {n} rows say the same as an earlier row; they count",
            tally.duplicates
        ));
    }
    notes
}
