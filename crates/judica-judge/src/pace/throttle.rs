//! What refusals say about the pace.
//!
//! A server that says "too many" means one of two things. Either calls come faster than it
//! takes them: then they must come more slowly, and refusals end. Or it turns some away
//! whatever the pace is (one worker of many is full, a proxy draws lots): then slowing down
//! helps nobody. Nobody says which, so it is tried. Refusals are counted over windows of
//! about a second. After a window with refusals, calls start at the rate at which they got
//! through before there were any, or got through now. If as many are refused as before,
//! the pace is not to blame: that share is the usual one, and the rate is free again. If
//! refusals end, the limit is found, and after a while a little more is tried, then more.

use std::time::Duration;

/// A window lasts this long, and has this many calls at least.
const WINDOW: Duration = Duration::from_secs(1);
const WINDOW_CALLS: u32 = 10;
/// Where some refusals are usual, telling more than usual takes more calls.
const WINDOW_CALLS_IF_USUAL: u32 = 30;
/// Where more than this share is refused, the pace is to blame, and after this many calls
/// nobody waits for the window to end.
const CROWDED_SHARE: f64 = 0.35;
const CROWDED_CALLS: u32 = 10;
/// So many refusals, among so many calls, say whether slowing down has helped.
const TRIAL_REFUSALS: f64 = 6.0;
const TRIAL_CALLS: u32 = 20;
/// It has if hardly any came where this many were to be expected, the share being no less
/// than so much.
const TRIAL_EXPECTED: f64 = 5.0;
const TRIAL_SHARE: f64 = 0.1;
/// It has not if the share is still within these factors of what it was.
const UNCHANGED: (f64, f64) = (0.6, 2.0);
/// No larger share is ever taken for usual.
const LARGEST_USUAL: f64 = 0.22;
/// Below what got through, to be sure to be below the limit.
const BELOW: f64 = 0.95;
/// The first step up from a limit; each further one is larger, up to doubling.
const FIRST_STEP: f64 = 0.02;
const STEP_GROWTH: f64 = 1.5;
const LARGEST_STEP: f64 = 1.0;
/// From such steps on, the limit is not where it was. They are also the first ones from a
/// rate that was measured while everybody had to pause, which is too low.
const LONG_STEP: f64 = 0.5;
/// The most windows that a limit which was met again is kept to before more is tried.
const LONGEST_HOLD: u32 = 16;
/// How much a window without refusals changes the rate that has proven good.
const SMOOTHING: f64 = 0.3;
/// Slower than the first nobody is asked, faster than the second is no limit at all.
const SLOWEST: f64 = 0.5;
const FASTEST: f64 = 1000.0;

/// The rate at which calls start, and what it rests on. Times are distances from any fixed
/// moment.
#[derive(Debug)]
pub(super) struct Throttle {
    /// Calls per second, where there is a limit.
    rate: Option<f64>,
    /// The rate at which calls got through while no more than usual were refused, smoothed;
    /// 0 where that is not known.
    proven: f64,
    /// How much more is tried next.
    step: f64,
    /// For how many windows a limit is kept to, and how many of them are left.
    hold: u32,
    left: u32,
    /// The share of refusals that has nothing to do with the pace.
    usual: f64,
    /// Whether slowing down helps, while that is not known.
    trial: Option<Trial>,
    window: Option<Window>,
}

/// Who is meant by a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Throttled {
    /// The call that met it.
    One,
    /// Everybody, who have to pause.
    All,
}

#[derive(Debug, Clone, Copy)]
struct Trial {
    /// The share that was refused before.
    before: f64,
    calls: u32,
    refused: u32,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    began: Duration,
    calls: u32,
    refused: u32,
    /// Whether everybody had to pause.
    paused: bool,
}

impl Throttle {
    pub(super) fn new() -> Throttle {
        Throttle {
            rate: None,
            proven: 0.0,
            step: LARGEST_STEP,
            hold: 0,
            left: 0,
            usual: 0.0,
            trial: None,
            window: None,
        }
    }

    /// Between the starts of two calls.
    pub(super) fn gap(&self) -> Duration {
        self.rate
            .map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate))
    }

    /// A call was answered, or refused in this way. Nobody starts before `resumed`, if that
    /// is later than `now`.
    pub(super) fn count(&mut self, now: Duration, refused: Option<Throttled>, resumed: Duration) {
        let fresh = |began| Window {
            began,
            calls: 0,
            refused: 0,
            paused: false,
        };
        let window = self.window.get_or_insert_with(|| fresh(now));
        // Before the first answer after nothing but refusals the server was away, which
        // says nothing about the pace.
        if refused.is_none() && window.paused && window.calls == window.refused {
            *window = fresh(now);
        }
        window.calls += 1;
        window.refused += u32::from(refused.is_some());
        window.paused |= refused == Some(Throttled::All);
        if let Some(trial) = &mut self.trial {
            trial.calls += 1;
            trial.refused += u32::from(refused.is_some());
        }
        let window = *window;
        let age = now.saturating_sub(window.began);
        let enough = if self.usual > 0.0 {
            WINDOW_CALLS_IF_USUAL
        } else {
            WINDOW_CALLS
        };
        let over = age >= WINDOW && window.calls >= enough
            || age >= 2 * WINDOW && window.refused == 0
            || self.is_crowded(&window);
        if over {
            let end = now.max(resumed);
            self.close(&window, end.saturating_sub(window.began));
            self.window = Some(fresh(end));
        }
    }

    fn is_crowded(&self, window: &Window) -> bool {
        self.rate.is_some()
            && self.usual == 0.0
            && window.calls >= CROWDED_CALLS
            && window.share() > CROWDED_SHARE
    }

    /// Decides after a window that took so long.
    fn close(&mut self, window: &Window, took: Duration) {
        let calls = f64::from(window.calls);
        let expected = match self.usual {
            0.0 => 0.0,
            usual => 1.5 * usual * calls + 2.0,
        };
        let mut too_many = f64::from(window.refused) > expected;
        if let Some(trial) = self.trial {
            match trial.result() {
                _ if window.share() > CROWDED_SHARE => self.trial = None,
                // Neither faster nor slower until it is known.
                None => return,
                Some(usual) => {
                    self.trial = None;
                    if let Some(share) = usual {
                        self.usual = share;
                        self.step = LARGEST_STEP;
                        self.hold = 0;
                        too_many = false;
                    }
                }
            }
        }
        let answered = calls - f64::from(window.refused);
        let through = answered / took.as_secs_f64().max(1e-3);
        if too_many {
            self.slow_down(window, through);
        } else {
            self.speed_up(window, through);
        }
    }

    fn slow_down(&mut self, window: &Window, through: f64) {
        self.usual = 0.0;
        // What got through during a pause is too little to slow down to for long.
        let doubtful = window.share() <= CROWDED_SHARE && !window.paused;
        self.trial = doubtful.then(|| Trial {
            before: window.share(),
            calls: 0,
            refused: 0,
        });
        let known = if self.proven > 0.0 {
            self.proven
        } else {
            through
        };
        let rate = known.max(self.rate.unwrap_or(0.0) / 2.0) * BELOW;
        // Where nobody got through, there is no rate to be known.
        if rate > 0.0 {
            let now = self.rate.unwrap_or(f64::INFINITY);
            self.rate = Some(rate.max(SLOWEST).min(now));
        }
        // A limit that is met again after small steps is where it was.
        self.hold = if self.step < LONG_STEP && !window.paused {
            (2 * self.hold + 1).min(LONGEST_HOLD)
        } else {
            0
        };
        self.left = self.hold;
        self.step = if window.paused { LONG_STEP } else { FIRST_STEP };
        self.proven = 0.0;
    }

    fn speed_up(&mut self, window: &Window, through: f64) {
        if window.refused == 0 && f64::from(window.calls) * self.usual >= 3.0 {
            self.usual = 0.0;
        }
        let Some(rate) = self.rate else { return };
        self.proven = if self.proven > 0.0 {
            self.proven + SMOOTHING * (through - self.proven)
        } else {
            through
        };
        if self.left > 0 {
            self.left -= 1;
            return;
        }
        let faster = rate * (1.0 + self.step);
        self.rate = (faster < FASTEST).then_some(faster);
        self.step = (STEP_GROWTH * self.step).min(LARGEST_STEP);
        if self.step >= LONG_STEP {
            self.hold = 0;
        }
    }
}

impl Window {
    fn share(&self) -> f64 {
        f64::from(self.refused) / f64::from(self.calls.max(1))
    }
}

impl Trial {
    /// `None` while it is open; then the share that is usual, if slowing down did not help.
    fn result(&self) -> Option<Option<f64>> {
        let (calls, refused) = (f64::from(self.calls), f64::from(self.refused));
        if self.calls < TRIAL_CALLS {
            return None;
        }
        if refused >= TRIAL_REFUSALS {
            let share = refused / calls;
            let (least, most) = (self.before * UNCHANGED.0, self.before * UNCHANGED.1);
            let unchanged = (least..=most.min(LARGEST_USUAL)).contains(&share);
            return Some(unchanged.then_some(share));
        }
        let hardly_any =
            self.refused <= 1 && calls * self.before.max(TRIAL_SHARE) >= TRIAL_EXPECTED;
        (hardly_any || calls * self.before >= 2.0 * TRIAL_REFUSALS).then_some(None)
    }
}
