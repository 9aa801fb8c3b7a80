//! When the next call may start: arithmetic on times, no clock, nothing that waits.
//!
//! Calls are spread evenly: at `n` per minute one starts every `60/n` seconds, so that no
//! minute, wherever it begins, sees more than `n`, and a server that counts by the second or
//! by ten seconds is content too. There is no burst to save up. Tokens are spread in the same
//! way: a call of `t` tokens keeps the next waiting for `t` times `60/n` seconds, so a minute
//! sees at most `n` tokens and the tokens of one more call.
//!
//! A server that says "too many" without having been asked how many it takes is met with a
//! gap between calls that doubles with each such answer and shrinks with each success.

use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// A call that comes this late for its turn does not make the next one late as well: timers
/// wake a little after they should, and that must not add up.
const LATENESS: Duration = Duration::from_millis(5);

/// The gap after the first "too many".
const FIRST_GAP: Duration = Duration::from_millis(25);
/// The largest gap.
const LARGEST_GAP: Duration = Duration::from_secs(2);
/// A smaller gap is none.
const SMALLEST_GAP: Duration = Duration::from_millis(1);
/// Answers that came this soon after one another are due to the same crowding.
const SAME_CROWDING: Duration = Duration::from_secs(1);
/// A success leaves this much of the gap.
const SHRINK: f64 = 0.97;

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
    gap: Duration,
    last_crowded: Option<Duration>,
    last_start: Option<Duration>,
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
        }
    }

    /// When the next call may start.
    pub(super) fn ready_at(&self) -> Duration {
        let after_gap = match self.last_start {
            Some(start) if !self.gap.is_zero() => start + self.gap,
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
    }

    /// Corrects the estimate of a call by what it used.
    pub(super) fn settle(&mut self, estimated: u64, used: u64) {
        self.next_by_tokens += (used as f64 - estimated as f64) * self.per_token;
    }

    /// Lets nobody start before `until`.
    pub(super) fn pause(&mut self, until: Duration) {
        self.paused_until = self.paused_until.max(until);
    }

    /// The server said "too many".
    pub(super) fn crowded(&mut self, now: Duration) {
        let same = |last: Duration| now < last + SAME_CROWDING;
        if self.last_crowded.is_some_and(same) {
            return;
        }
        self.last_crowded = Some(now);
        self.gap = (self.gap * 2).clamp(FIRST_GAP, LARGEST_GAP);
    }

    /// The server answered.
    pub(super) fn flowing(&mut self) {
        self.gap = self.gap.mul_f64(SHRINK);
        if self.gap < SMALLEST_GAP {
            self.gap = Duration::ZERO;
        }
    }
}

#[cfg(test)]
#[path = "bucket_tests.rs"]
mod tests;
