//! What ends a run early, and what is left then.

use super::*;

#[test]
fn a_fatal_error_ends_the_run_and_calls_in_flight_may_finish() {
    let (_folder, cache) = cache();
    // The others answer after the fatal one, within the time they are given.
    let ask = Scripted::new(|question, _| match question {
        "q1" => (
            Duration::from_millis(10),
            Err(AskError::Fatal("401: bad key".to_owned())),
        ),
        _ => (Duration::from_millis(60), Ok(reply(question))),
    });
    let outcome = run(&numbered(100), &ask, Some(&cache), &with(4));
    assert_eq!(outcome.halt, Some(Halt::Fatal("401: bad key".to_owned())));
    assert_eq!(ask.asked().len(), 4);
    assert_eq!(outcome.totals.asked, 3);
    assert_eq!(outcome.totals.failed, 1);
    assert_eq!(outcome.answers[99], Answer::NotAsked(HaltKind::Fatal));
    assert_eq!(cache.replies(), 3);
}

#[test]
fn a_server_that_cannot_be_reached_is_not_tried_for_every_question() {
    let ask = Scripted::new(|_, _| (Duration::ZERO, Err(gave_up(true))));
    let outcome = run(&numbered(100), &ask, None, &with(1));
    let expected = Halt::Unreachable {
        times: 3,
        message: "no luck".to_owned(),
    };
    assert_eq!(outcome.halt, Some(expected));
    assert_eq!(ask.asked().len(), 3);
    assert_eq!(outcome.totals.attempts, 12);
    // A reply in between starts the count anew.
    let ask = Scripted::new(|question, number| match number % 3 {
        2 => (Duration::ZERO, Ok(reply(question))),
        _ => (Duration::ZERO, Err(gave_up(true))),
    });
    let outcome = run(&numbered(100), &ask, None, &with(1));
    assert_eq!(outcome.halt, None);
    assert_eq!((outcome.totals.asked, outcome.totals.failed), (33, 67));
}

#[test]
fn a_server_that_fails_everybody_is_left_alone_after_a_while() {
    let ask = Scripted::new(|_, _| (Duration::ZERO, Err(gave_up(false))));
    let outcome = run(&numbered(100), &ask, None, &with(1));
    assert_eq!(
        outcome.halt.map(|halt| halt.kind()),
        Some(HaltKind::Failing)
    );
    assert_eq!(outcome.totals.failed, 25);
}

#[test]
fn a_stopped_run_keeps_what_comes_soon_and_abandons_the_rest() {
    let (_folder, cache) = cache();
    let ask = Scripted::new(|question, number| match number {
        0..4 => (Duration::ZERO, Ok(reply(question))),
        4 | 5 => (Duration::from_millis(100), Ok(reply(question))),
        _ => (Duration::from_secs(3600), Ok(reply(question))),
    });
    let stop = Stop::new();
    let raise = stop.clone();
    let progress = move |progress: &Progress| {
        if progress.totals.asked == 4 {
            raise.stop();
        }
    };
    let hooks = RunHooks {
        progress: Some(&progress),
        ..RunHooks::quiet(&stop)
    };
    let jobs = numbered(100);
    let outcome = ask_all(&jobs, &ask, Some(&cache), &with(4), &hooks).unwrap();
    check_counts(&outcome);
    assert_eq!(outcome.halt, Some(Halt::Interrupted));
    assert!(
        outcome.totals.asked >= 4 && outcome.totals.asked <= 6,
        "{:?}",
        outcome.totals
    );
    assert!(outcome.totals.abandoned <= 4);
    assert_eq!(cache.replies(), outcome.totals.asked);
    // The same run again asks only what is missing.
    let again = Scripted::echo();
    let outcome = run(&jobs, &again, Some(&cache), &with(4));
    assert_eq!(outcome.halt, None);
    assert_eq!(again.asked().len() as u64, 100 - outcome.totals.from_cache);
    // A flag that is up from the start.
    let outcome = ask_all(&jobs, &again, Some(&cache), &with(4), &hooks).unwrap();
    assert_eq!(outcome.totals.not_asked, 100);
    check_counts(&outcome);
}

#[test]
fn a_flag_that_is_raised_while_all_wait_is_noticed() {
    let ask = Scripted::new(|_, _| (Duration::from_secs(3600), Ok(reply("late"))));
    let stop = Stop::new();
    let raise = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        raise.stop();
    });
    let options = RunOptions {
        grace: Duration::from_millis(50),
        ..with(3)
    };
    let outcome = ask_all(&numbered(9), &ask, None, &options, &RunHooks::quiet(&stop)).unwrap();
    thread.join().unwrap();
    check_counts(&outcome);
    assert_eq!((outcome.totals.abandoned, outcome.totals.not_asked), (3, 6));
}

#[test]
fn a_cache_that_cannot_be_written_ends_the_run() {
    let (folder, cache) = cache();
    let ask = Scripted::new(move |question, number| {
        if number == 3 {
            // The table goes, as if another program had meddled with the file.
            let file = rusqlite::Connection::open(folder.path().join("cache")).unwrap();
            file.execute_batch("DROP TABLE replies").unwrap();
        }
        (Duration::ZERO, Ok(reply(question)))
    });
    let outcome = run(&numbered(100), &ask, Some(&cache), &with(1));
    assert!(
        matches!(outcome.halt, Some(Halt::Cache(CacheError::File { .. }))),
        "{:?}",
        outcome.halt
    );
    // The reply that could not be kept is an answer all the same.
    assert_eq!(outcome.totals.asked, 4);
    assert_eq!(ask.asked().len(), 4);
}

/// Panics where it is told to, in the middle of a call or before it has begun.
struct Broken {
    inner: Scripted,
    before: bool,
}

impl Ask for Broken {
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        stake: &'a Stake,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ChatReply, AskError>> {
        let broken = request.messages[0].content == "q5";
        assert!(!(broken && self.before), "before q5");
        async move {
            let result = self.inner.ask(request, stake, stop).await;
            assert!(!broken, "after q5");
            result
        }
        .boxed()
    }

    fn identity(&self) -> &str {
        "scripted"
    }
}

#[test]
fn a_panic_on_the_way_ends_the_run_and_keeps_what_came() {
    for (before, words) in [(true, "before q5"), (false, "after q5")] {
        let (_folder, cache) = cache();
        let inner = Scripted::new(|question, _| (Duration::from_millis(5), Ok(reply(question))));
        let outcome = run(
            &numbered(100),
            &Broken { inner, before },
            Some(&cache),
            &with(4),
        );
        let halt = outcome.halt.clone().expect("a halt");
        assert_eq!(halt.exit_code().code(), 3);
        assert!(halt.to_string().starts_with("SYSTEM_ERROR"), "{halt}");
        assert!(halt.to_string().contains(words), "{halt}");
        assert_eq!(outcome.totals.failed, 1);
        assert!((5..12).contains(&outcome.totals.asked), "{outcome:?}");
        assert_eq!(cache.replies(), outcome.totals.asked);
        // Repaired, it goes on.
        let again = Scripted::echo();
        let outcome = run(&numbered(100), &again, Some(&cache), &with(4));
        assert_eq!(outcome.halt, None);
        assert_eq!(again.asked().len() as u64, 100 - outcome.totals.from_cache);
    }
}

#[test]
fn a_panic_beside_the_calls_ends_the_run_as_well() {
    let (_folder, cache) = cache();
    let stop = Stop::new();
    let progress = |progress: &Progress| assert!(progress.totals.asked < 3, "no more ink");
    let hooks = RunHooks {
        progress: Some(&progress),
        ..RunHooks::quiet(&stop)
    };
    let ask = Scripted::echo();
    let error = ask_all(&numbered(9), &ask, Some(&cache), &with(2), &hooks).unwrap_err();
    assert_eq!(error.exit_code().code(), 3);
    assert!(error.to_string().contains("no more ink"), "{error}");
    // The one that was on its way beside the third may have come as well.
    let kept = cache.replies();
    assert!((3..=4).contains(&kept), "{kept}");
    let made = JobsFrom {
        len: 3,
        make: |number: usize| match number {
            1 => panic!("no paper"),
            number => job(&number.to_string()),
        },
    };
    let quiet = RunHooks::quiet(&stop);
    let error = ask_all(&made, &ask, None, &with(2), &quiet).unwrap_err();
    assert_eq!(error.exit_code().code(), 3);
}

#[test]
fn a_server_that_answers_none_of_a_few_is_dead() {
    for (unreachable, kind) in [(true, HaltKind::Unreachable), (false, HaltKind::Failing)] {
        let ask = Scripted::new(move |_, _| (Duration::ZERO, Err(gave_up(unreachable))));
        let outcome = run(&numbered(1), &ask, None, &with(1));
        assert_eq!(outcome.halt.map(|halt| halt.kind()), Some(kind));
    }
    // One answer is a sign of life, also an old one; and nobody need die of a bad question.
    let (_folder, cache) = cache();
    let ask = Scripted::new(|question, _| match question {
        "q0" => (Duration::ZERO, Ok(reply(question))),
        _ => (Duration::ZERO, Err(gave_up(false))),
    });
    for _ in 0..2 {
        let outcome = run(&numbered(2), &ask, Some(&cache), &with(1));
        assert_eq!((outcome.halt, outcome.totals.failed), (None, 1));
    }
    let ask = Scripted::new(|_, _| (Duration::ZERO, Err(refused(Blame::Question))));
    assert_eq!(run(&numbered(2), &ask, None, &with(1)).halt, None);
}

/// Whether a request is refused for its form or for its content shows in the others, however
/// late they come and whenever they were asked.
#[test]
fn a_bad_request_is_judged_when_all_were_asked() {
    let ask = Scripted::new(|_, _| (Duration::ZERO, Err(refused(Blame::Form))));
    for concurrency in [1, 4] {
        let outcome = run(&numbered(3), &ask, None, &with(concurrency));
        let halt = outcome.halt.map(|halt| halt.kind());
        assert_eq!(halt, Some(HaltKind::Failing));
    }
    let (_folder, cache) = cache();
    let ask = Scripted::new(|question, _| match question {
        "q0" => (Duration::ZERO, Err(refused(Blame::Form))),
        _ => (Duration::from_millis(20), Ok(reply(question))),
    });
    let outcomes = [4, 1, 4].map(|concurrency| {
        let outcome = run(&numbered(3), &ask, Some(&cache), &with(concurrency));
        (
            outcome.halt,
            outcome.totals.failed,
            outcome.totals.from_cache,
        )
    });
    assert_eq!(outcomes, [(None, 1, 0), (None, 1, 2), (None, 1, 2)]);
    // Nor do many of them end a run in which somebody is answered.
    let ask = Scripted::new(|_, _| (Duration::ZERO, Err(refused(Blame::Form))));
    let outcome = run(&numbered(100), &ask, Some(&cache), &with(4));
    assert_eq!((outcome.halt, outcome.totals.failed), (None, 98));
    let outcome = run(&numbered(100), &ask, None, &with(1));
    assert_eq!(outcome.totals.failed, 25);
}

fn refused(blame: Blame) -> AskError {
    AskError::GaveUp {
        message: "not this one".to_owned(),
        attempts: 1,
        blame,
    }
}
