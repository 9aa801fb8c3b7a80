//! What one call may spend.
//!
//! A call has the worst case of one attempt set aside. An attempt that does not come back
//! may have been answered, and paid for, behind a connection that broke: its worst case is
//! gone, and the next attempt needs another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::budget::Budget;
use crate::chat::ChatReply;
use crate::tokens::RequestTokens;

/// What one call may spend.
#[derive(Debug)]
pub struct Stake {
    of: Option<(Arc<Budget>, RequestTokens)>,
    /// Whether the worst case of an attempt is set aside.
    held: AtomicBool,
}

impl Stake {
    /// Of a call that nobody counts.
    pub fn free() -> Stake {
        Stake {
            of: None,
            held: AtomicBool::new(true),
        }
    }

    /// Of a call that uses so much at most each time; `None` if there is no room for it now.
    pub(super) fn of(budget: &Arc<Budget>, bound: RequestTokens) -> Option<Stake> {
        budget.set_aside(bound).then(|| Stake {
            of: Some((budget.clone(), bound)),
            held: AtomicBool::new(true),
        })
    }

    /// Whether another attempt may be made. Waits for other calls if that may help.
    pub async fn has_room(&self) -> bool {
        match &self.of {
            Some((budget, bound)) if !self.held.load(Ordering::SeqCst) => {
                let room = budget.set_aside_later(*bound).await;
                self.held.store(room, Ordering::SeqCst);
                room
            }
            _ => true,
        }
    }

    /// An attempt is on its way. It is lost unless it is said to have come back.
    pub fn send(&self) -> Sent<'_> {
        Sent { stake: Some(self) }
    }

    /// The call is over.
    pub(super) fn settle(&self, reply: Option<&ChatReply>) {
        if let Some((budget, bound)) = &self.of
            && self.held.swap(false, Ordering::SeqCst)
        {
            budget.settle(*bound, reply);
        }
    }

    fn lose(&self) {
        if let Some((budget, bound)) = &self.of
            && self.held.swap(false, Ordering::SeqCst)
        {
            budget.lose(*bound);
        }
    }
}

/// An attempt on its way.
#[derive(Debug)]
pub struct Sent<'a> {
    stake: Option<&'a Stake>,
}

impl Sent<'_> {
    /// It came back: with a reply that says what it cost, or refused, which costs nothing.
    pub fn came_back(mut self) {
        self.stake = None;
    }
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if let Some(stake) = self.stake {
            stake.lose();
        }
    }
}
