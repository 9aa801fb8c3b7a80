//! A protocol held against the truth.

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::flight::{sample, state};

#[test]
fn synthetic_truth_breaks_no_rule() {
    let place = Place::new();
    for domain in ["flight", "battery"] {
        place
            .judica(&format!(
                "synth {domain} --samples 150 --models 1 --seed 8 --out {domain}"
            ))
            .exits(0);
        let calibrate = format!("calibrate --protocol {domain} --samples {domain}/samples.jsonl");
        place
            .judica(&calibrate)
            .exits(0)
            .says(&["150 samples, 150 with gold", "no rule is violated"]);
        let found: Value =
            serde_json::from_str(&place.judica(&format!("{calibrate} --json")).exits(0).stdout)
                .expect("JSON");
        let rules = found["rules"].as_array().expect("rules");
        assert!(!rules.is_empty());
        for rule in rules {
            assert_eq!(rule["broken"], false);
            assert!(rule["checks"].as_u64().is_some_and(|checks| checks > 0));
        }
    }
}

/// Ten samples, of which the truth of `sinking` sinks too fast.
fn sinking(count: usize) -> Place {
    let place = Place::new();
    let lines: Vec<String> = (0..10)
        .map(|index| {
            let mut line: Value =
                serde_json::from_str(&sample(&format!("s{index}"), "S1")).expect("JSON");
            if index < count {
                line["gold"]["next_second"] = state(&[("Vertical Speed (fpm)", json!(-2500))]);
            }
            line.to_string()
        })
        .collect();
    place.write_lines("s.jsonl", &lines);
    place
}

#[test]
fn a_rule_that_the_truth_breaks_fails_the_gate() {
    let place = sinking(2);
    let ran = place
        .judica("calibrate --protocol flight --samples s.jsonl")
        .exits(1);
    ran.says(&[
        "safety_constraint.rapid_descent",
        "violated by more than 1 %",
    ]);
    let json = place
        .judica("calibrate --protocol flight --samples s.jsonl --json")
        .exits(1)
        .stdout;
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let rules = found["rules"].as_array().expect("rules");
    let rule = rules
        .iter()
        .find(|rule| rule["rule"] == "safety_constraint.rapid_descent")
        .expect("the rule");
    assert_eq!(
        (&rule["checks"], &rule["violations"], &rule["critical"]),
        (&json!(10), &json!(2), &json!(0))
    );
    assert_eq!(rule["broken"], true);
}

#[test]
fn some_violation_can_be_tolerated() {
    // Two of ten sink too fast. At -2500 fpm below 5000 fpm nothing else is broken but
    // the jump back, once in nine.
    let place = sinking(2);
    place
        .judica("calibrate --protocol flight --samples s.jsonl --tolerate 19")
        .exits(1);
    place
        .judica("calibrate --protocol flight --samples s.jsonl --tolerate 20")
        .exits(0);
}

#[test]
fn bad_lines_are_counted_or_end_it() {
    let place = sinking(0);
    place.write("s.jsonl", place.text("s.jsonl") + "not json\n");
    place
        .judica("calibrate --protocol flight --samples s.jsonl")
        .exits(0)
        .says(&[
            "10 samples, 10 with gold, 1 lines refused",
            "s.jsonl:11: malformed_json",
        ]);
    place
        .judica("calibrate --protocol flight --samples s.jsonl --strict")
        .exits(2)
        .complains(&["s.jsonl:11: "]);
    place
        .judica("calibrate --protocol flight --samples nowhere.jsonl")
        .exits(3)
        .complains(&["nowhere.jsonl"]);
}

#[test]
fn a_truth_that_is_no_number_breaks_numeric_validity() {
    let place = sinking(0);
    let with = |roll: Value| {
        json!({"task_id": "S1", "next_second": state(&[("Roll (deg)", roll)])}).to_string()
    };
    let mut text = place.text("s.jsonl");
    for roll in [
        json!(""),
        json!("n/a"),
        json!(null),
        json!([1, 2]),
        json!("1.0"),
    ] {
        text.push_str(&format!("{}\n", with(roll)));
    }
    place.write("s.jsonl", text);
    let ran = place
        .judica("calibrate --protocol flight --samples s.jsonl")
        .exits(1);
    ran.says(&[
        "numeric_validity.invalid_value",
        "numeric_validity.wrong_shape",
        "Roll (deg): 3 × invalid_value (first in sample S1_010: \"\")",
        "15 samples, 15 with gold",
    ]);
    let json = place
        .judica("calibrate --protocol flight --samples s.jsonl --json")
        .exits(1)
        .stdout;
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let of = |rule: &str| {
        let rules = found["rules"].as_array().expect("rules");
        let rule = rules.iter().find(|entry| {
            entry["rule"] == rule && entry["field"] == "Roll (deg)" && entry["broken"] == true
        });
        rule.map(|rule| (rule["checks"].clone(), rule["violations"].clone()))
    };
    // Fourteen had the right shape to be looked at; all fifteen had some shape.
    assert_eq!(
        of("numeric_validity.invalid_value"),
        Some((json!(14), json!(3)))
    );
    assert_eq!(
        of("numeric_validity.wrong_shape"),
        Some((json!(15), json!(1)))
    );
    assert_eq!(found["gold"]["given"], 15);
    assert_eq!(found["gold"]["problems"][0]["count"], 3);
    // A rule that two fields break is one rule.
    let both = state(&[("Roll (deg)", json!("")), ("Pitch (deg)", json!(""))]);
    let both = json!({"task_id": "S1", "next_second": both});
    place.write("s.jsonl", both.to_string());
    place
        .judica("calibrate --protocol flight --samples s.jsonl")
        .exits(1)
        .says(&["1 rule is violated"]);
    // A field that is left out is still no violation.
    place.write(
        "s.jsonl",
        json!({"task_id": "S1", "next_second": {"Roll (deg)": 1}}).to_string(),
    );
    place
        .judica("calibrate --protocol flight --samples s.jsonl")
        .exits(0);
}

#[test]
fn a_window_is_the_truth_of_one_second_and_of_three() {
    let place = Place::new();
    let windows = crate::support::flight::states(&[]);
    place.write(
        "s.jsonl",
        json!({"T0": state(&[]), "T+1": windows}).to_string(),
    );
    for task in ["S1", "M1", "M3"] {
        place
            .judica(&format!(
                "calibrate --protocol flight --samples s.jsonl --task {task}"
            ))
            .exits(0)
            .says(&["1 samples, 1 with gold"]);
    }
}

#[test]
fn nothing_checked_is_no_success() {
    const NONE: &str = "no check was run";
    for (content, what, why) in [
        ("", "there is no row in it", "s.jsonl"),
        ("not json\n", "its one row cannot be used", "malformed_json"),
        ("{}\n", NONE, "gold stands under"),
        (
            "{\"next_secnd\": {\"Roll (deg)\": 1}}\n",
            NONE,
            "unknown_key",
        ),
        ("{\"gold\": 7}\n", NONE, "not_an_object"),
        ("{\"next_second\": {\"Rol\": 7}}\n", NONE, "no_known_field"),
        (
            "{\"gold\": {\"next_second\": {\"Roll (deg)\": 1}, \"available\": false}}\n",
            NONE,
            "gold stands under",
        ),
    ] {
        let place = Place::new();
        place.write("s.jsonl", content);
        for json in ["", " --json"] {
            let command = format!("calibrate --protocol flight --task S1 --samples s.jsonl{json}");
            let ran = place.judica(&command).exits(2).complains(&[what, why]);
            assert_eq!(ran.stdout, "");
        }
    }
}
