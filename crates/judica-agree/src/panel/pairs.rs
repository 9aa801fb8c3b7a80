//! Every two raters, on the items that both rated.

use judica_data::parallel::parallel_map;
use judica_model::metric::MetricValue;
use judica_stats::agreement::cohen::{CohenKappa, Weighting};
use judica_stats::agreement::{Coefficient, Estimate, PairCells, Undefined};
use serde::Serialize;

use super::estimate::{Measured, Resampling, measure};
use super::{BootstrapOptions, Panel, speaking};

/// Confusion matrices are given for at most this many labels; beyond, nobody reads them,
/// and values of a measurement are nearly all different.
pub const LARGEST_CONFUSION: usize = 50;

/// Intervals are made for at most this many pairs of raters.
pub const MOST_RESAMPLED_PAIRS: usize = 200;

/// Why two raters have no agreement at all.
pub(super) const NO_COMMON_ITEMS: &str = "no item was rated by both raters";

/// How two raters agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairAgreement {
    /// Their names.
    pub raters: [String; 2],
    /// How many items both rated.
    pub n: u64,
    /// The share of these items on which they chose the same category.
    pub percent_agreement: MetricValue,
    /// Cohen's κ.
    pub cohen_kappa: MetricValue,
    /// The labels of the matrix; empty beyond [`LARGEST_CONFUSION`] labels.
    pub labels: Vec<String>,
    /// How often the first rater chose the row's label and the second the column's; empty
    /// beyond [`LARGEST_CONFUSION`] labels.
    pub confusion: Vec<Vec<u64>>,
    /// How often each rater chose each label, as a share of the items both rated; empty
    /// beyond [`LARGEST_CONFUSION`] labels and where there is no such item.
    pub rates: [Vec<f64>; 2],
}

/// The agreement of every two raters who rated anything, in the order of their columns.
///
/// Beyond [`MOST_RESAMPLED_PAIRS`] pairs the values have no interval, and say so.
pub fn pairwise(panel: &Panel, options: &BootstrapOptions) -> Vec<PairAgreement> {
    let columns = speaking(panel.ratings);
    let pairs: Vec<[usize; 2]> = columns
        .iter()
        .enumerate()
        .flat_map(|(at, &a)| columns[at + 1..].iter().map(move |&b| [a, b]))
        .collect();
    // Pairs are many and each is small, so the threads share out pairs.
    let alone = BootstrapOptions {
        threads: 1,
        ..*options
    };
    if pairs.len() <= MOST_RESAMPLED_PAIRS {
        let resampling = Resampling::new(&alone);
        return parallel_map(&pairs, options.threads, |&[a, b]| {
            let cells = PairCells::from_table(panel.ratings, a, b);
            of_pair(panel, [a, b], &cells, &resampling)
        });
    }
    let resampling = Resampling::Unwanted(format!(
        "no interval: {} pairs of raters, at most {MOST_RESAMPLED_PAIRS} are resampled",
        pairs.len()
    ));
    // So many passes over the table would take too long: one for all pairs of a rater.
    let with_later = parallel_map(&columns, options.threads, |&a| {
        let cells = PairCells::with_later(panel.ratings, a);
        let later = columns.iter().filter(|&&b| b > a);
        let pair = |&b: &usize| of_pair(panel, [a, b], &cells[b - a - 1], &resampling);
        later.map(pair).collect::<Vec<_>>()
    });
    with_later.into_iter().flatten().collect()
}

fn of_pair(
    panel: &Panel,
    [a, b]: [usize; 2],
    cells: &PairCells,
    resampling: &Resampling,
) -> PairAgreement {
    let n = cells.items();
    let [percent_agreement, cohen_kappa] = if n == 0 {
        [(); 2].map(|()| MetricValue::undefined(NO_COMMON_ITEMS))
    } else {
        let same = SameCategory(cells);
        let kappa = CohenKappa::new(cells, Weighting::Unweighted);
        let measured = [Measured::new(&same, n), Measured::new(&kappa, n)];
        measure(cells.sizes(), measured, resampling)
    };
    let categories = panel.ratings.categories();
    let shown = categories <= LARGEST_CONFUSION;
    let confusion = if shown {
        matrix(cells, categories)
    } else {
        Vec::new()
    };
    let share = |chosen: u64| chosen as f64 / n as f64;
    let rates = if n == 0 {
        [Vec::new(), Vec::new()]
    } else {
        let first = confusion.iter().map(|row| share(row.iter().sum()));
        let second = (0..confusion.len()).map(|k| share(confusion.iter().map(|row| row[k]).sum()));
        [first.collect(), second.collect()]
    };
    PairAgreement {
        raters: [a, b].map(|column| panel.raters[column].clone()),
        n,
        percent_agreement,
        cohen_kappa,
        labels: if shown {
            panel.labels.to_vec()
        } else {
            Vec::new()
        },
        confusion,
        rates,
    }
}

fn matrix(cells: &PairCells, categories: usize) -> Vec<Vec<u64>> {
    let mut counts = vec![vec![0; categories]; categories];
    for (&(a, b), &size) in cells.cells().iter().zip(cells.sizes()) {
        counts[a as usize][b as usize] = size;
    }
    counts
}

/// The share of items in the cells where both raters chose the same category.
struct SameCategory<'a>(&'a PairCells);

impl Coefficient for SameCategory<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let items: u64 = weights.iter().sum();
        let same = self.0.cells().iter().zip(weights);
        let same: u64 = same
            .filter(|((a, b), _)| a == b)
            .map(|(_, &weight)| weight)
            .sum();
        if items == 0 {
            return Err(Undefined::NoItems);
        }
        Ok(same as f64 / items as f64)
    }
}
