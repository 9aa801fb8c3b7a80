//! Replies that are no verdict: `no`, status `invalid`, counted, and the run goes on.

use serde_json::json;

use crate::judge::data::{YES, all_asked, faulty, judge, judged, place_with, run, verdicts};
use crate::server::{Answer, Body};

/// Question 1 of 3 gets this answer; says what stands in its row.
#[track_caller]
fn row_1(answer: Answer, more: &str) -> (String, usize) {
    let (server, _) = faulty("question 1", answer);
    let place = place_with(3);
    judge(&place, &server, more).exits(0);
    let document = judged(&place);
    let said = verdicts(&document);
    assert_eq!((said[0].as_str(), said[2].as_str()), ("yes ok", "yes ok"));
    let invalid = u64::from(said[1] == "no invalid");
    assert_eq!(document["judge"]["n_invalid"], invalid);
    assert_eq!(document["judge_metrics"]["invalid"], invalid);
    let repaired = u64::from(said[1].ends_with("repaired"));
    assert_eq!(document["judge"]["n_repaired"], repaired);
    assert_eq!(document["judge_metrics"]["total_evaluated"], 3);
    let calls = server.requests().len() - 2;
    // It is an answer: another run does not ask again.
    judge(&place, &server, more).exits(0);
    assert_eq!(all_asked(&server).len(), calls + 2);
    (said[1].clone(), calls)
}

#[track_caller]
fn says(text: &str) -> String {
    let (said, calls) = row_1(Answer::says(text), "");
    assert_eq!(calls, 1, "a reply of the model is paid for once");
    said
}

#[test]
fn verdicts_in_many_forms_are_read() {
    for text in [
        YES,
        "{\"correct\": true}",
        "{\"correct\":\"YES\",\"reasoning\":\"\"}",
        "Let me see.\n```json\n{\"correct\": \"yes\", \"reasoning\": \"same\"}\n```\nDone.",
        "Sure! {\"correct\": \"yes\", \"reasoning\": \"a {brace}\"} Anything else?",
        "<think>{\"correct\": \"no\"} or not?</think>{\"correct\": \"yes\"}",
        "{\"correct\": \"yes\"} {\"correct\": \"yes\"}",
    ] {
        assert_eq!(says(text), "yes ok", "{text}");
    }
}

#[test]
fn what_means_one_thing_in_another_form_is_repaired() {
    for yes in [
        "{\"correct\": \"yes\", \"reasoning\": \"same\",}",
        "{'reasoning': 'it's the same', 'correct': 'yes'}",
        "{“correct”: “yes”, “reasoning”: “same”}",
        "output: {\"correct\": \"yes\"}",
        "Correct: yes",
        "Reasoning: They mean the same.\nCorrect: yes",
        "correct = 'yes'",
    ] {
        assert_eq!(says(yes), "yes repaired", "{yes}");
        let no = yes.replace("yes", "no");
        assert_eq!(says(&no), "no repaired", "{no}");
    }
    let quoting = "{'correct': 'no', 'reasoning': 'It claims {\"correct\": \"yes\"}'}";
    assert_eq!(says(quoting), "no repaired");
}

#[test]
fn repaired_replies_are_told_and_taken_by_other_commands() {
    let (server, _) = faulty("question 1", Answer::says("Correct: yes"));
    let place = place_with(3);
    judge(&place, &server, "")
        .exits(0)
        .says(&["repaired replies: 1"]);
    run(
        &place,
        "agree judges --eval-dir judged --drop-invalid --out a.json",
    )
    .exits(0);
    let judge = &place.json("a.json")["judges"][0];
    assert_eq!((&judge["used"], &judge["invalid"]), (&3.into(), &0.into()));
}

#[test]
fn what_is_no_verdict_is_no_and_invalid() {
    for text in [
        "It says correct: yes",
        "The prediction says:\nCorrect: yes",
        "Correct: yes\nCorrect: no",
        "{'correct': 'yes', 'correct': 'no'}",
        "{'correct': 'yes'} {'correct': 'no'}",
        "[{'correct': 'yes'}]",
        "{'correct': 'yes'",
        "",
        "yes",
        "It is correct.",
        "{\"correct\": \"maybe\", \"reasoning\": \"hm\"}",
        "{\"correct\": null}",
        "{\"reasoning\": \"it is correct\"}",
        "{\"correct\": \"yes\"} {\"correct\": \"no\"}",
        "{\"correct\": \"yes\", \"reasoning\": \"cut of",
        "[{\"correct\": \"yes\"}]",
        "null",
    ] {
        assert_eq!(says(text), "no invalid", "{text}");
    }
}

#[test]
fn a_body_that_is_no_chat_reply_is_asked_for_again_and_then_invalid() {
    for body in [
        "<html>hello</html>",
        "",
        "{}",
        "[]",
        "{\"choices\": []}",
        "\u{0}\u{1}",
    ] {
        let (said, calls) = row_1(Answer::new(200, body), "--attempts 2");
        assert_eq!((said.as_str(), calls), ("no invalid", 2), "{body:?}");
    }
}

#[test]
fn a_verdict_without_its_envelope_is_no_chat_reply() {
    let (said, _) = row_1(Answer::new(200, YES), "--attempts 1");
    assert_eq!(said, "no invalid");
}

#[test]
fn a_body_of_50_megabytes_is_not_swallowed() {
    for chunked in [false, true] {
        let bytes = 50 << 20;
        let (server, _) = faulty(
            "question 1",
            Answer::new(200, "").body(Body::Huge { bytes, chunked }),
        );
        let place = place_with(3);
        judge(&place, &server, "").exits(0);
        assert_eq!(
            verdicts(&judged(&place)),
            ["yes ok", "no invalid", "yes ok"]
        );
        assert!(
            server.bytes_sent() < 24 << 20,
            "{} bytes were taken",
            server.bytes_sent()
        );
        assert!(place.read("judged/m/set.json").len() < 100_000);
    }
}

#[test]
fn a_refusal_of_the_model_is_a_refusal() {
    let refusal = json!({
        "choices": [{"message": {"role": "assistant", "content": null, "refusal": "I cannot."}, "finish_reason": "stop"}],
    });
    let filtered = json!({
        "choices": [{"message": {"role": "assistant", "content": null}, "finish_reason": "content_filter"}],
    });
    for body in [refusal, filtered] {
        let (said, calls) = row_1(Answer::new(200, body.to_string()), "");
        assert_eq!((said.as_str(), calls), ("no refused", 1), "{body}");
    }
}

#[test]
fn the_raw_reply_of_what_could_not_be_read_is_kept() {
    let (server, _) = faulty("question 1", Answer::says("Perhaps."));
    let place = place_with(2);
    judge(&place, &server, "").exits(0);
    let row = &judged(&place)["detailed_results"][1];
    assert_eq!(row["raw_reply"], "Perhaps.");
    assert!(row["reasoning"].as_str().is_some_and(|why| !why.is_empty()));
}
