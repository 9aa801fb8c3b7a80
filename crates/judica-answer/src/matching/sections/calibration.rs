//! Whether stated confidence is what it says.

use judica_model::chart::{Reliability, ReliabilityBin};
use judica_model::metric::MetricValue;
use judica_model::table::Cell;
use judica_stats::calibration::{Reliability as Bins, brier};
use judica_stats::clusters::Intervals;
use judica_stats::estimate::Kind;
use serde::Serialize;

use super::LeftOut;
use super::kept::{Kept, NOTHING};

/// Bins of the same width between 0 and 1.
const BINS: usize = 10;

/// The section of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Rows with a confidence.
    pub rows: u64,
    /// The mean confidence.
    pub confidence: MetricValue,
    /// The share of them that matches.
    pub matched: MetricValue,
    /// Brier's score: the mean square of how far confidence is from being right.
    pub brier: MetricValue,
    /// The expected calibration error.
    pub ece: MetricValue,
    /// The reliability curve.
    pub curve: Vec<Bin>,
    /// The other rows.
    pub left_out: LeftOut,
}

/// Rows whose confidence lies between two numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Above which their confidence lies; in the first bin, from which on.
    pub above: f64,
    /// Up to which.
    pub up_to: f64,
    /// Their mean confidence; null without rows.
    pub confidence: Option<f64>,
    /// The share of them that matches.
    pub matched: MetricValue,
}

impl Calibration {
    /// The reliability curve as a figure.
    pub fn figure(&self, title: &str) -> Reliability {
        let bins = self.curve.iter().filter_map(|bin| match bin.matched {
            MetricValue::Defined { value, n, ci, .. } => Some(ReliabilityBin {
                between: [bin.above, bin.up_to],
                rows: n,
                confidence: bin.confidence?,
                share: value,
                ci,
            }),
            MetricValue::Undefined { .. } => None,
        });
        let brier = Cell::metric(&self.brier, 4).display();
        let ece = Cell::metric(&self.ece, 4).display();
        Reliability {
            title: title.to_owned(),
            bins: bins.collect(),
            caption: vec![
                format!("Brier score {brier}, expected calibration error {ece}"),
                format!(
                    "{} rows, {} others without a confidence that counts",
                    self.rows, self.left_out.rows
                ),
            ],
        }
    }
}

pub(super) fn of(kept: &Kept, rows: &[u32], intervals: &Intervals) -> Calibration {
    let sure = |row: usize| Some(kept.confidence[row]).filter(|sure| !sure.is_nan());
    let right = |row: usize| f64::from(u8::from(kept.matched(row)));
    let known = |row: &&u32| sure(**row as usize).is_some();
    let rows_used: Vec<u32> = rows.iter().filter(known).copied().collect();
    let mut reliability = Bins::new(BINS);
    let mut bin_of = vec![0_u8; kept.confidence.len()];
    for row in &rows_used {
        let row = *row as usize;
        bin_of[row] = reliability.add(kept.confidence[row], kept.matched(row)) as u8;
    }
    let mean = |kind, of: &dyn Fn(usize) -> f64| {
        kept.mean(kind, &rows_used, intervals, |row| Some(of(row)))
    };
    let edge = |at: usize| at as f64 / BINS as f64;
    let curve = reliability.bins().iter().enumerate();
    Calibration {
        rows: rows_used.len() as u64,
        confidence: mean(Kind::Mean, &|row| kept.confidence[row]),
        matched: mean(Kind::Rate, &right),
        brier: mean(Kind::Mean, &|row| {
            brier(kept.confidence[row], kept.matched(row))
        }),
        ece: match reliability.expected_error() {
            Some(error) => MetricValue::new(error, rows_used.len() as u64)
                .without_ci("biased upwards, by more with fewer rows"),
            None => MetricValue::undefined(NOTHING),
        },
        curve: curve
            .map(|(at, bin)| Bin {
                above: edge(at),
                up_to: edge(at + 1),
                confidence: bin.point().map(|[confidence, _]| confidence),
                matched: kept.mean(Kind::Rate, &rows_used, intervals, |row| {
                    (usize::from(bin_of[row]) == at).then(|| right(row))
                }),
            })
            .collect(),
        left_out: kept.left_out(rows, &kept.confidence_problem),
    }
}
