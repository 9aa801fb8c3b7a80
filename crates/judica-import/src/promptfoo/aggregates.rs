//! promptfoo's own sums, computed again from its rows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::row::Row;
use crate::log::Aggregate;
use crate::raw::Raw;

/// Sums of the rows of one prompt, or of all.
#[derive(Debug, Default, Clone)]
struct Sum {
    score: f64,
    passed: f64,
    failed: f64,
    errors: f64,
    latency: f64,
    cost: f64,
    /// Σ score × weight, and Σ weight.
    named: BTreeMap<String, (f64, f64)>,
}

/// What the rows say.
#[derive(Default)]
pub(super) struct Sums {
    all: Sum,
    prompts: BTreeMap<u32, Sum>,
    /// Rows that could not be read.
    pub refused: u64,
}

impl Sums {
    /// Adds a row. The 0 that stands for an error counts, as it does in promptfoo.
    pub fn add(&mut self, row: &Row) {
        let weights = row.grading.get("namedScoreWeights").members();
        for sum in [&mut self.all, self.prompts.entry(row.prompt).or_default()] {
            sum.score += row.score.finite().unwrap_or(0.0);
            match (row.success.boolean(), &row.error) {
                (Some(true), _) => sum.passed += 1.0,
                (_, None) => sum.failed += 1.0,
                (_, Some(_)) => sum.errors += 1.0,
            }
            sum.latency += row.latency.finite().unwrap_or(0.0);
            sum.cost += row.cost.finite().unwrap_or(0.0);
            for (name, score) in &row.named.0 {
                let weight = weights.get(name).finite().unwrap_or(1.0);
                let entry = match sum.named.get_mut(&**name) {
                    Some(entry) => entry,
                    None => sum.named.entry(name.to_string()).or_default(),
                };
                entry.0 += score.finite().unwrap_or(0.0) * weight;
                entry.1 += weight;
            }
        }
    }
}

/// What the file says: of all rows, and by prompt; keys in its order.
#[derive(Default)]
pub(super) struct Logged {
    stats: Vec<(String, Option<f64>)>,
    prompts: BTreeMap<u32, Vec<(String, Option<f64>)>>,
}

impl Logged {
    /// Takes `stats`.
    pub fn stats(&mut self, stats: Raw) {
        let stats = stats.members();
        for key in ["successes", "failures", "errors"] {
            let value = stats.get(key);
            if !value.is_null() {
                self.stats.push((format!("stats.{key}"), value.finite()));
            }
        }
    }

    /// Takes the metrics of a prompt.
    pub fn prompt(&mut self, prompt: u32, metrics: Raw) {
        let metrics = metrics.members();
        let said = self.prompts.entry(prompt).or_default();
        for key in [
            "score",
            "testPassCount",
            "testFailCount",
            "testErrorCount",
            "totalLatencyMs",
            "cost",
        ] {
            let value = metrics.get(key);
            if !value.is_null() {
                said.push((key.to_owned(), value.finite()));
            }
        }
        for key in ["namedScores", "namedScoreWeights"] {
            for (name, value) in metrics.get(key).members().0 {
                said.push((format!("{key}.{name}"), value.finite()));
            }
        }
    }

    /// Holds it against the rows.
    pub fn check(&self, sums: &Sums, subjects: &BTreeMap<u32, String>) -> Vec<Aggregate> {
        let mut all = Vec::new();
        for (key, logged) in &self.stats {
            all.push(check(key, None, *logged, Some(&sums.all), sums.refused));
        }
        for (prompt, said) in &self.prompts {
            let (subject, sum) = (subjects.get(prompt), sums.prompts.get(prompt));
            for (key, logged) in said {
                let subject = subject.map(String::as_str);
                all.push(check(key, subject, *logged, sum, sums.refused));
            }
        }
        all
    }
}

/// What a named score is called here: two names are those of scores that every row has.
pub(super) fn named(name: Cow<str>) -> Cow<str> {
    match &*name {
        "score" | "pass" => format!("namedScores.{name}").into(),
        _ => name,
    }
}

fn check(
    key: &str,
    subject: Option<&str>,
    logged: Option<f64>,
    sum: Option<&Sum>,
    refused: u64,
) -> Aggregate {
    let none = Sum::default();
    let sum = sum.unwrap_or(&none);
    let (scorer, again) = match (key, key.split_once('.')) {
        ("score", _) => ("score".into(), Some(sum.score)),
        ("testPassCount" | "stats.successes", _) => ("pass".into(), Some(sum.passed)),
        ("testFailCount" | "stats.failures", _) => ("pass".into(), Some(sum.failed)),
        ("testErrorCount" | "stats.errors", _) => ("pass".into(), Some(sum.errors)),
        ("totalLatencyMs", _) => ("latency_ms".into(), Some(sum.latency)),
        ("cost", _) => ("usd".into(), Some(sum.cost)),
        (_, Some((of, name))) => {
            let both = sum.named.get(name);
            let pick = |(scores, weights): &(f64, f64)| match of {
                "namedScores" => *scores,
                _ => *weights,
            };
            (named(name.into()), both.map(pick))
        }
        _ => (key.into(), None),
    };
    let scorer = &*scorer;

    if refused > 0 {
        let why = format!("{refused} rows could not be read");
        return Aggregate::unchecked(scorer, subject, key, logged, &why);
    }
    match again {
        Some(again) => Aggregate::checked(scorer, subject, key, logged, Some(again)),
        None => Aggregate::unchecked(scorer, subject, key, logged, "no row has it"),
    }
}
