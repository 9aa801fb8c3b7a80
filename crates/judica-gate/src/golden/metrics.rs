//! Four rates and the gates they are held against.

use std::collections::BTreeMap;

use judica_model::gate::{Bound, GateResult};
use judica_model::metric::MetricValue;
use judica_run::values::with_interval;
use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Clustered, Kind};

use super::GoldenThresholds;
use super::queries::Answers;
use super::report::Metric;

/// How many of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ratio {
    /// How many.
    pub numerator: u64,
    /// Of how many.
    pub denominator: u64,
}

impl Ratio {
    /// Counts one.
    pub(super) fn count(&mut self, good: bool) {
        self.add(Ratio {
            numerator: u64::from(good),
            denominator: 1,
        });
    }

    /// Counts all of another.
    pub(super) fn add(&mut self, other: Ratio) {
        self.numerator += other.numerator;
        self.denominator += other.denominator;
    }

    fn value(self) -> MetricValue {
        MetricValue::new(
            self.numerator as f64 / self.denominator as f64,
            self.denominator,
        )
    }
}

/// What a run is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    /// A query, by its number.
    Query(usize),
    /// A run that answers none, by its id.
    Run(String),
}

impl Item {
    /// That of a run.
    pub(super) fn of(answers: Answers, run_id: &str) -> Self {
        match answers {
            Answers::Query(at) => Item::Query(at),
            Answers::None | Answers::OneOfSeveral => Item::Run(run_id.to_owned()),
        }
    }
}

/// How many of how many, by what they are about: claims and steps of one query stand or fall
/// together.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted(BTreeMap<Item, Ratio>);

impl Counted {
    /// Counts all of another.
    pub(super) fn add(&mut self, item: &Item, ratio: Ratio) {
        self.0.entry(item.clone()).or_default().add(ratio);
    }

    /// Counts one.
    pub(super) fn count(&mut self, item: &Item, good: bool) {
        self.0.entry(item.clone()).or_default().count(good);
    }

    /// The rate with its interval; `empty` is why there is none if nothing was counted.
    pub(super) fn metric(&self, empty: &str) -> Metric {
        let (mut all, mut clustered) = (Ratio::default(), Clustered::default());
        for (cluster, ratio) in (0..).zip(self.0.values()) {
            all.add(*ratio);
            let terms = [ratio.numerator, ratio.denominator].map(|count| count as f64);
            clustered.add(cluster, terms);
        }
        let found = clustered.estimate(Kind::Rate, &Intervals::default());
        let value = match found {
            None => MetricValue::undefined(empty),
            // Counted are claims or steps; what varies are the queries they belong to.
            Some(found) => {
                let value = all.value();
                let value = value.with_spread(Some(found.clusters), found.se, None);
                with_interval(value, found.ci)
            }
        };
        Metric {
            numerator: all.numerator,
            denominator: all.denominator,
            value,
        }
    }
}

/// One gate, before it is held against anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Its name.
    pub name: &'static str,
    metric: &'static str,
    bound: Bound,
    threshold: f64,
}

/// The gates, in the order of the metrics: coverage, recall, abstention, manifests.
pub(super) fn rules(thresholds: GoldenThresholds) -> [Rule; 4] {
    let at_least = |name, metric, threshold| Rule {
        name,
        metric,
        bound: Bound::AtLeast,
        threshold,
    };
    let coverage = thresholds.evidence_coverage;
    let recall = thresholds.golden_recall;
    let abstention = thresholds.abstention_accuracy;
    let manifests = thresholds.manifest_integrity;
    [
        at_least("evidence_coverage_rate", "evidence_coverage_rate", coverage),
        at_least("golden_recall", "golden_recall", recall),
        at_least("abstention_accuracy", "abstention_accuracy", abstention),
        Rule {
            // Exactly 1 is what is asked by default; of a lower threshold, "exactly"
            // would stop a run for being better.
            bound: if manifests == 1.0 {
                Bound::Exactly
            } else {
                Bound::AtLeast
            },
            ..at_least("manifest_integrity", "manifest_integrity", manifests)
        },
    ]
}

impl Rule {
    /// Holds the metric against the gate.
    pub(super) fn hold(&self, value: &MetricValue, undefined_passes: bool) -> GateResult {
        GateResult::hold(
            self.name,
            self.metric,
            value,
            self.bound,
            self.threshold,
            undefined_passes,
        )
    }

    /// Whether one run by itself would fail the gate; it cannot where it has nothing to
    /// be held against.
    pub(super) fn fails(&self, ratio: Ratio) -> bool {
        ratio.denominator > 0 && !self.hold(&ratio.value(), false).pass
    }
}

/// The gate that asks whether every run can be read.
pub(super) const WELL_FORMED: &str = "well_formed_runs";

/// The gate that every run can be read. It fails without runs, whatever is allowed: a
/// folder in which nothing was tested lets nothing through.
pub(super) fn well_formed(malformed: u64, runs: u64) -> GateResult {
    let value = if runs == 0 {
        MetricValue::undefined("no runs")
    } else {
        MetricValue::new(malformed as f64, runs)
    };
    GateResult::hold(
        WELL_FORMED,
        "malformed_runs",
        &value,
        Bound::Exactly,
        0.0,
        false,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: u64, denominator: u64) -> Ratio {
        Ratio {
            numerator,
            denominator,
        }
    }

    #[test]
    fn nothing_counted_is_undefined_and_fails_unless_it_may_pass() {
        let metric = Counted::default().metric("no steps");
        assert_eq!(metric.value, MetricValue::undefined("no steps"));
        for rule in rules(GoldenThresholds::default()) {
            for passes in [false, true] {
                let gate = rule.hold(&metric.value, passes);
                assert_eq!((gate.vacuous, gate.pass), (true, passes));
            }
            assert!(!rule.fails(Ratio::default()));
        }
        assert!(well_formed(0, 0).vacuous && !well_formed(0, 0).pass);
        assert!(well_formed(0, 3).pass && !well_formed(1, 3).pass);
    }

    #[test]
    fn thresholds_and_the_exact_one() {
        let [coverage, recall, abstention, manifests] = rules(GoldenThresholds::default());
        assert!(!coverage.fails(ratio(95, 100)) && coverage.fails(ratio(94, 100)));
        assert!(!recall.fails(ratio(4, 5)) && recall.fails(ratio(3, 5)));
        assert!(!abstention.fails(ratio(9, 10)) && abstention.fails(ratio(8, 10)));
        assert!(!manifests.fails(ratio(7, 7)) && manifests.fails(ratio(999_999, 1_000_000)));
        let ops = rules(GoldenThresholds {
            manifest_integrity: 0.5,
            ..GoldenThresholds::default()
        })
        .map(|rule| rule.hold(&ratio(3, 3).value(), false));
        assert!(ops.iter().all(|gate| gate.pass && gate.op == ">="));
        assert_eq!(manifests.hold(&ratio(1, 1).value(), false).op, "==");
    }

    #[test]
    fn a_rate_has_the_interval_of_what_it_is_about() {
        let of = |ratios: &[[u64; 2]]| {
            let mut counted = Counted::default();
            for (at, [numerator, denominator]) in ratios.iter().enumerate() {
                counted.add(&Item::Query(at), ratio(*numerator, *denominator));
            }
            let MetricValue::Defined {
                value,
                n,
                clusters,
                ci,
                ..
            } = counted.metric("").value
            else {
                panic!("defined");
            };
            // What is counted, and what the interval rests on.
            assert_eq!(clusters, Some(ratios.len() as u64));
            (value, n, ci)
        };
        // Ten queries of one claim, 8 covered: worked out by hand at `wilson_interval`.
        let (value, n, ci) = of(&[&[[1, 1]; 8][..], &[[0, 1]; 2]].concat());
        let [lo, hi] = ci.unwrap();
        assert_eq!((value, n), (0.8, 10));
        assert!((lo - 0.4902).abs() < 1e-4 && (hi - 0.9433).abs() < 1e-4);
        // The same claims in two queries say less, and in one nothing.
        let (value, n, ci) = of(&[[8, 8], [0, 2]]);
        assert_eq!((value, n), (0.8, 10));
        assert!(ci.unwrap()[0] < lo);
        assert_eq!(of(&[[8, 10]]).2, None);
    }
}
