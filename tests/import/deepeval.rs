//! Logs of DeepEval.

use crate::import::shown::{log, records, verdicts};
use crate::support::Place;

const RUN: &str = r#"{"testRunData": {"testCases": [
    {"name": "a", "input": "q0", "actualOutput": "out", "expectedOutput": "gold", "success": true, "order": 0, "completionTime": 0.5, "tokenCost": 0.25, "metricsData": [{"name": "Exact", "success": true, "score": 1.0, "reason": "same"}, {"name": "score", "success": true, "score": 0.5}]},
    {"name": "b", "input": "q1", "actualOutput": "x", "success": false, "order": 1, "metricsData": [{"name": "Exact", "success": false, "error": "ValueError: boom"}, {"name": "score", "success": false, "score": 0.0}]}],
  "conversationalTestCases": [],
  "metricsScores": [{"metric": "Exact", "scores": [1.0], "passes": 1, "fails": 0, "errors": 1}, {"metric": "score", "scores": [0.5, 0.0], "passes": 1, "fails": 1, "errors": 0}],
  "hyperparameters": {"model": "m1"}, "testPassed": 1, "testFailed": 2}}"#;

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
