//! Rows that cannot be used: each is named with its file, its line and a JSON pointer, kept
//! whole, and counted.

use serde_json::{Value, json};

use crate::data::{SCORE, act, click, place, refused, row, scored};
use crate::support::Place;

/// Scores one bad row between good ones; the reject.
#[track_caller]
fn one_refused(place: &Place, mode: &str, file: &str, line: u64) -> (String, String) {
    let eval = scored(place, &format!("--mode {mode}"));
    let input = if file == "e.jsonl" {
        "episodes"
    } else {
        "predictions"
    };
    let rows = &eval["inputs"][input];
    assert_eq!(rows["rejects"], 1, "{rows}");
    let sum = rows["records"].as_u64().expect("a count") + 1;
    assert_eq!(rows["inputs"], sum);
    let rejects = refused(place);
    let reject = rejects
        .iter()
        .find(|reject| reject.0 == file && reject.1 == line);
    let (_, _, reason, pointer) = reject.unwrap_or_else(|| panic!("{rejects:?}")).clone();
    (reason, pointer)
}

/// A bad recorded step as the second of its episode, between two good episodes.
#[track_caller]
fn recorded(step: Value) -> (String, String) {
    let mut bad = row("bad", &[act("wait")]);
    bad["steps"].as_array_mut().expect("steps").push(step);
    let good = |name: &str| row(name, &[click(0.5, 0.5)]);
    let place = place(&[good("a"), bad, good("b")], &[good("a"), good("b")]);
    one_refused(&place, "coord", "e.jsonl", 2)
}

#[track_caller]
fn says(told: (String, String), reason: &str, pointer: &str) {
    assert_eq!(told, (reason.to_owned(), pointer.to_owned()));
}

#[test]
fn coordinates_outside_the_screen_hint_at_its_size() {
    for (x, y, pointer) in [(640.0, 0.5, "x"), (0.5, 1.000_1, "y"), (-0.1, 0.5, "x")] {
        let told = recorded(json!({"action": click(x, y)}));
        says(told, "out_of_range", &format!("/steps/1/action/{pointer}"));
    }
    let good = row("b", &[act("x")]);
    let place = place(&[row("a", &[click(640.0, 0.5)]), good.clone()], &[good]);
    place
        .judica(&format!("{SCORE} --mode coord"))
        .exits(0)
        .says(&[
            "e.jsonl",
            "line 1",
            "/steps/0/action/x",
            "640",
            "pixels",
            "--screen",
        ]);
}

#[test]
fn boxes_with_swapped_corners() {
    let boxed = |corners: Value| json!({"action": {"type": "click", "bbox": corners}});
    let told = recorded(boxed(json!([0.6, 0.1, 0.4, 0.2])));
    says(told, "swapped_bbox", "/steps/1/action/bbox");
    let told = recorded(boxed(json!([0.1, 0.2, 0.4, 0.1])));
    says(told, "swapped_bbox", "/steps/1/action/bbox");
    let told = recorded(boxed(json!([0.1, 0.2, 0.4])));
    says(told, "wrong_shape", "/steps/1/action/bbox");
    let bounds = json!({"x": 0.5, "y": 0.5, "width": -0.1, "height": 0.1});
    let told = recorded(json!({"action": {"type": "click", "element": {"bounds": bounds}}}));
    says(told, "swapped_bbox", "/steps/1/action/element/bounds/width");
}

#[test]
fn points_and_boxes_that_are_none_refuse_the_recording_wherever_they_stand() {
    for (key, bad, pointer) in [
        ("coordinates", json!([0.5, "a"]), "coordinates/1"),
        ("coordinates", json!("there"), "coordinates"),
        ("raw", json!({"bbox": [0.1, 0.2, "x", 0.4]}), "raw/bbox/2"),
    ] {
        let told = recorded(json!({"action": {"type": "click", key: bad}}));
        says(told, "wrong_type", &format!("/steps/1/action/{pointer}"));
    }
    let told = recorded(json!({"action": {"type": "click", "coordinates": [0.5]}}));
    says(told, "wrong_shape", "/steps/1/action/coordinates");
}

#[test]
fn a_predicted_click_at_no_point_cannot_be_read() {
    for bad in [
        json!([0.5, "a"]),
        json!("zz"),
        json!([0.5]),
        json!([null, null]),
    ] {
        let predicted = json!({"type": "click", "coordinates": bad});
        let place = place(&[row("a", &[click(0.5, 0.5)])], &[row("a", &[predicted])]);
        let metrics = &scored(&place, "--mode coord")["metrics"];
        assert_eq!(metrics["action_type_accuracy"], 0.0, "{bad}");
    }
}

#[test]
fn normalised_coordinates_are_never_in_pixels() {
    let bad = json!({"type": "click", "normalized_coordinates": [640, 0.5]});
    let good = row("b", &[act("x")]);
    let place = place(&[row("a", &[bad]), good.clone()], &[good]);
    let ran = place.judica(&format!("{SCORE} --mode coord --screen 1280x800"));
    let ran = ran.exits(0).says(&["640 is outside 0–1"]);
    assert!(!ran.stdout.contains("--screen") && !ran.stderr.contains("--screen"));
}

#[test]
fn a_box_of_one_point_is_a_box() {
    let gold = json!({"type": "click", "bbox": [0.5, 0.5, 0.5, 0.5]});
    let place = place(&[row("a", &[gold])], &[row("a", &[click(0.5, 0.5)])]);
    assert_eq!(
        scored(&place, "--mode coord")["metrics"]["bbox_hit_rate"],
        1.0
    );
}

#[test]
fn steps_without_an_action_or_a_type() {
    says(recorded(json!({})), "missing_action", "/steps/1");
    says(
        recorded(json!({"action": null})),
        "missing_action",
        "/steps/1",
    );
    says(
        recorded(json!({"action": {}})),
        "missing_type",
        "/steps/1/action",
    );
    says(
        recorded(json!({"action": {"type": 3}})),
        "wrong_type",
        "/steps/1/action/type",
    );
    says(
        recorded(json!({"action": "click"})),
        "wrong_type",
        "/steps/1/action",
    );
    says(
        recorded(json!({"action": act("x"), "has_screenshot": "no"})),
        "wrong_type",
        "/steps/1/has_screenshot",
    );
}

#[test]
fn unknown_types_are_kept_and_matched_by_name() {
    let recorded = [act("zap"), act("Zap"), act("zip")];
    let predicted = [act("ZAP "), act("zip"), act("zip")];
    let place = place(&[row("a", &recorded)], &[row("a", &predicted)]);
    let eval = scored(&place, "--mode coord");
    assert_eq!(eval["inputs"]["episodes"]["rejects"], 0);
    assert_eq!(eval["metrics_by_action_type"]["zap"]["num_steps"], 2);
    assert_eq!(
        eval["metrics_by_action_type"]["zap"]["action_type_accuracy"],
        0.5
    );
    assert_eq!(
        eval["metrics_by_action_type"]["zip"]["action_type_accuracy"],
        1.0
    );
}

#[test]
fn an_episode_without_predictions_is_scored_as_missed() {
    let recorded = [row("a", &[act("x")]), row("b", &[act("x"), act("y")])];
    let place = place(&recorded, &[row("a", &[act("x")])]);
    let eval = scored(&place, "--mode coord");
    assert_eq!(eval["counts"]["episodes_without_predictions"], 1);
    assert_eq!(eval["counts"]["missing_steps"], 2);
    assert_eq!(eval["metrics"]["num_steps"], 3);
    assert_eq!(eval["metrics"]["episode_success_rate"], 0.5);
    assert!(eval["notes"].to_string().contains("no prediction"));
}

#[test]
fn predictions_for_an_unknown_episode() {
    let place = place(
        &[row("a", &[act("x")])],
        &[row("a", &[act("x")]), row("nobody", &[act("x")])],
    );
    let told = one_refused(&place, "coord", "p.jsonl", 2);
    says(told, "unknown_episode", "/episode_id");
    let rejects = place.json_lines("out/rejects.jsonl");
    let detail = rejects[0]["detail"].as_str().expect("text");
    assert!(
        detail.contains("e.jsonl") && detail.contains("nobody"),
        "{detail}"
    );
}

#[test]
fn of_equal_episodes_the_first_counts() {
    let recorded = [row("a", &[act("x")]), row("a", &[act("y")])];
    let place = place(&recorded, &[row("a", &[act("x")])]);
    let told = one_refused(&place, "coord", "e.jsonl", 2);
    says(told, "duplicate_episode", "/episode_id");
    assert_eq!(
        place.json("out/eval.json")["metrics"]["action_type_accuracy"],
        1.0
    );
}

#[test]
fn of_equal_predictions_the_first_counts() {
    let step =
        |at: u64, name: &str| json!({"episode_id": "a", "step_index": at, "action": act(name)});
    for (second, reason) in [
        (step(0, "y"), "duplicate_step"),
        (row("a", &[act("y")]), "duplicate_prediction"),
    ] {
        let place = place(&[row("a", &[act("x")])], &[step(0, "x"), second]);
        assert_eq!(one_refused(&place, "coord", "p.jsonl", 2).0, reason);
        assert_eq!(
            place.json("out/eval.json")["metrics"]["action_type_accuracy"],
            1.0
        );
    }
}

#[test]
fn predictions_of_a_refused_episode_are_refused_with_it() {
    let bad = row("bad", &[click(7.0, 7.0)]);
    let good = row("a", &[act("x")]);
    let place = place(&[good.clone(), bad], &[row("bad", &[act("x")]), good]);
    let eval = scored(&place, "--mode coord");
    assert_eq!(eval["metrics"]["num_episodes"], 1);
    let reasons: Vec<String> = refused(&place).into_iter().map(|reject| reject.2).collect();
    assert_eq!(reasons, ["out_of_range", "refused_episode"]);
}

#[test]
fn lines_that_are_no_rows() {
    let good = row("a", &[act("x")]).to_string();
    for (line, reason) in [
        ("nonsense", "malformed_json"),
        ("{\"episode_id\": \"b\", \"steps\": [", "malformed_json"),
        ("[]", "not_an_object"),
        ("7", "not_an_object"),
        ("{\"steps\": []}", "missing_episode_id"),
        ("{\"episode_id\": \"b\"}", "missing_steps"),
        ("{\"episode_id\": \"b\", \"steps\": {}}", "wrong_type"),
    ] {
        let place = Place::new();
        place.write_lines("e.jsonl", &[&good]);
        place.write_lines("p.jsonl", &[line, &good]);
        assert_eq!(
            one_refused(&place, "coord", "p.jsonl", 1).0,
            reason,
            "{line}"
        );
        // The good row behind it was not lost.
        let eval = place.json("out/eval.json");
        assert_eq!(eval["metrics"]["action_type_accuracy"], 1.0);
        let kept = &place.json_lines("out/rejects.jsonl")[0];
        assert_eq!(kept["raw"], line);
    }
}

#[test]
fn a_later_run_leaves_no_rejects_of_an_earlier_one() {
    let good = row("a", &[act("x")]);
    let nobody = row("nobody", &[act("x")]);
    let place = place(std::slice::from_ref(&good), &[nobody, good.clone()]);
    scored(&place, "--mode coord");
    assert_eq!(refused(&place).len(), 1);
    place.write_lines("p.jsonl", &[good.to_string()]);
    scored(&place, "--mode coord");
    assert_eq!(place.names("out"), ["eval.json"]);
}

#[test]
fn mixed_modes_are_named() {
    let marked = json!({"type": "click", "element_index": 3});
    let predicted = row("a", &[act("x")]);
    let place = place(&[row("a", &[click(0.5, 0.5), marked])], &[predicted]);
    for (mode, other) in [("coord", "som"), ("som", "coord")] {
        let eval = scored(&place, &format!("--mode {mode}"));
        let notes = eval["notes"].to_string();
        assert!(notes.contains(&format!("--mode {other}")), "{notes}");
        assert!(
            notes.contains("e.jsonl:1") && notes.contains("/steps/"),
            "{notes}"
        );
    }
}
