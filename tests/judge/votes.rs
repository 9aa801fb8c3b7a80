//! Several replies to each question.

use crate::judge::data::{NO, YES, judge, judged, place_with, verdicts};
use crate::server::{Answer, Server};

/// A server that says to each vote what `letters` say: `y`, `n`, or nonsense.
fn voting(letters: &'static str) -> Server {
    Server::start(move |received, _| {
        let seed = received.json()["seed"]
            .as_u64()
            .expect("a seed for each vote");
        Answer::says(match letters.as_bytes()[seed as usize] {
            b'y' => YES,
            b'n' => NO,
            _ => "who knows",
        })
    })
}

#[test]
fn the_majority_decides_in_whatever_order() {
    for (letters, expected) in [
        ("yyn", "yes ok"),
        ("yny", "yes ok"),
        ("nyy", "yes ok"),
        ("nny", "no ok"),
        ("yn", "no ok"),
        ("ny", "no ok"),
        ("?y", "yes ok"),
        ("y?", "yes ok"),
        ("??y", "yes ok"),
        ("?yn", "no ok"),
        ("???", "no invalid"),
    ] {
        let (place, server) = (place_with(2), voting(letters));
        judge(&place, &server, &format!("--votes {}", letters.len())).exits(0);
        let document = judged(&place);
        assert_eq!(verdicts(&document), [expected; 2], "{letters}");
        assert_eq!(server.requests().len(), 2 * letters.len());
        let votes = document["detailed_results"][0]["votes"].as_array().unwrap();
        let said: String = votes
            .iter()
            .map(
                |vote| match (vote["parse_status"].as_str(), vote["correct"].as_str()) {
                    (Some("ok"), Some(word)) => &word[..1],
                    _ => "?",
                },
            )
            .collect();
        assert_eq!(
            said, letters,
            "the votes stand in the order they were asked in"
        );
        assert_eq!(document["votes"], letters.len());
    }
}

#[test]
fn tokens_of_all_votes_are_counted() {
    let (place, server) = (place_with(2), voting("yny"));
    judge(&place, &server, "--votes 3").exits(0);
    let document = judged(&place);
    let row = &document["detailed_results"][0];
    assert_eq!(
        (&row["judge_tokens_input"], &row["judge_tokens_output"]),
        (&33.into(), &21.into())
    );
    assert_eq!(document["judge"]["tokens_input"], 66);
    assert_eq!(
        (&document["judge"]["n_asked"], &row["reasoning"]),
        (&2.into(), &"They mean the same.".into())
    );
    // One reply has no list of one.
    judge(&place, &server, "--votes 1").exits(0);
    assert_eq!(judged(&place)["detailed_results"][0].get("votes"), None);
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn a_missing_vote_leaves_the_row_open() {
    let server = Server::start(|received, _| {
        if received.json()["seed"] == 1 {
            Answer::error(500, "down".into())
        } else {
            Answer::says(YES)
        }
    });
    let place = place_with(1);
    judge(&place, &server, "--votes 3 --attempts 1").exits(3);
    assert_eq!(verdicts(&judged(&place)), ["- error"]);
    assert_eq!(server.requests().len(), 3);
    // The two votes that came are kept.
    judge(&place, &server, "--votes 3 --attempts 1").exits(3);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_number_of_votes_that_is_none_is_refused() {
    let (place, server) = (place_with(1), voting("y"));
    for votes in ["0", "-1", "100", "two"] {
        judge(&place, &server, &format!("--votes={votes}"))
            .exits(2)
            .complains(&["--votes"]);
    }
    assert!(server.requests().is_empty());
}
