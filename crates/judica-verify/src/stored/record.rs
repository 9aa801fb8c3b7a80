//! One stored record, owned.

use judica_data::error::DataError;
use judica_data::parquet::TableError;
use judica_model::record::Adjudication;

use crate::checks::CheckKind;
use crate::checks::Checks;
use crate::evidence::FamilyCount;
use crate::protocol::Protocol;
use crate::render::RecordView;
use crate::response::ParseOutcome;
use crate::score::ScoreRow;

/// Why stored records could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The lines cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The file can be read, but does not hold this protocol's records.
    #[error("`{part}`: {reason}")]
    Unexpected {
        /// The column or key.
        part: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The file does not hold what it should.
pub fn unexpected(part: &str, reason: impl Into<String>) -> StoredError {
    StoredError::Unexpected {
        part: part.to_owned(),
        reason: reason.into(),
    }
}

/// One record, owned.
#[derive(Debug, Clone)]
pub struct StoredRecord {
    /// The sample.
    pub sample_id: String,
    /// The model.
    pub model_name: String,
    /// The task.
    pub task: usize,
    /// The input it came from.
    pub input_file: String,
    /// Its line there.
    pub input_line: i64,
    pub(super) outcome: ParseOutcome,
    pub(super) present: u32,
    pub(super) values: Vec<f64>,
    pub(super) check: Vec<u16>,
    pub(super) severity: Vec<u8>,
    pub(super) observed: Vec<f64>,
    pub(super) texts: Vec<(u32, Box<str>)>,
    pub(super) limits: Vec<(u32, f64)>,
    pub(super) counts: Vec<FamilyCount>,
    pub(super) adjudication: Adjudication,
    pub(super) scores: ScoreRow,
}

impl StoredRecord {
    /// The record as a view for rendering.
    pub fn view(&self) -> RecordView<'_> {
        RecordView {
            sample_id: &self.sample_id,
            model_name: &self.model_name,
            task: self.task,
            outcome: self.outcome,
            present: self.present,
            values: &self.values,
            check: &self.check,
            severity: &self.severity,
            observed: &self.observed,
            texts: &self.texts,
            limits: &self.limits,
            first_atom: 0,
            counts: &self.counts,
            adjudication: self.adjudication,
            scores: &self.scores,
        }
    }
}

impl StoredRecord {
    /// The decision.
    pub fn adjudication(&self) -> Adjudication {
        self.adjudication
    }

    /// How the response was read.
    pub fn outcome(&self) -> ParseOutcome {
        self.outcome
    }

    /// Required keys present.
    pub fn present(&self) -> u32 {
        self.present
    }

    /// The scores; NaN stands for null.
    pub fn scores(&self) -> &ScoreRow {
        &self.scores
    }

    /// Atoms per family.
    pub fn counts(&self) -> &[FamilyCount] {
        &self.counts
    }

    /// Adds one atom, keeping the predicted values it carries.
    pub(super) fn push_atom(
        &mut self,
        protocol: &Protocol,
        checks: &Checks,
        check: u16,
        severity: u8,
        observed: f64,
        text: Option<&str>,
    ) {
        if let Some(text) = text {
            self.texts.push((self.check.len() as u32, text.into()));
        }
        let known = checks.get(check);
        if known.kind == CheckKind::InvalidValue
            && let Some(field) = known.field
        {
            let horizon = protocol.tasks[self.task].horizon;
            let slot = field * horizon + known.step.unwrap_or(0);
            if let Some(value) = self.values.get_mut(slot) {
                *value = observed;
            }
        }
        self.check.push(check);
        self.severity.push(severity);
        self.observed.push(observed);
    }
}
