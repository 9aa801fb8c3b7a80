//! Episodes and stored samples as other programs write them.

use serde_json::{Value, json};

use crate::data::{SCORE, click, near, place, row, scored};
use crate::support::Place;

/// A recorded step of an episode of another recorder.
fn step(index: u64, screenshot: Value, action: Value) -> Value {
    json!({"step_index": index, "observation": {"screenshot_path": screenshot, "window_title": "W"},
        "action": action, "reasoning": "because", "reward": null, "done": false, "timestamp": 1.5})
}

fn episode() -> Value {
    let clicked = json!({"type": "click", "coordinates": [960, 270], "normalized_coordinates": [0.5, 0.25],
        "text": null, "element": {"element_id": "12", "bounds": null},
        "raw": {"bbox": [0.4, 0.2, 0.6, 0.3], "element_index": 3}});
    let typed = json!({"type": "type", "coordinates": null, "normalized_coordinates": null, "text": "ann",
        "element": {"element_id": "user-field", "bounds": {"x": 10, "y": 10, "width": 90, "height": 20}},
        "raw": {"element_index": 4}});
    json!({"schema_version": "1.0.0", "episode_id": "login-1", "instruction": "log in", "goal": null,
        "steps": [
            step(0, json!("s0.png"), clicked),
            step(1, json!(null), json!({"type": "wait"})),
            step(2, json!("s2.png"), typed),
            step(3, json!("s3.png"), json!({"type": "done", "raw": null, "element": null})),
        ], "success": true})
}

/// What a model did in it; the step without a picture is predicted, and left out.
fn predicted() -> Value {
    let marked = |name: &str, index: u64| json!({"type": name, "x": 0.52, "y": 0.25, "element_index": index});
    row(
        "login-1",
        &[
            marked("click", 12),
            json!({"type": "scroll"}),
            marked("type", 4),
            json!({"type": "done"}),
        ],
    )
}

#[test]
fn an_episode_is_read_as_it_is() {
    let place = place(&[episode()], &[predicted()]);
    let eval = scored(&place, "--mode coord --details out/d.jsonl");
    assert_eq!(eval["inputs"]["episodes"]["records"], 1);
    assert_eq!(eval["metrics"]["num_steps"], 3);
    assert_eq!(eval["counts"]["left_out_steps"], 1);
    assert_eq!(eval["metrics"]["action_type_accuracy"], 1.0);
    near(&eval["metrics"]["mean_coord_error"], 0.02);
    assert_eq!(eval["metrics"]["bbox_hit_rate"], 1.0);
    assert_eq!(place.json_lines("out/d.jsonl")[0]["goal"], "log in");
    let eval = scored(&place, "--mode som");
    assert_eq!(eval["metrics"]["element_accuracy"], 1.0);
    assert_eq!(eval["counts"]["element_targets"], 2);
    // The same as one list.
    let list = serde_json::to_string_pretty(&json!([episode()])).expect("JSON");
    place.write("e.json", list);
    let line = SCORE.replace("e.jsonl", "e.json");
    place.judica(&format!("{line} --mode som")).exits(0);
    assert_eq!(place.json("out/eval.json"), eval);
}

#[test]
fn steps_without_an_index_are_counted_in_som_mode() {
    let mut recorded = episode();
    recorded["steps"][2]["action"]["element"] = json!(null);
    recorded["steps"][2]["action"]["raw"] = json!(null);
    let place = place(&[recorded], &[predicted()]);
    let eval = scored(&place, "--mode som");
    assert_eq!(eval["counts"]["steps_without_index"], 1);
    let notes = eval["notes"].to_string();
    assert!(
        notes.contains("1 of 2 recorded clicks, drags and types have no element index"),
        "{notes}"
    );
}

#[test]
fn pixels_need_the_size_of_the_screen_and_are_not_refused() {
    let mut recorded = episode();
    let action = &mut recorded["steps"][0]["action"];
    action["normalized_coordinates"] = json!(null);
    action["raw"] = json!(null);
    action["element"]["bounds"] = json!({"x": 900, "y": 200, "width": 120, "height": 100});
    let place = place(&[recorded], &[predicted()]);
    let eval = scored(&place, "--mode coord");
    assert_eq!(eval["inputs"]["episodes"]["records"], 1);
    assert_eq!(eval["metrics"]["mean_coord_error"], Value::Null);
    for (text, word) in [
        (eval["notes"].to_string(), "--screen"),
        (eval["undefined"]["bbox_hit_rate"].to_string(), "--screen"),
    ] {
        assert!(text.contains(word), "{text}");
    }
    place
        .judica(&format!("{SCORE} --mode coord --strict"))
        .exits(2)
        .complains(&["pixels", "--screen"]);
    let eval = scored(&place, "--mode coord --screen 1920x1080");
    near(&eval["metrics"]["mean_coord_error"], 0.02);
    assert_eq!(eval["metrics"]["bbox_hit_rate"], 1.0);
}

/// One row per step, recorded and predicted.
fn sample(step: u64, predicted: Value, gold: Value) -> Value {
    json!({"episode_id": "login-1", "step_index": step, "goal": "log in", "model_output_raw": "CLICK(…)",
        "pred_action": predicted, "ground_truth_action": gold, "correct_type": true,
        "coord_error_norm": 0.0, "element_match": null})
}

const SAMPLES: &str =
    "episodes --episodes rows.jsonl --config-path c.yaml --backend qwen3 --out out/eval.json";

fn samples(rows: &[Value]) -> Place {
    let place = Place::new();
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    place.write_lines("rows.jsonl", &lines);
    place
}

#[test]
fn stored_samples_hold_both_sides() {
    let rows = [
        sample(
            1,
            json!(null),
            json!({"type": "type", "text": "ann", "element_index": 4}),
        ),
        sample(0, click(0.52, 0.25), click(0.5, 0.25)),
        sample(
            2,
            json!({"type": "done", "x": null}),
            json!({"type": "done"}),
        ),
    ];
    let place = samples(&rows);
    for threads in [1, 2] {
        place
            .judica(&format!(
                "{SAMPLES} --mode coord --details out/d.jsonl --threads {threads}"
            ))
            .exits(0)
            .says(&["episodes: inputs 3 = records 3 + rejects 0"]);
        let eval = place.json("out/eval.json");
        assert_eq!(eval["metrics"]["num_episodes"], 1);
        assert_eq!(eval["metrics"]["num_steps"], 3);
        near(&eval["metrics"]["action_type_accuracy"], 2.0 / 3.0);
        near(&eval["metrics"]["mean_coord_error"], 0.02);
        assert_eq!(eval["counts"]["missing_steps"], 1);
        let line = &place.json_lines("out/d.jsonl")[0];
        assert_eq!(
            (&line["goal"], &line["n_steps"]),
            (&json!("log in"), &json!(3))
        );
    }
    let eval = place.json("out/eval.json");
    // However the file comes: as a list, or named twice.
    place.write("rows.json", Value::from(rows.to_vec()).to_string());
    let list = SAMPLES.replace("rows.jsonl", "rows.json");
    place.judica(&format!("{list} --mode coord")).exits(0);
    assert_eq!(place.json("out/eval.json"), eval);
    place
        .judica(&format!("{SAMPLES} --mode coord --predictions rows.jsonl"))
        .exits(0);
    assert_eq!(place.json("out/eval.json"), eval);
    // A row that cannot be read does not say what the others are.
    let broken = format!(
        "{{\"episode_id\": \"b\", \"st\n{}",
        place.text("rows.jsonl")
    );
    place.write("broken.jsonl", broken);
    let one_more = SAMPLES.replace("rows.jsonl", "broken.jsonl");
    place
        .judica(&format!("{one_more} --mode coord"))
        .exits(0)
        .says(&["episodes: inputs 4 = records 3 + rejects 1"]);
    // Two kinds of predictions would be one too many.
    place.write("other.jsonl", "");
    place
        .judica(&format!("{SAMPLES} --mode coord --predictions other.jsonl"))
        .exits(2)
        .complains(&["rows.jsonl", "leave --predictions out"]);
}

/// The rows of samples are predictions, too, for episodes that were recorded apart.
#[test]
fn samples_may_be_predictions_alone() {
    let place = place(
        &[row("login-1", &[click(0.5, 0.25)])],
        &[sample(0, click(0.5, 0.25), click(0.1, 0.1))],
    );
    let eval = scored(&place, "--mode coord");
    assert_eq!(eval["metrics"]["mean_coord_error"], 0.0);
}

#[test]
fn targets_that_stand_where_nothing_looks_are_pointed_out() {
    for (mode, target, at, looked) in [
        (
            "som",
            json!({"type": "click", "mark_id": 7}),
            "/action/mark_id",
            "/action/element_index",
        ),
        (
            "coord",
            json!({"type": "click", "bbox_norm": [0, 0, 1, 1]}),
            "/action/bbox_norm",
            "/action/bbox",
        ),
        (
            "coord",
            json!({"type": "drag", "args": {"position": [1, 2]}}),
            "/action/args/position",
            "/action/x",
        ),
    ] {
        let place = place(
            &[row("a", &[json!({"type": "wait"}), target.clone()])],
            &[row("a", &[json!({"type": "wait"}), target])],
        );
        let eval = scored(&place, &format!("--mode {mode}"));
        let notes = eval["notes"].to_string();
        for word in [at, looked, "e.jsonl:1", "/steps/1"] {
            assert!(notes.contains(word), "{notes}");
        }
        let metric = if mode == "som" {
            "element_accuracy"
        } else {
            "bbox_hit_rate"
        };
        let why = eval["undefined"][metric].to_string();
        assert!(why.contains(at), "{why}");
        let shown = place.judica(&format!("{SCORE} --mode {mode}")).exits(0);
        // Wherever the line is broken.
        let words: Vec<&str> = shown.stdout.split_whitespace().collect();
        assert!(words.join(" ").contains("where nothing looks"), "{words:?}");
        place
            .judica(&format!("{SCORE} --mode {mode} --strict"))
            .exits(2)
            .complains(&[at]);
    }
    // At the step itself, too.
    let mut recorded = row("a", &[json!({"type": "click"})]);
    recorded["steps"][0]["target"] = json!({"element_id": 3});
    let place = place(&[recorded], &[row("a", &[json!({"type": "click"})])]);
    let notes = scored(&place, "--mode som")["notes"].to_string();
    assert!(notes.contains("first: /target of e.jsonl:1"), "{notes}");
}
