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

#[test]
fn details_come_to_what_runs_come_to() {
    let place = Place::new();
    let of = |at: usize, action: Value| {
        let mut row = row(&format!("e{at}"), &[action]);
        row["cluster"] = json!(format!("app {}", at % 12));
        row
    };
    let recorded: Vec<Value> = (0..40).map(|at| of(at, click(0.5, 0.5))).collect();
    for (name, wrong) in [("a", 3usize), ("b", 4)] {
        let did = |at: usize| {
            if at.is_multiple_of(wrong) {
                act("wait")
            } else {
                click(0.5, 0.5)
            }
        };
        let predicted: Vec<Value> = (0..40).map(|at| of(at, did(at))).collect();
        write(&place, &recorded, &predicted);
        let line = SCORE.replace("out/eval.json", &format!("{name}.json"));
        let line = format!("{line} --mode coord --details {name}.jsonl --run {name}");
        place.judica(&line).exits(0);
    }
    let runs = compared(&place, "a b");
    for files in [
        "--files a.json b.json --details a.jsonl b.jsonl",
        "--files a.jsonl b.jsonl",
    ] {
        let details = compared(&place, files);
        let (by_runs, by_details) = (
            row_of(&runs, "episode_success_rate"),
            row_of(&details, "episode_success_rate"),
        );
        for key in ["a", "b", "difference", "n", "clusters", "p"] {
            assert_eq!(by_runs[key], by_details[key], "{files}: {key}");
        }
    }
    let mut other = recorded.clone();
    other[0]["cluster"] = json!("app 11");
    write(&place, &other, &recorded);
    let line = SCORE.replace("out/eval.json", "c.json");
    place
        .judica(&format!("{line} --mode coord --details c.jsonl"))
        .exits(0);
    place
        .judica("compare --files a.jsonl c.jsonl")
        .exits(2)
        .complains(&["disagree about the cluster of episode \"e0\""]);
}

#[track_caller]
fn compared(place: &Place, arguments: &str) -> Value {
    let ran = place
        .judica(&format!("compare {arguments} --json"))
        .exits(0);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[track_caller]
fn row_of<'r>(report: &'r Value, metric: &str) -> &'r Value {
    let mut metrics = report["metrics"].as_array().expect("metrics").iter();
    let found = metrics.find(|found| found["metric"] == metric);
    found.unwrap_or_else(|| panic!("no {metric}"))
}

#[test]
fn paired_where_the_episodes_match() {
    let place = Place::new();
    run(&place, "base", 12, 0);
    run(&place, "tuned", 12, 12);
    let report = compared(
        &place,
        "--files base.json tuned.json --details base.jsonl tuned.jsonl",
    );
    assert_eq!(report["schema_version"], "judica.compare/1");
    let success = row_of(&report, "episode_success_rate");
    assert_eq!(success["verdict"], "better");
    assert_eq!(
        (&success["n"], &success["primary"]),
        (&json!(12), &json!(true))
    );
    near(&success["difference"]["value"], 1.0);
    // All twelve pairs differ in the same way: 2 of 2^12 signs are as extreme, and of the
    // mid-p the extreme case itself counts half.
    near(&success["p"], 1.0 / 4096.0);
    // Of a distance less is better.
    let error = row_of(&report, "mean_coord_error");
    let less = error["difference"]["value"].as_f64();
    assert!(less.is_some_and(|less| less < 0.0));
    assert_ne!(error["verdict"], "worse");
    assert_eq!(report["items"]["common"], 12);
}

#[test]
fn it_says_what_the_runs_themselves_say() {
    let place = Place::new();
    for (name, right) in [("base", 4), ("tuned", 9)] {
        run(&place, name, 12, right);
        let line = SCORE.replace("--out out/eval.json", &format!("--run {name}-run"));
        place.judica(&format!("{line} --mode coord")).exits(0);
    }
    let by_files = compared(&place, "--files base.jsonl tuned.jsonl");
    let by_runs = compared(&place, "base-run tuned-run");
    assert_eq!(by_files["metrics"], by_runs["metrics"]);
}

#[test]
fn the_other_way_round_it_is_worse() {
    let place = Place::new();
    run(&place, "base", 12, 12);
    run(&place, "tuned", 12, 0);
    let report = compared(&place, "--files base.jsonl tuned.jsonl");
    let success = row_of(&report, "episode_success_rate");
    assert_eq!(
        (&success["verdict"], &success["n"]),
        (&json!("worse"), &json!(12))
    );
    place
        .judica("compare --files base.jsonl tuned.jsonl --fail-if-worse")
        .exits(1)
        .says(&["b = tuned against a = base", "worse"]);
}

#[test]
fn small_differences_are_not_claimed() {
    let place = Place::new();
    run(&place, "base", 10, 5);
    run(&place, "tuned", 10, 6);
    for details in ["", "--details base.jsonl tuned.jsonl"] {
        let report = compared(&place, &format!("--files base.json tuned.json {details}"));
        let success = row_of(&report, "episode_success_rate");
        assert_eq!(success["verdict"], "no difference");
        assert_eq!(success["n"] == 10, !details.is_empty());
        near(&success["difference"]["value"], 0.1);
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
        let verdict = &metric["verdict"];
        assert!(
            verdict == "no difference" || verdict == "undefined",
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
        for metric in report["metrics"].as_array().expect("metrics") {
            assert_ne!(metric["verdict"], "better", "{details} {metric}");
        }
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
    assert_eq!(
        report["items"],
        json!({"common": 10, "only_a": 0, "only_b": 3, "left_out": ["e10", "e11", "e12"]})
    );
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
    let hits = row_of(&report, "click_hit_rate");
    assert_eq!(hits["difference"]["value"], Value::Null);
    assert_eq!(hits["verdict"], "undefined");
    let why = hits["difference"]["undefined"].as_str();
    assert!(why.is_some_and(|why| why.contains("b: ")));
    let accuracy = row_of(&report, "action_type_accuracy");
    assert_eq!(accuracy["difference"]["value"], 0.0);
    assert_eq!(accuracy["verdict"], "no difference");
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
    let runs: Vec<&Value> = report["sides"]
        .as_array()
        .expect("sides")
        .iter()
        .map(|side| &side["run"])
        .collect();
    assert_eq!(runs, ["A", "B", "C"]);
    let sides: Vec<&Value> = report["metrics"]
        .as_array()
        .expect("metrics")
        .iter()
        .filter(|row| row["primary"] == true)
        .map(|row| &row["side"])
        .collect();
    assert_eq!(sides, [1, 2]);
}
