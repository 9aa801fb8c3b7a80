//! Functions of sums over clusters that are no ratio: F1, Matthews' correlation, R². Several of
//! one set of sums share their resamples.

use std::ops::Range;

use crate::clusters::{Function, Intervals, Jackknife, sums};
use crate::estimate::Estimate;
use crate::resampled::{ResampledSums, Terms};

/// Sums over clusters, and the same over resamples of them.
pub struct Functions<'t> {
    terms: Terms<'t>,
    totals: Vec<f64>,
    resampled: Option<ResampledSums>,
    intervals: &'t Intervals,
}

impl<'t> Functions<'t> {
    /// Adds up what each cluster has, and draws resamples where there is use for them.
    pub fn new(terms: Terms<'t>, intervals: &'t Intervals) -> Self {
        let resamples = intervals.resamples(terms.clusters());
        Functions {
            terms,
            totals: sums(terms),
            resampled: resamples.then(|| intervals.resampling.sums(terms)),
            intervals,
        }
    }

    /// The sums over all clusters.
    pub fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// A function of some of the sums, over `n` records; `None` where it has no value.
    pub fn of(&self, columns: Range<usize>, n: u64, function: Function) -> Option<Estimate> {
        let value = function(&self.totals[columns.clone()]);
        if !value.is_finite() {
            return None;
        }
        let narrow: Vec<f64>;
        let terms = if columns.len() == self.terms.width() {
            self.terms
        } else {
            let rows = self.terms.rows().flat_map(|row| &row[columns.clone()]);
            narrow = rows.copied().collect();
            Terms::flat(&narrow, columns.len())
        };
        let jackknife = Jackknife::new(terms, function);
        let of_all = |sums: &[f64]| function(&sums[columns.clone()]);
        let ci = jackknife.and_then(|jackknife| {
            let resampled = self.resampled.as_ref();
            self.intervals.read(&jackknife, resampled, &of_all)
        });
        Some(Estimate {
            value,
            n,
            clusters: self.terms.clusters() as u64,
            se: jackknife.ok().map(|found| found.se),
            design_effect: None,
            ci,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::ratio;

    #[test]
    fn a_ratio_is_what_it_is_elsewhere() {
        let rows: Vec<[f64; 3]> = (0..80)
            .map(|i| [9.0, f64::from(i * i % 7), f64::from(1 + i % 3)])
            .collect();
        let narrow: Vec<[f64; 2]> = rows.iter().map(|row| [row[1], row[2]]).collect();
        let intervals = Intervals::default();
        let functions = Functions::new(Terms::new(&rows), &intervals);
        let found = functions.of(1..3, 80, &ratio).unwrap();
        let expected = intervals.of(Terms::new(&narrow), &ratio).unwrap();
        assert_eq!(found.ci, Ok(expected));
        assert!(functions.of(0..2, 80, &|_| f64::NAN).is_none());
    }
}
