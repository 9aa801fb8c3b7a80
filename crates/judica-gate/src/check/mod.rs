//! `judica gate check`: gates of a file over any report, by JSON pointer.
//!
//! # A gates file
//!
//! ```toml
//! version = 1
//!
//! [[gate]]
//! name = "kappa"                  # unique
//! metric = "/metrics/kappa"       # JSON pointer (RFC 6901)
//! op = ">="
//! threshold = 0.75
//! note = "below this the judges cannot be told from chance"   # optional, shown
//!
//! [[gate]]
//! name = "accuracy holds"
//! metric = "/accuracy"
//! op = "no_significant_drop"
//! items = "/per_item"             # optional: results per item, for a paired test
//! ```
//!
//! | `op` | passes if | its own keys |
//! |---|---|---|
//! | `>=`, `<=` | the value is on that side of `threshold`, or on it | |
//! | `==` | the value is `threshold`, or within `tolerance` of it | `tolerance` (0) |
//! | `between` | the value is in `threshold = [lo, hi]`, ends included | |
//! | `max_drop` | value − baseline ≥ −`threshold` | `baseline` |
//! | `max_rise` | value − baseline ≤ `threshold` | `baseline` |
//! | `lower_bound_at_least` | the low end of the interval is ≥ `threshold` | `interval` |
//! | `upper_bound_at_most` | the high end of the interval is ≤ `threshold` | `interval` |
//! | `no_significant_drop` | the metric is not significantly worse than in the baseline | `alpha` (0.05), `higher_is_better` (true), `items`, `interval`, `baseline` |
//!
//! Every gate may have a `note`, say with `vacuous` what becomes of it if its metric is
//! undefined (`"fail"`, `"pass"`), and have a `report = "other.json"` (relative to the gates
//! file) that it reads instead of the report given. `--baseline` is the older version of
//! the report given; a gate over another report names its own `baseline` file.
//!
//! # What a metric is
//!
//! A number; or an object with `value`, and perhaps `n` and `ci = [lo, hi]`. The interval
//! of a plain number `x` is its sibling `x_ci`, or stands where the gate's `interval`
//! points to. A metric is undefined if it (or its `value`) is null, or if its sibling
//! `x_undefined`, or `undefined` in its object, is true or says why, which is how a report
//! marks a number that only stands in for one; and so it is if its `n` is 0. A gate over an
//! undefined metric fails, with the reason in its note, unless it says `vacuous = "pass"` or
//! undefined metrics are allowed.
//!
//! A pointer that finds nothing, or something else, is an error and never a pass.
//!
//! # No significant drop
//!
//! Where both reports hold results per item at `items`, the items they have in common are
//! paired, and the gate fails if the mean has changed for the worse with p < `alpha`, by
//! the two-sided permutation test of `judica_stats::permutation` (for right and wrong
//! answers that is McNemar's mid-p test). Results are an object from id to number, or an
//! array of objects with an `id`, `qid`, `sample_id` or `episode_id`, and a number or
//! boolean under `value`, `score`, `correct` or `success`. Where the baseline has none,
//! the gate fails if the new interval lies wholly on the worse side of the old one. The
//! note says which it was.
//!
//! # The files
//!
//! * `file`, `rule`: the gates file, every mistake in it named with its place
//! * `pointer`, `metric`, `items`: finding things in a report
//! * `evaluate`, `significance`: holding them against the gates
//! * [`init`], `found`, `words`: a gates file to start from
//! * `report`, [`tables`]: what comes out

mod document;
mod evaluate;
mod file;
mod found;
mod init;
mod items;
mod metric;
mod pointer;
pub(crate) mod report;
mod rule;
mod significance;
mod tables;
mod words;

use std::path::{Path, PathBuf};

use judica_data::identity;
use judica_data::source::gives_once;
use judica_data::toml_file::{Place, Problem, all_of};
use judica_data::work_error::WorkError;
use judica_model::gate::GateResult;
use judica_run::manifest::name::REPORT;
use serde_json::Value;

pub use init::{can_be_gated, init};
pub use report::CheckReport;
pub use tables::tables;

use document::{Documents, is_stdin};
use evaluate::{Inputs, evaluate};
use file::Gate;

/// What is to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    /// The report, any JSON file, perhaps compressed; `-` is standard input.
    pub report: PathBuf,
    /// The gates file.
    pub gates: PathBuf,
    /// An older version of the report, for gates that compare.
    pub baseline: Option<PathBuf>,
    /// Whether a gate over an undefined metric passes, unless it says otherwise itself.
    pub allow_undefined: bool,
}

/// Holds a report against the gates of a file.
pub fn check(request: &CheckRequest) -> Result<CheckReport, WorkError> {
    let mut documents = Documents::default();
    let gates = hold(request, &mut documents)?;
    let counts = documents.counts(&request.report);
    let notes = documents.unfinished(&request.report);
    let baseline = request.baseline.as_deref();
    let baseline = baseline.filter(|_| documents.compared);
    Ok(CheckReport::new(request, baseline, gates, counts, notes))
}

/// The same for a report that is in memory.
pub fn check_value(
    report: &Value,
    gates: &Path,
    baseline: Option<&Path>,
    allow_undefined: bool,
) -> Result<Vec<GateResult>, WorkError> {
    let request = CheckRequest {
        report: PathBuf::from("this report"),
        gates: gates.to_owned(),
        baseline: baseline.map(Path::to_owned),
        allow_undefined,
    };
    let mut documents = Documents::default();
    documents.insert(&request.report, report.clone());
    hold(&request, &mut documents)
}

/// The same for the bytes that the file of the report holds, as far as nobody else writes it.
pub fn check_bytes(request: &CheckRequest, report: &[u8]) -> Result<Vec<GateResult>, WorkError> {
    let mut documents = Documents::default();
    let value = document::parse(&request.report, report)?;
    documents.insert(&request.report, value);
    hold(request, &mut documents)
}

/// Reads what is not in `documents` yet, and holds every gate.
fn hold(request: &CheckRequest, documents: &mut Documents) -> Result<Vec<GateResult>, WorkError> {
    let given = [&request.report, &request.gates];
    only_one_stdin(given.into_iter().chain(&request.baseline))?;
    let source = document::text(&request.gates)?;
    let name = request.gates.display().to_string();
    let place = Place::new(&name, &source);
    let gates = file::parse(&place).map_err(all_of)?;
    let named = gates.iter().filter(|gate| gate.is_named());
    documents.named = named.map(|gate| gate.metric.clone()).collect();
    let inputs = gates
        .iter()
        .map(|gate| inputs(gate, request, documents))
        .collect::<Result<Vec<_>, _>>()?;
    let mut baselines = inputs.iter().filter_map(|(_, baseline)| baseline.as_ref());
    documents.compared = baselines.any(|path| request.baseline.as_ref() == Some(path));
    let mut results = Vec::new();
    let mut problems: Vec<Problem> = Vec::new();
    for (gate, (report, baseline)) in gates.iter().zip(&inputs) {
        match baseline {
            None if gate.rule.compares() => {
                problems.push(no_baseline(gate, &place));
                continue;
            }
            Some(baseline) if are_one(report, baseline) => {
                problems.push(own_baseline(gate, &place));
                continue;
            }
            _ => {}
        }
        let inputs = Inputs {
            report: documents.get(report)?,
            baseline: baseline.as_deref().map(|b| documents.get(b)).transpose()?,
            allow_undefined: request.allow_undefined,
        };
        match evaluate(gate, &inputs) {
            Ok(result) => results.push(result),
            Err((message, help)) => {
                problems.push(gate.problem(&place, &gate.metric_span, &message, help));
            }
        }
    }
    if problems.is_empty() {
        Ok(results)
    } else {
        Err(all_of(problems))
    }
}

/// The files that the gates of a file name, as far as it can be read: no output may take their
/// place. What gives its bytes once is left to whoever needs them.
pub fn named_files(gates: &Path) -> Vec<PathBuf> {
    if is_read_once(gates) {
        return Vec::new();
    }
    let source = document::text(gates).unwrap_or_default();
    let name = gates.display().to_string();
    let parsed = file::parse(&Place::new(&name, &source)).unwrap_or_default();
    let named = parsed
        .iter()
        .flat_map(|gate| [&gate.report, &gate.baseline]);
    named.flatten().map(|file| beside(gates, file)).collect()
}

/// Whether a path gives what it has once.
pub(crate) fn is_read_once(path: &Path) -> bool {
    is_stdin(path) || gives_once(path)
}

/// A file that is named relative to the gates file.
fn beside(gates: &Path, file: &str) -> PathBuf {
    gates.parent().unwrap_or(Path::new("")).join(file)
}

fn no_baseline(gate: &Gate, place: &Place) -> Problem {
    let help = if gate.report.is_some() {
        "a gate with its own `report` needs its own `baseline` file"
    } else {
        "give one with --baseline"
    };
    let message = format!("{} compares with an older report", gate.rule.operator());
    gate.problem(place, &gate.op_span, &message, Some(help.to_owned()))
}

/// Whether two paths lead to one report; a run leads to that in its folder.
fn are_one(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| match path.is_dir() {
        true => path.join(REPORT),
        false => path.to_owned(),
    });
    identity::is_same(&one, &other)
}

/// A report that is its own baseline is never worse than it.
fn own_baseline(gate: &Gate, place: &Place) -> Problem {
    let message = format!(
        "{} compares with an older report, and the baseline is the very one that is checked, \
         which is never worse than itself",
        gate.rule.operator()
    );
    let option = match gate.baseline {
        Some(_) => "name an older one with `baseline`",
        None => "give an older one with --baseline",
    };
    gate.problem(place, &gate.op_span, &message, Some(option.to_owned()))
}

/// Standard input gives what it has once.
fn only_one_stdin<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Result<(), WorkError> {
    match paths.filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(WorkError::BadInput(
            "standard input (`-`) can be given only once".to_owned(),
        )),
    }
}

/// Reads the files a gate needs, and says which they are.
fn inputs(
    gate: &Gate,
    request: &CheckRequest,
    documents: &mut Documents,
) -> Result<(PathBuf, Option<PathBuf>), WorkError> {
    let beside = |file: &String| beside(&request.gates, file);
    let report = gate.report.as_ref().map(beside);
    let baseline = match (&gate.baseline, &report) {
        (Some(own), _) => Some(beside(own)),
        // The baseline given is one of the report given, and of no other.
        (None, Some(_)) => None,
        (None, None) => request.baseline.clone(),
    };
    let report = report.unwrap_or_else(|| request.report.clone());
    let baseline = baseline.filter(|_| gate.rule.compares());
    only_one_stdin([&report].into_iter().chain(&baseline))?;
    for path in [Some(&report), baseline.as_ref()].into_iter().flatten() {
        documents.load(path)?;
    }
    Ok((report, baseline))
}

#[cfg(test)]
mod tests;
