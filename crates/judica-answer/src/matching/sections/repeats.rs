//! What several attempts of a subject at one question come to.

use judica_model::metric::MetricValue;
use judica_run::values::metric_value;
use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Clustered, Estimate, Kind};
use judica_stats::repeats::{pass_all, pass_at};
use serde::Serialize;

use super::kept::Kept;

/// The section of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Repeats {
    /// Items, each once for every subject that answers it.
    pub items: u64,
    /// The fewest attempts at one of them, and the most.
    pub attempts: [u64; 2],
    /// What was asked.
    pub passes: Vec<Passes>,
}

/// Of so many attempts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Passes {
    /// How many.
    pub k: u32,
    /// How likely at least one is right.
    pub pass_at_k: MetricValue,
    /// How likely all are.
    pub pass_all_k: MetricValue,
    /// Items with fewer attempts.
    pub left_out: u64,
}

/// The attempts at one question.
struct Question {
    cluster: u32,
    attempts: u64,
    right: u64,
}

pub(super) fn of(kept: &Kept, rows: &[u32], intervals: &Intervals) -> Repeats {
    let mut rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
    // Of several clusters that a question is said to be in, the first counts.
    rows.sort_by_key(|row| kept.question[*row]);
    let same = |a: &usize, b: &usize| kept.question[*a] == kept.question[*b];
    let questions = rows.chunk_by(same).map(|rows| Question {
        cluster: kept.cluster(rows[0]),
        attempts: rows.len() as u64,
        right: rows.iter().filter(|row| kept.matched(**row)).count() as u64,
    });
    let mut questions: Vec<Question> = questions.collect();
    questions.sort_by_key(|question| question.cluster);
    let attempts = || questions.iter().map(|question| question.attempts);
    let passes = |k: &u32| {
        let enough = || attempts().filter(|n| *n >= u64::from(*k)).count() as u64;
        let mean = |pass: fn(u32, u64, u64) -> Option<f64>| {
            let mut clustered = Clustered::default();
            for question in &questions {
                if let Some(share) = pass(*k, question.attempts, question.right) {
                    // A share of attempts: with one of `k` it is that of rows.
                    clustered.add_of(question.cluster, [share, 1.0], question.attempts);
                }
            }
            let found = clustered.estimate(Kind::Rate, intervals);
            let found = found.map(|found| Estimate {
                n: enough(),
                design_effect: None,
                ..found
            });
            metric_value(found, &format!("no item has {k} attempts"))
        };
        Passes {
            k: *k,
            pass_at_k: mean(pass_at),
            pass_all_k: mean(pass_all),
            left_out: questions.len() as u64 - enough(),
        }
    };
    Repeats {
        items: questions.len() as u64,
        attempts: [attempts().min(), attempts().max()].map(Option::unwrap_or_default),
        passes: kept.repeats().iter().map(passes).collect(),
    }
}
