//! Percent agreement: how often two raters of an item say the same.
//!
//! Of each item with at least two ratings, the share of pairs of its ratings that agree:
//! with n raters for a category and m ratings in all, Σ n(n - 1) / (m(m - 1)). The
//! coefficient is the mean over those items; with two raters, the share of items on
//! which they agree. It is the observed agreement of Fleiss, "Measuring Nominal Scale
//! Agreement Among Many Raters", *Psychological Bulletin* 76(5), 1971, there for equally
//! many raters per item. Chance is not taken into account.
//!
//! Its interval is that of a share: Wilson's where every item has two ratings; otherwise
//! pairs of ratings are what is counted, and an item's pairs are one cluster.

use super::patterns::{is_pairable, ordered_pairs};
use super::{Coefficient, Estimate, Patterns, ShareTerms, Undefined};
use crate::clusters::{Jackknife, NoInterval};
use crate::estimate::clustered_rate;
use crate::interval::{Interval, wilson_interval};

/// Percent agreement, as a share between 0 and 1.
///
/// Undefined if no item has two ratings ([`Undefined::NoPairs`]).
#[derive(Clone, Debug)]
pub struct PercentAgreement<'a> {
    patterns: &'a Patterns,
    /// The numbers of ratings, of at least two, that an item can have; rising.
    ratings: Vec<u32>,
    /// Of the patterns in which anybody agrees: few, where values are measured.
    pairs: Vec<Pairs>,
}

/// What a pattern with pairs that agree contributes.
#[derive(Clone, Debug)]
struct Pairs {
    /// Which entry of the weights it has.
    pattern: usize,
    /// Where its number of ratings is listed.
    slot: usize,
    /// Ordered pairs of ratings that agree.
    agreeing: u64,
}

impl<'a> PercentAgreement<'a> {
    /// The agreement of the items in `patterns`.
    pub fn new(patterns: &'a Patterns) -> Self {
        let ratings = (0..patterns.len()).map(|p| patterns.ratings(p));
        let mut ratings: Vec<u32> = ratings.filter(|&m| is_pairable(m)).collect();
        ratings.sort_unstable();
        ratings.dedup();
        let pairs = (0..patterns.len()).map(|p| Pairs {
            pattern: p,
            slot: ratings.partition_point(|&m| m < patterns.ratings(p)),
            agreeing: patterns.agreeing_pairs(p),
        });
        let pairs = pairs.filter(|pairs| pairs.agreeing > 0).collect();
        Self {
            patterns,
            ratings,
            pairs,
        }
    }
}

impl Coefficient for PercentAgreement<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let items = self.items(weights);
        if items == 0 {
            return Err(Undefined::NoPairs);
        }
        // Integers for each number of ratings, so that the order of patterns does not
        // matter; one division each, in rising order.
        let mut agreeing = vec![0u128; self.ratings.len()];
        for pairs in &self.pairs {
            let weight = u128::from(weights[pairs.pattern]);
            agreeing[pairs.slot] += weight * u128::from(pairs.agreeing);
        }
        let shares = agreeing.iter().zip(&self.ratings);
        let sum: f64 = shares
            .map(|(&agreeing, &m)| agreeing as f64 / ordered_pairs(m) as f64)
            .sum();
        Ok(sum / items as f64)
    }

    fn items(&self, weights: &[u64]) -> u64 {
        self.patterns.items_where(weights, is_pairable)
    }

    fn share_terms(&self, group: usize) -> Option<ShareTerms> {
        let all = ordered_pairs(self.patterns.ratings(group));
        let agreeing = self.patterns.agreeing_pairs(group);
        Some(match all {
            0 => ShareTerms {
                above: 0.0,
                below: 0.0,
                compared: 0,
            },
            _ => ShareTerms {
                above: agreeing as f64 / all as f64,
                below: 1.0,
                compared: all / 2,
            },
        })
    }

    fn share_interval(
        &self,
        weights: &[u64],
        confidence: f64,
    ) -> Option<Result<Interval, NoInterval>> {
        let value = self.estimate(weights).ok()?;
        let items = self.items(weights);
        let (mut pairs, mut squares, mut agreeing) = (0, 0.0, 0);
        let (mut least, mut most) = (1.0_f64, 0.0_f64);
        for (p, &weight) in weights.iter().enumerate() {
            let all = ordered_pairs(self.patterns.ratings(p));
            if weight > 0 && all > 0 {
                let alike = self.patterns.agreeing_pairs(p);
                let share = alike as f64 / all as f64;
                pairs += weight * all / 2;
                agreeing += weight * alike / 2;
                squares += weight as f64 * (share - value).powi(2);
                (least, most) = (least.min(share), most.max(share));
            }
        }
        if pairs == items {
            return wilson_interval(agreeing, items, confidence).map(Ok);
        }
        if items == 1 {
            return Some(Err(NoInterval::OneCluster));
        }
        let n = items as f64;
        let jackknife = Jackknife {
            value,
            se: if least < most {
                (squares / (n * (n - 1.0))).sqrt()
            } else {
                0.0
            },
            acceleration: 0.0,
            clusters: items as usize,
        };
        Some(Ok(clustered_rate(&jackknife, pairs, confidence)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MISSING, Ratings};
    use super::*;
    use proptest::prelude::*;

    fn agreement(raters: usize, codes: &[u32]) -> Estimate {
        let patterns = Patterns::from_ratings(&Ratings::new(raters, 4, codes.to_vec()));
        PercentAgreement::new(&patterns).estimate(patterns.sizes())
    }

    #[test]
    fn worked_by_hand() {
        let m = MISSING;
        // Two raters: they agree on two items of three that both rated.
        assert_eq!(agreement(2, &[0, 0, 1, 2, 3, 3, 1, m]), Ok(2.0 / 3.0));
        // Four raters. Three against one: 3·2 of 4·3 ordered pairs, 1/2. Two against
        // one: 2·1 of 3·2, 1/3. Two who agree: 1. One alone: not counted.
        let codes = [0, 0, 1, 0, 2, m, 1, 2, m, 3, m, 3, m, m, m, 0];
        assert_eq!(
            agreement(4, &codes),
            Ok((1.0 / 2.0 + 1.0 / 3.0 + 1.0) / 3.0)
        );
    }

    #[test]
    fn undefined_has_a_reason() {
        assert_eq!(agreement(2, &[]), Err(Undefined::NoPairs));
        let m = MISSING;
        assert_eq!(agreement(2, &[0, m, m, 1, m, m]), Err(Undefined::NoPairs));
        assert_eq!(agreement(1, &[0, 1, 2]), Err(Undefined::NoPairs));
        let patterns = Patterns::from_ratings(&Ratings::new(2, 2, vec![0, 0, 0, m]));
        let none = vec![0; patterns.len()];
        let agreement = PercentAgreement::new(&patterns);
        assert_eq!(agreement.estimate(&none), Err(Undefined::NoPairs));
    }

    #[test]
    fn a_resample_has_other_sizes() {
        let patterns = Patterns::from_ratings(&Ratings::new(2, 2, vec![0, 0, 0, 1]));
        let agreement = PercentAgreement::new(&patterns);
        let alike = |p| patterns.choices(p).len() == 1;
        let weights: Vec<u64> = (0..2).map(|p| if alike(p) { 3 } else { 1 }).collect();
        assert_eq!(agreement.estimate(&weights), Ok(0.75));
    }

    fn table() -> impl Strategy<Value = Vec<[u32; 3]>> {
        let code = prop_oneof![4 => 0u32..4, 1 => Just(MISSING)];
        prop::collection::vec([code.clone(), code.clone(), code], 1..30)
    }

    proptest! {
        #[test]
        fn order_and_names_do_not_matter(
            (rows, shuffled) in table().prop_flat_map(|t| (Just(t.clone()), Just(t).prop_shuffle())),
        ) {
            let value = agreement(3, rows.as_flattened());
            prop_assert_eq!(value, agreement(3, shuffled.as_flattened()));
            let turned: Vec<u32> = rows.iter().flat_map(|&[a, b, c]| [c, a, b]).collect();
            prop_assert_eq!(value, agreement(3, &turned));
            let name = |&code: &u32| if code == MISSING { code } else { (code + 1) % 4 };
            let renamed: Vec<u32> = rows.as_flattened().iter().map(name).collect();
            prop_assert_eq!(value, agreement(3, &renamed));
            if let Ok(value) = value {
                prop_assert!((0.0..=1.0).contains(&value));
            }
        }

        #[test]
        fn perfect_agreement_is_one(categories in prop::collection::vec(0u32..4, 1..30)) {
            let codes: Vec<u32> = categories.iter().flat_map(|&c| [c, c, c]).collect();
            prop_assert_eq!(agreement(3, &codes), Ok(1.0));
        }
    }
}
