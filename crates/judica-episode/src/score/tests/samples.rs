//! Stored samples: both sides in one file.

use super::*;

fn row(episode: &str, step: u64, gold: Value, predicted: Value) -> Value {
    json!({"episode_id": episode, "step_index": step, "goal": format!("goal of {episode}"),
        "model_output_raw": "…", "pred_action": predicted, "ground_truth_action": gold,
        "correct_type": true, "coord_error_norm": 0.0, "element_match": null})
}

fn click(x: f64) -> Value {
    json!({"type": "click", "x": x, "y": 0.5, "text": null, "element_index": null})
}

fn samples(rows: &[Value]) -> Run {
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let mut run = Run::new(lines.as_bytes(), b"");
    run.request.predictions = None;
    run
}

#[test]
fn rows_of_an_episode_may_stand_anywhere() {
    let rows = [
        row("b", 1, json!({"type": "done"}), json!({"type": "done"})),
        row("a", 2, click(0.5), click(0.75)),
        row("b", 0, click(0.5), Value::Null),
        row("a", 0, click(0.25), json!("CLICK(0.25)")),
        row("b", 2, click(0.5), click(0.5)),
    ];
    let run = samples(&rows);
    let hooks = Hooks {
        progress: &|_| {},
        interrupted: &AtomicBool::new(false),
    };
    let outcome = score(&run.request, &hooks).unwrap();
    let counts = outcome.counts;
    assert_eq!((counts.episodes, counts.steps), (2, 5));
    assert_eq!((counts.type_matches, counts.full_steps), (3, 2));
    assert_eq!((counts.missing_steps, counts.unreadable_steps), (1, 1));
    // Step 1 of `a` has no row.
    assert_eq!(counts.left_out_steps, 1);
    assert_eq!(outcome.metrics.mean_coord_error.value(), Some(0.125));
    for rows in [outcome.episode_rows, outcome.prediction_rows] {
        assert_eq!((rows.inputs, rows.records, rows.rejects), (5, 5, 0));
    }
    let details = run.details();
    let names: Vec<&str> = details.iter().map(|one| one.episode_id.as_str()).collect();
    assert_eq!(names, ["b", "a"], "in the order in which they appear");
    assert_eq!(details[1].goal.as_deref(), Some("goal of a"));
    let indices: Vec<u64> = details[1].steps.iter().map(|step| step.index).collect();
    assert_eq!(indices, [0, 2]);
    // The same file may be named twice.
    let mut twice = run;
    twice.request.predictions = Some(twice.request.episodes.clone());
    assert_eq!(score(&twice.request, &hooks).unwrap(), outcome);
}

#[test]
fn episodes_of_two_data_sets_are_two() {
    let of = |dataset: &str, mut row: Value| {
        row["dataset"] = json!(dataset);
        row
    };
    let rows = [
        of("A", row("1", 0, click(0.5), click(0.5))),
        of("B", row("1", 0, click(0.5), Value::Null)),
        of("B", row("1", 1, click(0.5), click(0.5))),
    ];
    let run = samples(&rows);
    let hooks = Hooks {
        progress: &|_| {},
        interrupted: &AtomicBool::new(false),
    };
    let counts = score(&run.request, &hooks).unwrap().counts;
    assert_eq!((counts.episodes, counts.successful_episodes), (2, 1));
    assert!(run.refused().is_empty());
    let datasets: Vec<_> = run.details().into_iter().map(|one| one.dataset).collect();
    assert_eq!(datasets, ["A", "B"].map(|name| Some(name.to_owned())));
}

#[test]
fn a_recorded_side_that_cannot_be_read_takes_its_episode_with_it() {
    let rows = [
        row("a", 0, click(0.5), click(0.5)),
        row("a", 1, json!({"type": 7}), click(0.5)),
        row("b", 0, click(0.5), click(0.5)),
        row("b", 0, click(0.5), click(0.25)),
    ];
    let run = samples(&rows);
    let hooks = Hooks {
        progress: &|_| {},
        interrupted: &AtomicBool::new(false),
    };
    let outcome = score(&run.request, &hooks).unwrap();
    let reasons: Vec<(u64, String)> = run
        .refused()
        .into_iter()
        .map(|(_, line, reason)| (line, reason))
        .collect();
    let expected = [
        (1, "refused_episode"),
        (2, "wrong_type"),
        (4, "duplicate_step"),
    ];
    assert_eq!(
        reasons,
        expected.map(|(line, reason)| (line, reason.to_owned()))
    );
    assert_eq!((outcome.counts.episodes, outcome.counts.click_hits), (1, 1));
    assert_eq!(outcome.episode_rows.rejects, 3);
}

#[test]
fn which_side_is_missing_is_said() {
    let mut whole = Run::new(EPISODES.as_bytes(), PREDICTIONS.as_bytes());
    whole.request.predictions = None;
    let error = whole.score().unwrap_err().to_string();
    assert!(error.contains("--predictions is needed"), "{error}");
    let mut run = samples(&[row("a", 0, click(0.5), click(0.5))]);
    run.request.predictions = Some(given(&run.folder.path().join("p.jsonl")));
    let error = run.score().unwrap_err().to_string();
    assert!(error.contains("leave --predictions out"), "{error}");
}
