//! The key goes to the server and nowhere else.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::judge::data::{YES, arguments, asked, place_with};
use crate::server::{Answer, Received, Server};
use crate::support::{Place, Ran, ran};

const KEY: &str = "sk-proj-Zz9_very-secret-key-0123456789";

fn with_key(place: &Place, server: &Server, more: &str) -> Ran {
    let mut command = place.command(&arguments(server, more));
    command.env("OPENAI_API_KEY", KEY);
    ran(command)
}

/// Insists that no file below a folder, the database and its logs too, holds the key.
#[track_caller]
fn nowhere_below(folder: &Path) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files += nowhere_below(&path);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let found = bytes
            .windows(KEY.len())
            .any(|window| window == KEY.as_bytes());
        assert!(!found, "the key stands in {}", path.display());
        files += 1;
    }
    files
}

#[track_caller]
fn kept_secret(place: &Place, said: &Ran) {
    assert!(
        !said.stdout.contains(KEY) && !said.stderr.contains(KEY),
        "{said:?}"
    );
    assert!(nowhere_below(&place.path(".")) > 0);
}

fn bearer(received: &Received) -> String {
    received
        .header("authorization")
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_good_run_writes_no_key() {
    let place = place_with(3);
    let server = Server::start(|_, _| Answer::says(YES));
    let said = with_key(&place, &server, "").exits(0);
    kept_secret(&place, &said);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| bearer(request) == format!("Bearer {KEY}"))
    );
    let said = with_key(&place, &server, "--overwrite --json --votes 2").exits(0);
    kept_secret(&place, &said);
}

#[test]
fn a_server_that_repeats_the_key_is_not_repeated() {
    for status in [400, 401, 403, 404, 422, 429, 500] {
        let place = place_with(1);
        let server = Server::start(move |received, _| {
            Answer::error(
                status,
                json!({"message": format!("bad key: {}", bearer(received))}),
            )
        });
        let said = with_key(&place, &server, "--attempts 1").exits(3);
        kept_secret(&place, &said);
        assert!(
            said.stderr.contains("bad key") || place.path("judged/m/set.json").exists(),
            "{said:?}"
        );
    }
}

#[test]
fn nor_is_one_that_repeats_it_as_an_answer() {
    let answers: [fn(&Received) -> Answer; 5] = [
        |received| Answer::new(200, format!("<html>{}", bearer(received))),
        |received| Answer::says(&format!("your key is {}", bearer(received))),
        |received| {
            Answer::says(&json!({"correct": "yes", "reasoning": bearer(received)}).to_string())
        },
        |received| {
            let reply = json!({
                "model": bearer(received),
                "choices": [{"message": {"content": YES}, "finish_reason": "stop"}],
            });
            Answer::new(200, reply.to_string())
        },
        |received| {
            let error = json!({"code": "content_filter", "message": bearer(received)});
            Answer::error(400, error)
        },
    ];
    for answer in answers {
        let place = place_with(2);
        let server = Server::start(move |received, _| {
            assert!(!asked(received).is_empty());
            answer(received)
        });
        let said = with_key(&place, &server, "--attempts 1").exits(0);
        kept_secret(&place, &said);
    }
}

#[test]
fn a_redirect_does_not_take_the_key_elsewhere() {
    let place = place_with(1);
    let thief = Server::start(|_, _| Answer::says(YES));
    let target = thief.base_url();
    let server = Server::start(move |_, _| Answer::new(307, "").header("Location", &target));
    let said = with_key(&place, &server, "")
        .exits(3)
        .complains(&["redirects are not followed"]);
    kept_secret(&place, &said);
    assert!(thief.requests().is_empty());
}

#[test]
fn a_key_that_cannot_be_sent_is_refused_unseen() {
    let place = place_with(1);
    let server = Server::start(|_, _| Answer::says(YES));
    let mut command = place.command(&arguments(&server, ""));
    command.env("OPENAI_API_KEY", format!("{KEY}\nX-Evil: 1"));
    let said = ran(command).exits(2).complains(&["key"]);
    kept_secret(&place, &said);
    assert!(server.requests().is_empty());
}
