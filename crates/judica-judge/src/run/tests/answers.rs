//! Which answers come, in which order, and from where.

use proptest::prelude::*;

use super::*;

#[test]
fn answers_come_in_the_order_of_the_jobs_whatever_finishes_first() {
    let jobs = numbered(300);
    let expected: Vec<String> = (0..300).map(|number| format!("q{number}")).collect();
    let mut outcomes = Vec::new();
    for concurrency in [1, 64] {
        let (_folder, cache) = cache();
        let ask = Scripted::echo();
        let outcome = run(&jobs, &ask, Some(&cache), &with(concurrency));
        assert_eq!(outcome.halt, None);
        let got: Vec<&str> = texts(&outcome).into_iter().map(Option::unwrap).collect();
        assert_eq!(got, expected);
        let most = ask.most_in_flight.load(Ordering::SeqCst);
        assert!(most <= concurrency && most > concurrency / 2, "{most}");
        assert_eq!(cache.replies(), 300);
        outcomes.push(outcome);
    }
    assert_eq!(outcomes[0], outcomes[1]);
}

#[test]
fn no_jobs_no_calls() {
    let outcome = run(&numbered(0), &Scripted::echo(), None, &with(4));
    assert_eq!(outcome.answers, []);
    assert_eq!(outcome.totals, Totals::default());
}

#[test]
fn a_second_run_asks_nothing_and_gives_the_same() {
    let (_folder, cache) = cache();
    let jobs = numbered(50);
    let ask = Scripted::echo();
    let first = run(&jobs, &ask, Some(&cache), &with(8));
    let made = JobsFrom {
        len: 50,
        make: |number| job(&format!("q{number}")),
    };
    let second = run(&made, &ask, Some(&cache), &with(8));
    assert_eq!(ask.asked().len(), 50);
    assert_eq!(texts(&first), texts(&second));
    assert_eq!((first.totals.asked, first.totals.from_cache), (50, 0));
    assert_eq!((second.totals.asked, second.totals.from_cache), (0, 50));
    assert_eq!(second.totals.input_tokens, 0);
}

#[test]
fn equal_jobs_are_asked_once_and_votes_are_not_equal() {
    let mut jobs = vec![job("a"), job("b"), job("a"), job("a")];
    jobs.push(Job {
        vote: 1,
        ..job("a")
    });
    let ask = Scripted::echo();
    let outcome = run(&jobs, &ask, None, &with(8));
    assert_eq!(ask.asked(), ["a", "b", "a"]);
    let expected = ["a", "b", "a", "a", "a"].map(Some);
    assert_eq!(texts(&outcome), expected);
    assert_eq!((outcome.totals.asked, outcome.totals.shared), (3, 2));
    assert_eq!(outcome.totals.input_tokens, 30, "paid once");
    // Also where there is no reply.
    let ask = Scripted::new(|_, _| (Duration::ZERO, Err(gave_up(false))));
    let outcome = run(&jobs, &ask, None, &with(1));
    assert_eq!(outcome.totals.failed, 5);
    assert_eq!(ask.asked().len(), 3);
}

#[test]
fn unreadable_replies_are_answers_that_are_not_kept() {
    let (_folder, cache) = cache();
    let ask = Scripted::new(|question, _| {
        let finish = match question {
            "q0" => Finish::Unreadable,
            _ => Finish::Refused,
        };
        (
            Duration::ZERO,
            Ok(ChatReply {
                finish,
                ..reply("x")
            }),
        )
    });
    for _ in 0..2 {
        assert_eq!(
            texts(&run(&numbered(2), &ask, Some(&cache), &with(2))),
            [Some("x"); 2]
        );
    }
    assert_eq!(ask.asked(), ["q0", "q1", "q0"]);
}

#[test]
fn replies_that_will_not_do_are_asked_again_and_replaced() {
    let (_folder, cache) = cache();
    let jobs = numbered(3);
    run(&jobs, &Scripted::echo(), Some(&cache), &with(2));
    let ask = Scripted::new(|_, _| (Duration::ZERO, Ok(reply("better"))));
    let stop = Stop::new();
    let hooks = RunHooks {
        reuse: Some(&|reply| reply.text != "q1"),
        ..RunHooks::quiet(&stop)
    };
    let outcome = ask_all(&jobs, &ask, Some(&cache), &with(2), &hooks).unwrap();
    assert_eq!(texts(&outcome), [Some("q0"), Some("better"), Some("q2")]);
    assert_eq!(ask.asked(), ["q1"]);
    let kept = cache
        .get(&Key::of("scripted", &jobs[1].request, 0))
        .unwrap();
    assert_eq!(kept, Some(reply("better")));
}

#[test]
fn progress_counts_up_to_the_end() {
    let (_folder, cache) = cache();
    run(&numbered(5), &Scripted::echo(), Some(&cache), &with(2));
    let seen = Mutex::new(Vec::new());
    let stop = Stop::new();
    let progress = |progress: &Progress| seen.lock().unwrap().push(progress.clone());
    let hooks = RunHooks {
        progress: Some(&progress),
        ..RunHooks::quiet(&stop)
    };
    let outcome = ask_all(
        &numbered(20),
        &Scripted::echo(),
        Some(&cache),
        &with(4),
        &hooks,
    )
    .unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 16);
    for (number, progress) in seen.iter().enumerate() {
        assert_eq!((progress.calls, progress.calls_done), (15, number as u64));
        assert_eq!(progress.totals.from_cache, 5);
    }
    assert_eq!(seen[15].totals, outcome.totals);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_mix_of_equal_and_failing_jobs_adds_up(
        questions in prop::collection::vec(0u8..12, 0..60),
        concurrency in 1usize..9,
    ) {
        let ask = Scripted::new(|question, _| match question {
            "3" | "7" => (Duration::ZERO, Err(gave_up(false))),
            _ => (Duration::ZERO, Ok(reply(question))),
        });
        let jobs: Vec<Job> = questions.iter().map(|q| job(&q.to_string())).collect();
        let outcome = run(&jobs, &ask, None, &with(concurrency));
        for (question, answer) in questions.iter().zip(&outcome.answers) {
            let text = question.to_string();
            match answer {
                Answer::Reply { reply, .. } => prop_assert_eq!(&reply.text, &text),
                Answer::Failed(_) => prop_assert!([3, 7].contains(question)),
                Answer::NotAsked(_) => prop_assert!(false),
            }
        }
        let mut asked = ask.asked();
        let calls = asked.len();
        asked.sort();
        asked.dedup();
        prop_assert_eq!(asked.len(), calls);
    }
}

#[test]
fn progress_is_told_also_where_nothing_is_asked() {
    let (_folder, cache) = cache();
    run(&numbered(2), &Scripted::echo(), Some(&cache), &with(1));
    let told = Mutex::new(Vec::new());
    let stop = Stop::new();
    let progress = |progress: &Progress| told.lock().unwrap().push(progress.totals.from_cache);
    let hooks = RunHooks {
        progress: Some(&progress),
        ..RunHooks::quiet(&stop)
    };
    ask_all(
        &numbered(2),
        &Scripted::echo(),
        Some(&cache),
        &with(1),
        &hooks,
    )
    .unwrap();
    assert_eq!(told.into_inner().unwrap(), [2]);
}
