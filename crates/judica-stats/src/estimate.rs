//! The one surface: a value over records that have a key, terms and a cluster, with its n,
//! its standard error and its interval, or the reason why there is none.
//!
//! A value is Σ above / Σ below. Records of one cluster stand or fall together; clusters
//! without anything below the line do not count.

use crate::clusters::{Intervals, Jackknife, NoInterval, ratio, ratio_se};
use crate::exact_sum::ExactSum;
use crate::interval::{Interval, wilson_score};
use crate::normal::normal_quantile;
use crate::resampled::Terms;
use crate::student::t_quantile;

/// What a value is, as far as its interval goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A share, between 0 and 1.
    Rate,
    /// Any other mean or ratio.
    Mean,
}

/// A value and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Records with something below the line.
    pub n: u64,
    /// Clusters of them.
    pub clusters: u64,
    /// The standard error, robust to clusters; `None` with one of them.
    pub se: Option<f64>,
    /// How many times larger the variance is than if every record were a cluster of its own;
    /// `None` where each is.
    pub design_effect: Option<f64>,
    /// The interval.
    pub ci: Result<Interval, NoInterval>,
}

/// Terms of records, added up by cluster.
#[derive(Clone, Debug, Default)]
pub struct Clustered {
    /// Above and below the line of each cluster.
    rows: Vec<[f64; 2]>,
    /// The cluster of the last record.
    last: Option<u32>,
    n: u64,
    /// Above and below the line of each record; nothing as long as each is a cluster of its own.
    records: Vec<[f64; 2]>,
    /// Whether a record had anything but 0 or 1 of 1.
    weighted: bool,
}

impl Clustered {
    /// Adds the next record. Records come in the order of their clusters, and those in the
    /// byte order of their keys.
    pub fn add(&mut self, cluster: u32, terms: [f64; 2]) {
        self.add_of(cluster, terms, 1);
    }

    /// The same of a record that several others were put together to: so many count.
    pub fn add_of(&mut self, cluster: u32, [above, below]: [f64; 2], records: u64) {
        if below == 0.0 {
            return;
        }
        let opens = self.last != Some(cluster);
        if !opens && self.records.is_empty() {
            self.records.clone_from(&self.rows);
        }
        if !opens || !self.records.is_empty() {
            self.records.push([above, below]);
        }
        if opens {
            self.last = Some(cluster);
            self.rows.push([0.0; 2]);
        }
        let last = self.rows.len() - 1;
        let row = &mut self.rows[last];
        row[0] += above;
        row[1] += below;
        self.n += records;
        self.weighted |= below != 1.0 || !(above == 0.0 || above == 1.0);
    }

    /// Of items, each with its cluster and whether something is true of it, in any order.
    pub fn of_shares(items: impl Iterator<Item = (u32, bool)>) -> Self {
        let mut items: Vec<(u32, bool)> = items.collect();
        items.sort_unstable();
        let mut clustered = Clustered::default();
        for (cluster, is) in items {
            clustered.add(cluster, [f64::from(u8::from(is)), 1.0]);
        }
        clustered
    }

    /// Whether no record counts.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The value with its interval; `None` without a record that counts.
    pub fn estimate(self, kind: Kind, intervals: &Intervals) -> Option<Estimate> {
        estimates(vec![self], kind, intervals).pop().flatten()
    }

    /// All but an interval that has to be resampled, and what that is made of.
    fn begin(
        &mut self,
        kind: Kind,
        intervals: &Intervals,
    ) -> Option<(Estimate, Option<Jackknife>)> {
        self.rows.retain(|row| row[1] != 0.0);
        let terms = Terms::new(&self.rows);
        let sums = crate::clusters::sums(terms);
        let value = ratio(&sums);
        if !value.is_finite() {
            return None;
        }
        let clusters = self.rows.len() as u64;
        let single = clusters == self.n;
        if kind == Kind::Rate && single && !self.weighted {
            let found = plain_rate(sums[0] as u64, self.n, intervals.confidence);
            return found.map(|found| (found, None));
        }
        let jackknife = Jackknife::new(terms, &ratio);
        // What does not vary but for rounding has no error either.
        let alike = jackknife.is_ok_and(|jackknife| jackknife.se == 0.0);
        let se = ratio_se(terms).map(|se| if alike { 0.0 } else { se });
        let mut waits = None;
        let ci = jackknife.and_then(|jackknife| match kind {
            Kind::Rate if (0.0..=1.0).contains(&value) => {
                Ok(clustered_rate(&jackknife, self.n, intervals.confidence))
            }
            _ => {
                waits = intervals.resamples(jackknife.clusters).then_some(jackknife);
                intervals.read(&jackknife, None, &ratio)
            }
        });
        let estimate = Estimate {
            value,
            n: self.n,
            clusters,
            se,
            design_effect: se.filter(|_| !single).and_then(|se| {
                let alone = self.variance_alone(value, sums[1])?;
                Some(se * se / alone).filter(|effect| effect.is_finite())
            }),
            ci,
        };
        Some((estimate, waits.filter(|_| ci.is_ok())))
    }

    /// The variance of the value if each record were a cluster of its own. The sum is exact, so
    /// that it does not depend on the order of clusters.
    fn variance_alone(&self, value: f64, below: f64) -> Option<f64> {
        let records = match self.records.as_slice() {
            [] => &self.rows,
            records => records,
        };
        let mut squares = ExactSum::new();
        for [above, part] in records {
            let off = above - value * part;
            squares.add(off * off);
        }
        let (n, squares) = (self.n as f64, squares.value());
        (squares > 0.0).then(|| n / (n - 1.0) * squares / (below * below))
    }
}

/// Values that are resampled side by side: so many columns of two terms fit the cache.
const SIDE_BY_SIDE: usize = 64;

/// Many values with their intervals. Draws depend on the number of clusters alone, so values
/// over equally many share theirs.
pub fn estimates(
    mut all: Vec<Clustered>,
    kind: Kind,
    intervals: &Intervals,
) -> Vec<Option<Estimate>> {
    let begun: Vec<_> = all
        .iter_mut()
        .map(|clustered| clustered.begin(kind, intervals))
        .collect();
    let mut found: Vec<Option<Estimate>> = begun.iter().map(|one| one.map(|(e, _)| e)).collect();
    let mut waiting: Vec<(usize, Jackknife)> = begun
        .iter()
        .enumerate()
        .filter_map(|(at, one)| Some((at, one.as_ref()?.1?)))
        .collect();
    waiting.sort_by_key(|(_, jackknife)| jackknife.clusters);
    let alike = waiting.chunk_by(|(_, a), (_, b)| a.clusters == b.clusters);
    for group in alike.flat_map(|alike| alike.chunks(SIDE_BY_SIDE)) {
        let clusters = group[0].1.clusters;
        let mut flat = Vec::with_capacity(clusters * group.len() * 2);
        for row in 0..clusters {
            for (at, _) in group {
                flat.extend_from_slice(&all[*at].rows[row]);
            }
        }
        let sums = intervals
            .resampling
            .sums(Terms::flat(&flat, 2 * group.len()));
        for (column, (at, jackknife)) in group.iter().enumerate() {
            let of = move |sums: &[f64]| ratio(&sums[2 * column..]);
            if let Some(estimate) = &mut found[*at] {
                estimate.ci = intervals.read(jackknife, Some(&sums), &of);
            }
        }
    }
    found
}

/// A share of single items, each right or wrong; `None` without any.
pub fn plain_rate(hits: u64, n: u64, confidence: f64) -> Option<Estimate> {
    if n == 0 || hits > n {
        return None;
    }
    let value = hits as f64 / n as f64;
    let z = normal_quantile((1.0 + confidence) / 2.0).unwrap_or(f64::NAN);
    let alone = n as f64 - 1.0;
    Some(Estimate {
        value,
        n,
        clusters: n,
        se: (n > 1).then(|| (value * (1.0 - value) / alone).sqrt()),
        design_effect: None,
        ci: Ok(ends(wilson_score(value, n as f64, z))),
    })
}

/// Wilson's interval for a share over clusters: as many items as would give the same
/// standard error, and the quantile of Student's t. Where clusters do not vary, each is one
/// item.
pub fn clustered_rate(jackknife: &Jackknife, n: u64, confidence: f64) -> Interval {
    let Jackknife { value, se, .. } = *jackknife;
    let (n, clusters) = (n as f64, jackknife.clusters as f64);
    let tail = (1.0 + confidence) / 2.0;
    if se == 0.0 {
        let z = normal_quantile(tail).unwrap_or(f64::NAN);
        return ends(wilson_score(value, clusters, z));
    }
    let t = t_quantile(tail, clusters - 1.0).unwrap_or(f64::NAN);
    let effective = n.min(n * (value * (1.0 - value) / (n - 1.0)) / (se * se));
    ends(wilson_score(value, effective, t))
}

fn ends([lo, hi]: [f64; 2]) -> Interval {
    Interval { lo, hi }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resampled::Resampling;
    use crate::wilson_interval;

    const INTERVALS: Intervals = Intervals {
        confidence: 0.95,
        resampling: Resampling {
            resamples: 1000,
            seed: 1,
            threads: 1,
        },
    };

    fn of(kind: Kind, records: &[(u32, f64, f64)]) -> Option<Estimate> {
        let mut clustered = Clustered::default();
        for (cluster, above, below) in records {
            clustered.add(*cluster, [*above, *below]);
        }
        clustered.estimate(kind, &INTERVALS)
    }

    #[test]
    fn single_items_are_wilsons_and_perfection_is_not_certain() {
        let records: Vec<_> = (0..10)
            .map(|i| (i, f64::from(u8::from(i < 8)), 1.0))
            .collect();
        let found = of(Kind::Rate, &records).unwrap();
        assert_eq!(found.ci.unwrap(), wilson_interval(8, 10, 0.95).unwrap());
        assert_eq!(
            (found.n, found.clusters, found.design_effect),
            (10, 10, None)
        );
        assert!((found.se.unwrap() - (0.8 * 0.2 / 9.0_f64).sqrt()).abs() < 1e-15);
        let three = of(Kind::Rate, &[(0, 1.0, 1.0), (1, 1.0, 1.0), (2, 1.0, 1.0)]).unwrap();
        assert!(three.ci.unwrap().lo < 0.44, "{three:?}");
        // Three clusters of two, all right: three items.
        let six: Vec<_> = (0..6).map(|i| (i / 2, 1.0, 1.0)).collect();
        assert_eq!(of(Kind::Rate, &six).unwrap().ci, three.ci);
    }

    /// Against statsmodels: `WLS(a / b, 1, weights=b).fit(cov_type="cluster", …)` of five
    /// clusters of two, `use_correction` with G/(G−1) only.
    #[test]
    fn clusters_widen_what_they_share() {
        let right = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        let records: Vec<_> = (0..10).map(|i| (i / 2, right[i as usize], 1.0)).collect();
        let found = of(Kind::Rate, &records).unwrap();
        // Clusters differ by 0.8 or −1.2 from 2 · 0.6: 5/4 · (3 · 0.64 + 2 · 1.44) / 100.
        assert!((found.se.unwrap() - 0.06_f64.sqrt()).abs() < 1e-15);
        // Alone: 10/9 · 10 · 0.24 / 100.
        assert!((found.design_effect.unwrap() - 0.06 / (0.24 / 9.0)).abs() < 1e-12);
        let ci = found.ci.unwrap();
        let plain = wilson_interval(6, 10, 0.95).unwrap();
        assert!(ci.lo < plain.lo && plain.hi < ci.hi, "{ci:?}");
    }

    #[test]
    fn large_values_vary_as_small_ones_do() {
        let effect = |offset: f64| {
            let records: Vec<_> = (0..40)
                .map(|i| (i / 4, offset + f64::from(i * i % 7 + i / 4), 1.0))
                .collect();
            of(Kind::Mean, &records).and_then(|found| found.design_effect)
        };
        let small = effect(0.0).unwrap();
        for offset in [1e5, 1e7, 1e9] {
            let large = effect(offset).unwrap();
            assert!(
                (large / small - 1.0).abs() < 1e-6,
                "{offset}: {large}, {small}"
            );
        }
    }

    #[test]
    fn the_order_of_clusters_tells_nothing() {
        let rates = [
            &[0.0, 1.0][..],
            &[1.0],
            &[0.0],
            &[1.0],
            &[0.0],
            &[0.0],
            &[1.0],
            &[1.0],
        ];
        let means = [&[0.0, 0.5, 0.5][..], &[0.0, 1.0], &[0.0, 0.5]];
        for (kind, clusters) in [(Kind::Rate, &rates[..]), (Kind::Mean, &means[..])] {
            let effects = (0..clusters.len()).map(|first| {
                let records = (0..).zip(clusters[first..].iter().chain(&clusters[..first]));
                let records =
                    records.flat_map(|(at, values)| values.iter().map(move |x| (at, *x, 1.0)));
                let records: Vec<_> = records.collect();
                of(kind, &records).and_then(|found| found.design_effect)
            });
            let mut effects: Vec<_> = effects.map(Option::unwrap).collect();
            effects.dedup();
            assert_eq!(effects.len(), 1, "{effects:?}");
        }
    }

    #[test]
    fn side_by_side_is_as_alone() {
        let of = |number: u32| {
            let mut clustered = Clustered::default();
            // Some over 60 clusters, some over 70, some over too few.
            for cluster in 0..[60, 70, 9][number as usize % 3] {
                let value = f64::from((cluster * 7 + cluster * cluster * number) % 11);
                clustered.add(cluster, [value, 1.0]);
            }
            clustered
        };
        let together = estimates((0..50).map(of).collect(), Kind::Mean, &INTERVALS);
        for (number, found) in (0..).zip(together) {
            assert_eq!(found, of(number).estimate(Kind::Mean, &INTERVALS));
            assert!(found.is_some_and(|found| found.ci.is_ok()));
        }
    }

    #[test]
    fn what_does_not_apply_does_not_count() {
        assert_eq!(of(Kind::Mean, &[]), None);
        assert_eq!(of(Kind::Mean, &[(0, 1.0, 0.0)]), None);
        let found = of(Kind::Mean, &[(0, 3.0, 1.0), (5, 1.0, 1.0), (7, 9.0, 0.0)]).unwrap();
        assert_eq!((found.value, found.n, found.clusters), (2.0, 2, 2));
        let same = of(Kind::Mean, &[(0, 3.0, 1.0), (1, 3.0, 1.0)]).unwrap();
        assert_eq!(
            same.ci.unwrap_err().to_string(),
            "no variation among 2 items"
        );
        let one = of(Kind::Mean, &[(0, 3.0, 1.0), (0, 4.0, 1.0)]).unwrap();
        assert_eq!(one.ci, Err(NoInterval::OneCluster));
    }
}
