//! What the whole panel shares, and what two raters share beyond it.
//!
//! If raters err independently and there are two true categories, the correlation of two
//! raters' votes is the product of two numbers, one for each rater: how strongly their
//! votes follow the truth (their loading). That is Spearman's one-factor model, "General
//! Intelligence, Objectively Determined and Measured", *American Journal of Psychology*
//! 15(2), 1904, and holds exactly for two categories. A pair that errs together
//! correlates by more than the product. So loadings are fitted to all pairs by least
//! squares, where a pair that lies above its product by more than chance explains loses
//! weight: the fit settles on what *all* pairs share, and copies cannot lift it.

use super::pair_tables::{Correlations, PairTables, matrix};
use super::pairs;

/// Beyond so many standard errors above its product a pair loses weight.
const BY_CHANCE: f64 = 2.0;
/// A pull towards equal loadings. With two voices only the product of their loadings is
/// known, and something must divide it; with more it hardly matters.
const PULL: f64 = 0.1;
/// No rater is taken to follow the truth without error.
const LARGEST_LOADING: f64 = 0.999;
/// The standard error of a correlation near 1 is near 0, which no model fits.
const SMALLEST_SPREAD: f64 = 0.05;
const ITERATIONS: u32 = 500;
const TOLERANCE: f64 = 1e-10;

/// A pair of raters: who, the correlation of their votes, its standard error.
type Pair = (usize, usize, f64, f64);

/// Whether votes correlate by more than any two loadings can explain.
pub(super) fn is_complete(r: f64) -> bool {
    r > LARGEST_LOADING * LARGEST_LOADING
}

/// Every column's loading.
pub(super) fn loadings(agreement: &Correlations, votes: &PairTables) -> Vec<f64> {
    let with_error = |(i, j, r): (usize, usize, f64)| -> Pair {
        let spread = (1.0 - r * r).max(SMALLEST_SPREAD);
        (i, j, r, spread / (votes.items(i, j) as f64).sqrt())
    };
    let pairs: Vec<Pair> = pairs(agreement).map(with_error).collect();
    let total: f64 = pairs.iter().map(|&(_, _, r, _)| r).sum();
    let start = (total / pairs.len().max(1) as f64).max(0.0).sqrt();
    let mut loadings = vec![start.min(LARGEST_LOADING); agreement.len()];
    for _ in 0..ITERATIONS {
        let next = improved(&loadings, &pairs);
        let moved = next.iter().zip(&loadings).map(|(a, b)| (a - b).abs());
        let moved = moved.fold(0.0, f64::max);
        loadings = next;
        if moved < TOLERANCE {
            break;
        }
    }
    loadings
}

/// One step: each loading by least squares given the others, half the way there, since
/// all move at once.
fn improved(loadings: &[f64], pairs: &[Pair]) -> Vec<f64> {
    let mean = loadings.iter().sum::<f64>() / loadings.len() as f64;
    let mut above = vec![PULL * mean; loadings.len()];
    let mut below = vec![PULL; loadings.len()];
    for &(i, j, r, error) in pairs {
        let excess = (r - loadings[i] * loadings[j]) / error;
        let weight = (BY_CHANCE / excess.max(BY_CHANCE)).powi(2);
        above[i] += weight * r * loadings[j];
        below[i] += weight * loadings[j] * loadings[j];
        above[j] += weight * r * loadings[i];
        below[j] += weight * loadings[i] * loadings[i];
    }
    let solved = above.iter().zip(&below).map(|(above, below)| above / below);
    let half_way = solved.zip(loadings).map(|(new, old)| (new + old) / 2.0);
    half_way.map(|x| x.clamp(0.0, LARGEST_LOADING)).collect()
}

/// The correlation of every two raters' votes with the shared part taken out.
pub(super) fn common_errors(agreement: &Correlations, loadings: &[f64]) -> Correlations {
    let beyond = |i: usize, j: usize, r: f64| {
        let (a, b) = (loadings[i], loadings[j]);
        let left = ((1.0 - a * a) * (1.0 - b * b)).sqrt();
        ((r - a * b) / left).clamp(-1.0, 1.0)
    };
    let counted: Vec<bool> = (0..agreement.len())
        .map(|i| agreement[i][i].is_some())
        .collect();
    matrix(&counted, |i, j| agreement[i][j].map(|r| beyond(i, j, r)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Votes that correlate as told, on 1000 items of every pair.
    fn fitted(raters: usize, correlation: impl Fn(usize, usize) -> f64) -> Correlations {
        let mut votes = PairTables::new(raters);
        let marks: Vec<_> = (0..raters).map(|i| (i, true)).collect();
        votes.add(&marks, 1000);
        let row = |i| (0..raters).map(|j| Some(correlation(i, j))).collect();
        let agreement: Vec<_> = (0..raters).map(row).collect();
        common_errors(&agreement, &loadings(&agreement, &votes))
    }

    #[test]
    fn a_product_of_loadings_leaves_little() {
        // Loadings 0.2, 0.4, 0.6, 0.8: the correlation of the middle two is 0.24. The pull
        // towards equal loadings leaves some to the best two, far from making them one.
        let loading = |i: usize| 0.2 * (i + 1) as f64;
        let left = fitted(4, |i, j| loading(i) * loading(j));
        assert!(pairs(&left).all(|(_, _, rho)| rho.abs() < 0.25), "{left:?}");
    }

    #[test]
    fn copies_are_left_over() {
        // Two threes of copies; across, 0.36 = 0.6 · 0.6. A copy beyond its loading:
        // (1 - 0.36) / (1 - 0.36) = 1.
        let left = fitted(6, |i, j| if i / 3 == j / 3 { 1.0 } else { 0.36 });
        for (i, j, rho) in pairs(&left) {
            let expected = if i / 3 == j / 3 { 1.0 } else { 0.0 };
            assert!((rho - expected).abs() < 0.05, "{i} {j} {rho}");
        }
    }
}
