//! The judged document, and how it is put together.

use judica_data::json::json_bytes;
use serde::Serialize;

use super::names::{Members, kept_apart};
use super::row::JudgedRow;
use crate::decide::Decision;
use crate::metrics::{Metrics, compute_metrics};
use crate::predictions::{PredictionRow, Predictions};
use crate::verdict::{DecisionMethod, ParseStatus, RowVerdict};
use judica_text::normalize::{Normalizer, Tolerance};

/// Our keys of a document. Keys of the source with these names are kept under others.
const OURS: [&str; 15] = [
    "judge_model",
    "source_file",
    "source_sha256",
    "source_columns",
    "normalizer",
    "tolerance",
    "prompt_version",
    "prompt_hash",
    "votes",
    "judge_temperature",
    "judge_left_out",
    "judica_version",
    "judge",
    "judge_metrics",
    "detailed_results",
];

/// Our key of whose answers are judged, where the file has those of several.
const MODEL: &str = "model";

/// The model of documents for which nobody was to be asked.
pub const NO_MODEL: &str = "no_llm";

/// Whether replies had to do without a temperature, by what was left out for their server.
pub(super) fn without_temperature(left_out: &[String]) -> bool {
    left_out.iter().any(|part| part == "temperature")
}

/// Who judges, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeInfo {
    /// The model, or [`NO_MODEL`].
    pub judge_model: String,
    /// The version of the prompt; none if no model was to be asked.
    pub prompt_version: Option<String>,
    /// Its hash.
    pub prompt_hash: Option<String>,
    /// How many replies each verdict rests on; none if no model was to be asked.
    pub votes: Option<u32>,
    /// The temperature; none if no model was to be asked.
    pub temperature: Option<f64>,
    /// What the server does not take, so that replies had to do without.
    pub left_out: Vec<String>,
}

/// A judged data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedDataset {
    /// What the source says of itself, in its order.
    #[serde(flatten)]
    pub metadata: Members,
    /// The model that judged.
    pub judge_model: String,
    /// The file that was judged: its name, wherever it lay.
    pub source_file: String,
    /// SHA-256 of that file.
    pub source_sha256: String,
    /// Where fields stand in it, as the user said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_columns: Vec<String>,
    /// Whose answers these are, where several have columns of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The normaliser that decided first.
    pub normalizer: &'static str,
    /// How far numbers may be apart, where the normaliser compares numbers.
    pub tolerance: Option<Tolerance>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// Its hash.
    pub prompt_hash: Option<String>,
    /// How many replies each verdict rests on.
    pub votes: Option<u32>,
    /// The judge's temperature.
    pub judge_temperature: Option<f64>,
    /// What replies had to do without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judge_left_out: Vec<String>,
    /// The version of this program.
    pub judica_version: &'static str,
    /// What was asked, and what came of it.
    pub judge: JudgeCounts,
    /// What the verdicts amount to.
    pub judge_metrics: Metrics,
    /// The rows, in the order of the source.
    pub detailed_results: Vec<JudgedRow>,
}

/// What was asked, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JudgeCounts {
    /// Rows.
    pub n_rows: u64,
    /// Rows decided by equality.
    pub n_exact: u64,
    /// Rows decided by structure.
    pub n_structural: u64,
    /// Rows put to the model.
    pub n_asked: u64,
    /// Those of them whose reply was read although it had another form than was asked for.
    pub n_repaired: u64,
    /// Those whose reply could not be read.
    pub n_invalid: u64,
    /// Those that the model declined.
    pub n_refused: u64,
    /// Those without a reply.
    pub n_errors: u64,
    /// Replies that were kept from earlier runs; differs from run to run.
    pub n_from_cache: u64,
    /// Rows that count as wrong because no model was to be asked.
    pub n_no_llm: u64,
    /// Rows of the source that could not be used, and are not here.
    pub n_rejects: u64,
    /// Rows without an id that say the same as an earlier one.
    pub n_duplicates: u64,
    /// Tokens of all questions, as far as the server counted them; null if it counted none.
    pub tokens_input: Option<u64>,
    /// Tokens of all replies, likewise.
    pub tokens_output: Option<u64>,
    /// Rows put to the model of which the server did not count all tokens.
    pub n_without_tokens: u64,
}

impl JudgedDataset {
    /// The document as it is written.
    pub fn to_bytes(&self) -> Vec<u8> {
        json_bytes(self)
    }
}

/// Puts a judged data set together. `decisions` and `verdicts` are those of the rows, in
/// their order; an undecided row without a verdict counts as wrong, for want of a model.
pub fn assemble(
    predictions: Predictions,
    decisions: &[Decision],
    verdicts: Vec<Option<RowVerdict>>,
    normalizer: &dyn Normalizer,
    info: &JudgeInfo,
) -> JudgedDataset {
    let model = predictions.file.subject.as_ref();
    let model = model.map(|own| own.column.clone());
    let ours = OURS.into_iter().chain(model.is_some().then_some(MODEL));
    let ours: Vec<&str> = ours.collect();
    let (n_rejects, n_duplicates) = (predictions.rejects.len() as u64, predictions.duplicates);
    let clusters: Vec<u64> = predictions.rows.iter().map(PredictionRow::print).collect();
    let decisions = decisions.iter().copied();
    let decisions = decisions.chain(std::iter::repeat(Decision::Undecided));
    let verdicts = verdicts.into_iter().chain(std::iter::repeat_with(|| None));
    let rows = predictions.rows.into_iter().zip(decisions).zip(verdicts);
    let rows: Vec<JudgedRow> = rows
        .map(|((row, decision), verdict)| JudgedRow::new(row, decision, verdict, normalizer))
        .collect();
    JudgedDataset {
        metadata: kept_apart(predictions.metadata, predictions.spelt, &ours),
        judge_model: info.judge_model.clone(),
        source_file: predictions.file.base_name(),
        source_sha256: predictions.sha256,
        source_columns: predictions.file.columns.said.clone(),
        model,
        normalizer: normalizer.name(),
        tolerance: normalizer.tolerance(),
        prompt_version: info.prompt_version.clone(),
        prompt_hash: info.prompt_hash.clone(),
        votes: info.votes,
        judge_temperature: info
            .temperature
            .filter(|_| !without_temperature(&info.left_out)),
        judge_left_out: info.left_out.clone(),
        judica_version: env!("CARGO_PKG_VERSION"),
        judge: JudgeCounts {
            n_rejects,
            n_duplicates,
            ..count(&rows)
        },
        judge_metrics: compute_metrics(rows.iter().map(JudgedRow::judgement).zip(clusters)),
        detailed_results: rows,
    }
}

fn count(rows: &[JudgedRow]) -> JudgeCounts {
    let mut counts = JudgeCounts {
        n_rows: rows.len() as u64,
        ..JudgeCounts::default()
    };
    for row in rows {
        match row.decision_method {
            DecisionMethod::Exact => counts.n_exact += 1,
            DecisionMethod::Structural => counts.n_structural += 1,
            DecisionMethod::Llm => counts.n_asked += 1,
            DecisionMethod::NoLlm => counts.n_no_llm += 1,
        }
        match row.parse_status {
            Some(ParseStatus::Repaired) => counts.n_repaired += 1,
            Some(ParseStatus::Invalid) => counts.n_invalid += 1,
            Some(ParseStatus::Refused) => counts.n_refused += 1,
            Some(ParseStatus::Error) => counts.n_errors += 1,
            Some(ParseStatus::Ok) | None => {}
        }
        counts.n_from_cache += row.calls().filter(|call| call.from_cache).count() as u64;
        if let Some(reply) = &row.reply {
            let (input, output) = (reply.judge_tokens_input, reply.judge_tokens_output);
            counts.n_without_tokens += u64::from(input.is_none() || output.is_none());
            counts.tokens_input = plus(counts.tokens_input, input);
            counts.tokens_output = plus(counts.tokens_output, output);
        }
    }
    counts
}

/// A sum over what is known, unknown as long as nothing is.
fn plus(sum: Option<u64>, tokens: Option<u64>) -> Option<u64> {
    match (sum, tokens) {
        (Some(sum), Some(tokens)) => Some(sum.saturating_add(tokens)),
        (sum, tokens) => sum.or(tokens),
    }
}

#[cfg(test)]
#[path = "dataset_tests.rs"]
mod tests;
