//! The metrics of runs as bars, before anyone draws them.

use std::collections::BTreeSet;

use judica_data::work_error::WorkError;
use judica_model::chart::{BarChart, BarSeries, Mark, metric_name};
use judica_model::nearest::hint;
use judica_model::run::{Direction, MetricSpec};
use judica_stats::clusters::Intervals;

use crate::open::Run;
use crate::values::{MetricOf, datasets, values};

/// What a group of bars is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// A metric, over all data sets together.
    Metrics,
    /// A data set, of one metric.
    Datasets,
}

/// One bar per subject of each run, side by side. Without a choice of metrics those are drawn
/// that stand on one scale with the primary metric of the first run.
pub fn bars(
    runs: &[(String, Run)],
    metrics: &[String],
    groups: Groups,
    title: Option<&str>,
) -> Result<BarChart, WorkError> {
    let found: Vec<Vec<MetricOf>> = runs
        .iter()
        .map(|(_, run)| values(run, &Intervals::default()))
        .collect::<Result<_, _>>()?;
    let found: Vec<Measured> = runs
        .iter()
        .zip(&found)
        .map(|((label, run), values)| (label.as_str(), run, values.as_slice()))
        .collect();
    bars_of(&found, metrics, groups, title)
}

/// A run under a name, with its metrics.
pub type Measured<'r> = (&'r str, &'r Run, &'r [MetricOf]);

/// The same of runs whose metrics are known.
pub fn bars_of(
    found: &[Measured],
    metrics: &[String],
    groups: Groups,
    title: Option<&str>,
) -> Result<BarChart, WorkError> {
    let specs: Vec<&MetricSpec> = chosen(found, metrics)?;
    let (names, places): (Vec<String>, Vec<(&str, Option<&str>)>) = match groups {
        Groups::Metrics => specs
            .iter()
            .map(|spec| (shown(spec), (spec.name.as_str(), None)))
            .unzip(),
        Groups::Datasets => {
            let [spec] = specs[..] else {
                let message = "bars by data set are of one metric; --metrics names it";
                return Err(WorkError::BadInput(message.to_owned()));
            };
            let all = found.iter().flat_map(|(.., values)| *values);
            let datasets: BTreeSet<&str> = all.filter_map(|of| of.dataset.as_deref()).collect();
            if datasets.is_empty() {
                let message = "no run has more than one data set";
                return Err(WorkError::BadInput(message.to_owned()));
            }
            let each = datasets
                .iter()
                .map(|name| ((*name).to_owned(), Some(*name)));
            let all = std::iter::once((format!("all: {}", shown(spec)), None)).chain(each);
            all.map(|(name, dataset)| (name, (spec.name.as_str(), dataset)))
                .unzip()
        }
    };
    let mut series = Vec::new();
    let several = found.iter().any(|(.., values)| subjects(values).len() > 1);
    for (label, run, values) in found {
        let only = match groups {
            Groups::Metrics => None,
            Groups::Datasets => only_dataset(run)?,
        };
        for subject in subjects(values) {
            series.push(BarSeries {
                label: match (found.len(), several) {
                    (1, _) => subject.to_owned(),
                    (_, false) => (*label).to_owned(),
                    (_, true) => format!("{label}: {subject}"),
                },
                marks: places
                    .iter()
                    .map(|(metric, dataset)| {
                        // What is in one data set alone is in all of them together.
                        let dataset = dataset.filter(|name| only.as_deref() != Some(name));
                        mark(values, metric, subject, dataset)
                    })
                    .collect(),
            });
        }
    }
    let commands: BTreeSet<&str> = found
        .iter()
        .map(|(_, run, _)| run.manifest.command.as_str())
        .collect();
    let made: Vec<&str> = commands.into_iter().collect();
    let made = made.join(" and ");
    Ok(BarChart::new(title.unwrap_or(&made), names, series))
}

fn shown(spec: &MetricSpec) -> String {
    metric_name(&spec.name, spec.direction == Direction::Lower)
}

fn subjects(values: &[MetricOf]) -> BTreeSet<&str> {
    let named = values.iter().filter_map(|of| of.subject.as_deref());
    named.collect()
}

/// The data set of a run that has no other: its values are not told apart by it.
fn only_dataset(run: &Run) -> Result<Option<String>, WorkError> {
    let mut datasets = datasets(run)?;
    Ok(datasets.pop().filter(|_| datasets.is_empty()))
}

fn mark(values: &[MetricOf], metric: &str, subject: &str, dataset: Option<&str>) -> Mark {
    let of = values.iter().find(|of| {
        of.metric == metric
            && of.subject.as_deref() == Some(subject)
            && of.dataset.as_deref() == dataset
    });
    of.map_or_else(
        || Mark::Missing("not in this run".to_owned()),
        |of| Mark::from(&of.value),
    )
}

/// The metrics that are drawn. One that was asked for and that no run has is refused: it is
/// probably misspelt.
fn chosen<'r>(found: &[Measured<'r>], asked: &[String]) -> Result<Vec<&'r MetricSpec>, WorkError> {
    let mut specs: Vec<&MetricSpec> = Vec::new();
    for spec in found.iter().flat_map(|(_, run, _)| &run.manifest.metrics) {
        if !specs.iter().any(|known| known.name == spec.name) {
            specs.push(spec);
        }
    }
    if !asked.is_empty() {
        let of = |name: &String| {
            let spec = specs.iter().find(|spec| spec.name == *name);
            spec.copied().ok_or_else(|| {
                let near = hint(name, specs.iter().map(|spec| spec.name.as_str()));
                WorkError::BadInput(format!("no run has the metric `{name}`{near}"))
            })
        };
        return asked.iter().map(of).collect();
    }
    let Some(primary) = found.first().and_then(|(_, run, _)| run.manifest.primary()) else {
        let message = "there is nothing to draw: the run has no metric";
        return Err(WorkError::BadInput(message.to_owned()));
    };
    // Numbers of one metric, whoever's they are; a share among points could not be seen.
    let numbers = |spec: &MetricSpec| -> Vec<f64> {
        let all = found.iter().flat_map(|(.., values)| *values);
        let all = all.filter(|of| of.metric == spec.name);
        all.filter_map(|of| of.value.value()).collect()
    };
    let small = |spec: &MetricSpec| numbers(spec).iter().all(|number| number.abs() <= 1.0);
    let fits = |spec: &MetricSpec| {
        spec.name == primary.name
            || spec.unit == primary.unit
                && !numbers(spec).is_empty()
                && small(spec) == small(primary)
    };
    specs.retain(|spec| fits(spec));
    Ok(specs)
}
