//! What judged rows amount to.
//!
//! `total_evaluated` are the rows that have a verdict, and every rate is over them but for
//! `approval_rate`, which is over the rows that a model decided. Rows are counted by who
//! decided them: `accuracy_from_exact_match`, `accuracy_from_structural` and
//! `accuracy_boost_from_llm` add up to `accuracy`. Where rows have no verdict, none of these
//! is known: they would be those of the rows that happened to be answered. What is known is
//! between what the accuracy lies. A reply that could not be read, or was
//! declined, is the verdict `no` of a model, and is counted again under `invalid` or
//! `refused`; a row without any reply has no verdict, and is `undecided`.

use judica_model::metric::MetricValue;
use judica_run::values::metric_value;
use judica_stats::clusters::Intervals as Made;
use judica_stats::estimate::{Clustered, Kind};
use serde::Serialize;

use crate::verdict::{DecisionMethod, ParseStatus};

/// As much of a judged row as metrics need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Who decided it.
    pub method: DecisionMethod,
    /// Whether the prediction is correct; `None` without a verdict.
    pub correct: Option<bool>,
    /// What became of the reply, if a model was asked.
    pub status: Option<ParseStatus>,
}

/// Metrics of judged rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Correct rows, if all have a verdict.
    pub accuracy: Option<f64>,
    /// Rows with a verdict.
    pub total_evaluated: u64,
    /// Those found correct.
    pub correct: u64,
    /// Those found wrong.
    pub incorrect: u64,
    /// Rows decided by equality.
    pub exact_match: Share,
    /// Rows decided by a model.
    pub llm_judged: Approval,
    /// Correct by equality, likewise.
    pub accuracy_from_exact_match: Option<f64>,
    /// Correct by a model's verdict, likewise.
    pub accuracy_boost_from_llm: Option<f64>,
    /// Rows that count as wrong because no model was to be asked.
    pub no_llm_fallback_count: u64,
    /// Rows decided by structure.
    pub structural: Share,
    /// Correct by structure, likewise.
    pub accuracy_from_structural: Option<f64>,
    /// The same as `accuracy`: a row without gold or prediction (`unmatched` in the files of
    /// tools that leave such rows out) is refused before it could be judged.
    pub accuracy_without_unmatched: Option<f64>,
    /// Rows without a verdict.
    pub undecided: u64,
    /// Rows whose reply could not be read.
    pub invalid: u64,
    /// Rows that the model declined to judge.
    pub refused: u64,
    /// Intervals of the rates.
    pub intervals: Intervals,
    /// Between what the accuracy lies where rows have no verdict: with all of them wrong,
    /// with all of them right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_bounds: Option<[f64; 2]>,
    /// Why accuracies are null, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// How many rows, and what part of all rows with a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// What part.
    pub rate: Option<f64>,
    /// Why there is no rate, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<&'static str>,
}

/// Rows that a model decided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Approval {
    /// How many.
    pub count: u64,
    /// What part of all rows with a verdict.
    pub rate: Option<f64>,
    /// What part of them the model found correct.
    pub approval_rate: Option<f64>,
    /// Why a rate is null, if one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<&'static str>,
}

/// The rates with their intervals, over clusters of rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Intervals {
    /// Their confidence.
    pub confidence: f64,
    /// Of `accuracy`.
    pub accuracy: MetricValue,
    /// Of `exact_match.rate`.
    pub exact_match: MetricValue,
    /// Of `structural.rate`.
    pub structural: MetricValue,
    /// Of `llm_judged.approval_rate`.
    pub approval_rate: MetricValue,
}

const NO_VERDICTS: &str = "no row has a verdict";
const NO_MODEL: &str = "no row was decided by a model";

/// Rows of one method that have a verdict.
#[derive(Clone, Copy, Default)]
struct Tally {
    rows: u64,
    correct: u64,
}

/// Computes the metrics of judged rows, in any order; each with a number of what it stands or
/// falls with.
pub fn compute_metrics(rows: impl IntoIterator<Item = (Judgement, u64)>) -> Metrics {
    // Rows with a verdict.
    let mut judged: Vec<(u64, DecisionMethod, bool)> = Vec::new();
    let [mut exact, mut structural, mut llm, mut no_llm] = [Tally::default(); 4];
    let [mut undecided, mut invalid, mut refused] = [0; 3];
    for (row, cluster) in rows {
        match row.status {
            Some(ParseStatus::Invalid) => invalid += 1,
            Some(ParseStatus::Refused) => refused += 1,
            Some(ParseStatus::Ok | ParseStatus::Repaired | ParseStatus::Error) | None => {}
        }
        let Some(correct) = row.correct else {
            undecided += 1;
            continue;
        };
        let tally = match row.method {
            DecisionMethod::Exact => &mut exact,
            DecisionMethod::Structural => &mut structural,
            DecisionMethod::Llm => &mut llm,
            DecisionMethod::NoLlm => &mut no_llm,
        };
        judged.push((cluster, row.method, correct));
        tally.rows += 1;
        tally.correct += u64::from(correct);
    }
    let all = [exact, structural, llm, no_llm];
    let total: u64 = all.iter().map(|tally| tally.rows).sum();
    let correct: u64 = all.iter().map(|tally| tally.correct).sum();
    judged.sort_unstable_by_key(|(cluster, ..)| *cluster);
    let decided = |by: DecisionMethod| {
        share_over(
            judged.iter().map(|(at, method, _)| (*at, *method == by)),
            NO_VERDICTS,
        )
    };
    let undefined = (total == 0).then_some(NO_VERDICTS);
    let rows = total + undecided;
    let partly = undecided > 0;
    let accuracy = |part: u64| rate(part, total).filter(|_| !partly);
    let share = |tally: Tally| Share {
        count: tally.rows,
        rate: rate(tally.rows, total),
        undefined,
    };
    Metrics {
        accuracy: accuracy(correct),
        total_evaluated: total,
        correct,
        incorrect: total - correct,
        exact_match: share(exact),
        llm_judged: Approval {
            count: llm.rows,
            rate: rate(llm.rows, total),
            approval_rate: rate(llm.correct, llm.rows),
            undefined: undefined.or((llm.rows == 0).then_some(NO_MODEL)),
        },
        accuracy_from_exact_match: accuracy(exact.correct),
        accuracy_boost_from_llm: accuracy(llm.correct),
        no_llm_fallback_count: no_llm.rows,
        structural: share(structural),
        accuracy_from_structural: accuracy(structural.correct),
        accuracy_without_unmatched: accuracy(correct),
        undecided,
        invalid,
        refused,
        intervals: Intervals {
            confidence: Made::default().confidence,
            accuracy: match partly {
                true => MetricValue::undefined("not all rows have a verdict"),
                false => share_over(
                    judged.iter().map(|(at, _, correct)| (*at, *correct)),
                    NO_VERDICTS,
                ),
            },
            exact_match: decided(DecisionMethod::Exact),
            structural: decided(DecisionMethod::Structural),
            approval_rate: {
                let by_model = |row: &&(u64, DecisionMethod, bool)| row.1 == DecisionMethod::Llm;
                let rows = judged.iter().filter(by_model);
                share_over(rows.map(|(at, _, correct)| (*at, *correct)), NO_MODEL)
            },
        },
        accuracy_bounds: rate(correct, rows)
            .zip(rate(correct + undecided, rows))
            .filter(|_| partly)
            .map(|(least, most)| [least, most]),
        undefined: match undefined {
            Some(why) => Some(why.to_owned()),
            None => partly.then(|| format!("{undecided} of {rows} rows have no verdict")),
        },
    }
}

/// A part of a whole, if there is a whole.
pub(crate) fn rate(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The share of rows that are marked, with its interval; rows come in the order of what they
/// stand or fall with.
pub(crate) fn share_over(rows: impl Iterator<Item = (u64, bool)>, why_none: &str) -> MetricValue {
    let mut clustered = Clustered::default();
    let (mut number, mut last) = (0, None);
    for (cluster, marked) in rows {
        number += u32::from(last.is_some_and(|last| last != cluster));
        last = Some(cluster);
        clustered.add(number, [f64::from(u8::from(marked)), 1.0]);
    }
    metric_value(clustered.estimate(Kind::Rate, &Made::default()), why_none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use DecisionMethod::{Exact, Llm, NoLlm, Structural};
    use proptest::prelude::*;

    fn row(
        method: DecisionMethod,
        correct: Option<bool>,
        status: Option<ParseStatus>,
    ) -> Judgement {
        Judgement {
            method,
            correct,
            status,
        }
    }

    /// Each row alone.
    fn metrics_of(rows: impl IntoIterator<Item = Judgement>) -> Metrics {
        compute_metrics(rows.into_iter().zip(0..))
    }

    fn ci(value: &MetricValue) -> Option<[f64; 2]> {
        match value {
            MetricValue::Defined { ci, .. } => *ci,
            MetricValue::Undefined { .. } => None,
        }
    }

    #[test]
    fn worked_by_hand() {
        let ok = Some(ParseStatus::Ok);
        let rows = [
            row(Exact, Some(true), None),
            row(Exact, Some(true), None),
            row(Exact, Some(true), None),
            row(Structural, Some(true), None),
            row(Llm, Some(true), Some(ParseStatus::Repaired)),
            row(Llm, Some(false), ok),
            row(Llm, Some(false), Some(ParseStatus::Invalid)),
            row(Llm, Some(false), Some(ParseStatus::Refused)),
        ];
        let metrics = metrics_of(rows);
        assert_eq!(metrics.accuracy, Some(5.0 / 8.0));
        assert_eq!(
            (metrics.total_evaluated, metrics.correct, metrics.incorrect),
            (8, 5, 3)
        );
        assert_eq!(
            (metrics.exact_match.count, metrics.exact_match.rate),
            (3, Some(0.375))
        );
        assert_eq!(
            (metrics.structural.count, metrics.structural.rate),
            (1, Some(0.125))
        );
        assert_eq!(metrics.llm_judged.count, 4);
        assert_eq!(metrics.llm_judged.rate, Some(0.5));
        assert_eq!(metrics.llm_judged.approval_rate, Some(0.25));
        assert_eq!(metrics.accuracy_from_exact_match, Some(0.375));
        assert_eq!(metrics.accuracy_boost_from_llm, Some(0.125));
        assert_eq!(
            (metrics.undecided, metrics.invalid, metrics.refused),
            (0, 1, 1)
        );
        assert_eq!((metrics.undefined, metrics.accuracy_bounds), (None, None));
        // Wilson for 5 of 8: (5 + z²/2 ± z √(5·3/8 + z²/4)) / (8 + z²), z = 1.959964.
        let [lo, hi] = ci(&metrics.intervals.accuracy).unwrap();
        assert!(
            (lo - 0.305_742).abs() < 1e-6 && (hi - 0.863_156).abs() < 1e-6,
            "{lo} {hi}"
        );
    }

    #[test]
    fn rows_without_a_verdict_leave_bounds() {
        let none = row(Llm, None, Some(ParseStatus::Error));
        let rows = [row(Exact, Some(true), None), row(Llm, Some(false), None)];
        let metrics = metrics_of(rows.into_iter().chain([none; 2]));
        assert_eq!(metrics.accuracy_bounds, Some([0.25, 0.75]));
        let why = metrics.undefined.as_deref();
        assert_eq!(why, Some("2 of 4 rows have no verdict"));
        let unknown = [
            metrics.accuracy,
            metrics.accuracy_without_unmatched,
            metrics.accuracy_from_exact_match,
            metrics.accuracy_from_structural,
            metrics.accuracy_boost_from_llm,
        ];
        assert_eq!(unknown, [None; 5]);
        assert_eq!(metrics.intervals.accuracy.value(), None);
        assert_eq!((metrics.total_evaluated, metrics.undecided), (2, 2));
        assert_eq!(metrics.exact_match.rate, Some(0.5));
        assert_eq!(metrics_of([none]).accuracy_bounds, Some([0.0, 1.0]));
        assert_eq!(metrics_of([]).accuracy_bounds, None);
    }

    #[test]
    fn keys_are_those_of_the_evaluator() {
        let metrics = metrics_of([row(NoLlm, Some(false), None)]);
        let json = serde_json::to_value(&metrics).unwrap();
        let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
        assert_eq!(
            keys[..9],
            [
                "accuracy",
                "total_evaluated",
                "correct",
                "incorrect",
                "exact_match",
                "llm_judged",
                "accuracy_from_exact_match",
                "accuracy_boost_from_llm",
                "no_llm_fallback_count",
            ]
        );
        assert_eq!(json["no_llm_fallback_count"], 1);
        assert_eq!(json["accuracy"], 0.0);
        assert_eq!(
            json["llm_judged"].to_string(),
            r#"{"count":0,"rate":0.0,"approval_rate":null,"undefined":"no row was decided by a model"}"#
        );
    }

    #[test]
    fn repeats_of_a_question_are_one_cluster() {
        let rows = || (0..40).map(|n| row(Llm, Some(n % 4 > 0), None));
        let alone = metrics_of(rows()).intervals;
        let together = compute_metrics(rows().zip((0..).map(|n: u64| n % 8))).intervals;
        let ends = |value: &MetricValue| ci(value).unwrap();
        let ([lo, hi], [lower, higher]) = (ends(&alone.accuracy), ends(&together.accuracy));
        assert!(lower < lo && hi < higher);
        assert_eq!(together.approval_rate, together.accuracy);
    }

    #[test]
    fn nothing_is_undefined_and_says_why() {
        for rows in [vec![], vec![row(Llm, None, Some(ParseStatus::Error))]] {
            let json = serde_json::to_value(metrics_of(rows)).unwrap();
            assert!(json["accuracy"].is_null() && json["intervals"]["accuracy"]["value"].is_null());
            assert_eq!(json["undefined"], "no row has a verdict");
            assert_eq!(json["exact_match"]["undefined"], "no row has a verdict");
        }
    }

    fn judgement() -> impl Strategy<Value = Judgement> {
        let method = prop_oneof![Just(Exact), Just(Structural), Just(Llm), Just(NoLlm)];
        (method, any::<Option<bool>>()).prop_map(|(method, correct)| row(method, correct, None))
    }

    proptest! {
        #[test]
        fn parts_add_up(rows in proptest::collection::vec(judgement(), 0..40)) {
            let metrics = metrics_of(rows.clone());
            prop_assert_eq!(metrics.total_evaluated + metrics.undecided, rows.len() as u64);
            prop_assert_eq!(metrics.correct + metrics.incorrect, metrics.total_evaluated);
            let mut turned = rows;
            turned.reverse();
            prop_assert_eq!(&metrics_of(turned), &metrics);
            if let (Some([lo, hi]), Some(value)) = (ci(&metrics.intervals.accuracy), metrics.accuracy) {
                prop_assert!(lo <= value && value <= hi);
            }
            // Known, or between bounds, or of nothing.
            let known = metrics.accuracy.is_some();
            prop_assert_eq!(known, metrics.total_evaluated > 0 && metrics.undecided == 0);
            prop_assert_eq!(metrics.accuracy_bounds.is_some(), metrics.undecided > 0);
            prop_assert_eq!(known, metrics.undefined.is_none());
        }
    }
}
