//! The metrics of a run, for each subject and data set, from the columns of its records.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use judica_data::work_error::WorkError;
use judica_model::metric::MetricValue;
use judica_model::run::{Estimator, MetricKind, MetricSpec};
use judica_model::table::{Cell, Table};
use judica_stats::wilson_interval;
use serde::Serialize;

use crate::coefficient::{Groups, Labels};
use crate::layout::head;
use crate::open::Run;
use crate::rows::{Rows, Scratch, own_value};

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

/// What some records add up to for one metric.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    above: f64,
    below: f64,
    n: u64,
    /// Whether a record had anything but 0 or 1 of 1.
    weighted: bool,
}

impl Sums {
    fn add(&mut self, [above, below]: [f64; 2]) {
        self.above += above;
        self.below += below;
        self.n += 1;
        self.weighted |= below != 1.0 || !(above == 0.0 || above == 1.0);
    }

    fn merge(&mut self, other: &Sums) {
        self.above += other.above;
        self.below += other.below;
        self.n += other.n;
        self.weighted |= other.weighted;
    }

    fn value(&self, spec: &MetricSpec) -> MetricValue {
        if self.n == 0 || self.below == 0.0 {
            return MetricValue::undefined("no record has a value of it");
        }
        let value = MetricValue::new(self.above / self.below, self.n);
        let plain = spec.kind == MetricKind::Rate && !self.weighted;
        match wilson_interval(self.above as u64, self.n, 0.95).filter(|_| plain) {
            Some(interval) => value.with_ci([interval.lo, interval.hi]),
            None => value,
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
        use judica_model::run::OwnValue;
        let above = match own_value(self.above?, row) {
            OwnValue::Number(value) => value,
            OwnValue::Integer(value) => value as f64,
            OwnValue::Boolean(value) => f64::from(u8::from(value)),
            OwnValue::Null | OwnValue::Text(_) => return None,
        };
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

/// All metrics of a run that are sums over records: of everything, of each subject, and of
/// each subject in each data set where there are several.
pub fn values(run: &Run) -> Result<Vec<MetricOf>, WorkError> {
    let specs: Vec<&MetricSpec> = summed(run).collect();
    let records = run.records()?;
    let mut columns = columns_of(specs.iter().copied());
    columns.extend([head::SUBJECT, head::DATASET]);
    let mut groups: BTreeMap<(String, String), Vec<Sums>> = BTreeMap::new();
    for batch in records.batches(&columns)? {
        add(&batch?, &specs, &mut groups);
    }
    let mut found = Vec::new();
    let datasets: std::collections::BTreeSet<&str> =
        groups.keys().map(|(_, dataset)| dataset.as_str()).collect();
    let several = datasets.len() > 1;
    for (at, spec) in specs.iter().enumerate() {
        let mut by_subject: BTreeMap<&str, Sums> = BTreeMap::new();
        let mut by_dataset: BTreeMap<&str, Sums> = BTreeMap::new();
        let mut all = Sums::default();
        for ((subject, dataset), sums) in &groups {
            by_subject.entry(subject).or_default().merge(&sums[at]);
            by_dataset.entry(dataset).or_default().merge(&sums[at]);
            all.merge(&sums[at]);
        }
        let mut push = |subject: Option<&str>, dataset: Option<&str>, sums: &Sums| {
            found.push(MetricOf {
                metric: spec.name.clone(),
                subject: subject.map(str::to_owned),
                dataset: dataset.map(str::to_owned),
                value: sums.value(spec),
            });
        };
        push(None, None, &all);
        for (dataset, sums) in by_dataset.iter().filter(|_| several) {
            push(None, Some(dataset), sums);
        }
        for (subject, sums) in &by_subject {
            push(Some(subject), None, sums);
        }
        for ((subject, dataset), sums) in groups.iter().filter(|_| several) {
            push(Some(subject), Some(dataset), &sums[at]);
        }
    }
    found.extend(coefficients(run)?);
    Ok(found)
}

/// The coefficients of a run: of everything, of each subject and of each data set.
fn coefficients(run: &Run) -> Result<Vec<MetricOf>, WorkError> {
    type Part = (Option<String>, Option<String>);
    let metrics = run.manifest.metrics.iter();
    let specs: Vec<(&MetricSpec, &Estimator)> = metrics
        .filter_map(|spec| Some((spec, spec.estimator.as_ref()?)))
        .collect();
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    let mut parts: BTreeMap<Part, Labels> = BTreeMap::new();
    for batch in run
        .records()?
        .batches(&[head::SUBJECT, head::DATASET, head::LABELS])?
    {
        let batch = batch?;
        let rows = Rows::new(&batch);
        let mut scratch = Scratch::default();
        for row in 0..rows.len() {
            let record = rows.get(row, &mut scratch);
            let subject = || Some(record.subject.to_owned());
            let dataset = || Some(record.dataset.to_owned());
            for part in [
                (None, None),
                (None, dataset()),
                (subject(), None),
                (subject(), dataset()),
            ] {
                parts.entry(part).or_default().push(record.labels);
            }
        }
    }
    let datasets = parts.keys().filter(|(s, d)| s.is_none() && d.is_some());
    let several = datasets.count() > 1;
    let mut found = Vec::new();
    for (spec, estimator) in specs {
        for ((subject, dataset), labels) in &parts {
            if dataset.is_some() && !several {
                continue;
            }
            let value = Groups::new(estimator, labels)
                .and_then(|groups| groups.value().map_err(|why| why.to_string()));
            found.push(MetricOf {
                metric: spec.name.clone(),
                subject: subject.clone(),
                dataset: dataset.clone(),
                value: match value {
                    Ok(value) => MetricValue::new(value, labels.items() as u64),
                    Err(why) => MetricValue::undefined(why),
                },
            });
        }
    }
    Ok(found)
}

/// The metrics of a run that are sums over records.
pub fn summed(run: &Run) -> impl Iterator<Item = &MetricSpec> {
    let metrics = run.manifest.metrics.iter();
    metrics.filter(|spec| spec.above.is_some())
}

fn add(
    batch: &RecordBatch,
    specs: &[&MetricSpec],
    groups: &mut BTreeMap<(String, String), Vec<Sums>>,
) {
    let text = |name: &str| -> Option<&StringArray> {
        batch.column_by_name(name).and_then(|a| a.as_string_opt())
    };
    let (Some(subjects), Some(datasets)) = (text(head::SUBJECT), text(head::DATASET)) else {
        return;
    };
    let terms: Vec<Terms> = specs.iter().map(|spec| Terms::new(batch, spec)).collect();
    let mut row = 0;
    while row < batch.num_rows() {
        // Records of one subject and data set mostly stand together.
        let key = (subjects.value(row), datasets.value(row));
        let mut end = row + 1;
        while end < batch.num_rows() && (subjects.value(end), datasets.value(end)) == key {
            end += 1;
        }
        let sums = groups
            .entry((key.0.to_owned(), key.1.to_owned()))
            .or_insert_with(|| vec![Sums::default(); specs.len()]);
        for (sums, terms) in sums.iter_mut().zip(&terms) {
            for row in row..end {
                if let Some(terms) = terms.get(row) {
                    sums.add(terms);
                }
            }
        }
        row = end;
    }
}

/// The metrics as a table; of one subject not once more as everybody's.
pub fn table(values: &[MetricOf]) -> Table {
    let subjects: std::collections::BTreeSet<&str> = values
        .iter()
        .filter_map(|of| of.subject.as_deref())
        .collect();
    let shown = |of: &&MetricOf| subjects.len() != 1 || of.subject.is_some();
    let several = values.iter().any(|value| value.dataset.is_some());
    let mut table = Table::new("Metrics").left("metric").left("subject");
    if several {
        table = table.left("dataset");
    }
    table = table.right("value").right("n");
    for row in values.iter().filter(shown) {
        let mut cells = vec![
            Cell::text(&row.metric),
            Cell::text(row.subject.as_deref().unwrap_or("all")),
        ];
        if several {
            cells.push(Cell::text(row.dataset.as_deref().unwrap_or("all")));
        }
        cells.extend(match &row.value {
            MetricValue::Defined { value, n, ci, .. } => [
                match ci {
                    Some([lo, hi]) => Cell::interval(*value, *lo, *hi, 4),
                    None => Cell::number(*value, 4),
                },
                Cell::count(*n as usize),
            ],
            MetricValue::Undefined { reason } => [Cell::missing(reason), Cell::count(0)],
        });
        table.push(cells);
    }
    table
}
