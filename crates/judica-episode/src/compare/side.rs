//! What is compared: a file, its label, its episodes.

use std::io::Read;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::json::Scanner;
use judica_data::names::labels;
use judica_data::source::{STDIN, Source};
use judica_data::work_error::WorkError;
use judica_run::compare::Alone;
use judica_stats::estimate::Clustered;
use judica_stats::wilson_interval;

use super::episodes::Episodes;
use crate::eval_json::catalogue::{Kind, is_count, spec};
use crate::eval_json::{EvalFile, Reading, read_eval};
use crate::family::{metric_names, place};

/// The coverage of intervals in eval files.
const IN_FILES: f64 = 0.95;
/// How much of a file tells whether it holds episodes.
const HEAD: u64 = 4096;

/// One run.
pub(super) struct Side {
    /// What it is called.
    pub label: String,
    /// Its eval file; `None` if only its episodes are at hand.
    pub eval: Option<EvalFile>,
    /// Its episodes, if they are at hand.
    pub episodes: Option<Episodes>,
}

/// Reads everything a comparison needs.
pub(super) fn load(
    files: &[PathBuf],
    given: &[String],
    details: &[PathBuf],
) -> Result<Vec<Side>, WorkError> {
    let bad = |message: String| Err(WorkError::BadInput(message));
    if files.len() < 2 {
        return bad(format!(
            "a comparison needs two files or more, and there is {}",
            files.len()
        ));
    }
    let labels = labels(files, given)?;
    if !details.is_empty() && details.len() != files.len() {
        return bad(format!(
            "{} files of details for {} files; each needs its own",
            details.len(),
            files.len()
        ));
    }
    let mut sides = files
        .iter()
        .zip(labels)
        .enumerate()
        .map(|(at, (path, label))| side(path, label, details.get(at)))
        .collect::<Result<Vec<Side>, WorkError>>()?;
    // As of runs: if each side has one data set, its name does not matter.
    let episodes = || sides.iter().filter_map(|side| side.episodes.as_ref());
    if !episodes().any(Episodes::of_several) {
        let episodes = sides.iter_mut().filter_map(|side| side.episodes.as_mut());
        episodes.for_each(Episodes::forget_dataset);
    }
    Ok(sides)
}

fn side(path: &Path, label: String, details: Option<&PathBuf>) -> Result<Side, WorkError> {
    let mut side = Side {
        label,
        eval: None,
        episodes: None,
    };
    if holds_episodes(path)? {
        if details.is_some() {
            let message = format!("{} holds episode details already", path.display());
            return Err(WorkError::BadInput(message));
        }
        side.episodes = Some(Episodes::read(path)?);
    } else {
        side.eval = Some(read_eval(path)?);
        side.episodes = details.map(|path| Episodes::read(path)).transpose()?;
    }
    Ok(side)
}

/// Whether a file is one of episode details: its first object begins with an episode's id.
fn holds_episodes(path: &Path) -> Result<bool, DataError> {
    // Standard input and a pipe can be read once only, and are one eval file.
    if path == Path::new(STDIN) || !path.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    Source::open_unhashed(path)?
        .take(HEAD)
        .read_to_end(&mut head)
        .map_err(|error| DataError::reading(path, error))?;
    let mut scanner = Scanner::new(&head, 0);
    Ok(scanner.take(b'{') && scanner.key().is_ok_and(|key| key.raw == b"episode_id"))
}

impl Side {
    /// A metric, and how sure it is, as far as that is known.
    pub(super) fn alone(&self, metric: &str) -> Result<Alone, String> {
        let rate = spec(metric).is_some_and(|spec| spec.kind == Kind::Rate);
        let Some(eval) = &self.eval else {
            return self.over_episodes(metric);
        };
        let Reading::Value(value) = eval.reading(metric) else {
            return Err(eval.why_undefined(metric));
        };
        let n = eval.n(metric);
        let hits = match eval.hits(metric).zip(n) {
            Some((hits, n)) => Some((hits, n)).filter(|_| is_share(value, hits, n)),
            None => n.and_then(|n| Some((hits_of(value, n)?, n))),
        };
        let interval = eval.interval(metric);
        // Hits tell an interval of any coverage, but nothing of steps that belong together: a
        // file that knows of those has another interval than hits alone would give.
        let all_told = |hits, n| interval.is_none_or(|ends| is_of_hits(ends, hits, n));
        let hits = hits.filter(|(hits, n)| rate && *n > 0 && all_told(*hits, *n));
        Ok(match hits {
            Some((hits, n)) => Alone::Hits { value, hits, n },
            None => Alone::Known {
                value,
                n: n.unwrap_or(0),
                interval,
                confidence: IN_FILES,
            },
        })
    }

    /// What its eval file says of a rate in `metrics`, where `counts` say otherwise: the value,
    /// the hits, and of how many.
    pub(super) fn at_odds(&self, metric: &str) -> Option<(f64, u64, u64)> {
        let eval = self.eval.as_ref()?;
        let value = eval.reading(metric).value()?;
        let (hits, n) = (eval.hits(metric)?, eval.n(metric)?);
        (!is_share(value, hits, n)).then_some((value, hits, n))
    }

    /// Whether its eval file has the metric without an interval.
    pub(super) fn lacks_interval(&self, metric: &str) -> bool {
        let eval = self.eval.as_ref();
        eval.is_some_and(|eval| {
            eval.reading(metric).value().is_some() && eval.interval(metric).is_none()
        })
    }

    /// The metric over its episodes, by cluster.
    fn over_episodes(&self, metric: &str) -> Result<Alone, String> {
        let (Some(episodes), Some(place)) = (&self.episodes, place(metric)) else {
            return Err("details of episodes do not have it".to_owned());
        };
        let mut clustered = Clustered::default();
        for (cluster, _, episode) in episodes.by_cluster(|_| true) {
            clustered.add(cluster as u32, episode.terms[place]);
        }
        match episodes.total(place) {
            [_, below] if below > 0.0 => Ok(Alone::Summed(clustered)),
            _ => Err("no episode has it".to_owned()),
        }
    }

    /// How many episodes it has, as far as that is known.
    pub(super) fn episodes(&self) -> Option<u64> {
        let counted = self.eval.as_ref().map(|eval| eval.reading("num_episodes"));
        match counted {
            Some(counted) => counted.value().map(|n| n as u64),
            None => self.episodes.as_ref().map(|all| all.0.len() as u64),
        }
    }

    /// The metrics it has, numbers or null.
    pub(super) fn metrics(&self) -> Vec<String> {
        match &self.eval {
            Some(eval) => {
                let names = eval.metrics().keys();
                names
                    .filter(|name| match eval.reading(name) {
                        Reading::Value(_) => !is_count(name),
                        // A null under an unknown key may be anything.
                        Reading::Null => spec(name).is_some_and(|of| of.kind != Kind::Count),
                        Reading::Absent => false,
                    })
                    .cloned()
                    .collect()
            }
            None => metric_names().map(str::to_owned).collect(),
        }
    }
}

/// Whether an interval of a file is the one of so many hits; ends may be rounded to three
/// decimals.
fn is_of_hits(ends: [f64; 2], hits: u64, n: u64) -> bool {
    wilson_interval(hits, n, IN_FILES).is_some_and(|found| {
        let off = [found.lo - ends[0], found.hi - ends[1]];
        off.iter().all(|off| off.abs() <= 0.000_5 + 1e-9)
    })
}

/// How many of `n` a rate comes to, where it is one: values may be rounded to three decimals.
fn hits_of(value: f64, n: u64) -> Option<u64> {
    let hits = (value * n as f64).round();
    // With many items any value is near a whole number of hits, as it should be.
    (hits >= 0.0 && is_share(value, hits as u64, n)).then_some(hits as u64)
}

/// Whether a rate may be that of so many hits.
fn is_share(value: f64, hits: u64, n: u64) -> bool {
    let off = (value * n as f64 - hits as f64).abs();
    hits <= n && n > 0 && off <= 0.000_5 * n as f64 + 1e-9
}

#[cfg(test)]
mod unit {
    use super::hits_of;

    #[test]
    fn a_value_is_a_rate_if_some_hits_give_it() {
        assert_eq!(hits_of(18.0 / 19.0, 19), Some(18));
        assert_eq!(hits_of(0.469, 224), Some(105));
        for (value, n) in [(0.5, 5), (0.5, 0), (1.2, 5)] {
            assert_eq!(hits_of(value, n), None);
        }
    }
}
