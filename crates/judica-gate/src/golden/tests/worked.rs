//! A folder small enough to count by hand.

use super::*;

fn usable(id: &str) -> Value {
    json!({"id": id, "quote": "words", "provenance": "page 3"})
}

fn claim(id: &str, status: &str, cited: &[&str]) -> Value {
    json!({"id": id, "status": status, "evidence_ids": cited})
}

/// Three queries; two runs of the first, one of the second, none of the third, and one run
/// that nobody asked for.
fn folder() -> Dir {
    let mut third = query("gamma", &["g1"], false);
    third["id"] = json!("G");
    let dir = Dir::new(&json!([
        query("alpha", &["a1", "a2", "a3"], true),
        query("beta", &[], false),
        third,
    ]));
    let mut first = output(" alpha\n");
    first["run_id"] = json!("one");
    first["claims"] = json!([
        claim("c1", "verified", &["a1"]),
        claim("c2", "VERIFIED", &["a2", "lost"]),
        claim("c3", "open", &[]),
    ]);
    first["evidence"] = json!([usable("a1"), {"id": "a2", "quote": "words", "provenance": " "}]);
    first["steps"] = json!([{"id": "s1", "manifest": {"k": 1}}, {"id": "s2"}, {"id": "s3"}]);
    dir.run("1", &first);
    dir.write("1/manifests/s2.json", "{}");
    dir.write("1/manifests/s9.json", "{}");

    let mut second = output("alpha");
    second["run_id"] = json!("two");
    second["evidence"] = json!([{"id": "a3", "span": [0, 4], "provenance": {"url": "u"}}]);
    second["steps"] = json!(null);
    dir.run("2", &second);
    dir.write(
        "2/events.jsonl",
        "{\"type\": \"step\", \"id\": \"s1\", \"manifest\": {\"k\": 1}}\r\n\n{\"type\": \"end\"}\n",
    );

    let mut third = output("beta");
    third["claims"] = json!([claim("c1", "verified", &[])]);
    dir.write("3.json", third.to_string());

    let mut fourth = output("delta");
    fourth["steps"] = json!([{"id": 1, "manifest": "m.json"}]);
    dir.run("4", &fourth);
    dir.write("notes.txt", "not a run");
    dir
}

#[test]
fn counted_by_hand() {
    let report = folder().report();
    // Verified: c1 and c2 of run one, c1 of run three; usable evidence has c1 of run one.
    assert_eq!(ratio(&report, "evidence_coverage_rate"), (1, 3));
    // a1 from run one, a3 from run two; a2 is unusable; g1 has no run.
    assert_eq!(ratio(&report, "golden_recall"), (2, 4));
    // Beta verified a claim, gamma has no run.
    assert_eq!(ratio(&report, "abstention_accuracy"), (0, 2));
    // s1 and s2 of run one, s1 of run two, 1 of run four; s3 of run one has none.
    assert_eq!(ratio(&report, "manifest_integrity"), (4, 5));
    assert_eq!(report["metrics"]["golden_recall"]["value"], 0.5);
    assert_eq!(report["status"], "FAIL");
    assert_eq!(report["gates_pass"], false);
    assert_eq!(
        failing(&report),
        [
            "evidence_coverage_rate",
            "golden_recall",
            "abstention_accuracy",
            "manifest_integrity"
        ]
    );
    assert_eq!(
        (&report["queries"], &report["runs"]),
        (&json!(3), &json!(4))
    );
    assert_eq!(
        (&report["golden"], &report["outputs"]),
        (&json!("golden.json"), &json!("runs"))
    );
}

#[test]
fn every_offender_is_named() {
    let report = folder().report();
    let offenders = &report["offenders"];
    assert_eq!(
        offenders["claims"],
        json!([
            {"run_id": "one", "file": "1/output.json", "claim": "c2",
             "evidence_ids": ["a2", "lost"], "problem": "unusable_evidence"},
            {"run_id": "run of beta", "file": "3.json", "claim": "c1",
             "evidence_ids": [], "problem": "no_evidence_cited"},
        ])
    );
    assert_eq!(
        offenders["evidence"],
        json!([
            {"query": null, "objective": "alpha", "evidence_id": "a2", "problem": "unusable"},
            {"query": "G", "objective": "gamma", "evidence_id": "g1", "problem": "no_run"},
        ])
    );
    assert_eq!(
        offenders["abstentions"],
        json!([
            {"query": null, "objective": "beta", "run_id": "run of beta", "file": "3.json",
             "stop_reason": "NO_EVIDENCE", "verified": 1, "problem": "verified_claims"},
            {"query": "G", "objective": "gamma", "run_id": null, "file": null,
             "stop_reason": null, "verified": null, "problem": "no_run"},
        ])
    );
    assert_eq!(
        offenders["steps"],
        json!([{"run_id": "one", "file": "1/output.json", "step": "s3", "problem": "no_manifest"}])
    );
    assert_eq!(
        report["missing_runs"],
        json!([{"query": "G", "objective": "gamma"}])
    );
    assert_eq!(
        report["unmatched_runs"],
        json!([{"run_id": "run of delta", "file": "4/output.json", "objective": "delta",
                "reason": "no query asks this"}])
    );
    assert_eq!(
        report["unknown_evidence"],
        json!([{"run_id": "one", "file": "1/output.json", "claim": "c2", "evidence_id": "lost"}])
    );
    assert_eq!(
        report["stray_manifests"],
        json!([{"run_id": "one", "file": "1/manifests/s9.json"}])
    );
    assert_eq!(report["ignored"], json!(["notes.txt"]));
    assert_eq!(
        report["per_run"][0],
        json!({
            "run_id": "one", "file": "1/output.json", "objective": "alpha",
            "claims": 3, "verified": 2, "covered": 1, "required": 3, "found": 1,
            "abstained": false, "steps": 3, "with_manifest": 2,
            "gates_failed": ["evidence_coverage_rate", "golden_recall", "manifest_integrity"],
        })
    );
    assert_eq!(report["per_run"][3]["required"], json!(null));
    assert_eq!(report["per_run"][3]["gates_failed"], json!([]));
    assert_eq!(
        report["notes"],
        json!([
            "/2 is labelled as having no sufficient evidence, and yet requires some",
            "1 run records no steps",
        ])
    );
}

#[test]
fn tables_name_what_the_report_names() {
    let report = folder().evaluate();
    let tables = tables(&report);
    let titles: Vec<&str> = tables.iter().map(|table| table.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "FAIL: 4 runs, 3 golden queries",
            "Metrics",
            "Verified claims without usable evidence (2)",
            "Golden evidence that was not found (2)",
            "Runs that should have abstained (2)",
            "Steps without a manifest (1)",
            "Queries without a run (1)",
            "Runs of no query (1)",
            "Cited evidence that is not in the ledger (1)",
            "Manifests of no step (1)",
        ]
    );
    assert_eq!(tables[0].rows.len(), 5);
    assert!(tables.iter().all(|table| {
        table
            .rows
            .iter()
            .all(|row| row.len() == table.columns.len())
    }));
}

#[test]
fn threads_and_the_order_of_writing_change_nothing() {
    let report = |reversed: bool, threads: usize| {
        let dir = Dir::new(&json!([query("1", &["e"], true), query("2", &[], false)]));
        let mut names: Vec<u32> = (0..40).collect();
        if reversed {
            names.reverse();
        }
        for name in names {
            let mut run = output(&(name % 4).to_string());
            run["steps"] = json!([{"id": name, "manifest": {}}]);
            dir.run(&format!("run {name}"), &run);
        }
        let request = GoldenRequest {
            threads,
            ..dir.request()
        };
        let report = super::evaluate(&request, &AtomicBool::new(false)).unwrap();
        serde_json::to_string(&report).unwrap()
    };
    let first = report(false, 1);
    assert_eq!(first, report(true, 1));
    assert_eq!(first, report(true, 4));
}

#[test]
fn every_run_of_a_query_counts() {
    let dir = Dir::new(&json!([query("q", &["e1", "e2"], false)]));
    for (name, found, stop) in [("a", "e1", "NO_EVIDENCE"), ("b", "e2", "no_evidence")] {
        let mut run = output("q");
        run["evidence"] = json!([usable(found)]);
        run["stop_reason"] = json!(stop);
        dir.run(name, &run);
    }
    let report = dir.report();
    assert_eq!(ratio(&report, "golden_recall"), (2, 2));
    assert_eq!(ratio(&report, "abstention_accuracy"), (1, 2));
    assert_eq!(
        report["offenders"]["abstentions"][0]["problem"],
        "stop_reason"
    );
    // Each by itself found half, which is too little for one run.
    assert_eq!(
        report["per_run"][0]["gates_failed"],
        json!(["golden_recall"])
    );
}

#[test]
fn a_query_id_beats_the_objective() {
    let mut queries = [query("same", &["e"], true), query("same", &["f"], true)];
    queries[0]["id"] = json!("x");
    queries[1]["id"] = json!("y");
    let dir = Dir::new(&json!({"queries": queries}));
    let mut run = output("other words");
    run["golden_id"] = json!("y");
    run["evidence"] = json!([usable("f")]);
    dir.run("a", &run);
    dir.run("b", &output("same"));
    let report = dir.report();
    assert_eq!(ratio(&report, "golden_recall"), (1, 2));
    assert_eq!(
        report["missing_runs"],
        json!([{"query": "x", "objective": "same"}])
    );
    assert_eq!(report["unmatched_runs"][0]["file"], "b/output.json");
    // Formats that show nothing but gates tell of it, too.
    assert_eq!(report["gates"][4]["note"], "1 of 2 queries has no run");
    let dir = Dir::new(&json!([query("a", &[], true), query("b", &[], true)]));
    dir.run("a", &output("a"));
    assert_eq!(
        dir.report()["gates"][1]["note"],
        "no query requires evidence; 1 of 2 queries has no run"
    );
}
