//! Where work comes from: pieces are taken from the input one by one, and numbered.
//!
//! Whoever takes one also takes the one after it for the next thread that comes. So a thread
//! mostly finds a piece where another one is about to take some, and need not wait for it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, TryLockError};

use crate::parallel::lock;

/// The pieces of an input, for many threads.
pub(super) struct Source<N, W> {
    /// What gives the next piece, and the number that it will have.
    input: Mutex<(N, u64)>,
    ready: Mutex<Ready<W>>,
    /// How many pieces are to stand ready.
    ahead: usize,
}

struct Ready<W> {
    /// Pieces that nobody has yet, with their numbers.
    pieces: VecDeque<(u64, W)>,
    /// Pieces that are done, to be used again.
    done: Vec<W>,
}

impl<N, W> Source<N, W> {
    /// Nothing of it is taken yet. A single thread has nobody to read ahead for.
    pub(super) fn new(next: N, threads: usize) -> Self {
        Source {
            input: Mutex::new((next, 0)),
            ready: Mutex::new(Ready {
                pieces: VecDeque::new(),
                done: Vec::new(),
            }),
            ahead: usize::from(threads > 1),
        }
    }

    /// The next piece below `end`, if there is one, for a piece that is done. How the input
    /// ends is told to `ended`, with the number of the piece that it did not give.
    pub(super) fn take<E>(
        &self,
        done: Option<W>,
        end: &AtomicU64,
        ended: impl Fn(u64, Result<(), E>),
    ) -> Option<(u64, W)>
    where
        N: FnMut(Option<W>) -> Result<Option<W>, E>,
    {
        lock(&self.ready).done.extend(done);
        let mut input = match self.input.try_lock() {
            Ok(input) => input,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => match self.pop() {
                Some(piece) => return below(piece, end),
                None => lock(&self.input),
            },
        };
        let (next, number) = &mut *input;
        while lock(&self.ready).pieces.len() <= self.ahead {
            if *number >= end.load(Ordering::Acquire) {
                break;
            }
            let done = lock(&self.ready).done.pop();
            // A panic in `next` leaves it so, and nobody takes what would come after.
            let this = std::mem::replace(number, u64::MAX);
            match next(done) {
                Ok(Some(piece)) => {
                    *number = this + 1;
                    lock(&self.ready).pieces.push_back((this, piece));
                }
                Ok(None) => ended(this, Ok(())),
                Err(error) => ended(this, Err(error)),
            }
        }
        below(self.pop()?, end)
    }

    fn pop(&self) -> Option<(u64, W)> {
        lock(&self.ready).pieces.pop_front()
    }
}

/// A piece that is still to be worked on.
fn below<W>(piece: (u64, W), end: &AtomicU64) -> Option<(u64, W)> {
    Some(piece).filter(|(number, _)| *number < end.load(Ordering::Acquire))
}
