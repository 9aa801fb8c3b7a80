//! Four rates and the gates they are held against.

use judica_model::gate::{Bound, GateResult};
use judica_model::metric::MetricValue;
use judica_stats::wilson_interval;

use super::GoldenThresholds;
use super::report::Metric;

/// The coverage of intervals.
const CONFIDENCE: f64 = 0.95;

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

    /// The rate with its interval; `empty` is why there is none if nothing was counted.
    ///
    /// Wilson's interval takes what was counted for independent, which claims and steps of
    /// one run are not quite: it is the narrowest that could be meant.
    pub(super) fn metric(self, empty: &str) -> Metric {
        let Ratio {
            numerator,
            denominator,
        } = self;
        let value = match wilson_interval(numerator, denominator, CONFIDENCE) {
            Some(interval) => self.value().with_ci([interval.lo, interval.hi]),
            None => MetricValue::undefined(empty),
        };
        Metric {
            numerator,
            denominator,
            value,
        }
    }

    fn value(self) -> MetricValue {
        MetricValue::new(
            self.numerator as f64 / self.denominator as f64,
            self.denominator,
        )
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

/// The gate that every run can be read. It fails without runs, whatever is allowed: a
/// folder in which nothing was tested lets nothing through.
pub(super) fn well_formed(malformed: u64, runs: u64) -> GateResult {
    let value = if runs == 0 {
        MetricValue::undefined("no runs")
    } else {
        MetricValue::new(malformed as f64, runs)
    };
    GateResult::hold(
        "well_formed_runs",
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
        let metric = Ratio::default().metric("no steps");
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
    fn a_rate_has_its_interval() {
        // 8 of 10: worked out by hand at `wilson_interval`.
        let metric = ratio(8, 10).metric("");
        let MetricValue::Defined { value, n, ci, .. } = metric.value else {
            panic!("defined");
        };
        let [lo, hi] = ci.unwrap();
        assert_eq!((value, n), (0.8, 10));
        assert!((lo - 0.4902).abs() < 1e-4 && (hi - 0.9433).abs() < 1e-4);
    }
}
