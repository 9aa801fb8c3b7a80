//! How often a verdict flipped.

use judica_model::metric::MetricValue;
use judica_stats::wilson_interval;
use serde::Serialize;

/// How often a judge changed its mind when asked in other words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlipReport {
    /// How many questions got a verdict both times.
    pub n: u64,
    /// How many of them got another verdict the second time.
    pub flips: u64,
    /// The share of those, with its 95 % Wilson interval.
    pub flip_rate: MetricValue,
    /// Flips from yes to no.
    pub yes_to_no: u64,
    /// Flips from no to yes.
    pub no_to_yes: u64,
    /// Questions whose first or second reply could not be read; they say nothing about
    /// flips and are not part of `n`.
    pub unreadable: u64,
}

impl FlipReport {
    /// Compares first and second verdicts; `None` where a reply could not be read (see
    /// [`ReadVerdict::readable`](crate::reply::ReadVerdict::readable) and
    /// [`Vote::readable`](crate::votes::Vote::readable)).
    pub fn of(pairs: impl IntoIterator<Item = (Option<bool>, Option<bool>)>) -> FlipReport {
        let (mut same, mut yes_to_no, mut no_to_yes, mut unreadable) = (0, 0, 0, 0);
        for pair in pairs {
            let count = match pair {
                (Some(true), Some(false)) => &mut yes_to_no,
                (Some(false), Some(true)) => &mut no_to_yes,
                (Some(_), Some(_)) => &mut same,
                _ => &mut unreadable,
            };
            *count += 1;
        }
        FlipReport::counted([same, yes_to_no, no_to_yes, unreadable])
    }

    /// The report on questions that got the same verdict again, another one (no for yes, yes
    /// for no), or none.
    pub fn counted([same, yes_to_no, no_to_yes, unreadable]: [u64; 4]) -> FlipReport {
        let flips = yes_to_no + no_to_yes;
        let n = flips + same;
        FlipReport {
            n,
            flips,
            flip_rate: rate(flips, n, unreadable),
            yes_to_no,
            no_to_yes,
            unreadable,
        }
    }

    /// What it was counted from.
    pub fn counts(&self) -> [u64; 4] {
        let same = self.n - self.flips;
        [same, self.yes_to_no, self.no_to_yes, self.unreadable]
    }
}

fn rate(flips: u64, n: u64, unreadable: u64) -> MetricValue {
    match wilson_interval(flips, n, 0.95) {
        Some(interval) => {
            MetricValue::new(flips as f64 / n as f64, n).with_ci([interval.lo, interval.hi])
        }
        None if unreadable > 0 => MetricValue::undefined("no question got a verdict both times"),
        None => MetricValue::undefined("no question was asked again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        let (yes, no) = (Some(true), Some(false));
        let report = FlipReport::of([
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
        let none = json(FlipReport::of([]));
        assert_eq!(none["flip_rate"]["value"], serde_json::Value::Null);
        assert_eq!(
            none["flip_rate"]["undefined"],
            "no question was asked again"
        );
        let unread = json(FlipReport::of([(None, Some(true))]));
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
