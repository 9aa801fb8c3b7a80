//! What a judge said of a file of predictions, model by model.

use judica_data::work_error::WorkError;

use super::document::{ByModel, Counting, Document};
use super::facts::Verdicts;
use super::judged::Judge;
use crate::predictions::document::text;
use crate::predictions::{PredictionFile, Predictions};

/// What a judge said of a file, whatever models its rows name.
#[derive(Clone, Default)]
pub(super) struct Judgment {
    verdicts: Option<ByModel>,
    /// The judge, where the verdicts stand in the file itself.
    pub own_judge: Option<String>,
    /// The place of the document that they stand in.
    pub document: Option<usize>,
    /// Its name.
    pub judged_in: Option<String>,
    /// What a row in it is called that names no model.
    nameless: String,
    /// What a reader should know of that.
    pub notes: Vec<String>,
}

impl Judgment {
    /// What stands in the file, or in the judge's document about it.
    pub fn of(found: &Predictions, judge: Option<&Judge>) -> Result<Judgment, WorkError> {
        let mut said = Judgment::default();
        let Some(judge) = judge else {
            said.own_judge = text(&found.metadata, &["judge_model"]).map(str::to_owned);
            if said.own_judge.is_some() {
                let mut counting = Counting::default();
                for row in &found.rows {
                    counting.count(&row.called.subject, &row.fields);
                }
                let verdicts = counting.verdicts();
                said.verdicts = verdicts.or_else(|| unasked(&found.file, &mut said.notes));
            }
            return Ok(said);
        };
        said.document = judge.document(found)?;
        if let Some((document, contents)) = said.document.map(|at| &judge.files[at]) {
            said.judged_in = Some(document.name.clone());
            said.nameless.clone_from(&document.dataset);
            said.verdicts = match contents {
                Some(contents) => verdicts_of(found, document, contents, &mut said.notes),
                // Told only of a document that is needed.
                None => verdicts_of(found, document, &Document::read(document)?, &mut said.notes),
            };
        }
        Ok(said)
    }

    /// What it said of the rows of `model`, or of all that there are. Predictions that the
    /// judge was never shown have no verdict either.
    pub fn about(&self, model: Option<&str>, found: &Predictions) -> Option<Verdicts> {
        let all = self.verdicts.as_ref()?;
        let mut verdicts = match model {
            None => all
                .values()
                .fold(Verdicts::default(), |sum, more| sum.plus(*more)),
            Some(model) => {
                let nameless = || {
                    all.get(&self.nameless)
                        .filter(|_| model == found.file.dataset)
                };
                all.get(model)
                    .or_else(nameless)
                    .copied()
                    .unwrap_or_default()
            }
        };
        if self.document.is_some() {
            let rows = found.rows.len() as u64;
            verdicts.missing += rows.saturating_sub(verdicts.rows());
        }
        Some(verdicts)
    }
}

/// What a judged document says of the predictions.
fn verdicts_of(
    predictions: &Predictions,
    file: &PredictionFile,
    document: &Document,
    notes: &mut Vec<String>,
) -> Option<ByModel> {
    let shown = &file.name;
    if document.is_from(predictions) == Some(false) {
        notes.push(format!(
            "{shown}: was judged from other bytes than those of {}; judge again if the \
             predictions changed",
            predictions.file.base_name()
        ));
    }
    if document.repeated > 0 {
        notes.push(format!(
            "{shown}: rows with the id of an earlier one do not count ({} of them)",
            document.repeated
        ));
    }
    let verdicts = document.verdicts.clone();
    verdicts.or_else(|| unasked(file, notes))
}

fn unasked(file: &PredictionFile, notes: &mut Vec<String>) -> Option<ByModel> {
    notes.push(format!(
        "{}: was made without asking a model, so it does not count as judged",
        file.name
    ));
    None
}
