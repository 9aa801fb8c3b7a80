//! The same command again: what is judged stays judged, what is paid for stays paid for.

use serde_json::Value;

use crate::judge::data::{YES, judge, judged, lasting, place_with, verdicts, write_rows, yes};
use crate::server::{Answer, Server};

const PROMPT: &str = "version: mine-v1\n\n[user]\nEqual?\n{{input}}\n{{gold}}\n{{prediction}}\n";

#[test]
fn a_second_run_asks_nobody_and_leaves_every_byte() {
    let (place, server) = (place_with(5), yes());
    judge(&place, &server, "").exits(0);
    let before = place.read("judged/m/set.json");
    judge(&place, &server, "").exits(0).says(&["current"]);
    assert_eq!(server.requests().len(), 5);
    assert!(place.read("judged/m/set.json") == before);
}

#[test]
fn overwriting_takes_replies_from_the_cache() {
    let (place, server) = (place_with(5), yes());
    judge(&place, &server, "").exits(0);
    let before = judged(&place);
    judge(&place, &server, "--overwrite")
        .exits(0)
        .says(&["5 replies from the cache"]);
    let after = judged(&place);
    assert_eq!(server.requests().len(), 5);
    assert_eq!(after["judge"]["n_from_cache"], 5);
    assert_eq!(after["detailed_results"][0]["call"]["from_cache"], true);
    assert_eq!(lasting(after), lasting(before));
    // Nothing is left to ask, so the server may be gone.
    let gone = crate::judge::data::arguments(&server, "--force");
    drop(server);
    crate::judge::data::run(&place, &gone).exits(0);
}

#[test]
fn another_prompt_is_another_question() {
    let (place, server) = (place_with(3), yes());
    judge(&place, &server, "").exits(0);
    let builtin = judged(&place)["prompt_hash"].clone();
    place.write("prompt.txt", PROMPT);
    judge(&place, &server, "--prompt prompt.txt").exits(0);
    assert_eq!(server.requests().len(), 6);
    let own = judged(&place);
    assert_eq!(own["prompt_version"], "mine-v1");
    assert_ne!(own["prompt_hash"], builtin);
    // A comment and a version do not change what a judge sees.
    place.write(
        "prompt.txt",
        PROMPT.replace("mine-v1\n", "mine-v2\n# a note\n"),
    );
    judge(&place, &server, "--prompt prompt.txt").exits(0);
    assert_eq!(server.requests().len(), 6);
    // Back to the first prompt: its replies are still there.
    judge(&place, &server, "").exits(0);
    assert_eq!(server.requests().len(), 6);
    assert_eq!(judged(&place)["prompt_hash"], builtin);
}

#[test]
fn a_prompt_without_the_prediction_is_refused_by_line() {
    let (place, server) = (place_with(1), yes());
    place.write("prompt.txt", "[user]\nEqual? {{input}} {{gold}}\n");
    judge(&place, &server, "--prompt prompt.txt")
        .exits(2)
        .complains(&["prompt.txt", "prediction"]);
    place.write("prompt.txt", "[user]\n{{input}} {{gold}} {{predicton}}\n");
    judge(&place, &server, "--prompt prompt.txt")
        .exits(2)
        .complains(&["prompt.txt:2", "predicton", "prediction"]);
    assert!(server.requests().is_empty());
}

#[test]
fn new_rows_are_asked_and_old_ones_are_not() {
    let (place, server) = (place_with(3), yes());
    judge(&place, &server, "").exits(0);
    write_rows(&place, "preds/set.jsonl", 1..5);
    judge(&place, &server, "").exits(0);
    assert_eq!(server.requests().len(), 5);
    assert_eq!(judged(&place)["judge"]["n_from_cache"], 2);
    assert_eq!(verdicts(&judged(&place)).len(), 4);
}

#[test]
fn settings_that_change_the_answer_make_a_file_stale() {
    let (place, server) = (place_with(2), yes());
    judge(&place, &server, "").exits(0);
    judge(&place, &server, "--votes 2").exits(0);
    assert_eq!(server.requests().len(), 4, "the first vote was there");
    judge(&place, &server, "--normalizer text")
        .exits(0)
        .says(&["written"]);
    assert_eq!(server.requests().len(), 4);
    assert_eq!(judged(&place)["normalizer"], "text");
}

#[test]
fn a_broken_result_is_written_again_from_the_cache() {
    let (place, server) = (place_with(4), yes());
    judge(&place, &server, "").exits(0);
    let whole = place.read("judged/m/set.json");
    let expected = lasting(judged(&place));
    for broken in [
        &b""[..],
        b"{",
        b"[]",
        &whole[..whole.len() / 2],
        b"\xff\xfe",
    ] {
        place.write("judged/m/set.json", broken);
        judge(&place, &server, "").exits(0);
        assert_eq!(lasting(judged(&place)), expected);
    }
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_reply_is_bound_to_its_server_and_its_model() {
    let (place, server) = (place_with(2), yes());
    judge(&place, &server, "").exits(0);
    let other = yes();
    judge(&place, &other, "--overwrite").exits(0);
    assert_eq!(
        other.requests().len(),
        2,
        "another server may answer otherwise"
    );
    judge(&place, &server, "--overwrite --max-output-tokens 77").exits(0);
    assert_eq!(
        server.requests().len(),
        4,
        "so may a model that is cut short"
    );
}

#[test]
fn one_cache_serves_several_folders() {
    let (place, server) = (place_with(3), yes());
    judge(&place, &server, "--cache shared.sqlite3").exits(0);
    let elsewhere = crate::judge::data::arguments(&server, "--cache shared.sqlite3");
    crate::judge::data::run(&place, &elsewhere.replace("--out judged", "--out again")).exits(0);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(place.json("again/m/set.json")["judge"]["n_from_cache"], 3);
    assert!(!place.path("judged/.judica").exists());
}

#[test]
fn equal_questions_are_asked_once() {
    let place = crate::support::Place::new();
    let line = r#"{"input": "question 1", "gold": "<<A>>F p", "prediction": "<<A>>G p"}"#;
    place.write_lines("preds/set.jsonl", &[line; 9]);
    let server = Server::start(|_, _| Answer::says(YES));
    judge(&place, &server, "").exits(0);
    assert_eq!(server.requests().len(), 1);
    let document = judged(&place);
    assert_eq!(document["judge"]["n_duplicates"], 8);
    assert!(verdicts(&document).iter().all(|said| said == "yes ok"));
    let rows = document["detailed_results"].as_array().unwrap();
    let cached = |row: &Value| row["call"]["from_cache"] == true;
    assert!(!rows.iter().any(cached), "nothing came from an earlier run");
}
