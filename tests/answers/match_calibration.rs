//! `judica match --confidence`: whether stated confidence is what it says.

use serde_json::{Value, json};

use crate::answers::data::{lines, matched, near, row, with};
use crate::support::Place;

fn sure(confidence: Value, right: bool) -> Value {
    let said = if right { "a" } else { "b" };
    with(row("a", said), json!({"p": confidence}))
}

#[track_caller]
fn calibration(rows: &[Value]) -> Value {
    let (report, _) = matched(&Place::new(), rows, "--confidence p");
    report["calibration"].clone()
}

#[test]
fn scores_worked_by_hand() {
    let rows = [
        sure(json!(0.9), true),
        sure(json!(0.9), false),
        sure(json!("0.2"), false),
        sure(json!(0), false),
        sure(json!(1), true),
    ];
    let found = calibration(&rows);
    assert_eq!(found["rows"], 5);
    // 0.01, 0.81, 0.04, 0 and 0.
    near(&found["brier"]["value"], 0.86 / 5.0);
    // |1.8 − 1| in one bin, 0.2 in another; 0 and 1 are what they say.
    near(&found["ece"]["value"], (0.8 + 0.2) / 5.0);
    assert!(found["ece"]["ci"].is_null(), "{found}");
    assert!(
        found["ece"]["ci_undefined"]
            .as_str()
            .unwrap()
            .contains("biased")
    );
    let curve = found["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 10);
    // An inner edge belongs to the bin below it.
    assert_eq!(curve[8]["matched"]["n"], 2);
    assert_eq!(curve[1]["confidence"], 0.2);
    assert!(curve[5]["confidence"].is_null() && curve[5]["matched"]["value"].is_null());
    let ci = &curve[9]["matched"]["ci"];
    assert!(ci[0].as_f64() < Some(0.5) && ci[1] == 1.0, "{ci}");
}

#[test]
fn what_is_no_confidence_is_counted_and_named() {
    let rows = [
        sure(json!(1.0001), true),
        sure(json!(-0.1), true),
        sure(json!("high"), true),
        sure(json!("NaN"), true),
        sure(json!(true), true),
        sure(json!(null), true),
        row("a", "a"),
        sure(json!(0.5), true),
        sure(json!(0.25), false),
    ];
    let found = calibration(&rows);
    assert_eq!(
        (&found["rows"], &found["left_out"]["rows"]),
        (&json!(2), &json!(7))
    );
    assert_eq!(
        found["left_out"]["reasons"],
        json!({"a confidence outside 0-1": 2, "a confidence that is no number": 3, "no confidence": 2})
    );
    near(&found["brier"]["value"], (0.25 + 0.0625) / 2.0);
    // Where that is all of them, the wrong column was named.
    let place = Place::new();
    place.write("p.jsonl", lines(&rows[..3]));
    let ran = place.judica("match --predictions p.jsonl --confidence p --run r");
    ran.exits(2).complains(&[
        "p.jsonl:1: --confidence: no row has a confidence that counts",
        "a confidence outside 0-1, 2",
    ]);
    assert!(!place.path("r/manifest.json").exists());
}

#[test]
fn the_curve_is_drawn() {
    let place = Place::new();
    let rows: Vec<Value> = (0..200)
        .map(|n| sure(json!(f64::from(n % 20) / 20.0), n * 7 % 20 < n % 20))
        .collect();
    place.write("p.jsonl", lines(&rows));
    let base = "match --predictions p.jsonl --confidence p";
    place
        .judica(&format!("{base} --figure f/curve"))
        .exits(0)
        .says(&[
            "Calibration",
            "Brier score",
            "figure: f/curve.svg",
            "figure: f/curve.pdf",
            "figure: f/curve.png",
        ]);
    let svg = place.text("f/curve.svg");
    assert!(
        svg.starts_with("<svg") && svg.contains("rows"),
        "{}",
        &svg[..60]
    );
    assert_eq!(place.read("f/curve.png")[1..4], *b"PNG");
    place.judica(&format!("{base} --figure f.txt")).exits(2);
    place
        .judica("match --predictions p.jsonl --figure f.svg")
        .exits(2);
    // Brier's score is a metric of the run.
    place.judica(&format!("{base} --run r")).exits(0);
    place.judica("show r").exits(0).says(&["brier"]);
    place.judica("reproduce r").exits(0).says(&["identical"]);
}

#[test]
fn judges_have_no_use_for_it() {
    let place = Place::new();
    place.write("p.jsonl", lines(&[sure(json!(1), true)]));
    place
        .judica("judge --predictions p.jsonl --no-llm --out o --column confidence=p")
        .exits(2)
        .complains(&["judica match"]);
}
