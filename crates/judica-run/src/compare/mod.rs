//! Two or more sides against each other, item by item. A side is a run, or one subject of a
//! run; the first is what the others are held against.
//!
//! * `sides`: what is compared: which records of which run
//! * `pairs`: which records of two sides answer the same question
//! * `coefficients`: a coefficient over pairs
//! * `difference`: one metric over pairs: values, difference, interval, test
//! * [`report`]: the report and its tables

mod coefficients;
mod difference;
mod pairs;
pub mod report;
mod sides;

use std::borrow::Borrow;
use std::path::PathBuf;

use judica_data::work_error::WorkError;
use judica_model::nearest::hint;
use judica_model::run::MetricSpec;

use crate::labels::StoredLabels;
use crate::open::Run;
use crate::values::all_terms;
use coefficients::Both;
pub use difference::{Apart, Clusters, Measured};
use pairs::Pairs;
pub use report::{CompareReport, finish};
use report::{Items, MetricRow, SideInfo};
use sides::{Loaded, Side};

/// A comparison.
#[derive(Debug, Clone)]
pub struct CompareRequest {
    /// The runs.
    pub runs: Vec<PathBuf>,
    /// Subjects: of one run those to be compared, of several those to be taken.
    pub subjects: Vec<String>,
    /// The metric that decides; the run's primary one if none is named.
    pub metric: Option<String>,
    /// The largest loss that does not count, in the metric's unit.
    pub margin: Option<f64>,
    /// A difference that somebody would want to see.
    pub difference: Option<f64>,
    /// The coverage of intervals.
    pub confidence: f64,
    /// Resamples for intervals.
    pub resamples: u32,
    /// What they are drawn from.
    pub seed: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

/// Compares runs, or subjects of one run.
pub fn compare(request: &CompareRequest) -> Result<CompareReport, WorkError> {
    let runs: Vec<Run> = request
        .runs
        .iter()
        .map(|path| Run::open(path))
        .collect::<Result<_, _>>()?;
    let loaded: Vec<Loaded> = runs.iter().map(Loaded::read).collect::<Result<_, _>>()?;
    let mut notes = Vec::new();
    let sides = sides::choose(request, &loaded, &mut notes)?;
    let metrics = common_metrics(request, &sides, &mut notes)?;
    let (mut rows, mut items) = (Vec::new(), Vec::new());
    for at in 1..sides.len() {
        let (a, b) = (&sides[0], &sides[at]);
        let pairs = Pairs::of(a, b, &mut notes)?;
        if pairs.is_empty() {
            return Err(WorkError::BadInput(format!(
                "{} and {} have no item in common: {} items here, {} there; items are paired by \
                 dataset, item and epoch",
                a.shown(),
                b.shown(),
                a.rows.len(),
                b.rows.len()
            )));
        }
        items.push(Items::of(&pairs, a, b)?);
        let datasets = pairs.datasets(a);
        let any_labels = metrics.iter().any(|spec| spec.estimator.is_some());
        let labels = match any_labels {
            true => Some([
                StoredLabels::read(a.loaded.run)?,
                StoredLabels::read(b.loaded.run)?,
            ]),
            false => None,
        };
        for (place, spec) in metrics.iter().enumerate() {
            let everywhere = std::iter::once(None).chain(datasets.iter().copied().map(Some));
            let sums = match &spec.estimator {
                Some(_) => None,
                None => Some([terms(a, spec)?, terms(b, spec)?]),
            };
            for dataset in everywhere {
                let measured = match (&sums, &labels, &spec.estimator) {
                    (_, Some([of_a, of_b]), Some(estimator)) => {
                        let of_a = of_a.of(pairs.rows(0, dataset));
                        let of_b = of_b.of(pairs.rows(1, dataset));
                        let n = of_a.items() as u64;
                        Measured::coefficient(n, Both::new(estimator, [&of_a, &of_b]))
                    }
                    (Some([of_a, of_b]), _, _) => {
                        Measured::of(spec, pairs.clusters(dataset, of_a, of_b))
                    }
                    _ => continue,
                };
                let name = dataset.map(|dataset| a.loaded.names[dataset as usize].clone());
                rows.push(MetricRow::begin(
                    at,
                    spec,
                    name,
                    place == 0 && dataset.is_none(),
                    measured,
                ));
            }
        }
    }
    let sides: Vec<SideInfo> = sides.iter().map(SideInfo::of).collect();
    Ok(finish(request, sides, rows, items, notes))
}

/// The metrics that all sides have, the one that decides first. The rest is named.
fn common_metrics<'r>(
    request: &CompareRequest,
    sides: &[Side<'r>],
    notes: &mut Vec<String>,
) -> Result<Vec<&'r MetricSpec>, WorkError> {
    let of = |side: &Side<'r>| side.loaded.run.manifest.metrics.iter();
    let everywhere = |spec: &&MetricSpec| {
        sides
            .iter()
            .all(|side| of(side).any(|other| other.name == spec.name && other.kind == spec.kind))
    };
    let mut common: Vec<&MetricSpec> = of(&sides[0]).filter(everywhere).collect();
    let mut missing: Vec<&str> = sides
        .iter()
        .flat_map(of)
        .map(|spec| spec.name.as_str())
        .filter(|name| !common.iter().any(|spec| spec.name == *name))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        notes.push(format!(
            "not on every side, so left out: {}",
            missing.join(", ")
        ));
    }
    let commands: Vec<&str> = sides
        .iter()
        .map(|side| side.loaded.run.manifest.command.as_str())
        .collect();
    if commands.iter().any(|command| *command != commands[0]) {
        notes.push(format!(
            "made by different commands ({}): only metrics of the same name are compared",
            commands.join(", ")
        ));
    }
    if common.is_empty() {
        return Err(WorkError::BadInput(format!(
            "the runs have no metric in common: {}",
            missing.join(", ")
        )));
    }
    decides_first(&mut common, request.metric.as_deref())?;
    Ok(common)
}

/// Puts the metric that decides before the others: the one that is named, else the primary.
pub fn decides_first<S: Borrow<MetricSpec>>(
    metrics: &mut [S],
    named: Option<&str>,
) -> Result<(), WorkError> {
    let mut all = metrics.iter().map(Borrow::borrow);
    let place = match named {
        Some(name) => all.position(|spec| spec.name == name),
        None => Some(all.position(|spec| spec.primary).unwrap_or(0)),
    };
    let Some(place) = place else {
        let name = named.unwrap_or_default();
        let known: Vec<&str> = metrics.iter().map(|s| s.borrow().name.as_str()).collect();
        let near = hint(name, known.iter().copied());
        return Err(WorkError::BadInput(format!(
            "--metric {name}: the metrics of every side are {}{near}",
            known.join(", ")
        )));
    };
    metrics[..=place].rotate_right(1);
    Ok(())
}

/// A metric's terms in every record of a side's run; below is 0 where it does not apply.
fn terms(side: &Side, spec: &MetricSpec) -> Result<Vec<[f64; 2]>, WorkError> {
    let run = side.loaded.run;
    // Columns may be called otherwise there.
    let own = run
        .manifest
        .metrics
        .iter()
        .find(|own| own.name == spec.name);
    let own = own.unwrap_or(spec);
    all_terms(run, own)
}
