//! The true category of every item, and how often each rater finds it.
//!
//! Dawid and Skene, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM
//! Algorithm", *Applied Statistics* 28(1), 1979. Every item has one true category that
//! nobody knows. A rater who looks at an item of category j says l with a probability of
//! their own, whatever the others say; those probabilities are the rater's confusion
//! matrix. The estimate that makes the ratings most likely is approached in turns: from
//! a belief about every item, the shares of categories and the confusion matrices
//! (weighted counts); from those, by Bayes' theorem, a better belief about every item.
//!
//! **Start.** The belief about an item is the share of votes each category got. So the
//! names of categories mean what most raters mean by them, and nothing is left to chance.
//!
//! **A prior.** Every share and every rate is counted from [`EmOptions::prior`] and not from
//! 0 (the mode under Dirichlet priors of one more). Without, the estimate is sure of what it
//! cannot know: on 60 items and 6 raters, right seven times in ten, three in ten beliefs
//! exceed 0.999, and more than a fifth of those are wrong (`tests.rs` simulates it). A prior of 0 gives the estimate of 1979: a rate that is 0 stays 0, and
//! so does a belief, yet every item keeps a category that is possible. Take the one believed
//! in most. Its share is at least (that belief) / (items), and each rate of what was said
//! about the item at least (that belief) / (items), because the item itself was counted. Sums
//! of logarithms then cannot reach minus infinity, however many raters there are.
//!
//! **Limits.** The likelihood can have several peaks, and the one above the start is
//! found. Raters who copy each other count as many: see [`effective_raters`] for how many
//! they are worth. Two raters are too few to tell who errs.
//!
//! [`effective_raters`]: crate::effective_raters

pub(crate) mod groups;

use crate::agreement::{MISSING, Ratings};
use groups::{GroupOfItem, RowGroups};

/// What is known beforehand, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmOptions {
    /// Once no share and no rate moves by as much as this in an iteration.
    pub tolerance: f64,
    /// After so many iterations at the latest.
    pub max_iterations: u32,
    /// How often each category, and each answer of a rater to each category, was seen before
    /// the first item.
    pub prior: f64,
}

impl Default for EmOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_iterations: 1000,
            prior: 1.0,
        }
    }
}

/// How often a rater says what, by what is true.
#[derive(Clone, Debug, PartialEq)]
pub struct Confusion {
    /// How many items the rater rated.
    pub ratings: u64,
    /// A row per true category, with the rate of everything the rater may say. `None`
    /// where, without a prior, no item that the rater saw is believed to be of that category.
    pub rows: Vec<Option<Vec<f64>>>,
}

/// What was estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct DawidSkene {
    /// The share of each category among the items that somebody rated.
    pub priors: Vec<f64>,
    /// One matrix per rater; `None` for a rater who rated nothing.
    pub confusion: Vec<Option<Confusion>>,
    /// How many iterations were made.
    pub iterations: u32,
    /// Whether the last one moved nothing by the tolerance or more.
    pub converged: bool,
    /// The logarithm of the probability of all ratings under the estimate.
    pub log_likelihood: f64,
    posteriors: Vec<f64>,
    group_of_item: GroupOfItem,
}

impl DawidSkene {
    /// The probability of each category being an item's true one; `None` if nobody rated
    /// the item, or there is no such item.
    pub fn posterior(&self, item: usize) -> Option<&[f64]> {
        let group = self.group_of_item.get(item)?;
        let k = self.priors.len();
        Some(&self.posteriors[group * k..][..k])
    }

    /// The probabilities of all items, in order.
    pub fn posteriors(&self) -> impl ExactSizeIterator<Item = Option<&[f64]>> {
        (0..self.group_of_item.len()).map(|item| self.posterior(item))
    }
}

/// Estimates true categories and confusion matrices; `None` if nobody rated anything.
///
/// Missing ratings are allowed: they say nothing. The order of the items changes nothing,
/// to the last bit. Time grows with the number of *different* rows of ratings.
///
/// ```
/// use judica_stats::agreement::Ratings;
/// use judica_stats::dawid_skene::{EmOptions, dawid_skene};
///
/// // Two raters agree on everything; the third says 0 to everything.
/// let ratings = Ratings::new(3, 2, vec![0, 0, 0, 1, 1, 0, 1, 1, 0]);
/// let found = dawid_skene(&ratings, &EmOptions::default()).unwrap();
/// let belief = found.posterior(1).unwrap()[1];
/// // Three items are no proof.
/// assert!(belief > 0.5 && belief < 0.999);
/// let sure = EmOptions { prior: 0.0, ..EmOptions::default() };
/// assert!(dawid_skene(&ratings, &sure).unwrap().posterior(1).unwrap()[1] > 0.999);
/// ```
pub fn dawid_skene(ratings: &Ratings, options: &EmOptions) -> Option<DawidSkene> {
    let (raters, k) = (ratings.raters(), ratings.categories());
    of_groups(RowGroups::new(ratings), raters, k, options)
}

/// The same of rows that are grouped already, by so many raters, with `k` categories.
pub(crate) fn of_groups(
    groups: RowGroups,
    raters: usize,
    k: usize,
    options: &EmOptions,
) -> Option<DawidSkene> {
    if groups.len() == 0 {
        return None;
    }
    let mut beliefs = vote_shares(&groups, k);
    let mut model = Model::new(raters, k);
    model.fit(&groups, &beliefs, options.prior);
    let mut next = model.clone();
    let (mut iterations, mut converged) = (0, false);
    while iterations < options.max_iterations && !converged {
        model.believe(&groups, &mut beliefs);
        next.fit(&groups, &beliefs, options.prior);
        converged = next.largest_change(&model) < options.tolerance;
        std::mem::swap(&mut model, &mut next);
        iterations += 1;
    }
    let log_likelihood = model.believe(&groups, &mut beliefs);
    Some(DawidSkene {
        confusion: model.confusion(&groups),
        priors: model.priors,
        iterations,
        converged,
        log_likelihood,
        posteriors: beliefs,
        group_of_item: groups.into_group_of_item(),
    })
}

/// For each group the share of its ratings that each category got.
fn vote_shares(groups: &RowGroups, k: usize) -> Vec<f64> {
    let mut shares = vec![0.0; groups.len() * k];
    for ((row, _), share) in groups.iter().zip(shares.chunks_exact_mut(k)) {
        let said = row.iter().filter(|&&code| code != MISSING);
        let votes = said.map(|&code| share[code as usize] += 1.0).count();
        share.iter_mut().for_each(|share| *share /= votes as f64);
    }
    shares
}

/// Shares of categories and confusion matrices.
#[derive(Clone)]
struct Model {
    k: usize,
    priors: Vec<f64>,
    /// The rate at which a rater says `l` when `j` is true, at `(rater·k + l)·k + j`: what
    /// one rating says about all categories lies together.
    rates: Vec<f64>,
}

impl Model {
    fn new(raters: usize, k: usize) -> Self {
        Self {
            k,
            priors: vec![0.0; k],
            rates: vec![0.0; raters * k * k],
        }
    }

    /// The rates of one rater's saying `said`, one per true category.
    fn span(&self, rater: usize, said: u32) -> std::ops::Range<usize> {
        let start = (rater * self.k + said as usize) * self.k;
        start..start + self.k
    }

    /// Takes shares and rates from what is believed about the items.
    fn fit(&mut self, groups: &RowGroups, beliefs: &[f64], prior: f64) {
        self.priors.fill(prior);
        self.rates.fill(prior);
        let mut counted = vec![0.0; self.k];
        for ((row, size), belief) in groups.iter().zip(beliefs.chunks_exact(self.k)) {
            for (counted, belief) in counted.iter_mut().zip(belief) {
                *counted = belief * size as f64;
            }
            add(&mut self.priors, &counted);
            for (rater, said) in given(row) {
                let span = self.span(rater, said);
                add(&mut self.rates[span], &counted);
            }
        }
        let items = groups.items() as f64 + prior * self.k as f64;
        self.priors.iter_mut().for_each(|share| *share /= items);
        for rater in self.rates.chunks_exact_mut(self.k * self.k) {
            for j in 0..self.k {
                let seen: f64 = rater.iter().skip(j).step_by(self.k).sum();
                // Without items of the category all rates are 0, and stay so.
                if seen > 0.0 {
                    let rates = rater.iter_mut().skip(j).step_by(self.k);
                    rates.for_each(|rate| *rate /= seen);
                }
            }
        }
    }

    /// Takes beliefs about the items from shares and rates; returns the logarithm of the
    /// likelihood.
    fn believe(&self, groups: &RowGroups, beliefs: &mut [f64]) -> f64 {
        let log = |values: &[f64]| values.iter().map(|&x| libm::log(x)).collect::<Vec<_>>();
        let (priors, rates) = (log(&self.priors), log(&self.rates));
        let mut log_likelihood = 0.0;
        for ((row, size), belief) in groups.iter().zip(beliefs.chunks_exact_mut(self.k)) {
            belief.copy_from_slice(&priors);
            for (rater, said) in given(row) {
                add(belief, &rates[self.span(rater, said)]);
            }
            let most = belief.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut total = 0.0;
            for belief in belief.iter_mut() {
                *belief = libm::exp(*belief - most);
                total += *belief;
            }
            belief.iter_mut().for_each(|belief| *belief /= total);
            log_likelihood += size as f64 * (most + libm::log(total));
        }
        log_likelihood
    }

    fn largest_change(&self, other: &Self) -> f64 {
        let ours = self.priors.iter().chain(&self.rates);
        let theirs = other.priors.iter().chain(&other.rates);
        let changes = ours.zip(theirs).map(|(a, b)| (a - b).abs());
        changes.fold(0.0, f64::max)
    }

    fn confusion(&self, groups: &RowGroups) -> Vec<Option<Confusion>> {
        let k = self.k;
        let mut ratings = vec![0; self.rates.len() / (k * k)];
        for (row, size) in groups.iter() {
            given(row).for_each(|(rater, _)| ratings[rater] += size);
        }
        let of_rater = |(rates, &ratings): (&[f64], &u64)| {
            let row = |j: usize| -> Option<Vec<f64>> {
                let row: Vec<f64> = rates.iter().skip(j).step_by(k).copied().collect();
                row.iter().any(|&rate| rate > 0.0).then_some(row)
            };
            (ratings > 0).then(|| Confusion {
                ratings,
                rows: (0..k).map(row).collect(),
            })
        };
        let rates = self.rates.chunks_exact(k * k);
        rates.zip(&ratings).map(of_rater).collect()
    }
}

/// The ratings that were given, with who gave them.
pub(crate) fn given(row: &[u32]) -> impl Iterator<Item = (usize, u32)> {
    let said = row.iter().copied().enumerate();
    said.filter(|&(_, code)| code != MISSING)
}

fn add(sums: &mut [f64], values: &[f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
}

#[cfg(test)]
mod tests;
