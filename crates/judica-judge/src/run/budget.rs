//! A limit on what a run costs that holds at every moment.
//!
//! Before an attempt its worst case is set aside; when its reply says what it really used,
//! the difference is free again. Everything is counted in whole tokens and only priced when
//! compared, so nothing is lost to rounding in between.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::options::RunOptions;
use super::price::Price;
use crate::chat::ChatReply;
use crate::tokens::RequestTokens;

/// What may be spent, what is set aside, what is gone.
#[derive(Debug)]
pub(super) struct Budget {
    price: Option<Price>,
    max_usd: Option<f64>,
    books: Mutex<Books>,
    /// Told whenever something that was set aside is free or gone.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Books {
    set_aside: Tokens,
    charged: Tokens,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tokens {
    input: u64,
    output: u64,
}

impl Tokens {
    fn plus(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }

    fn minus(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
        }
    }
}

/// An output without a limit is only admitted where it costs nothing.
impl From<RequestTokens> for Tokens {
    fn from(bound: RequestTokens) -> Self {
        Tokens {
            input: bound.input,
            output: bound.output.unwrap_or(0),
        }
    }
}

impl Budget {
    /// Nothing spent yet.
    pub fn new(options: &RunOptions) -> Self {
        Budget {
            price: options.price,
            max_usd: options.max_usd,
            books: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Sets the worst case of an attempt aside, if it fits whatever those that are on their
    /// way use; says whether it does.
    pub fn set_aside(&self, bound: RequestTokens) -> bool {
        self.set_aside_in(&mut self.books(), bound.into())
    }

    /// The same, but waits as long as attempts on their way may still leave room.
    pub async fn set_aside_later(&self, bound: RequestTokens) -> bool {
        loop {
            // Made before the books are read, so that no change is missed.
            let changed = self.changed.notified();
            {
                let mut books = self.books();
                if self.set_aside_in(&mut books, bound.into()) {
                    return true;
                }
                if books.set_aside == Tokens::default() {
                    return false;
                }
            }
            changed.await;
        }
    }

    fn set_aside_in(&self, books: &mut Books, bound: Tokens) -> bool {
        let most = books.charged.plus(books.set_aside).plus(bound);
        let fits = self
            .limit()
            .is_none_or(|(price, max)| price.usd(most.input, most.output) <= max);
        if fits {
            books.set_aside = books.set_aside.plus(bound);
        }
        fits
    }

    /// An attempt is over: what it used is gone, the rest of its worst case is free.
    ///
    /// Tokens that the server does not tell count as the worst case. Without a reply
    /// nothing was used: what may have been is [lost](Budget::lose).
    pub fn settle(&self, bound: RequestTokens, reply: Option<&ChatReply>) {
        let bound = Tokens::from(bound);
        let used = reply.map(|reply| Tokens {
            input: reply.usage.input_tokens.unwrap_or(bound.input),
            output: reply.usage.output_tokens.unwrap_or(bound.output),
        });
        self.charge(bound, used.unwrap_or_default());
    }

    /// Nobody knows what an attempt cost: its worst case is gone.
    pub fn lose(&self, bound: RequestTokens) {
        self.charge(bound.into(), bound.into());
    }

    fn charge(&self, bound: Tokens, used: Tokens) {
        let mut books = self.books();
        books.set_aside = books.set_aside.minus(bound);
        books.charged = books.charged.plus(used);
        drop(books);
        self.changed.notify_waiters();
    }

    /// What counts as spent, in USD, where prices are known.
    pub fn charged_usd(&self) -> Option<f64> {
        let charged = self.books().charged;
        let usd = self.price?.usd(charged.input, charged.output);
        Some(usd).filter(|usd| usd.is_finite())
    }

    /// The limit, in USD.
    pub fn max_usd(&self) -> Option<f64> {
        self.limit().map(|(_, max)| max)
    }

    fn limit(&self) -> Option<(Price, f64)> {
        self.price.zip(self.max_usd)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Finish, Usage};

    /// Input 1 USD per token, output 10, and so much money.
    fn budget(max_usd: f64) -> Budget {
        Budget::new(&RunOptions {
            price: Some(Price {
                input_per_1k: 1000.0,
                output_per_1k: 10_000.0,
            }),
            max_usd: Some(max_usd),
            ..RunOptions::default()
        })
    }

    fn bound(input: u64, output: u64) -> RequestTokens {
        RequestTokens {
            input,
            output: Some(output),
        }
    }

    fn reply(input: Option<u64>, output: Option<u64>) -> ChatReply {
        ChatReply {
            text: String::new(),
            finish: Finish::Complete,
            usage: Usage {
                input_tokens: input,
                output_tokens: output,
            },
            served_by: None,
            latency_ms: 0,
            attempts: 3,
            left_out: Vec::new(),
        }
    }

    #[test]
    fn the_worst_case_is_set_aside_and_the_rest_comes_back() {
        let budget = budget(100.0);
        assert!(!budget.set_aside(bound(51, 5)));
        assert!(
            budget.set_aside(bound(50, 5)),
            "exactly the limit is allowed"
        );
        assert!(!budget.set_aside(bound(1, 0)));
        budget.settle(bound(50, 5), Some(&reply(Some(10), Some(1))));
        assert_eq!(budget.charged_usd(), Some(20.0));
        assert!(!budget.set_aside(bound(31, 5)));
        assert!(budget.set_aside(bound(30, 5)));
    }

    #[test]
    fn what_the_server_does_not_tell_counts_in_full_and_so_does_what_is_lost() {
        let budget = budget(1000.0);
        for reply in [Some(reply(None, Some(2))), None] {
            assert!(budget.set_aside(bound(50, 5)));
            budget.settle(bound(50, 5), reply.as_ref());
        }
        assert_eq!(budget.charged_usd(), Some(70.0));
        assert!(budget.set_aside(bound(50, 5)));
        budget.lose(bound(50, 5));
        assert_eq!(budget.charged_usd(), Some(170.0));
    }

    #[test]
    fn a_server_that_claims_absurd_numbers_ends_the_run() {
        let budget = budget(100.0);
        budget.settle(bound(1, 1), Some(&reply(Some(u64::MAX), Some(u64::MAX))));
        budget.settle(bound(1, 1), Some(&reply(Some(u64::MAX), Some(u64::MAX))));
        assert!(!budget.set_aside(bound(0, 0)));
        assert!(budget.charged_usd().is_some_and(f64::is_finite));
    }

    #[test]
    fn without_a_limit_everything_is_admitted() {
        let budget = Budget::new(&RunOptions::default());
        assert!(budget.set_aside(bound(u64::MAX, u64::MAX)));
        assert_eq!((budget.charged_usd(), budget.max_usd()), (None, None));
    }

    #[test]
    fn who_needs_more_waits_for_those_who_may_leave_some() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        for (used, admitted) in [(1, true), (5, false)] {
            let budget = budget(100.0);
            assert!(budget.set_aside(bound(50, 5)));
            let both = async {
                let later = budget.set_aside_later(bound(50, 0));
                let settled = async {
                    tokio::task::yield_now().await;
                    budget.settle(bound(50, 5), Some(&reply(Some(10), Some(used))));
                };
                tokio::join!(later, settled).0
            };
            assert_eq!(runtime.block_on(both), admitted);
        }
    }
}
