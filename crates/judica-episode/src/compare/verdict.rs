//! What a difference comes to, in words.

use serde::Serialize;

use super::report::{Difference, Estimate, MetricComparison, OverallVerdict};
use crate::eval_json::Direction;

/// What the data show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Better than the baseline.
    Better,
    /// Worse than the baseline.
    Worse,
    /// Nothing that could not be chance.
    NoDifference,
    /// A count, or a metric nobody knows which way is better.
    NoDirection,
    /// There is nothing to compare, or nothing to tell chance by.
    NotComparable,
}

/// The words for no finding.
pub const NO_DIFFERENCE: &str = "no difference that this data can show";

/// What an estimate comes to at this level.
pub(super) fn verdict(
    label: &str,
    direction: Direction,
    estimate: &Estimate,
    level: f64,
) -> (Verdict, String) {
    let shown = match (estimate.p_holm, estimate.ci) {
        (Some(p), _) => p < level,
        // Without a test the interval has to do.
        (None, Some([lo, hi])) => lo > 0.0 || hi < 0.0,
        (None, None) => false,
    };
    let difference = estimate.difference;
    if !shown || difference == 0.0 {
        return (
            Verdict::NoDifference,
            format!("{NO_DIFFERENCE} ({})", grounds(estimate)),
        );
    }
    let better = (difference > 0.0) == (direction == Direction::Higher);
    let (verdict, word) = if better {
        (Verdict::Better, "better")
    } else {
        (Verdict::Worse, "worse")
    };
    (
        verdict,
        format!("{label} is {word} ({})", grounds(estimate)),
    )
}

/// What a verdict rests on.
fn grounds(estimate: &Estimate) -> String {
    let mut parts = Vec::new();
    match (estimate.p_holm, estimate.ci) {
        (Some(p), _) => parts.push(p_words(p)),
        (None, Some([lo, hi])) => parts.push(format!("interval {lo:.4} to {hi:.4}")),
        (None, None) => {}
    }
    let kind = if estimate.paired {
        "paired"
    } else {
        "unpaired"
    };
    parts.push(kind.to_owned());
    let n: Vec<String> = estimate.n.iter().map(u64::to_string).collect();
    if !n.is_empty() {
        parts.push(format!("n = {}", n.join(" and ")));
    }
    parts.join(", ")
}

fn p_words(p: f64) -> String {
    if p < 0.000_1 {
        "p < 0.0001".to_owned()
    } else {
        format!("p = {p:.4}")
    }
}

/// What the comparison of one run comes to over all metrics.
pub(super) fn overall(
    label: &str,
    baseline: &str,
    metrics: &[MetricComparison],
    at: usize,
) -> OverallVerdict {
    let of = |wanted: Verdict| -> Vec<String> {
        let found = metrics.iter().filter(|metric| {
            let difference: Option<&Difference> = metric.differences.get(at);
            difference.is_some_and(|difference| difference.verdict == wanted)
        });
        found.map(|metric| metric.metric.clone()).collect()
    };
    let (better, worse) = (of(Verdict::Better), of(Verdict::Worse));
    let no_difference = of(Verdict::NoDifference);
    let words = match (
        better.is_empty(),
        worse.is_empty(),
        no_difference.is_empty(),
    ) {
        (false, true, _) => format!("{label} is better than {baseline} in {}", better.join(", ")),
        (true, false, _) => format!("{label} is worse than {baseline} in {}", worse.join(", ")),
        (false, false, _) => format!(
            "{label} is better than {baseline} in {}, and worse in {}",
            better.join(", "),
            worse.join(", ")
        ),
        (true, true, false) => format!("{label} and {baseline}: {NO_DIFFERENCE}"),
        (true, true, true) => format!(
            "{label} and {baseline} cannot be compared: no metric has a value and an interval \
             on both sides"
        ),
    };
    OverallVerdict {
        label: label.to_owned(),
        better,
        worse,
        no_difference,
        not_comparable: of(Verdict::NotComparable),
        words,
    }
}
