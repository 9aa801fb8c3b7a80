//! What a test can show at all. Where few clusters differ, or many rows are corrected together,
//! even the clearest difference leaves a p-value above what is asked of it.

use judica_model::gate_table::brief;
use judica_model::table::counted;
use judica_stats::normal::normal_cdf;
use judica_stats::permutation::ENUMERATED_UP_TO;

/// Draws of the test by flipping clusters.
pub const FLIPS: u32 = 20_000;
/// From so many clusters that differ the normal limit of that test is as good, at a fraction
/// of the work.
pub const FLIPPED_UP_TO: usize = 5_000;
/// The least p-value that is drawn.
const LEAST_DRAWN: f64 = 1.0 / (FLIPS as f64 + 1.0);

/// How sure a row has to be.
#[derive(Clone, Copy)]
pub struct Level {
    /// How often a difference may be seen that is not there.
    pub alpha: f64,
    /// How many rows are corrected together.
    pub rows: usize,
}

impl Level {
    /// A p-value, corrected for all rows.
    pub fn corrected(self, p: f64) -> f64 {
        (p * self.rows as f64).min(1.0)
    }

    /// Whether such a p-value shows a difference.
    fn is_shown(self, p: f64) -> bool {
        self.corrected(p) <= self.alpha
    }

    /// Whether draws can show one. Where they cannot the normal limit takes their place, which
    /// claims no more than all choices of signs would: their tails are lighter.
    pub fn is_drawn(self) -> bool {
        self.is_shown(LEAST_DRAWN)
    }
}

/// A test of paired differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// McNemar's mid-p, of items that are right or wrong.
    McNemar,
    /// Whole clusters are flipped.
    Flips,
    /// The same of clusters that all differ by one amount: of any number all choices of signs
    /// are known.
    Signs,
}

impl Test {
    /// The least p-value of so many clusters that differ.
    fn least(self, differ: u64, level: Level) -> f64 {
        let split = 0.5_f64.powi(differ.min(2_000) as i32);
        match self {
            Test::McNemar => split,
            Test::Signs => 2.0 * split,
            Test::Flips if differ <= ENUMERATED_UP_TO as u64 => 2.0 * split,
            Test::Flips if differ <= FLIPPED_UP_TO as u64 && level.is_drawn() => LEAST_DRAWN,
            Test::Flips => 2.0 * normal_cdf(-(differ as f64).sqrt()),
        }
    }

    /// How many clusters have to differ for it to show anything: as many as do, if those can.
    pub fn needed(self, differ: u64, level: Level) -> u64 {
        let mut more = differ.max(1)..;
        let enough = more.find(|differ| level.is_shown(self.least(*differ, level)));
        enough.unwrap_or(u64::MAX)
    }

    /// Why so many clusters that differ show nothing, if they cannot.
    pub fn out_of_reach(self, differ: u64, level: Level) -> Option<String> {
        let needed = self.needed(differ, level);
        if differ == 0 || needed == differ {
            return None;
        }
        let differ = match self {
            Test::McNemar => counted(differ, ["item differs", "items differ"]),
            _ => counted(differ, ["cluster differs", "clusters differ"]),
        };
        let corrected = match level.rows {
            1 => String::new(),
            rows => format!(", corrected for {rows}"),
        };
        Some(format!(
            "only {differ}: fewer than {needed} cannot reach p = {}{corrected}",
            brief(level.alpha)
        ))
    }
}

/// Why a number of items is not told.
pub const UNCOUNTED: &str = "more items would be needed than can be counted";

/// So many items show a difference, if that many can be counted: what their spread asks for,
/// rounded up, and no fewer than the test needs to show any.
pub fn items_needed(by_spread: f64, by_test: f64) -> Option<u64> {
    let items = by_spread.max(by_test).ceil();
    (items < 2_f64.powi(53)).then_some(items as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Level = Level {
        alpha: 0.05,
        rows: 1,
    };

    #[test]
    fn so_many_have_to_differ() {
        let of = |rows| Level { rows, ..ONE };
        for (test, level, expected) in [
            // 2 / 2^6 and 1 / 2^5 are the first below 0.05.
            (Test::Flips, ONE, 6),
            (Test::McNemar, ONE, 5),
            // 2 / 2^8 of 0.05 / 4.
            (Test::Flips, of(4), 8),
            (Test::Signs, of(4), 8),
            (Test::McNemar, of(4), 7),
            (Test::Flips, of(1035), 16),
            // Beyond what is enumerated: 2 Φ(-√32) is the first below 0.05 / 2,000,000.
            (Test::Flips, of(2_000_000), 32),
            (Test::Signs, of(2_000_000), 27),
        ] {
            assert_eq!(test.needed(0, level), expected, "{test:?} {}", level.rows);
            assert!(test.out_of_reach(expected - 1, level).is_some());
            assert_eq!(test.out_of_reach(expected, level), None);
        }
        assert_eq!(
            Test::Flips.out_of_reach(1, ONE).unwrap(),
            "only 1 cluster differs: fewer than 6 cannot reach p = 0.05"
        );
        assert_eq!(
            Test::McNemar.out_of_reach(6, of(4)).unwrap(),
            "only 6 items differ: fewer than 7 cannot reach p = 0.05, corrected for 4"
        );
        assert_eq!(Test::Flips.out_of_reach(0, ONE), None, "no news");
    }

    #[test]
    fn draws_do_until_they_cannot_show_anything() {
        let drawn = |rows| Level { rows, ..ONE }.is_drawn();
        assert!(drawn(1) && drawn(1000) && !drawn(1001));
    }

    #[test]
    fn what_can_be_counted_is() {
        assert_eq!(items_needed(1.2, 6.0), Some(6));
        assert_eq!(items_needed(17.1, 6.0), Some(18));
        assert_eq!(items_needed(1e300, 6.0), None);
    }
}
