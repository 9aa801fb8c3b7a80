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
fn of_equal_episodes_has_no_width() {
    let place = spread(|_| 5, 30);
    let metrics = &scored(&place, "--mode coord")["metrics"];
    assert_eq!(ends(metrics, "mean_episode_progress"), [0.5, 0.5]);
}

#[test]
fn a_rate_has_the_interval_of_wilson() {
    let metrics = &scored(&spread(|_| 10, 1), "--mode coord")["metrics"];
    // 10 of 10: the lower end is n / (n + z²).
    near(
        &metrics["action_type_accuracy_ci"][0],
        10.0 / (10.0 + 1.959_963_984_540_054_f64.powi(2)),
    );
    assert_eq!(metrics["action_type_accuracy_ci"][1], json!(1.0));
}
