use std::fs;
use std::path::Path;

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn write(folder: &Path, name: &str, value: &Value) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, value.to_string()).unwrap();
    path
}

fn request(inputs: Vec<PathBuf>, by: Option<&str>) -> AggregateRequest {
    AggregateRequest {
        inputs,
        by: by.map(|by| by.parse().unwrap()),
        strict: false,
        threads: 2,
    }
}

fn file(backend: &str, accuracy: Value, clicks: Value) -> Value {
    json!({"config_path": "c", "backend": backend, "metrics": {
        "num_episodes": 2, "num_steps": 10, "action_type_accuracy": accuracy,
        "coord_error_count": 5, "episode_success_rate": 0.5, "click_hit_rate": clicks}})
}

#[test]
fn nulls_are_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "a.json",
        &file("qwen3", json!(0.5), json!(null)),
    );
    write(
        folder.path(),
        "b/b.json",
        &file("claude", json!(0.25), json!(0.8)),
    );
    write(
        folder.path(),
        "b/c.json",
        &json!({"action_type_accuracy": 1.0, "own": 7}),
    );
    write(folder.path(), "b/readme.txt", &json!("no"));
    let report = aggregate(&request(vec![folder.path().to_owned()], Some("backend"))).unwrap();
    assert_eq!((report.inputs, report.files, report.rejects), (3, 3, 0));
    // (0.5 + 0.25 + 1) / 3; one file has no click rate and one a null.
    assert_eq!(report.mean_action_accuracy, Some(1.75 / 3.0));
    assert_eq!(report.mean_click_hit_rate, Some(0.8));
    assert_eq!(report.mean_episode_success, Some(0.5));
    let clicks = report.metrics.get("click_hit_rate").unwrap();
    assert_eq!(
        (clicks.n, clicks.nulls, clicks.missing, clicks.std),
        (1, 1, 1, None)
    );
    let accuracy = report.metrics.get("action_type_accuracy").unwrap();
    assert_eq!((accuracy.min, accuracy.max), (Some(0.25), Some(1.0)));
    // Deviations -1/12, -1/3, 5/12: squares sum to 42/144; over 2, the root is 0.38188.
    assert!((accuracy.std.unwrap() - 0.381_881).abs() < 1e-6);
    assert!(matches!(
        accuracy.pooled,
        Some(MetricValue::Undefined { .. })
    ));
    assert_eq!(report.metrics.get("own").unwrap().mean, Some(7.0));
    let groups: Vec<_> = report
        .groups
        .iter()
        .map(|g| (g.group.clone(), g.files))
        .collect();
    assert_eq!(
        groups,
        [
            (json!("qwen3"), 1),
            (json!("claude"), 1),
            (json!("unknown"), 1)
        ]
    );
    assert_eq!(report.groups[0].mean_click_hit_rate, None);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        json["groups"][0]["metrics"]["click_hit_rate"]["undefined"],
        "null in every file that has it"
    );
    assert!(tables(&report).len() == 2 && tables(&report)[1].rows.len() > 3);
}

use judica_model::metric::MetricValue;

#[test]
fn pooled_means_weigh_items_alike() {
    let folder = tempfile::tempdir().unwrap();
    let mut large = file("b", json!(1.0), json!(1.0));
    large["metrics"]["num_steps"] = json!(30);
    let paths = vec![
        write(folder.path(), "1.json", &file("b", json!(0.5), json!(null))),
        write(folder.path(), "2.json", &large),
    ];
    let report = aggregate(&request(paths, None)).unwrap();
    let summary = report.metrics.get("action_type_accuracy").unwrap();
    // (0.5 · 10 + 1 · 30) / 40.
    assert_eq!(summary.pooled, Some(MetricValue::new(0.875, 40)));
    assert_eq!(summary.mean, Some(0.75));
    assert!(report.groups.is_empty() && report.metrics.get("num_steps").unwrap().pooled.is_none());
}

#[test]
fn files_that_cannot_be_used_are_named_and_the_rest_is_used() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "good.json",
        &file("b", json!(0.5), json!(0.5)),
    );
    write(
        folder.path(),
        "rate.json",
        &file("b", json!(1.2), json!(0.5)),
    );
    write(folder.path(), "other.json", &json!({"name": "package"}));
    fs::write(folder.path().join("cut.json"), "{\"metrics\":\n{").unwrap();
    fs::write(
        folder.path().join("nan.json"),
        "{\"metrics\": {\"click_hit_rate\": NaN}}",
    )
    .unwrap();
    fs::write(folder.path().join("cut.json.gz"), [0x1f, 0x8b]).unwrap();
    let mut asked = request(vec![folder.path().to_owned()], None);
    let report = aggregate(&asked).unwrap();
    assert_eq!((report.inputs, report.files, report.rejects), (6, 1, 5));
    let reasons: Vec<_> = report.refused.iter().map(|file| file.reason).collect();
    assert_eq!(
        reasons,
        [
            "not_json",
            "unreadable",
            "not_a_number",
            "not_an_eval",
            "out_of_range"
        ]
    );
    assert_eq!(report.refused[0].line, 2);
    assert_eq!(report.refused[4].pointer, "/metrics/action_type_accuracy");
    asked.strict = true;
    let error = aggregate(&asked).unwrap_err();
    assert!(
        error.to_string().contains("cut.json:2: not_json"),
        "{error}"
    );
    assert_eq!(error.exit_code().code(), 2);
}

#[test]
fn what_was_named_and_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for inputs in [vec![], vec![folder.path().to_owned()]] {
        let error = aggregate(&request(inputs, None)).unwrap_err();
        assert_eq!(error.exit_code().code(), 2, "{error}");
    }
    let error = aggregate(&request(vec![folder.path().join("none")], None)).unwrap_err();
    assert!(error.to_string().contains("no such file"), "{error}");
}

#[test]
fn a_file_counts_once_and_keys_may_be_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.json", &file("b", json!(0.5), json!(0.5)));
    let named = vec![path.clone(); 2];
    let twice = aggregate(&request(named, Some("/metrics/num_steps"))).unwrap();
    assert_eq!((twice.files, twice.notes.len()), (1, 1));
    assert_eq!(twice.groups[0].group, json!(10));
    for (by, group) in [("dsl_mode", json!("coord")), ("gpu_model", json!(null))] {
        let report = aggregate(&request(vec![path.clone()], Some(by))).unwrap();
        assert_eq!(report.groups[0].group, group);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn means_depend_neither_on_order_nor_on_threads(
        values in prop::collection::vec(prop::option::of(0.0f64..=1.0), 1..12),
        threads in 1usize..4,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = values
            .iter()
            .enumerate()
            .map(|(i, value)| write(folder.path(), &format!("{i}.json"), &file("b", json!(0.5), json!(value))))
            .collect();
        let mut backwards = request(paths.iter().rev().cloned().collect(), None);
        backwards.threads = threads;
        let report = aggregate(&request(paths, None)).unwrap();
        prop_assert_eq!(&report.metrics, &aggregate(&backwards).unwrap().metrics);
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        let mean = (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64);
        let found = report.mean_click_hit_rate;
        prop_assert_eq!(found.is_some(), mean.is_some());
        if let (Some(found), Some(mean)) = (found, mean) {
            prop_assert!((found - mean).abs() < 1e-12);
        }
    }
}
