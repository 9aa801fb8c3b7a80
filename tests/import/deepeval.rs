//! Logs of DeepEval.

use crate::import::shown::{log, records, verdicts};
use crate::support::Place;

const RUN: &str = r#"{"testRunData": {"testCases": [
    {"name": "a", "input": "q0", "actualOutput": "out", "expectedOutput": "gold", "success": true, "order": 0, "completionTime": 0.5, "tokenCost": 0.25, "metricsData": [{"name": "Exact", "success": true, "score": 1.0, "reason": "same"}, {"name": "score", "success": true, "score": 0.5}]},
    {"name": "b", "input": "q1", "actualOutput": "x", "success": false, "order": 1, "metricsData": [{"name": "Exact", "success": false, "error": "ValueError: boom"}, {"name": "score", "success": false, "score": 0.0}]}],
  "conversationalTestCases": [],
  "metricsScores": [{"metric": "Exact", "scores": [1.0], "passes": 1, "fails": 0, "errors": 1}, {"metric": "score", "scores": [0.5, 0.0], "passes": 1, "fails": 1, "errors": 0}],
  "hyperparameters": {"model": "m1"}, "testPassed": 1, "testFailed": 2}}"#;

/// A test run of one metric, which passes up to its threshold, and of a second that does not.
fn hallucinating(scores: [f64; 3]) -> String {
    let case = |(order, score): (usize, &f64)| {
        let (passed, other) = (*score <= 0.5, order == 0);
        let success = passed && other;
        format!(
            r#"{{"order": {order}, "success": {success}, "metricsData": [
                {{"name": "Hallucination", "threshold": 0.5, "score": {score}, "success": {passed}}},
                {{"name": "Other", "threshold": 0.5, "score": {}, "success": {other}}}]}}"#,
            f64::from(u8::from(other))
        )
    };
    let cases: Vec<String> = scores.iter().enumerate().map(case).collect();
    let cases = cases.join(",");
    format!(r#"{{"testCases": [{cases}], "hyperparameters": {{"model": "m"}}}}"#)
}

#[test]
fn a_case_passes_where_its_log_says_so_and_less_is_better_where_less_passes() {
    let place = Place::new();
    for (name, scores, expected) in [
        ("good", [0.25, 0.0, 0.0], ["pass", "fail", "fail"]),
        ("bad", [0.75, 1.0, 1.0], ["fail", "fail", "fail"]),
    ] {
        place.write(&format!("{name}/test_run.json"), hallucinating(scores));
        place
            .judica(&format!("import {name} --run {name}-run"))
            .exits(0);
        let run = format!("{name}-run");
        let expected =
            (0..3).map(|at| format!("default {at} 1 m {} {:?}", expected[at], scores[at]));
        let found = records(&place, &run, &["Hallucination"]);
        assert_eq!(found, expected.collect::<Vec<_>>());
        let metrics = &place.json(&format!("{run}/manifest.json"))["metrics"];
        assert_eq!(metrics[0]["direction"], "lower");
        assert_eq!(metrics[1]["direction"], "higher");
    }
}

#[test]
fn a_failed_metric_is_an_error_and_no_zero() {
    let place = Place::new();
    place.write(".deepeval/.latest_test_run.json", RUN);
    let ran = place.judica("import .deepeval --run run").exits(0);
    ran.complains(&["testFailed is 2 in the log and 1 by its samples"]);
    let columns = [
        "Exact",
        "score_scorer",
        "success",
        "latency_ms",
        "usd",
        "target",
    ];
    assert_eq!(
        records(&place, "run", &columns),
        [
            "default 0 1 m1 pass 1.0 0.5 true 500.0 0.25 gold",
            "default 1 1 m1 error - 0.0 false - - -",
        ]
    );
    let mut verdicts = verdicts(&place, "run");
    assert_eq!(
        verdicts.pop().as_deref(),
        Some("success - testFailed different")
    );
    assert_eq!(verdicts.len(), 9);
    assert!(
        verdicts.iter().all(|line| line.ends_with(" equal")),
        "{verdicts:?}"
    );
    assert_eq!(log(&place, "run")["harness"], "deepeval");
    place
        .judica("show run 1")
        .exits(0)
        .says(&["Exact: ValueError: boom"]);
}
