//! How often a verdict flipped.

use std::collections::BTreeMap;

use judica_model::metric::MetricValue;
use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Clustered, Kind};
use serde::{Deserialize, Serialize};

/// How often a judge changed its mind when asked in other words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlipReport {
    /// How many rows got a verdict both times.
    pub n: u64,
    /// How many of them got another verdict the second time.
    pub flips: u64,
    /// The share of those, with its interval.
    pub flip_rate: MetricValue,
    /// Flips from yes to no.
    pub yes_to_no: u64,
    /// Flips from no to yes.
    pub no_to_yes: u64,
    /// Rows whose first or second reply could not be read; they say nothing about flips and
    /// are not part of `n`.
    pub unreadable: u64,
    /// What it was counted from.
    #[serde(skip)]
    pub counts: Counts,
}

/// Rows that got the same verdict again, no for yes, yes for no, or none.
type Flips = [u64; 4];

/// What a report is counted from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Counts {
    /// Every row stands for itself.
    Single(Flips),
    /// Rows that stand or fall together, such as repeats of an item, are counted together.
    Clustered(Vec<Flips>),
}

impl Counts {
    fn clusters(&self) -> &[Flips] {
        match self {
            Counts::Single(flips) => std::slice::from_ref(flips),
            Counts::Clustered(clusters) => clusters,
        }
    }

    fn rate(&self) -> MetricValue {
        let mut clustered = Clustered::default();
        let mut number = 0;
        for [same, yes_to_no, no_to_yes, _] in self.clusters() {
            for row in 0..same + yes_to_no + no_to_yes {
                let flipped = f64::from(u8::from(row >= *same));
                clustered.add(number, [flipped, 1.0]);
                number += u32::from(matches!(self, Counts::Single(_)));
            }
            number += 1;
        }
        let Some(found) = clustered.estimate(Kind::Rate, &Intervals::default()) else {
            let unread = self.clusters().iter().any(|flips| flips[3] > 0);
            return MetricValue::undefined(match unread {
                true => "no question got a verdict both times",
                false => "no question was asked again",
            });
        };
        let value = MetricValue::new(found.value, found.n).with_spread(
            Some(found.clusters),
            found.se,
            found.design_effect,
        );
        match found.ci {
            Ok(ci) => value.with_ci(ci.ends()),
            Err(why) => value.without_ci(why.to_string()),
        }
    }
}

impl FlipReport {
    /// Compares first and second verdicts; `None` where a reply could not be read (see
    /// [`ReadVerdict::readable`](crate::reply::ReadVerdict::readable) and
    /// [`Vote::readable`](crate::votes::Vote::readable)). Each pair comes with a number of
    /// what it stands or falls with.
    pub fn of(pairs: impl IntoIterator<Item = (u64, Option<bool>, Option<bool>)>) -> FlipReport {
        let mut clusters: BTreeMap<u64, Flips> = BTreeMap::new();
        let mut rows = 0;
        for (cluster, first, second) in pairs {
            let what = match (first, second) {
                (Some(true), Some(false)) => 1,
                (Some(false), Some(true)) => 2,
                (Some(_), Some(_)) => 0,
                _ => 3,
            };
            clusters.entry(cluster).or_default()[what] += 1;
            rows += 1;
        }
        let counts: Vec<Flips> = clusters.into_values().collect();
        FlipReport::counted(match counts.len() == rows {
            true => Counts::Single(sum(&counts)),
            false => Counts::Clustered(counts),
        })
    }

    /// The report on what was counted.
    pub fn counted(counts: Counts) -> FlipReport {
        let [same, yes_to_no, no_to_yes, unreadable] = sum(counts.clusters());
        let flips = yes_to_no + no_to_yes;
        FlipReport {
            n: flips + same,
            flips,
            flip_rate: counts.rate(),
            yes_to_no,
            no_to_yes,
            unreadable,
            counts,
        }
    }
}

fn sum(clusters: &[Flips]) -> Flips {
    [0, 1, 2, 3].map(|what| clusters.iter().map(|flips| flips[what]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair stands for itself.
    fn alone(pairs: &[(Option<bool>, Option<bool>)]) -> FlipReport {
        let pairs = pairs.iter().zip(0..);
        FlipReport::of(pairs.map(|((first, second), number)| (number, *first, *second)))
    }

    #[test]
    fn rows_of_one_item_are_one_cluster() {
        let (yes, no) = (Some(true), Some(false));
        let pairs = |item: fn(u64) -> u64| {
            FlipReport::of((0..20).map(|row| (item(row), yes, if row < 15 { no } else { yes })))
        };
        let json = |report: &FlipReport| serde_json::to_value(&report.flip_rate).unwrap();
        let one = json(&pairs(|_| 7));
        assert_eq!((&one["n"], &one["clusters"]), (&20.into(), &1.into()));
        assert_eq!(one["ci_undefined"], "one cluster has no interval");
        let (single, five) = (pairs(|row| row), pairs(|row| row / 4));
        assert_eq!(single.counts, Counts::Single([5, 15, 0, 0]));
        let least = |report: &FlipReport| json(report)["ci"][0].as_f64().unwrap();
        assert!(least(&five) < least(&single));
        for report in [single, five] {
            let kept = serde_json::to_string(&report.counts).unwrap();
            assert_eq!(
                FlipReport::counted(serde_json::from_str(&kept).unwrap()),
                report
            );
        }
    }

    #[test]
    fn worked_by_hand() {
        let (yes, no) = (Some(true), Some(false));
        let report = alone(&[
            (yes, yes),
            (yes, no),
            (no, no),
            (no, yes),
            (yes, no),
            (no, no),
            (None, yes),
            (no, None),
            (None, None),
            (yes, yes),
            (no, no),
        ]);
        assert_eq!((report.n, report.flips, report.unreadable), (8, 3, 3));
        assert_eq!((report.yes_to_no, report.no_to_yes), (2, 1));
        // Wilson, 3 of 8: z² = 3.841459; centre (0.375 + 0.240091) / 1.480182 = 0.415551;
        // half 1.959964 · √(0.0292969 + 0.0150057) / 1.480182 = 0.278703.
        let MetricValue::Defined {
            value,
            n,
            ci: Some([lo, hi]),
            ..
        } = report.flip_rate
        else {
            panic!("{report:?}");
        };
        assert_eq!((value, n), (0.375, 8));
        assert!(
            (lo - 0.136_848).abs() < 1e-5 && (hi - 0.694_254).abs() < 1e-5,
            "{lo} {hi}"
        );
    }

    #[test]
    fn without_verdicts_there_is_no_rate() {
        let json = |report: FlipReport| serde_json::to_value(report).unwrap();
        let none = json(alone(&[]));
        assert_eq!(none["flip_rate"]["value"], serde_json::Value::Null);
        assert_eq!(
            none["flip_rate"]["undefined"],
            "no question was asked again"
        );
        let unread = json(alone(&[(None, Some(true))]));
        assert_eq!(
            unread["flip_rate"]["undefined"],
            "no question got a verdict both times"
        );
        assert_eq!(
            (&unread["n"], &unread["unreadable"]),
            (&0.into(), &1.into())
        );
    }
}
