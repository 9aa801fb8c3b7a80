//! What is asked of rows beyond whether they match, and what records keep for it.
//!
//! Sections of the report are a function of these columns, so that a run in pieces ends in the
//! same bytes. A run has them only where they are used.

use std::borrow::Cow;

use judica_model::run::{Direction, MetricKind, MetricSpec, OwnValue};
use judica_run::layout::{OwnColumn, OwnKind};
use judica_stats::calibration::brier;
use serde::{Deserialize, Serialize};

use super::batch::Decided;
use crate::normalize::Choice;
use crate::predictions::row::Row;
use crate::predictions::{Called, Columns, PredictionFile};
use judica_text::normalize::{Sides, not_finite, number};

pub(super) const GOLD_CLASS: &str = "gold_class";
pub(super) const PREDICTED_CLASS: &str = "predicted_class";
pub(super) const GOLD_NUMBER: &str = "gold_number";
pub(super) const PREDICTED_NUMBER: &str = "predicted_number";
pub(super) const ERROR: &str = "error";
const ABSOLUTE_ERROR: &str = "absolute_error";
const SQUARED_ERROR: &str = "squared_error";
pub(super) const NUMBER_PROBLEM: &str = "number_problem";
pub(super) const CONFIDENCE: &str = "confidence";
const BRIER: &str = "brier";
pub(super) const CONFIDENCE_PROBLEM: &str = "confidence_problem";
pub(super) const STRATUM: &str = "stratum";
/// The most columns there are for all of it.
pub(super) const MOST_COLUMNS: usize = 12;

/// What a user asks in words of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Whether answers are classes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub classes: bool,
    /// Of how many repeats of a question one, or all, are to be right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub k: Vec<u32>,
}

/// All that is asked, in words and by columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub asked: Asked,
    /// Whether answers are numbers.
    pub numbers: bool,
    /// Whether rows say how sure they are.
    pub confidence: bool,
    /// By what rows are told apart.
    pub by: Option<String>,
}

impl Wanted {
    /// What is asked of these files.
    pub fn new(asked: &Asked, choice: &Choice, files: &[PredictionFile]) -> Self {
        let columns = files.first().map(|file| &*file.columns);
        Wanted {
            asked: asked.clone(),
            numbers: choice.tolerance().is_some(),
            confidence: columns.is_some_and(Columns::have_confidence),
            by: columns.and_then(|columns| columns.by.clone()),
        }
    }

    /// Whether anything is.
    pub fn is_any(&self) -> bool {
        self.asked != Asked::default() || self.numbers || self.confidence || self.by.is_some()
    }

    /// The columns of records.
    pub fn columns(&self) -> Vec<OwnColumn> {
        use OwnKind::{Number, Text};
        let classes = [(GOLD_CLASS, Text), (PREDICTED_CLASS, Text)];
        let numbers = [
            (GOLD_NUMBER, Number),
            (PREDICTED_NUMBER, Number),
            (ERROR, Number),
            (ABSOLUTE_ERROR, Number),
            (SQUARED_ERROR, Number),
            (NUMBER_PROBLEM, Text),
        ];
        let confidence = [
            (CONFIDENCE, Number),
            (BRIER, Number),
            (CONFIDENCE_PROBLEM, Text),
        ];
        let groups: [(bool, &[(&str, OwnKind)]); 4] = [
            (self.asked.classes, &classes),
            (self.numbers, &numbers),
            (self.confidence, &confidence),
            (self.by.is_some(), &[(STRATUM, Text)]),
        ];
        let wanted = groups.into_iter().filter(|(wanted, _)| *wanted);
        let columns = wanted.flat_map(|(_, columns)| columns);
        columns
            .map(|(name, kind)| OwnColumn::new(*name, *kind))
            .collect()
    }

    /// The metrics that are means over records.
    pub fn metrics(&self) -> Vec<MetricSpec> {
        let mean = |name: &str, column: &str, direction| MetricSpec {
            above: Some(column.to_owned()),
            ..MetricSpec::column(name, MetricKind::Mean, direction)
        };
        let mut metrics = Vec::new();
        if self.numbers {
            metrics.push(mean("mae", ABSOLUTE_ERROR, Direction::Lower));
            metrics.push(mean("mse", SQUARED_ERROR, Direction::Lower));
            metrics.push(mean("bias", ERROR, Direction::None));
        }
        if self.confidence {
            metrics.push(mean(BRIER, BRIER, Direction::Lower));
        }
        metrics
    }

    /// What a row says to all that is asked.
    pub fn answers<'r>(
        &self,
        row: &Row<'r>,
        called: &Called<'r>,
        decided: &Decided,
    ) -> Answers<'r> {
        Answers {
            classes: self.asked.classes.then(|| classes(decided)),
            numbers: self.numbers.then(|| numbers(decided)),
            confidence: self.confidence.then(|| {
                let sure = row.confidence()?;
                Ok((sure, brier(sure, decided.decision.is_match())))
            }),
            stratum: self.by.as_deref().map(|by| match by {
                "subject" => Some(called.subject.clone()),
                "dataset" => Some(called.dataset.clone()),
                _ => row.by(),
            }),
        }
    }
}

/// What a row says to all that is asked; the outer of two options tells whether it is.
pub(super) struct Answers<'r> {
    classes: Option<[Option<String>; 2]>,
    numbers: Option<Result<[f64; 2], &'static str>>,
    confidence: Option<Result<(f64, f64), &'static str>>,
    stratum: Option<Option<Cow<'r, str>>>,
}

impl Answers<'_> {
    /// The same as values of columns; how many there are.
    pub fn values<'v>(&'v self, out: &mut [OwnValue<'v>]) -> usize {
        let mut at = 0;
        let mut push = |value| {
            out[at] = value;
            at += 1;
        };
        let text = |text: Option<&'v str>| text.map_or(OwnValue::Null, OwnValue::Text);
        if let Some(classes) = &self.classes {
            classes
                .iter()
                .for_each(|class| push(text(class.as_deref())));
        }
        if let Some(numbers) = &self.numbers {
            let known = numbers.ok().map(|[gold, said]| {
                let error = said - gold;
                [gold, said, error, error.abs(), error * error]
            });
            (0..5).for_each(|at| push(OwnValue::number(known.map(|known| known[at]))));
            push(text(numbers.err()));
        }
        if let Some(confidence) = &self.confidence {
            let known = confidence.ok();
            push(OwnValue::number(known.map(|(sure, _)| sure)));
            push(OwnValue::number(known.map(|(_, brier)| brier)));
            push(text(confidence.err()));
        }
        if let Some(stratum) = &self.stratum {
            push(text(stratum.as_deref()));
        }
        at
    }
}

/// The classes of gold and prediction. What matches its gold is of its class, however it is
/// spelled.
fn classes(decided: &Decided) -> [Option<String>; 2] {
    let Sides::Whole(gold, prediction) = Sides::of(decided.gold, decided.prediction) else {
        return [None, None];
    };
    let form = |text: &str| decided.normalizer.normalized(text);
    let meant = form(gold);
    let said = match decided.decision {
        decision if decision.is_match() => meant.clone(),
        _ if decided.is_looked_at() => form(prediction),
        _ => None,
    };
    [meant, said]
}

/// Gold and prediction as numbers, or why they are none.
fn numbers(decided: &Decided) -> Result<[f64; 2], &'static str> {
    let Sides::Whole(gold, prediction) = Sides::of(decided.gold, decided.prediction) else {
        return Err("several numbers are expected");
    };
    let gold = number(gold).ok_or(match not_finite(gold) {
        true => "the gold is not finite",
        false => "the gold is no number",
    })?;
    if !decided.is_looked_at() {
        return Err("the prediction is no number");
    }
    let said = number(prediction).ok_or(match not_finite(prediction) {
        true => "the prediction is not finite",
        false => "the prediction is no number",
    })?;
    let error = said - gold;
    if (error * error).is_finite() {
        Ok([gold, said])
    } else {
        Err("the error is too large to be squared")
    }
}
