//! A paired permutation test: whether a mean difference could be chance.
//!
//! Two raters are scored on the same items. If neither is better, each difference could
//! as well have had the other sign; so the mean is compared with the means under all
//! choices of signs. The p-value is the share of choices whose mean is at least as far
//! from zero: Fisher, *The Design of Experiments*, 1935, section 21; Pitman,
//! "Significance Tests Which May Be Applied to Samples from Any Populations", *Supplement
//! to the JRSS* 4(1), 1937.
//!
//! * If all differences are zero or of one size, as with right and wrong, the choices are
//!   throws of a fair coin, and the test is the sign test: exact for any number of items.
//! * Up to [`ENUMERATED_UP_TO`] differences other than zero, every choice is looked at.
//! * Otherwise choices are drawn, and the p-value is (hits + 1) / (draws + 1), which keeps
//!   the level of the test: Phipson and Smyth, "Permutation P-values Should Never Be
//!   Zero", *Statistical Applications in Genetics and Molecular Biology* 9(1), 2010.
//!
//! Two sums count as equal if they differ by at most 10^-9 of the sum of sizes. Scores
//! such as 0.8 and 0.7 are rounded, and so is their difference; sums that are equal on
//! paper then differ by the spacing of doubles near the scores, which is below that even
//! where scores are a million times their differences. Sums that are really different
//! but that close are so few that counting them as ties moves p by about 10^-9 √n.

use crate::exact_sum;
use crate::fair_coin::two_sided;
use crate::resample::Draws;

/// How many differences other than zero have all their signs enumerated.
pub const ENUMERATED_UP_TO: usize = 20;

/// What share of the sum of sizes is a tie.
const TIE: f64 = 1e-9;

/// The result of a paired permutation test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PermutationTest {
    /// Two-sided.
    pub p_value: f64,
    /// Whether all choices of signs were taken into account.
    pub exact: bool,
    /// How many differences there are.
    pub n: usize,
    /// How many of them are not zero.
    pub nonzero: usize,
    /// How many choices of signs were drawn; 0 if the test is exact.
    pub resamples: u32,
}

/// Tests whether the mean of `differences` is zero.
///
/// Choices of signs that have to be drawn are those of the streams `0..resamples` of
/// [`Draws`] with `seed`: differences from large to small, a bit for each, the lowest bit
/// of each word first; a bit of 1 is a plus. So the result does not depend on the order
/// of the differences. `None` if there are none or one is not finite.
///
/// ```
/// use judica_stats::permutation::paired_permutation;
/// // Of the 8 choices of signs, only +++ and --- reach a mean of 2.
/// let test = paired_permutation(&[1.0, 2.0, 3.0], 1000, 0).unwrap();
/// assert_eq!((test.p_value, test.exact), (0.25, true));
/// ```
pub fn paired_permutation(
    differences: &[f64],
    resamples: u32,
    seed: u64,
) -> Option<PermutationTest> {
    if differences.is_empty() || !differences.iter().all(|d| d.is_finite()) {
        return None;
    }
    // In units of the largest, so that no sum leaves the range of doubles.
    let unit = differences.iter().fold(0.0, |unit, d| d.abs().max(unit));
    let scaled: Vec<f64> = differences
        .iter()
        .filter(|&&d| d != 0.0)
        .map(|d| d / unit)
        .collect();
    let nonzero = scaled.len();
    let mut sizes: Vec<f64> = scaled.iter().map(|d| d.abs()).collect();
    sizes.sort_unstable_by(|a, b| b.total_cmp(a));
    let reach = exact_sum(&scaled).abs() - TIE * exact_sum(&sizes);

    let result = |p_value, exact| PermutationTest {
        p_value,
        exact,
        n: differences.len(),
        nonzero,
        resamples: if exact { 0 } else { resamples },
    };
    // Sizes fall from 1, so the last one tells whether all are alike.
    Some(if sizes.last().is_none_or(|&least| least >= 1.0 - TIE) {
        let up = scaled.iter().filter(|&&d| d > 0.0).count();
        result(two_sided(up as u64, (nonzero - up) as u64), true)
    } else if nonzero <= ENUMERATED_UP_TO {
        result(enumerated(&sizes, reach), true)
    } else {
        result(drawn(&sizes, reach, resamples, seed), false)
    })
}

/// The share of all choices of signs whose sum is at least `reach` from zero.
fn enumerated(sizes: &[f64], reach: f64) -> f64 {
    // Every sum is one of the first half plus one of the second: few additions each, so
    // that rounding stays far below a tie.
    let (first, second) = sizes.split_at(sizes.len() / 2);
    let (first, second) = (signed_sums(first), signed_sums(second));
    let hits = |a: &f64| second.iter().filter(|&b| (a + b).abs() >= reach).count();
    let total: usize = first.iter().map(hits).sum();
    total as f64 / (first.len() * second.len()) as f64
}

/// The sums of `sizes` under all choices of signs.
fn signed_sums(sizes: &[f64]) -> Vec<f64> {
    sizes.iter().fold(vec![0.0], |sums, size| {
        sums.iter()
            .flat_map(|sum| [sum + size, sum - size])
            .collect()
    })
}

/// The p-value from drawn choices of signs.
fn drawn(sizes: &[f64], reach: f64, resamples: u32, seed: u64) -> f64 {
    let far = |&resample: &u32| {
        let mut draws = Draws::new(seed, u64::from(resample));
        let sum: f64 = sizes
            .chunks(32)
            .map(|sizes| signed_sum(sizes, draws.word()))
            .sum();
        sum.abs() >= reach
    };
    let hits = (0..resamples).filter(far).count();
    (hits as f64 + 1.0) / (f64::from(resamples) + 1.0)
}

/// The sum of at most 32 sizes, with a plus where a bit is 1, the lowest bit first.
#[inline]
fn signed_sum(sizes: &[f64], bits: u32) -> f64 {
    let minuses = !bits;
    let signed = |(i, size): (usize, &f64)| {
        let minus = u64::from(minuses >> i) << 63;
        f64::from_bits(size.to_bits() ^ minus)
    };
    sizes.iter().enumerate().map(signed).sum()
}

#[cfg(test)]
#[path = "permutation_tests.rs"]
mod tests;
