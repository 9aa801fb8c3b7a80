//! Several judges, what their folders are called, and Azure-style servers.

use crate::judge::data::{NO, YES, all_asked, arguments, judge, place_with, run, yes};
use crate::server::{Answer, Server};
use crate::support::ran;

#[test]
fn each_model_is_a_judge_of_its_own() {
    let place = place_with(3);
    let server = Server::start(|received, _| {
        let strict = received.json()["model"] == "strict";
        Answer::says(if strict { NO } else { YES })
    });
    judge(&place, &server, "--model strict").exits(0);
    assert_eq!(server.requests().len(), 6);
    assert_eq!(
        place.json("judged/m/set.json")["judge_metrics"]["accuracy"],
        1.0
    );
    let strict = place.json("judged/strict/set.json");
    assert_eq!(strict["judge_model"], "strict");
    assert_eq!(strict["judge_metrics"]["accuracy"], 0.0);
    let report = place.json("judged/judge_report.json");
    let names: Vec<_> = report["judges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|j| &j["model"])
        .collect();
    assert_eq!(names, ["m", "strict"]);
    place
        .judica("agree judges --eval-dir judged --out agreement.json")
        .exits(0);
    // Adding a judge asks that one only.
    judge(&place, &server, "--model strict --model third").exits(0);
    assert_eq!(server.requests().len(), 9);
}

#[test]
fn names_of_models_stay_inside_the_folder() {
    let (place, server) = (place_with(1), yes());
    for (model, folder) in [
        ("Qwen/Qwen3-8B", "Qwen_Qwen3-8B"),
        ("../../escape", "_._.._escape"),
        ("a:b", "a_b"),
    ] {
        let command = arguments(&server, "").replace("--model m ", &format!("--model {model} "));
        run(&place, &command).exits(0);
        let document = place.json(&format!("judged/{folder}/set.json"));
        assert_eq!(document["judge_model"], model);
    }
    assert!(
        place
            .names("judged")
            .iter()
            .all(|name| !name.contains("escape") || name.starts_with('_'))
    );
    assert_eq!(place.names("."), ["judged", "preds"]);
}

#[test]
fn the_folder_of_people_is_not_for_models() {
    let (place, server) = (place_with(1), yes());
    for human in ["human", "Human"] {
        let command = arguments(&server, "").replace("--model m ", &format!("--model {human} "));
        run(&place, &command)
            .exits(2)
            .complains(&["human", "--judge-name"]);
        run(&place, &format!("{command} --judge-name robot")).exits(0);
    }
    judge(&place, &server, "--judge-name human").exits(2);
    assert_eq!(place.json("judged/robot/set.json")["judge_model"], "Human");
}

#[test]
fn two_judges_cannot_share_a_folder() {
    let (place, server) = (place_with(1), yes());
    judge(&place, &server, "--model m")
        .exits(2)
        .complains(&["m", "folder"]);
    judge(&place, &server, "--model a/b --model a:b")
        .exits(2)
        .complains(&["a/b", "a:b", "a_b"]);
    judge(&place, &server, "--model n --judge-name x")
        .exits(2)
        .complains(&["--judge-name"]);
    assert!(server.requests().is_empty());
}

#[test]
fn azure_has_its_own_address_and_header() {
    let (place, server) = (place_with(1), yes());
    let base = format!("http://{}", server.address());
    let command = format!(
        "judge --predictions preds --model my-deployment --base-url {base} --api azure \
         --api-key-env AZURE_KEY --out judged"
    );
    let mut with_key = place.command(&command);
    with_key.env("AZURE_KEY", "azure-secret-1");
    ran(with_key).exits(0);
    let request = &server.requests()[0];
    assert_eq!(
        request.target,
        "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(request.header("api-key"), Some("azure-secret-1"));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(all_asked(&server), ["question 0"]);
    let mut versioned = place.command(&format!("{command} --api-version 2030-01-01 --overwrite"));
    versioned.env("AZURE_KEY", "azure-secret-1");
    ran(versioned).exits(0);
    assert!(
        server.requests()[1]
            .target
            .ends_with("?api-version=2030-01-01")
    );
}

#[test]
fn a_key_is_a_bearer_token() {
    let (place, server) = (place_with(1), yes());
    let mut command = place.command(&arguments(&server, "--api-key-env MY_KEY"));
    command
        .env("MY_KEY", " sk-abcdef\n")
        .env("OPENAI_API_KEY", "another");
    ran(command).exits(0);
    assert_eq!(
        server.requests()[0].header("authorization"),
        Some("Bearer sk-abcdef")
    );
}

#[test]
fn addresses_that_are_none_are_refused_before_anything_is_written() {
    let place = place_with(1);
    for (address, word) in [
        ("localhost:8000", "http://localhost:8000/v1"),
        ("ftp://host/v1", "ftp"),
        ("http://user:pw@127.0.0.1:1/v1", "password"),
        ("http://127.0.0.1:1/v1?api_key=abcdefgh", "api_key"),
    ] {
        let command =
            format!("judge --predictions preds --model m --base-url {address} --out judged");
        let said = run(&place, &command).exits(2).complains(&[word]);
        assert!(
            !said.stderr.contains("abcdefgh") && !said.stderr.contains("pw@"),
            "{}",
            said.stderr
        );
    }
    run(&place, "judge --predictions preds --model m --out judged")
        .exits(2)
        .complains(&["--base-url"]);
    run(
        &place,
        "judge --predictions preds --base-url http://127.0.0.1:1/v1 --out judged",
    )
    .exits(2)
    .complains(&["--model"]);
    assert!(!place.path("judged/m").exists());
}
