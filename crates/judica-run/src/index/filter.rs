//! What is asked, held against the names of a run.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::BooleanBuffer;
use judica_data::work_error::WorkError;
use judica_model::evidence::Severity;
use judica_model::run::Verdict;

use super::columns::Values;
use super::names::{NO_NAME, Numbered};
use super::query::{Dimension, Query, Refused, meant};
use super::{Index, Kind};
use crate::layout::head;

/// Why there is no list.
#[derive(Debug)]
pub enum Asked {
    /// A condition cannot be used.
    Refused(Refused),
    /// The run cannot be read.
    Failed(WorkError),
}

impl From<Refused> for Asked {
    fn from(refused: Refused) -> Self {
        Asked::Refused(refused)
    }
}

impl From<WorkError> for Asked {
    fn from(error: WorkError) -> Self {
        Asked::Failed(error)
    }
}

impl From<Asked> for WorkError {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Refused(refused) => WorkError::BadInput(refused.to_string()),
            Asked::Failed(error) => error,
        }
    }
}

/// Which records are listed, and in which order.
pub struct Filter {
    query: Query,
    /// By dimension, whether a name is wanted; of no name in the end. None: all are.
    wanted: [Option<Vec<bool>>; 6],
    /// By kind, a bit for each dimension that does not fit.
    pub(super) misfits: Vec<u8>,
    metric: Option<(Values, f64, f64)>,
    items: Option<Arc<BooleanBuffer>>,
    pub(super) sort: Option<(Values, bool)>,
    /// Records of each kind that pass by metric and item; none if all do.
    counts: Option<Vec<u64>>,
}

/// The bit of rules and severities, which fit together.
pub(super) const FAILED: u8 = 1 << Dimension::Rule as u8;

impl Filter {
    /// What was asked, names as short as a parameter can give them.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// Whether a name is wanted.
    pub(super) fn wants(&self, dimension: Dimension, number: u32) -> bool {
        match &self.wanted[dimension as usize] {
            None => true,
            Some(wanted) => wanted[(number as usize).min(wanted.len() - 1)],
        }
    }

    /// Whether a name was asked for.
    pub(super) fn chose(&self, dimension: Dimension, number: u32) -> bool {
        self.wanted[dimension as usize].is_some() && self.wants(dimension, number)
    }

    /// Whether a record passes by metric and item.
    fn passes(&self, index: &Index, row: usize) -> bool {
        let metric = self.metric.as_ref();
        metric.is_none_or(|(values, min, max)| between(values.of(index)[row], *min, *max))
            && self.items.as_ref().is_none_or(|items| items.value(row))
    }

    /// Whether a record is listed.
    pub(super) fn lists(&self, index: &Index, row: usize) -> bool {
        self.misfits[index.kind_of[row] as usize] == 0 && self.passes(index, row)
    }

    /// Calls `see` with those of some rows that are listed, in order.
    pub(super) fn each_listed(
        &self,
        index: &Index,
        rows: Range<usize>,
        mut see: impl FnMut(usize),
    ) {
        self.each_passing(index, rows, |row, kind| {
            if self.misfits[kind as usize] == 0 {
                see(row);
            }
        });
    }

    /// Calls `see` with those of some rows that pass by metric and item, and their kinds.
    fn each_passing(&self, index: &Index, rows: Range<usize>, mut see: impl FnMut(usize, u32)) {
        let kinds = rows.clone().zip(&index.kind_of[rows.clone()]);
        match (&self.metric, &self.items) {
            (None, None) => kinds.for_each(|(row, kind)| see(row, *kind)),
            (Some((values, min, max)), None) => {
                let values = &values.of(index)[rows];
                for ((row, kind), value) in kinds.zip(values) {
                    if between(*value, *min, *max) {
                        see(row, *kind);
                    }
                }
            }
            (_, Some(items)) => {
                let found = items.slice(rows.start, rows.len());
                for row in found.set_indices().map(|at| rows.start + at) {
                    if self.passes(index, row) {
                        see(row, index.kind_of[row]);
                    }
                }
            }
        }
    }

    /// Records of each kind, by metric and item.
    pub(super) fn counts<'f>(&'f self, index: &'f Index) -> &'f [u64] {
        self.counts.as_ref().unwrap_or(&index.kinds.counts)
    }

    /// What is shown beside a record: what it is sorted by, else filtered by.
    pub(super) fn shown<'f>(&'f self, index: &'f Index) -> Option<&'f [f64]> {
        let sort = self.sort.as_ref().map(|(values, _)| values);
        let values = sort.or(self.metric.as_ref().map(|(values, ..)| values));
        values.map(|values| values.of(index))
    }
}

impl Index {
    /// Holds a question against the names of the run.
    pub fn filter(&self, query: &Query) -> Result<Filter, Asked> {
        let mut query = query.clone();
        let mut wanted: [Option<Vec<bool>>; 6] = Default::default();
        for dimension in Dimension::ALL {
            let values = query.values_mut(dimension);
            if !values.is_empty() {
                wanted[dimension as usize] = Some(self.chosen(dimension, values)?);
            }
        }
        if let Some(row) = query.after
            && row >= self.len()
        {
            let why = format!("the run has {} records, and the first is 0", self.len());
            return Err(Refused::new("after", &row.to_string(), why).into());
        }
        let metric = match &query.metric {
            Some(name) => Some((
                self.metric_values("metric", name)?,
                query.min.unwrap_or(f64::NEG_INFINITY),
                query.max.unwrap_or(f64::INFINITY),
            )),
            None => None,
        };
        let items = match query.item.as_slice() {
            [] => None,
            texts => Some(self.search(texts)?),
        };
        let sort = match &query.sort {
            Some(sort) => Some((self.metric_values("sort", &sort.name)?, sort.descending)),
            None => None,
        };
        let mut filter = Filter {
            query,
            wanted,
            misfits: Vec::new(),
            metric,
            items,
            sort,
            counts: None,
        };
        let misfits = self.kinds.kinds.iter();
        let misfits: Vec<u8> = misfits.map(|kind| self.misfit(&filter, kind)).collect();
        filter.misfits = misfits;
        if filter.metric.is_some() || filter.items.is_some() {
            filter.counts = Some(self.count_kinds(&filter));
        }
        Ok(filter)
    }

    fn misfit(&self, filter: &Filter, kind: &Kind) -> u8 {
        use Dimension::{Dataset, Grade, Rule, Severity, Subject, Verdict};
        let mut misfit = 0;
        for (dimension, number) in [
            (Subject, kind.subject),
            (Dataset, kind.dataset),
            (Verdict, kind.verdict),
            (Grade, kind.grade),
        ] {
            if !filter.wants(dimension, number) {
                misfit |= 1 << dimension as u8;
            }
        }
        let asked = [Rule, Severity].map(|of| filter.wanted[of as usize].is_some());
        if asked.contains(&true) {
            let mut pairs = self.failed(kind);
            let fits = pairs.any(|(rule, severity)| {
                filter.wants(Rule, rule) && filter.wants(Severity, severity)
            });
            if !fits {
                misfit |= FAILED;
            }
        }
        misfit
    }

    /// The rules of which atoms failed, with their severities.
    pub(super) fn failed(&self, kind: &Kind) -> impl Iterator<Item = (u32, u32)> {
        let pairs = self.kinds.sets[kind.failed as usize].iter();
        pairs.map(|pair| self.kinds.pairs[*pair as usize])
    }

    /// The names of a dimension; none of verdicts, which are the same in every run.
    pub(super) fn names(&self, dimension: Dimension) -> Option<&Numbered> {
        match dimension {
            Dimension::Subject => Some(&self.subjects),
            Dimension::Dataset => Some(&self.datasets),
            Dimension::Verdict => None,
            Dimension::Grade => self.grades.as_ref(),
            Dimension::Rule => Some(&self.rules),
            Dimension::Severity => Some(&self.severities),
        }
    }

    /// Which names are wanted, and their values as short as can be.
    fn chosen(&self, dimension: Dimension, values: &mut [String]) -> Result<Vec<bool>, Refused> {
        let Some(names) = self.names(dimension) else {
            return match dimension {
                Dimension::Verdict => chosen_verdicts(values),
                _ => {
                    let why = format!("the run gives no {}", dimension.name());
                    Err(Refused::new(dimension.name(), &values[0], why))
                }
            };
        };
        let mut wanted = vec![false; names.len() + 1];
        for value in values {
            // A severity that no atom has is a word all the same.
            let known_word = dimension == Dimension::Severity
                && Severity::ALL.iter().any(|known| known.name() == value);
            // Other tools put this before the names of all rules.
            let plain = value.strip_prefix("constraint.");
            let plain = plain.filter(|_| dimension == Dimension::Rule);
            let found = names.find(value);
            match found.or_else(|| plain.and_then(|plain| names.find(plain))) {
                Some(number) => {
                    wanted[(number as usize).min(names.len())] = true;
                    *value = names.get(number).value.into_owned();
                }
                None if known_word => {}
                None => {
                    let what = match dimension {
                        Dimension::Rule | Dimension::Severity => "no failed atom has such a",
                        _ => "no record has such a",
                    };
                    let name = dimension.name();
                    let why = format!("{what} {name}{}", meant(value, names.sorted()));
                    return Err(Refused::new(name, value, why));
                }
            }
        }
        Ok(wanted)
    }

    /// The values of a metric that a parameter names.
    fn metric_values(&self, parameter: &str, name: &str) -> Result<Values, Asked> {
        let refuse = |why: String| Err(Refused::new(parameter, name, why).into());
        match self.metrics.iter().find(|spec| spec.name == name) {
            Some(spec) if spec.above.is_none() => {
                refuse("it is a coefficient, of which no record has a value".to_owned())
            }
            Some(spec) => Ok(self.values(spec)?),
            None if name == head::SCORE => Ok(Values::Scores),
            None => {
                let names = self.metrics().map(|spec| spec.name.as_str());
                let hint = meant(name, names.chain([head::SCORE]));
                refuse(format!("the run has no such metric{hint}"))
            }
        }
    }

    fn count_kinds(&self, filter: &Filter) -> Vec<u64> {
        let mut parts = self.scan(|rows| {
            let mut counts = vec![0_u64; self.kinds.kinds.len()];
            filter.each_passing(self, rows, |_, kind| counts[kind as usize] += 1);
            counts
        });
        let mut counts = parts
            .pop()
            .unwrap_or_else(|| vec![0; self.kinds.kinds.len()]);
        for part in parts {
            for (count, more) in counts.iter_mut().zip(part) {
                *count += more;
            }
        }
        counts
    }
}

/// Whether there is a value, within its bounds: what is none compares to nothing.
fn between(value: f64, min: f64, max: f64) -> bool {
    value >= min && value <= max
}

fn chosen_verdicts(values: &[String]) -> Result<Vec<bool>, Refused> {
    let words = Verdict::ALL.map(Verdict::name);
    let mut wanted = vec![false; words.len() + 1];
    for value in values {
        match words.iter().position(|word| word == value) {
            Some(at) => wanted[at] = true,
            None if value == NO_NAME => wanted[words.len()] = true,
            None => {
                let words = words.into_iter().chain([NO_NAME]);
                let all: Vec<&str> = words.clone().collect();
                let hint = meant(value, words);
                let why = format!("a verdict is one of {}{hint}", all.join(", "));
                return Err(Refused::new("verdict", value, why));
            }
        }
    }
    Ok(wanted)
}
