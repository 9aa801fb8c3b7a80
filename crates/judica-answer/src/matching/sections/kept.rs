//! The columns of records that sections are made of.

use std::collections::BTreeMap;

use arrow_array::{Array, Float64Array, RecordBatch, StringArray};
use judica_data::work_error::WorkError;
use judica_model::metric::MetricValue;
use judica_run::finish::Columns;
use judica_run::layout::head;
use judica_run::names::Names;
use judica_run::values::metric_value;
use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Clustered, Kind};

use super::{By, LeftOut, MOST_STRATA, Section, Sections, Stratum};
use crate::matching::FAMILY;
use crate::matching::record::METRICS;
use crate::matching::wanted::{
    CONFIDENCE, CONFIDENCE_PROBLEM, GOLD_CLASS, GOLD_NUMBER, NUMBER_PROBLEM, PREDICTED_CLASS,
    PREDICTED_NUMBER, STRATUM, Wanted,
};

/// Nothing, where a number of a name is expected.
pub(super) const NONE: u32 = u32::MAX;
/// Of how many rows that cannot be used the place is kept, and shown.
const PLACES: usize = 1000;
const SHOWN_PLACES: usize = 5;

/// Rows, column by column; those that nobody asked for are empty.
#[derive(Debug, Default)]
pub(in crate::matching) struct Kept {
    wanted: Wanted,
    clusters: Names,
    cluster: Vec<u32>,
    /// Whether a row is exact, and whether it is structural.
    equal: Vec<[bool; 2]>,
    strata: Names,
    stratum: Vec<u32>,
    /// Classes of golds and predictions.
    pub(super) labels: Names,
    pub(super) gold: Vec<u32>,
    pub(super) predicted: Vec<u32>,
    /// Gold and prediction.
    pub(super) numbers: Vec<[f64; 2]>,
    pub(super) confidence: Vec<f64>,
    problems: Names,
    pub(super) number_problem: Vec<u32>,
    pub(super) confidence_problem: Vec<u32>,
    questions: Names,
    /// The question of a subject that a row answers.
    pub(super) question: Vec<u32>,
    places: BTreeMap<u32, String>,
}

impl Kept {
    /// Nothing yet.
    pub fn new(wanted: Wanted) -> Self {
        Kept {
            wanted,
            ..Kept::default()
        }
    }

    /// Takes the next records.
    pub fn take(&mut self, records: &RecordBatch) -> Result<(), WorkError> {
        let columns = Columns::new(records, FAMILY.command);
        let text = |name: &str| columns.texts(name);
        let [dataset, item, subject, cluster] = [
            text(head::DATASET)?,
            text(head::ITEM)?,
            text(head::SUBJECT)?,
            text(head::CLUSTER)?,
        ];
        let [_, exact, structural] = METRICS;
        let (exact, structural) = (columns.numbers(exact)?, columns.numbers(structural)?);
        let mut name = String::new();
        let mut joined = |names: &mut Names, parts: &[&str]| {
            name.clear();
            for part in parts {
                name.push_str(part);
                name.push('\0');
            }
            name.pop();
            names.number(&name)
        };
        for row in 0..records.num_rows() {
            let (dataset, item) = (dataset.value(row), item.value(row));
            self.cluster.push(match cluster.is_valid(row) {
                true => self.clusters.number(cluster.value(row)),
                false => joined(&mut self.clusters, &[dataset, item]),
            });
            self.equal
                .push([exact.value(row) == 1.0, structural.value(row) == 1.0]);
            if !self.wanted.asked.k.is_empty() {
                let parts = [dataset, subject.value(row), item];
                self.question.push(joined(&mut self.questions, &parts));
            }
        }
        if self.wanted.by.is_some() {
            number_all(&mut self.strata, text(STRATUM)?, &mut self.stratum);
        }
        if self.wanted.asked.classes {
            number_all(&mut self.labels, text(GOLD_CLASS)?, &mut self.gold);
            number_all(
                &mut self.labels,
                text(PREDICTED_CLASS)?,
                &mut self.predicted,
            );
        }
        if self.wanted.numbers {
            let (gold, said) = (
                columns.numbers(GOLD_NUMBER)?,
                columns.numbers(PREDICTED_NUMBER)?,
            );
            let pairs = values(gold).zip(values(said));
            self.numbers.extend(pairs.map(|(gold, said)| [gold, said]));
            let problem = text(NUMBER_PROBLEM)?;
            note_places(
                &columns,
                problem,
                self.number_problem.len(),
                &mut self.places,
            )?;
            number_all(&mut self.problems, problem, &mut self.number_problem);
        }
        if self.wanted.confidence {
            self.confidence.extend(values(columns.numbers(CONFIDENCE)?));
            let problem = text(CONFIDENCE_PROBLEM)?;
            let before = self.confidence_problem.len();
            note_places(&columns, problem, before, &mut self.places)?;
            number_all(&mut self.problems, problem, &mut self.confidence_problem);
        }
        Ok(())
    }

    /// The sections of all rows, and of each stratum.
    pub fn sections(mut self, intervals: &Intervals) -> Sections {
        // Numbers by the order of names from here on.
        let ranks = self.clusters.ranks();
        for cluster in &mut self.cluster {
            *cluster = ranks[*cluster as usize];
        }
        let mut rows: Vec<u32> = (0..self.cluster.len() as u32).collect();
        rows.sort_unstable_by_key(|row| (self.cluster[*row as usize], *row));
        let mut sections = self.of(&rows, intervals);
        sections.by = self.wanted.by.clone().map(|column| By {
            column,
            strata: self.by(&rows, intervals),
        });
        sections
    }

    /// The sections of some rows, in the order of their clusters.
    fn of(&self, rows: &[u32], intervals: &Intervals) -> Sections {
        let Wanted {
            asked,
            numbers,
            confidence,
            ..
        } = &self.wanted;
        Sections {
            classes: asked
                .classes
                .then(|| super::classes::of(self, rows, intervals)),
            numbers: numbers.then(|| super::numbers::of(self, rows, intervals)),
            calibration: confidence.then(|| super::calibration::of(self, rows, intervals)),
            repeats: (!asked.k.is_empty()).then(|| super::repeats::of(self, rows, intervals)),
            by: None,
        }
    }

    fn by(&self, rows: &[u32], intervals: &Intervals) -> Section<Vec<Stratum>> {
        let mut names: Vec<(Option<&str>, u32)> = self
            .strata
            .names
            .iter()
            .zip(0..)
            .map(|(name, at)| (Some(name.as_str()), at))
            .collect();
        if names.len() > MOST_STRATA {
            return Section::Undefined {
                undefined: format!("{} values are more than {MOST_STRATA}", names.len()),
            };
        }
        names.sort_unstable();
        names.extend(self.stratum.contains(&NONE).then_some((None, NONE)));
        let stratum = |(name, number): (Option<&str>, u32)| {
            let of = |row: &&u32| self.stratum[**row as usize] == number;
            let rows: Vec<u32> = rows.iter().filter(of).copied().collect();
            let rate = |counts: fn([bool; 2]) -> bool| {
                self.mean(Kind::Rate, &rows, intervals, |row| {
                    Some(f64::from(u8::from(counts(self.equal[row]))))
                })
            };
            Stratum {
                value: name.map(str::to_owned),
                rows: rows.len() as u64,
                exact_match: rate(|[exact, _]| exact),
                structural: rate(|[_, structural]| structural),
                matched: rate(|either| either.contains(&true)),
                sections: self.of(&rows, intervals),
            }
        };
        Section::Defined(names.into_iter().map(stratum).collect())
    }

    /// Whether a row matches.
    pub(super) fn matched(&self, row: usize) -> bool {
        self.equal[row].contains(&true)
    }

    /// What a row stands or falls with.
    pub(super) fn cluster(&self, row: usize) -> u32 {
        self.cluster[row]
    }

    /// The `k` that were asked for.
    pub(super) fn repeats(&self) -> &[u32] {
        &self.wanted.asked.k
    }

    /// The mean of what rows have, with its interval.
    pub(super) fn mean(
        &self,
        kind: Kind,
        rows: &[u32],
        intervals: &Intervals,
        value: impl Fn(usize) -> Option<f64>,
    ) -> MetricValue {
        let mut clustered = Clustered::default();
        for row in rows.iter().map(|row| *row as usize) {
            if let Some(value) = value(row) {
                clustered.add(self.cluster[row], [value, 1.0]);
            }
        }
        metric_value(clustered.estimate(kind, intervals), NOTHING)
    }

    /// Sums over clusters, one row of `width` numbers each, of the rows that `add` finds
    /// anything in.
    pub(super) fn sums(
        &self,
        rows: &[u32],
        width: usize,
        mut add: impl FnMut(usize, &mut [f64]) -> bool,
    ) -> Vec<f64> {
        let mut sums = Vec::new();
        let mut terms = vec![0.0; width];
        let mut last = None;
        for row in rows.iter().map(|row| *row as usize) {
            terms.fill(0.0);
            if !add(row, &mut terms) {
                continue;
            }
            if last != Some(self.cluster[row]) {
                last = Some(self.cluster[row]);
                sums.resize(sums.len() + width, 0.0);
            }
            let start = sums.len() - width;
            for (sum, term) in sums[start..].iter_mut().zip(&terms) {
                *sum += term;
            }
        }
        sums
    }

    /// The rows that have one of these problems.
    pub(super) fn left_out(&self, rows: &[u32], problem: &[u32]) -> LeftOut {
        let mut left_out = LeftOut::default();
        let mut places = Vec::new();
        for row in rows {
            let problem = problem[*row as usize];
            if problem == NONE {
                continue;
            }
            left_out.rows += 1;
            let name = self.problems.names[problem as usize].clone();
            *left_out.reasons.entry(name).or_default() += 1;
            places.extend(self.places.get_key_value(row));
        }
        places.sort_unstable();
        places.truncate(SHOWN_PLACES);
        left_out.first = places.into_iter().map(|(_, place)| place.clone()).collect();
        left_out
    }
}

/// Why a number has no value.
pub(super) const NOTHING: &str = "no row can be used for it";

/// The numbers of names, one for each value.
fn number_all(names: &mut Names, values: &StringArray, out: &mut Vec<u32>) {
    out.extend(
        values
            .iter()
            .map(|value| value.map_or(NONE, |value| names.number(value))),
    );
}

fn values(numbers: &Float64Array) -> impl Iterator<Item = f64> {
    numbers.iter().map(|value| value.unwrap_or(f64::NAN))
}

/// Notes where the first rows stand that have a problem.
fn note_places(
    columns: &Columns,
    problem: &StringArray,
    before: usize,
    places: &mut BTreeMap<u32, String>,
) -> Result<(), WorkError> {
    let file = columns.texts(head::INPUT_FILE)?;
    let line = columns.counts(head::INPUT_LINE)?;
    for row in (0..problem.len()).filter(|row| problem.is_valid(*row)) {
        if places.len() == PLACES {
            break;
        }
        let place = format!("{}:{}", file.value(row), line.value(row));
        places.insert((before + row) as u32, place);
    }
    Ok(())
}
