//! Gold that is missing, misspelt or of no use: who is ranked by it, and what is said.

use serde_json::{Value, json};

use crate::support::flight::{EVAL, answer, calm, output, sample, state, states};
use crate::support::{Place, with};

/// A sample with this gold, under the keys given.
fn with_gold(id: &str, task: &str, gold: Value) -> String {
    with(json!({"sample_id": id, "task_id": task}), &gold).to_string()
}

/// Two models answer every sample: one calmly, one never in a way that can be read.
fn two_models(samples: &[String]) -> Place {
    let place = Place::new();
    place.write_lines("s.jsonl", samples);
    let ids = samples.iter().map(|line| -> (String, String) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| line[key].as_str().expect("text").to_owned();
        (text("sample_id"), text("task_id"))
    });
    let lines: Vec<String> = ids
        .flat_map(|(id, task)| {
            [
                output("steady", &id, &calm(&task)),
                answer("hopeless", &id, "no"),
            ]
        })
        .collect();
    place.write_lines("o.jsonl", &lines);
    place
}

fn board(place: &Place) -> Vec<(Value, String, Value, u64)> {
    let summary = place.json("run/report.json");
    let rows = summary["leaderboard"].as_array().expect("rows").clone();
    let row = |row: Value| {
        (
            row["rank"].clone(),
            row["model_name"].as_str().expect("a name").to_owned(),
            row["mean_total"].clone(),
            row["n"].as_u64().expect("a count"),
        )
    };
    rows.into_iter().map(row).collect()
}

#[test]
fn without_gold_a_model_that_always_fails_is_not_the_best() {
    let none = |id: &str| with_gold(id, "S1", json!({}));
    let place = two_models(&[none("a"), none("b")]);
    let ran = place.judica(EVAL).exits(0);
    assert!(!ran.stdout.contains("0.00"), "{}", ran.stdout);
    ran.says(&["n/a", "no answered sample has usable gold"])
        .complains(&["no sample has gold", "nobody is ranked"]);
    let null = Value::Null;
    assert_eq!(
        board(&place),
        [
            (null.clone(), "hopeless".to_owned(), null.clone(), 0),
            (null.clone(), "steady".to_owned(), null.clone(), 0)
        ]
    );
    let summary = place.json("run/report.json");
    for row in summary["leaderboard"].as_array().expect("rows") {
        assert_eq!(row["undefined"], "no answered sample has usable gold");
        assert_eq!((&row["ci"], &row["mean_total_eligible"]), (&null, &null));
    }
    assert_eq!(summary["gold"]["given"], 0);
    assert_eq!(summary["scored_samples"], 0);
    for model in summary["models"].as_array().expect("models") {
        assert_eq!(model["scores"]["total_score"]["count"], 0);
    }
    // The four tables say the same.
    let tables = place.judica("export run --format markdown").exits(0).stdout;
    assert!(tables.contains("| steady   |       2 |   100.0% |       100.00 |"));
    assert!(!tables.contains(" 0.00 |\n"), "{tables}");
    place.judica("reproduce run").exits(0);
}

#[test]
fn with_some_gold_all_are_measured_on_the_same_samples() {
    // `steady` fails where there is gold, `hopeless` where there is none.
    let place = Place::new();
    place.write_lines(
        "s.jsonl",
        &[
            sample("gold1", "S1"),
            sample("gold2", "S1"),
            with_gold("bare", "S1", json!({})),
        ],
    );
    place.write_lines(
        "o.jsonl",
        &[
            answer("half", "gold1", "no"),
            output("half", "gold2", &calm("S1")),
            output("half", "bare", &calm("S1")),
            output("whole", "gold1", &calm("S1")),
            output("whole", "gold2", &calm("S1")),
            answer("whole", "bare", "no"),
            output("elsewhere", "bare", &calm("S1")),
        ],
    );
    place.judica(EVAL).exits(0).says(&[
        "Totals are over the 2 of 3 samples",
        "n/a: no record on a sample that is scored",
    ]);
    assert_eq!(
        board(&place),
        [
            (json!(1), "whole".to_owned(), json!(100.0), 2),
            (json!(2), "half".to_owned(), json!(50.0), 2),
            (Value::Null, "elsewhere".to_owned(), Value::Null, 0)
        ]
    );
    let summary = place.json("run/report.json");
    assert_eq!(summary["leaderboard"][1]["n_eligible"], 1);
    assert_eq!(
        summary["leaderboard"][0]["ci_undefined"],
        "no variation among 2 items"
    );
    let [lo, hi] = [0, 1].map(|end| summary["leaderboard"][1]["ci"][end].as_f64());
    assert!(lo < Some(50.0) && hi > Some(50.0), "{lo:?} {hi:?}");
    assert_eq!(summary["scored_samples"], 2);
}

#[test]
fn equals_share_a_rank() {
    let place = Place::new();
    place.write_lines("s.jsonl", &[sample("a", "S1")]);
    let mut lines: Vec<String> = ["z", "b", "m"]
        .iter()
        .map(|model| output(model, "a", &calm("S1")))
        .collect();
    lines.push(answer("last", "a", "no"));
    place.write_lines("o.jsonl", &lines);
    place.judica(EVAL).exits(0);
    let ranks: Vec<(Value, String)> = board(&place)
        .into_iter()
        .map(|(rank, name, ..)| (rank, name))
        .collect();
    let expected = [(1, "b"), (1, "m"), (1, "z"), (4, "last")];
    assert_eq!(
        ranks,
        expected.map(|(rank, name)| (json!(rank), name.to_owned()))
    );
}

#[test]
fn gold_that_was_given_and_is_no_use_is_told_with_its_reason() {
    let cases = [
        (
            json!({"next_secnd": calm("S1")}),
            "unknown_key",
            "next_secnd",
        ),
        (json!({"gold": {"next": calm("S1")}}), "unknown_key", "next"),
        (
            json!({"gold": {"Latitude": 47.0}}),
            "unknown_key",
            "Latitude",
        ),
        (json!({"gold": [calm("S1")]}), "not_an_object", "[{"),
        (
            json!({"next_second": "about 5"}),
            "not_an_object",
            "about 5",
        ),
        (json!({"next_second": {"Lat": 5}}), "no_known_field", "Lat"),
        (
            json!({"next_second": states(&[])}),
            "wrong_shape",
            "Latitude",
        ),
        (
            json!({"next_second": {"Pitch (deg)": "", "Roll (deg)": "n/a"}}),
            "invalid_value",
            "Pitch (deg)",
        ),
    ];
    for (gold, reason, found) in cases {
        let place = two_models(&[with_gold("a", "S1", gold.clone()), sample("b", "S1")]);
        place.judica(EVAL).exits(0).complains(&[reason, found]);
        let summary = place.json("run/report.json");
        assert_eq!(summary["gold"]["given"], 2, "{gold}");
        assert_eq!(summary["gold"]["usable"], 1, "{gold}");
        assert_eq!(summary["gold"]["unusable"], json!({reason: 1}), "{gold}");
        let notes = summary["notes"].to_string();
        assert!(notes.contains(reason), "{notes}");
        assert_eq!(summary["leaderboard"][0]["n"], 1);
        // And where nothing is left, that is said first; on standard error, whatever is
        // printed.
        let place = two_models(&[with_gold("a", "S1", gold.clone())]);
        for json in ["", " --json"] {
            place.judica(&format!("{EVAL}{json}")).exits(0).complains(&[
                "gold was given for 1 of 1 samples, and none of it can be used",
                reason,
            ]);
        }
        let summary = place.json("run/report.json");
        assert_eq!(summary["leaderboard"][0]["rank"], Value::Null);
        assert!(
            summary["notes"][0]
                .as_str()
                .expect("a note")
                .contains(reason)
        );
    }
}

#[test]
fn gold_that_is_said_not_to_be_there_is_not_missed() {
    let place = two_models(&[
        with_gold(
            "a",
            "S1",
            json!({"gold": {"next_second": calm("S1"), "available": false}}),
        ),
        sample("b", "S1"),
    ]);
    let ran = place.judica(EVAL).exits(0);
    assert_eq!(ran.stderr, "");
    let gold = place.json("run/report.json")["gold"].clone();
    assert_eq!((&gold["given"], &gold["usable"]), (&json!(1), &json!(1)));
    assert_eq!(gold["unusable"], json!({}));
}

#[test]
fn a_file_of_windows_serves_tasks_of_one_second_and_of_three() {
    let rolls = json!([1, 2, 3]);
    let windows = states(&[("Roll (deg)", rolls.clone())]);
    let line = json!({"T-2": calm("S1"), "T-1": calm("S1"), "T0": calm("S1"), "T+1": windows});
    let place = Place::new();
    place.write_lines("s.jsonl", &[line.to_string()]);
    let said = |roll: Value, task: &str| {
        let response = match task {
            "M1" => state(&[("Roll (deg)", roll)]),
            _ => states(&[("Roll (deg)", roll)]),
        };
        json!({"model": "m", "response": response}).to_string()
    };
    for (task, roll) in [("M1", json!(1)), ("M3", rolls)] {
        place.write_lines("o.jsonl", &[said(roll, task)]);
        place
            .judica(&format!("{EVAL} --task {task} --records jsonl"))
            .exits(0);
        let record = &place.json_lines("run/records.jsonl")[0];
        let scores = &record["optional_scores"];
        assert_eq!(record["sample_id"], format!("{task}_000"));
        assert_eq!(scores["mae"], 0.0, "{scores}");
        assert_eq!(
            scores["compared_values"],
            if task == "M1" { 19 } else { 57 }
        );
    }
}

#[test]
fn values_of_no_use_are_counted_by_field() {
    let place = two_models(&[
        with_gold(
            "a",
            "S1",
            json!({"next_second": state(&[("Roll (deg)", json!(""))])}),
        ),
        with_gold(
            "b",
            "S1",
            json!({"next_second": state(&[("Roll (deg)", json!("?")), ("Pitch (deg)", json!([2]))])}),
        ),
        // Numbers as text are numbers, and spaces are nothing.
        with_gold(
            "c",
            "S1",
            json!({"next_second": state(&[("Roll (deg)", json!(" 1.0 "))])}),
        ),
        sample("d", "S1"),
        sample("e", "S1"),
    ]);
    place.judica(EVAL).exits(0).complains(&[
        "Roll (deg): 2 × invalid_value (first in sample a: \"\")",
        "Pitch (deg): 1 × wrong_shape (first in sample b: [2])",
    ]);
    let gold = place.json("run/report.json")["gold"].clone();
    assert_eq!((&gold["given"], &gold["usable"]), (&json!(5), &json!(5)));
    assert_eq!(
        gold["problems"],
        json!([
            {"field": "Roll (deg)", "reason": "invalid_value", "count": 2, "first_sample": "a", "found": "\"\""},
            {"field": "Pitch (deg)", "reason": "wrong_shape", "count": 1, "first_sample": "b", "found": "[2]"},
        ])
    );
    assert_eq!(
        (&gold["verified"], &gold["ineligible"]),
        (&json!(5), &json!(2))
    );
}

#[test]
fn a_truth_that_would_fail_itself_is_told_once() {
    let sinking = |id: &str| {
        let state = state(&[("Vertical Speed (fpm)", json!(-3500))]);
        with_gold(id, "S1", json!({"next_second": state}))
    };
    let line = "the truth itself would be ineligible on 2 of 3 samples; see `judica calibrate`: `judica calibrate --protocol flight --samples s.jsonl` says";
    let place = two_models(&[
        sinking("a"),
        sinking("b"),
        sinking("c").replace("-3500", "-3000"),
    ]);
    let ran = place.judica(EVAL).exits(0).complains(&[line]);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    place
        .judica("calibrate --protocol flight --samples s.jsonl")
        .exits(1);
    // Half of them is not more than half.
    let place = two_models(&[sinking("a"), sample("b", "M1")]);
    assert_eq!(place.judica(EVAL).exits(0).stderr, "");
}

#[test]
fn what_stands_in_gold_does_not_command_the_terminal() {
    let place = two_models(&[with_gold(
        "\u{1b}[31mred",
        "S1",
        json!({"next_second": {"Pitch (deg)": "\u{9b}31m"}}),
    )]);
    let ran = place.judica(EVAL).exits(0).complains(&["\\u{1b}[31mred"]);
    assert!(!ran.stderr.contains(['\u{1b}', '\u{9b}']), "{}", ran.stderr);
}
