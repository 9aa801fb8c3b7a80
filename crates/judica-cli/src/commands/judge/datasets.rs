//! Files of predictions, and what a normaliser has decided of them.

use judica_answer::decide::{Decision, decide};
use judica_answer::error::AnswerError;
use judica_answer::normalize::Choice;
use judica_answer::predictions::{PredictionFile, Predictions, load};
use judica_data::rejects::Given;
use judica_judge::prompt::Question;

use crate::commands::threads;
use crate::failure::Failure;

/// One data set.
pub struct Dataset {
    /// What its file is called in rejects.
    name: String,
    /// Its rows.
    pub predictions: Predictions,
    /// What is decided of each already.
    pub decisions: Vec<Decision>,
}

impl Dataset {
    /// Reads a file and decides what can be decided without a model.
    pub fn load(file: &PredictionFile, choice: &Choice, strict: bool) -> Result<Self, Failure> {
        let predictions = load(file, choice.arrays())?;
        if strict && let Some(reject) = predictions.rejects.first() {
            return Err(AnswerError::BadInput(format!(
                "{}:{}: {}: {}",
                reject.file, reject.line, reject.reason, reject.detail
            ))
            .into());
        }
        let normalizer = choice.of(predictions.golds);
        let decisions = decide(normalizer, &predictions.rows, threads(None));
        Ok(Dataset {
            name: file.name.clone(),
            predictions,
            decisions,
        })
    }

    /// What its file gave.
    pub fn given(&self) -> Given<'_> {
        Given {
            path: &self.predictions.file.path,
            name: &self.name,
            used: self.predictions.rows.len() as u64,
        }
    }

    /// The rows that a model is to decide.
    pub fn undecided(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.decisions.iter().enumerate();
        rows.filter(|(_, decision)| !decision.is_match())
            .map(|(row, _)| row)
    }

    /// The gold of every row, as a judge sees it.
    pub fn gold(&self) -> Vec<String> {
        self.predictions
            .rows
            .iter()
            .map(|row| row.gold.shown())
            .collect()
    }
}

/// Questions about the undecided rows, or about those of them that are chosen by their
/// place among the undecided.
pub fn questions<'a>(
    dataset: &'a Dataset,
    gold: &'a [String],
    chosen: Option<&[usize]>,
) -> Vec<Question<'a>> {
    let undecided: Vec<usize> = dataset.undecided().collect();
    let rows = match chosen {
        Some(places) => places.iter().map(|place| undecided[*place]).collect(),
        None => undecided,
    };
    rows.into_iter()
        .map(|row| Question {
            input: &dataset.predictions.rows[row].input,
            gold: &gold[row],
            prediction: &dataset.predictions.rows[row].prediction,
        })
        .collect()
}
