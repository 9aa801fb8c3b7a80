use std::sync::atomic::AtomicBool;

use super::*;
use crate::action::Mode;
use crate::family::role;
use crate::schema::validate::validate_text;
use crate::score::{Hooks, ScoreRequest, score};
use judica_data::json::json_bytes;
use judica_run::family::Input;

fn scored(episodes: &str, predictions: &str, mode: Mode) -> EvalDocument {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("e.jsonl"), episodes).unwrap();
    std::fs::write(at("p.jsonl"), predictions).unwrap();
    let request = ScoreRequest {
        columns: Vec::new(),
        episodes: Input::given(role::EPISODES, &at("e.jsonl")),
        predictions: Some(Input::given(role::PREDICTIONS, &at("p.jsonl"))),
        mode,
        milestones: None,
        screen: None,
        details: None,
        rejects: at("rejects.jsonl"),
        strict: false,
        context: EvalContext::default(),
        run: None,
        threads: 1,
    };
    let hooks = Hooks {
        progress: &|_| {},
        interrupted: &AtomicBool::new(false),
    };
    let outcome = score(&request, &hooks).unwrap();
    let context = EvalContext {
        config_path: "c.yaml".to_owned(),
        backend: "dummy".to_owned(),
        ..EvalContext::default()
    };
    EvalDocument::scored(context, &outcome)
}

const EPISODE: &str = r#"{"episode_id": "a", "goal": "g", "steps": [
    {"action": {"type": "click", "x": 0.5, "y": 0.5, "element_index": 3}}, {"action": {"type": "type", "text": "t"}}]}"#;
const PREDICTION: &str = r#"{"episode_id": "a", "steps": [
    {"action": {"type": "click", "x": 0.5, "y": 0.53, "element_index": 3}}, {"action": {"type": "wait"}}]}"#;

#[test]
fn what_scoring_writes_is_valid_in_every_mode_and_without_steps() {
    let (episode, prediction) = (EPISODE.replace('\n', ""), PREDICTION.replace('\n', ""));
    let empty = r#"{"episode_id": "a", "steps": []}"#;
    for (episodes, predictions, mode) in [
        (episode.as_str(), prediction.as_str(), Mode::Coord),
        (&episode, &prediction, Mode::Som),
        (empty, empty, Mode::Coord),
        (empty, empty, Mode::Som),
    ] {
        let document = scored(episodes, predictions, mode);
        let text = json_bytes(&document);
        let result = validate_text("f", &text);
        assert!(result.valid, "{mode:?} {episodes}: {:#?}", result.problems);
        let odd = result
            .warnings
            .iter()
            .filter(|warning| warning.reason != "null");
        assert_eq!(odd.count(), 0, "{:#?}", result.warnings);
        // Every null metric says why.
        let written = serde_json::to_value(&document.metrics).unwrap();
        for spec in &crate::eval_json::METRICS {
            let says_why = document.undefined.contains_key(spec.name);
            assert_eq!(written[spec.name].is_null(), says_why, "{}", spec.name);
        }
    }
}

#[test]
fn numbers_arrive_where_they_belong() {
    let (episode, prediction) = (EPISODE.replace('\n', ""), PREDICTION.replace('\n', ""));
    let document = scored(&episode, &prediction, Mode::Coord);
    let metrics = &document.metrics;
    assert_eq!((metrics.num_episodes, metrics.num_steps), (1, 2));
    assert_eq!(metrics.action_type_accuracy, Some(0.5));
    assert_eq!(
        (metrics.click_hit_rate, metrics.coord_error_count),
        (Some(1.0), 1)
    );
    assert_eq!(metrics.extra_steps, Some(0));
    // Two steps of one episode stand or fall together.
    assert_eq!(metrics.action_type_accuracy_ci, None);
    assert_eq!(
        document.undefined["action_type_accuracy_ci"],
        "one cluster has no interval"
    );
    assert_eq!(document.counts["type_matches"], 1);
    assert_eq!(document.inputs["predictions"].records, 1);
    let click = &document.metrics_by_action_type["click"];
    assert_eq!(
        (click.num_steps, click.action_type_accuracy),
        (Some(1), Some(1.0))
    );
    assert_eq!(document.dsl_mode, "coord");
}
