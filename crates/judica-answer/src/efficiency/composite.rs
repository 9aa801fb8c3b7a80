//! Accuracy, cost and latency as one number.
//!
//! Each of the three is placed on a scale from the worst model (0) to the best (1), and the
//! weighted mean of the three places is the composite. It says who does well *among these
//! models*; it changes when a model is added, and it is no measure of anything by itself.

use serde::Serialize;

use super::OutOfRange;

/// How much each term counts. Only their ratio matters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Weights {
    /// Of accuracy.
    pub accuracy: f64,
    /// Of the cost per row.
    pub cost: f64,
    /// Of the mean latency.
    pub latency: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            accuracy: 0.5,
            cost: 0.25,
            latency: 0.25,
        }
    }
}

impl Weights {
    /// Weights, none of them negative and not all of them 0.
    pub fn new(accuracy: f64, cost: f64, latency: f64) -> Result<Self, OutOfRange> {
        let terms = [
            ("the weight of accuracy", accuracy),
            ("the weight of cost", cost),
            ("the weight of latency", latency),
        ];
        for (name, found) in terms {
            if !(0.0..=1e6).contains(&found) {
                let expected = "a number from 0 to 1,000,000";
                return Err(OutOfRange {
                    name,
                    found,
                    expected,
                });
            }
        }
        if accuracy + cost + latency == 0.0 {
            return Err(OutOfRange {
                name: "the sum of the weights",
                found: 0.0,
                expected: "at least one weight above 0",
            });
        }
        Ok(Self {
            accuracy,
            cost,
            latency,
        })
    }
}

/// Places between the worst (0) and the best (1); those that are missing drop out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Terms {
    /// Of accuracy.
    pub accuracy: Option<f64>,
    /// Of the cost per row.
    pub cost: Option<f64>,
    /// Of the mean latency.
    pub latency: Option<f64>,
}

impl Terms {
    /// The mean of the terms that are there, by weight; `None` if they have none.
    pub fn score(&self, weights: &Weights) -> Option<f64> {
        let terms = [
            (self.accuracy, weights.accuracy),
            (self.cost, weights.cost),
            (self.latency, weights.latency),
        ];
        let (mut sum, mut weight) = (0.0, 0.0);
        for (place, each) in terms {
            if let Some(place) = place {
                sum += place * each;
                weight += each;
            }
        }
        (weight > 0.0).then(|| sum / weight)
    }
}

/// Which end of a scale is the good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// The place of each value between the worst (0) and the best (1). All are `None` if those
/// that are there do not differ: then nobody is worst, and nobody best.
pub fn places(values: &[Option<f64>], better: Better) -> Vec<Option<f64>> {
    let known = || values.iter().flatten().copied();
    let (Some(least), Some(most)) = (
        known().min_by(f64::total_cmp),
        known().max_by(f64::total_cmp),
    ) else {
        return vec![None; values.len()];
    };
    let place = |value: f64| {
        let up = (value - least) / (most - least);
        let place = match better {
            Better::Higher => up,
            Better::Lower => 1.0 - up,
        };
        // 0/0 where nothing differs.
        place.is_finite().then_some(place)
    };
    values.iter().map(|value| value.and_then(place)).collect()
}

/// The composite of one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CompositeReport {
    /// From 0 to 1.
    pub score: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_undefined: Option<String>,
    /// What it is made of.
    pub terms: Terms,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        let values = [Some(0.9), None, Some(0.5), Some(0.6)];
        let places = places(&values, Better::Higher);
        assert_eq!(
            (places[0], places[1], places[2]),
            (Some(1.0), None, Some(0.0))
        );
        assert!((places[3].unwrap() - 0.25).abs() < 1e-15);
        // (0.5 · 1 + 0.25 · 0.2) / 0.75: the missing cost takes its weight along.
        let terms = Terms {
            accuracy: Some(1.0),
            cost: None,
            latency: Some(0.2),
        };
        let score = terms.score(&Weights::default()).unwrap();
        assert!((score - 0.55 / 0.75).abs() < 1e-15);
    }

    #[test]
    fn less_is_better_the_other_way_round() {
        let values = [Some(10.0), Some(30.0), Some(15.0)];
        assert_eq!(
            places(&values, Better::Lower),
            [Some(1.0), Some(0.0), Some(0.75)]
        );
    }

    #[test]
    fn what_does_not_differ_has_no_place() {
        for values in [
            vec![],
            vec![Some(3.0)],
            vec![Some(3.0), None, Some(3.0)],
            vec![None],
        ] {
            assert!(places(&values, Better::Lower).iter().all(Option::is_none));
        }
        assert_eq!(Terms::default().score(&Weights::default()), None);
        let only_free = Terms {
            cost: Some(1.0),
            ..Terms::default()
        };
        assert_eq!(only_free.score(&Weights::new(1.0, 0.0, 0.0).unwrap()), None);
    }

    #[test]
    fn weights_are_checked() {
        for [a, c, l] in [
            [-1.0, 1.0, 1.0],
            [1.0, f64::NAN, 1.0],
            [1.0, 1.0, f64::INFINITY],
        ] {
            assert!(Weights::new(a, c, l).is_err());
        }
        let error = Weights::new(0.0, 0.0, 0.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the sum of the weights is 0, at least one weight above 0 is needed"
        );
        assert!(Weights::new(0.0, 2.0, 0.0).is_ok());
    }

    proptest! {
        #[test]
        fn a_score_lies_between_worst_and_best(
            values in prop::collection::vec(prop::option::of(0.0f64..1e300), 0..20),
            weights in (0.01f64..9.0, 0.0f64..9.0, 0.0f64..9.0),
        ) {
            let weights = Weights::new(weights.0, weights.1, weights.2).unwrap();
            let up = places(&values, Better::Higher);
            let down = places(&values, Better::Lower);
            for (up, down) in up.iter().zip(&down) {
                prop_assert_eq!(up.is_some(), down.is_some());
                let terms = Terms { accuracy: *up, cost: *down, latency: *up };
                if let Some(score) = terms.score(&weights) {
                    prop_assert!((-1e-12..=1.0 + 1e-12).contains(&score));
                }
            }
        }

        #[test]
        fn the_unit_of_the_weights_does_not_matter(place in 0.0f64..1.0, k in 0.1f64..100.0) {
            let terms = Terms { accuracy: Some(place), cost: Some(0.3), latency: None };
            let a = terms.score(&Weights::new(0.5, 0.25, 0.25).unwrap()).unwrap();
            let b = terms.score(&Weights::new(0.5 * k, 0.25 * k, 0.25 * k).unwrap()).unwrap();
            prop_assert!((a - b).abs() < 1e-12);
        }
    }
}
