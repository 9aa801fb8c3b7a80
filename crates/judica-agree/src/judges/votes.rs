//! The table of votes: a row per item, a column per judge, and one for people.

use std::ops::Range;

use judica_model::metric::MetricValue;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::weights::Weights;
use judica_stats::agreement::{MISSING, Ratings};

use super::folder::HUMAN;
use super::human::Human;
use super::load::Loaded;
use crate::panel::{BootstrapOptions, Panel, clustered_share, share};

/// The code of a verdict.
pub(super) const YES: u32 = 1;
/// The labels of the codes.
pub(super) const LABELS: [&str; 2] = ["no", "yes"];

/// Who voted how on what.
#[derive(Debug)]
pub(super) struct Votes {
    /// The judges by name, then people, if they were asked.
    pub raters: Vec<String>,
    /// How many of the raters are judges.
    pub judges: usize,
    /// The numbers of the items that a judge voted on: by data set, then as they came.
    pub items: Vec<u32>,
    /// A row per item, a column per rater.
    pub ratings: Ratings,
    /// The data sets by name, with their rows.
    pub sources: Vec<(String, Range<usize>)>,
    /// What each item stands or falls with: all answers to one question are one cluster.
    pub clusters: Vec<u32>,
    /// Whether each is a cluster of its own.
    pub alone: bool,
    labels: Vec<String>,
}

impl Votes {
    pub fn new(loaded: &Loaded, human: Option<&Human>) -> Self {
        let numbers = 0..loaded.items.len() as u32;
        let mut items: Vec<u32> = numbers.filter(|&item| loaded.is_rated(item)).collect();
        let source = |item: u32| loaded.items.key(item).source();
        items.sort_by_key(|&item| source(item));

        let code = |verdict: Option<bool>| verdict.map_or(MISSING, u32::from);
        let mut raters: Vec<String> = loaded
            .judges
            .iter()
            .map(|judge| judge.name.clone())
            .collect();
        raters.extend(human.map(|_| HUMAN.to_owned()));
        let mut codes = Vec::with_capacity(items.len() * raters.len());
        for &item in &items {
            let verdicts = loaded.judges.iter().map(|judge| judge.verdict(item));
            codes.extend(verdicts.map(|verdict| code(verdict.map(|(correct, _)| correct))));
            codes.extend(human.map(|human| code(human.verdict(item))));
        }

        let mut sources = Vec::new();
        let mut start = 0;
        for of_source in items.chunk_by(|&a, &b| source(a) == source(b)) {
            let end = start + of_source.len();
            sources.push((source(of_source[0]).to_owned(), start..end));
            start = end;
        }
        let clusters = clusters(loaded, &items);
        let numbers = clusters.iter().max().map_or(0, |last| *last as usize + 1);
        Self {
            alone: numbers == items.len(),
            clusters,
            judges: loaded.judges.len(),
            ratings: Ratings::new(raters.len(), LABELS.len(), codes),
            raters,
            items,
            sources,
            labels: LABELS.map(str::to_owned).to_vec(),
        }
    }

    /// All votes on an item, one per rater.
    pub fn row(&self, at: usize) -> &[u32] {
        &self.ratings.codes()[at * self.raters.len()..][..self.raters.len()]
    }

    /// The judges' votes on an item.
    pub fn judges_row(&self, at: usize) -> &[u32] {
        &self.row(at)[..self.judges]
    }

    /// People's verdict on an item, if they were asked and gave one.
    pub fn human(&self, at: usize) -> Option<u32> {
        let vote = self.row(at).get(self.judges).copied();
        vote.filter(|&vote| vote != MISSING)
    }

    /// The share of items of which something is true, over clusters of them.
    pub fn rate(
        &self,
        of: impl Iterator<Item = (usize, bool)>,
        options: &BootstrapOptions,
        why_none: &str,
    ) -> MetricValue {
        let of = of.map(|(at, is)| (self.clusters[at], is));
        if self.alone {
            let (mut part, mut n) = (0, 0);
            of.for_each(|(_, is)| (part, n) = (part + u64::from(is), n + 1));
            return self.rate_of(part, n, options, why_none);
        }
        clustered_share(of, options, why_none)
    }

    /// The same by how many they are, where every item is a cluster of its own.
    pub fn rate_of(
        &self,
        part: u64,
        n: u64,
        options: &BootstrapOptions,
        why_none: &str,
    ) -> MetricValue {
        let value = share(part, n, options.confidence, why_none);
        let (rate, items) = (part as f64 / n as f64, n as f64);
        let se = (n > 1).then(|| (rate * (1.0 - rate) / (items - 1.0)).sqrt());
        value.with_spread(Some(n), se, None)
    }

    /// The votes of all raters on some items, and their clusters.
    pub fn of_items(&self, rows: impl Iterator<Item = usize> + Clone) -> (Ratings, Vec<u32>) {
        let clusters = rows.clone().map(|at| self.clusters[at]).collect();
        let codes = rows.flat_map(|at| self.row(at).iter().copied()).collect();
        let ratings = Ratings::new(self.raters.len(), LABELS.len(), codes);
        (ratings, clusters)
    }

    /// The judges' votes, without people's.
    pub fn of_judges(&self) -> Ratings {
        let rows = 0..self.items.len();
        let codes = rows
            .flat_map(|at| self.judges_row(at).iter().copied())
            .collect();
        Ratings::new(self.judges, LABELS.len(), codes)
    }

    /// The cluster of each item, where some share theirs.
    pub fn together(&self) -> Option<&[u32]> {
        (!self.alone).then_some(&*self.clusters)
    }

    /// A table of the votes of some raters on all items, with what its codes mean.
    pub fn panel<'a>(&'a self, ratings: &'a Ratings) -> Panel<'a> {
        self.panel_of(ratings, &self.raters[..ratings.raters()], &self.clusters)
    }

    /// The same with votes on some items, or of others.
    pub fn panel_of<'a>(
        &'a self,
        ratings: &'a Ratings,
        raters: &'a [String],
        clusters: &'a [u32],
    ) -> Panel<'a> {
        Panel {
            ratings,
            raters,
            labels: &self.labels,
            values: &[0.0, 1.0],
            level: Level::Nominal,
            weights: Weights::Identity,
            clusters: (!self.alone).then_some(clusters),
        }
    }
}

/// The cluster of each item: the one that its row names, else that of all answers to its
/// question.
pub(super) fn clusters(loaded: &Loaded, items: &[u32]) -> Vec<u32> {
    let question = |item: u32| {
        let about = loaded.origins[item as usize].about.as_ref();
        let named = about.and_then(|about| about.cluster.as_deref());
        named.ok_or_else(|| loaded.question(item))
    };
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| question(items[at]));
    let same = |&a: &usize, &b: &usize| question(items[a]) == question(items[b]);
    let mut clusters = vec![0; items.len()];
    for (number, together) in (0..).zip(order.chunk_by(same)) {
        for &at in together {
            clusters[at] = number;
        }
    }
    clusters
}

/// How many of some votes are yes, and how many no.
pub(super) fn tally(votes: &[u32]) -> (u64, u64) {
    let given = votes.iter().filter(|&&vote| vote != MISSING);
    given.fold((0, 0), |(yes, no), &vote| {
        if vote == YES {
            (yes + 1, no)
        } else {
            (yes, no + 1)
        }
    })
}
