//! What a run may do, and who is told.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use super::error::RunError;
use super::price::Price;
use super::progress::Progress;
use crate::chat::ChatReply;
use crate::stop::Stop;

/// What a run may do.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// The most calls in flight.
    pub concurrency: NonZeroUsize,
    /// Threads that prepare questions. The answers do not depend on it.
    pub threads: NonZeroUsize,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
    /// What the calls of this run may cost together. Needs a price.
    pub max_usd: Option<f64>,
    /// How long calls in flight may go on when the run is stopped before they are
    /// abandoned. They will be paid for either way.
    pub grace: Duration,
    /// The run stops when the server could not be reached this often without a reply in
    /// between.
    pub unreachable_limit: u32,
    /// The run stops when this many questions in a row found no answer for any reason.
    pub failure_limit: u32,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            concurrency: NonZeroUsize::MIN,
            threads: NonZeroUsize::MIN,
            price: None,
            max_usd: None,
            grace: Duration::from_millis(500),
            unreachable_limit: 3,
            failure_limit: 25,
        }
    }
}

impl RunOptions {
    /// Whether the options make sense together.
    pub(super) fn check(&self) -> Result<(), RunError> {
        if let Some(price) = &self.price {
            price.check()?;
        }
        match (self.max_usd, &self.price) {
            (None, _) => Ok(()),
            (Some(max), _) if !max.is_finite() || max < 0.0 => Err(RunError::BadBudget(max)),
            (Some(_), None) => Err(RunError::NoPrice),
            (Some(_), Some(_)) => Ok(()),
        }
    }
}

/// Who is told what, and who may stop the run.
#[derive(Clone, Copy)]
pub struct RunHooks<'a> {
    /// Raised by the user to stop the run.
    pub stop: &'a Stop,
    /// Told once after the cache was read, and after each call. It is called on the thread
    /// that makes the calls and must return quickly.
    pub progress: Option<&'a dyn Fn(&Progress)>,
    /// Whether a reply from the cache will do; where it says no, the question is asked
    /// again and the new reply takes the place of the old one.
    pub reuse: Option<&'a dyn Fn(&ChatReply) -> bool>,
}

impl<'a> RunHooks<'a> {
    /// Tells nobody and takes every reply from the cache.
    pub fn quiet(stop: &'a Stop) -> Self {
        RunHooks {
            stop,
            progress: None,
            reuse: None,
        }
    }
}

impl fmt::Debug for RunHooks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHooks")
            .field("stop", self.stop)
            .finish_non_exhaustive()
    }
}
