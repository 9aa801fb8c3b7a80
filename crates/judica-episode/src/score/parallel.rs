//! Several threads at the same work, stopped together.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::EpisodeError;

/// Who does the work, and who watches.
pub struct Workers<'h> {
    /// How many threads.
    pub threads: usize,
    /// Told now and then how many bytes of the present file have been read.
    pub progress: &'h (dyn Fn(u64) + Sync),
    /// Set from outside to stop the run.
    pub interrupted: &'h AtomicBool,
}

impl Workers<'_> {
    /// Does the same on all threads, and waits for all.
    pub fn run(&self, work: impl Fn() + Sync) {
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(&work);
            }
            work();
        });
    }

    /// An error if the run was stopped from outside.
    pub fn go_on(&self) -> Result<(), EpisodeError> {
        if self.interrupted.load(Ordering::Relaxed) {
            Err(EpisodeError::Interrupted)
        } else {
            Ok(())
        }
    }
}

/// Of several failures, the one that comes first in the input.
#[derive(Default)]
pub struct First(Mutex<Option<(u64, EpisodeError)>>);

impl First {
    /// A failure in the chunk with this number.
    pub fn note(&self, chunk: u64, error: EpisodeError) {
        let mut first = self.0.lock().unwrap_or_else(|p| p.into_inner());
        if first.as_ref().is_none_or(|(earlier, _)| chunk < *earlier) {
            *first = Some((chunk, error));
        }
    }

    /// The failure, if there was any.
    pub fn check(self) -> Result<(), EpisodeError> {
        match self.0.into_inner().unwrap_or_else(|p| p.into_inner()) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}
