//! Asking again: in other words, or because a reply could not be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::judge::data::{NO, YES, asked, judge, judged, place_with, row, verdicts, yes};
use crate::server::{Answer, Received, Server};
use crate::support::Place;

/// Whether a question is put in the words of the built-in prompt.
fn in_own_words(received: &Received) -> bool {
    let body = String::from_utf8_lossy(&received.body).into_owned();
    body.contains("Does the prediction mean the same as the gold for this input?")
}

#[test]
fn a_probe_counts_the_verdicts_that_flip() {
    let place = place_with(10);
    let server =
        Server::start(|received, _| Answer::says(if in_own_words(received) { YES } else { NO }));
    judge(&place, &server, "--probe 4")
        .exits(0)
        .says(&["flips", "1.0000"]);
    assert_eq!(server.requests().len(), 14);
    let report = place.json("judged/judge_report.json");
    let probe = &report["judges"][0]["datasets"][0]["probe"];
    assert_eq!((&probe["n"], &probe["flips"]), (&4.into(), &4.into()));
    assert_eq!(
        (&probe["yes_to_no"], &probe["no_to_yes"]),
        (&4.into(), &0.into())
    );
    assert_eq!(probe["flip_rate"]["value"], 1.0);
    assert_eq!(
        verdicts(&judged(&place)),
        ["yes ok"; 10],
        "a probe decides nothing"
    );
    // The same rows in the same words again: all of it is known.
    judge(&place, &server, "--probe 4").exits(0);
    assert_eq!(server.requests().len(), 14);
}

#[test]
fn a_steady_judge_has_no_flips_and_more_rows_than_there_are_is_all() {
    let (place, server) = (place_with(3), yes());
    judge(&place, &server, "--probe 50").exits(0);
    assert_eq!(server.requests().len(), 6);
    let probe = &place.json("judged/judge_report.json")["judges"][0]["datasets"][0]["probe"];
    assert_eq!(
        (&probe["n"], &probe["flip_rate"]["value"]),
        (&3.into(), &0.0.into())
    );
}

#[test]
fn repeats_of_an_item_are_no_more_questions() {
    let place = Place::new();
    let repeat = |epoch: u32| {
        let mut repeat = row(1);
        repeat["epoch"] = epoch.into();
        repeat.to_string()
    };
    let rows: Vec<String> = (1..=5).map(repeat).collect();
    place.write_lines("preds/set.jsonl", &rows);
    let server = yes();
    judge(&place, &server, "--probe 5 --run r").exits(0);
    let probe = |report: &str| place.json(report)["judges"][0]["datasets"][0]["probe"].clone();
    let found = probe("judged/judge_report.json");
    assert_eq!(
        (&found["n"], &found["flip_rate"]["clusters"]),
        (&5.into(), &1.into())
    );
    assert_eq!(
        found["flip_rate"]["ci_undefined"],
        "one cluster has no interval"
    );
    place.judica("reproduce r").exits(0);
}

#[test]
fn a_probe_that_cannot_be_paid_for_is_no_success() {
    let (place, server) = (place_with(2), yes());
    place.write(
        "prices.yaml",
        "m: {price_input_per_1k: 1, price_output_per_1k: 1}\n",
    );
    judge(&place, &server, "").exits(0);
    judge(
        &place,
        &server,
        "--probe 2 --prices prices.yaml --max-usd 0",
    )
    .exits(3)
    .complains(&["limit of 0 USD"]);
    assert_eq!(verdicts(&judged(&place)), ["yes ok"; 2]);
}

#[test]
fn what_could_not_be_read_is_asked_again_when_that_is_wanted() {
    let healed = Arc::new(AtomicBool::new(false));
    let seen = healed.clone();
    let server = Server::start(move |received, _| {
        let mumbles = asked(received) == "question 1" && !seen.load(Ordering::SeqCst);
        Answer::says(if mumbles { "It is a fine day." } else { YES })
    });
    let place = place_with(3);
    judge(&place, &server, "").exits(0);
    assert_eq!(
        verdicts(&judged(&place)),
        ["yes ok", "no invalid", "yes ok"]
    );
    assert_eq!(judged(&place)["judge"]["n_invalid"], 1);
    healed.store(true, Ordering::SeqCst);
    judge(&place, &server, "").exits(0).says(&["current"]);
    assert_eq!(
        server.requests().len(),
        3,
        "an unreadable reply is an answer"
    );
    judge(&place, &server, "--retry-invalid").exits(0);
    assert_eq!(server.requests().len(), 4);
    assert_eq!(verdicts(&judged(&place)), ["yes ok"; 3]);
    judge(&place, &server, "--retry-invalid").exits(0);
    assert_eq!(server.requests().len(), 4);
}
