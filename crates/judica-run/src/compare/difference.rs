//! One metric over pairs of records: both values, the difference, its interval and its test.

use judica_model::run::{MetricKind, MetricSpec};
use judica_stats::clusters::{
    Intervals, Jackknife, NoInterval, difference, difference_se, flips, ratio, sums,
};
use judica_stats::estimate::clustered_rate;
use judica_stats::interval::{Interval, wilson_score};
use judica_stats::mcnemar::mcnemar;
use judica_stats::normal::normal_cdf;
use judica_stats::normal_quantile;
use judica_stats::permutation::{ENUMERATED_UP_TO, paired_permutation};
use judica_stats::resampled::{ResampledSums, Terms};
use judica_stats::tango::tango_interval;

use super::apart::{Alone, Apart};
use super::coefficients::{Both, Of};
use super::reach::{FLIPPED_UP_TO, FLIPS, Level, Test};

/// What flips are drawn from. It is fixed: a p-value is no place to try one's luck.
const SEED: u64 = 20_250_119;
/// The normal limit of the test that flips clusters.
const NORMAL_LIMIT: &str = "cluster flip, normal";

/// Why a coefficient has no standard error.
pub const RESAMPLED: &str = "a coefficient is resampled, and has an interval alone";

/// Sums of a metric by cluster.
pub struct Clusters {
    /// Above and below of the first side, then of the second.
    pub sums: Vec<[f64; 4]>,
    /// Pairs of records.
    pub n: u64,
    /// Whether every cluster is one pair.
    pub single: bool,
    /// Whether every term of a side is 0 or 1 of 1,
    plain: [bool; 2],
    /// and of both.
    pub binary: bool,
    /// The values of the first pair, from which `products` are taken.
    pub first: [f64; 2],
    /// Products of every two terms, added up over pairs: where values are large against how they
    /// differ, their own would leave nothing of that.
    pub products: [[f64; 4]; 4],
}

impl Clusters {
    /// Adds up the terms of pairs, each with the number of its cluster. A pair where the metric
    /// does not apply to one side is no pair.
    pub fn of(
        clusters: usize,
        pairs: impl Iterator<Item = (usize, [f64; 2], [f64; 2])>,
    ) -> Clusters {
        let mut sums = vec![[0.0; 4]; clusters];
        let mut counts = vec![0u32; clusters];
        let mut plain = [true; 2];
        let mut n = 0;
        let mut products = [[0.0; 4]; 4];
        let mut first = None;
        for (at, [above_a, below_a], [above_b, below_b]) in pairs {
            if below_a == 0.0 || below_b == 0.0 {
                continue;
            }
            n += 1;
            counts[at] += 1;
            let terms = [above_a, below_a, above_b, below_b];
            for (sum, value) in sums[at].iter_mut().zip(terms) {
                *sum += value;
            }
            let [of_a, of_b] = *first.get_or_insert([above_a / below_a, above_b / below_b]);
            let apart = [
                above_a - of_a * below_a,
                below_a,
                above_b - of_b * below_b,
                below_b,
            ];
            for (row, one) in products.iter_mut().zip(apart) {
                for (product, other) in row.iter_mut().zip(apart) {
                    *product += one * other;
                }
            }
            let is_plain = |above: f64, below: f64| below == 1.0 && (above == 0.0 || above == 1.0);
            plain[0] &= is_plain(above_a, below_a);
            plain[1] &= is_plain(above_b, below_b);
        }
        let single = counts.iter().all(|count| *count <= 1);
        let mut counts = counts.iter();
        sums.retain(|_| counts.next().is_some_and(|count| *count > 0));
        Clusters {
            sums,
            n,
            single,
            plain,
            binary: plain == [true; 2],
            first: first.unwrap_or_default(),
            products,
        }
    }

    /// The variance of the difference if each pair were a cluster of its own.
    fn variance_alone(&self, totals: &[f64]) -> Option<f64> {
        let [below_a, below_b] = [totals[1], totals[3]];
        let weights = [
            -1.0 / below_a,
            (ratio(totals) - self.first[0]) / below_a,
            1.0 / below_b,
            -(ratio(&totals[2..]) - self.first[1]) / below_b,
        ];
        let mut squares = 0.0;
        for (row, first) in self.products.iter().zip(weights) {
            for (product, second) in row.iter().zip(weights) {
                squares += first * second * product;
            }
        }
        let n = self.n as f64;
        Some(n / (n - 1.0) * squares).filter(|variance| *variance > 0.0)
    }
}

/// What is known of a metric over pairs, before anyone has said how sure to be.
pub struct Measured {
    /// Pairs of records.
    pub n: u64,
    /// Clusters of them.
    pub clusters: usize,
    /// Its values on both sides.
    pub values: Option<[f64; 2]>,
    /// The standard error of the difference.
    pub se: Option<f64>,
    /// How many times larger the variance is for clusters of several pairs.
    pub design_effect: Option<f64>,
    /// The p-value, and of which test.
    pub p: Option<f64>,
    /// Which test.
    pub test: Option<&'static str>,
    /// What that can show, and how many clusters differ.
    tested: Option<(Test, u64)>,
    /// Where the p-value is drawn, that of the normal limit.
    limit: Option<f64>,
    /// What a reader should know.
    pub note: Option<String>,
    /// Whether it is a share.
    pub rate: bool,
    /// Which sides have the interval of a share, and whether that is one of single items that
    /// are right or wrong.
    shares: [Option<bool>; 2],
    form: Form,
    lone: [Option<Alone>; 2],
}

/// What an interval is made of.
enum Form {
    /// There is none, and why.
    None(String),
    /// Single items that are right or wrong.
    Binary { only: [u64; 2] },
    /// Anything else: both sides and the difference.
    Clustered {
        sides: [Result<Jackknife, NoInterval>; 2],
        difference: Result<Jackknife, NoInterval>,
        sums: Vec<[f64; 4]>,
        resampled: Option<ResampledSums>,
    },
    /// A coefficient, which is estimated anew.
    Coefficient(Box<Both>),
    /// No pairs; what the value of each side rests on.
    Apart { apart: Apart, n: [u64; 2] },
}

/// An interval, or why there is none.
pub type Bounds = Result<[f64; 2], String>;

impl Measured {
    /// Nothing, and why.
    pub fn nothing(why: impl Into<String>) -> Self {
        Measured {
            n: 0,
            clusters: 0,
            values: None,
            se: None,
            design_effect: None,
            p: None,
            test: None,
            tested: None,
            limit: None,
            note: None,
            rate: false,
            shares: [None; 2],
            form: Form::None(why.into()),
            lone: [None, None],
        }
    }

    /// The same where one of the sides has a value for all that.
    pub fn one_sided(why: String, rate: bool, lone: [Option<Alone>; 2]) -> Self {
        Measured {
            rate,
            lone,
            ..Measured::nothing(why)
        }
    }

    /// The side that has a value where the other has none.
    pub fn lone(&self, side: usize) -> Option<&Alone> {
        self.lone[side].as_ref()
    }

    /// A metric of two sides that are not paired; `n` and clusters are those of both.
    pub fn apart(apart: Apart) -> Self {
        let ((a, n), (b, m)) = match (apart.value(0), apart.value(1)) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(why), _) | (_, Err(why)) => return Measured::nothing(why),
        };
        let spread = apart.spread();
        Measured {
            n: n + m,
            clusters: spread.map_or(n + m, |(clusters, _)| clusters) as usize,
            values: Some([a, b]),
            se: spread.and_then(|(_, se)| se),
            form: Form::Apart { apart, n: [n, m] },
            ..Measured::nothing("")
        }
    }

    /// How many records the value of a side rests on.
    pub fn n_of(&self, side: usize) -> u64 {
        match &self.form {
            Form::Apart { n, .. } => n[side],
            Form::Coefficient(both) => both.items_of(side),
            _ => self.n,
        }
    }

    /// Measures a metric.
    pub fn of(spec: &MetricSpec, clusters: Clusters) -> Self {
        let rate = spec.kind == MetricKind::Rate;
        Self::of_sides(rate, [rate; 2], clusters)
    }

    /// How often two raters agree: a rate, whose interval decides as that of a coefficient.
    pub fn agreement(clusters: Clusters) -> Self {
        Measured {
            p: None,
            test: None,
            tested: None,
            limit: None,
            ..Self::of_sides(true, [true; 2], clusters)
        }
    }

    /// The same where it may be a share on one side only: each side has the interval that it
    /// has by itself.
    pub fn of_sides(rate: bool, rates: [bool; 2], clusters: Clusters) -> Self {
        let share = |at: usize| rates[at].then_some(clusters.single && clusters.plain[at]);
        let mut measured = Measured {
            n: clusters.n,
            clusters: clusters.sums.len(),
            rate,
            shares: [share(0), share(1)],
            ..Measured::nothing("no pair of records has a value on both sides")
        };
        if clusters.n == 0 {
            return measured;
        }
        let terms = Terms::new(&clusters.sums);
        let totals = sums(terms);
        let values = [ratio(&totals), ratio(&totals[2..])];
        if !values.iter().all(|value| value.is_finite()) {
            return Measured::nothing("its values are too large to be added up");
        }
        measured.values = Some(values);
        measured.se = difference_se(terms);
        measured.design_effect = measured
            .se
            // What is left of an error that is nothing but rounding tells no effect.
            .filter(|se| !clusters.single && *se > 0.0)
            .and_then(|se| Some(se * se / clusters.variance_alone(&totals)?));
        if rate && clusters.single && clusters.binary {
            measured.binary(&clusters.sums);
        } else {
            measured.clustered(clusters.sums);
        }
        measured
    }

    /// A coefficient over items that both sides have labelled.
    pub fn coefficient(pairs: usize, both: Result<Both, String>) -> Self {
        let both = match both {
            Ok(both) if pairs > 0 => both,
            Ok(_) => return Measured::nothing("no item has labels on both sides"),
            Err(why) => return Measured::nothing(why),
        };
        let mut measured = Measured {
            n: both.items(),
            clusters: both.drawn() as usize,
            ..Measured::nothing("")
        };
        match (both.value(Of::Side(0)), both.value(Of::Side(1))) {
            (Ok(a), Ok(b)) => {
                measured.values = Some([a, b]);
                measured.se = both.are_alike().then_some(0.0);
                measured.form = Form::Coefficient(Box::new(both));
            }
            (Err(why), _) | (_, Err(why)) => measured.form = Form::None(why.to_string()),
        }
        measured
    }

    fn binary(&mut self, sums: &[[f64; 4]]) {
        let count = |of: fn(&[f64; 4]) -> bool| sums.iter().filter(|sums| of(sums)).count() as u64;
        let only = [
            count(|s| s[0] == 1.0 && s[2] == 0.0),
            count(|s| s[0] == 0.0 && s[2] == 1.0),
        ];
        self.p = Some(mcnemar(only[0], only[1]).map_or(1.0, |test| test.p_mid));
        self.test = Some("mcnemar mid-p");
        self.tested = Some((Test::McNemar, only[0] + only[1]));
        self.form = Form::Binary { only };
    }

    fn clustered(&mut self, sums: Vec<[f64; 4]>) {
        let terms = Terms::new(&sums);
        let side = |at: usize| Jackknife::new(terms, &move |sums| ratio(&sums[at..]));
        let sides = [side(0), side(2)];
        let differences = flips(&sums);
        let nonzero = differences.iter().filter(|d| **d != 0.0).count();
        self.flip(&differences, nonzero);
        let difference = Jackknife::new(terms, &difference);
        let size = self.values.map_or(0.0, |[a, b]| a.abs().max(b.abs()));
        let difference = difference.map(|of_both| of_both.made_of(size));
        if difference.is_ok_and(|of_both| of_both.se == 0.0) {
            self.se = Some(0.0);
            self.design_effect = None;
        }
        self.form = Form::Clustered {
            sides,
            difference,
            sums,
            resampled: None,
        };
    }

    /// The test that flips clusters of which so many differ.
    fn flip(&mut self, differences: &[f64], nonzero: usize) {
        self.test = Some("cluster flip");
        self.tested = Some((Test::Flips, nonzero as u64));
        let limit = || {
            let total: f64 = judica_stats::exact_sum(differences);
            let squares: Vec<f64> = differences.iter().map(|d| d * d).collect();
            let z = total.abs() / judica_stats::exact_sum(&squares).sqrt();
            Some((2.0 * normal_cdf(-z)).min(1.0))
        };
        if nonzero == 0 {
            self.p = Some(1.0);
        } else if nonzero > FLIPPED_UP_TO {
            self.test = Some(NORMAL_LIMIT);
            self.p = limit();
        } else if let Some(found) = paired_permutation(differences, FLIPS, SEED) {
            self.p = Some(found.p_value);
            if !found.exact {
                self.limit = limit();
            } else if nonzero > ENUMERATED_UP_TO {
                self.tested = Some((Test::Signs, nonzero as u64));
            }
        }
    }

    /// The p-value and its test, of which so much is asked: no draw is below any level.
    pub fn test_at(&mut self, level: Level) -> (Option<f64>, Option<&'static str>) {
        if let Some(limit) = self.limit.filter(|_| !level.is_drawn()) {
            (self.p, self.test) = (Some(limit), Some(NORMAL_LIMIT));
        }
        (self.p, self.test)
    }

    /// Why the test cannot show anything, if it cannot.
    pub fn out_of_reach(&self, level: Level) -> Option<String> {
        let (test, differ) = self.tested?;
        test.out_of_reach(differ, level)
    }

    /// How many clusters the test needs to show anything.
    pub fn needed(&self, level: Level) -> u64 {
        self.tested.map_or(0, |(test, _)| test.needed(0, level))
    }

    /// Draws all resamples that intervals will be read from, where they are.
    pub fn resample(&mut self, intervals: &Intervals) {
        if let Form::Clustered {
            sums, resampled, ..
        } = &mut self.form
        {
            let wanted = intervals.resamples(sums.len());
            *resampled = wanted.then(|| intervals.resampling.sums(Terms::new(sums)));
        }
    }

    /// Why there is no standard error, where there is none.
    pub fn why_no_se(&self) -> String {
        let why = match &self.form {
            Form::None(reason) => reason,
            Form::Coefficient(_) => RESAMPLED,
            Form::Apart { apart, .. } => match &apart.sides {
                [Alone::Labelled(_), Alone::Labelled(_)] => RESAMPLED,
                [Alone::Summed(_), Alone::Summed(_)] => "one cluster on a side has none",
                _ => "it cannot be told from what is known of both sides",
            },
            Form::Binary { .. } | Form::Clustered { .. } => "one cluster has no standard error",
        };
        why.to_owned()
    }

    /// The difference.
    pub fn difference(&self) -> Option<f64> {
        self.values.map(|[a, b]| b - a)
    }

    /// Why there is no value.
    pub fn undefined(&self) -> Option<&str> {
        match &self.form {
            Form::None(reason) => Some(reason),
            _ => None,
        }
    }

    /// The interval of one side's value.
    pub fn side_interval(&self, side: usize, intervals: &Intervals) -> Bounds {
        match &self.form {
            Form::None(reason) => Err(reason.clone()),
            _ if self.shares[side] == Some(true) => {
                let z = quantile((1.0 + intervals.confidence) / 2.0);
                let share = self.values.map_or(f64::NAN, |values| values[side]);
                Ok(wilson_score(share, self.n as f64, z))
            }
            // Single items that are right or wrong are nothing but shares.
            Form::Binary { .. } => Err("no items".to_owned()),
            Form::Clustered {
                sides, resampled, ..
            } => {
                let jackknife = sides[side].as_ref().map_err(ToString::to_string)?;
                if self.shares[side].is_some() && (0.0..=1.0).contains(&jackknife.value) {
                    let found = clustered_rate(jackknife, self.n, intervals.confidence);
                    return Ok(found.ends());
                }
                let of_side = move |sums: &[f64]| ratio(&sums[2 * side..]);
                read(intervals.read(jackknife, resampled.as_ref(), &of_side))
            }
            Form::Coefficient(both) => both.interval(Of::Side(side), intervals),
            Form::Apart { apart, .. } => apart.side(side, intervals),
        }
    }

    /// The interval of the difference.
    pub fn interval(&self, intervals: &Intervals) -> Bounds {
        match &self.form {
            Form::None(reason) => Err(reason.clone()),
            Form::Binary { only } => tango(only[1], only[0], self.n, intervals.confidence),
            Form::Clustered {
                difference: of_both,
                resampled,
                ..
            } => match of_both {
                // Sides that never differ; those that differ by the same everywhere do not vary
                // either, and have no interval.
                Ok(jackknife) if jackknife.se == 0.0 && jackknife.value == 0.0 && self.rate => {
                    tango(0, 0, self.clusters as u64, intervals.confidence)
                }
                Ok(jackknife) => read(intervals.read(jackknife, resampled.as_ref(), &difference)),
                Err(why) => Err(why.to_string()),
            },
            Form::Coefficient(both) => both.interval(Of::Difference, intervals),
            Form::Apart { apart, .. } => apart.interval(intervals),
        }
    }
}

fn read(found: Result<Interval, NoInterval>) -> Bounds {
    found.map(Interval::ends).map_err(|why| why.to_string())
}

fn tango(only_b: u64, only_a: u64, n: u64, confidence: f64) -> Bounds {
    let found = tango_interval(only_b, only_a, n, confidence);
    found
        .map(Interval::ends)
        .ok_or_else(|| "no items".to_owned())
}

/// A quantile of the normal distribution at a level that was checked.
pub fn quantile(p: f64) -> f64 {
    normal_quantile(p).unwrap_or(f64::NAN)
}
