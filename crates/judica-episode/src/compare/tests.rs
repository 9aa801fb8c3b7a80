use std::fs;
use std::path::Path;

use super::*;
use serde_json::{Value, json};

fn write(folder: &Path, name: &str, value: &Value) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, value.to_string()).unwrap();
    path
}

fn file(hits: u64, n: u64) -> Value {
    json!({"config_path": "c", "backend": "b", "metrics": {
        "num_episodes": 10, "num_steps": n, "action_type_accuracy": hits as f64 / n as f64,
        "mean_coord_error": 0.05, "mean_coord_error_ci": [0.04, 0.06], "coord_error_count": 40,
        "episode_success_rate": 0.5, "click_hit_rate": 0.5, "own": hits}})
}

/// Episodes of two steps each; the n-th has `matches(n)` of them right.
fn episodes(
    folder: &Path,
    name: &str,
    ids: std::ops::Range<u64>,
    matches: fn(u64) -> u64,
) -> PathBuf {
    let line = |id: u64| {
        let right = matches(id);
        json!({"episode_id": format!("e{id:03}"), "n_steps": 2, "type_matches": right,
            "full_steps": right, "missing_steps": 0, "extra_steps": 0,
            "progress": right as f64 / 2.0, "step_score": right as f64 / 2.0,
            "success": right == 2, "weak_success": null, "state_success": null,
            "coord_error_sum": 0.1, "coord_error_count": 1, "click_hits": 0, "bbox_targets": 0,
            "bbox_hits": 0, "element_targets": 0, "element_hits": 0, "steps": []})
        .to_string()
    };
    let path = folder.join(name);
    let lines: Vec<String> = ids.map(line).collect();
    fs::write(&path, lines.join("\n")).unwrap();
    path
}

fn metric<'r>(report: &'r CompareReport, name: &str) -> &'r MetricComparison {
    report.metrics.iter().find(|m| m.metric == name).unwrap()
}

#[test]
fn means_over_too_few_episodes_show_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (episodes, verdict) in [(1, Verdict::NoDifference), (10, Verdict::Better)] {
        let run = |name: &str, mean: f64| {
            let mut file = file(100, 200);
            file["metrics"]["num_episodes"] = json!(episodes);
            file["metrics"]["mean_coord_error"] = json!(mean);
            // What resampling a single episode comes to.
            file["metrics"]["mean_coord_error_ci"] = json!([mean, mean]);
            write(folder.path(), name, &file)
        };
        let files = vec![run("base.json", 0.05), run("tuned.json", 0.02)];
        let report = compare(&CompareRequest::new(files)).unwrap();
        let error = &metric(&report, "mean_coord_error").differences[0];
        assert_eq!(error.verdict, verdict, "{episodes}: {}", error.words);
        let has_interval = error.estimate.as_ref().unwrap().ci.is_some();
        assert_eq!(has_interval, episodes == 10);
    }
}

#[test]
fn eval_files_are_compared_unpaired() {
    let folder = tempfile::tempdir().unwrap();
    let mut better = file(160, 200);
    better["metrics"]["mean_coord_error"] = json!(0.02);
    better["metrics"]["mean_coord_error_ci"] = json!([0.015, 0.025]);
    let files = vec![
        write(folder.path(), "base.json", &file(100, 200)),
        write(folder.path(), "tuned.json", &better),
    ];
    let report = compare(&CompareRequest::new(files)).unwrap();
    assert_eq!(report.baseline, "base");
    let accuracy = &metric(&report, "action_type_accuracy").differences[0];
    let estimate = accuracy.estimate.as_ref().unwrap();
    assert_eq!(
        (estimate.paired, estimate.ci_method),
        (false, Some("newcombe"))
    );
    assert_eq!(
        (accuracy.verdict, estimate.n.as_slice()),
        (Verdict::Better, &[200, 200][..])
    );
    assert!(
        accuracy
            .words
            .starts_with("tuned is better (p < 0.0001, unpaired"),
        "{}",
        accuracy.words
    );
    // 0.02 - 0.05, and both halves are the root of 0.01² and 0.005².
    let error = &metric(&report, "mean_coord_error").differences[0];
    let estimate = error.estimate.as_ref().unwrap();
    assert_eq!(
        (estimate.ci_method, error.verdict),
        (Some("combined"), Verdict::Better)
    );
    let half = 0.01f64.hypot(0.005);
    let [lo, hi] = estimate.ci.unwrap();
    assert!((lo + 0.03 + half).abs() < 1e-15 && (hi + 0.03 - half).abs() < 1e-15);
    let same = &metric(&report, "episode_success_rate").differences[0];
    assert_eq!(same.verdict, Verdict::NoDifference);
    assert!(
        same.words
            .starts_with("no difference that this data can show (p = 1.0000")
    );
    let own = &metric(&report, "own").differences[0];
    assert_eq!(
        (own.difference, own.verdict, &own.estimate),
        (Some(60.0), Verdict::NoDirection, &None)
    );
    // Two rates of steps and one of episodes were tested.
    assert_eq!(report.tests, 3);
    assert!(report.notes[0].contains("steps of one episode belong together"));
    assert_eq!(
        report.verdicts[0].words,
        "tuned is better than base in action_type_accuracy, mean_coord_error"
    );
    let shown = tables(&report);
    assert_eq!(
        (shown.len(), shown[1].rows.len()),
        (2, report.metrics.len() - 3)
    );
}

#[test]
fn what_has_no_value_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let mut som = file(100, 200);
    som["dsl_mode"] = json!("som");
    som["metrics"]["click_hit_rate"] = json!(null);
    som["undefined"] = json!({"click_hit_rate": "not measured in som mode"});
    som["metrics"]["num_episodes"] = json!(3);
    let files = vec![
        write(folder.path(), "a.json", &file(100, 200)),
        write(folder.path(), "b.json", &som),
        write(
            folder.path(),
            "c.json",
            &json!({"action_type_accuracy": 0.25, "bbox_hit_rate": 0.5}),
        ),
    ];
    let report = compare(&CompareRequest::new(files)).unwrap();
    let clicks = &metric(&report, "click_hit_rate").differences;
    assert_eq!(
        clicks[0].words,
        "cannot be compared: b: not measured in som mode"
    );
    assert_eq!(
        clicks[1].words,
        "cannot be compared: c: the file does not have it"
    );
    assert_eq!(clicks[0].difference, None);
    let accuracy = &metric(&report, "action_type_accuracy").differences[1];
    assert_eq!(
        (accuracy.verdict, accuracy.difference),
        (Verdict::NotComparable, Some(-0.25))
    );
    // Half of three episodes is no number of episodes.
    assert_eq!(
        metric(&report, "episode_success_rate").differences[0].verdict,
        Verdict::NotComparable
    );
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("the modes differ (a: coord, b: som"))
    );
    assert!(report.verdicts[1].words.contains("cannot be compared"));
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains("NaN") && text.contains("\"verdict\":\"not_comparable\""));
}

#[test]
fn episodes_are_compared_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    // Of 40 episodes the second run gets ten more right, and has two the first has not.
    let first = episodes(folder.path(), "a.jsonl", 0..40, |_| 1);
    let second = episodes(
        folder.path(),
        "b.jsonl",
        0..42,
        |id| if id < 10 { 2 } else { 1 },
    );
    let mut request = CompareRequest::new(vec![first, second]);
    let report = compare(&request).unwrap();
    let success = &metric(&report, "episode_success_rate").differences[0];
    let estimate = success.estimate.as_ref().unwrap();
    assert_eq!(
        (estimate.paired, estimate.difference, estimate.n.as_slice()),
        (true, 0.25, &[40][..])
    );
    // All ten episodes that differ fall to one side: 2 / 2^10.
    assert_eq!(estimate.p_value, Some(2.0 / 1024.0));
    assert_eq!(success.verdict, Verdict::Better);
    assert!(success.words.contains("paired, n = 40"));
    let [lo, hi] = estimate.ci.unwrap();
    assert!(lo > 0.05 && lo < 0.25 && hi > 0.25 && hi < 0.45);
    assert_eq!(report.pairing[0].common, 40);
    assert_eq!(report.pairing[0].left_out, ["e040", "e041"]);
    assert_eq!(
        metric(&report, "mean_coord_error").differences[0].verdict,
        Verdict::NoDifference
    );
    assert_eq!(
        metric(&report, "element_accuracy").differences[0].verdict,
        Verdict::NotComparable
    );
    assert_eq!(
        metric(&report, "num_episodes").values[1].value(),
        Some(42.0)
    );
    assert!(report.notes.is_empty(), "{:?}", report.notes);
    request.threads = 3;
    assert_eq!(compare(&request).unwrap(), report);
    request.files.reverse();
    let back = compare(&request).unwrap();
    assert_eq!(
        metric(&back, "episode_success_rate").differences[0].verdict,
        Verdict::Worse
    );
}

#[test]
fn details_beside_eval_files_pair_them() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = ["a.json", "b.json"]
        .iter()
        .map(|name| write(folder.path(), name, &file(100, 200)))
        .collect();
    let mut request = CompareRequest::new(files);
    request.labels = vec!["A".to_owned(), "B".to_owned()];
    request.details = vec![
        episodes(folder.path(), "a.jsonl", 0..10, |_| 1),
        episodes(folder.path(), "b.jsonl", 20..30, |_| 1),
    ];
    let report = compare(&request).unwrap();
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("no episode in common"))
    );
    assert!(
        !metric(&report, "action_type_accuracy").differences[0]
            .estimate
            .as_ref()
            .unwrap()
            .paired
    );
    request.details[1] = episodes(folder.path(), "c.jsonl", 0..12, |_| 1);
    let report = compare(&request).unwrap();
    assert!(
        metric(&report, "action_type_accuracy").differences[0]
            .estimate
            .as_ref()
            .unwrap()
            .paired
    );
    assert!(
        report.notes[0].contains("counts 10 episodes, the details hold 12"),
        "{:?}",
        report.notes
    );
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "a.json", &file(1, 2));
    let bad = write(
        folder.path(),
        "b.json",
        &json!({"metrics": {"click_hit_rate": 1.2}}),
    );
    let twice = folder.path().join("twice.jsonl");
    let line = fs::read_to_string(episodes(folder.path(), "one.jsonl", 0..1, |_| 1)).unwrap();
    fs::write(&twice, format!("{line}\n{line}\n")).unwrap();
    let request = |files: Vec<&PathBuf>| CompareRequest::new(files.into_iter().cloned().collect());
    let mut labelled = request(vec![&good, &good]);
    labelled.labels = vec!["x".to_owned(), "x".to_owned()];
    let mut short = request(vec![&good, &good]);
    short.labels = vec!["x".to_owned()];
    let mut detailed = request(vec![&good, &good]);
    detailed.labels = vec!["x".to_owned(), "y".to_owned()];
    detailed.details = vec![good.clone()];
    let mut sure = request(vec![&good, &good]);
    sure.confidence = 1.0;
    for (request, why) in [
        (request(vec![&good]), "two files or more"),
        (
            request(vec![&good, &bad]),
            "b.json:1: out_of_range: /metrics/click_hit_rate: 1.2 is above",
        ),
        (request(vec![&good, &twice]), "\"e000\" stands twice"),
        (labelled, "two files have the label \"x\""),
        (short, "1 labels for 2 files"),
        (detailed, "each needs its own"),
        (sure, "between 0 and 1"),
    ] {
        let error = compare(&request).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.exit_code().code(), 2);
    }
    // The same file twice can be told apart by nothing but its place.
    assert!(
        compare(&request(vec![&good, &good]))
            .unwrap_err()
            .to_string()
            .contains("label")
    );
}
