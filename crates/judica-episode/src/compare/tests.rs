use std::fs;
use std::path::Path;

use super::*;
use judica_run::compare::report::Finding;
use judica_run::compare::tables::tables;
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

fn request(files: Vec<PathBuf>) -> CompareRequest {
    CompareRequest::new(files, 1)
}

/// A metric of the second file, or of the third.
fn row<'r>(report: &'r CompareReport, name: &str, at: usize) -> &'r MetricRow {
    let mut rows = report.metrics.iter();
    rows.find(|row| row.metric == name && row.side.unwrap_or(1) == at)
        .unwrap()
}

#[test]
fn means_over_too_few_episodes_show_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (episodes, verdict) in [(1, Finding::Undefined), (10, Finding::Better)] {
        let run = |name: &str, mean: f64| {
            let mut file = file(100, 200);
            file["metrics"]["num_episodes"] = json!(episodes);
            file["metrics"]["mean_coord_error"] = json!(mean);
            // What resampling a single episode comes to.
            file["metrics"]["mean_coord_error_ci"] = json!([mean, mean]);
            write(folder.path(), name, &file)
        };
        let files = vec![run("base.json", 0.05), run("tuned.json", 0.02)];
        let report = compare(&request(files), &[], &[]).unwrap();
        let error = row(&report, "mean_coord_error", 1);
        assert_eq!(error.verdict, verdict, "{episodes}");
        assert_eq!(error.difference.ci.is_some(), episodes == 10);
    }
}

#[test]
fn hits_that_are_not_the_value_do_not_take_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let saying = |name: &str, value: f64, hits: u64| {
        let mut file = file(100, 200);
        file["metrics"]["click_hit_rate"] = json!(value);
        file["counts"] = json!({"click_hits": hits, "coord_errors": 20});
        write(folder.path(), name, &file)
    };
    // The first is as its file has rounded it.
    let files = vec![
        saying("base.json", 0.8496, 17),
        saying("tuned.json", 0.85, 5),
    ];
    let report = compare(&request(files), &[], &[]).unwrap();
    let row = row(&report, "click_hit_rate", 1);
    assert_eq!([row.a.value, row.b.value], [Some(0.8496), Some(0.85)]);
    assert_eq!([row.a.ci.is_some(), row.b.ci.is_some()], [true, false]);
    let said: Vec<&String> = report
        .notes
        .iter()
        .filter(|note| note.contains("5 of 20"))
        .collect();
    assert_eq!(said.len(), 1, "{:?}", report.notes);
    assert!(
        said[0].starts_with("tuned: click_hit_rate is 0.85"),
        "{}",
        said[0]
    );
}

#[test]
fn how_many_episodes_can_show_anything() {
    // C(6, 3) = 20, C(7, 3) = 35, C(8, 4) = 70, C(40, 1) = 40, C(41, 2) = 820.
    for (n, m, can) in [
        (0, 1000, false),
        (1, 1, false),
        (3, 3, false),
        (3, 4, false),
        (4, 4, true),
        (39, 1, true),
        (1, 38, false),
        (2, 39, true),
        (u64::MAX / 2, 32, true),
    ] {
        assert_eq!(can_show(n, m, 0.05), can, "{n} and {m}");
        assert_eq!(can_show(m, n, 0.05), can, "{m} and {n}");
    }
    assert!(!can_show(4, 4, 0.01));
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
    let report = compare(&request(files.clone()), &[], &[]).unwrap();
    assert_eq!(report.sides[0].run, "base");
    assert_eq!(report.sides[1].subject.as_deref(), Some("b"));
    let accuracy = row(&report, "action_type_accuracy", 1);
    assert_eq!((accuracy.test, accuracy.p, accuracy.n), (None, None, 400));
    assert_eq!(
        (accuracy.verdict, accuracy.a.n, accuracy.b.n),
        (Finding::Better, 200, 200)
    );
    // 0.02 - 0.05, and both halves are the root of 0.01² and 0.005².
    let error = row(&report, "mean_coord_error", 1);
    assert_eq!(error.verdict, Finding::Better);
    let half = 0.01f64.hypot(0.005);
    let [lo, hi] = error.difference.ci.unwrap();
    assert!((lo + 0.03 + half).abs() < 1e-15 && (hi + 0.03 - half).abs() < 1e-15);
    let same = row(&report, "episode_success_rate", 1);
    assert!(same.primary);
    assert_eq!(same.verdict, Finding::NoDifference);
    let own = row(&report, "own", 1);
    assert_eq!(
        (own.difference.value, own.verdict),
        (Some(60.0), Finding::Undefined)
    );
    assert!(report.notes[0].contains("steps of one episode belong together"));
    assert!(report.metrics.iter().all(|row| row.metric != "num_steps"));
    assert_eq!(tables(&report)[0].rows.len(), report.metrics.len());
    // Intervals of files have the coverage they were made with, and no other.
    let mut sure = request(files);
    sure.confidence = 0.99;
    sure.metric = Some("mean_coord_error".to_owned());
    let report = compare(&sure, &[], &[]).unwrap();
    assert!(report.metrics[0].primary && report.metrics[0].difference.ci.is_none());
    assert!(report.is_worse(), "what decides cannot be told");
}

/// A file that has an interval of a rate knows more than its hits; one that has not is taken at
/// its hits, and that is said.
#[test]
fn an_interval_in_the_file_is_the_one_that_counts() {
    let folder = tempfile::tempdir().unwrap();
    let compared = |cis: [Option<[f64; 2]>; 2]| {
        let files = [("a.json", 100), ("b.json", 160)].into_iter().zip(cis);
        let files = files.map(|((name, hits), ci)| {
            let mut file = file(hits, 200);
            if let Some(ci) = ci {
                file["metrics"]["action_type_accuracy_ci"] = json!(ci);
            }
            file["metrics"]
                .as_object_mut()
                .unwrap()
                .remove("click_hit_rate");
            write(folder.path(), name, &file)
        });
        let report = compare(&request(files.collect()), &[], &[]).unwrap();
        let accuracy = row(&report, "action_type_accuracy", 1).clone();
        (accuracy, report.notes[0].contains("too confident"))
    };
    let (wide_a, wide_b) = ([0.3, 0.7], [0.55, 0.93]);
    let (found, too_confident) = compared([Some(wide_a), Some(wide_b)]);
    assert_eq!((found.a.ci, found.b.ci), (Some(wide_a), Some(wide_b)));
    // 0.3 less and more than the halves of both that look at each other.
    let [lo, hi] = found.difference.ci.unwrap();
    let expected = [0.3 - 0.25f64.hypot(0.2), 0.3 + 0.13f64.hypot(0.2)];
    assert!((lo - expected[0]).abs() < 1e-12 && (hi - expected[1]).abs() < 1e-12);
    assert_eq!(
        (found.verdict, too_confident),
        (Finding::NoDifference, false)
    );
    // Without intervals steps are all there is.
    let (plain, too_confident) = compared([None, None]);
    assert_eq!((plain.verdict, too_confident), (Finding::Better, true));
    let (half, too_confident) = compared([Some(wide_a), None]);
    assert_eq!((half.a.ci, half.b.ci), (Some(wide_a), plain.b.ci));
    assert!(too_confident);
    // An interval of hits alone says no more than they do, and they know any coverage.
    let rounded = |ci: Option<[f64; 2]>| ci.unwrap().map(|end| (1000.0 * end).round() / 1000.0);
    let (same, too_confident) = compared([Some(rounded(plain.a.ci)), Some(rounded(plain.b.ci))]);
    assert_eq!(same.difference.ci, plain.difference.ci);
    assert!(!too_confident);
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
    let report = compare(&request(files), &[], &[]).unwrap();
    let why = |at| {
        let clicks = row(&report, "click_hit_rate", at);
        assert_eq!(clicks.difference.value, None);
        assert_eq!(clicks.verdict, Finding::Undefined);
        clicks.difference.undefined.clone().unwrap()
    };
    assert_eq!(why(1), "b: not measured in som mode");
    assert_eq!(why(2), "c: the file does not have it");
    let accuracy = row(&report, "action_type_accuracy", 2);
    assert_eq!(
        (accuracy.verdict, accuracy.difference.value),
        (Finding::Undefined, Some(-0.25))
    );
    // Half of three episodes is no number of episodes.
    assert_eq!(
        row(&report, "episode_success_rate", 1).verdict,
        Finding::Undefined
    );
    let modes = "the modes differ (a: coord, b: som";
    assert!(report.notes.iter().any(|note| note.contains(modes)));
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains("NaN") && text.contains("\"verdict\":\"undefined\""));
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
    let mut request = request(vec![first, second]);
    let report = compare(&request, &[], &[]).unwrap();
    let success = row(&report, "episode_success_rate", 1);
    assert_eq!(
        (success.n, success.difference.value, success.test),
        (40, Some(0.25), Some("mcnemar mid-p"))
    );
    // All ten episodes that differ fall to one side: 2 / 2^10, of the extreme case itself half.
    assert_eq!(success.p, Some(1.0 / 1024.0));
    assert_eq!(success.verdict, Finding::Better);
    let [lo, hi] = success.difference.ci.unwrap();
    assert!(lo > 0.05 && lo < 0.25 && hi > 0.25 && hi < 0.45);
    assert_eq!(report.items.common, 40);
    assert_eq!(report.items.left_out, ["e040", "e041"]);
    for (metric, verdict) in [
        ("mean_coord_error", Finding::NoDifference),
        ("element_accuracy", Finding::Undefined),
    ] {
        assert_eq!(row(&report, metric, 1).verdict, verdict, "{metric}");
    }
    assert!(report.notes.is_empty(), "{:?}", report.notes);
    request.runs.reverse();
    let back = compare(&request, &[], &[]).unwrap();
    assert_eq!(
        row(&back, "episode_success_rate", 1).verdict,
        Finding::Worse
    );
}

#[test]
fn repeats_of_an_episode_are_one_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let one = episodes(folder.path(), "a.jsonl", 0..6, |_| 1);
    let again = fs::read_to_string(&one).unwrap();
    let later = again.replace("\"n_steps\"", "\"epoch\":2,\"n_steps\"");
    fs::write(&one, format!("{again}\n{later}")).unwrap();
    let labels = ["x".to_owned(), "y".to_owned()];
    let report = compare(&request(vec![one.clone(), one]), &labels, &[]).unwrap();
    let success = row(&report, "episode_success_rate", 1);
    assert_eq!((success.n, success.clusters), (12, 6));
}

#[test]
fn details_beside_eval_files_pair_them() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = ["a.json", "b.json"]
        .iter()
        .map(|name| write(folder.path(), name, &file(100, 200)))
        .collect();
    let labels = ["A".to_owned(), "B".to_owned()];
    let mut details = vec![
        episodes(folder.path(), "a.jsonl", 0..10, |_| 1),
        episodes(folder.path(), "b.jsonl", 20..30, |_| 1),
    ];
    let report = compare(&request(files.clone()), &labels, &details).unwrap();
    let note = "no episode in common";
    assert!(report.notes.iter().any(|found| found.contains(note)));
    assert_eq!(row(&report, "action_type_accuracy", 1).p, None);
    assert_eq!((report.items.common, report.items.only_b), (0, 10));
    details[1] = episodes(folder.path(), "c.jsonl", 0..12, |_| 1);
    let report = compare(&request(files), &labels, &details).unwrap();
    assert_eq!(row(&report, "action_type_accuracy", 1).n, 10);
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
    let fails = |files: &[&PathBuf], labels: &[&str], details: &[PathBuf]| {
        let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        let files = files.iter().map(|&file| file.clone()).collect();
        let error = compare(&request(files), &labels, details).unwrap_err();
        assert_eq!(error.exit_code().code(), 2);
        error.to_string()
    };
    for (error, why) in [
        (fails(&[&good], &[], &[]), "two files or more"),
        (
            fails(&[&good, &bad], &[], &[]),
            "b.json:1: out_of_range: /metrics/click_hit_rate: 1.2 is above",
        ),
        (fails(&[&good, &twice], &[], &[]), "\"e000\" stands twice"),
        (
            fails(&[&good, &good], &["x", "x"], &[]),
            "two files have the label \"x\"",
        ),
        (fails(&[&good, &good], &["x"], &[]), "1 labels for 2 files"),
        (
            fails(&[&good, &good], &["x", "y"], std::slice::from_ref(&good)),
            "each needs its own",
        ),
        // The same file twice can be told apart by nothing but its place.
        (fails(&[&good, &good], &[], &[]), "label"),
    ] {
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn what_is_left_out_is_named_with_its_data_set_and_its_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let line = |dataset: &str, epoch: u64| {
        json!({"episode_id": "e", "dataset": dataset, "epoch": epoch, "n_steps": 1,
            "type_matches": 1, "full_steps": 1, "missing_steps": 0, "extra_steps": 0,
            "progress": 1.0, "step_score": 1.0, "success": true, "weak_success": null,
            "state_success": null, "coord_error_sum": null, "coord_error_count": 0,
            "click_hits": 0, "bbox_targets": 0, "bbox_hits": 0, "element_targets": 0,
            "element_hits": 0, "steps": []})
        .to_string()
    };
    let file = |name: &str, lines: &[String]| {
        let path = folder.path().join(name);
        fs::write(&path, lines.join("\n")).unwrap();
        path
    };
    let a1 = file("a1", &[line("A", 1), line("A", 2)]);
    let b1 = file("b1", &[line("B", 1)]);
    let both = file("both", &[line("A", 1), line("B", 1)]);
    for (files, common, left_out) in [
        // Of one data set on each side the name does not matter.
        ([&a1, &b1], 1, vec!["e (epoch 2)"]),
        ([&both, &b1], 1, vec!["e of A"]),
    ] {
        let files = files.map(PathBuf::clone).to_vec();
        let report = compare(&request(files), &[], &[]).unwrap();
        assert_eq!(report.items.common, common);
        assert_eq!(report.items.left_out, left_out);
    }
}

#[test]
fn a_share_has_no_interval_beyond_it() {
    let folder = tempfile::tempdir().unwrap();
    let a = episodes(folder.path(), "a", 0..3, |id| 2 * (id % 2));
    let b = episodes(folder.path(), "b", 0..3, |id| 2 - id / 2);
    let report = compare(&request(vec![a, b]), &[], &[]).unwrap();
    let found = row(&report, "mean_episode_progress", 1);
    assert_eq!(found.a.ci.unwrap(), [0.0, 1.0]);
    assert_eq!(found.b.ci.unwrap()[1], 1.0);
}

#[test]
fn counts_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let counted = |name: &str| {
        let mut counted = file(3, 10);
        counted["metrics"]["extra_steps"] = json!(4);
        write(folder.path(), name, &counted)
    };
    let report = compare(&request(vec![counted("c"), counted("d")]), &[], &[]).unwrap();
    assert!(report.metrics.iter().all(|row| row.metric != "extra_steps"));
}

#[test]
fn of_sides_that_differ_alike_everywhere_there_is_no_design_effect() {
    let folder = tempfile::tempdir().unwrap();
    let with_cluster = |name: &str, add: f64| {
        let lines = [0.1, 0.7, 0.35, 0.55, 0.15, 0.45].iter().enumerate();
        let lines = lines.map(|(id, progress)| {
            json!({"episode_id": format!("e{id}"), "cluster": format!("c{}", id / 2),
                "n_steps": 3, "type_matches": 1, "full_steps": 1, "missing_steps": 0,
                "extra_steps": 0, "progress": progress + add, "step_score": 0.3, "success": false,
                "weak_success": null, "state_success": null, "coord_error_sum": null,
                "coord_error_count": 0, "click_hits": 0, "bbox_targets": 0, "bbox_hits": 0,
                "element_targets": 0, "element_hits": 0, "steps": []})
            .to_string()
        });
        let path = folder.path().join(name);
        fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
        path
    };
    let files = vec![with_cluster("a", 0.0), with_cluster("b", 0.2)];
    let report = compare(&request(files), &[], &[]).unwrap();
    let difference = &row(&report, "mean_episode_progress", 1).difference;
    assert_eq!((difference.se, difference.design_effect), (Some(0.0), None));
}

#[test]
fn where_there_is_no_interval_its_coverage_is_no_reason() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a", "b"].map(|name| {
        let mut bare = file(3, 10);
        let metrics = bare["metrics"].as_object_mut().unwrap();
        metrics.remove("mean_coord_error_ci");
        write(folder.path(), name, &bare)
    });
    let mut asked = request(files.to_vec());
    asked.confidence = 0.9;
    let report = compare(&asked, &[], &[]).unwrap();
    let found = row(&report, "mean_coord_error", 1);
    let why = found.a.ci_undefined.as_deref().unwrap();
    assert!(
        why.starts_with("no number of items and no interval"),
        "{why}"
    );
}
