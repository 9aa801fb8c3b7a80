//! State and scores become the report.

use std::collections::BTreeMap;
use std::io;

use serde_json::{Map, Value};

use super::leaderboard::leaderboard;
use super::report::{
    ByFamily, Counts, ModelProfile, ModelTailRisk, ScoreStatistics, Summary, TaskSummary,
    TaskTailRisk, Violations, WorstSample,
};
use super::scored::{Items, ScoredRecords};
use super::scores::{ScoreEntry, ScoreLog, Selection};
use super::state::{FamilyTotals, GroupCounts, GroupKey, SummaryState};
use super::statistics::{IN_MEMORY, Statistics};
use crate::gold::GoldReport;
use crate::protocol::Protocol;
use judica_data::parallel::parallel_map;
use judica_model::text::few;

/// Version of the shape of `report.json`.
const SCHEMA_VERSION: &str = "judica.summary/2";

/// So many models with a prior and without an output are named.
const NAMED_PRIORS: usize = 5;

/// Why statistics over eligible records are undefined.
const NO_ELIGIBLE: &str = "no eligible samples";
const NO_SCORED: &str = "no eligible samples with usable gold";

/// Why one of the three scores is undefined for a whole group.
fn no_score(protocol: &Protocol, otherwise: &'static str) -> &'static str {
    match protocol.three {
        Some(_) => otherwise,
        None => "the protocol has dimensions instead",
    }
}

/// Everything a summary is made of.
pub struct Parts<'a> {
    /// The protocol.
    pub protocol: &'a Protocol,
    /// The samples.
    pub items: &'a dyn Items,
    /// Models by number.
    pub models: Vec<&'a str>,
    /// Counts per group.
    pub state: &'a SummaryState,
    /// Scores per group.
    pub scores: &'a ScoreLog,
    /// What went in and out.
    pub counts: Counts,
    /// What the samples' gold is worth.
    pub gold: GoldReport,
    /// The command that runs the protocol on it.
    pub calibrate: &'a str,
    /// Confidence priors by model.
    pub priors: &'a BTreeMap<String, Map<String, Value>>,
    /// Threads for the bootstrap; the result does not depend on it.
    pub threads: usize,
}

/// A section of the summary, to be made on any thread.
enum Section<'a> {
    /// Of a task: of one model, or of all, with the groups it is about.
    Task(u32, Option<u32>, Vec<GroupKey>),
    /// Of a model, by number and name.
    Model(u32, &'a str),
}

/// A section that is made.
enum Made {
    Task(Box<TaskSummary>),
    Model(Box<ModelProfile>),
}

/// Builds the summary.
pub fn build(parts: &Parts) -> io::Result<Summary> {
    // By name, so that the order of inputs does not show.
    let mut models: Vec<(u32, &str)> = (0u32..).zip(parts.models.iter().copied()).collect();
    models.sort_by_key(|(_, name)| *name);
    models.retain(|(model, _)| !parts.state.groups_of(*model).is_empty());
    let gold_needed = parts.protocol.of_dimensions.is_none();
    let scored = ScoredRecords::new(parts.protocol, parts.items, parts.scores)?;
    let leaderboard = leaderboard(
        parts.protocol,
        parts.state,
        parts.scores,
        &scored,
        &models,
        parts.threads,
    )?;

    // In the order of the report; made together, so that no thread waits for the others.
    let mut sections: Vec<Section> = Vec::new();
    for task in 0..parts.protocol.tasks.len() as u32 {
        let keys: Vec<GroupKey> = models
            .iter()
            .map(|(model, _)| (task, *model))
            .filter(|key| parts.state.groups.contains_key(key))
            .collect();
        if !keys.is_empty() {
            sections.push(Section::Task(task, None, keys.clone()));
            let of_model = |key: GroupKey| Section::Task(task, Some(key.1), vec![key]);
            sections.extend(keys.into_iter().map(of_model));
        }
    }
    let of_models = models
        .iter()
        .map(|(model, name)| Section::Model(*model, name));
    sections.extend(of_models);
    let made = parallel_map(&sections, parts.threads, |section| match section {
        Section::Task(task, model, keys) => {
            let made = task_summary(parts, *task, *model, keys);
            made.map(|made| Made::Task(Box::new(made)))
        }
        Section::Model(model, name) => {
            let made = model_profile(parts, *model, name);
            made.map(|made| Made::Model(Box::new(made)))
        }
    });
    let (mut tasks, mut profiles) = (Vec::new(), Vec::new());
    for section in made {
        match section? {
            Made::Task(summary) => tasks.push(*summary),
            Made::Model(profile) => profiles.push(*profile),
        }
    }
    let gold = &parts.gold;
    let mut notes = gold.notes(parts.counts.samples, parts.calibrate, gold_needed);
    notes.extend(parts.state.unverified.note(parts.counts.records));
    notes.extend(unmatched_priors(parts));
    Ok(Summary {
        schema_version: SCHEMA_VERSION.to_owned(),
        protocol: parts.protocol.name.clone(),
        config_version: parts.protocol.version.clone(),
        config_hash: parts.protocol.hashes.config.clone(),
        counts: parts.counts.clone(),
        gold: Some(parts.gold.clone()),
        scored_samples: Some(scored.samples as u64),
        notes,
        leaderboard,
        dimensions: parts.scores.dimensions.report(parts.protocol, &models),
        tasks,
        models: profiles,
    })
}

/// Names the models with a prior that answered nothing.
fn unmatched_priors(parts: &Parts) -> Option<String> {
    let named = parts.priors.keys().map(String::as_str);
    let unmatched: Vec<&str> = named.filter(|name| !parts.models.contains(name)).collect();
    let shown = unmatched.iter().take(NAMED_PRIORS);
    (!unmatched.is_empty()).then(|| {
        format!(
            "no output is by a model that has a confidence: {}",
            few(shown, ", ", unmatched.len())
        )
    })
}

fn merged(parts: &Parts, keys: &[GroupKey]) -> GroupCounts {
    let mut counts = GroupCounts::new(parts.protocol.families.len());
    keys.iter()
        .filter_map(|key| parts.state.groups.get(key))
        .for_each(|group| counts.merge(group));
    counts
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

fn by_family<T>(
    protocol: &Protocol,
    counts: &GroupCounts,
    value: impl Fn(&FamilyTotals) -> T,
) -> ByFamily<T> {
    protocol
        .families
        .iter()
        .zip(&counts.families)
        .map(|(family, totals)| (family.name.clone(), value(totals)))
        .collect()
}

fn violations(totals: &FamilyTotals) -> Violations {
    Violations {
        total_violations: totals.critical + totals.warning + totals.info,
        critical: totals.critical,
        warning: totals.warning,
    }
}

fn availability_rate(protocol: &Protocol, counts: &GroupCounts) -> Option<f64> {
    percent(
        counts.present,
        counts.total * protocol.required_fields() as u64,
    )
}

/// Statistics of one score over the eligible records of a selection.
fn statistics(
    selection: &Selection,
    pick: impl Fn(&ScoreEntry) -> f64,
    why_empty: &str,
) -> io::Result<Statistics> {
    let value = |entry: &ScoreEntry| {
        let value = pick(entry);
        (entry.passed && !value.is_nan()).then_some(value)
    };
    if selection.count() <= IN_MEMORY {
        let mut values = Vec::with_capacity(selection.count());
        selection.replay(&mut |_, entry| values.extend(value(entry)))?;
        return Ok(Statistics::of_values(values, why_empty));
    }
    let mut replay = |each: &mut dyn FnMut(f64)| {
        selection.replay(&mut |_, entry| value(entry).into_iter().for_each(&mut *each))
    };
    Statistics::of(&mut replay, why_empty)
}

fn task_summary(
    parts: &Parts,
    task: u32,
    model: Option<u32>,
    keys: &[GroupKey],
) -> io::Result<TaskSummary> {
    let counts = merged(parts, keys);
    let selection = parts.scores.select(keys)?;
    let protocol = parts.protocol;
    let conditional_error = statistics(
        &selection,
        |entry| entry.error,
        no_score(protocol, NO_SCORED),
    )?;
    let mae = statistics(&selection, |entry| entry.mae, NO_SCORED)?;
    let bounds = &protocol.summary.exceedance_below;
    let mut below = vec![0u64; bounds.len()];
    let mut worst = Worst::new(parts, protocol.summary.worst_samples as usize);
    selection.replay(&mut |model, entry| {
        if entry.passed && !entry.error.is_nan() {
            for (count, bound) in below.iter_mut().zip(bounds) {
                *count += u64::from(entry.error < *bound);
            }
            worst.offer(entry, model);
        }
    })?;
    let rates = bounds.iter().zip(below).map(|(bound, count)| {
        (
            format!("below_{bound}"),
            percent(count, conditional_error.count),
        )
    });
    Ok(TaskSummary {
        task_id: protocol.tasks[task as usize].name.clone(),
        model_name: model.map(|model| parts.models[model as usize].to_string()),
        total: counts.total,
        eligible: counts.eligible,
        ineligible: counts.total - counts.eligible,
        api_errors: counts.api_errors,
        parse_failures: counts.parse_failures,
        availability_rate: availability_rate(protocol, &counts),
        compliance_rate: by_family(protocol, &counts, |totals| {
            percent(
                totals.atoms - totals.critical - totals.warning - totals.info,
                totals.atoms,
            )
        }),
        constraint_satisfaction: by_family(protocol, &counts, violations),
        tail_risk: TaskTailRisk {
            p95: conditional_error.p95,
            p99: conditional_error.p99,
            exceedance_rates: rates.collect(),
            mae_p95: mae.p95,
            mae_p99: mae.p99,
            worst_samples: worst.named(),
            undefined: conditional_error.undefined.clone(),
        },
        conditional_error,
        failure_modes: by_family(protocol, &counts, |totals| totals.failure_modes),
    })
}

fn model_profile(parts: &Parts, model: u32, name: &str) -> io::Result<ModelProfile> {
    let keys = parts.state.groups_of(model);
    let counts = merged(parts, &keys);
    let selection = parts.scores.select(&keys)?;
    let protocol = parts.protocol;
    let scores = ScoreStatistics {
        availability_score: statistics(
            &selection,
            |entry| entry.availability,
            no_score(protocol, NO_ELIGIBLE),
        )?,
        constraint_satisfaction_score: statistics(
            &selection,
            |entry| entry.constraint,
            no_score(protocol, NO_ELIGIBLE),
        )?,
        conditional_error_score: statistics(
            &selection,
            |entry| entry.error,
            no_score(protocol, NO_SCORED),
        )?,
        total_score: statistics(&selection, |entry| entry.total, NO_SCORED)?,
    };
    let mut high_risk = 0;
    selection.replay(&mut |_, entry| {
        high_risk += u64::from(entry.passed && entry.error < protocol.summary.high_risk_below);
    })?;
    let error = scores.conditional_error_score.clone();
    Ok(ModelProfile {
        total: counts.total,
        eligible: counts.eligible,
        eligibility_rate: percent(counts.eligible, counts.total),
        api_errors: counts.api_errors,
        parse_failures: counts.parse_failures,
        availability_rate: availability_rate(protocol, &counts),
        scores,
        violations: by_family(protocol, &counts, violations),
        failure_modes: by_family(protocol, &counts, |totals| totals.failure_modes),
        tail_risk: ModelTailRisk {
            p95: error.p95,
            p99: error.p99,
            high_risk_samples: high_risk,
            high_risk_rate: percent(high_risk, error.count),
            undefined: error.undefined.clone(),
        },
        conditional_error: error,
        model_confidence_prior: parts.priors.get(name).cloned(),
        model_name: name.to_owned(),
    })
}

/// The records with the lowest error scores, kept as they come.
struct Worst<'a> {
    parts: &'a Parts<'a>,
    most: usize,
    entries: Vec<(f64, f64, u32, u32)>,
}

impl<'a> Worst<'a> {
    fn new(parts: &'a Parts<'a>, most: usize) -> Self {
        Worst {
            parts,
            most,
            entries: Vec::with_capacity(most + 1),
        }
    }

    fn key(&self, sample: u32, model: u32) -> (&'a str, &'a str) {
        let (_, item) = self.parts.items.key(sample);
        (item, self.parts.models[model as usize])
    }

    /// Lowest score first, then the larger error; among equals by name.
    fn offer(&mut self, entry: &ScoreEntry, model: u32) {
        let before = |(error, mae, sample, other): &(f64, f64, u32, u32)| {
            let by_score = error.total_cmp(&entry.error).then(entry.mae.total_cmp(mae));
            let by_name = || {
                let key = self.key(*sample, *other);
                key.cmp(&self.key(entry.sample, model))
            };
            by_score.then_with(by_name).is_le()
        };
        // Nearly all are none of the worst, which one comparison shows.
        if self.entries.len() == self.most && self.entries.last().is_none_or(before) {
            return;
        }
        let position = self.entries.partition_point(before);
        if position < self.most {
            self.entries
                .insert(position, (entry.error, entry.mae, entry.sample, model));
            self.entries.truncate(self.most);
        }
    }

    fn named(self) -> Vec<WorstSample> {
        let named = self.entries.iter().map(|(error, mae, sample, model)| {
            let (item, model) = self.key(*sample, *model);
            WorstSample {
                sample_id: item.to_owned(),
                model_name: model.to_owned(),
                conditional_error_score: *error,
                mae: *mae,
            }
        });
        named.collect()
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
