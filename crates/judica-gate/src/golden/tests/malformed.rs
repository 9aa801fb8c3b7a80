//! Runs and queries that cannot be read.

use super::*;

#[test]
fn a_malformed_run_is_named_and_the_others_are_evaluated() {
    let dir = Dir::new(&json!([query("q", &["e"], false), query("r", &[], true)]));
    let good = output("r");
    let with = |key: &str, value: Value| {
        let mut run = output("q");
        run[key] = value;
        run.to_string()
    };
    dir.write("a/notes.txt", "");
    dir.write("b.json", "");
    dir.write("c.json", "{\"objective\": \"q\"");
    dir.write("d.json", with("claims", json!([{"id": "c", "status": 1}])));
    dir.write(
        "e.json",
        with(
            "evidence",
            json!([{"id": "e", "quote": "1"}, {"id": "e", "quote": "2"}]),
        ),
    );
    dir.run(
        "f",
        &json!({"objective": "q", "claims": [], "evidence": []}),
    );
    dir.write(
        "f/events.jsonl",
        "{\"type\": \"step\", \"id\": \"s\"}\n{broken\n",
    );
    dir.run(
        "g",
        &json!({"objective": "q", "claims": [], "evidence": []}),
    );
    dir.write("g/events.jsonl", "{\"type\": \"step\"}");
    dir.write("h.json", b"{\"objective\": \"\xff\"}");
    dir.write("i.json", "[]");
    dir.write(
        "j.json",
        with("claims", json!([])).replace("\"q\"", "\"q\", \"claims\": []"),
    );
    dir.run("k", &good);
    let report = dir.report();
    let named: Vec<String> = report["malformed_runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| format!("{}: {}", run["file"].as_str().unwrap(), what(run)))
        .collect();
    assert_eq!(
        named,
        [
            "a/output.json: no such file",
            "b.json: not JSON: EOF while parsing a value",
            "c.json: not JSON: EOF while parsing an object",
            "d.json: /claims/0/status must be a string",
            "e.json: /evidence/1 has the id of /evidence/0, \"e\", and other content",
            "f/events.jsonl: line 2: not a JSON object: key must be a string",
            "g/events.jsonl: line 1: a step's id must be a string or an integer",
            "h.json: not UTF-8: invalid utf-8 sequence of 1 bytes from index 15",
            "i.json: must be an object",
            "j.json: duplicate field `claims`",
        ]
    );
    assert_eq!(
        failing(&report),
        [
            // The one run that can be read claims nothing and records no step.
            "evidence_coverage_rate",
            "golden_recall",
            "abstention_accuracy",
            "manifest_integrity",
            "well_formed_runs"
        ]
    );
    // Known to answer q: d, e, f, g and j. None abstained, none found its evidence.
    assert_eq!(ratio(&report, "abstention_accuracy"), (0, 5));
    assert_eq!(
        report["offenders"]["evidence"][0]["problem"],
        "malformed_run"
    );
    assert_eq!(
        report["offenders"]["abstentions"][0]["problem"],
        "malformed_run"
    );
    assert_eq!(report["missing_runs"], json!([]));
    assert_eq!(report["unmatched_runs"], json!([]));
    let rows = report["per_run"].as_array().unwrap();
    assert_eq!(rows.len(), 11);
    for row in &rows[..10] {
        assert_eq!(row["gates_failed"].as_array().unwrap().len(), 4);
        assert_eq!(row["claims"], json!(null));
    }
    assert_eq!(rows[10]["gates_failed"], json!([]));
    assert_eq!(rows[3]["run_id"], "run of q");
    assert_eq!(rows[1]["run_id"], "b");
}

/// A reason without the line and column, which are of the text and not of what is wrong.
fn what(run: &Value) -> &str {
    let reason = run["reason"].as_str().unwrap();
    reason.split(" at line").next().unwrap()
}

#[test]
fn a_run_that_can_be_read_makes_up_for_one_that_cannot() {
    let dir = Dir::new(&json!([query("q", &["e"], true)]));
    let mut run = output("q");
    run["evidence"] = json!([{"id": "e", "quote": "words", "provenance": "p"}]);
    dir.run("a", &run);
    run["claims"] = json!(7);
    dir.run("b", &run);
    let report = dir.report();
    assert_eq!(ratio(&report, "golden_recall"), (1, 1));
    assert!(!failing(&report).contains(&"golden_recall"));
    assert!(failing(&report).contains(&"well_formed_runs"));
    assert_eq!(report["gates"][4]["value"], 1.0);
}

#[test]
fn without_queries_there_is_no_evaluation() {
    let dir = Dir::new(&json!([query("q", &[], true)]));
    let error = |request: &GoldenRequest| {
        let error = super::evaluate(request, &AtomicBool::new(false)).unwrap_err();
        assert_eq!(error.exit_code().code(), 3);
        error.to_string()
    };
    let mut request = dir.request();
    request.golden = dir.path("none.json");
    assert!(error(&request).ends_with("none.json: no such file"));
    request.golden = dir.path("runs");
    assert!(error(&request).ends_with("runs: is a folder, a file is needed"));
    fs::write(dir.path("golden.json"), "[{}]").unwrap();
    assert!(error(&dir.request()).ends_with("golden.json: /0/objective is missing"));
    fs::write(dir.path("golden.json.gz"), "").unwrap();
    request.golden = dir.path("golden.json.gz");
    assert!(error(&request).contains("cut short"));
}

#[test]
fn the_user_can_stop_it() {
    let dir = Dir::new(&json!([query("q", &[], true)]));
    dir.run("a", &output("q"));
    let stopped = super::evaluate(&dir.request(), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(WorkError::Interrupted)));
}

#[cfg(unix)]
#[test]
fn a_link_is_no_output() {
    use std::os::unix::fs::symlink;
    let dir = Dir::new(&json!([query("q", &[], true)]));
    dir.run("a", &output("q"));
    fs::create_dir(dir.path("runs/b")).unwrap();
    symlink("../a/output.json", dir.path("runs/b/output.json")).unwrap();
    dir.run(
        "c",
        &json!({"objective": "q", "claims": [], "evidence": []}),
    );
    symlink("/dev/zero", dir.path("runs/c/events.jsonl")).unwrap();
    symlink("a", dir.path("runs/d")).unwrap();
    let report = dir.report();
    assert_eq!(
        report["skipped_links"],
        json!(["d", "b/output.json", "c/events.jsonl"])
    );
    let files: Vec<&Value> = report["malformed_runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["file"])
        .collect();
    assert_eq!(files, ["b/output.json", "c/events.jsonl"]);
    assert_eq!(report["runs"], 3);
}
