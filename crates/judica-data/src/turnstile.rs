//! A turnstile: many threads come with numbered work, and pass one by one in the
//! order of the numbers. That is how parallel work gives the same bytes on any number
//! of threads.

use std::sync::{Condvar, Mutex, MutexGuard};

/// Something that threads may touch only in the order of their numbers.
pub struct Turnstile<T> {
    inner: Mutex<Inner<T>>,
    moved: Condvar,
}

struct Inner<T> {
    next: u64,
    closed: bool,
    value: T,
}

impl<T> Turnstile<T> {
    /// A turnstile in front of `value`, open for number 0.
    pub fn new(value: T) -> Self {
        Turnstile {
            inner: Mutex::new(Inner {
                next: 0,
                closed: false,
                value,
            }),
            moved: Condvar::new(),
        }
    }

    /// Waits until it is `number`'s turn, then lets it through. `None` if the
    /// turnstile was closed meanwhile.
    pub fn pass<R>(&self, number: u64, through: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut inner = self.lock();
        while inner.next != number && !inner.closed {
            inner = self
                .moved
                .wait(inner)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if inner.closed {
            return None;
        }
        let result = through(&mut inner.value);
        inner.next += 1;
        self.moved.notify_all();
        Some(result)
    }

    /// Lets nobody through any more; those who wait go home.
    pub fn close(&self) {
        self.lock().closed = true;
        self.moved.notify_all();
    }

    /// The value, when all is done.
    pub fn into_inner(self) -> T {
        self.inner
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .value
    }

    /// A thread that panicked is reported when it is joined; until then the others
    /// must not hang on its lock.
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_pass_in_order_on_many_threads() {
        let turnstile = Turnstile::new(Vec::new());
        std::thread::scope(|scope| {
            for first in (0..4u64).rev() {
                let turnstile = &turnstile;
                scope.spawn(move || {
                    for number in (first..400).step_by(4) {
                        turnstile.pass(number, |seen| seen.push(number));
                    }
                });
            }
        });
        assert_eq!(turnstile.into_inner(), (0..400).collect::<Vec<_>>());
    }

    #[test]
    fn closing_sends_waiting_threads_home() {
        let turnstile = Turnstile::new(());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turnstile.pass(1, |()| ()));
            turnstile.close();
            assert_eq!(waiting.join().ok(), Some(None));
        });
    }
}
