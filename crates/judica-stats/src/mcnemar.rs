//! McNemar's test: which of two raters is right more often.
//!
//! Both raters judge the same items, and each judgment is right or wrong. Items on which
//! both are right or both wrong say nothing; of the others, b were right for the first
//! rater only and c for the second only. If the raters are equally good, each such item
//! falls to either side like a fair coin.
//!
//! McNemar, "Note on the Sampling Error of the Difference Between Correlated Proportions
//! or Percentages", *Psychometrika* 12(2), 1947. Which of the three p-values to quote:
//! Fagerland, Lydersen and Laake, "The McNemar test for binary matched-pairs data: mid-p
//! and asymptotic are better than exact conditional", *BMC Medical Research Methodology*
//! 13:91, 2013, who also define the mid-p used here.

use crate::fair_coin::lower_tail;

/// The result of McNemar's test; all p-values are two-sided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McNemar {
    /// Items that only the first rater got right.
    pub b: u64,
    /// Items that only the second rater got right.
    pub c: u64,
    /// (b - c)² / (b + c), without continuity correction.
    pub statistic: f64,
    /// From the statistic, by the chi-square distribution with one degree of freedom.
    pub p_asymptotic: f64,
    /// Twice the probability of a split at least as uneven to the same side, at most 1.
    pub p_exact: f64,
    /// The exact value with the observed split counted half: less conservative.
    pub p_mid: f64,
}

/// Compares two raters of whom the first alone was right on `b` items and the second
/// alone on `c`.
///
/// `None` if there is no such item. The exact p-values are correctly rounded up to 120
/// items, have a relative error below 10^-11 up to 2^40, and are those of the normal
/// distribution with continuity correction beyond; what is below the range of doubles
/// is 0.
///
/// ```
/// // Of 2^8 sequences, 1 + 8 have at most one item on one side: 2 · 9 / 256.
/// let test = judica_stats::mcnemar::mcnemar(1, 7).unwrap();
/// assert_eq!((test.statistic, test.p_exact), (4.5, 0.0703125));
/// ```
pub fn mcnemar(b: u64, c: u64) -> Option<McNemar> {
    let discordant = u128::from(b) + u128::from(c);
    if discordant == 0 {
        return None;
    }
    let apart = u128::from(b.abs_diff(c));
    let statistic = (apart * apart) as f64 / discordant as f64;
    let tail = lower_tail(b, c);
    // An even split is one event, not one on either side.
    let p_mid = if b == c {
        1.0 - tail.exactly / 2.0
    } else {
        (2.0 * tail.at_most - tail.exactly).max(0.0)
    };
    Some(McNemar {
        b,
        c,
        statistic,
        p_asymptotic: libm::erfc((statistic / 2.0).sqrt()),
        p_exact: (2.0 * tail.at_most).min(1.0),
        p_mid,
    })
}

#[cfg(test)]
mod tests {
    use super::mcnemar;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // The first example of Fagerland et al. 36 / 8 = 4.5, and √4.5 = 2.1213 standard
        // deviations leave 0.0339. Exact 2·(1 + 8)/256; for the mid-p, less 8/256.
        let test = mcnemar(1, 7).unwrap();
        assert_eq!(test.statistic, 4.5);
        assert!((test.p_asymptotic - 0.033_894_853_524_689).abs() < 1e-14);
        assert_eq!((test.p_exact, test.p_mid), (18.0 / 256.0, 10.0 / 256.0));
    }

    #[test]
    fn an_even_split_is_no_evidence() {
        // 6 of the 16 sequences of four are even; half of them are taken off.
        let test = mcnemar(2, 2).unwrap();
        assert_eq!((test.statistic, test.p_asymptotic), (0.0, 1.0));
        assert_eq!((test.p_exact, test.p_mid), (1.0, 1.0 - 3.0 / 16.0));
        for n in [60, 61, 1000, 1 << 50, u64::MAX] {
            let test = mcnemar(n, n).unwrap();
            assert!(test.p_exact == 1.0 && test.p_mid < 1.0 && test.p_mid > 0.94);
            assert_eq!(mcnemar(n, n - 1).unwrap().p_exact, 1.0);
        }
    }

    #[test]
    fn no_discordant_item_is_none() {
        assert_eq!(mcnemar(0, 0), None);
    }

    #[test]
    fn the_ends_of_the_range() {
        let test = mcnemar(0, u64::MAX).unwrap();
        assert_eq!(
            (test.p_asymptotic, test.p_exact, test.p_mid),
            (0.0, 0.0, 0.0)
        );
        assert_eq!(mcnemar(0, 1000).unwrap().p_exact, 2f64.powi(-999));
        let test = mcnemar(1 << 63, (1 << 63) + (1 << 32)).unwrap();
        assert!((test.statistic - 1.0).abs() < 1e-9);
        assert!((test.p_exact - test.p_asymptotic).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn symmetric_bounded_and_ordered(b in 0u64..3000, c in 0u64..3000) {
            prop_assume!(b + c > 0);
            let test = mcnemar(b, c).unwrap();
            let swapped = mcnemar(c, b).unwrap();
            prop_assert_eq!((test.b, test.c), (swapped.c, swapped.b));
            prop_assert_eq!(
                (test.statistic, test.p_asymptotic, test.p_exact, test.p_mid),
                (swapped.statistic, swapped.p_asymptotic, swapped.p_exact, swapped.p_mid)
            );
            for p in [test.p_asymptotic, test.p_exact, test.p_mid] {
                prop_assert!((0.0..=1.0).contains(&p));
            }
            prop_assert!(test.p_mid <= test.p_exact);
            // One more on the larger side is more evidence, unless it was even before.
            let more = mcnemar(b.max(c) + 1, b.min(c)).unwrap();
            prop_assert!(more.p_exact <= test.p_exact && more.p_mid <= test.p_mid || b == c);
        }
    }
}
