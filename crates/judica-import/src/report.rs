//! What is said of an import.

use judica_model::table::{Cell, Table};
use serde::{Deserialize, Serialize};

use crate::log::{About, Aggregate, Check, Harness};

/// With more aggregates than this, only those are shown that are not equal.
const MOST_SHOWN: usize = 40;

/// What became of logs.
#[derive(Debug, Serialize)]
pub struct ImportReport {
    /// Each of them, in the order in which they were made.
    pub logs: Vec<LogReport>,
    /// Those that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// A log that could not be read, where others could.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The file that names it.
    pub path: String,
    /// What is wrong with it.
    pub why: String,
}

/// What became of a log.
#[derive(Debug, Serialize)]
pub struct LogReport {
    /// The file that names it.
    pub path: String,
    /// The program that wrote it.
    pub harness: Harness,
    /// Whether it came to its end.
    pub status: String,
    /// Its samples.
    pub counts: LogCounts,
    /// What a person should know.
    pub notes: Vec<String>,
    /// Its own numbers, computed again.
    pub aggregates: Vec<Aggregate>,
}

/// The samples of a log: inputs = used + rejects.
#[derive(Debug, Default, Clone, Serialize)]
pub struct LogCounts {
    /// Samples given.
    pub inputs: u64,
    /// Samples that became records.
    pub used: u64,
    /// Samples that did not.
    pub rejects: u64,
    /// Of those, what a later log has.
    pub superseded: u64,
    /// Of those used, what has an error in place of a result.
    pub errors: u64,
    /// Of those used, what the first scorer gave no value.
    pub unscored: u64,
}

impl LogReport {
    /// A log of which no sample was read yet.
    pub(crate) fn of(path: &str, about: &About) -> Self {
        LogReport {
            path: path.to_owned(),
            harness: about.harness,
            status: about.status.clone(),
            counts: LogCounts::default(),
            notes: about.notes.clone(),
            aggregates: Vec::new(),
        }
    }

    /// Whether nothing of it is in the run, nor in a later log.
    fn is_unused(&self) -> bool {
        self.counts.used == 0 && self.counts.superseded == 0
    }

    fn checks(&self, verdict: Check) -> usize {
        let aggregates = self.aggregates.iter();
        aggregates.filter(|found| found.verdict == verdict).count()
    }
}

impl ImportReport {
    /// Samples given.
    pub fn inputs(&self) -> u64 {
        self.logs.iter().map(|log| log.counts.inputs).sum()
    }

    /// Samples that became records.
    pub fn used(&self) -> u64 {
        self.logs.iter().map(|log| log.counts.used).sum()
    }

    /// What people are warned of: logs that could not be read.
    pub fn broken(&self) -> impl Iterator<Item = String> {
        let left_out = self.left_out.iter();
        left_out.map(|log| format!("left out, the others count: {}", log.why))
    }

    /// And those, those that gave nothing, and numbers that samples contradict.
    pub fn warnings(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or("none".to_owned(), |v| v.to_string());
        let warnings = self.logs.iter().filter_map(|log| {
            let differs = |found: &&Aggregate| found.verdict == Check::Different;
            let first = log.aggregates.iter().find(differs)?;
            let group = first.group.as_deref().map(|group| format!(" ({group})"));
            Some(format!(
                "{}: {} of its {} numbers are not what its samples say; the first: {}{} {} is {} \
                 in the log and {} by its samples",
                log.path,
                log.checks(Check::Different),
                log.aggregates.len(),
                first.scorer,
                group.unwrap_or_default(),
                first.metric,
                number(first.logged),
                number(first.recomputed),
            ))
        });
        let several = self.logs.len() > 1;
        let unused = self.logs.iter().filter(|log| several && log.is_unused());
        let unused = unused.map(|log| format!("{}: not one sample could be used", log.path));
        self.broken().chain(unused).chain(warnings).collect()
    }
}

/// The report as tables.
pub fn tables(report: &ImportReport) -> Vec<Table> {
    let mut logs = Table::new("Logs")
        .left("log")
        .left("harness")
        .left("status")
        .right("samples")
        .right("used")
        .right("errors")
        .left("its own numbers");
    for log in &report.logs {
        let name = log.path.rsplit('/').next().unwrap_or_default();
        let numbers = [log.counts.inputs, log.counts.used, log.counts.errors];
        let checks = [
            (Check::Equal, "equal"),
            (Check::Different, "different"),
            (Check::Unchecked, "unchecked"),
        ];
        let checks = checks.map(|(verdict, word)| (log.checks(verdict), word));
        let checks = checks.iter().filter(|(n, _)| *n > 0);
        let checks: Vec<String> = checks.map(|(n, word)| format!("{n} {word}")).collect();
        let mut cells = vec![
            Cell::text(name),
            Cell::text(log.harness.name()),
            Cell::text(&log.status),
        ];
        cells.extend(numbers.map(Cell::count));
        cells.push(Cell::text(checks.join(", ")));
        logs.push(cells);
        if log.counts.unscored > 0 {
            let n = log.counts.unscored;
            let why = "the scorer that decides gave no finite number";
            logs.note(format!("{name}: {n} samples are unscored: {why}"));
        }
        for note in &log.notes {
            logs.note(format!("{name}: {note}"));
        }
    }
    for log in &report.left_out {
        logs.note(format!("left out: {}", log.why));
    }
    let mut tables = vec![logs];
    let all = report
        .logs
        .iter()
        .map(|log| log.aggregates.len())
        .sum::<usize>();
    let shown = |found: &&Aggregate| all <= MOST_SHOWN || found.verdict == Check::Different;
    let mut numbers = Table::new("The logs' own numbers, from their samples")
        .left("scorer")
        .left("group")
        .left("metric")
        .right("logged")
        .right("recomputed")
        .left("");
    let mut rows = 0;
    for found in report
        .logs
        .iter()
        .flat_map(|log| &log.aggregates)
        .filter(shown)
    {
        let why = found.why.clone().unwrap_or_default();
        numbers.push([
            Cell::text(&found.scorer),
            Cell::text(found.group.as_deref().unwrap_or("")),
            Cell::text(&found.metric),
            Cell::number_or(found.logged, 6, "the log has none"),
            Cell::number_or(found.recomputed, 6, why),
            Cell::text(match found.verdict {
                Check::Equal => "equal",
                Check::Different => "different",
                Check::Unchecked => "unchecked",
            }),
        ]);
        rows += 1;
    }
    if rows > 0 {
        if all > MOST_SHOWN {
            numbers.note(format!(
                "of {all} numbers those that differ; the others: --json"
            ));
        }
        tables.push(numbers);
    }
    tables
}
