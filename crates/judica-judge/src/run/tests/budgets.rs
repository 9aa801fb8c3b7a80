//! What a run may cost.

use proptest::prelude::*;

use super::*;

fn priced(max_usd: f64, concurrency: usize) -> RunOptions {
    RunOptions {
        price: Some(Price {
            input_per_1k: 1.0,
            output_per_1k: 1.0,
        }),
        max_usd: Some(max_usd),
        ..with(concurrency)
    }
}

#[test]
fn a_budget_needs_a_price_and_limits_on_the_answers() {
    let ask = Scripted::echo();
    let stop = Stop::new();
    let hooks = RunHooks::quiet(&stop);
    let fails = |jobs: &Vec<Job>, options: &RunOptions| {
        let error = ask_all(jobs, &ask, None, options, &hooks).unwrap_err();
        assert_eq!(error.exit_code().code(), 2);
        error.to_string()
    };
    let jobs = numbered(2);
    let no_price = RunOptions {
        price: None,
        ..priced(1.0, 1)
    };
    assert!(fails(&jobs, &no_price).contains("prices"));
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        fails(&jobs, &priced(bad, 1));
    }
    let mut endless = numbered(2);
    endless[1].request.max_output_tokens = None;
    assert!(fails(&endless, &priced(1.0, 1)).contains("question 1"));
    assert_eq!(ask.asked().len(), 0);
    // What costs nothing needs no limit.
    let mut options = priced(0.0, 1);
    options.price = Some(Price {
        input_per_1k: 0.0,
        output_per_1k: 0.0,
    });
    let outcome = run(&endless, &ask, None, &options);
    assert_eq!((outcome.totals.asked, outcome.totals.usd), (2, Some(0.0)));
}

#[test]
fn a_budget_is_used_up_but_never_exceeded() {
    // Each question is bounded by 2 + 16 + 64 tokens in and 20 out, 0.102 USD, and really
    // uses 10 and 2, 0.012 USD. So with 0.3 USD two fit beside each other at first, and a
    // call is made as long as 0.198 USD or less are spent: the 17th is the last.
    let jobs: Vec<Job> = (10..100).map(|n| job(&n.to_string())).collect();
    for concurrency in [1, 8] {
        let (_folder, cache) = cache();
        let ask = Scripted::echo();
        let outcome = run(&jobs, &ask, Some(&cache), &priced(0.3, concurrency));
        assert!(ask.most_in_flight.load(Ordering::SeqCst) <= 2);
        assert_eq!(outcome.totals.asked, 17);
        let Some(Halt::BudgetReached { spent_usd, max_usd }) = outcome.halt else {
            panic!("{:?}", outcome.halt);
        };
        assert_eq!((outcome.totals.usd, max_usd), (Some(spent_usd), 0.3));
        assert!((spent_usd - 17.0 * 0.012).abs() < 1e-12);
        // Another budget goes on where this one ended.
        let outcome = run(&jobs, &ask, Some(&cache), &priced(100.0, concurrency));
        assert_eq!((outcome.halt, outcome.totals.from_cache), (None, 17));
    }
    let outcome = run(&jobs, &Scripted::echo(), None, &priced(0.0, 4));
    assert_eq!(outcome.totals.not_asked, 90);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the server uses within the bounds, and with whatever failures, the cap
    /// holds; and nothing is left that would have fitted.
    #[test]
    fn the_cap_holds(max in 0.0..2.0f64, concurrency in 1usize..9, seed in any::<u64>()) {
        let ask = Scripted::new(move |question, number| {
            let draw = (seed ^ (number as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let usage = Usage {
                input_tokens: (!draw.is_multiple_of(7)).then_some(draw % 82),
                output_tokens: Some(draw % 21),
            };
            let result = match draw % 5 {
                0 => Err(gave_up(false)),
                _ => Ok(ChatReply { usage, ..reply(question) }),
            };
            (Duration::from_micros(draw % 1500), result)
        });
        let outcome = run(&numbered(60), &ask, None, &priced(max, concurrency));
        prop_assert!(outcome.totals.charged_usd.unwrap() <= max);
        prop_assert!(outcome.totals.usd.unwrap() <= outcome.totals.charged_usd.unwrap());
        if let Some(Halt::BudgetReached { spent_usd, .. }) = outcome.halt {
            prop_assert_eq!(outcome.totals.charged_usd, Some(spent_usd));
            prop_assert!(spent_usd + 0.103 > max);
        }
    }
}

/// Loses so many attempts of each question, and then answers.
struct Losing {
    attempts: u32,
    lost: AtomicUsize,
}

impl Ask for Losing {
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        stake: &'a Stake,
        _stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ChatReply, AskError>> {
        async move {
            for attempt in 0.. {
                if !stake.has_room().await {
                    return Err(AskError::OverBudget);
                }
                let sent = stake.send();
                tokio::time::sleep(Duration::from_micros(300)).await;
                if attempt == self.attempts {
                    sent.came_back();
                    break;
                }
                self.lost.fetch_add(1, Ordering::SeqCst);
            }
            Ok(reply(&request.messages[0].content))
        }
        .boxed()
    }

    fn identity(&self) -> &str {
        "scripted"
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Lost attempts count in full, and the cap holds over all attempts of all questions.
    #[test]
    fn what_is_lost_counts(max in 0.0..3.0f64, concurrency in 1usize..9, attempts in 0u32..4) {
        let ask = Losing { attempts, lost: AtomicUsize::new(0) };
        // Each is bounded by 2 + 16 + 64 tokens in and 20 out.
        let jobs: Vec<Job> = (10..30).map(|n| job(&n.to_string())).collect();
        let outcome = run(&jobs, &ask, None, &priced(max, concurrency));
        let charged = outcome.totals.charged_usd.unwrap();
        prop_assert!(charged <= max);
        let lost = ask.lost.into_inner() as f64;
        let expected = lost * 0.102 + outcome.totals.asked as f64 * 0.012;
        prop_assert!((charged - expected).abs() < 1e-9, "{charged} {expected}");
        match outcome.halt {
            None => prop_assert_eq!(outcome.totals.asked, 20),
            Some(halt) => {
                prop_assert_eq!(halt.kind(), HaltKind::BudgetReached);
                prop_assert!(charged + 0.102 > max, "{charged} of {max}");
            }
        }
    }
}
