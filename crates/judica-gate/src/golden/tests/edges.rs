//! Nothing to count, and too much of it.

use super::*;

#[test]
fn nothing_to_count_is_undefined_and_fails_unless_allowed() {
    let dir = Dir::new(&json!([query("q", &[], true)]));
    dir.run("a", &output("q"));
    for allow_undefined in [false, true] {
        let request = GoldenRequest {
            allow_undefined,
            ..dir.request()
        };
        let report = super::evaluate(&request, &AtomicBool::new(false)).unwrap();
        assert_eq!(report.gates_pass, allow_undefined);
        assert_eq!(report.status, if allow_undefined { "PASS" } else { "FAIL" });
        let vacuous = report.gates.iter().filter(|gate| gate.vacuous).count();
        assert_eq!(vacuous, 4, "all but whether runs can be read");
        let report = serde_json::to_value(&report).unwrap();
        assert_eq!(
            report["metrics"]["manifest_integrity"],
            json!({"numerator": 0, "denominator": 0, "value": null, "undefined": "no steps"})
        );
    }
}

/// What the queries do not ask for need not be there; what runs ought to have must.
#[test]
fn a_denominator_is_rightly_empty_where_the_queries_ask_for_nothing() {
    let failing_of = |queries: Value, stop_reason: &str| {
        let dir = Dir::new(&queries);
        let mut run = output("q");
        run["stop_reason"] = json!(stop_reason);
        dir.run("a", &run);
        let report = dir.report();
        let failing = failing(&report).into_iter();
        failing.map(str::to_owned).collect::<Vec<_>>()
    };
    // Nothing is required, and abstaining is not asked for: but somebody should have claimed
    // something, and steps are never missing rightly.
    assert_eq!(
        failing_of(json!([query("q", &[], true)]), "ANSWERED"),
        ["evidence_coverage_rate", "manifest_integrity"]
    );
    // Nobody is to claim anything where there is no evidence.
    assert_eq!(
        failing_of(json!([query("q", &[], false)]), "NO_EVIDENCE"),
        ["manifest_integrity"]
    );
}

#[test]
fn a_folder_without_runs_lets_nothing_through() {
    let dir = Dir::new(&json!([query("q", &[], true)]));
    let request = GoldenRequest {
        allow_undefined: true,
        ..dir.request()
    };
    let report = super::evaluate(&request, &AtomicBool::new(false)).unwrap();
    assert!(!report.gates_pass);
    let failed: Vec<_> = report.gates.iter().filter(|gate| !gate.pass).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].name, "well_formed_runs");
    assert_eq!(failed[0].note.as_deref(), Some("no runs"));
}

#[test]
fn a_folder_without_runs() {
    let dir = Dir::new(&json!([query("q", &["e"], false)]));
    let report = dir.report();
    assert_eq!(ratio(&report, "golden_recall"), (0, 1));
    assert_eq!(ratio(&report, "abstention_accuracy"), (0, 1));
    assert_eq!(
        failing(&report),
        [
            "golden_recall",
            "abstention_accuracy",
            "manifest_integrity",
            "well_formed_runs"
        ]
    );
    // Without sufficient evidence nobody is to claim anything.
    assert_eq!(report["gates"][0]["vacuous"], true);
    assert_eq!(report["gates"][4]["vacuous"], true);
    assert!(
        report["notes"]
            .to_string()
            .contains("the folder holds no runs")
    );
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let dir = Dir::new(&json!([query("q", &[], true)]));
    for name in ["a", "b", "c"] {
        let mut run = output("q");
        run["steps"] = (0..4_000).map(|id| json!({"id": id})).collect();
        dir.run(name, &run);
    }
    let report = dir.report();
    assert_eq!(ratio(&report, "manifest_integrity"), (0, 12_000));
    let steps = report["offenders"]["steps"].as_array().unwrap();
    assert_eq!(
        (steps.len(), &steps[9_999]["step"]),
        (10_000, &json!("1999"))
    );
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("`offenders.steps` names the first 10000 of 12000"),
        "{notes}"
    );
}

#[test]
fn steps_come_from_one_place() {
    let dir = Dir::new(&json!([query("q", &[], true)]));
    let mut run = output("q");
    run["steps"] = json!([{"id": "s", "manifest": {"k": 1}}, {"id": "s", "manifest": [1]}]);
    dir.run("a", &run);
    dir.write("a/events.jsonl", "{\"type\": \"step\", \"id\": 1}");
    dir.run("b", &output("q"));
    dir.write("b/events.jsonl", "{\"type\": \"step\", \"step_id\": 7}");
    dir.write("b/manifests/7.json", "[]");
    let report = dir.report();
    assert_eq!(ratio(&report, "manifest_integrity"), (3, 3));
    assert_eq!(
        report["notes"],
        json!([
            "1 run has steps both in its output and in events.jsonl; those of the output count",
            "1 run uses a step id more than once; each record counts as a step",
            "1 run has the run_id of another; `file` tells them apart",
        ])
    );
}
