//! A gate, which pieces of work pass in their order, or where they leave what is to be done in
//! their turn.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use super::Halt;
use crate::parallel::lock;

/// What is to be done in a piece's turn.
type Left<'q, T, E> = Box<dyn FnOnce(&mut T) -> Result<(), E> + Send + 'q>;

/// Where numbers pass one by one, or leave what whoever is there does for them.
pub(super) struct Gate<'q, T, E> {
    /// What may be touched in turn.
    value: Mutex<T>,
    inside: Mutex<Inside<'q, T, E>>,
    moved: Condvar,
    /// How many may have left something.
    room: usize,
}

struct Inside<'q, T, E> {
    turn: u64,
    /// Whether somebody is in turn.
    busy: bool,
    left: BTreeMap<u64, Left<'q, T, E>>,
}

impl<'q, T, E> Gate<'q, T, E> {
    pub(super) fn new(value: T, room: usize) -> Self {
        Gate {
            value: Mutex::new(value),
            inside: Mutex::new(Inside {
                turn: 0,
                busy: false,
                left: BTreeMap::new(),
            }),
            moved: Condvar::new(),
            room,
        }
    }

    /// Waits for all earlier numbers to pass, then does the same.
    pub(super) fn pass<R>(
        &self,
        number: u64,
        end: &AtomicU64,
        through: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<R, Halt<E>> {
        let inside = self.wait(number, end, |inside| inside.turn == number)?;
        let (result, inside) = self.turn(inside, through)?;
        self.do_what_was_left(inside)?;
        Ok(result)
    }

    /// Leaves what is to be done in turn, and goes on; waits only while too many have done so.
    pub(super) fn leave(
        &self,
        number: u64,
        end: &AtomicU64,
        through: impl FnOnce(&mut T) -> Result<(), E> + Send + 'q,
    ) -> Result<(), Halt<E>> {
        let may = |inside: &Inside<T, E>| inside.turn == number || inside.left.len() < self.room;
        let mut inside = self.wait(number, end, may)?;
        inside.left.insert(number, Box::new(through));
        self.do_what_was_left(inside)
    }

    fn wait(
        &self,
        number: u64,
        end: &AtomicU64,
        may: impl Fn(&Inside<T, E>) -> bool,
    ) -> Result<MutexGuard<'_, Inside<'q, T, E>>, Halt<E>> {
        let mut inside = lock(&self.inside);
        loop {
            if number >= end.load(Ordering::Acquire) {
                return Err(Halt::Overtaken);
            }
            if may(&inside) {
                return Ok(inside);
            }
            inside = self.moved.wait(inside).unwrap_or_else(|p| p.into_inner());
        }
    }

    /// Does what was left by those whose turn it is, unless somebody is about it.
    fn do_what_was_left<'i>(
        &'i self,
        mut inside: MutexGuard<'i, Inside<'q, T, E>>,
    ) -> Result<(), Halt<E>> {
        while !inside.busy {
            let turn = inside.turn;
            let Some(through) = inside.left.remove(&turn) else {
                break;
            };
            let done = self.turn(inside, through);
            ((), inside) = done.map_err(|error| Halt::Left(turn, error))?;
        }
        Ok(())
    }

    /// Does what is to be done in the turn that it is. Others may leave theirs meanwhile;
    /// behind a failure nobody passes.
    fn turn<'i, R>(
        &'i self,
        mut inside: MutexGuard<'i, Inside<'q, T, E>>,
        through: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<(R, MutexGuard<'i, Inside<'q, T, E>>), E> {
        inside.busy = true;
        drop(inside);
        let done = through(&mut lock(&self.value));
        let mut inside = lock(&self.inside);
        inside.busy = false;
        let result = done?;
        inside.turn += 1;
        self.moved.notify_all();
        Ok((result, inside))
    }

    pub(super) fn value(self) -> T {
        self.value.into_inner().unwrap_or_else(|p| p.into_inner())
    }

    pub(super) fn wake(&self) {
        // Whoever has looked at the end already waits by now.
        drop(lock(&self.inside));
        self.moved.notify_all();
    }
}
