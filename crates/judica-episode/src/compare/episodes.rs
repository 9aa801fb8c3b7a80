//! The episodes of a run, as numbers above and below each metric.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use judica_data::work_error::WorkError;
use judica_stats::ExactSum;

use crate::details::{self, EpisodeDetail};
use crate::family::METRICS;

/// What one episode adds to a metric: above and below the line.
pub(super) type Term = [f64; 2];

/// Which episode, and which repeat of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    /// Of which data set, where one of the sides has several.
    pub dataset: Option<String>,
    /// Its name.
    pub name: String,
    /// Which repeat.
    pub epoch: i32,
}

impl std::fmt::Display for Id {
    /// As it is called where it was left out.
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.name)?;
        if let Some(dataset) = &self.dataset {
            write!(f, " of {dataset}")?;
        }
        match self.epoch {
            1 => Ok(()),
            epoch => write!(f, " (epoch {epoch})"),
        }
    }
}

/// One episode of a run.
#[derive(Clone, Debug)]
pub(super) struct Episode {
    /// What it stands or falls with, where that is said.
    pub cluster: Option<String>,
    /// What it adds to each metric.
    pub terms: [Term; METRICS.len()],
}

/// The episodes of a run, by data set, id and epoch; so that the order of the lines does not matter.
#[derive(Clone, Debug, Default)]
pub(super) struct Episodes(pub BTreeMap<Id, Episode>);

impl Episodes {
    /// Reads the details of a run.
    pub(super) fn read(path: &Path) -> Result<Episodes, WorkError> {
        let mut episodes = BTreeMap::new();
        for detail in details::read(path)? {
            let detail = detail?;
            let terms = terms(&detail).ok_or_else(|| {
                WorkError::BadInput(format!(
                    "{}: episode {:?}: `coord_error_sum` is null although `coord_error_count` is {}",
                    path.display(),
                    detail.episode_id,
                    detail.coord_error_count
                ))
            })?;
            let id = Id {
                dataset: detail.dataset,
                name: detail.episode_id,
                epoch: detail.epoch,
            };
            if episodes.contains_key(&id) {
                let message = format!("{}: episode {:?} stands twice", path.display(), id.name);
                return Err(WorkError::BadInput(message));
            }
            let cluster = detail.cluster;
            episodes.insert(id, Episode { cluster, terms });
        }
        Ok(Episodes(episodes))
    }

    /// Whether they are of more than one data set.
    pub(super) fn of_several(&self) -> bool {
        let mut datasets = self.0.keys().map(|id| &id.dataset);
        let first = datasets.next();
        datasets.any(|dataset| Some(dataset) != first)
    }

    /// The same, whatever the only data set of them is called.
    pub(super) fn forget_dataset(&mut self) {
        let episodes = std::mem::take(&mut self.0).into_iter();
        self.0 = episodes
            .map(|(id, episode)| {
                let dataset = None;
                (Id { dataset, ..id }, episode)
            })
            .collect();
    }

    /// The episodes with the number of their cluster, in the order of clusters, as runs number
    /// them: by data set and name. Repeats of one episode are a cluster of their own.
    pub(super) fn by_cluster<'e>(
        &'e self,
        wanted: impl Fn(&Id) -> bool,
    ) -> Vec<(usize, &'e Id, &'e Episode)> {
        let cluster = |(id, episode): &(&'e Id, &'e Episode)| match (&episode.cluster, &id.dataset)
        {
            (Some(cluster), _) => (Cow::Borrowed(cluster.as_str()), true),
            (None, None) => (Cow::Borrowed(id.name.as_str()), false),
            (None, Some(dataset)) => (Cow::Owned(format!("{dataset}\0{}", id.name)), false),
        };
        let episodes = self.0.iter().filter(|(id, _)| wanted(id));
        let mut episodes: Vec<(&Id, &Episode)> = episodes.collect();
        episodes.sort_by_key(cluster);
        let clusters = episodes.chunk_by(|a, b| cluster(a) == cluster(b));
        let numbered = clusters.enumerate().flat_map(|(number, episodes)| {
            let numbered = move |(id, episode): &(&'e Id, &'e Episode)| (number, *id, *episode);
            episodes.iter().map(numbered)
        });
        numbered.collect()
    }

    /// A metric over all of them: its sum above, and below.
    pub(super) fn total(&self, place: usize) -> Term {
        let mut sums = [ExactSum::new(), ExactSum::new()];
        for episode in self.0.values() {
            let term = episode.terms[place];
            sums[0].add(term[0]);
            sums[1].add(term[1]);
        }
        [sums[0].value(), sums[1].value()]
    }
}

/// The terms of an episode, in the order of [`METRICS`].
fn terms(detail: &EpisodeDetail) -> Option<[Term; METRICS.len()]> {
    let share = |hits: u64, n: u64| [hits as f64, n as f64];
    let answer = |answer: Option<bool>| match answer {
        Some(yes) => [f64::from(u8::from(yes)), 1.0],
        None => [0.0, 0.0],
    };
    let mean = |value: Option<f64>| value.map_or([0.0, 0.0], |value| [value, 1.0]);
    let errors = detail.coord_error_count;
    let distance = match detail.coord_error_sum {
        Some(sum) if errors > 0 && sum.is_finite() => sum,
        _ if errors > 0 => return None,
        _ => 0.0,
    };
    Some([
        answer(detail.success),
        share(detail.type_matches, detail.n_steps),
        [distance, errors as f64],
        share(detail.click_hits, errors),
        share(detail.bbox_hits, detail.bbox_targets),
        mean(detail.progress),
        mean(detail.step_score),
        answer(detail.weak_success),
        answer(detail.state_success),
        share(detail.element_hits, detail.element_targets),
    ])
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn terms_have_the_order_of_the_table() {
        let detail = EpisodeDetail {
            dataset: None,
            epoch: 1,
            cluster: None,
            episode_id: "e".to_owned(),
            goal: None,
            n_steps: 10,
            type_matches: 1,
            full_steps: 0,
            missing_steps: 0,
            unreadable_steps: 0,
            extra_steps: 0,
            progress: Some(0.1),
            step_score: Some(0.7),
            success: Some(true),
            weak_success: Some(false),
            state_success: None,
            coord_error_sum: Some(0.2),
            coord_error_count: 4,
            click_hits: 3,
            bbox_targets: 6,
            bbox_hits: 5,
            element_targets: 9,
            element_hits: 8,
            steps: Vec::new(),
        };
        let found = terms(&detail).unwrap();
        for (name, term) in [
            ("action_type_accuracy", [1.0, 10.0]),
            ("mean_coord_error", [0.2, 4.0]),
            ("episode_success_rate", [1.0, 1.0]),
            ("click_hit_rate", [3.0, 4.0]),
            ("bbox_hit_rate", [5.0, 6.0]),
            ("mean_episode_progress", [0.1, 1.0]),
            ("mean_episode_step_score", [0.7, 1.0]),
            ("weak_episode_success_rate", [0.0, 1.0]),
            ("state_success_rate", [0.0, 0.0]),
            ("element_accuracy", [8.0, 9.0]),
        ] {
            assert_eq!(found[crate::family::place(name).unwrap()], term, "{name}");
        }
        let lost = EpisodeDetail {
            coord_error_sum: None,
            ..detail
        };
        assert!(terms(&lost).is_none());
    }
}
