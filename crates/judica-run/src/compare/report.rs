//! The report of a comparison (`judica.compare/1`), and what its numbers come to.

use judica_data::work_error::WorkError;
use judica_model::run::{Direction, MetricKind, MetricSpec};
use judica_stats::clusters::Intervals;
use judica_stats::resampled::Resampling;
use serde::Serialize;

use super::CompareRequest;
use super::apart::kind;
use super::difference::{Bounds, Measured, quantile};
use super::pairs::{Pairs, item};
use super::sides::Side;

/// The version of the report's shape.
const SCHEMA_VERSION: &str = "judica.compare/1";
/// How many items of one side only are named.
const NAMED: usize = 10;
/// However many rows are corrected for, no more resamples than this are made unasked.
const MOST_RESAMPLES: f64 = 10_000.0;
/// How often a difference that is there is to be seen.
const POWER: f64 = 0.8;

/// Two or more sides against each other.
#[derive(Debug, Clone, Serialize)]
pub struct CompareReport {
    /// Version of this shape.
    pub schema_version: &'static str,
    /// What is compared, the first being what the others are held against.
    pub sides: Vec<SideInfo>,
    /// The coverage of intervals.
    pub confidence: f64,
    /// How differences are corrected, in words.
    pub correction: String,
    /// Whether two sides have no item in common, so that nothing is paired.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unpaired: bool,
    /// Which two those are.
    #[serde(skip)]
    pub apart: Vec<[String; 2]>,
    /// Items of the first two sides.
    pub items: Items,
    /// The same of all further comparisons, where there are any, in the order of rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_items: Vec<Items>,
    /// Each metric, over everything and in each data set.
    pub metrics: Vec<MetricRow>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One side.
#[derive(Debug, Clone, Serialize)]
pub struct SideInfo {
    /// Its run.
    pub run: String,
    /// Its subject; null where it has several.
    pub subject: Option<String>,
    /// Those, where it has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
}

impl SideInfo {
    /// What it is called.
    pub fn shown(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{} ({subject})", self.run),
            None => self.run.clone(),
        }
    }

    pub(super) fn of(side: &Side) -> Self {
        let several = side.subjects.len() > 1;
        SideInfo {
            run: side.run_name(),
            subject: side.subjects.first().filter(|_| !several).cloned(),
            subjects: match several {
                true => side.subjects.clone(),
                false => Vec::new(),
            },
        }
    }
}

/// How items of two sides meet.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Items {
    /// On both sides.
    pub common: u64,
    /// Of the first only.
    pub only_a: u64,
    /// Of the other only.
    pub only_b: u64,
    /// The first of those that are of one side only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Items {
    /// Counts and names them.
    pub(super) fn of(pairs: &Pairs, a: &Side, b: &Side) -> Result<Items, WorkError> {
        let mut left_out = Vec::new();
        let of_a = pairs.only_a.iter().map(|row| (a, row));
        let of_b = pairs.only_b.iter().map(|row| (b, row));
        for (side, row) in of_a.take(NAMED / 2).chain(of_b.take(NAMED / 2)) {
            left_out.push(item(side, *row)?);
        }
        Ok(Items {
            common: pairs.len() as u64,
            only_a: pairs.only_a.len() as u64,
            only_b: pairs.only_b.len() as u64,
            left_out,
        })
    }
}

/// A value of one side.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SideValue {
    /// The value over common items.
    pub value: Option<f64>,
    /// Of how many records.
    pub n: u64,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_undefined: Option<String>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// The difference of two sides.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Difference {
    /// b less a, in the metric's own sign.
    pub value: Option<f64>,
    /// Its standard error.
    pub se: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub se_undefined: Option<String>,
    /// How many times larger its variance is for clusters of several pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design_effect: Option<f64>,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_undefined: Option<String>,
    /// Why there is no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// Whether b is no worse than a by more than a margin.
#[derive(Debug, Clone, Serialize)]
pub struct NoWorseThan {
    /// The margin.
    pub margin: f64,
    /// The one-sided lower bound of how much better b is.
    pub lower: Option<f64>,
    /// Whether that clears the margin; null where there is no bound.
    pub pass: Option<bool>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// What a difference comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Finding {
    /// b is better.
    #[serde(rename = "better")]
    Better,
    /// b is worse.
    #[serde(rename = "worse")]
    Worse,
    /// Nothing that could not be chance.
    #[serde(rename = "no difference")]
    NoDifference,
    /// There is nothing to tell.
    #[serde(rename = "undefined")]
    Undefined,
}

impl Finding {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Finding::Better => "better",
            Finding::Worse => "worse",
            Finding::NoDifference => "no difference",
            Finding::Undefined => "undefined",
        }
    }
}

/// One metric of two sides.
#[derive(Debug, Clone, Serialize)]
pub struct MetricRow {
    /// The metric.
    pub metric: String,
    /// In which data set; null for all together.
    pub dataset: Option<String>,
    /// Which side is b, where there are more than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<usize>,
    /// Which side is a, where that is not always the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<usize>,
    /// Whether it decides.
    pub primary: bool,
    /// What kind of number it is.
    pub kind: MetricKind,
    /// Which way is better.
    pub direction: Direction,
    /// Pairs of records; where nothing is paired, records of both sides.
    pub n: u64,
    /// Clusters of them, likewise.
    pub clusters: usize,
    /// The first side.
    pub a: SideValue,
    /// The other.
    pub b: SideValue,
    /// b less a.
    pub difference: Difference,
    /// Which test.
    pub test: Option<&'static str>,
    /// Its p-value.
    pub p: Option<f64>,
    /// The same, corrected for the number of tests.
    pub p_adjusted: Option<f64>,
    /// What it comes to for b.
    pub verdict: Finding,
    /// Whether test and interval do not say the same.
    pub borderline: bool,
    /// The smallest difference that would have been seen four times out of five.
    pub smallest_detectable: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_detectable_undefined: Option<String>,
    /// How many items would be needed to see the difference that was asked about.
    pub items_needed: Option<u64>,
    /// Why it is not known, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_needed_undefined: Option<String>,
    /// Whether b is no worse than the margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_worse_than: Option<NoWorseThan>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip)]
    pub(super) at: (usize, usize),
}

impl MetricRow {
    /// What it comes to, in words.
    pub(super) fn words(&self) -> String {
        let words = self.verdict.words();
        match self.borderline {
            true => format!("{words} (borderline)"),
            false => words.to_owned(),
        }
    }

    /// A row that has been measured, and not yet judged; `at` are its sides, a and b.
    pub fn begin(
        at: (usize, usize),
        spec: &MetricSpec,
        dataset: Option<String>,
        primary: bool,
        measured: Measured,
    ) -> (MetricRow, Measured) {
        let row = MetricRow {
            metric: spec.name.clone(),
            dataset,
            side: None,
            against: None,
            primary,
            kind: spec.kind,
            direction: spec.direction,
            n: measured.n,
            clusters: measured.clusters,
            a: SideValue::default(),
            b: SideValue::default(),
            difference: Difference::default(),
            test: measured.test,
            p: measured.p,
            p_adjusted: None,
            verdict: Finding::Undefined,
            borderline: false,
            smallest_detectable: None,
            smallest_detectable_undefined: None,
            items_needed: None,
            items_needed_undefined: None,
            no_worse_than: None,
            note: measured.note.clone(),
            at,
        };
        (row, measured)
    }
}

/// Judges the rows, now that it is known how many there are.
pub fn finish(
    request: &CompareRequest,
    sides: Vec<SideInfo>,
    rows: Vec<(MetricRow, Measured)>,
    items: Vec<Items>,
    mut notes: Vec<String>,
) -> CompareReport {
    // Rows that decide are corrected among themselves, whatever decides; others for their tests.
    let primary = rows.iter().filter(|(row, _)| row.primary).count().max(1);
    let others = rows.iter().filter(|(row, _)| !row.primary);
    let others = others.filter(|(row, _)| row.p.is_some()).count().max(1);
    let most = resamples_for((1.0 - request.confidence) / primary.max(others) as f64);
    if let Some(asked) = request.resamples.filter(|asked| *asked < most) {
        notes.push(format!(
            "--resamples {asked} is raised for intervals of differences that are resampled, to \
             100/alpha for each that is corrected for: up to {most}"
        ));
    }
    let several = sides.len() > 2;
    let metrics = rows
        .into_iter()
        .map(|(mut row, measured)| {
            let tests = if row.primary { primary } else { others };
            row.side = several.then_some(row.at.1);
            row.against = (several && request.matrix).then_some(row.at.0);
            row.judge(request, measured, tests);
            row
        })
        .collect();
    let mut items = items.into_iter();
    CompareReport {
        schema_version: SCHEMA_VERSION,
        sides,
        confidence: request.confidence,
        correction: correction(primary, others),
        unpaired: false,
        apart: Vec::new(),
        items: items.next().unwrap_or_default(),
        further_items: items.collect(),
        metrics,
        notes,
    }
}

/// As many resamples as leave 50 beyond each end of an interval that misses so rarely, as far
/// as anybody would wait for them.
fn resamples_for(alpha: f64) -> u32 {
    // 1 − 0.95 is a little more than 0.05, which is no reason for one resample less.
    (100.0 / alpha * (1.0 - 1e-9)).ceil().min(MOST_RESAMPLES) as u32
}

/// Why a number of items is not told.
pub(crate) const UNCOUNTED: &str = "more items would be needed than can be counted";

/// So many items, rounded up, if that many can be counted.
pub(crate) fn whole_items(items: f64) -> Option<u64> {
    let items = items.ceil();
    (items < 2_f64.powi(53)).then_some(items as u64)
}

/// What was done about many differences at once.
fn correction(primary: usize, others: usize) -> String {
    let family = |count: usize| match count {
        1 => "not corrected".to_owned(),
        _ => format!("corrected for {count} (Bonferroni), intervals too"),
    };
    match (primary, others) {
        (1, 1) => "no difference is corrected for others".to_owned(),
        _ => format!(
            "what decides: {}; other rows: {}; the two are not controlled jointly",
            family(primary),
            family(others)
        ),
    }
}

impl MetricRow {
    fn judge(&mut self, request: &CompareRequest, mut measured: Measured, tests: usize) {
        let alpha = 1.0 - request.confidence;
        let row_alpha = alpha / tests as f64;
        let intervals = |confidence: f64, resamples: u32| Intervals {
            confidence,
            resampling: Resampling {
                resamples,
                seed: request.seed,
                threads: request.threads,
            },
        };
        let usual = Intervals::default().resampling.resamples;
        let asked = request.resamples.unwrap_or(usual);
        let resamples = asked.max(resamples_for(row_alpha));
        measured.resample(&intervals(request.confidence, resamples));
        let split = |bounds: Bounds| match bounds {
            Ok(ends) => (Some(ends), None),
            Err(why) => (None, Some(why)),
        };
        if let Some(reason) = measured.undefined() {
            let undefined = Some(reason.to_owned());
            for (at, side) in [&mut self.a, &mut self.b].into_iter().enumerate() {
                side.undefined.clone_from(&undefined);
                let of = kind(measured.rate);
                if let Some(lone) = measured.lone(at)
                    && let Ok((value, n)) = lone.value(of)
                {
                    let plain = intervals(request.confidence, asked);
                    let (ci, ci_undefined) = split(lone.interval(of, &plain));
                    *side = SideValue {
                        value: Some(value),
                        n,
                        ci,
                        ci_undefined,
                        undefined: None,
                    };
                }
            }
            self.no_worse_than = self.margin(request, Err(reason.to_owned()));
            self.smallest_detectable_undefined.clone_from(&undefined);
            self.difference.undefined = undefined;
            return;
        }
        let values = measured.values.unwrap_or([f64::NAN; 2]);
        for (at, side) in [&mut self.a, &mut self.b].into_iter().enumerate() {
            let plain = intervals(request.confidence, asked);
            let (ci, ci_undefined) = split(measured.side_interval(at, &plain));
            *side = SideValue {
                value: Some(values[at]),
                n: measured.n_of(at),
                ci,
                ci_undefined,
                undefined: None,
            };
        }
        let (ci, ci_undefined) = split(measured.interval(&intervals(1.0 - row_alpha, resamples)));
        self.difference = Difference {
            value: measured.difference(),
            se: measured.se,
            se_undefined: measured.se.is_none().then(|| measured.why_no_se()),
            design_effect: measured.design_effect,
            ci,
            ci_undefined,
            undefined: None,
        };
        self.p_adjusted = self.p.map(|p| (p * tests as f64).min(1.0));
        let shown = self.p_adjusted.map(|p| p <= alpha);
        let clear = ci.map(|[lo, hi]| lo > 0.0 || hi < 0.0);
        let difference = measured.difference().unwrap_or(0.0);
        let better = match self.direction {
            Direction::Higher => Some(difference > 0.0),
            Direction::Lower => Some(difference < 0.0),
            Direction::None => None,
        };
        (self.verdict, self.borderline) = match (shown, clear, better) {
            (_, _, None) => (Finding::Undefined, false),
            (Some(true), Some(true), Some(true)) => (Finding::Better, false),
            (Some(true), Some(true), Some(false)) => (Finding::Worse, false),
            (Some(one), Some(other), _) => (Finding::NoDifference, one != other),
            // Where all differ by the same there is no interval, and the test decides.
            (Some(true), None, Some(true)) => (Finding::Better, false),
            (Some(true), None, Some(false)) => (Finding::Worse, false),
            (Some(false), None, _) => (Finding::NoDifference, false),
            // Without a test the interval decides.
            (None, Some(true), Some(true)) => (Finding::Better, false),
            (None, Some(true), Some(false)) => (Finding::Worse, false),
            (None, Some(false), _) => (Finding::NoDifference, false),
            // Coefficients have no test; of sides that say the same there is none to make.
            (None, None, _) if measured.se == Some(0.0) && difference == 0.0 => {
                (Finding::NoDifference, false)
            }
            (None, None, _) => (Finding::Undefined, false),
        };
        self.smallest_detectable = measured.se.filter(|se| *se > 0.0).map(|se| {
            let z = quantile(1.0 - row_alpha / 2.0) + quantile(POWER);
            z * se
        });
        if self.smallest_detectable.is_none() {
            let none = self.difference.se_undefined.clone();
            let none =
                none.unwrap_or_else(|| format!("no variation among {} items", self.clusters));
            self.smallest_detectable_undefined = Some(none);
        }
        if let Some(asked) = request.difference.or(request.margin) {
            let needed = match self.smallest_detectable {
                _ if asked <= 0.0 => Err("no number of items shows a difference of 0".to_owned()),
                Some(seen) => whole_items(self.n as f64 * (seen / asked).powi(2))
                    .ok_or_else(|| UNCOUNTED.to_owned()),
                None => Err(self
                    .smallest_detectable_undefined
                    .clone()
                    .unwrap_or_default()),
            };
            (self.items_needed, self.items_needed_undefined) = (needed.clone().ok(), needed.err());
        }
        // A one-sided bound is an end of a two-sided interval of twice the tail.
        let ends = match 2.0 * request.confidence - 1.0 {
            twice if twice > 0.0 => measured.interval(&intervals(twice, resamples)),
            _ => Err("a bound needs a confidence above 0.5".to_owned()),
        };
        self.no_worse_than = self.margin(request, ends);
    }

    fn margin(&self, request: &CompareRequest, ends: Bounds) -> Option<NoWorseThan> {
        let margin = request.margin?;
        // Where all items differ by the same, or none does, there is no interval but that.
        let same = self
            .difference
            .value
            .filter(|_| self.difference.se == Some(0.0));
        let ends = ends.or_else(|why| same.map(|value| [value; 2]).ok_or(why));
        let lower = match (ends, self.direction) {
            (_, Direction::None) => Err("no verdict: neither way is better".to_owned()),
            (Ok([lo, _]), Direction::Higher) => Ok(lo),
            (Ok([_, hi]), Direction::Lower) => Ok(-hi),
            (Err(why), _) => Err(why),
        };
        Some(NoWorseThan {
            margin,
            pass: lower.as_ref().ok().map(|lower| *lower >= -margin),
            lower: lower.as_ref().ok().copied(),
            undefined: lower.err(),
        })
    }
}

impl CompareReport {
    /// Whether what decides is worse, or cannot be told. With a margin: whether it may be
    /// worse by more than that.
    pub fn is_worse(&self) -> bool {
        let mut primary = self.metrics.iter().filter(|row| row.primary);
        primary.any(|row| match &row.no_worse_than {
            Some(found) => found.pass != Some(true),
            None => matches!(row.verdict, Finding::Worse | Finding::Undefined),
        })
    }
}
