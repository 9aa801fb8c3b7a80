//! Small runs whose numbers can be worked out by hand.

use super::*;
use judica_run::options::RunOptions;
use judica_run::values::usual_values;

#[test]
fn worked_by_hand() {
    let run = Run::new(EPISODES.as_bytes(), PREDICTIONS.as_bytes());
    let outcome = run.score().unwrap();
    let document = serde_json::to_value(document(&outcome)).unwrap();
    let metrics = &document["metrics"];
    for (name, expected) in [
        ("num_episodes", json!(2)),
        ("num_steps", json!(4)),
        ("action_type_accuracy", json!(0.75)),
        ("mean_coord_error", json!(0.09375)),
        ("coord_error_count", json!(1)),
        ("episode_success_rate", json!(0.5)),
        ("click_hit_rate", json!(0.0)),
        ("bbox_hit_rate", json!(1.0)),
        ("mean_episode_progress", json!(0.75)),
        ("mean_episode_step_score", json!(0.5)),
        ("weak_episode_success_rate", Value::Null),
        ("state_success_rate", json!(1.0)),
        ("element_accuracy", Value::Null),
        ("mean_coord_error_ci", Value::Null),
        ("extra_steps", json!(0)),
    ] {
        assert_eq!(metrics[name], expected, "{name}");
    }
    assert_eq!(
        document["undefined"]["weak_episode_success_rate"],
        "no episode defines milestones"
    );
    assert_eq!(
        document["undefined"]["mean_coord_error_ci"],
        "one cluster has no interval"
    );
    assert_eq!(document["counts"]["type_matches"], json!(3));
    let types: Vec<&String> = document["metrics_by_action_type"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(types, ["click", "done", "type"]);
    assert_eq!(
        document["metrics_by_action_type"]["done"]["action_type_accuracy"],
        0.5
    );
    let details = run.details();
    assert_eq!(
        (&*details[0].episode_id, details[0].goal.as_deref()),
        ("a", Some("log in"))
    );
    assert_eq!(
        (details[0].success, details[1].success),
        (Some(false), Some(true))
    );
    assert_eq!(details[0].steps[1].predicted_type.as_deref(), Some("wait"));
    assert!(run.rejects().is_empty() && !run.request.rejects.exists());
}

#[test]
fn evidence_cites_every_check() {
    let run = Run::new(EPISODES.as_bytes(), PREDICTIONS.as_bytes());
    run.score().unwrap();
    let bytes = run.details_bytes();
    let first: Value =
        serde_json::from_slice(bytes.split(|b| *b == b'\n').next().unwrap()).unwrap();
    let atoms = first["evidence"]["atoms"].as_array().unwrap();
    let short: Vec<_> = atoms
        .iter()
        .map(|atom| {
            (
                atom["rule"].as_str().unwrap(),
                atom["severity"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        short,
        [
            ("action_type.mismatch", "info"),
            ("coordinate.miss", "critical"),
            ("bbox.miss", "info"),
            ("action_type.mismatch", "critical"),
        ]
    );
    assert_eq!(atoms[1]["id"], "EVID_002");
    assert_eq!(atoms[1]["meta"]["observed"]["error"], 0.09375);
    assert_eq!(atoms[3]["meta"]["step"], 1);
    assert_eq!(
        atoms[3]["message"],
        "step 1: done was expected, wait was predicted"
    );
    for atom in atoms {
        let read: judica_model::evidence::EvidenceAtom =
            serde_json::from_value(atom.clone()).unwrap();
        assert_eq!(
            read.pass,
            read.severity == judica_model::evidence::Severity::Info
        );
    }
}

#[test]
fn pixels_are_converted_where_the_screen_is_known() {
    let episodes = br#"{"episode_id":"a","steps":[{"action":{"type":"click","x":0.5,"y":0.5,"element":{"bounds":{"x":480,"y":240,"width":64,"height":64}}}}]}"#;
    let predictions =
        br#"{"episode_id":"a","steps":[{"action":{"type":"click","x":512,"y":256}}]}"#;
    let mut run = Run::new(episodes, predictions);
    // Without it the prediction is far away, and the box cannot be placed.
    let outcome = run.score().unwrap();
    assert_eq!(outcome.counts.episodes, 1);
    assert_eq!(outcome.metrics.click_hit_rate.value(), Some(0.0));
    assert_eq!(outcome.metrics.bbox_hit_rate.value(), None);
    let notes = outcome.notes.join("\n");
    assert!(
        notes.contains("a box in pixels") && notes.contains("1 predicted point lies outside"),
        "{notes}"
    );
    run.request.screen = Screen::new(1024, 512);
    let outcome = run.score().unwrap();
    assert_eq!(outcome.metrics.mean_coord_error.value(), Some(0.0));
    assert_eq!(outcome.metrics.bbox_hit_rate.value(), Some(1.0));
}

#[test]
fn inputs_of_the_other_mode_are_named() {
    let marked = br#"{"episode_id":"a","steps":[{"action":{"type":"click","element_index":3}}]}"#;
    let pointed = br#"{"episode_id":"a","steps":[{"action":{"type":"click","x":0.5,"y":0.5}}]}"#;
    let mut run = Run::new(marked, pointed);
    let outcome = run.score().unwrap();
    assert!(
        outcome.notes[0].contains("e.jsonl:1, /steps/0/action"),
        "{:?}",
        outcome.notes
    );
    assert!(
        outcome.notes[0].contains("--mode som"),
        "{:?}",
        outcome.notes
    );
    assert_eq!(outcome.metrics.mean_episode_step_score.value(), Some(1.0));
    run.request.mode = Mode::Som;
    let outcome = run.score().unwrap();
    assert!(
        outcome.notes[0].contains("1 predicted step has coordinates"),
        "{:?}",
        outcome.notes
    );
    assert_eq!(outcome.metrics.element_accuracy.value(), Some(0.0));
    run.request.strict = true;
    assert!(matches!(run.score(), Err(WorkError::BadInput(_))));
}

#[test]
fn one_list_of_milestones_for_every_episode() {
    let mut run = Run::new(EPISODES.as_bytes(), PREDICTIONS.as_bytes());
    let path = run.folder.path().join("m.json");
    std::fs::write(&path, r#"[{"name":"done","step_index":1,"type":"done"}]"#).unwrap();
    run.request.milestones = Some(given(&path));
    let outcome = run.score().unwrap();
    assert_eq!(outcome.metrics.weak_episode_success_rate.value(), Some(0.5));
    assert_eq!(outcome.counts.episodes_with_milestones, 2);
    std::fs::write(&path, r#"[{"name":"done","step_index":1}]"#).unwrap();
    let error = run.score().unwrap_err().to_string();
    assert!(
        error.contains("m.json: /0: the milestone has no `type`"),
        "{error}"
    );
}

#[test]
fn a_metric_of_records_has_the_interval_of_the_report() {
    let step = |x: f64, name: &str| json!([{"action": {"type": "click", "x": x, "y": 0.5}}, {"action": {"type": name}}]);
    let lines = |steps: [Value; 3]| -> String {
        let rows = steps.into_iter().zip(["a", "b", "c"]);
        rows.map(|(steps, id)| format!("{}\n", json!({"episode_id": id, "steps": steps})))
            .collect()
    };
    let recorded = lines([(); 3].map(|()| step(0.5, "done")));
    let predicted = lines([step(0.5, "done"), step(0.5, "done"), step(0.9, "type")]);
    let mut run = Run::new(recorded.as_bytes(), predicted.as_bytes());
    let folder = run.folder.path().join("run");
    run.request.rejects = folder.join("rejects.jsonl");
    run.request.run = Some(RunTarget {
        folder: folder.clone(),
        created_at: "2025-01-01T00:00:00Z".to_owned(),
        options: RunOptions::default(),
    });
    let report = serde_json::to_value(document(&run.score().unwrap())).unwrap();
    let opened = judica_run::open::Run::open(&folder).unwrap();
    let values = usual_values(&opened, 1).unwrap();
    let mut cut = false;
    for of in values.iter().filter(|of| of.subject.is_none()) {
        let value = serde_json::to_value(&of.value).unwrap();
        let ci = &report["metrics"][format!("{}_ci", of.metric)];
        assert_eq!(value.get("ci").unwrap_or(&Value::Null), ci, "{}", of.metric);
        cut |= of.metric == "mean_episode_step_score" && *ci == json!([0.0, 1.0]);
    }
    assert!(cut, "one of them would reach beyond what there is");
}
