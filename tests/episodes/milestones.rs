//! Milestones: of the episodes themselves, or one list for all.

use serde_json::{Value, json};

use crate::data::{SCORE, act, click, place, refused, row, scored};

fn with_milestones(name: &str, milestones: Value) -> Value {
    let mut row = row(name, &[click(0.5, 0.5), act("type")]);
    row["milestones"] = milestones;
    row
}

#[test]
fn only_episodes_that_define_any_count() {
    let at = |step: u64, name: &str| json!({"name": "m", "step_index": step, "type": name});
    let recorded = [
        with_milestones("all", json!([at(0, "click"), at(1, "type")])),
        with_milestones("one of two", json!([at(0, "click"), at(1, "done")])),
        with_milestones("none", json!([])),
        row("without", &[act("type")]),
    ];
    let predicted =
        ["all", "one of two", "none"].map(|name| row(name, &[click(0.9, 0.9), act("type")]));
    let place = place(&recorded, &predicted);
    let eval = scored(&place, "--mode coord");
    assert_eq!(eval["metrics"]["weak_episode_success_rate"], 0.5);
    assert_eq!(eval["counts"]["episodes_with_milestones"], 2);
    assert_eq!(eval["counts"]["weakly_successful_episodes"], 1);
}

#[test]
fn a_distance_may_be_asked_for() {
    for (threshold, reached) in [
        (json!(0.1), 0.0),
        (json!(0.100_001), 1.0),
        (json!(null), 1.0),
    ] {
        let milestone =
            json!([{"name": "m", "step_index": 0, "type": "CLICK", "coord_threshold": threshold}]);
        let predicted = [row("a", &[json!({"type": "click", "x": 0.1, "y": 0.0})])];
        let mut recorded = row("a", &[click(0.0, 0.0)]);
        recorded["milestones"] = milestone;
        let place = place(&[recorded], &predicted);
        let metrics = &scored(&place, "--mode coord")["metrics"];
        assert_eq!(metrics["weak_episode_success_rate"], reached, "{threshold}");
    }
}

#[test]
fn one_list_for_every_episode_replaces_their_own() {
    let own = json!([{"name": "m", "step_index": 0, "type": "never"}]);
    let recorded = [with_milestones("a", own), row("b", &[act("type")])];
    let predicted = [row("a", &[click(0.5, 0.5)]), row("b", &[act("type")])];
    let place = place(&recorded, &predicted);
    place.write(
        "m.json",
        r#"[{"name": "start", "step_index": 0, "type": "click"}]"#,
    );
    let metrics = &scored(&place, "--mode coord --milestones m.json")["metrics"];
    assert_eq!(metrics["weak_episode_success_rate"], 0.5);
    place.write("m.json", "[]");
    let metrics = &scored(&place, "--mode coord --milestones m.json")["metrics"];
    assert_eq!(metrics["weak_episode_success_rate"], Value::Null);
}

#[test]
fn at_a_step_that_is_left_out_nothing_is_reached() {
    let mut recorded = with_milestones(
        "a",
        json!([{"name": "m", "step_index": 0, "type": "click"}]),
    );
    recorded["steps"][0]["has_screenshot"] = json!(false);
    let place = place(&[recorded], &[row("a", &[click(0.5, 0.5), act("type")])]);
    let metrics = &scored(&place, "--mode coord")["metrics"];
    assert_eq!(metrics["weak_episode_success_rate"], 0.0);
    assert_eq!(metrics["num_steps"], 1);
}

#[test]
fn milestones_that_cannot_be_read() {
    for (milestone, pointer) in [
        (json!({"type": "click"}), "/milestones/0"),
        (json!({"step_index": 0}), "/milestones/0"),
        (
            json!({"step_index": -1, "type": "click"}),
            "/milestones/0/step_index",
        ),
        (
            json!({"step_index": 0, "type": "click", "coord_threshold": 0}),
            "/milestones/0/coord_threshold",
        ),
        (json!(3), "/milestones/0"),
    ] {
        let good = row("b", &[act("x")]);
        let bad = with_milestones("a", json!([milestone]));
        let place = place(&[bad, good.clone()], &[good]);
        scored(&place, "--mode coord");
        assert_eq!(refused(&place)[0].3, pointer, "{milestone}");
        place.write("m.json", json!([milestone]).to_string());
        place
            .judica(&format!("{SCORE} --mode coord --milestones m.json"))
            .exits(2)
            .complains(&["m.json", pointer.trim_start_matches("/milestones")]);
    }
    let place = place(&[], &[]);
    place
        .judica(&format!("{SCORE} --mode coord --milestones nowhere.json"))
        .exits(3)
        .complains(&["nowhere.json"]);
}
