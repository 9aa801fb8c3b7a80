//! Intervals of means, which are resampled, against what is known about them.

use serde_json::{Value, json};

use crate::data::{act, click, near, place, row, scored};
use crate::support::Place;

/// Episodes of which this many of ten steps are right, clicked this far from their target.
fn spread(right: impl Fn(usize) -> usize, episodes: usize) -> Place {
    let gold = vec![click(0.0, 0.0); 10];
    let recorded: Vec<Value> = (0..episodes)
        .map(|at| row(&format!("e{at}"), &gold))
        .collect();
    let predicted: Vec<Value> = (0..episodes)
        .map(|at| {
            let actions: Vec<Value> = (0..10)
                .map(|step| match step < right(at) {
                    true => click(0.01 * (1 + at % 10) as f64, 0.0),
                    false => act("wait"),
                })
                .collect();
            row(&format!("e{at}"), &actions)
        })
        .collect();
    place(&recorded, &predicted)
}

#[track_caller]
fn ends(metrics: &Value, name: &str) -> [f64; 2] {
    let ends = &metrics[format!("{name}_ci")];
    [0, 1].map(|end| {
        ends[end]
            .as_f64()
            .unwrap_or_else(|| panic!("{name}: {ends}"))
    })
}

#[test]
fn of_many_episodes_is_near_the_normal_one() {
    // Progress 0.0, 0.1, ... 0.9, twenty times each: mean 0.45, variance 0.0825.
    let place = spread(|at| at % 10, 200);
    let metrics = &scored(&place, "--mode coord")["metrics"];
    near(&metrics["mean_episode_progress"], 0.45);
    let half = 1.96 * (0.0825_f64 / 200.0).sqrt();
    let [low, high] = ends(metrics, "mean_episode_progress");
    assert!((low - (0.45 - half)).abs() < half / 5.0, "{low}");
    assert!((high - (0.45 + half)).abs() < half / 5.0, "{high}");
}

#[test]
fn of_distances_resamples_episodes_and_not_clicks() {
    // All clicks of an episode are equally far off, so 200 clicks say no more than the 20
    // episodes they stand in: 0.01 to 0.10, mean 0.055, variance 0.000825.
    let place = spread(|_| 10, 20);
    let metrics = &scored(&place, "--mode coord")["metrics"];
    assert_eq!(metrics["coord_error_count"], 200);
    near(&metrics["mean_coord_error"], 0.055);
    let half = 1.96 * (0.000_825_f64 / 20.0).sqrt();
    let [low, high] = ends(metrics, "mean_coord_error");
    assert!((low - (0.055 - half)).abs() < half / 3.0, "{low}");
    assert!((high - (0.055 + half)).abs() < half / 3.0, "{high}");
}

#[test]
fn equal_episodes_say_why_there_is_none() {
    let place = spread(|_| 5, 30);
    let document = scored(&place, "--mode coord");
    let metrics = &document["metrics"];
    assert_eq!(metrics["mean_episode_progress_ci"], Value::Null);
    assert_eq!(
        document["undefined"]["mean_episode_progress_ci"],
        "no variation among 30 items"
    );
    // A share of steps that is the same in every episode: so many episodes.
    assert!(ends(metrics, "action_type_accuracy")[0] < 0.34);
}

#[test]
fn a_rate_of_single_things_has_the_interval_of_wilson() {
    let metrics = &scored(&spread(|_| 10, 10), "--mode coord")["metrics"];
    // 10 of 10: the lower end is n / (n + z²), of episodes and of steps that all agree alike.
    let lower = 10.0 / (10.0 + 1.959_963_984_540_054_f64.powi(2));
    for name in ["episode_success_rate", "action_type_accuracy"] {
        near(&metrics[format!("{name}_ci")][0], lower);
        assert_eq!(metrics[format!("{name}_ci")][1], json!(1.0));
    }
}

#[test]
fn it_is_the_interval_of_the_run() {
    let place = spread(|at| at % 7, 60);
    let scored = scored(&place, "--mode coord --run run");
    let shown = place.judica("gate init run --out -").exits(0);
    assert!(shown.stdout.contains("mean_episode_progress"));
    let gates = "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"mean_episode_progress\"\nop = \">=\"\nthreshold = 0\n";
    place.write("g.toml", gates);
    let held = place
        .judica("gate check run --gates g.toml --json")
        .exits(0);
    let held: Value = serde_json::from_str(&held.stdout).unwrap();
    let [low, high] = ends(&scored["metrics"], "mean_episode_progress");
    let note = held["gates"][0]["note"].as_str().unwrap();
    let shown = note
        .split_once('[')
        .and_then(|(_, ends)| ends.split_once(']'));
    let (shown, _) = shown.expect("an interval");
    let shown: Vec<f64> = shown.split(", ").map(|end| end.parse().unwrap()).collect();
    assert!(
        (shown[0] - low).abs() < 1e-6 && (shown[1] - high).abs() < 1e-6,
        "{note}"
    );
}
