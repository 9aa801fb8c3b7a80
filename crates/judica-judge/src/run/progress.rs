//! How far a run is, and how fast.
//!
//! The run itself never looks at a clock. Whoever shows progress has one, and gives its
//! readings to a [`RateMeter`].

use std::collections::VecDeque;
use std::time::Duration;

use super::outcome::Totals;

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How many calls the whole run makes, if nothing stops it.
    pub calls: u64,
    /// How many of them are over, with or without a reply.
    pub calls_done: u64,
    /// What was reached so far, counted in jobs. Those that are not done stand in none
    /// of its counts.
    pub totals: Totals,
}

/// The rate of events over a recent stretch of time.
#[derive(Debug, Clone)]
pub struct RateMeter {
    window: Duration,
    readings: VecDeque<(Duration, u64)>,
}

impl RateMeter {
    /// Looks back over `window`.
    pub fn new(window: Duration) -> Self {
        RateMeter {
            window,
            readings: VecDeque::new(),
        }
    }

    /// At the time `at`, counted from any fixed moment, `count` events had happened. A
    /// count below the last one is that of another run, and begins anew.
    pub fn read(&mut self, at: Duration, count: u64) {
        if self.readings.back().is_some_and(|(_, last)| count < *last) {
            self.readings.clear();
        }
        self.readings.push_back((at, count));
        // The reading that opens the window stays, so that the rate is over all of it.
        while self
            .readings
            .get(1)
            .is_some_and(|(next, _)| at.saturating_sub(*next) >= self.window)
        {
            self.readings.pop_front();
        }
    }

    /// Events per second; `None` before there are two readings at different times.
    pub fn per_second(&self) -> Option<f64> {
        let (first, before) = self.readings.front()?;
        let (last, after) = self.readings.back()?;
        let seconds = last.saturating_sub(*first).as_secs_f64();
        (seconds > 0.0).then(|| after.saturating_sub(*before) as f64 / seconds)
    }

    /// How long `remaining` more events take at this rate; `None` where nothing moves.
    pub fn time_for(&self, remaining: u64) -> Option<Duration> {
        let rate = self.per_second().filter(|rate| *rate > 0.0)?;
        Duration::try_from_secs_f64(remaining as f64 / rate).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_rate_is_that_of_the_window() {
        let mut meter = RateMeter::new(10 * SECOND);
        assert_eq!(meter.per_second(), None);
        meter.read(SECOND, 0);
        assert_eq!(meter.per_second(), None);
        assert_eq!(meter.time_for(5), None);
        meter.read(3 * SECOND, 8);
        assert_eq!(meter.per_second(), Some(4.0));
        assert_eq!(meter.time_for(10), Some(Duration::from_millis(2500)));
        // Later the fast start is forgotten.
        for second in 4..=30 {
            meter.read(second * SECOND, 8 + u64::from(second));
        }
        assert_eq!(meter.per_second(), Some(1.0));
        assert!(meter.readings.len() <= 12);
    }

    #[test]
    fn nothing_is_promised_where_nothing_moves() {
        let mut meter = RateMeter::new(SECOND);
        meter.read(SECOND, 3);
        meter.read(SECOND, 4);
        assert_eq!(meter.per_second(), None);
        meter.read(2 * SECOND, 4);
        meter.read(5 * SECOND, 4);
        assert_eq!(meter.per_second(), Some(0.0));
        assert_eq!(meter.time_for(1), None);
        // A clock that runs backwards is no reason to panic.
        meter.read(SECOND, 5);
        assert_eq!(meter.per_second(), None);
    }

    #[test]
    fn another_run_begins_anew() {
        let mut meter = RateMeter::new(10 * SECOND);
        meter.read(SECOND, 0);
        meter.read(2 * SECOND, 9);
        meter.read(3 * SECOND, 0);
        assert_eq!(meter.per_second(), None);
        meter.read(4 * SECOND, 2);
        assert_eq!(meter.per_second(), Some(2.0));
    }
}
