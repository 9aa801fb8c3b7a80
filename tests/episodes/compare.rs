//! `judica compare`: what is said about differences.

use serde_json::{Value, json};

use crate::data::{SCORE, act, click, eval, near, row, write, write_eval};
use crate::support::Place;

/// Scores `episodes` episodes of two clicks of which the first `right` are right, as
/// NAME.json and NAME.jsonl.
pub fn run(place: &Place, name: &str, episodes: usize, right: usize) {
    let id = |at: usize| format!("e{at}");
    let recorded: Vec<Value> = (0..episodes)
        .map(|at| row(&id(at), &[click(0.5, 0.5), click(0.5, 0.5)]))
        .collect();
    let predicted: Vec<Value> = (0..episodes)
        .map(|at| match at < right {
            true => row(&id(at), &[click(0.5, 0.5), click(0.5, 0.5)]),
            false => row(
                &id(at),
                &[act("wait"), json!({"type": "drag", "x": 0.9, "y": 0.5})],
            ),
        })
        .collect();
    write(place, &recorded, &predicted);
    let line = SCORE.replace("out/eval.json", &format!("{name}.json"));
    place
        .judica(&format!("{line} --mode coord --details {name}.jsonl"))
        .exits(0);
}

#[track_caller]
fn compared(place: &Place, arguments: &str) -> Value {
    let ran = place
        .judica(&format!("compare {arguments} --json"))
        .exits(0);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[track_caller]
fn difference<'r>(report: &'r Value, metric: &str) -> &'r Value {
    let mut metrics = report["metrics"].as_array().expect("metrics").iter();
    let found = metrics.find(|found| found["metric"] == metric);
    &found.unwrap_or_else(|| panic!("no {metric}"))["differences"][0]
}

const NO_DIFFERENCE: &str = "no difference that this data can show";

#[test]
fn paired_where_the_episodes_match() {
    let place = Place::new();
    run(&place, "base", 12, 0);
    run(&place, "tuned", 12, 12);
    let report = compared(
        &place,
        "--files base.json tuned.json --details base.jsonl tuned.jsonl",
    );
    let success = difference(&report, "episode_success_rate");
    assert_eq!(success["verdict"], "better");
    assert_eq!(success["estimate"]["paired"], true);
    near(&success["difference"], 1.0);
    // All twelve pairs differ in the same way: 2 of 2^12 signs are as extreme.
    near(&success["estimate"]["p_value"], 2.0 / 4096.0);
    // Of a distance less is better.
    let error = difference(&report, "mean_coord_error");
    assert!(error["difference"].as_f64().is_some_and(|less| less < 0.0));
    assert_ne!(error["verdict"], "worse");
    let words = report["verdicts"][0]["words"].as_str().expect("words");
    assert!(words.starts_with("tuned is better than base in"), "{words}");
    assert_eq!(report["pairing"][0]["common"], 12);
}

#[test]
fn the_other_way_round_it_is_worse() {
    let place = Place::new();
    run(&place, "base", 12, 12);
    run(&place, "tuned", 12, 0);
    let report = compared(&place, "--files base.jsonl tuned.jsonl");
    let success = difference(&report, "episode_success_rate");
    assert_eq!(success["verdict"], "worse");
    assert_eq!(success["estimate"]["paired"], true);
    let words = report["verdicts"][0]["words"].as_str().expect("words");
    assert!(words.starts_with("tuned is worse than base in"), "{words}");
}

#[test]
fn small_differences_are_not_claimed() {
    let place = Place::new();
    run(&place, "base", 10, 5);
    run(&place, "tuned", 10, 6);
    for details in ["", "--details base.jsonl tuned.jsonl"] {
        let report = compared(&place, &format!("--files base.json tuned.json {details}"));
        let success = difference(&report, "episode_success_rate");
        assert_eq!(success["verdict"], "no_difference");
        assert_eq!(success["estimate"]["paired"], !details.is_empty());
        assert!(
            success["words"]
                .as_str()
                .is_some_and(|words| words.starts_with(NO_DIFFERENCE))
        );
        let words = report["verdicts"][0]["words"].as_str().expect("words");
        assert_eq!(words, format!("tuned and base: {NO_DIFFERENCE}"));
        near(&success["difference"], 0.1);
    }
}

#[test]
fn a_run_against_itself() {
    let place = Place::new();
    run(&place, "base", 8, 3);
    let report = compared(
        &place,
        "--files base.json base.json --labels a b --details base.jsonl base.jsonl",
    );
    for metric in report["metrics"].as_array().expect("metrics") {
        let found = &metric["differences"][0];
        assert!(
            ["no_difference", "no_direction", "not_comparable"]
                .iter()
                .any(|word| found["verdict"] == *word),
            "{metric}"
        );
    }
}

#[test]
fn one_episode_shows_nothing() {
    let place = Place::new();
    run(&place, "base", 1, 0);
    run(&place, "tuned", 1, 1);
    for details in ["", "--details base.jsonl tuned.jsonl"] {
        let report = compared(&place, &format!("--files base.json tuned.json {details}"));
        assert_eq!(report["verdicts"][0]["better"], json!([]), "{details}");
    }
}

#[test]
fn episodes_that_only_one_has_are_left_out_and_counted() {
    let place = Place::new();
    run(&place, "base", 10, 5);
    run(&place, "tuned", 13, 5);
    let report = compared(
        &place,
        "--files base.json tuned.json --details base.jsonl tuned.jsonl",
    );
    let pairing = &report["pairing"][0];
    assert_eq!(
        (
            &pairing["common"],
            &pairing["baseline_only"],
            &pairing["label_only"]
        ),
        (&json!(10), &json!(0), &json!(3))
    );
    assert_eq!(pairing["left_out"], json!(["e10", "e11", "e12"]));
}

#[test]
fn a_null_cannot_be_compared() {
    let place = Place::new();
    write_eval(
        &place,
        "a.json",
        &eval("x", json!({"click_hit_rate": 0.5, "coord_error_count": 10})),
    );
    write_eval(
        &place,
        "b.json",
        &eval("y", json!({"click_hit_rate": null})),
    );
    let report = compared(&place, "--files a.json b.json");
    let hits = difference(&report, "click_hit_rate");
    assert_eq!(hits["difference"], Value::Null);
    assert_eq!(hits["verdict"], "not_comparable");
    assert!(
        hits["words"]
            .as_str()
            .is_some_and(|words| words.contains("b: "))
    );
    let accuracy = difference(&report, "action_type_accuracy");
    assert_eq!(accuracy["difference"], 0.0);
    assert_eq!(accuracy["verdict"], "no_difference");
}

#[test]
fn several_against_the_first() {
    let place = Place::new();
    run(&place, "base", 12, 6);
    run(&place, "same", 12, 6);
    run(&place, "tuned", 12, 12);
    let report = compared(
        &place,
        "--files base.json same.json tuned.json --labels A B C",
    );
    assert_eq!(report["baseline"], "A");
    let labels: Vec<&Value> = report["verdicts"]
        .as_array()
        .expect("verdicts")
        .iter()
        .map(|v| &v["label"])
        .collect();
    assert_eq!(labels, ["B", "C"]);
}
