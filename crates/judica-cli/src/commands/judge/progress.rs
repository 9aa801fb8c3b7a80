//! How far the calls are, on standard error: rate, cost so far, time left.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use judica_judge::chat::ChatReply;
use judica_judge::client::events::{Events, Retry};
use judica_judge::run::{Progress, RateMeter, RunHooks};
use judica_judge::stop::Stop;
use judica_judge::wire::dialect::Dialect;

use crate::inside::{self, Call};
use crate::interrupt::interrupted;
use crate::screen;

/// How far back the rate looks.
const WINDOW: Duration = Duration::from_secs(15);
/// How soon Ctrl-C is noticed.
const NOTICE: Duration = Duration::from_millis(40);

/// A display of calls.
pub struct Calls {
    bar: ProgressBar,
    started: Instant,
    /// Whom it is told, by whichever thread.
    call: Option<Arc<Call>>,
    meter: Mutex<RateMeter>,
}

impl Calls {
    /// A display for what is named.
    #[expect(
        clippy::disallowed_methods,
        reason = "the edge: the clock is for the display alone"
    )]
    pub fn new() -> Arc<Self> {
        Arc::new(Calls {
            bar: screen::calls(),
            started: Instant::now(),
            call: inside::here(),
            meter: Mutex::new(RateMeter::new(WINDOW)),
        })
    }

    /// Shows calls about something while `work` makes them, and stops them on Ctrl-C.
    /// `reuse` says which replies of the cache will do.
    pub fn watch<R>(
        &self,
        what: &str,
        reuse: Option<&dyn Fn(&ChatReply) -> bool>,
        work: impl FnOnce(&RunHooks) -> R,
    ) -> R {
        let stop = Stop::new();
        let show = |progress: &Progress| self.show(progress);
        let hooks = RunHooks {
            stop: &stop,
            progress: Some(&show),
            reuse,
        };
        self.bar.set_prefix(judica_report::visible(what));
        let result = stoppable(&stop, || work(&hooks));
        self.bar.finish_and_clear();
        result
    }

    /// Shows how far it is.
    fn show(&self, progress: &Progress) {
        let mut meter = self
            .meter
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        meter.read(self.started.elapsed(), progress.calls_done);
        self.bar.set_length(progress.calls);
        self.bar.set_position(progress.calls_done);
        let left = progress.calls.saturating_sub(progress.calls_done);
        let mut parts = Vec::new();
        if let Some(rate) = meter.per_second() {
            parts.push(format!("{rate:.1}/s"));
        }
        if let Some(usd) = progress.totals.usd {
            parts.push(format!("{usd:.4} USD"));
        }
        if let Some(time) = meter.time_for(left) {
            parts.push(format!("{} s left", time.as_secs()));
        }
        if progress.totals.from_cache > 0 {
            parts.push(format!("{} from the cache", progress.totals.from_cache));
        }
        self.bar.set_message(parts.join("  "));
    }
}

impl Events for Calls {
    fn retrying(&self, retry: &Retry) {
        let text = judica_report::visible(&retry.why);
        let wait = retry.wait.as_secs_f64();
        self.bar
            .set_message(format!("again in {wait:.1} s: {text}"));
    }

    fn downgraded(&self, before: Dialect, now: Dialect, words: &str) {
        // Once for each server, and worth knowing: it may change answers.
        let words = judica_report::visible(words);
        let notes = now.notes_since(before).join("; ");
        let tell = || screen::tell(&format!("{notes} (the server said: {words})"));
        self.bar.suspend(|| inside::within(self.call.clone(), tell));
    }
}

/// Raises `stop` on Ctrl-C while `work` runs.
fn stoppable<R>(stop: &Stop, work: impl FnOnce() -> R) -> R {
    let done = Stop::new();
    let interrupted = interrupted();
    std::thread::scope(|scope| {
        let _over = Over(&done);
        let done = &done;
        scope.spawn(move || {
            while !done.is_stopped() {
                if interrupted.load(Ordering::Relaxed) {
                    stop.stop();
                }
                std::thread::sleep(NOTICE);
            }
        });
        work()
    })
}

/// Raises its flag when work is over, also where it panics: whoever watches it would
/// otherwise watch for ever.
struct Over<'a>(&'a Stop);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_panics_is_over() {
        let panicking = || stoppable(&Stop::new(), || panic!("at work"));
        assert!(std::panic::catch_unwind(panicking).is_err());
        assert_eq!(stoppable(&Stop::new(), || 5), 5);
    }
}
