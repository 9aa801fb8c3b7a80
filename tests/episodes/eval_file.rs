//! The eval file: its numbers on data that can be worked out by hand, its keys and their
//! order, what stands beside the metrics.

use serde_json::{Value, json};

use crate::data::{SCORE, act, click, near, place, row, scored, two};
use crate::support::{STAMP, keys};

/// Every key of the file, in its order.
const TOP: [&str; 16] = [
    "config_path",
    "backend",
    "dsl_mode",
    "schema_version",
    "eval_timestamp",
    "training_timestamp",
    "device",
    "gpu_model",
    "memory_gb",
    "checkpoint_path",
    "metrics",
    "metrics_by_action_type",
    "counts",
    "inputs",
    "undefined",
    "notes",
];

/// The metrics of the first published shape, in its order.
const METRICS: [&str; 13] = [
    "num_episodes",
    "num_steps",
    "action_type_accuracy",
    "mean_coord_error",
    "coord_error_count",
    "episode_success_rate",
    "click_hit_rate",
    "bbox_hit_rate",
    "mean_episode_progress",
    "mean_episode_step_score",
    "weak_episode_success_rate",
    "state_success_rate",
    "element_accuracy",
];

#[test]
fn the_numbers_of_two_episodes() {
    let metrics = &scored(&two(), "--mode coord")["metrics"];
    assert_eq!(metrics["num_episodes"], 2);
    assert_eq!(metrics["num_steps"], 5);
    // The second `type` was answered with nothing.
    near(&metrics["action_type_accuracy"], 4.0 / 5.0);
    near(&metrics["mean_coord_error"], (0.01 + 0.3) / 2.0);
    assert_eq!(metrics["coord_error_count"], 2);
    near(&metrics["episode_success_rate"], 0.5);
    near(&metrics["click_hit_rate"], 0.5);
    near(&metrics["bbox_hit_rate"], 0.0);
    near(&metrics["mean_episode_progress"], (1.0 + 0.5) / 2.0);
    near(&metrics["mean_episode_step_score"], (1.0 + 0.0) / 2.0);
    assert_eq!(metrics["weak_episode_success_rate"], Value::Null);
    near(&metrics["state_success_rate"], 0.5);
    assert_eq!(metrics["element_accuracy"], Value::Null);
    assert_eq!(metrics["extra_steps"], 1);
    // 3 of 3 and 1 of 2, two clusters: `tests/oracle/intervals.py`, clustered([(3, 3), (1, 2)]).
    near(
        &metrics["action_type_accuracy_ci"][0],
        0.007_835_119_362_266_663,
    );
    near(
        &metrics["action_type_accuracy_ci"][1],
        0.999_506_681_405_415_5,
    );
}

#[test]
fn keys_stand_in_their_order() {
    for mode in ["coord", "som"] {
        let eval = scored(&two(), &format!("--mode {mode}"));
        assert_eq!(keys(&eval), TOP);
        assert_eq!(keys(&eval["metrics"])[..13], METRICS);
        let intervals = keys(&eval["metrics"])[13..].join(" ");
        for metric in METRICS.iter().filter(|name| !name.contains("num_")) {
            let has = intervals.contains(&format!("{metric}_ci"));
            assert_eq!(has, *metric != "coord_error_count", "{metric}");
        }
        assert_eq!(
            keys(&eval["metrics_by_action_type"]),
            ["click", "done", "type"]
        );
    }
}

#[test]
fn in_marks_mode_what_needs_coordinates_is_null() {
    let recorded = [
        json!({"type": "click", "element_index": 3, "x": 0.5, "y": 0.5, "bbox": [0, 0, 1, 1]}),
        json!({"type": "type", "element": {"element_id": "7"}}),
        json!({"type": "drag", "element_index": 1}),
        json!({"type": "scroll", "element_index": 1}),
    ];
    let predicted = [
        json!({"type": "click", "element_index": "3", "x": 0.5, "y": 0.5}),
        json!({"type": "type", "element_index": 7}),
        json!({"type": "drag"}),
        json!({"type": "scroll", "element_index": 5}),
    ];
    let place = place(&[row("a", &recorded)], &[row("a", &predicted)]);
    let eval = scored(&place, "--mode som");
    let metrics = &eval["metrics"];
    for name in ["mean_coord_error", "click_hit_rate", "bbox_hit_rate"] {
        assert_eq!(metrics[name], Value::Null, "{name}");
        assert_eq!(metrics[format!("{name}_ci")], Value::Null, "{name}");
        assert!(eval["undefined"][name].is_string(), "{name}");
    }
    assert_eq!(metrics["coord_error_count"], 0);
    near(&metrics["element_accuracy"], 2.0 / 3.0);
    near(&metrics["action_type_accuracy"], 1.0);
    near(&metrics["episode_success_rate"], 1.0);
    near(&metrics["mean_episode_step_score"], 3.0 / 4.0);
}

/// The list of the published description, "Null Value Semantics".
#[test]
fn null_says_that_a_metric_does_not_apply() {
    // A model that never clicks, against targets without boxes, that says nothing about
    // success.
    let recorded = [row("a", &[click(0.5, 0.5), act("done")])];
    let place = place(&recorded, &[row("a", &[act("wait"), act("done")])]);
    let eval = scored(&place, "--mode coord");
    let null = [
        "mean_coord_error",
        "click_hit_rate",
        "bbox_hit_rate",
        "weak_episode_success_rate",
        "state_success_rate",
        "element_accuracy",
    ];
    for name in METRICS {
        let is_null = eval["metrics"][name].is_null();
        assert_eq!(is_null, null.contains(&name), "{name}");
        assert_eq!(eval["undefined"][name].is_string(), is_null, "{name}");
    }
    assert_eq!(eval["metrics"]["coord_error_count"], 0);
}

#[test]
fn without_episodes_there_is_no_result() {
    place(&[], &[])
        .judica(&format!("{SCORE} --mode coord"))
        .exits(2)
        .complains(&["e.jsonl: there is no row in it"]);
}

#[test]
fn without_steps_every_rate_is_null_and_says_why() {
    let place = place(&[row("a", &[])], &[row("a", &[])]);
    let eval = scored(&place, "--mode coord");
    for name in METRICS {
        match name {
            "num_episodes" => assert_eq!(eval["metrics"][name], 1),
            "num_steps" | "coord_error_count" => {
                assert_eq!(eval["metrics"][name], 0, "{name}");
            }
            _ => {
                assert_eq!(eval["metrics"][name], Value::Null, "{name}");
                assert!(eval["undefined"][name].is_string(), "{name}");
            }
        }
    }
    place.judica("schema validate out/eval.json").exits(0);
}

#[test]
fn hits_are_nearer_than_the_radius_and_boxes_hold_their_edges() {
    // (recorded, predicted, hit, in the box)
    let cases = [
        ([0.0, 0.5], [0.05, 0.5], false, true),
        ([0.0, 0.5], [0.049_999_999, 0.5], true, true),
        ([0.0, 0.0], [0.03, 0.04], false, true),
        ([0.0, 0.0], [0.3, 0.7], false, true),
        ([0.0, 0.0], [0.300_000_000_1, 0.7], false, false),
        ([1.0, 1.0], [1.0, 1.0], true, false),
    ];
    for (target, point, hit, inside) in cases {
        let mut gold = click(target[0], target[1]);
        gold["bbox"] = json!([0.0, 0.0, 0.3, 0.7]);
        let place = place(
            &[row("a", &[gold])],
            &[row("a", &[click(point[0], point[1])])],
        );
        let metrics = &scored(&place, "--mode coord")["metrics"];
        assert_eq!(
            metrics["click_hit_rate"],
            f64::from(u8::from(hit)),
            "{point:?}"
        );
        assert_eq!(
            metrics["bbox_hit_rate"],
            f64::from(u8::from(inside)),
            "{point:?}"
        );
        // A target with a point is hit by being near it.
        assert_eq!(
            metrics["mean_episode_step_score"],
            metrics["click_hit_rate"]
        );
    }
}

#[test]
fn what_is_known_about_the_run_stands_beside_the_metrics() {
    let options = format!(
        "--mode coord --timestamp {STAMP} --training-timestamp 2024-12-01T00:00:00+02:00 \
         --device cuda --gpu-model A10 --memory-gb 24 --checkpoint-path runs/last.pt"
    );
    let eval = scored(&two(), &options);
    assert_eq!(eval["config_path"], "configs/dev.yaml");
    assert_eq!(eval["backend"], "qwen3");
    assert_eq!(eval["schema_version"], "1.0");
    assert_eq!(eval["eval_timestamp"], STAMP);
    assert_eq!(eval["training_timestamp"], "2024-12-01T00:00:00+02:00");
    assert_eq!(eval["device"], "cuda");
    assert_eq!(eval["gpu_model"], "A10");
    assert_eq!(eval["memory_gb"], 24.0);
    assert_eq!(eval["checkpoint_path"], "runs/last.pt");
}

#[test]
fn time_comes_from_outside_or_not_at_all() {
    let place = two();
    assert_eq!(
        scored(&place, "--mode coord")["eval_timestamp"],
        Value::Null
    );
    let with_epoch = |options: &str| {
        let mut command = place.command(&format!("{SCORE} --mode coord {options}"));
        command.env("SOURCE_DATE_EPOCH", "1737282600");
        crate::support::ran(command).exits(0);
        place.json("out/eval.json")["eval_timestamp"].clone()
    };
    assert_eq!(with_epoch(""), "2025-01-19T10:30:00Z");
    assert_eq!(
        with_epoch("--timestamp 2030-01-01T00:00:00Z"),
        "2030-01-01T00:00:00Z"
    );
}

#[test]
fn what_is_printed_is_the_file() {
    let place = two();
    let ran = place
        .judica(&format!("{SCORE} --mode coord --json"))
        .exits(0);
    assert_eq!(ran.stdout, place.text("out/eval.json"));
    place
        .judica(&format!("{SCORE} --mode coord"))
        .exits(0)
        .says(&[
            "action_type_accuracy",
            "0.8000",
            "n/a",
            "inputs 2 = records 2 + rejects 0",
        ]);
    for (format, value) in [
        ("markdown", "0.8000"),
        ("latex", "0.8000"),
        ("csv", "action_type_accuracy,0.8"),
    ] {
        place
            .judica(&format!("{SCORE} --mode coord --format {format}"))
            .exits(0)
            .says(&[value]);
    }
}
