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
    assert_eq!(cache.stats().unwrap().replies, 3);
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
    assert_eq!(cache.stats().unwrap().replies, outcome.totals.asked);
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
