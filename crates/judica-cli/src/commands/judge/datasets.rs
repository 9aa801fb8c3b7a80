//! Files of predictions, and what a normaliser has decided of them.

use judica_answer::decide::{Decision, decide};
use judica_answer::normalize::Choice;
use judica_answer::predictions::seen::SeenRows;
use judica_answer::predictions::{
    PredictionFile, Predictions, check_columns, load, load_among, unread_notes,
};
use judica_data::rejects::Given;
use judica_data::work_error::WorkError;
use judica_judge::prompt::Question;
use judica_run::options::RunOptions;

use crate::commands::rejects::tell_lost;

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
    /// Reads files and decides what can be decided without a model. With `run` they go into
    /// one, where no key stands twice.
    pub fn load(
        files: &[PredictionFile],
        choice: &Choice,
        strict: bool,
        run: Option<&RunOptions>,
        threads: usize,
    ) -> Result<Vec<Self>, WorkError> {
        let mut seen = SeenRows::default();
        let load = |file: &PredictionFile| {
            let predictions = match run {
                Some(options) => load_among(file, choice.arrays(), options, &mut seen)?,
                None => load(file, choice.arrays())?,
            };
            if strict && let Some(reject) = predictions.rejects.first() {
                return Err(WorkError::BadInput(format!(
                    "{}:{}: {}: {}",
                    reject.file, reject.line, reject.reason, reject.detail
                )));
            }
            let normalizer = choice.of(predictions.golds);
            let decisions = decide(normalizer, &predictions.rows, threads);
            Ok(Dataset {
                name: file.name.clone(),
                predictions,
                decisions,
            })
        };
        let datasets = files.iter().map(load).collect::<Result<_, _>>()?;
        check_columns(files)?;
        tell_lost(&unread_notes(files));
        Ok(datasets)
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
