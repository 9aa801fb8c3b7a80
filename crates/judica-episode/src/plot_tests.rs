use super::*;
use serde_json::json;

fn file(text: serde_json::Value) -> EvalFile {
    EvalFile::parse("f", text.to_string().as_bytes()).unwrap()
}

fn pair() -> Vec<(String, EvalFile)> {
    let base = json!({"metrics": {"num_steps": 4, "action_type_accuracy": 0.5,
        "action_type_accuracy_ci": [0.2, 0.8], "mean_coord_error": 0.05, "click_hit_rate": null,
        "element_accuracy": null, "own": 7}});
    let tuned = json!({"metrics": {"action_type_accuracy": 0.75, "click_hit_rate": 1.0},
        "undefined": {"mean_coord_error": "no clicks"}});
    vec![
        ("Base".to_owned(), file(base)),
        ("Tuned".to_owned(), file(tuned)),
    ]
}

#[test]
fn what_has_no_value_is_a_gap_with_its_reason() {
    let chart = bars(&pair(), &[], "t").unwrap();
    assert_eq!(
        chart.groups,
        [
            "action type accuracy",
            "mean coord error (lower is better)",
            "click hit rate"
        ]
    );
    assert!(chart.unit_scale && chart.value_axis.contains("95 %"));
    let value = |value, ci, n| Mark::Value { value, ci, n };
    let missing = |reason: &str| Mark::Missing(reason.to_owned());
    assert_eq!(
        chart.series[0].marks,
        [
            value(0.5, Some([0.2, 0.8]), Some(4)),
            value(0.05, None, None),
            missing("null in the file")
        ]
    );
    assert_eq!(
        chart.series[1].marks,
        [
            value(0.75, None, None),
            missing("no clicks"),
            value(1.0, None, None)
        ]
    );
}

#[test]
fn metrics_can_be_chosen_but_not_made_up() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let chart = bars(&pair(), &names(&["own", "element_accuracy"]), "t").unwrap();
    assert_eq!(chart.groups, ["own", "element accuracy"]);
    assert!(!chart.unit_scale);
    let error = bars(&pair(), &names(&["click_hit_rat"]), "t")
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean `click_hit_rate`"), "{error}");
    let empty = [(
        "e".to_owned(),
        file(json!({"backend": "b", "metrics": {"x": 1}})),
    )];
    assert!(bars(&empty, &[], "t").is_err());
}

#[test]
fn steps_are_right_missed_of_another_type_or_absent() {
    let step = |index: u64, predicted: Option<&str>, type_match: bool, full: bool| {
        json!({"index": index, "gold_type": "click", "predicted_type": predicted,
            "type_match": type_match, "full": full})
    };
    let line = |id: &str| {
        json!({"episode_id": id, "epoch": 2, "n_steps": 4, "type_matches": 2, "full_steps": 1,
            "missing_steps": 1, "extra_steps": 0, "coord_error_count": 0, "click_hits": 0,
            "bbox_targets": 0, "bbox_hits": 0, "element_targets": 0, "element_hits": 0,
            "steps": [step(0, Some("click"), true, true), step(2, Some("click"), true, false),
                step(3, Some("type"), false, false), step(4, None, false, false)]})
        .to_string()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.jsonl");
    std::fs::write(&path, ["a", "b", "c"].map(line).join("\n")).unwrap();
    let strip = strip(&path, 2, "t").unwrap();
    assert_eq!((strip.rows.len(), strip.left_out), (2, 1));
    use StepState::{Absent, LeftOut, Missed, Right, WrongType};
    assert_eq!(strip.rows[1].label, "b (epoch 2)");
    assert_eq!(
        strip.rows[1].steps,
        [Right, LeftOut, Missed, WrongType, Absent]
    );
}
