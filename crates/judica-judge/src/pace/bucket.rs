//! When the next call may start: arithmetic on times, no clock, nothing that waits.
//!
//! Calls are spread evenly: at `n` per minute one starts every `60/n` seconds, so that no
//! minute, wherever it begins, sees more than `n`, and a server that counts by the second or
//! by ten seconds is content too. There is no burst to save up. Tokens are spread in the same
//! way: a call of `t` tokens keeps the next waiting for `t` times `60/n` seconds, so a minute
//! sees at most `n` tokens and the tokens of one more call.
//!
//! A server that says "too many" turns one call away or all of them. One that is turned away
//! waits alone, and what it says about the pace is found out over many calls (`throttle`).
//! When several are turned away in a row, all are meant: nobody starts before the time the
//! server asks for, and then a few go first.

use std::time::Duration;

use super::throttle::{Throttle, Throttled};

const MINUTE: Duration = Duration::from_secs(60);

/// A call that comes this late for its turn does not make the next one late as well: timers
/// wake a little after they should, and that must not add up.
const LATENESS: Duration = Duration::from_millis(5);

/// So many refusals without an answer in between mean everybody, if they are also more than
/// this part of the calls that are on their way: refusals are quick, and those who will be
/// answered may not have been yet.
const MEANS_ALL: u32 = 3;
const MEANS_ALL_PART: u32 = 4;
/// The gap between calls after everybody was turned away. It doubles when they are again,
/// and each answer leaves half of it.
const FIRST_GAP: Duration = Duration::from_millis(100);
/// The largest gap.
const LARGEST_GAP: Duration = Duration::from_secs(2);
/// A smaller gap is none.
const SMALLEST_GAP: Duration = Duration::from_millis(3);
/// Refusals that came this soon after one another are due to the same crowding.
const SAME_CROWDING: Duration = Duration::from_secs(1);

/// The state. Times are distances from any fixed moment.
#[derive(Debug)]
pub(super) struct Bucket {
    /// Between two calls; zero without a limit.
    per_call: Duration,
    /// Seconds that one token takes; zero without a limit.
    per_token: f64,
    next_by_calls: Duration,
    /// In seconds, because a correction may lead back behind the fixed moment.
    next_by_tokens: f64,
    /// Nobody starts before.
    paused_until: Duration,
    /// After everybody was turned away.
    gap: Duration,
    last_crowded: Option<Duration>,
    last_start: Option<Duration>,
    /// Refusals since the last answer.
    in_a_row: u32,
    /// Calls that are on their way.
    under_way: u32,
    throttle: Throttle,
}

impl Bucket {
    pub(super) fn new(calls_per_minute: Option<u32>, tokens_per_minute: Option<u64>) -> Bucket {
        // A limit of 0 is none that a run could keep; it is taken as 1.
        let per_call = calls_per_minute.map_or(Duration::ZERO, |calls| MINUTE / calls.max(1));
        let per_token =
            tokens_per_minute.map_or(0.0, |tokens| MINUTE.as_secs_f64() / tokens.max(1) as f64);
        Bucket {
            per_call,
            per_token,
            next_by_calls: Duration::ZERO,
            next_by_tokens: 0.0,
            paused_until: Duration::ZERO,
            gap: Duration::ZERO,
            last_crowded: None,
            last_start: None,
            in_a_row: 0,
            under_way: 0,
            throttle: Throttle::new(),
        }
    }

    /// When the next call may start.
    pub(super) fn ready_at(&self) -> Duration {
        let gap = self.gap.max(self.throttle.gap());
        let after_gap = match self.last_start {
            Some(start) if !gap.is_zero() => start + gap,
            _ => Duration::ZERO,
        };
        // Saturating: a server may claim to have used any number of tokens.
        let by_tokens =
            Duration::try_from_secs_f64(self.next_by_tokens.max(0.0)).unwrap_or(Duration::MAX);
        self.next_by_calls
            .max(by_tokens)
            .max(self.paused_until)
            .max(after_gap)
    }

    /// Starts a call of an estimated size.
    pub(super) fn take(&mut self, now: Duration, tokens: u64) {
        let on_time = now.saturating_sub(LATENESS);
        self.next_by_calls = self.next_by_calls.max(on_time) + self.per_call;
        self.next_by_tokens =
            self.next_by_tokens.max(on_time.as_secs_f64()) + tokens as f64 * self.per_token;
        self.last_start = Some(now);
        self.under_way += 1;
    }

    /// A call is over; corrects its estimate by what it used.
    pub(super) fn settle(&mut self, estimated: u64, used: u64) {
        self.under_way = self.under_way.saturating_sub(1);
        self.next_by_tokens += (used as f64 - estimated as f64) * self.per_token;
    }

    /// The server turned a call away, and perhaps said for how long.
    pub(super) fn turned_away(&mut self, now: Duration, wait: Option<Duration>) {
        self.in_a_row = self.in_a_row.saturating_add(1);
        let mut refused = Throttled::One;
        let many = self.in_a_row > self.under_way / MEANS_ALL_PART;
        if self.in_a_row >= MEANS_ALL && many {
            refused = Throttled::All;
            let until = wait.and_then(|wait| now.checked_add(wait));
            self.paused_until = self.paused_until.max(until.unwrap_or_default());
            let same = |last: Duration| now < last + SAME_CROWDING;
            if !self.last_crowded.is_some_and(same) {
                self.last_crowded = Some(now);
                self.gap = (self.gap * 2).clamp(FIRST_GAP, LARGEST_GAP);
            }
        }
        self.throttle.count(now, Some(refused), self.paused_until);
    }

    /// The server answered.
    pub(super) fn answered(&mut self, now: Duration) {
        self.in_a_row = 0;
        self.gap /= 2;
        if self.gap < SMALLEST_GAP {
            self.gap = Duration::ZERO;
        }
        self.throttle.count(now, None, self.paused_until);
    }
}

#[cfg(test)]
#[path = "simulated_tests.rs"]
mod simulated_tests;
#[cfg(test)]
#[path = "bucket_tests.rs"]
mod tests;
