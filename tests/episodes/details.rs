//! `--details`: each episode with its steps, and the evidence for every verdict.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::data::{SCORE, act, click, near, place, row, scored, two};
use crate::support::{Place, keys};

#[track_caller]
fn details(place: &Place, options: &str) -> Vec<Value> {
    scored(place, &format!("{options} --details out/d.jsonl"));
    place.json_lines("out/d.jsonl")
}

fn atoms(detail: &Value) -> &[Value] {
    detail["evidence"]["atoms"].as_array().expect("atoms")
}

/// The atoms of one kind that failed.
fn failed<'d>(detail: &'d Value, kind: &str) -> Vec<&'d Value> {
    let of = |atom: &&Value| atom["type"] == kind && atom["pass"] == false;
    atoms(detail).iter().filter(of).collect()
}

#[test]
fn one_line_for_each_episode_in_the_order_of_the_recordings() {
    let lines = details(&two(), "--mode coord");
    let names: Vec<&Value> = lines.iter().map(|line| &line["episode_id"]).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(lines[0]["success"], true);
    assert_eq!(lines[1]["success"], false);
    assert_eq!(lines[1]["extra_steps"], 1);
    assert_eq!(lines[1]["missing_steps"], 1);
    near(&lines[1]["progress"], 0.5);
    let steps = lines[1]["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[1]["predicted_type"], Value::Null);
}

#[test]
fn a_failed_click_shows_what_was_observed_and_the_limit() {
    let lines = details(&two(), "--mode coord");
    let [miss] = failed(&lines[1], "coordinate")[..] else {
        panic!("{}", lines[1]);
    };
    assert_eq!(miss["meta"]["step"], 0);
    near(&miss["meta"]["observed"]["error"], 0.3);
    assert_eq!(miss["meta"]["observed"]["predicted"], json!([0.5, 0.2]));
    assert_eq!(miss["meta"]["observed"]["target"], json!([0.2, 0.2]));
    assert_eq!(miss["meta"]["limit"], 0.05);
    let [outside] = failed(&lines[1], "bbox")[..] else {
        panic!("{}", lines[1]);
    };
    assert_eq!(outside["meta"]["observed"], json!([0.5, 0.2]));
    assert_eq!(outside["meta"]["limit"], json!([0.1, 0.1, 0.3, 0.3]));
    assert!(failed(&lines[0], "coordinate").is_empty());
}

#[test]
fn atoms_have_one_shape_and_names_of_their_own() {
    for line in details(&two(), "--mode coord") {
        let mut names = BTreeSet::new();
        for atom in atoms(&line) {
            assert_eq!(
                keys(atom),
                [
                    "id", "type", "rule", "field", "pass", "severity", "scope", "message", "meta"
                ]
            );
            let name = atom["id"].as_str().expect("a name");
            assert!(name.starts_with("EVID_") && names.insert(name), "{name}");
            assert!(!atom["message"].as_str().expect("a message").is_empty());
        }
        // Every step has one about its type.
        let steps = line["steps"].as_array().expect("steps").len();
        let typed = atoms(&line)
            .iter()
            .filter(|atom| atom["type"] == "action_type" && atom["meta"]["step"].is_number());
        assert_eq!(typed.count(), steps);
    }
}

#[test]
fn evidence_and_verdicts_say_the_same() {
    for line in details(&two(), "--mode coord") {
        for step in line["steps"].as_array().expect("steps") {
            let about = |kind: &str| {
                let mut of = atoms(&line)
                    .iter()
                    .filter(|atom| atom["type"] == kind && atom["meta"]["step"] == step["index"]);
                of.next().map_or(Value::Null, |atom| atom["pass"].clone())
            };
            assert_eq!(about("action_type"), step["type_match"], "{step}");
            assert_eq!(about("coordinate"), step["hit"], "{step}");
            assert_eq!(about("bbox"), step["bbox_hit"], "{step}");
        }
    }
}

#[test]
fn in_marks_mode_the_element_is_the_evidence() {
    let gold = json!({"type": "click", "element_index": 3});
    let wrong = json!({"type": "click", "element_index": 4});
    let place = place(
        &[row("a", &[gold.clone(), gold])],
        &[row("a", &[wrong, act("click")])],
    );
    let lines = details(&place, "--mode som");
    let missed = failed(&lines[0], "element");
    assert_eq!(missed.len(), 2, "{}", lines[0]);
    assert_eq!(
        missed[0]["meta"]["limit"].to_string().trim_matches('"'),
        "3"
    );
    assert_eq!(
        missed[0]["meta"]["observed"].to_string().trim_matches('"'),
        "4"
    );
    assert_eq!(missed[1]["meta"]["observed"], Value::Null);
}

#[test]
fn what_the_lines_say_adds_up_to_the_eval_file() {
    let place = two();
    let lines = details(&place, "--mode coord");
    let eval = place.json("out/eval.json");
    for (counted, key) in [
        ("steps", "n_steps"),
        ("type_matches", "type_matches"),
        ("full_steps", "full_steps"),
        ("missing_steps", "missing_steps"),
        ("extra_steps", "extra_steps"),
        ("coord_errors", "coord_error_count"),
        ("click_hits", "click_hits"),
        ("bbox_targets", "bbox_targets"),
        ("bbox_hits", "bbox_hits"),
    ] {
        let sum: u64 = lines
            .iter()
            .map(|line| line[key].as_u64().expect("a count"))
            .sum();
        assert_eq!(eval["counts"][counted], sum, "{counted}");
    }
}

#[test]
fn details_have_a_file_of_their_own() {
    let place = two();
    let plain = details(&place, "--mode coord");
    assert_eq!(plain.len(), 2);
    // No other file is touched by asking for details.
    let names = place.names("out");
    assert_eq!(names, ["d.jsonl", "eval.json"]);
    place
        .judica(&format!("{SCORE} --mode coord --details out/eval.json"))
        .exits(2)
        .complains(&["--details", "out/eval.json"]);
}

#[test]
fn control_characters_of_names_stay_in_their_strings() {
    let name = "a\u{1b}[2J\n\"\\";
    let place = place(
        &[row(name, &[click(0.5, 0.5)])],
        &[row(name, &[act("\u{7}x")])],
    );
    let lines = details(&place, "--mode coord");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["episode_id"], name);
    assert_eq!(lines[0]["steps"][0]["predicted_type"], "\u{7}x");
}
