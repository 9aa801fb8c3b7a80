//! Two sides that were measured apart: no item is common, nothing is paired, and the interval
//! of the difference decides.

use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Clustered, Estimate, Kind};
use judica_stats::interval::Interval;
use judica_stats::newcombe::combined;
use judica_stats::resampled::Resampling;
use judica_stats::welch::{self, welch_interval};
use judica_stats::wilson_interval;

use super::difference::Bounds;
use crate::groups::Groups;

/// One of the sides.
pub enum Alone {
    /// A metric of records, added up by cluster.
    Summed(Clustered),
    /// A coefficient of labels.
    Labelled(Box<Groups>),
    /// A rate as somebody has written it, perhaps rounded, and the hits that tell its interval.
    Hits {
        /// The value.
        value: f64,
        /// The hits.
        hits: u64,
        /// Of how many; there are some.
        n: u64,
    },
    /// Somebody else's number.
    Known {
        /// The value.
        value: f64,
        /// Of how many.
        n: u64,
        /// Its interval,
        interval: Option<[f64; 2]>,
        /// and the coverage of that.
        confidence: f64,
    },
}

impl Alone {
    /// What records say without any resampling.
    fn plain(&self, kind: Kind) -> Option<Estimate> {
        let Alone::Summed(terms) = self else {
            return None;
        };
        let plain = Intervals {
            resampling: Resampling {
                resamples: 0,
                ..Intervals::default().resampling
            },
            ..Intervals::default()
        };
        terms.clone().estimate(kind, &plain)
    }

    /// The value and what it rests on, or why there is none.
    pub fn value(&self, kind: Kind) -> Result<(f64, u64), String> {
        match self {
            Alone::Summed(_) => self
                .plain(kind)
                .map(|found| (found.value, found.n))
                .ok_or_else(|| "no record of one side has a value of it".to_owned()),
            Alone::Labelled(groups) => {
                let value = groups.value().map_err(|why| why.to_string())?;
                Ok((value, groups.sizes().iter().sum()))
            }
            Alone::Hits { value, n, .. } | Alone::Known { value, n, .. } => Ok((*value, *n)),
        }
    }

    /// The interval of the value.
    pub fn interval(&self, kind: Kind, intervals: &Intervals) -> Bounds {
        match self {
            Alone::Summed(terms) => match terms.clone().estimate(kind, intervals) {
                Some(found) => found.ci.map(Interval::ends).map_err(|why| why.to_string()),
                None => Err("no items".to_owned()),
            },
            Alone::Labelled(groups) => groups.interval(intervals),
            Alone::Hits { hits, n, .. } => {
                let found = wilson_interval(*hits, *n, intervals.confidence);
                found
                    .map(Interval::ends)
                    .ok_or_else(|| "no items".to_owned())
            }
            Alone::Known { interval: None, .. } => {
                Err("no number of items and no interval to tell chance by".to_owned())
            }
            Alone::Known { confidence, .. } if (intervals.confidence - confidence).abs() > 1e-9 => {
                Err(format!("known with a coverage of {confidence} only"))
            }
            Alone::Known {
                interval: Some(interval),
                ..
            } => Ok(*interval),
        }
    }
}

/// Both of them.
pub struct Apart {
    /// Whether the metric is a share.
    pub rate: bool,
    /// Whether it is one on either side alone, which has the interval that it has by itself.
    pub rates: [bool; 2],
    /// The sides.
    pub sides: [Alone; 2],
    /// Why no interval of the difference means anything, if none does.
    pub unknowable: Option<&'static str>,
}

impl Apart {
    fn kind(&self) -> Kind {
        kind(self.rate)
    }

    /// The value of a side and what it rests on, or why there is none.
    pub fn value(&self, side: usize) -> Result<(f64, u64), String> {
        self.sides[side].value(self.kind())
    }

    /// Clusters of both sides, and the standard error of the difference, where records say.
    pub fn spread(&self) -> Option<(u64, Option<f64>)> {
        if let [Alone::Labelled(a), Alone::Labelled(b)] = &self.sides {
            return Some((a.drawn() + b.drawn(), None));
        }
        let [a, b] = self.sides.each_ref().map(|side| side.plain(self.kind()));
        let (a, b) = (a?, b?);
        let se = a.se.zip(b.se).map(|(a, b)| a.hypot(b));
        Some((a.clusters + b.clusters, se))
    }

    /// The interval of a side's value.
    pub fn side(&self, side: usize, intervals: &Intervals) -> Bounds {
        self.sides[side].interval(kind(self.rates[side]), intervals)
    }

    /// The interval of the difference: Welch's for means of records, else that which follows
    /// from the intervals of both sides (Newcombe's, where they are Wilson's).
    pub fn interval(&self, intervals: &Intervals) -> Bounds {
        if let Some(why) = self.unknowable {
            return Err(why.to_owned());
        }
        if !self.rate
            && let [Some(a), Some(b)] = self.sides.each_ref().map(|side| side.plain(self.kind()))
        {
            let of = |found: Estimate| welch::Measured {
                value: found.value,
                se: found.se.unwrap_or(f64::NAN),
                clusters: found.clusters,
            };
            let found = welch_interval(of(a), of(b), intervals.confidence);
            return found
                .map(Interval::ends)
                .ok_or_else(|| "one cluster on a side, or no variation".to_owned());
        }
        let [a, b] = [self.value(0)?.0, self.value(1)?.0];
        let both = combined((a, self.side(0, intervals)?), (b, self.side(1, intervals)?));
        Ok(match self.rate {
            true => [both[0].max(-1.0), both[1].min(1.0)],
            false => both,
        })
    }
}

/// What a metric is, by whether it is a share.
pub fn kind(rate: bool) -> Kind {
    if rate { Kind::Rate } else { Kind::Mean }
}
