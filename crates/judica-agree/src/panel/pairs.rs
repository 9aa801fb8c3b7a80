//! Every two raters, on the items that both rated.

use judica_data::parallel::parallel_map;
use judica_model::metric::MetricValue;
use judica_run::coefficient::measured;
use judica_stats::agreement::cohen::{CohenKappa, Weighting};
use judica_stats::agreement::{ClusterKinds, PairCells, Undefined};
use judica_stats::clusters::Intervals;
use serde::Serialize;

use super::{BootstrapOptions, Panel, Together, agreeing, clustered_share, share, speaking};

/// Confusion matrices are given for at most this many labels; beyond, nobody reads them,
/// and values of a measurement are nearly all different.
pub const LARGEST_CONFUSION: usize = 50;

/// Intervals are made for at most this many pairs of raters.
pub const MOST_RESAMPLED_PAIRS: usize = 200;

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
/// Beyond [`MOST_RESAMPLED_PAIRS`] pairs κ has no interval, and says so.
pub fn pairwise(panel: &Panel, options: &BootstrapOptions) -> Vec<PairAgreement> {
    let columns = speaking(panel.ratings);
    let pairs: Vec<[usize; 2]> = columns
        .iter()
        .enumerate()
        .flat_map(|(at, &a)| columns[at + 1..].iter().map(move |&b| [a, b]))
        .collect();
    // Pairs are many and each is small, so the threads share out pairs.
    let mut alone = options.intervals();
    alone.resampling.threads = 1;
    if pairs.len() <= MOST_RESAMPLED_PAIRS {
        return parallel_map(&pairs, options.threads, |&[a, b]| {
            let cells = PairCells::from_table(panel.ratings, a, b);
            let together = panel.together(a, &[b]).pop();
            of_pair(panel, [a, b], &cells, together, options, Ok(&alone))
        });
    }
    let too_many = format!(
        "{} pairs of raters, at most {MOST_RESAMPLED_PAIRS} are resampled",
        pairs.len()
    );
    // So many passes over the table would take too long: one for all pairs of a rater.
    let with_later = parallel_map(&columns, options.threads, |&a| {
        let cells = PairCells::with_later(panel.ratings, a);
        let later: Vec<usize> = columns.iter().copied().filter(|&b| b > a).collect();
        let mut together = panel.together(a, &later).into_iter();
        let pair = |&b: &usize| {
            let cells = &cells[b - a - 1];
            of_pair(
                panel,
                [a, b],
                cells,
                together.next(),
                options,
                Err(&too_many),
            )
        };
        later.iter().map(pair).collect::<Vec<_>>()
    });
    with_later.into_iter().flatten().collect()
}

fn of_pair(
    panel: &Panel,
    [a, b]: [usize; 2],
    cells: &PairCells,
    together: Option<Vec<Together>>,
    options: &BootstrapOptions,
    intervals: Result<&Intervals, &str>,
) -> PairAgreement {
    let n = cells.items();
    let none = Undefined::NoCommonItems.to_string();
    let alike = cells.cells().iter().zip(cells.sizes());
    let alike = alike.filter(|((a, b), _)| a == b).map(|(_, size)| size);
    let [cohen_kappa] = if n == 0 {
        [MetricValue::undefined(&none)]
    } else {
        let kappa = CohenKappa::new(cells, Weighting::Unweighted);
        let grouped = together.iter().flatten();
        let grouped = grouped.map(|(cluster, said)| (*cluster, cells.place(*said)));
        let clusters = ClusterKinds::new(cells.sizes().len(), grouped);
        measured([&kappa], cells.sizes(), clusters.as_ref(), intervals)
    };
    let categories = panel.ratings.categories();
    let shown = categories <= LARGEST_CONFUSION;
    let confusion = if shown {
        matrix(cells, categories)
    } else {
        Vec::new()
    };
    let part = |chosen: u64| chosen as f64 / n as f64;
    let rates = if n == 0 {
        [Vec::new(), Vec::new()]
    } else {
        let first = confusion.iter().map(|row| part(row.iter().sum()));
        let second = (0..confusion.len()).map(|k| part(confusion.iter().map(|row| row[k]).sum()));
        [first.collect(), second.collect()]
    };
    PairAgreement {
        raters: [a, b].map(|column| panel.raters[column].clone()),
        n,
        percent_agreement: match together {
            Some(together) => clustered_share(agreeing(&together), options, &none),
            None => share(alike.sum(), n, options.confidence, &none),
        },
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
