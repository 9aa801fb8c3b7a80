//! Counts by type of recorded action.

use judica_stats::ExactSum;
use rustc_hash::FxHashMap;

use crate::score::episode::Totals;
use crate::score::step::StepScore;

/// What the steps of one type add up to.
#[derive(Clone, Debug)]
pub struct TypeTally {
    /// The type.
    pub name: Box<str>,
    /// Counts.
    pub totals: Totals,
    /// What the steps of each episode that has any come to, by its number.
    pub episodes: Vec<(u32, Totals)>,
    /// Coordinate errors; only types with a target have any, and a sum is large.
    pub coord_error: Option<Box<ExactSum>>,
}

/// Counts by type.
#[derive(Clone, Debug, Default)]
pub struct TypeTallies {
    tallies: Vec<TypeTally>,
    places: FxHashMap<Box<str>, usize>,
}

impl TypeTallies {
    /// Counts a step of a type, of the episode with this number.
    pub fn add(&mut self, name: &str, episode: usize, verdict: &StepScore) {
        let tally = self.tally(name);
        tally.totals.add(verdict);
        let episode = episode as u32;
        if tally
            .episodes
            .last()
            .is_none_or(|(last, _)| *last != episode)
        {
            tally.episodes.push((episode, Totals::default()));
        }
        if let Some((_, totals)) = tally.episodes.last_mut() {
            totals.add(verdict);
        }
        if let Some(error) = verdict.coord_error {
            tally.coord_error.get_or_insert_default().add(error);
        }
    }

    /// Adds another's, before which there are so many episodes.
    pub fn merge(&mut self, other: &TypeTallies, before: usize) {
        for theirs in &other.tallies {
            let tally = self.tally(&theirs.name);
            tally.totals.merge(&theirs.totals);
            let episodes = theirs.episodes.iter();
            let episodes = episodes.map(|(at, totals)| (at + before as u32, *totals));
            tally.episodes.extend(episodes);
            if let Some(errors) = &theirs.coord_error {
                tally.coord_error.get_or_insert_default().merge(errors);
            }
        }
    }

    fn tally(&mut self, name: &str) -> &mut TypeTally {
        let place = match self.places.get(name) {
            Some(&place) => place,
            None => {
                let place = self.tallies.len();
                self.places.insert(name.into(), place);
                self.tallies.push(TypeTally {
                    name: name.into(),
                    totals: Totals::default(),
                    episodes: Vec::new(),
                    coord_error: None,
                });
                place
            }
        };
        &mut self.tallies[place]
    }

    /// The types, sorted by name.
    pub fn sorted(&self) -> Vec<&TypeTally> {
        let mut tallies: Vec<&TypeTally> = self.tallies.iter().collect();
        tallies.sort_by(|a, b| a.name.cmp(&b.name));
        tallies
    }
}
