//! How many answers are correct, and who says so.
//!
//! Rows without a verdict are missing, not wrong. Where there are any, the judge's accuracy
//! is not known: it would be that of the rows it happened to answer. What is known are the
//! bounds, with all of them wrong and all of them right.

use judica_stats::clusters::Intervals;
use judica_stats::estimate::plain_rate;
use serde::Serialize;

use super::facts::{Measured, Tally, Verdicts};

/// Who says whether an answer is correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccuracySource {
    /// A judge, who also knows what is equal without asking a model.
    Judge,
    /// Equality with the gold.
    ExactMatch,
    /// The primary metric of a run.
    Metric,
}

impl AccuracySource {
    /// What it is called in reports.
    pub fn name(self) -> &'static str {
        match self {
            AccuracySource::Judge => "judge",
            AccuracySource::ExactMatch => "exact_match",
            AccuracySource::Metric => "metric",
        }
    }
}

/// How many answers are correct, by whom.
#[derive(Clone, Debug, PartialEq)]
pub enum Correct {
    /// A judge says so.
    Judge(Verdicts),
    /// Equality with the gold says so.
    ExactMatch(Tally),
    /// The primary metric of runs says so.
    Metric(Measured),
    /// Several say so, and do not mean the same.
    Mixed,
}

/// The share of correct answers. Its keys stand among those of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AccuracyReport {
    /// The share.
    pub accuracy: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_undefined: Option<String>,
    /// Of how many answers it is known.
    pub accuracy_n: u64,
    /// Its 95 % interval.
    pub accuracy_ci: Option<[f64; 2]>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_ci_undefined: Option<String>,
    /// Who says what is correct.
    pub accuracy_source: Option<AccuracySource>,
    /// Which metric of runs says what is correct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_metric: Option<String>,
    /// How many rows have no verdict, where a judge says what is correct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_missing: Option<u64>,
    /// Between what it lies where rows have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_bounds: Option<[f64; 2]>,
    /// The share among the rows that have gold and prediction; a judge's only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_without_unmatched: Option<Option<f64>>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_without_unmatched_undefined: Option<String>,
    /// How many rows have no gold or no prediction, where a judge says what is correct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_unmatched: Option<u64>,
}

impl AccuracyReport {
    pub(super) fn of(correct: Option<Correct>) -> Self {
        match correct {
            None => AccuracyReport {
                accuracy_undefined: Some("no answer was judged or compared with a gold".into()),
                ..AccuracyReport::default()
            },
            Some(Correct::ExactMatch(tally)) => Self::by(AccuracySource::ExactMatch, tally),
            Some(Correct::Judge(verdicts)) => Self::judged(verdicts),
            Some(Correct::Metric(measured)) => Self::measured(measured),
            Some(Correct::Mixed) => AccuracyReport {
                accuracy_undefined: Some("its runs and files measure different things".into()),
                ..AccuracyReport::default()
            },
        }
    }

    fn by(source: AccuracySource, tally: Tally) -> Self {
        AccuracyReport {
            accuracy: share(tally),
            accuracy_n: tally.n,
            accuracy_ci: plain_rate(tally.correct, tally.n, 0.95)
                .and_then(|found| Some(found.ci.ok()?.ends())),
            accuracy_source: Some(source),
            ..AccuracyReport::default()
        }
    }

    fn measured(measured: Measured) -> Self {
        let terms = |record: usize| measured.terms[record];
        let records = measured.keys.by_cluster();
        let found = records.estimate(measured.kind, &Intervals::default(), terms);
        let metric = measured.metric;
        let none = || format!("no record has a value of `{metric}`");
        AccuracyReport {
            accuracy: found.map(|found| found.value),
            accuracy_undefined: found.is_none().then(none),
            accuracy_n: found.map_or(0, |found| found.n),
            accuracy_ci: found.and_then(|found| Some(found.ci.ok()?.ends())),
            accuracy_ci_undefined: found.and_then(|found| Some(found.ci.err()?.to_string())),
            accuracy_source: Some(AccuracySource::Metric),
            accuracy_metric: Some(metric),
            ..AccuracyReport::default()
        }
    }

    fn judged(verdicts: Verdicts) -> Self {
        let Verdicts {
            decided,
            unmatched,
            missing,
        } = verdicts;
        let mut report = Self::by(AccuracySource::Judge, decided);
        report.accuracy_missing = Some(missing);
        report.accuracy_unmatched = Some(unmatched.n);
        if missing > 0 {
            let n = verdicts.rows();
            let why = format!("{missing} of {n} rows have no verdict");
            let least = decided.correct as f64 / n as f64;
            let most = (decided.correct + missing) as f64 / n as f64;
            report.accuracy = None;
            report.accuracy_ci = None;
            report.accuracy_bounds = Some([least, most]);
            report.accuracy_undefined = Some(why.clone());
            report.accuracy_without_unmatched = Some(None);
            report.accuracy_without_unmatched_undefined = Some(why);
            return report;
        }
        let matched = Tally {
            correct: decided.correct - unmatched.correct,
            n: decided.n - unmatched.n,
        };
        let without = share(matched);
        report.accuracy_without_unmatched = Some(without);
        report.accuracy_without_unmatched_undefined = without
            .is_none()
            .then(|| "every row lacks gold or prediction".to_owned());
        report
    }
}

fn share(tally: Tally) -> Option<f64> {
    (tally.n > 0).then(|| tally.correct as f64 / tally.n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(decided: [u64; 2], unmatched: u64, missing: u64) -> AccuracyReport {
        let [correct, n] = decided;
        AccuracyReport::of(Some(Correct::Judge(Verdicts {
            decided: Tally { correct, n },
            unmatched: Tally {
                correct: 0,
                n: unmatched,
            },
            missing,
        })))
    }

    #[test]
    fn rows_without_a_verdict_leave_bounds() {
        let report = judged([3, 8], 2, 2);
        assert_eq!((report.accuracy, report.accuracy_ci), (None, None));
        assert_eq!(report.accuracy_bounds, Some([0.3, 0.5]));
        let why = report.accuracy_undefined.as_deref();
        assert_eq!(why, Some("2 of 10 rows have no verdict"));
        assert_eq!(report.accuracy_without_unmatched, Some(None));
        assert_eq!(judged([0, 0], 0, 4).accuracy_bounds, Some([0.0, 1.0]));
    }

    #[test]
    fn unmatched_rows_count_and_the_other_number_stands_beside() {
        let report = judged([3, 8], 2, 0);
        assert_eq!(report.accuracy, Some(0.375));
        assert_eq!(report.accuracy_without_unmatched, Some(Some(0.5)));
        assert_eq!(report.accuracy_bounds, None);
        let none = serde_json::to_value(judged([0, 2], 2, 0)).unwrap();
        assert_eq!(none["accuracy"], 0.0);
        assert!(none["accuracy_without_unmatched"].is_null());
        assert!(none["accuracy_without_unmatched_undefined"].is_string());
    }

    #[test]
    fn exact_match_has_no_judges_keys() {
        let tally = Tally { correct: 1, n: 2 };
        let report = AccuracyReport::of(Some(Correct::ExactMatch(tally)));
        let json = serde_json::to_value(report).unwrap();
        assert_eq!(json["accuracy"], 0.5);
        assert!(json.get("accuracy_without_unmatched").is_none());
        assert!(AccuracyReport::of(None).accuracy_undefined.is_some());
    }
}
