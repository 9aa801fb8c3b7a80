//! `--agent llm` when the model, the server or the command line is at fault: the rules'
//! result stands.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::eval::reviews::{honest, honest_server, judica, reviewed};
use crate::server::{Answer, Server};
use crate::support::child::interrupt;
use crate::support::flight::{EVAL, tiny};
use crate::support::{Place, TEMPORARY, ran};

/// What became of the review of sample a1, if the model says this about all records.
fn review_of(text: impl Fn(Value) -> String + Send + Sync + 'static) -> (Value, Place) {
    let place = tiny();
    let server = Server::start(move |received, _| Answer::says(&text(honest(received))));
    judica(&place, &reviewed(&server)).exits(0);
    let review = place.json_lines("run/reviews.jsonl").remove(0);
    (review, place)
}

#[track_caller]
fn refused(change: impl Fn(&mut Value) + Send + Sync + 'static, words: &str) {
    let (review, place) = review_of(move |mut review| {
        change(&mut review);
        review.to_string()
    });
    assert_eq!(review["status"], "refused");
    let problem = review["problem"].as_str().expect("a problem");
    assert!(problem.contains(words), "{problem}");
    assert_eq!(review["narrative"], Value::Null);
    assert_eq!(
        (&review["checklist"], &review["attribution"]),
        (&json!([]), &json!([]))
    );
    assert!(
        review["raw_reply"]
            .as_str()
            .is_some_and(|raw| raw.contains("narrative"))
    );
    place
        .judica("show run a1")
        .exits(0)
        .says(&["refused, because"]);
}

#[test]
fn what_the_record_does_not_bear_out_is_refused() {
    refused(
        |review| review["attribution"][0]["evidence_ids"] = json!(["EVID_999"]),
        "reason 1 cites `EVID_999`",
    );
    refused(
        |review| review["checklist"][0]["evidence_ids"] = json!([]),
        "checklist item 1 cites no evidence",
    );
    refused(
        |review| review["narrative"] = json!("It fell."),
        "the narrative cites no evidence",
    );
    refused(
        |review| review["adjudication"] = json!("eligible"),
        "it says eligible",
    );
}

#[test]
fn prose_and_fences_around_a_review_do_not_matter() {
    let (review, _) =
        review_of(|review| format!("<think>hm {{</think> Sure:\n```json\n{review}\n```"));
    assert_eq!(review["status"], "accepted");
}

#[test]
fn a_reply_that_is_no_review_is_unreadable_and_kept() {
    let (review, place) = review_of(|_| "I would say \u{1b}[31mineligible.".to_owned());
    assert_eq!(review["status"], "unreadable");
    assert_eq!(review["raw_reply"], "I would say \u{1b}[31mineligible.");
    let shown = place.judica("show run a1").exits(0).stdout;
    assert!(shown.contains("Review by rev") && shown.contains("unreadable, because"));
    assert!(!shown.contains('\u{1b}'));
}

#[test]
fn a_content_filter_is_recorded() {
    let place = tiny();
    let error = json!({"code": "content_filter", "message": "filtered"});
    let server = Server::start(move |_, _| Answer::error(400, error.clone()));
    judica(&place, &reviewed(&server))
        .exits(0)
        .says(&["declined 4"]);
    assert_eq!(
        place.json_lines("run/reviews.jsonl")[0]["status"],
        "declined"
    );
}

#[test]
fn a_wrong_key_costs_the_reviews_and_nothing_else() {
    let place = tiny();
    let server = Server::start(|received, number| match number {
        0 => Answer::error(401, json!({"message": "Incorrect API key provided"})),
        _ => Answer::says(&honest(received).to_string()),
    });
    let arguments = format!("{} --concurrency 1", reviewed(&server));
    judica(&place, &arguments)
        .exits(3)
        .says(&["inputs 8 = records 8", "without reply 4"])
        .complains(&["SYSTEM_ERROR", "Incorrect API key", "reviews are missing"]);
    assert_eq!(server.requests().len(), 1);
    let stopped = &place.json("run/manifest.json")["trace"]["reviews"]["stopped"];
    assert!(
        stopped
            .as_str()
            .is_some_and(|why| why.contains("401") || why.contains("key"))
    );
    place.judica("reproduce run").exits(0);
    // The same command again, with the key put right.
    judica(&place, &arguments).exits(0).says(&["accepted 4"]);
    assert_eq!(
        place.json("run/manifest.json")["trace"]["reviews"]["stopped"],
        Value::Null
    );
}

#[test]
fn nobody_there() {
    let place = tiny();
    let url = honest_server().base_url();
    let arguments = format!("{EVAL} --agent llm --agent-model rev --attempts 1 --base-url {url}");
    judica(&place, &arguments)
        .exits(3)
        .complains(&["SYSTEM_ERROR", "the result does not depend on them"]);
    assert!(place.names("run").contains(&"report.json".to_owned()));
    place.judica("show run a1").exits(0);
}

#[test]
fn the_key_is_sent_and_never_written() {
    let place = tiny();
    let server = honest_server();
    let mut command = place.command(&reviewed(&server));
    command.env("OPENAI_API_KEY", "sk-very-secret");
    let said = ran(command).exits(0);
    let sent = server.requests()[0]
        .header("authorization")
        .map(str::to_owned);
    assert_eq!(sent.as_deref(), Some("Bearer sk-very-secret"));
    assert!(!said.stdout.contains("secret") && !said.stderr.contains("secret"));
    for folder in ["run", "run/.judica"] {
        for name in place.names(folder) {
            let path = format!("{folder}/{name}");
            if place.path(&path).is_file() {
                let bytes = place.read(&path);
                let found = bytes.windows(6).any(|window| window == b"secret");
                assert!(!found, "{path}");
            }
        }
    }
}

#[test]
fn mistakes_on_the_command_line_are_told_before_anything_is_made() {
    let place = tiny();
    let url = "--base-url http://localhost:1/v1";
    for (arguments, words) in [
        (format!("--agent llm {url}"), "--agent-model"),
        (format!("--agent llm --model m {url}"), "--agent-model"),
        ("--agent llm --agent-model m".to_owned(), "--base-url"),
        (
            format!("--agent llm --agent-model m --agent-limit 0 {url}"),
            "--agent-limit",
        ),
        (
            format!("--agent llm --agent-model m --max-usd 1 {url}"),
            "--prices",
        ),
        ("--agent-model m".to_owned(), "--agent llm"),
        (url.to_owned(), "--agent llm"),
        ("--agent gpt".to_owned(), "rules"),
        (
            "--agent llm --agent-model m --base-url ftp://x".to_owned(),
            "ftp",
        ),
    ] {
        judica(&place, &format!("{EVAL} {arguments}"))
            .exits(2)
            .complains(&[words]);
        assert!(!place.path("run").exists(), "{arguments}");
    }
}

#[test]
fn the_budget_ends_the_reviews() {
    let place = tiny();
    place.write(
        "prices.toml",
        "[rev]\nprice_input_per_1k = 1.0\nprice_output_per_1k = 1.0\n",
    );
    let server = honest_server();
    let arguments = format!("{} --prices prices.toml --max-usd 0.5", reviewed(&server));
    judica(&place, &arguments)
        .exits(3)
        .complains(&["the limit of 0.5 USD"]);
    assert_eq!(server.requests().len(), 0);
    assert_eq!(place.text("run/reviews.jsonl"), "");
    place.judica("show run a1").exits(0);
}

/// Whatever is said before Ctrl-C is kept and paid for once.
#[test]
fn an_interruption_loses_only_what_was_in_flight() {
    let place = tiny();
    let server = Server::start(|received, number| {
        if number == 1 {
            std::thread::sleep(Duration::from_secs(60));
        }
        Answer::says(&honest(received).to_string())
    });
    let arguments = format!("{} --concurrency 1", reviewed(&server));
    let mut child = place
        .process(&arguments)
        .env_remove("OPENAI_API_KEY")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    while server.requests().len() < 2 {
        assert!(child.try_wait().expect("a child").is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    let names = place.names("run");
    assert!(names.contains(&"manifest.json".to_owned()), "{names:?}");
    assert!(
        names.iter().all(|name| !name.ends_with(TEMPORARY)),
        "{names:?}"
    );
    place.judica("reproduce run").exits(0);
    judica(&place, &arguments).exits(0).says(&["accepted 4"]);
    assert_eq!(server.requests().len(), 5);
}

/// Two at once on one cache: the second finds what the first was told.
#[test]
fn of_two_reviews_at_once_no_question_is_asked_twice() {
    let (place, server) = (tiny(), honest_server());
    let cached = format!("{} --cache replies", reviewed(&server));
    let start = |out: &str| {
        let line = cached.replace("--out run", &format!("--out {out}"));
        let mut command = place.process(&line);
        command.env_remove("OPENAI_API_KEY");
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    };
    for child in [start("one"), start("two")] {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
    }
    assert_eq!(server.requests().len(), 4);
    assert_eq!(
        place.read("one/reviews.jsonl"),
        place.read("two/reviews.jsonl")
    );
    assert!(!place.path("replies.lock").exists());
}

/// A review and a judge at once on one cache: each gets its own replies.
#[test]
fn a_review_and_a_judge_share_a_cache() {
    let server = Server::start(|received, _| {
        let body = received.json();
        let asked = body["messages"][1]["content"].as_str().expect("a message");
        Answer::says(&match asked.contains("BEGIN FAILED ") {
            true => honest(received).to_string(),
            false => json!({"reasoning": "r", "correct": "yes"}).to_string(),
        })
    });
    let url = server.base_url();
    let place = tiny();
    let rows = (0..4).map(|id| json!({"id": id, "input": "q", "gold": "a", "prediction": id}));
    place.write_lines(
        "p.jsonl",
        &rows.map(|row| row.to_string()).collect::<Vec<_>>(),
    );
    let review = format!("{} --cache CACHE", reviewed(&server));
    let judge = format!(
        "judge --predictions p.jsonl --model m --base-url {url} --out judged --cache CACHE"
    );
    for pair in 0..10 {
        let start = |line: &str, out: &str| {
            let line = line.replace("CACHE", &format!("replies{pair}"));
            let line = line.replace(out, &format!("{out}{pair}"));
            let mut command = place.process(&line);
            command.env_remove("OPENAI_API_KEY");
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().expect("the program starts")
        };
        let (one, two) = match pair % 2 {
            0 => (start(&review, "--out run"), start(&judge, "--out judged")),
            _ => (start(&judge, "--out judged"), start(&review, "--out run")),
        };
        for child in [one, two] {
            let output = child.wait_with_output().expect("it ends");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{said}");
        }
        assert_eq!(server.requests().len(), 8 * (pair + 1));
        assert_eq!(
            place.json_lines(&format!("run{pair}/reviews.jsonl")).len(),
            4
        );
        let judged = place.json(&format!("judged{pair}/m/p.json"));
        assert_eq!(judged["judge_metrics"]["accuracy"], 1.0);
        assert!(!place.path(&format!("replies{pair}.lock")).exists());
    }
}
