//! Fleiss' κ: agreement of equally many raters of every item, who need not be the same.
//!
//! Fleiss, "Measuring nominal scale agreement among many raters", *Psychological
//! Bulletin* 76(5), 1971. Observed agreement is the share of the pairs of raters that
//! chose the same category, over all items; agreement expected by chance is the same
//! share if every rating were drawn from all ratings pooled, Σ p_j² over the categories.
//! κ is what was observed above chance, as a part of what is possible above chance.
//!
//! The shares are of one fixed number of pairs, so every item needs equally many ratings.
//! Items that nobody rated are none. Undefined with fewer than two raters, without items,
//! when items have one rating or unequally many, and when all ratings are the same category.

use super::{Coefficient, Estimate, Patterns, Undefined};

/// Fleiss' κ.
#[derive(Clone, Debug)]
pub struct FleissKappa<'a> {
    patterns: &'a Patterns,
    /// How many ratings every item has, or that they have unequally many.
    each: Result<u32, Undefined>,
    /// The patterns that anybody agrees on, with how many ordered pairs of raters do: few,
    /// where values are measured.
    agreeing: Vec<(usize, u64)>,
}

impl<'a> FleissKappa<'a> {
    /// κ of the items in `patterns`.
    pub fn new(patterns: &'a Patterns) -> Self {
        let counts = || (0..patterns.len()).map(|p| patterns.ratings(p));
        let each = match (counts().min(), counts().max()) {
            _ if patterns.raters() < 2 => Err(Undefined::OneRater),
            (Some(least), Some(most)) if least < most => {
                Err(Undefined::UnequalRatings { least, most })
            }
            (Some(1), _) => Err(Undefined::NoPairs),
            (Some(each), _) => Ok(each),
            (None, _) => Err(Undefined::NoItems),
        };
        let agreeing = (0..patterns.len()).map(|p| (p, patterns.agreeing_pairs(p)));
        Self {
            patterns,
            each,
            agreeing: agreeing.filter(|&(_, pairs)| pairs > 0).collect(),
        }
    }
}

impl Coefficient for FleissKappa<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let each = u128::from(self.each?);
        let items = self.items(weights);
        if items == 0 {
            return Err(Undefined::NoItems);
        }
        // Everything up to the last line is in whole numbers, of which the largest is
        // the square of the number of ratings.
        let ratings = u128::from(items) * each;
        let squares: u128 = self.patterns.marginals().squares(|p| weights[p]);
        let differing_by_chance = ratings * ratings - squares;
        if differing_by_chance == 0 {
            return Err(Undefined::OneCategory);
        }
        let agreeing = self.agreeing.iter();
        let agreeing = agreeing.map(|&(p, pairs)| u128::from(weights[p]) * u128::from(pairs));
        let agreeing: u128 = agreeing.sum();
        let pairs = ratings * (each - 1);
        let observed = (pairs - agreeing) as f64 / pairs as f64;
        let expected = differing_by_chance as f64 / (ratings * ratings) as f64;
        Ok(1.0 - observed / expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::{MISSING, Ratings};
    use proptest::prelude::*;

    const X: u32 = MISSING;

    fn kappa(raters: usize, categories: usize, codes: Vec<u32>) -> (Estimate, u64) {
        let patterns = Patterns::from_ratings(&Ratings::new(raters, categories, codes));
        let kappa = FleissKappa::new(&patterns);
        let sizes = patterns.sizes();
        (kappa.estimate(sizes), kappa.items(sizes))
    }

    #[test]
    fn worked_by_hand() {
        // Three raters agree on three of four items; 8 ratings are of category 0, 4 of 1.
        // Observed (6 + 6 + 2 + 6) / 24 = 5/6, by chance (8/12)² + (4/12)² = 5/9,
        // κ = (5/6 - 5/9) / (1 - 5/9) = 5/8.
        let codes = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1];
        let (value, items) = kappa(3, 2, codes.clone());
        assert!((value.unwrap() - 0.625).abs() < 1e-15);
        assert_eq!(items, 4);
        // The same by five raters, of whom three rated each item, and one that nobody did.
        let mut turned = vec![X; 5];
        for (item, row) in codes.chunks(3).enumerate() {
            let mut five = [row, &[X, X]].concat();
            five.rotate_right(item);
            turned.extend(five);
        }
        assert_eq!(kappa(5, 2, turned), (value, 4));
    }

    #[test]
    fn example_of_the_source() {
        // Fleiss 1971, table 1: 30 patients, six psychiatrists, five diagnoses; κ = 0.430.
        let counts = "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 \
                      03300 10050 02031 00501 30012 51000 02040 10203 00006 01050 02013 20040 \
                      10041 05010 40002 02040 10500 00006";
        let mut codes = Vec::new();
        for digits in counts.split_whitespace().map(str::as_bytes) {
            for (c, digit) in (0..).zip(digits) {
                codes.extend(vec![c; usize::from(digit - b'0')]);
            }
        }
        let (value, items) = kappa(6, 5, codes);
        assert!((value.unwrap() - 0.430).abs() < 5e-4);
        assert_eq!(items, 30);
    }

    #[test]
    fn undefined_says_why() {
        assert_eq!(kappa(0, 2, vec![]).0, Err(Undefined::OneRater));
        assert_eq!(kappa(1, 2, vec![0, 1]).0, Err(Undefined::OneRater));
        assert_eq!(kappa(2, 2, vec![]).0, Err(Undefined::NoItems));
        assert_eq!(kappa(2, 2, vec![0, X, X, X]).0, Err(Undefined::NoPairs));
        let same = vec![1, 1, 1, 1, X, X];
        assert_eq!(kappa(2, 2, same).0, Err(Undefined::OneCategory));
        let unequal = Undefined::UnequalRatings { least: 1, most: 2 };
        assert_eq!(kappa(2, 2, vec![1, 1, 1, 1, 0, X]).0, Err(unequal));
    }

    #[test]
    fn counts_may_be_huge() {
        // Half of 2·10⁹ items are agreed on by a thousand raters, half split evenly.
        let mut codes = vec![0; 1000];
        codes.extend((0..1000).map(|rater| rater % 2));
        let patterns = Patterns::from_ratings(&Ratings::new(1000, 2, codes));
        let kappa = FleissKappa::new(&patterns);
        let (few, many) = (kappa.estimate(&[1, 1]), kappa.estimate(&[1_000_000_000; 2]));
        assert!((few.unwrap() - many.unwrap()).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn label_names_do_not_matter_and_the_value_is_bounded(
            raters in 2usize..7,
            codes in prop::collection::vec(0u32..4, 0..150),
        ) {
            let whole = codes.len() / raters * raters;
            let codes = codes[..whole].to_vec();
            let renamed = codes.iter().map(|c| (c * 3 + 1) % 4).collect();
            let ((value, items), (other, _)) = (kappa(raters, 4, codes), kappa(raters, 4, renamed));
            prop_assert_eq!(items as usize, whole / raters);
            match (value, other) {
                (Ok(value), Ok(other)) => {
                    prop_assert!((value - other).abs() < 1e-12);
                    prop_assert!(value <= 1.0 && value >= -1.0 / (raters as f64 - 1.0) - 1e-12);
                }
                (value, other) => prop_assert_eq!(value, other),
            }
        }

        #[test]
        fn perfect_agreement_is_one(
            raters in 2usize..7,
            chosen in prop::collection::vec(0u32..5, 1..30),
        ) {
            let mut codes: Vec<u32> = chosen.iter().flat_map(|&c| vec![c; raters]).collect();
            codes.extend(vec![5; raters]);
            prop_assert_eq!(kappa(raters, 6, codes).0, Ok(1.0));
        }
    }
}
