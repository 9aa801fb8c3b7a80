//! `judica match --k`: what several attempts at a question come to; and rates over clusters.

use serde_json::{Value, json};

use crate::answers::data::{lines, matched, near, row, with};
use crate::support::Place;

/// An attempt at a question.
fn attempt(item: usize, epoch: usize, right: bool) -> Value {
    let said = if right { "a" } else { "b" };
    with(
        row("a", said),
        json!({"id": format!("q{item}"), "epoch": epoch}),
    )
}

#[test]
fn one_or_all_of_k_worked_by_hand() {
    // 2 of 5 right, 4 of 5, and one attempt at the third.
    let mut rows: Vec<Value> = (0..5).map(|n| attempt(1, n + 1, n < 2)).collect();
    rows.extend((0..5).map(|n| attempt(2, n + 1, n < 4)));
    rows.push(attempt(3, 1, true));
    let (report, _) = matched(&Place::new(), &rows, "--k 1,3,6");
    let repeats = &report["repeats"];
    assert_eq!(
        (&repeats["items"], &repeats["attempts"]),
        (&json!(3), &json!([1, 5]))
    );
    let [one, three, six] = [0, 1, 2].map(|at| &repeats["passes"][at]);
    near(&one["pass_at_k"]["value"], (0.4 + 0.8 + 1.0) / 3.0);
    near(&three["pass_at_k"]["value"], (0.9 + 1.0) / 2.0);
    near(&three["pass_all_k"]["value"], (0.0 + 0.4) / 2.0);
    assert_eq!(
        (&three["pass_at_k"]["n"], &three["left_out"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(six["left_out"], 3);
    assert_eq!(six["pass_at_k"]["undefined"], "no item has 6 attempts");
    assert_eq!(six["pass_all_k"]["value"], Value::Null);
}

#[test]
fn subjects_are_asked_apart_and_items_vary_together() {
    let rows: Vec<Value> = (0..240)
        .map(|n| {
            let (item, epoch, subject) = (n / 6, n % 3 + 1, n / 3 % 2);
            let right = item * 7 % 5 < 3 || n % 4 == 0;
            with(
                attempt(item, epoch, right),
                json!({"model": format!("m{subject}")}),
            )
        })
        .collect();
    let (report, _) = matched(&Place::new(), &rows, "--k 1,2");
    let repeats = &report["repeats"];
    assert_eq!(
        (&repeats["items"], &repeats["attempts"]),
        (&json!(80), &json!([3, 3]))
    );
    // With as many attempts at each, one of one is the share of rows, and as sure.
    let (one, rows) = (
        &repeats["passes"][0]["pass_at_k"],
        &report["intervals"]["matched"],
    );
    assert_eq!(one["clusters"], 40);
    near(&one["value"], rows["value"].as_f64().unwrap());
    near(&one["ci"][0], rows["ci"][0].as_f64().unwrap());
    near(&one["ci"][1], rows["ci"][1].as_f64().unwrap());
}

#[test]
fn repeats_make_nothing_surer() {
    let once: Vec<Value> = (0..20).map(|n| attempt(n, 1, n % 4 > 0)).collect();
    let often: Vec<Value> = (0..200)
        .map(|n| attempt(n % 20, n / 20 + 1, n % 4 > 0))
        .collect();
    let rate = |rows: &[Value]| matched(&Place::new(), rows, "").0["intervals"]["matched"].clone();
    let (once, often) = (rate(&once), rate(&often));
    assert_eq!((&once["n"], &once["clusters"]), (&json!(20), &json!(20)));
    assert_eq!((&often["n"], &often["clusters"]), (&json!(200), &json!(20)));
    assert_eq!(once["value"], often["value"]);
    let width = |rate: &Value| rate["ci"][1].as_f64().unwrap() - rate["ci"][0].as_f64().unwrap();
    assert!(width(&often) > width(&once), "{once} {often}");
    assert!(often["design_effect"].as_f64() > Some(9.0), "{often}");
    // All right, ten times over: still twenty questions.
    let right: Vec<Value> = (0..200)
        .map(|n| attempt(n % 20, n / 20 + 1, true))
        .collect();
    let right = rate(&right);
    assert!(
        right["ci"][0].as_f64() < Some(0.84) && right["ci"][1] == 1.0,
        "{right}"
    );
    // One question has no interval, however often it is asked.
    let one: Vec<Value> = (0..5).map(|n| attempt(1, n + 1, n > 0)).collect();
    let one = rate(&one);
    assert_eq!(one["ci_undefined"], "one cluster has no interval", "{one}");
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let place = Place::new();
    place.write("p.jsonl", lines(&[attempt(1, 1, true)]));
    for k in ["0", "1,0", "-1", "x", "1001", "1.5", ""] {
        let line = format!("match --predictions p.jsonl --k={k}");
        place.judica(&line).exits(2);
    }
}
