//! Two or more sides against each other, item by item. A side is a run, or one subject of a
//! run; the first is what the others are held against.
//!
//! * `sides`: what is compared: which records of which run
//! * `pairs`: which records of two sides answer the same question; `questions`: whether they
//!   look like it
//! * `common`: the metrics that all sides have, and what each side's run means by them
//! * `coefficients`: a coefficient over pairs
//! * `difference`: one metric over pairs: values, difference, interval, test; `apart`: where
//!   there are none
//! * [`report`]: the report; [`tables`]: its tables; [`forest`]: its figure

mod apart;
mod coefficients;
mod common;
mod difference;
mod finish;
pub mod forest;
mod pairs;
mod questions;
pub(crate) mod reach;
pub mod report;
mod sides;
pub mod tables;

use std::borrow::Borrow;
use std::path::PathBuf;

use judica_data::work_error::WorkError;
use judica_model::nearest::hint;
use judica_model::run::{Direction, MetricKind, MetricSpec};
use judica_stats::clusters::Intervals;
use judica_stats::estimate::Clustered;

use crate::labels::{Labels, StoredLabels};
use crate::open::Run;
use crate::values::{all_terms, cluster_ranks};
pub use apart::{Alone, Apart};
use coefficients::{Both, Rated, other_raters, otherwise};
use common::{Common, OwnMetric};
pub use difference::{Clusters, Measured, RESAMPLED};
pub use finish::finish;
use pairs::Pairs;
pub use report::CompareReport;
use report::{Items, MetricRow, SideInfo};
use sides::{Loaded, Side};

/// A comparison.
#[derive(Debug, Clone)]
pub struct CompareRequest {
    /// The runs.
    pub runs: Vec<PathBuf>,
    /// Subjects: of one run those to be compared, of several those to be taken.
    pub subjects: Vec<String>,
    /// Whether each of several runs has one of the subjects, in the order of the runs.
    pub one_each: bool,
    /// Whether every side is held against every other, and not only against the first.
    pub matrix: bool,
    /// The metric that decides; the run's primary one if none is named.
    pub metric: Option<String>,
    /// The largest loss that does not count, in the metric's unit.
    pub margin: Option<f64>,
    /// Whether each difference is asked for by itself, and so is not corrected for others.
    pub each_alone: bool,
    /// Which way the metric that decides is better, if its runs do not say.
    pub better: Direction,
    /// A difference that somebody would want to see.
    pub difference: Option<f64>,
    /// The coverage of intervals.
    pub confidence: f64,
    /// Resamples for intervals, if somebody says how many.
    pub resamples: Option<u32>,
    /// What they are drawn from.
    pub seed: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

impl CompareRequest {
    /// A comparison with nothing else said: intervals as they usually are, so that the same
    /// difference has the same interval whoever asks.
    pub fn new(runs: Vec<PathBuf>, threads: usize) -> Self {
        let usual = Intervals::on_threads(threads);
        CompareRequest {
            runs,
            subjects: Vec::new(),
            one_each: false,
            matrix: false,
            metric: None,
            margin: None,
            each_alone: false,
            better: Direction::None,
            difference: None,
            confidence: usual.confidence,
            resamples: None,
            seed: usual.resampling.seed,
            threads,
        }
    }
}

/// Compares runs, or subjects of one run.
pub fn compare(request: &CompareRequest) -> Result<CompareReport, WorkError> {
    Ok(compare_paired(request)?.0)
}

/// The same, and which records of the first two sides belong together, by their rows.
pub fn compare_paired(
    request: &CompareRequest,
) -> Result<(CompareReport, Vec<[u32; 2]>), WorkError> {
    let runs: Vec<Run> = request
        .runs
        .iter()
        .map(|path| Run::open(path))
        .collect::<Result<_, _>>()?;
    let loaded: Vec<Loaded> = runs.iter().map(Loaded::read).collect::<Result<_, _>>()?;
    let mut notes = Vec::new();
    let sides = sides::choose(request, &loaded, &mut notes)?;
    let metrics = common::metrics(request, &sides, &mut notes)?;
    let against = against(sides.len(), request.matrix);
    let mut meetings = Vec::with_capacity(against.len());
    for (a, b) in &against {
        meetings.push(Meeting::of(&sides[*a], &sides[*b], &mut notes)?);
    }
    let mut rows: Vec<Vec<_>> = against.iter().map(|_| Vec::new()).collect();
    // Metric by metric, so that the terms of one at a time are in memory.
    for (place, metric) in metrics.iter().enumerate() {
        let spec = metric.spec;
        let numbers = Numbers::read(metric, &loaded)?;
        for ((meeting, at), rows) in meetings.iter().zip(&against).zip(&mut rows) {
            for dataset in meeting.everywhere() {
                let measured = meeting.measure(spec, metric.of(*at), &numbers, dataset);
                let name = dataset.map(|dataset| meeting.a.loaded.names[dataset as usize].clone());
                let primary = place == 0 && dataset.is_none();
                let mut row = MetricRow::begin(*at, spec, name, primary, measured);
                if place == 0 && row.0.direction == Direction::None {
                    row.0.direction = request.better;
                }
                row.0.repeats_primary =
                    dataset.is_none() && place > 0 && metric.is_same(&metrics[0], *at);
                rows.push(row);
            }
        }
    }
    let mut items = Vec::with_capacity(meetings.len());
    for meeting in &meetings {
        items.push(Items::of(&meeting.pairs, meeting.a, meeting.b)?);
    }
    let apart = meetings.iter().filter(|meeting| meeting.pairs.is_empty());
    let apart = apart.map(|meeting| [meeting.a.shown(), meeting.b.shown()]);
    let apart: Vec<[String; 2]> = apart.collect();
    let sides: Vec<SideInfo> = sides.iter().map(SideInfo::of).collect();
    let rows = rows.into_iter().flatten().collect();
    let report = CompareReport {
        unpaired: !apart.is_empty(),
        apart,
        ..finish(request, sides, rows, items, notes)
    };
    let pairs = meetings.first().map(|meeting| {
        let [a, b] = [0, 1].map(|at| meeting.pairs.rows(at, None));
        a.zip(b).map(|(a, b)| [a, b]).collect()
    });
    Ok((report, pairs.unwrap_or_default()))
}

/// Which sides are held against which: all against the first, or every two.
fn against(sides: usize, matrix: bool) -> Vec<(usize, usize)> {
    let first = if matrix { sides } else { sides.min(1) };
    (0..first)
        .flat_map(|a| (a + 1..sides).map(move |b| (a, b)))
        .collect()
}

/// What every record of every run says of a metric.
enum Numbers<'r> {
    /// Terms, by run.
    Terms(Vec<(&'r Run, Vec<[f64; 2]>)>),
    /// Labels, by run.
    Labels(Vec<(&'r Run, StoredLabels)>),
}

impl<'r> Numbers<'r> {
    fn read(metric: &Common, runs: &[Loaded<'r>]) -> Result<Self, WorkError> {
        let runs = runs.iter().map(|loaded| loaded.run);
        Ok(match metric.is_estimated() {
            true => Numbers::Labels(
                runs.map(|run| Ok((run, StoredLabels::read(run)?)))
                    .collect::<Result<_, WorkError>>()?,
            ),
            false => Numbers::Terms(
                runs.map(|run| Ok((run, terms(run, metric.spec)?)))
                    .collect::<Result<_, WorkError>>()?,
            ),
        })
    }
}

/// What was read of a side's run.
fn of_side<'n, T>(all: &'n [(&Run, T)], side: &Side) -> &'n T {
    let own = all
        .iter()
        .find(|(run, _)| std::ptr::eq(*run, side.loaded.run));
    &own.unwrap_or(&all[0]).1
}

/// Two sides that are held against each other.
struct Meeting<'s, 'r> {
    a: &'s Side<'r>,
    b: &'s Side<'r>,
    pairs: Pairs,
    datasets: Vec<u32>,
    /// The rank of every record's cluster in the runs of both sides, where nothing is paired.
    ranks: [Vec<u32>; 2],
}

impl<'s, 'r> Meeting<'s, 'r> {
    fn of(a: &'s Side<'r>, b: &'s Side<'r>, notes: &mut Vec<String>) -> Result<Self, WorkError> {
        let pairs = Pairs::of(a, b, notes)?;
        notes.extend(questions::note(&pairs, a, b)?);
        let mut ranks = [Vec::new(), Vec::new()];
        if pairs.is_empty() {
            notes.push(format!(
                "{} and {} have no item in common ({} items here, {} there; items are paired by \
                 dataset, item and epoch), so they are compared unpaired: there is no test, the \
                 interval of the difference decides, and it is wider than one of paired items",
                a.shown(),
                b.shown(),
                a.rows.len(),
                b.rows.len()
            ));
            ranks = [cluster_ranks(a.loaded.run)?, cluster_ranks(b.loaded.run)?];
        }
        Ok(Meeting {
            datasets: pairs.datasets(a),
            a,
            b,
            pairs,
            ranks,
        })
    }

    /// All data sets together, then each of several.
    fn everywhere(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        std::iter::once(None).chain(self.datasets.iter().copied().map(Some))
    }

    fn measure(
        &self,
        spec: &MetricSpec,
        sides: [OwnMetric; 2],
        numbers: &Numbers,
        dataset: Option<u32>,
    ) -> Measured {
        match numbers {
            Numbers::Terms(all) => {
                let (rate, rates) = (spec.kind == MetricKind::Rate, sides.map(|own| own.rate));
                let terms = [of_side(all, self.a), of_side(all, self.b)];
                if !self.pairs.is_empty() {
                    let clusters = self.pairs.clusters(dataset, terms[0], terms[1]);
                    return Measured::of_sides(rate, rates, clusters);
                }
                Measured::apart(Apart {
                    rate,
                    rates,
                    sides: [0, 1].map(|at| Alone::Summed(self.clustered(at, terms[at]))),
                    unknowable: None,
                })
            }
            Numbers::Labels(all) => {
                let [Some(a), Some(b)] = sides.map(|own| own.estimator) else {
                    return Measured::nothing("one of the sides has no labels to estimate it from");
                };
                let labels = [
                    self.labels(0, of_side(all, self.a), dataset),
                    self.labels(1, of_side(all, self.b), dataset),
                ];
                self.estimated(
                    [Rated::new(a, &labels[0]), Rated::new(b, &labels[1])],
                    dataset,
                )
            }
        }
    }

    /// A coefficient of both sides.
    fn estimated(&self, sides: [Rated; 2], dataset: Option<u32>) -> Measured {
        if let Some(why) = otherwise(sides) {
            let lone = sides.map(|side| Some(Alone::Labelled(Box::new(side.groups().ok()?))));
            return Measured::one_sided(why, false, lone);
        }
        let mut measured = if self.pairs.is_empty() {
            match sides.map(|side| side.groups()) {
                [Ok(a), Ok(b)] => Measured::apart(Apart {
                    rate: false,
                    rates: [false; 2],
                    sides: [a, b].map(|groups| Alone::Labelled(Box::new(groups))),
                    unknowable: None,
                }),
                [Err(why), _] | [_, Err(why)] => Measured::nothing(why),
            }
        } else {
            let both = Both::new(sides);
            let rate = both.as_ref().ok().and_then(Both::agreeing);
            match rate.map(|terms| self.pairs.added_up(dataset, terms)) {
                Some(clusters) => Measured::agreement(clusters),
                None => Measured::coefficient(sides[0].labels.items(), both),
            }
        };
        measured.note = other_raters(sides).or(measured.note);
        measured
    }

    /// What is said of the items of a side: of those of the pairs, if there are any.
    fn labels(&self, at: usize, stored: &StoredLabels, dataset: Option<u32>) -> Labels {
        if self.pairs.is_empty() {
            let cluster = |row: &u32| (*row, self.ranks[at][*row as usize]);
            return stored.of([self.a, self.b][at].rows.iter().map(cluster));
        }
        let clusters = self.pairs.cluster_numbers(dataset);
        stored.of(self.pairs.rows(at, dataset).zip(clusters))
    }

    /// The terms of one side, in the order of its clusters.
    fn clustered(&self, at: usize, terms: &[[f64; 2]]) -> Clustered {
        let side = [self.a, self.b][at];
        let ranks = &self.ranks[at];
        let mut rows = side.rows.clone();
        rows.sort_unstable_by_key(|row| (ranks[*row as usize], *row));
        let mut clustered = Clustered::default();
        for row in rows {
            clustered.add(ranks[row as usize], terms[row as usize]);
        }
        clustered
    }
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

/// A metric's terms in every record of a run; below is 0 where it does not apply.
fn terms(run: &Run, spec: &MetricSpec) -> Result<Vec<[f64; 2]>, WorkError> {
    // Columns may be called otherwise there.
    let own = run
        .manifest
        .metrics
        .iter()
        .find(|own| own.name == spec.name);
    all_terms(run, own.unwrap_or(spec))
}
