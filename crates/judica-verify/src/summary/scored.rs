//! Which records the means of totals run over, and what stands or falls together among them.
//!
//! A record counts if the gold of its sample can be used and it has a total or was gated: what a
//! model could not be compared on is held against nobody.
//!
//! A record stands with those of its cluster, else with those of its sample. Each of these has a
//! place, ranked by name, so that what is drawn at random depends on who they are, and not on
//! where they stand in a file.

use std::io;

use super::scores::{ScoreEntry, ScoreLog};
use crate::protocol::Protocol;
use crate::score::counts_as;

/// What the summary must know of samples, by number.
pub trait Items: Sync {
    /// The data set and the id.
    fn key(&self, sample: u32) -> (&str, &str);
    /// Whether there is a gold value to compare with.
    fn has_gold(&self, sample: u32) -> bool;
}

/// The records that the means of totals run over.
pub struct ScoredRecords<'a> {
    protocol: &'a Protocol,
    items: &'a dyn Items,
    /// By sample, of those that have a place of their own.
    of_sample: Vec<Option<u32>>,
    /// By cluster.
    of_cluster: Vec<Option<u32>>,
    /// Whether some answered sample has gold; asked where none counts.
    has_gold: bool,
    /// How many samples count.
    pub samples: usize,
    /// How many places there are.
    pub places: usize,
}

impl<'a> ScoredRecords<'a> {
    /// Those of a log.
    pub fn new(
        protocol: &'a Protocol,
        items: &'a dyn Items,
        scores: &ScoreLog,
    ) -> io::Result<Self> {
        // A failure counts wherever a success would.
        let counts = |sample: u32| counts_as(protocol, false, f64::NAN, items.has_gold(sample));
        let answered = (0u32..).zip(scores.answered());
        let counting = answered.map(|(sample, answered)| *answered && counts(sample).is_some());
        let counting: Vec<bool> = counting.collect();
        let mut found = ScoredRecords {
            protocol,
            items,
            of_sample: vec![None; counting.len()],
            of_cluster: vec![None; scores.clusters.names.len()],
            has_gold: false,
            samples: counting.iter().filter(|counts| **counts).count(),
            places: 0,
        };
        if found.samples == 0 {
            let has_gold = &mut found.has_gold;
            scores.replay_all(&mut |entry| *has_gold |= items.has_gold(entry.sample))?;
        }
        // Who has a place, before anybody knows which.
        let mut alone = counting;
        if !found.of_cluster.is_empty() {
            alone.fill(false);
            scores.replay_all(&mut |entry| {
                if found.counted(entry).is_some() {
                    match entry.cluster {
                        Some(number) => found.of_cluster[number.get() as usize - 1] = Some(0),
                        None => alone[entry.sample as usize] = true,
                    }
                }
            })?;
        }
        found.rank(&alone, &scores.clusters.names);
        Ok(found)
    }

    /// Gives the samples that stand `alone` and the clusters that have one their places.
    fn rank(&mut self, alone: &[bool], clusters: &[String]) {
        let items = self.items;
        let mut samples: Vec<u32> = (0..)
            .zip(alone)
            .filter(|(_, alone)| **alone)
            .map(|(sample, _)| sample)
            .collect();
        // Mostly they come in order, which this finds at once.
        samples.sort_by_key(|sample| items.key(*sample));
        let of_cluster = self.of_cluster.iter().enumerate();
        let mut named: Vec<usize> = of_cluster
            .filter_map(|(at, place)| place.map(|_| at))
            .collect();
        named.sort_by_key(|at| clusters[*at].as_str());
        let mut named = named.into_iter().peekable();
        let mut places = 0..;
        let mut next = || places.next();
        for sample in samples {
            let (dataset, item) = items.key(sample);
            let own = dataset.bytes().chain([0]).chain(item.bytes());
            while let Some(at) = named.next_if(|at| clusters[*at].bytes().lt(own.clone())) {
                self.of_cluster[at] = next();
            }
            self.of_sample[sample as usize] = next();
        }
        for at in named {
            self.of_cluster[at] = next();
        }
        self.places = next().map_or(0, |place| place as usize);
    }

    /// What a record counts as, if it does.
    pub fn counted(&self, entry: &ScoreEntry) -> Option<f64> {
        let has_gold = self.items.has_gold(entry.sample);
        counts_as(self.protocol, entry.passed, entry.total, has_gold)
    }

    /// What a record counts as, and the place that it stands at, if it counts.
    pub fn place(&self, entry: &ScoreEntry) -> Option<(usize, f64)> {
        let value = self.counted(entry)?;
        let place = match entry.cluster {
            Some(number) => self.of_cluster[number.get() as usize - 1],
            None => self.of_sample[entry.sample as usize],
        };
        Some((place? as usize, value))
    }

    /// Why a model that has no mean has none.
    pub fn why_none(&self) -> &'static str {
        let of_three = self.protocol.of_dimensions.is_none();
        match self.samples {
            0 if of_three && !self.protocol.has_totals() => "the protocol requires no field",
            0 if of_three && !self.has_gold => "no answered sample has usable gold",
            0 => "no record has a total",
            _ => "no record on a sample that is scored",
        }
    }
}
