//! What a model did is never a refused row: what cannot be read matches nothing, what lies
//! outside the screen hits nothing, and the details say so.

use serde_json::{Value, json};

use crate::data::{act, click, near, place, row, scored};
use crate::support::Place;

/// Two recorded clicks in a box, of which the first is answered with `predicted`.
fn answered(predicted: Value) -> Place {
    let gold = json!({"type": "click", "x": 0.5, "y": 0.5, "bbox": [0.4, 0.4, 0.6, 0.6]});
    let mut right = row("a", &[act("x"), click(0.5, 0.5)]);
    right["steps"][0]["action"] = predicted;
    place(&[row("a", &[gold.clone(), gold])], &[right])
}

/// The failed evidence of the first step: rules and messages.
fn evidence(place: &Place) -> Vec<(String, String)> {
    let line = place.json_lines("out/d.jsonl").remove(0);
    let atoms = line["evidence"]["atoms"].as_array().expect("atoms").clone();
    let failed = atoms
        .iter()
        .filter(|atom| atom["pass"] == false && atom["meta"]["step"] == 0);
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    failed
        .map(|atom| (text(&atom["rule"]), text(&atom["message"])))
        .collect()
}

#[test]
fn an_action_that_cannot_be_read_is_a_mismatch_with_evidence() {
    for (predicted, why) in [
        (json!("CLICK(x=0.5, y=0.5)"), "found text"),
        (json!(["click", 0.5, 0.5]), "found a list"),
        (json!(7), "found a number"),
        (json!({"x": 0.5, "y": 0.5}), "no `type`"),
        (json!({"type": null, "x": 0.5, "y": 0.5}), "/type"),
        (json!({"type": " ", "x": 0.5, "y": 0.5}), "/type"),
        (
            json!({"type": "click", "x": "0.5", "y": 0.5}),
            "/x: expected a number, found text",
        ),
        (json!({"type": "click", "x": 0.5}), "`x` without `y`"),
        (json!({"type": "click", "x": 1e300, "y": 0.5}), "no place"),
        (
            json!({"type": "click", "normalized_coordinates": "center"}),
            "/normalized_coordinates",
        ),
    ] {
        let place = answered(predicted.clone());
        let eval = scored(&place, "--mode coord --details out/d.jsonl");
        assert_eq!(
            eval["inputs"]["predictions"],
            json!({"inputs": 1, "records": 1, "rejects": 0}),
            "{predicted}"
        );
        let counts = &eval["counts"];
        let told = [
            "type_matches",
            "missing_steps",
            "unreadable_steps",
            "full_steps",
        ];
        assert_eq!(told.map(|key| &counts[key]), [1, 0, 1, 1], "{predicted}");
        // There is no distance, and the box was missed.
        assert_eq!(counts["coord_errors"], 1);
        assert_eq!(eval["metrics"]["bbox_hit_rate"], 0.5);
        assert!(
            eval["notes"]
                .to_string()
                .contains("1 predicted step cannot be read")
        );
        let evidence = evidence(&place);
        assert_eq!(evidence[0].0, "action_type.unreadable", "{predicted}");
        assert!(evidence[0].1.contains(why), "{evidence:?}");
        assert_eq!(evidence[1].0, "bbox.miss");
        assert_eq!(place.names("out"), ["d.jsonl", "eval.json"]);
    }
}

#[test]
fn no_action_is_a_missing_step() {
    for predicted in [json!(null), json!({"type": "click", "x": 0.5, "y": 0.5})] {
        let place = answered(predicted.clone());
        let counts = scored(&place, "--mode coord")["counts"].clone();
        assert_eq!(counts["missing_steps"], u64::from(predicted.is_null()));
        assert_eq!(counts["unreadable_steps"], 0);
    }
    // Neither a step without an action nor a row without one is refused.
    let gold = row("a", &[act("x"), act("x")]);
    for predicted in [
        json!({"episode_id": "a", "steps": [{}, "x(1)"]}),
        json!({"episode_id": "a", "step_index": 0, "why": "asleep"}),
    ] {
        let place = place(std::slice::from_ref(&gold), &[predicted]);
        let eval = scored(&place, "--mode coord");
        assert_eq!(eval["inputs"]["predictions"]["rejects"], 0);
        assert_eq!(eval["metrics"]["action_type_accuracy"], 0.0);
    }
}

#[test]
fn bare_words_are_no_coordinates() {
    for word in ["NaN", "Infinity", "-Infinity", "1e999"] {
        let place = answered(json!(null));
        let text = place.text("p.jsonl");
        let action = format!("{{\"type\":\"click\",\"x\":{word},\"y\":0.5}}");
        place.write("p.jsonl", text.replacen("null", &action, 1));
        let eval = scored(&place, "--mode coord");
        assert_eq!(eval["counts"]["unreadable_steps"], 1, "{word}");
        assert_eq!(eval["inputs"]["predictions"]["rejects"], 0);
    }
}

#[test]
fn a_point_outside_the_screen_is_a_miss_whose_distance_counts() {
    for (x, y) in [(1.25, 0.5), (0.5, -0.75), (640.0, 360.0), (-3.0, 7.0)] {
        let place = answered(click(x, y));
        let eval = scored(&place, "--mode coord --details out/d.jsonl");
        let error = (x - 0.5).hypot(y - 0.5);
        near(&eval["metrics"]["mean_coord_error"], error / 2.0);
        assert_eq!(eval["metrics"]["click_hit_rate"], 0.5);
        assert_eq!(eval["metrics"]["bbox_hit_rate"], 0.5);
        assert_eq!(eval["metrics"]["action_type_accuracy"], 1.0);
        assert_eq!(eval["counts"]["points_outside"], 1);
        let notes = eval["notes"].to_string();
        assert!(
            notes.contains("e.jsonl:1, /steps/0") && notes.contains("--screen"),
            "{notes}"
        );
        let evidence = evidence(&place);
        assert_eq!(evidence[0].0, "coordinate.miss");
        assert!(evidence[0].1.contains("outside the screen"), "{evidence:?}");
    }
}

#[test]
fn near_the_target_and_off_the_screen_is_off_the_screen() {
    let gold = json!({"type": "click", "x": 0.99, "y": 0.5, "bbox": [0.9, 0.4, 1.1, 0.6]});
    let place = place(&[row("a", &[gold])], &[row("a", &[click(1.01, 0.5)])]);
    let metrics = scored(&place, "--mode coord")["metrics"].clone();
    near(&metrics["mean_coord_error"], 0.02);
    assert_eq!(
        (&metrics["click_hit_rate"], &metrics["bbox_hit_rate"]),
        (&json!(0.0), &json!(0.0))
    );
    assert_eq!(metrics["mean_episode_step_score"], 0.0);
}

#[test]
fn a_recorded_box_may_reach_over_the_edge() {
    let bounds = json!({"x": 0.9, "y": 0.4, "width": 0.3, "height": 0.2});
    for target in [
        json!({"type": "click", "bbox": [0.9, 0.4, 1.2, 0.6]}),
        json!({"type": "click", "bbox": [-0.2, -0.1, 1.0, 0.6]}),
        json!({"type": "click", "element": {"bounds": bounds}}),
    ] {
        for screen in ["", "--screen 1920x1080"] {
            let place = place(
                &[row("a", std::slice::from_ref(&target))],
                &[row("a", &[click(0.95, 0.5)])],
            );
            let eval = scored(&place, &format!("--mode coord {screen}"));
            assert_eq!(eval["inputs"]["episodes"]["rejects"], 0, "{target}");
            assert_eq!(eval["metrics"]["bbox_hit_rate"], 1.0, "{target} {screen}");
        }
    }
}

/// Nothing that a model says counts as bad input, also not for who is strict.
#[test]
fn a_strict_run_passes_over_what_a_model_did() {
    for predicted in [json!("?"), click(5.0, 5.0)] {
        let place = answered(predicted);
        scored(&place, "--mode coord --strict");
    }
}

#[test]
fn actions_beyond_the_end_are_counted_whether_they_can_be_read_or_not() {
    let mut predicted = row("a", &[act("x"), act("x"), act("x")]);
    predicted["steps"][2]["action"] = json!("again!");
    let place = place(&[row("a", &[act("x")])], &[predicted]);
    assert_eq!(scored(&place, "--mode coord")["metrics"]["extra_steps"], 2);
}
