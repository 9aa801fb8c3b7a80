//! How fast a server is asked: calls and tokens per minute, pauses it asks for, first come
//! first served.

mod bucket;
mod throttle;

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use bucket::Bucket;

/// Limits that a server's owner set; `None` where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PaceLimits {
    /// Calls that may start in a minute.
    pub calls_per_minute: Option<u32>,
    /// Tokens, in and out, that calls may use in a minute.
    pub tokens_per_minute: Option<u64>,
}

/// Lets calls start one after the other, as fast as allowed, in the order they came.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Whoever holds it is the next to start; tokio hands it on in the order of asking, also
    /// when somebody who waited goes away.
    queue: tokio::sync::Mutex<()>,
    bucket: Mutex<Bucket>,
    /// The moment from which the bucket counts.
    origin: Instant,
}

impl Pace {
    pub(crate) fn new(limits: PaceLimits) -> Pace {
        Pace {
            queue: tokio::sync::Mutex::default(),
            bucket: Mutex::new(Bucket::new(
                limits.calls_per_minute,
                limits.tokens_per_minute,
            )),
            origin: Instant::now(),
        }
    }

    /// Waits until a call of an estimated size may start.
    pub(crate) async fn turn(&self, tokens: u64) {
        let _first = self.queue.lock().await;
        loop {
            let now = self.origin.elapsed();
            let ready = {
                let mut bucket = self.bucket();
                let ready = bucket.ready_at();
                if ready <= now {
                    bucket.take(now, tokens);
                    return;
                }
                ready
            };
            // Look again afterwards: meanwhile a pause may have come, or grown.
            match self.origin.checked_add(ready) {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        }
    }

    /// A call is over; corrects its estimate by what it used.
    pub(crate) fn settle(&self, estimated: u64, used: u64) {
        self.bucket().settle(estimated, used);
    }

    /// The server turned a call away, and perhaps said for how long.
    pub(crate) fn turned_away(&self, wait: Option<Duration>) {
        self.bucket().turned_away(self.origin.elapsed(), wait);
    }

    /// The server answered.
    pub(crate) fn answered(&self) {
        self.bucket().answered(self.origin.elapsed());
    }

    /// Nothing that is done under this lock can leave the bucket half changed.
    fn bucket(&self) -> MutexGuard<'_, Bucket> {
        self.bucket
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests;
