//! Work on many threads, with steps that happen in the order of the input.
//!
//! ```text
//! next ─ work (all threads) ─┤first├─ work (all threads) ─┤last├
//! one by one                in order                    in order
//! ```
//!
//! Whatever `next` gives is numbered. Any thread works on any number; at a gate the numbers
//! pass one by one, in order. That is how parallel work gives the same bytes on any number
//! of threads.
//!
//! Of several failures, the one that comes first in the input is told, whatever the timing:
//! a failure sends home the numbers behind it, and those before it go on. A failure of
//! `next`, and an interruption, come after all that was handed out before. A panic sends
//! everybody home and is passed on.
//!
//! A thread holds one piece of work, and waits at the last gate until it is its turn; or it
//! leaves there what is to be done in its turn, and goes on with the next piece. It waits if too
//! many have done so, so that memory does not grow with the input.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use self::gate::Gate;
use crate::parallel::{lock, on_threads};

mod gate;

/// How many pieces of work may have left something at the last gate, for each thread.
const LEFT_PER_THREAD: usize = 2;

/// Told how many things are done, and of how many, once that is known.
pub type Told<'t> = dyn Fn(u64, Option<u64>) + Sync + 't;

/// Who works, and what stops them.
#[derive(Clone, Copy)]
pub struct Workers<'h> {
    /// How many threads; none is one. The result does not depend on it.
    pub threads: usize,
    /// Set from outside to stop the run. Looked at before each piece of work.
    pub interrupted: &'h AtomicBool,
}

impl Workers<'_> {
    /// An error if the run was stopped from outside.
    pub fn go_on(&self) -> Result<(), Interrupted> {
        match self.interrupted.load(Ordering::Relaxed) {
            true => Err(Interrupted),
            false => Ok(()),
        }
    }
}

/// The run was stopped from outside.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted;

/// Why a piece of work did not come through.
#[derive(Debug)]
pub enum Halt<E> {
    /// It failed.
    Failed(E),
    /// What the piece of this number had left at the last gate failed.
    Left(u64, E),
    /// Earlier work failed, or a thread panicked: there is nothing left to do.
    Overtaken,
}

impl<E> From<E> for Halt<E> {
    fn from(error: E) -> Self {
        Halt::Failed(error)
    }
}

/// Says that a piece of work has passed its last gate, or has left there what is to be done:
/// nothing else can be said to have come through, or those behind it would wait for ever.
pub struct Passed(());

/// The way of a piece of work through a gate, with more behind it.
pub struct Way<'g, 'q, A, E, Rest> {
    number: u64,
    gate: &'g Gate<'q, A, E>,
    end: &'g AtomicU64,
    rest: Rest,
}

/// The way of a piece of work through two gates.
pub type First<'g, 'q, A, B, E> = Way<'g, 'q, A, E, Last<'g, 'q, B, E>>;

impl<A, E, Rest> Way<'_, '_, A, E, Rest> {
    /// Waits for all earlier work to pass the gate, then does the same.
    pub fn pass<R>(
        self,
        through: impl FnOnce(&mut A) -> Result<R, E>,
    ) -> Result<(R, Rest), Halt<E>> {
        let result = self.gate.pass(self.number, self.end, through)?;
        Ok((result, self.rest))
    }
}

/// The way of a piece of work through the last gate.
pub struct Last<'g, 'q, B, E> {
    number: u64,
    gate: &'g Gate<'q, B, E>,
    end: &'g AtomicU64,
}

impl<'q, B, E> Last<'_, 'q, B, E> {
    /// Waits for all earlier work to pass the last gate, then does the same.
    pub fn pass(self, through: impl FnOnce(&mut B) -> Result<(), E>) -> Result<Passed, Halt<E>> {
        self.gate.pass(self.number, self.end, through)?;
        Ok(Passed(()))
    }

    /// Has it done once all earlier work has passed the last gate, on whatever thread, and does
    /// not wait for it.
    pub fn leave(
        self,
        through: impl FnOnce(&mut B) -> Result<(), E> + Send + 'q,
    ) -> Result<Passed, Halt<E>> {
        self.gate.leave(self.number, self.end, through)?;
        Ok(Passed(()))
    }
}

/// Runs all work through one gate.
///
/// * `next` gives the next piece of work, or none after the last; it is handed a piece that
///   is done, for its memory;
/// * `last` is what may be touched only in order; it comes back in the end;
/// * `state` makes what each thread has for itself;
/// * `work` does one piece, and passes the gate.
pub fn run<'q, W: Send, S, B: Send, E: From<Interrupted> + Send>(
    workers: Workers,
    next: impl FnMut(Option<W>) -> Result<Option<W>, E> + Send,
    last: B,
    state: impl Fn() -> Result<S, E> + Sync,
    work: impl Fn(&mut S, &W, Last<'_, 'q, B, E>) -> Result<Passed, Halt<E>> + Sync,
) -> Result<B, E> {
    // Nobody passes the other gate.
    let ((), last) = run_both(workers, next, (), last, state, |state, piece, way| {
        work(state, piece, way.rest)
    })?;
    Ok(last)
}

/// The same through two gates, with `first` at the first one.
pub fn run_both<'q, W: Send, S, A: Send, B: Send, E: From<Interrupted> + Send>(
    workers: Workers,
    next: impl FnMut(Option<W>) -> Result<Option<W>, E> + Send,
    first: A,
    last: B,
    state: impl Fn() -> Result<S, E> + Sync,
    work: impl Fn(&mut S, &W, First<'_, 'q, A, B, E>) -> Result<Passed, Halt<E>> + Sync,
) -> Result<(A, B), E> {
    // Nobody passes the gate between.
    let between = |state: &mut S, piece: &W, way: Way<'_, 'q, A, E, First<'_, 'q, (), B, E>>| {
        let (number, gate, end) = (way.number, way.gate, way.end);
        let rest = way.rest.rest;
        let way = Way {
            number,
            gate,
            end,
            rest,
        };
        work(state, piece, way)
    };
    let (first, (), last) = run_three(workers, next, (first, (), last), state, between)?;
    Ok((first, last))
}

/// The same through three gates, with one of `gates` at each.
pub fn run_three<'q, W: Send, S, A: Send, B: Send, C: Send, E: From<Interrupted> + Send>(
    workers: Workers,
    next: impl FnMut(Option<W>) -> Result<Option<W>, E> + Send,
    gates: (A, B, C),
    state: impl Fn() -> Result<S, E> + Sync,
    work: impl Fn(&mut S, &W, Way<'_, 'q, A, E, First<'_, 'q, B, C, E>>) -> Result<Passed, Halt<E>>
    + Sync,
) -> Result<(A, B, C), E> {
    let queue = Mutex::new((next, 0));
    let line = Line {
        first: Gate::new(gates.0, 0),
        middle: Gate::new(gates.1, 0),
        last: Gate::new(gates.2, LEFT_PER_THREAD * workers.threads.max(1)),
        end: AtomicU64::new(u64::MAX),
        failure: Mutex::new(None),
    };
    let take = |done| {
        let mut queue = lock(&queue);
        let (next, number) = &mut *queue;
        if *number >= line.end.load(Ordering::Acquire) {
            return None;
        }
        let going = workers.go_on().map_err(E::from);
        // A panic in `next` leaves it so, and nobody takes what would come after.
        let this = std::mem::replace(number, u64::MAX);
        match going.and_then(|()| next(done)) {
            Ok(Some(piece)) => {
                *number = this + 1;
                return Some((this, piece));
            }
            Ok(None) => line.end_at(this),
            Err(error) => line.fail(this, error),
        }
        None
    };
    on_threads(workers.threads, || {
        let _alarm = Alarm(&line);
        let (mut own, mut done) = (None, None);
        while let Some((number, piece)) = take(done.take()) {
            let passed = match &mut own {
                Some(own) => work(own, &piece, line.way(number)),
                None => state()
                    .map_err(Halt::Failed)
                    .and_then(|made| work(own.insert(made), &piece, line.way(number))),
            };
            match passed {
                Ok(Passed(())) => done = Some(piece),
                Err(Halt::Failed(error)) => return line.fail(number, error),
                Err(Halt::Left(number, error)) => return line.fail(number, error),
                Err(Halt::Overtaken) => return,
            }
        }
    });
    let failure = lock(&line.failure).take();
    match failure {
        Some((_, error)) => Err(error),
        None => Ok((line.first.value(), line.middle.value(), line.last.value())),
    }
}

/// What the threads share.
struct Line<'q, A, B, C, E> {
    first: Gate<'q, A, E>,
    middle: Gate<'q, B, E>,
    last: Gate<'q, C, E>,
    /// The numbers from here on go home.
    end: AtomicU64,
    /// The earliest failure so far.
    failure: Mutex<Option<(u64, E)>>,
}

impl<'q, A, B, C, E> Line<'q, A, B, C, E> {
    fn way(&self, number: u64) -> Way<'_, 'q, A, E, First<'_, 'q, B, C, E>> {
        let end = &self.end;
        let last = Last {
            number,
            gate: &self.last,
            end,
        };
        let middle = Way {
            number,
            gate: &self.middle,
            end,
            rest: last,
        };
        Way {
            number,
            gate: &self.first,
            end,
            rest: middle,
        }
    }

    fn fail(&self, number: u64, error: E) {
        let mut failure = lock(&self.failure);
        if failure
            .as_ref()
            .is_none_or(|(earlier, _)| number < *earlier)
        {
            *failure = Some((number, error));
        }
        drop(failure);
        self.end_at(number);
    }

    fn end_at(&self, number: u64) {
        self.end.fetch_min(number, Ordering::AcqRel);
        self.first.wake();
        self.middle.wake();
        self.last.wake();
    }
}

/// Sends everybody home when its thread panics: they would wait for ever.
struct Alarm<'l, 'q, A, B, C, E>(&'l Line<'q, A, B, C, E>);

impl<A, B, C, E> Drop for Alarm<'_, '_, A, B, C, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end_at(0);
        }
    }
}

#[cfg(test)]
mod tests;
