//! The metrics of a run, for each subject and data set, from the columns of its records.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use judica_data::work_error::WorkError;
use judica_model::metric::MetricValue;
use judica_model::run::{Estimator, MetricKind, MetricSpec, within};
use judica_model::table::{Cell, Table};
use judica_stats::clusters::{Intervals, NoInterval};
use judica_stats::estimate::{Clustered, Estimate, Kind, estimates};
use judica_stats::interval::Interval;
use serde::Serialize;

use crate::groups::Groups;
use crate::labels::{Labels, StoredLabels};
use crate::layout::head;
use crate::names::Names;
use crate::open::Run;
use crate::rows::own_value;

/// A metric of some records of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricOf {
    /// The metric.
    pub metric: String,
    /// Whose; null for all together.
    pub subject: Option<String>,
    /// In which data set; null for all together.
    pub dataset: Option<String>,
    /// Its value with its n.
    #[serde(flatten)]
    pub value: MetricValue,
}

/// A value with all that is known of it, as reports have it.
pub fn metric_value(estimate: Option<Estimate>, why_none: &str) -> MetricValue {
    let Some(found) = estimate else {
        return MetricValue::undefined(why_none);
    };
    let value = MetricValue::new(found.value, found.n).with_spread(
        Some(found.clusters),
        found.se,
        found.design_effect,
    );
    with_interval(value, found.ci)
}

/// A value with its interval, or why it has none.
pub fn with_interval(value: MetricValue, ci: Result<Interval, NoInterval>) -> MetricValue {
    match ci {
        Ok(ci) => value.with_ci(ci.ends()),
        Err(why) => value.without_ci(why.to_string()),
    }
}

/// Which records belong together: those of one subject, of one data set, or of both, in the
/// order of their clusters.
struct Parts {
    subjects: Vec<String>,
    datasets: Vec<String>,
    /// Each part, and where its records stand in the order.
    parts: Vec<(Option<u32>, Option<u32>, Range<usize>)>,
    /// Records of every part in turn.
    order: Vec<u32>,
    /// The rank of each record's cluster.
    clusters: Vec<u32>,
}

impl Parts {
    /// Reads the keys of a run.
    fn read(run: &Run) -> Result<Self, WorkError> {
        let (mut subjects, mut datasets) = (Names::default(), Names::default());
        let mut clusters = Names::default();
        let mut keys: Vec<[u32; 3]> = Vec::new();
        let mut name = String::new();
        let columns = [head::SUBJECT, head::DATASET, head::ITEM, head::CLUSTER];
        for batch in run.records()?.batches(&columns)? {
            let batch = batch?;
            // The columns of the head were looked at when the table was opened.
            let text = |name: &str| -> &StringArray {
                let column = batch.column_by_name(name);
                column.unwrap_or(batch.column(0)).as_string()
            };
            let [subject, dataset, item, cluster] = columns.map(text);
            for row in 0..batch.num_rows() {
                name.clear();
                if cluster.is_valid(row) {
                    name.push_str(cluster.value(row));
                } else {
                    name.push_str(dataset.value(row));
                    name.push('\0');
                    name.push_str(item.value(row));
                }
                keys.push([
                    subjects.number(subject.value(row)),
                    datasets.number(dataset.value(row)),
                    clusters.number(&name),
                ]);
            }
        }
        // Numbers by the order of names from here on.
        let ranks = [subjects.ranks(), datasets.ranks(), clusters.ranks()];
        for key in &mut keys {
            for (number, ranks) in key.iter_mut().zip(&ranks) {
                *number = ranks[*number as usize];
            }
        }
        let [subjects, datasets] = [subjects, datasets].map(|known| {
            let mut names = known.names;
            names.sort_unstable();
            names
        });
        let mut found = Parts {
            parts: Vec::new(),
            order: Vec::new(),
            clusters: keys.iter().map(|key| key[2]).collect(),
            subjects,
            datasets,
        };
        let several = found.datasets.len() > 1;
        for (by_subject, by_dataset) in [(false, false), (false, true), (true, false), (true, true)]
        {
            if !by_dataset || several {
                found.add(&keys, by_subject, by_dataset);
            }
        }
        Ok(found)
    }

    fn add(&mut self, keys: &[[u32; 3]], by_subject: bool, by_dataset: bool) {
        let part = |record: u32| {
            let [subject, dataset, _] = keys[record as usize];
            (by_subject.then_some(subject), by_dataset.then_some(dataset))
        };
        let start = self.order.len();
        self.order.extend(0..keys.len() as u32);
        let order = &mut self.order[start..];
        order.sort_unstable_by_key(|at| (part(*at), self.clusters[*at as usize], *at));
        let mut at = start;
        for records in order.chunk_by(|a, b| part(*a) == part(*b)) {
            let (subject, dataset) = part(records[0]);
            let range = at..at + records.len();
            at = range.end;
            self.parts.push((subject, dataset, range));
        }
        if keys.is_empty() {
            self.parts.push((None, None, at..at));
        }
    }
}

/// The two terms of a metric in every row of a batch; `None` where it does not apply.
pub struct Terms<'b> {
    above: Option<&'b ArrayRef>,
    below: Option<&'b Float64Array>,
    counted: bool,
}

impl<'b> Terms<'b> {
    /// Those of a metric.
    pub fn new(batch: &'b RecordBatch, spec: &MetricSpec) -> Self {
        let column = |name: &Option<String>| {
            let name = name.as_deref()?;
            batch.column_by_name(name)
        };
        Terms {
            above: column(&spec.above),
            below: column(&spec.below).and_then(|a| a.as_primitive_opt::<Float64Type>()),
            counted: spec.below.is_none(),
        }
    }

    /// Above and below the line in a row.
    pub fn get(&self, row: usize) -> Option<[f64; 2]> {
        let above = own_value(self.above?, row).as_number()?;
        let below = match self.below {
            _ if self.counted => 1.0,
            Some(column) if column.is_valid(row) => column.value(row),
            _ => return None,
        };
        (below != 0.0).then_some([above, below])
    }
}

/// The columns that metrics need.
pub fn columns_of<'a>(metrics: impl Iterator<Item = &'a MetricSpec>) -> Vec<&'a str> {
    let names = metrics.flat_map(|spec| [spec.above.as_deref(), spec.below.as_deref()]);
    names.flatten().collect()
}

/// The metrics of a run, which are computed when they are asked for.
struct Values<'r> {
    run: &'r Run,
    parts: Parts,
    intervals: Intervals,
    /// What raters said, if anybody has asked for a coefficient.
    labels: OnceCell<StoredLabels>,
}

impl<'r> Values<'r> {
    fn open(run: &'r Run, intervals: &Intervals) -> Result<Self, WorkError> {
        Ok(Values {
            run,
            parts: Parts::read(run)?,
            intervals: *intervals,
            labels: OnceCell::new(),
        })
    }

    /// A metric: of everything, of each data set where there are several, of each subject, and
    /// of each subject in each data set.
    fn of(&self, spec: &MetricSpec) -> Result<Vec<MetricOf>, WorkError> {
        let parts = &self.parts;
        let records = |range: &Range<usize>| parts.order[range.clone()].iter().copied();
        let ranges = parts.parts.iter().map(|(_, _, range)| range);
        let values: Vec<MetricValue> = match spec.estimated() {
            Some(estimator) => {
                let labels = self.labels()?;
                let value = |range| {
                    let clusters = |record| (record, parts.clusters[record as usize]);
                    let labels = labels.of(records(range).map(clusters));
                    coefficient(estimator, &labels, &self.intervals)
                        .unwrap_or_else(MetricValue::undefined)
                };
                ranges.map(value).collect()
            }
            None => {
                let terms = all_terms(self.run, spec)?;
                let clustered = ranges.map(|range| {
                    let mut clustered = Clustered::default();
                    for record in records(range) {
                        let record = record as usize;
                        clustered.add(parts.clusters[record], terms[record]);
                    }
                    clustered
                });
                let found = estimates(clustered.collect(), kind(spec), &self.intervals);
                let none = "no record has a value of it";
                let cut = |found: Estimate| Estimate {
                    ci: found.ci.map(|ci| {
                        let [lo, hi] = within(spec.range, ci.ends());
                        Interval { lo, hi }
                    }),
                    ..found
                };
                let values = found
                    .into_iter()
                    .map(|found| metric_value(found.map(cut), none));
                values.collect()
            }
        };
        let name = |names: &[String], at: Option<u32>| at.map(|at| names[at as usize].clone());
        let of = parts.parts.iter().zip(values);
        let of = of.map(|((subject, dataset, _), value)| MetricOf {
            metric: spec.name.clone(),
            subject: name(&parts.subjects, *subject),
            dataset: name(&parts.datasets, *dataset),
            value,
        });
        Ok(of.collect())
    }

    fn labels(&self) -> Result<&StoredLabels, WorkError> {
        if self.labels.get().is_none() {
            let _ = self.labels.set(StoredLabels::read(self.run)?);
        }
        let missing = || WorkError::BadArtifact("labels cannot be read".to_owned());
        self.labels.get().ok_or_else(missing)
    }
}

/// All metrics of a run, sums over records first.
pub fn values(run: &Run, intervals: &Intervals) -> Result<Vec<MetricOf>, WorkError> {
    values_of(run, intervals, |_| true)
}

/// The data sets of a run, by name.
pub fn datasets(run: &Run) -> Result<Vec<String>, WorkError> {
    let mut datasets = Names::default();
    for batch in run.records()?.batches(&[head::DATASET])? {
        for name in batch?.column(0).as_string::<i32>().iter().flatten() {
            datasets.number(name);
        }
    }
    let mut names = datasets.names;
    names.sort_unstable();
    Ok(names)
}

/// The same with the usual intervals, on so many threads.
pub fn usual_values(run: &Run, threads: usize) -> Result<Vec<MetricOf>, WorkError> {
    values(run, &Intervals::on_threads(threads))
}

/// The same of those that are wanted.
pub fn values_of(
    run: &Run,
    intervals: &Intervals,
    wanted: impl Fn(&MetricSpec) -> bool,
) -> Result<Vec<MetricOf>, WorkError> {
    let values = Values::open(run, intervals)?;
    let (summed, estimated): (Vec<_>, Vec<_>) = run
        .manifest
        .metrics
        .iter()
        .filter(|spec| wanted(spec) && (spec.above.is_some() || spec.estimator.is_some()))
        .partition(|spec| spec.estimator.is_none());
    let mut found = Vec::new();
    for spec in summed.into_iter().chain(estimated) {
        found.extend(values.of(spec)?);
    }
    Ok(found)
}

pub(crate) fn coefficient(
    estimator: &Estimator,
    labels: &Labels,
    intervals: &Intervals,
) -> Result<MetricValue, String> {
    Ok(Groups::new(estimator, labels)?.measured(intervals))
}

/// The rank of every record's cluster, in the byte order of their names.
pub(crate) fn cluster_ranks(run: &Run) -> Result<Vec<u32>, WorkError> {
    Ok(Parts::read(run)?.clusters)
}

/// The terms of a metric in every record; nothing below the line where it does not apply.
pub(crate) fn all_terms(run: &Run, spec: &MetricSpec) -> Result<Vec<[f64; 2]>, WorkError> {
    let records = run.records()?;
    let mut all = Vec::with_capacity(records.len() as usize);
    for batch in records.batches(&columns_of([spec].into_iter()))? {
        let batch = batch?;
        let terms = Terms::new(&batch, spec);
        all.extend((0..batch.num_rows()).map(|row| terms.get(row).unwrap_or([0.0; 2])));
    }
    Ok(all)
}

/// What a metric is, as far as its interval goes.
pub fn kind(spec: &MetricSpec) -> Kind {
    match spec.kind {
        MetricKind::Rate => Kind::Rate,
        _ => Kind::Mean,
    }
}

/// With more values than this that have no interval they are counted and not named.
const FEW_REMARKS: usize = 3;

/// The metrics as a table; of one subject not once more as everybody's.
pub fn table(values: &[MetricOf]) -> Table {
    let subjects: BTreeSet<&str> = values
        .iter()
        .filter_map(|of| of.subject.as_deref())
        .collect();
    let shown = |of: &&MetricOf| subjects.len() != 1 || of.subject.is_some();
    let several = values.iter().any(|value| value.dataset.is_some());
    let clustered = |of: &MetricOf| match of.value {
        MetricValue::Defined { design_effect, .. } => design_effect.is_some(),
        MetricValue::Undefined { .. } => false,
    };
    let clustered = values.iter().any(clustered);
    let mut table = Table::new("Metrics").left("metric").left("subject");
    if several {
        table = table.left("dataset");
    }
    table = table.right("value").right("n");
    if clustered {
        table = table.right("clusters");
    }
    let mut bare: Vec<(&MetricOf, &str)> = Vec::new();
    for row in values.iter().filter(shown) {
        let subject = row.subject.as_deref().unwrap_or("all");
        let mut cells = vec![Cell::text(&row.metric), Cell::text(subject)];
        if several {
            cells.push(Cell::text(row.dataset.as_deref().unwrap_or("all")));
        }
        let (n, clusters) = match row.value {
            MetricValue::Defined { n, clusters, .. } => (n, clusters),
            MetricValue::Undefined { .. } => (0, None),
        };
        cells.extend([Cell::metric(&row.value, 4), Cell::count(n)]);
        if clustered {
            cells.push(clusters.map_or(Cell::text(""), Cell::count));
        }
        table.push(cells);
        bare.extend(row.value.why_no_interval().map(|why| (row, why)));
    }
    if bare.len() <= FEW_REMARKS {
        for (row, _) in bare {
            let subject = row.subject.as_deref().unwrap_or("all");
            let whose = match &row.dataset {
                Some(dataset) => format!("{subject} in {dataset}"),
                None => subject.to_owned(),
            };
            table.note_missing_intervals(&row.metric, std::iter::once((whose, &row.value)));
        }
    } else {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, why) in &bare {
            // Among how many items differs from value to value.
            let kind = why.split(" among ").next().unwrap_or(why);
            *reasons.entry(kind).or_default() += 1;
        }
        let reasons: Vec<String> = reasons
            .iter()
            .map(|(why, count)| format!("{why} ({count})"))
            .collect();
        table.note(format!(
            "{} values have no interval: {}",
            bare.len(),
            reasons.join(", ")
        ));
    }
    table
}
