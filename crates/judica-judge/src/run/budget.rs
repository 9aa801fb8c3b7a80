//! A limit on what a run costs that holds at every moment.
//!
//! Before a call its worst case is set aside; when its reply says what it really used, the
//! difference is free again. Everything is counted in whole tokens and only priced when
//! compared, so nothing is lost to rounding in between.

use super::options::RunOptions;
use super::price::Price;
use crate::chat::{ChatReply, Finish};
use crate::tokens::RequestTokens;

/// What may be spent, what is set aside, what is gone.
#[derive(Debug)]
pub(super) struct Budget {
    price: Option<Price>,
    max_usd: Option<f64>,
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
            set_aside: Tokens::default(),
            charged: Tokens::default(),
        }
    }

    /// Whether a call that uses so much at most still fits, whatever those in flight use.
    pub fn admits(&self, bound: RequestTokens) -> bool {
        let most = self.charged.plus(self.set_aside).plus(bound.into());
        self.limit()
            .is_none_or(|(price, max)| price.usd(most.input, most.output) <= max)
    }

    /// Sets a call's worst case aside.
    pub fn set_aside(&mut self, bound: RequestTokens) {
        self.set_aside = self.set_aside.plus(bound.into());
    }

    /// A call is over: what it used is gone, the rest of its worst case is free.
    ///
    /// Tokens that the server does not tell count as the worst case. A call without a
    /// reply counts nothing: nobody can know what it cost, and providers do not charge
    /// for refused or failed requests.
    pub fn settle(&mut self, bound: RequestTokens, reply: Option<&ChatReply>) {
        let bound = Tokens::from(bound);
        self.set_aside = self.set_aside.minus(bound);
        let Some(reply) = reply else { return };
        let used = Tokens {
            input: reply.usage.input_tokens.unwrap_or(bound.input),
            output: reply.usage.output_tokens.unwrap_or(bound.output),
        };
        // What could not be read was asked for each time, and may have cost each time.
        let times = match reply.finish {
            Finish::Unreadable => reply.attempts.max(1),
            _ => 1,
        };
        self.charged = self.charged.plus(Tokens {
            input: used.input.saturating_mul(u64::from(times)),
            output: used.output.saturating_mul(u64::from(times)),
        });
    }

    /// What counts as spent, in USD, where prices are known.
    pub fn charged_usd(&self) -> Option<f64> {
        let usd = self.price?.usd(self.charged.input, self.charged.output);
        Some(usd).filter(|usd| usd.is_finite())
    }

    /// The limit, in USD.
    pub fn max_usd(&self) -> Option<f64> {
        self.limit().map(|(_, max)| max)
    }

    fn limit(&self) -> Option<(Price, f64)> {
        self.price.zip(self.max_usd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Usage;

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
        }
    }

    #[test]
    fn the_worst_case_is_set_aside_and_the_rest_comes_back() {
        let mut budget = budget(100.0);
        assert!(budget.admits(bound(50, 5)), "exactly the limit is allowed");
        assert!(!budget.admits(bound(51, 5)));
        budget.set_aside(bound(50, 5));
        assert!(!budget.admits(bound(1, 0)));
        budget.settle(bound(50, 5), Some(&reply(Some(10), Some(1))));
        assert_eq!(budget.charged_usd(), Some(20.0));
        assert!(budget.admits(bound(30, 5)));
        assert!(!budget.admits(bound(31, 5)));
    }

    #[test]
    fn what_the_server_does_not_tell_counts_in_full_and_no_reply_counts_nothing() {
        let mut budget = budget(1000.0);
        for reply in [Some(reply(None, Some(2))), None] {
            budget.set_aside(bound(50, 5));
            budget.settle(bound(50, 5), reply.as_ref());
        }
        assert_eq!(budget.charged_usd(), Some(70.0));
        let unreadable = ChatReply {
            finish: Finish::Unreadable,
            ..reply(None, None)
        };
        budget.settle(bound(1, 1), Some(&unreadable));
        assert_eq!(budget.charged_usd(), Some(70.0 + 3.0 * 11.0));
    }

    #[test]
    fn a_server_that_claims_absurd_numbers_ends_the_run() {
        let mut budget = budget(100.0);
        budget.settle(bound(1, 1), Some(&reply(Some(u64::MAX), Some(u64::MAX))));
        budget.settle(bound(1, 1), Some(&reply(Some(u64::MAX), Some(u64::MAX))));
        assert!(!budget.admits(bound(0, 0)));
        assert!(budget.charged_usd().is_some_and(f64::is_finite));
    }

    #[test]
    fn without_a_limit_everything_is_admitted() {
        let budget = Budget::new(&RunOptions::default());
        assert!(budget.admits(bound(u64::MAX, u64::MAX)));
        assert_eq!((budget.charged_usd(), budget.max_usd()), (None, None));
    }
}
