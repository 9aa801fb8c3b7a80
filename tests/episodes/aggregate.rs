//! `judica aggregate`.

use serde_json::{Value, json};

use crate::data::{eval, fixture, near, write_eval};
use crate::oracle::SLACK;
use crate::support::{Place, oracle_says, same};

#[track_caller]
fn aggregated(place: &Place, arguments: &str) -> Value {
    let ran = place
        .judica(&format!("aggregate {arguments} --json"))
        .exits(0);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Three files of two backends; one defines no click.
fn three() -> Place {
    let place = Place::new();
    let hits = |rate: Value| json!({"click_hit_rate": rate, "action_type_accuracy": 0.5});
    write_eval(&place, "in/a.json", &eval("qwen3", hits(json!(0.8))));
    write_eval(&place, "in/b.json", &eval("qwen3", hits(json!(null))));
    let mut last = eval("claude", hits(json!(0.4)));
    last["run"] = json!({"seed": 7});
    write_eval(&place, "in/deep/c.json", &last);
    place
}

#[test]
fn a_null_is_left_out_and_counted() {
    let report = aggregated(&three(), "--files in");
    assert_eq!(report["files"], 3);
    let hits = &report["metrics"]["click_hit_rate"];
    // Not (0.8 + 0 + 0.4) / 3.
    near(&hits["mean"], 0.6);
    assert_eq!(
        (&hits["n"], &hits["nulls"], &hits["missing"]),
        (&json!(2), &json!(1), &json!(0))
    );
    near(&report["mean_click_hit_rate"], 0.6);
    near(&report["mean_action_accuracy"], 0.5);
    near(&report["mean_episode_success"], 0.25);
    assert_eq!(report["metrics"]["mean_coord_error"]["mean"], Value::Null);
    assert!(report["metrics"]["mean_coord_error"]["undefined"].is_string());
}

#[test]
fn by_backend_by_key_and_by_pointer() {
    let place = three();
    let groups = |by: &str| {
        let report = aggregated(&place, &format!("--files in {by}"));
        let listed = report["groups"].as_array().expect("groups").clone();
        let told = listed
            .iter()
            .map(|group| json!([group["group"], group["files"]]));
        Value::Array(told.collect())
    };
    assert_eq!(groups(""), json!([["qwen3", 2], ["claude", 1]]));
    assert_eq!(groups("--by config_path"), json!([["configs/dev.yaml", 3]]));
    assert_eq!(groups("--by /run/seed"), json!([[null, 2], [7, 1]]));
    assert_eq!(groups("--by dsl_mode"), json!([["coord", 3]]));
}

#[test]
fn against_an_independent_implementation() {
    for (count, by) in [(3, "/backend"), (40, "/backend"), (60, "/run/seed")] {
        let place = Place::new();
        let Some(printed) = oracle_says(
            &place,
            "aggregate_oracle.py",
            &format!("--make {count} --by {by}"),
        ) else {
            return;
        };
        let mut oracle: Value = serde_json::from_slice(&printed).expect("JSON");
        let groups = oracle
            .as_object_mut()
            .and_then(|o| o.remove("groups"))
            .expect("groups");
        let report = aggregated(&place, &format!("--files evals --by {by}"));
        same(&oracle, &report, SLACK, by);
        let listed = report["groups"].as_array().expect("groups");
        assert_eq!(
            listed.len(),
            groups.as_object().map_or(0, serde_json::Map::len)
        );
        for group in listed {
            same(&groups[group["group"].to_string()], group, SLACK, by);
        }
    }
}

#[test]
fn files_that_cannot_be_used_are_named_and_counted() {
    let place = three();
    fixture(&place, "invalid-ranges.json");
    place.write("in/broken.json", "{");
    place.write("in/bad.json", place.read("invalid-ranges.json"));
    let report = aggregated(&place, "--files in");
    assert_eq!(
        (&report["inputs"], &report["files"], &report["rejects"]),
        (&json!(5), &json!(3), &json!(2))
    );
    let refused = report["refused"].as_array().expect("files");
    let told: Vec<_> = refused
        .iter()
        .map(|file| [&file["file"], &file["pointer"], &file["line"]])
        .collect();
    assert_eq!(
        told[0],
        [
            &json!("in/bad.json"),
            &json!("/metrics/num_steps"),
            &json!(7)
        ]
    );
    assert_eq!(told[1][0], &json!("in/broken.json"));
    place
        .judica("aggregate --files in --strict")
        .exits(2)
        .complains(&["in/bad.json:7", "/metrics/num_steps"]);
}

#[test]
fn many_files_on_any_number_of_threads() {
    let place = Place::new();
    for at in 0..300 {
        let metrics =
            json!({"action_type_accuracy": f64::from(at % 7) / 7.0, "click_hit_rate": null});
        write_eval(
            &place,
            &format!("in/{}/{at}.json", at % 3),
            &eval("b", metrics),
        );
    }
    let one = place
        .judica("aggregate --files in --json --threads 1")
        .exits(0)
        .stdout;
    let two = place
        .judica("aggregate --files in --json --threads 2 --out r.json")
        .exits(0)
        .stdout;
    assert_eq!(one, two);
    assert_eq!(place.text("r.json"), one);
    let report: Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(report["metrics"]["click_hit_rate"]["nulls"], 300);
}

#[test]
fn tables_of_every_format() {
    let place = three();
    for (format, word) in [
        ("terminal", "n/a"),
        ("markdown", "| metric"),
        ("latex", "\\toprule"),
        ("csv", "metric,mean"),
    ] {
        place
            .judica(&format!("aggregate --files in --format {format}"))
            .exits(0)
            .says(&[word, "0.6000"]);
    }
}
