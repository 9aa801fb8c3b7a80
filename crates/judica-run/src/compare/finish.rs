//! What the numbers of a comparison come to, once it is known how many there are.

use judica_model::run::{Direction, within};
use judica_stats::clusters::Intervals;
use judica_stats::resampled::Resampling;

use super::CompareRequest;
use super::apart::kind;
use super::difference::{Bounds, Measured, quantile};
use super::reach::{Level, UNCOUNTED, items_needed};
use super::report::{
    CompareReport, Difference, Finding, Items, MetricRow, NoWorseThan, SCHEMA_VERSION, SideInfo,
    SideValue,
};

/// However many rows are corrected for, no more resamples than this are made unasked.
const MOST_RESAMPLES: f64 = 10_000.0;
/// How often a difference that is there is to be seen.
const POWER: f64 = 0.8;

/// Judges the rows, now that it is known how many there are.
pub fn finish(
    request: &CompareRequest,
    sides: Vec<SideInfo>,
    rows: Vec<(MetricRow, Measured)>,
    items: Vec<Items>,
    mut notes: Vec<String>,
) -> CompareReport {
    // Rows that decide are corrected among themselves, whatever decides; others for their tests.
    let family = |count: usize| if request.each_alone { 1 } else { count.max(1) };
    let primary = family(rows.iter().filter(|(row, _)| row.primary).count());
    let others = rows.iter().filter(|(row, _)| !row.is_primary());
    let others = family(others.filter(|(row, _)| row.p.is_some()).count());
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
            let tests = if row.is_primary() { primary } else { others };
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
    /// Whether it is what decides, if under another name: one quantity has one verdict.
    fn is_primary(&self) -> bool {
        self.primary || self.repeats_primary
    }

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
        let range = self.range;
        let of_side = |bounds: Bounds| split(bounds.map(|ends| within(range, ends)));
        self.asked = request.difference.or(request.margin);
        if let Some(reason) = measured.undefined() {
            let undefined = Some(reason.to_owned());
            for (at, side) in [&mut self.a, &mut self.b].into_iter().enumerate() {
                side.undefined.clone_from(&undefined);
                let of = kind(measured.rate);
                if let Some(lone) = measured.lone(at)
                    && let Ok((value, n)) = lone.value(of)
                {
                    let plain = intervals(request.confidence, asked);
                    let (ci, ci_undefined) = of_side(lone.interval(of, &plain));
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
            self.items_needed_undefined = self.asked.and_then(|_| undefined.clone());
            self.difference.undefined = undefined;
            return;
        }
        let values = measured.values.unwrap_or([f64::NAN; 2]);
        for (at, side) in [&mut self.a, &mut self.b].into_iter().enumerate() {
            let plain = intervals(request.confidence, asked);
            let (ci, ci_undefined) = of_side(measured.side_interval(at, &plain));
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
        let level = Level { alpha, rows: tests };
        (self.p, self.test) = measured.test_at(level);
        self.p_adjusted = self.p.map(|p| level.corrected(p));
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
        let seen = measured.se.filter(|se| *se > 0.0).map(|se| {
            let z = quantile(1.0 - row_alpha / 2.0) + quantile(POWER);
            z * se
        });
        let seen = seen.ok_or_else(|| {
            let none = self.difference.se_undefined.clone();
            none.unwrap_or_else(|| format!("no variation among {} items", self.clusters))
        });
        self.needed = measured.needed(level);
        if let Some(asked) = self.asked {
            let needed = match seen.clone() {
                _ if asked <= 0.0 => Err("no number of items shows a difference of 0".to_owned()),
                Ok(seen) => items_needed(self.n as f64 * (seen / asked).powi(2), 0.0)
                    .ok_or_else(|| UNCOUNTED.to_owned()),
                Err(why) => Err(why),
            };
            (self.items_needed, self.items_needed_undefined) = (needed.clone().ok(), needed.err());
        }
        self.out_of_reach = measured.out_of_reach(level);
        self.note = self.note.take().or(self.out_of_reach.clone());
        (self.smallest_detectable, self.smallest_detectable_undefined) =
            (seen.clone().ok(), seen.err());
        // A one-sided bound is an end of a two-sided interval of twice the tail.
        let ends = match 2.0 * request.confidence - 1.0 {
            twice if twice > 0.0 => measured.interval(&intervals(twice, resamples)),
            _ => Err("a bound needs a confidence above 0.5".to_owned()),
        };
        self.no_worse_than = self.margin(request, ends);
    }

    fn margin(&self, request: &CompareRequest, ends: Bounds) -> Option<NoWorseThan> {
        let margin = request.margin?;
        // Where no item differs there is no interval, and nothing was lost. Where all differ by
        // the same, nobody knows what others would do.
        let alike = self.difference.se == Some(0.0) && self.difference.value == Some(0.0);
        let ends = ends.or_else(|why| if alike { Ok([0.0; 2]) } else { Err(why) });
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
