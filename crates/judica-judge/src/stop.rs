//! The flag that ends a run: raised once, seen by everybody who works or waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A flag that can be raised once and is never lowered. Clones share it.
///
/// It may be raised from any thread, also one without a runtime (a Ctrl-C handler).
#[derive(Debug, Clone, Default)]
pub struct Stop {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    raised: AtomicBool,
    waiting: Notify,
}

impl Stop {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag and wakes everybody who waits for it.
    pub fn stop(&self) {
        self.shared.raised.store(true, Ordering::SeqCst);
        self.shared.waiting.notify_waiters();
    }

    /// Whether the flag is raised.
    pub fn is_stopped(&self) -> bool {
        self.shared.raised.load(Ordering::SeqCst)
    }

    /// Waits until the flag is raised; returns at once if it is.
    pub async fn stopped(&self) {
        // `notify_waiters` reaches every `Notified` that exists when it is called, polled
        // or not, so one that is made before the flag is read cannot miss it.
        let notified = self.shared.waiting.notified();
        if !self.is_stopped() {
            notified.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Stop;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn a_raised_flag_does_not_make_anybody_wait() {
        let stop = Stop::new();
        assert!(!stop.is_stopped());
        stop.clone().stop();
        assert!(stop.is_stopped());
        block_on(stop.stopped());
    }

    #[test]
    fn everybody_who_waits_is_woken_from_another_thread() {
        let stop = Stop::new();
        let raised = stop.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            raised.stop();
        });
        block_on(async { tokio::join!(stop.stopped(), stop.stopped()) });
        thread.join().unwrap();
        assert!(stop.is_stopped());
    }
}
