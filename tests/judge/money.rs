//! A limit on what is spent.

use serde_json::json;

use crate::judge::data::{YES, judge, judged, place_with, verdicts, write_rows};
use crate::server::{Answer, Body, Server};
use crate::support::Place;

/// What one call costs at [`PRICES`]: 2,000 tokens in, 500 out.
const USD: f64 = 2.5;
const PRICES: &str = "models:\n  m: {price_input_per_1k: 1, price_output_per_1k: 1}\n  \
                      n: {price_input_per_1k: 1, price_output_per_1k: 1}\n";

fn dear() -> Server {
    Server::start(|_, _| {
        let reply = json!({
            "choices": [{"message": {"role": "assistant", "content": YES}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 2000, "completion_tokens": 500},
        });
        Answer::new(200, reply.to_string())
    })
}

fn place(rows: usize) -> Place {
    let place = place_with(rows);
    place.write("prices.yaml", PRICES);
    place
}

#[test]
fn a_cost_that_is_not_known_says_why() {
    let (place, server) = (place(1), dear());
    for why in ["no prices were given", "nobody was asked"] {
        judge(&place, &server, "").exits(0);
        let judge = &place.json("judged/judge_report.json")["judges"][0];
        assert_eq!(
            [&judge["usd"], &judge["usd_undefined"]],
            [&json!(null), &json!(why)]
        );
    }
}

#[test]
fn no_more_is_spent_than_allowed_and_more_money_goes_on() {
    let (place, server) = (place(8), dear());
    judge(
        &place,
        &server,
        "--prices prices.yaml --max-usd 10 --concurrency 4",
    )
    .exits(3)
    .complains(&[
        "limit of 10 USD",
        "kept in judged/.judica",
        "the same command goes on",
    ])
    .says(&["stopped"]);
    let first = server.requests().len();
    assert!(first >= 1 && first as f64 * USD <= 10.0, "{first} calls");
    assert!(
        !place.path("judged/m/set.json").exists(),
        "a data set is written whole"
    );
    let report = place.json("judged/judge_report.json");
    let usd = report["judges"][0]["usd"].as_f64().expect("what was spent");
    assert!((usd - first as f64 * USD).abs() < 1e-9, "{usd}");
    assert_eq!(report["judges"][0]["calls"]["asked"], first);
    judge(&place, &server, "--prices prices.yaml --max-usd 100").exits(0);
    assert_eq!(server.requests().len(), 8, "nothing was asked twice");
    assert_eq!(verdicts(&judged(&place)), ["yes ok"; 8]);
    assert_eq!(judged(&place)["judge"]["n_from_cache"], first);
}

#[test]
fn the_limit_is_for_all_judges_and_data_sets_together() {
    let (place, server) = (place(2), dear());
    write_rows(&place, "preds/zweite.jsonl", 10..12);
    judge(
        &place,
        &server,
        "--model n --prices prices.yaml --max-usd 13",
    )
    .exits(3)
    .complains(&["limit of 13 USD"]);
    let calls = server.requests().len();
    assert!(calls > 2 && calls as f64 * USD <= 13.0, "{calls} calls");
    assert!(
        place.path("judged/m/set.json").exists(),
        "what was finished is written"
    );
}

#[test]
fn no_money_asks_nobody() {
    let (place, server) = (place(2), dear());
    judge(&place, &server, "--prices prices.yaml --max-usd 0")
        .exits(3)
        .complains(&["limit of 0 USD", "a higher --max-usd is needed to go on"]);
    assert!(server.requests().is_empty());
}

#[test]
fn what_is_in_the_cache_costs_nothing() {
    let (place, server) = (place(2), dear());
    judge(&place, &server, "").exits(0);
    judge(
        &place,
        &server,
        "--overwrite --prices prices.yaml --max-usd 0",
    )
    .exits(0);
    assert_eq!(server.requests().len(), 2);
    assert_eq!(
        place.json("judged/judge_report.json")["judges"][0]["usd"],
        0.0
    );
}

#[test]
fn a_limit_needs_prices() {
    let (place, server) = (place(1), dear());
    judge(&place, &server, "--max-usd 1")
        .exits(2)
        .complains(&["--prices"]);
    place.write(
        "other.toml",
        "[mm]\nprice_input_per_1k = 1\nprice_output_per_1k = 1\n",
    );
    judge(&place, &server, "--max-usd 1 --prices other.toml")
        .exits(2)
        .complains(&["other.toml", "the model m", "did you mean mm?"]);
    for bad in ["-1", "nan", "inf", "much"] {
        judge(
            &place,
            &server,
            &format!("--prices prices.yaml --max-usd={bad}"),
        )
        .exits(2);
    }
    place.write(
        "bad.yaml",
        "m: {price_input_per_1k: -1, price_output_per_1k: 1}\n",
    );
    judge(&place, &server, "--prices bad.yaml").complains(&["bad.yaml", "price_input_per_1k"]);
    judge(&place, &server, "--prices none.yaml")
        .exits(3)
        .complains(&["none.yaml"]);
    assert!(server.requests().is_empty());
}

#[test]
fn tokens_that_the_server_does_not_tell_count_in_full() {
    let reply = json!({"choices": [{"message": {"role": "assistant", "content": YES}, "finish_reason": "stop"}]});
    let server = Server::start(move |_, _| Answer::new(200, reply.to_string()));
    let place = place(8);
    judge(&place, &server, "--prices prices.yaml --max-usd 10").exits(3);
    // About 2,300 bytes of prompt and schema, and 1,024 tokens of reply: 3 to 5 USD each.
    assert!(
        (1..=3).contains(&server.requests().len()),
        "{}",
        server.requests().len()
    );
    let report = place.json("judged/judge_report.json");
    let first = &report["judges"][0];
    let calls = &first["calls"];
    assert_eq!(calls["replies_without_usage"], calls["asked"]);
    for number in [
        &first["usd"],
        &calls["input_tokens"],
        &calls["output_tokens"],
    ] {
        assert_eq!(*number, json!(null));
    }
    judge(&place, &server, "--prices prices.yaml")
        .exits(0)
        .says(&["without usage, at most "]);
    let why = &place.json("judged/judge_report.json")["judges"][0]["usd_undefined"];
    assert!(
        why.as_str()
            .is_some_and(|why| why.ends_with(" without usage")),
        "{why}"
    );
    let document = judged(&place);
    assert_eq!(document["judge"]["n_without_tokens"], 8);
    assert_eq!(document["judge"]["tokens_input"], serde_json::Value::Null);
}

/// What a server that never sends a whole reply may have cost is spent, with each attempt.
#[test]
fn a_reply_that_is_cut_counts_with_what_it_may_have_cost() {
    let place = place(3);
    let whole = br#"{"choices": [{"message": {"content": "{\"correct\": \"yes\"}"}}]}"#.to_vec();
    let page = Answer::new(200, "<html>welcome</html>");
    for (answer, more) in [
        (Answer::new(200, "").body(Body::Cut(whole, 40)), ""),
        (Answer::new(200, "").body(Body::HangUp), ""),
        (Answer::new(200, "").body(Body::Silence), "--timeout 1"),
        (Answer::new(200, "").body(Body::Stalled), "--timeout 1"),
        (Answer::error(504, "gateway timeout".into()), ""),
        (page, ""),
    ] {
        let server = Server::start(move |_, _| answer.clone());
        let priced = "--prices prices.yaml --json";
        let forecast = judge(&place, &server, &format!("--dry-run {priced}"));
        let forecast: serde_json::Value = serde_json::from_str(&forecast.stdout).expect("JSON");
        let each = forecast["usd_at_most"].as_f64().expect("a price") / 3.0;
        // Two attempts fit, in whatever order three questions make them.
        let limit = 2.5 * each;
        judge(
            &place,
            &server,
            &format!("{priced} {more} --attempts 4 --concurrency 2 --max-usd {limit}"),
        )
        .exits(3)
        .complains(&["limit of", "is reached"]);
        assert_eq!(server.requests().len(), 2);
        let report = place.json("judged/judge_report.json");
        let charged = report["judges"][0]["charged_usd"].as_f64().expect("money");
        assert!((charged - 2.0 * each).abs() < 0.01, "{charged} {each}");
        assert_eq!(report["judges"][0]["usd"], 0.0);
        assert!(!place.path("judged/m/set.json").exists());
    }
}

#[test]
fn what_is_refused_costs_nothing_and_what_is_known_costs_that() {
    let place = place(1);
    let busy = Server::scripted(vec![
        Answer::error(500, "hiccup".into()),
        Answer::error(503, "busy".into()).header("retry-after-ms", "1"),
        Answer::says(YES),
    ]);
    judge(&place, &busy, "--prices prices.yaml --max-usd 4.5").exits(0);
    assert_eq!(busy.requests().len(), 3);
    // Cut by its own length, but the server says what it used.
    let reply = json!({
        "choices": [{"message": {"role": "assistant", "content": "{\"correct\""}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 1024},
    });
    let server = Server::start(move |_, _| Answer::new(200, reply.to_string()));
    judge(
        &place,
        &server,
        "--prices prices.yaml --max-usd 100 --cache other --overwrite",
    )
    .exits(0);
    let report = place.json("judged/judge_report.json");
    assert_eq!(report["judges"][0]["charged_usd"], 1.124);
}
