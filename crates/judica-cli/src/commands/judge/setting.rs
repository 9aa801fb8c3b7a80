//! Who judges, and how: what is the same when a run is made again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use judica_answer::judged::{Expected, JudgeInfo, JudgedDataset, NO_MODEL, assemble};
use judica_answer::normalize::Choice;
use judica_answer::predictions::{PredictionFile, Predictions};
use judica_judge::judging::{Judgement, TEMPERATURE};
use judica_judge::prompt::Template;
use judica_text::normalize::Normalizer;

use super::datasets::Dataset;
use super::verdicts;

/// Who judges, and how.
pub struct Setting {
    pub choice: Choice,
    pub template: Template,
    /// The judges: model and folder. Without a model, one that asks nobody.
    pub judges: Vec<(String, String)>,
    /// How many replies a verdict rests on.
    pub votes: u32,
    /// Whether anybody is asked.
    pub asks: bool,
}

impl Setting {
    pub fn info(&self, model: &str) -> JudgeInfo {
        JudgeInfo {
            judge_model: if self.asks { model } else { NO_MODEL }.to_owned(),
            prompt_version: self.asks.then(|| self.template.version().to_owned()),
            prompt_hash: self.asks.then(|| self.template.hash().to_owned()),
            votes: self.asks.then_some(self.votes),
            temperature: self.asks.then_some(TEMPERATURE),
            left_out: Vec::new(),
        }
    }

    /// What decides on a data set without a model.
    pub fn normalizer(&self, dataset: &Dataset) -> &dyn Normalizer {
        self.choice.of(dataset.predictions.golds)
    }

    /// What a document says that need not be made again.
    pub fn expected(&self, model: &str, dataset: &Dataset) -> Expected {
        let info = self.info(model);
        let normalizer = self.normalizer(dataset);
        Expected {
            judge_model: model.to_owned(),
            prompt_hash: info.prompt_hash,
            normalizer: normalizer.name().to_owned(),
            tolerance: normalizer.tolerance(),
            votes: info.votes,
            temperature: info.temperature,
            source_sha256: dataset.predictions.sha256.clone(),
            source_columns: dataset.predictions.file.columns.said.clone(),
        }
    }

    /// The judged document; without judgements nobody was asked.
    pub fn document(
        &self,
        predictions: Predictions,
        dataset: &Dataset,
        judgements: Option<Vec<Judgement>>,
        model: &str,
    ) -> JudgedDataset {
        let judgements = judgements.unwrap_or_default();
        let info = JudgeInfo {
            left_out: left_out(&judgements),
            ..self.info(model)
        };
        assemble(
            predictions,
            &dataset.decisions,
            verdicts::of(&dataset.decisions, judgements),
            self.normalizer(dataset),
            &info,
        )
    }
}

/// What any of the replies had to do without.
fn left_out(judgements: &[Judgement]) -> Vec<String> {
    let replies = judgements.iter().flat_map(|judgement| match judgement {
        Judgement::Decided { replies, .. } => replies.as_slice(),
        Judgement::Failed(_) | Judgement::NotAsked(_) => &[],
    });
    let all: BTreeSet<&String> = replies.flat_map(|ballot| &ballot.reply.left_out).collect();
    all.into_iter().cloned().collect()
}

/// Where the document of a judge on a file stands.
pub fn document_path(out: &Path, folder: &str, file: &PredictionFile) -> PathBuf {
    out.join(folder).join(format!("{}.json", file.dataset))
}
