//! HELM: the folder of a run, with `run_spec.json`, `stats.json`, `per_instance_stats.json` and
//! `scenario_state.json`.
//!
//! What an instance came to and what was asked stand in two files, joined by instance, trial
//! and perturbation. Numbers are held, texts are not: the second file can be large.

mod keys;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judica_data::work_error::WorkError;
use judica_model::run::Direction;
use judica_run::family::Input;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::log::{About, Aggregate, Found, Harness, Log, Place, Sample, Score, Take};
use crate::open::{Candidate, Format};
use crate::raw::Raw;
use crate::walk::{self, Bad, TakePart, Want};
use keys::{Context, Key, Perturbations, correct, key, named};

const SPEC: &str = "run_spec.json";
const STATS: &str = "stats.json";
const INSTANCES: &str = "per_instance_stats.json";
const STATE: &str = "scenario_state.json";
/// Stats that count tokens, by their names of now and of before.
const TOKENS_IN: [&str; 1] = ["num_prompt_tokens"];
const TOKENS_OUT: [&str; 2] = ["num_output_tokens", "num_completion_tokens"];
/// What an aggregate over perturbations is computed on, where it is not of instances alone.
const DERIVED: [&str; 2] = ["worst", "original"];

/// How its logs are told and opened.
pub const FORMAT: Format = Format {
    harness: Harness::Helm,
    recognise,
    files,
    open: |files, _| Ok(Box::new(Helm::open(files)?)),
};

fn recognise(candidate: &Candidate) -> bool {
    let is_file = !candidate.path.is_dir();
    if is_file && ![SPEC, STATS, INSTANCES, STATE].contains(&candidate.name()) {
        return false;
    }
    let there = files(candidate.path).unwrap_or_default();
    there
        .iter()
        .any(|file| file.ends_with(SPEC) || file.ends_with(INSTANCES))
}

/// A log: the files of one folder.
pub struct Helm {
    about: About,
    files: Vec<Input>,
    dataset: String,
    subject: String,
    /// By key, in the order of the file.
    instances: Vec<Instance>,
    by_key: FxHashMap<Key, usize>,
    /// What stats are called.
    names: Vec<String>,
    perturbations: Perturbations,
    /// Rows whose stats were all met before: the instance, and where they stand.
    repeated: Vec<(usize, (u64, u64))>,
    /// Sums and counts of a stat by trial.
    trials: FxHashMap<(String, Context), BTreeMap<u32, (f64, f64)>>,
    refused: u64,
}

/// What one instance came to in one trial.
struct Instance {
    key: Key,
    item: String,
    /// Its number in the file, and where it begins.
    at: (u64, u64),
    /// Which stat, and its value.
    stats: Vec<(usize, Option<f64>)>,
    /// The stats that were met, by number of all that they are of.
    met: Vec<u32>,
}

/// The files of a run in this folder, the one that names it first; also where one of them is
/// named.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, WorkError> {
    let folder = match path.is_dir() {
        true => path,
        false => path.parent().unwrap_or(Path::new("")),
    };
    let files = [SPEC, STATS, INSTANCES, STATE].map(|name| folder.join(name));
    Ok(files.into_iter().filter(|file| file.is_file()).collect())
}

impl Helm {
    /// Opens the files of a run.
    pub fn open(files: &[Input]) -> Result<Self, WorkError> {
        let mut log = Helm {
            about: About::of(Harness::Helm),
            files: files.to_vec(),
            dataset: String::new(),
            subject: String::new(),
            instances: Vec::new(),
            by_key: FxHashMap::default(),
            names: Vec::new(),
            perturbations: Perturbations::default(),
            repeated: Vec::new(),
            trials: FxHashMap::default(),
            refused: 0,
        };
        log.read_spec()?;
        log.read_instances()?;
        // What is cut short is known before the first sample is taken.
        for file in [STATS, STATE].into_iter().filter_map(|name| log.file(name)) {
            walk::document(file, &|_| Want::Skip, &mut |_| Ok(()))?;
        }
        // What says how good an answer is comes before what counts its tokens: the first
        // scorer is the one that decides.
        for instance in &mut log.instances {
            instance.met = Vec::new();
            let stats = &mut instance.stats;
            stats.sort_by_key(|(stat, _)| !is_quality(&log.names[*stat]));
        }
        let missing: Vec<&str> = [SPEC, STATS, INSTANCES, STATE]
            .into_iter()
            .filter(|name| log.file(name).is_none())
            .collect();
        if !missing.is_empty() {
            log.about.status = format!("no {}", missing.join(", no "));
        }
        Ok(log)
    }

    fn file(&self, name: &str) -> Option<&Input> {
        let named = |file: &&Input| file.name.rsplit(['/', '\\']).next() == Some(name);
        self.files.iter().find(named)
    }

    fn read_spec(&mut self) -> Result<(), WorkError> {
        let Some(file) = self.file(SPEC) else {
            self.dataset = "helm".to_owned();
            self.subject = "unknown".to_owned();
            let why = "no run_spec.json: the subject is called unknown";
            self.about.notes.push(why.to_owned());
            return Ok(());
        };
        let (mut name, mut model) = (None, None);
        let want = |keys: &str| match keys {
            "" | "adapter_spec" => Want::Into,
            "name" | "adapter_spec.model" => Want::Take,
            _ => Want::Skip,
        };
        let owned = |raw: Raw| raw.shown().map(Cow::into_owned);
        walk::document(file, &want, &mut |part| {
            match (part.path, part.value) {
                ("name", Ok(value)) => name = owned(value),
                ("adapter_spec.model", Ok(value)) => model = owned(value),
                _ => {}
            }
            Ok(())
        })?;
        self.dataset = name.unwrap_or_else(|| "helm".to_owned());
        self.subject = model.unwrap_or_else(|| "unknown".to_owned());
        Ok(())
    }

    /// The numbers of all instances.
    fn read_instances(&mut self) -> Result<(), WorkError> {
        let Some(file) = self.file(INSTANCES).cloned() else {
            return Ok(());
        };
        let mut all: FxHashMap<u128, u32> = FxHashMap::default();
        list(&file, &mut |part| {
            let place = part.at();
            let Ok(row) = part.value.map(Raw::members) else {
                self.refused += 1;
                return Ok(());
            };
            let Ok((key, mut item)) = key(&row, row.get("instance_id"), row.get("perturbation"))
            else {
                self.refused += 1;
                return Ok(());
            };
            let trial = key.1;
            let new = self.instances.len();
            let at = *self.by_key.entry(key.clone()).or_insert(new);
            if at == new {
                let perturbation = row.get("perturbation");
                self.perturbations.number(&mut item, perturbation);
                self.instances.push(Instance {
                    key,
                    item,
                    at: place,
                    stats: Vec::new(),
                    met: Vec::new(),
                });
            }
            let (mut again, mut added) = (false, false);
            for stat in row.get("stats").elements() {
                let stat = stat.members();
                let next = all.len() as u32;
                let of = *all.entry(stat.get("name").fingerprint()).or_insert(next);
                let met = &mut self.instances[at].met;
                if met.contains(&of) {
                    again = true;
                    continue;
                }
                met.push(of);
                added = true;
                let (name, context) = named(stat.get("name"));
                let known = self.names.iter().position(|known| *known == name);
                let number = known.unwrap_or_else(|| {
                    self.names.push(name.clone().into_owned());
                    self.names.len() - 1
                });
                let count = stat.get("count").number().unwrap_or(0.0);
                let value = stat.get("mean").finite().filter(|_| count > 0.0);
                // Of several of one name the first counts.
                let stats = &mut self.instances[at].stats;
                if stats.iter().all(|(known, _)| *known != number) {
                    stats.push((number, value));
                }
                if let (true, Some(sum)) = (count > 0.0, stat.get("sum").number()) {
                    let trials = self.trials.entry((name.into_owned(), context));
                    let sums = trials.or_default().entry(trial).or_default();
                    *sums = (sums.0 + sum, sums.1 + count);
                }
            }
            if again && !added {
                self.repeated.push((at, place));
            }
            Ok(())
        })
    }

    /// A stat by the instances: its mean over them in each trial, then over trials. Some are
    /// made of the sums of others.
    fn again(&self, name: &str, context: Context) -> Option<f64> {
        let of = |name: &str| self.trials.get(&(name.to_owned(), context));
        let ratios: Vec<f64> = match (of(name), name) {
            (Some(trials), _) => trials.values().map(|(sum, count)| sum / count).collect(),
            (None, "perplexity" | "bits_per_byte" | "logprob_per_byte") => {
                let below = match name {
                    "perplexity" => of("num_perplexity_tokens")?,
                    _ => of("num_bytes")?,
                };
                let above = of("logprob")?.iter();
                let ratios = above.filter_map(|(trial, (sum, _))| {
                    let below = below.get(trial)?.0;
                    (below > 0.0).then_some(sum / below)
                });
                let made = |ratio: f64| match name {
                    "perplexity" => (-ratio).exp(),
                    "bits_per_byte" => -ratio / std::f64::consts::LN_2,
                    _ => ratio,
                };
                ratios.map(made).collect()
            }
            _ => return None,
        };
        Some(ratios.iter().sum::<f64>() / ratios.len() as f64)
    }

    fn sample<'a>(&'a self, item: &'a str, trial: u32, instance: Option<&Instance>) -> Sample<'a> {
        let stats = instance.map_or(&[][..], |instance| &instance.stats);
        let tokens = |names: &[&str]| {
            let mut stats = stats.iter();
            let found = stats.find(|(stat, _)| names.contains(&self.names[*stat].as_str()));
            found.and_then(|(_, value)| *value)
        };
        let scores = stats.iter().map(|(stat, value)| Score {
            scorer: Cow::Borrowed(self.names[*stat].as_str()),
            value: *value,
            ..Score::default()
        });
        Sample {
            dataset: Cow::Borrowed(&self.dataset),
            item: Cow::Borrowed(item),
            epoch: i32::try_from(trial).map_or(i32::MAX, |trial| trial.saturating_add(1)),
            subject: Cow::Borrowed(&self.subject),
            scores: scores.collect(),
            tokens_in: tokens(&TOKENS_IN),
            tokens_out: tokens(&TOKENS_OUT),
            ..Sample::default()
        }
    }

    /// The instances that were asked, with their texts; gives which were met.
    fn asked(&self, file: &Input, take: &mut Take) -> Result<Vec<bool>, WorkError> {
        let mut met = vec![false; self.instances.len()];
        let mut others = FxHashSet::default();
        let mut perturbations = self.perturbations.clone();
        let want = |keys: &str| match keys {
            "" => Want::Into,
            "request_states" => Want::Each,
            _ => Want::Skip,
        };
        walk::document(file, &want, &mut |part| {
            let at = part.at();
            let raw = match part.value {
                Ok(raw) if part.place > 0 => raw,
                Ok(_) => return Ok(()),
                Err(bad) => return take(bad.found(&file.name, at)).map(drop),
            };
            let text = || raw.kept();
            let state = raw.members();
            let instance = state.get("instance").members();
            let found = key(&state, instance.get("id"), instance.get("perturbation"));
            let (key, mut item) = match found {
                Ok(found) => found,
                Err(detail) => {
                    return take(Bad::missing(raw, detail).found(&file.name, at)).map(drop);
                }
            };
            // An instance may be asked once for each of its references: the first speaks.
            let instance_of = match self.by_key.get(&key) {
                Some(at) if met[*at] => return Ok(()),
                Some(at) => {
                    met[*at] = true;
                    Some(&self.instances[*at])
                }
                None if !others.insert(key.clone()) => return Ok(()),
                None => {
                    perturbations.number(&mut item, instance.get("perturbation"));
                    None
                }
            };
            let result = state.get("result").members();
            let item = instance_of.map_or(&item, |instance| &instance.item);
            let mut sample = self.sample(item, key.1, instance_of);
            sample.input = state.get("request").at(&["prompt"]).shown();
            sample.target = correct(instance.get("references"));
            let first = result.get("completions").elements().into_iter().next();
            sample.output = first.and_then(|first| first.at(&["text"]).shown());
            sample.latency_ms = result.get("request_time").finite().map(|s| s * 1000.0);
            sample.place = Place {
                file: Cow::Borrowed(&file.name),
                line: at.0,
                offset: at.1,
                raw: Some(&text),
                ..Place::default()
            };
            if result.get("success").boolean() == Some(false) {
                // What stats make of an answer that never came, nobody gave.
                sample.error = Some(result.get("error").shown().unwrap_or("failed".into()));
                sample.scores.clear();
            }
            take(Found::Sample(Box::new(sample))).map(drop)
        })?;
        Ok(met)
    }
}

/// Whether a stat says how good an answer is, by its name.
fn is_quality(stat: &str) -> bool {
    let words = ["match", "accuracy", "f1", "score", "rouge", "bleu", "pass"];
    words.iter().any(|word| stat.contains(word))
}

/// The elements of a file that is one list.
fn list(file: &Input, take: &mut TakePart) -> Result<(), WorkError> {
    walk::document(file, &|_| Want::Each, take)
}

impl Log for Helm {
    fn about(&self) -> &About {
        &self.about
    }

    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError> {
        if let Some(file) = self.file(INSTANCES).filter(|_| self.refused > 0) {
            list(file, &mut |part| {
                let at = part.at();
                let bad = match part.value {
                    Err(bad) => bad,
                    Ok(raw) => {
                        let row = raw.members();
                        match key(&row, row.get("instance_id"), row.get("perturbation")) {
                            Ok(_) => return Ok(()),
                            Err(detail) => Bad::missing(raw, detail),
                        }
                    }
                };
                take(bad.found(&file.name, at)).map(drop)
            })?;
        }
        let met = match self.file(STATE) {
            Some(file) => self.asked(file, take)?,
            None => vec![false; self.instances.len()],
        };
        let name = self.file(INSTANCES).map_or("", |file| &file.name);
        let alone = self.instances.iter().zip(met).filter(|(_, met)| !met);
        let alone = alone.map(|(instance, _)| (instance, instance.at));
        // They are shown again, and whoever keeps records refuses them.
        let again = self.repeated.iter();
        let again = again.map(|(instance, at)| (&self.instances[*instance], *at));
        for (instance, at) in alone.chain(again) {
            let mut sample = self.sample(&instance.item, instance.key.1, Some(instance));
            sample.place.file = Cow::Borrowed(name);
            (sample.place.line, sample.place.offset) = at;
            take(Found::Sample(Box::new(sample)))?;
        }
        Ok(())
    }

    /// HELM does not say it, and counts of tokens are stats like any other.
    fn direction(&self, scorer: &str) -> Option<Direction> {
        Some(match is_quality(scorer) {
            true => Direction::Higher,
            false => Direction::None,
        })
    }

    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError> {
        let mut all = Vec::new();
        let Some(file) = self.file(STATS) else {
            return Ok(all);
        };
        list(file, &mut |part| {
            let Ok(stat) = part.value.map(Raw::members) else {
                let why = format!("element {} of {} cannot be read", part.place, file.name);
                all.push(Aggregate::unchecked(STATS, None, "mean", None, &why));
                return Ok(());
            };
            if stat.get("count").number() == Some(0.0) {
                return Ok(());
            }
            let name = stat.get("name").members();
            let scorer = name.get("name").shown().unwrap_or_default();
            let perturbation = name.get("perturbation").members();
            let computed_on = perturbation.get("computed_on").text();
            let group: Vec<String> = [
                name.get("split"),
                name.get("sub_split"),
                perturbation.get("name"),
                perturbation.get("computed_on"),
            ]
            .into_iter()
            .filter_map(|part| part.shown().map(Cow::into_owned))
            .collect();
            let group = (!group.is_empty()).then(|| group.join(" "));
            let (group, logged) = (group.as_deref(), stat.get("mean").finite());
            let (name, context) = named(stat.get("name"));
            let unchecked = |why: &str| Aggregate::unchecked(&scorer, group, "mean", logged, why);
            all.push(match self.again(&name, context) {
                _ if computed_on.is_some_and(|on| DERIVED.contains(&&*on)) => {
                    unchecked("derived from several perturbations")
                }
                _ if self.refused > 0 => {
                    unchecked(&format!("{} instances could not be read", self.refused))
                }
                None => unchecked("no instance has it"),
                Some(mean) => {
                    let mean = Some(mean).filter(|mean| mean.is_finite());
                    Aggregate::checked(&scorer, group, "mean", logged, mean)
                }
            });
            Ok(())
        })?;
        Ok(all)
    }
}

#[cfg(test)]
#[path = "helm_tests.rs"]
mod tests;
