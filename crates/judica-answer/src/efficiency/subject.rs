//! What is compared: every run for itself, or all runs of a model together.

use std::collections::BTreeMap;

use serde::Serialize;

use super::accuracy::Correct;
use super::facts::{Measured, RunFacts, Tally, Tokens, Verdicts};
use super::time::Time;
use crate::normalize::common_name;

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Models, over all their runs.
    #[default]
    Model,
    /// Runs, as they are.
    Run,
}

/// One of the things that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The model.
    pub model: String,
    /// The run, where runs are compared.
    pub run: Option<String>,
    /// The runs it consists of, in order.
    pub runs: Vec<String>,
    /// How many rows they have.
    pub rows: u64,
    /// How many answers are correct, and who says so; `None` if nobody says of any.
    pub correct: Option<Correct>,
    /// What decides whether rows equal their gold, where they do not say so themselves.
    pub normalizer: &'static str,
    /// How many of its runs were judged.
    pub judged_runs: usize,
    /// Milliseconds.
    pub latencies_ms: Vec<f64>,
    /// Tokens.
    pub tokens: Tokens,
    /// What answers cost, of the rows that say so.
    pub usd: Vec<f64>,
    /// How long it took.
    pub(super) time: Time,
}

impl Subject {
    fn of(model: String, run: Option<String>, mut facts: Vec<RunFacts>) -> Self {
        facts.sort_by(|a, b| a.run.cmp(&b.run));
        let tallies = facts
            .iter()
            .fold(Tally::default(), |sum, run| sum.plus(run.exact));
        let judged: Option<Verdicts> = facts
            .iter()
            .map(|run| run.judged)
            .try_fold(Verdicts::default(), |sum, run| Some(sum.plus(run?)));
        let of_runs = facts.iter().filter_map(|run| run.measured.clone());
        let measured: Vec<Measured> = of_runs.collect();
        let correct = match judged {
            _ if !measured.is_empty() => Some(match sum(&measured) {
                Some(sum) if measured.len() == facts.len() => Correct::Metric(sum),
                _ => Correct::Mixed,
            }),
            Some(verdicts) if verdicts.rows() > 0 => Some(Correct::Judge(verdicts)),
            _ if tallies.n > 0 => Some(Correct::ExactMatch(tallies)),
            _ => None,
        };
        Subject {
            model,
            run,
            correct,
            normalizer: common_name(facts.iter().map(|run| run.normalizer)),
            judged_runs: facts.iter().filter(|run| run.judged.is_some()).count(),
            rows: facts.iter().map(|run| run.rows).sum(),
            time: Time::of(&facts),
            tokens: facts
                .iter()
                .fold(Tokens::default(), |sum, run| sum.plus(run.tokens)),
            usd: facts.iter().flat_map(|run| &run.usd).copied().collect(),
            runs: facts.iter().map(|run| run.run.clone()).collect(),
            latencies_ms: facts.into_iter().flat_map(|run| run.latencies_ms).collect(),
        }
    }
}

/// All together, if they measure the same.
fn sum(measured: &[Measured]) -> Option<Measured> {
    let (first, others) = measured.split_first()?;
    let mut others = others.iter();
    others.try_fold(first.clone(), |sum, other| sum.plus(other))
}

/// The subjects that the runs make, by name.
pub fn subjects(by: By, facts: Vec<RunFacts>) -> Vec<Subject> {
    let mut facts = facts;
    facts.sort_by(|a, b| (&a.model, &a.run).cmp(&(&b.model, &b.run)));
    let mut groups: Vec<(String, Option<String>, Vec<RunFacts>)> = Vec::new();
    for run in facts {
        let name = (by == By::Run).then(|| run.run.clone());
        match groups.last_mut() {
            Some((model, None, runs)) if name.is_none() && *model == run.model => runs.push(run),
            _ => groups.push((run.model.clone(), name, vec![run])),
        }
    }
    told_apart(&mut groups);
    let subject = |(model, run, facts)| Subject::of(model, run, facts);
    groups.into_iter().map(subject).collect()
}

/// Runs of the same name get the name of their model added; where that does not help, a
/// number.
fn told_apart(groups: &mut [(String, Option<String>, Vec<RunFacts>)]) {
    let mut names: BTreeMap<String, u64> = BTreeMap::new();
    for (_, run, _) in groups.iter() {
        *names.entry(run.clone().unwrap_or_default()).or_default() += 1;
    }
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for (model, run, _) in groups {
        let Some(run) = run
            .as_mut()
            .filter(|run| names.get(*run).is_some_and(|n| *n > 1))
        else {
            continue;
        };
        *run = format!("{run} ({model})");
        let times = seen.entry(run.clone()).or_default();
        *times += 1;
        if *times > 1 {
            *run = format!("{run} #{times}");
        }
    }
}
