//! The four metrics, counted by hand.

use serde_json::json;

use crate::gate::data::{
    GOLDEN, abstained, bare_step, claim, each, evaluated, evidence, failing, fraction, fractions,
    golden, output, query, step, with,
};

#[test]
fn coverage_counts_verified_claims_that_cite_usable_evidence() {
    let ledger = json!([
        evidence("quoted"),
        {"id": "span", "span": [0, 4], "provenance": "doc"},
        {"id": "span object", "span": {"start": 3, "end": 9}, "provenance": ["doc"]},
        {"id": "blank quote", "quote": "  ", "provenance": "doc"},
        {"id": "no provenance", "quote": "q", "provenance": {}},
        {"id": "backwards", "span": [4, 4], "provenance": "doc"},
        {"id": "negative", "span": [-1, 4], "provenance": "doc"},
        {"id": "nothing"},
    ]);
    // Verified: 10, of which the first four are covered.
    let claims = json!([
        claim("1", "verified", &["quoted"]),
        claim("2", "VERIFIED", &["span"]),
        claim("3", "Verified", &["nothing", "span object"]),
        claim("4", "verified", &["lost", "quoted"]),
        claim("5", "verified", &["blank quote"]),
        claim("6", "verified", &["no provenance", "backwards"]),
        claim("7", "verified", &["negative"]),
        claim("8", "verified", &["lost"]),
        claim("9", "verified", &[]),
        {"id": "10", "status": "verified"},
        claim("open", "open", &["quoted"]),
        claim("refuted", "refuted", &[]),
    ]);
    let run = with(
        with(output("a", "known"), "evidence", ledger),
        "claims",
        claims,
    );
    let place = golden(&[query("known", &[], true)], &[("a", run)]);
    let report = evaluated(&place, 1);
    assert_eq!(fraction(&report, "evidence_coverage_rate"), "4/10");
    assert_eq!(report["metrics"]["evidence_coverage_rate"]["value"], 0.4);
    assert_eq!(failing(&report), ["evidence_coverage_rate"]);
    let offenders = &report["offenders"]["claims"];
    assert_eq!(each(offenders, "claim"), ["5", "6", "7", "8", "9", "10"]);
    assert_eq!(
        each(offenders, "problem"),
        [
            "unusable_evidence",
            "unusable_evidence",
            "unusable_evidence",
            "unknown_evidence",
            "no_evidence_cited",
            "no_evidence_cited"
        ]
    );
    // Both claims that cite it are named, the one that is covered otherwise too.
    assert_eq!(each(&report["unknown_evidence"], "claim"), ["4", "8"]);
    assert_eq!(
        each(&report["unknown_evidence"], "evidence_id"),
        ["lost", "lost"]
    );
    let run = &report["per_run"][0];
    assert_eq!(
        (&run["claims"], &run["verified"], &run["covered"]),
        (&json!(12), &json!(10), &json!(4))
    );
    assert_eq!(run["gates_failed"], json!(["evidence_coverage_rate"]));
}

#[test]
fn recall_counts_required_evidence_found_by_any_run_of_the_query() {
    // Required: e1, e2, e3 of the first (one twice, it counts once), e4 of the second and
    // e5 of a query without a run: 5. The two runs of the first find e1 and e2 together;
    // e3 stands there without a quote.
    let queries = [
        query("first", &["e1", "e2", "e3", "e1"], true),
        query("second", &["e4"], true),
        query("third", &["e5"], true),
    ];
    let with_ledger = |run: &str, objective: &str, ledger| {
        with(
            with(output(run, objective), "evidence", ledger),
            "claims",
            json!([]),
        )
    };
    let useless = json!({"id": "e3", "provenance": "doc"});
    let place = golden(
        &queries,
        &[
            (
                "a",
                with_ledger("a", "first", json!([evidence("e1"), useless])),
            ),
            ("b", with_ledger("b", "first", json!([evidence("e2")]))),
            // What another run found does not count here.
            ("c", with_ledger("c", "second", json!([evidence("e1")]))),
        ],
    );
    let report = evaluated(&place, 1);
    assert_eq!(fraction(&report, "golden_recall"), "2/5");
    // Nobody claimed anything here, although there is evidence.
    assert_eq!(
        failing(&report),
        ["evidence_coverage_rate", "golden_recall"]
    );
    let offenders = &report["offenders"]["evidence"];
    assert_eq!(each(offenders, "evidence_id"), ["e3", "e4", "e5"]);
    assert_eq!(
        each(offenders, "problem"),
        ["unusable", "missing", "no_run"]
    );
    assert_eq!(each(&report["missing_runs"], "objective"), ["third"]);
    let notes = report["notes"].to_string();
    assert!(notes.contains("more than once; it counts once"), "{notes}");
}

#[test]
fn abstention_counts_runs_that_stop_without_claims() {
    let queries = [
        query("none", &[], false),
        query("none either", &[], false),
        query("missing", &[], false),
        query("known", &[], true),
    ];
    let claiming = with(
        output("claims", "none"),
        "stop_reason",
        json!("NO_EVIDENCE"),
    );
    let other_reason = with(abstained("reason", "none"), "stop_reason", json!("BUDGET"));
    let no_reason = with(abstained("null", "none either"), "stop_reason", json!(null));
    let lower = with(
        abstained("lower", "none either"),
        "stop_reason",
        json!("no_evidence"),
    );
    let place = golden(
        &queries,
        &[
            ("a", abstained("good", "none")),
            ("b", claiming),
            ("c", other_reason),
            ("d", no_reason),
            ("e", lower),
            // Abstaining where there is evidence is not counted here.
            ("f", abstained("shy", "known")),
        ],
    );
    // Runs of queries without evidence: a to e, and the missing one: 6; only `a` is right.
    let report = evaluated(&place, 1);
    assert_eq!(fraction(&report, "abstention_accuracy"), "1/6");
    assert_eq!(failing(&report), ["abstention_accuracy"]);
    let offenders = &report["offenders"]["abstentions"];
    assert_eq!(
        each(offenders, "run_id"),
        ["claims", "reason", "null", "lower", "null"]
    );
    assert_eq!(
        each(offenders, "problem"),
        [
            "verified_claims",
            "stop_reason",
            "stop_reason",
            "stop_reason",
            "no_run"
        ]
    );
    assert_eq!(offenders[4]["run_id"], json!(null));
    assert_eq!(each(&report["missing_runs"], "objective"), ["missing"]);
}

#[test]
fn integrity_counts_steps_with_a_manifest() {
    let steps = json!([
        step("s1"),
        {"id": "s2", "manifest": "manifests/s2"},
        {"id": "s3", "manifest": ["doc"]},
        {"id": 4, "manifest": {}},
        {"id": "s5", "manifest": null},
        bare_step("s6"),
        bare_step("s7"),
        bare_step("../../outside"),
    ]);
    let run = with(output("a", "known"), "steps", steps);
    let place = golden(&[query("known", &[], true)], &[("a", run)]);
    place.write("outside.json", "{}");
    place.write("runs/a/manifests/4.json", "{\"from\": \"a file\"}");
    place.write("runs/a/manifests/s6.json", "{}");
    place.write("runs/a/manifests/s7.json", "{\"cut\": ");
    // s1, s2, s3 beside; 4 and s6 by their files.
    let report = evaluated(&place, 1);
    assert_eq!(fraction(&report, "manifest_integrity"), "5/8");
    assert_eq!(failing(&report), ["manifest_integrity"]);
    let offenders = &report["offenders"]["steps"];
    assert_eq!(each(offenders, "step"), ["s5", "s7", "../../outside"]);
    assert_eq!(
        each(offenders, "problem"),
        ["no_manifest", "not_json", "no_manifest"]
    );
}

#[test]
fn what_cannot_be_counted_is_undefined_and_not_a_number() {
    let empty = json!({"objective": "known", "claims": [], "evidence": [], "steps": []});
    let place = golden(&[query("known", &[], true)], &[("a", empty)]);
    let report = evaluated(&place, 1);
    assert_eq!(fractions(&report), ["0/0", "0/0", "0/0", "0/0"]);
    for metric in report["metrics"].as_object().expect("metrics").values() {
        assert_eq!(metric["value"], json!(null));
        assert!(metric["undefined"].is_string(), "{metric}");
    }
    assert_eq!(each(&report["per_run"], "run_id"), ["a"]);
    // Claims and steps ought to be there; evidence and abstaining were not asked for.
    assert_eq!(
        failing(&report),
        ["evidence_coverage_rate", "manifest_integrity"]
    );
    place.judica(GOLDEN).exits(1).says(&[
        "FAIL (undefined)",
        "pass (nothing to test)",
        "no query requires evidence",
    ]);
    place
        .judica(&format!("{GOLDEN} --allow-undefined"))
        .exits(0);
}

/// A denominator is rightly empty where the queries ask for nothing that it counts.
#[test]
fn what_the_queries_do_not_ask_for_passes_and_is_said() {
    let answered = output("a", "known");
    let place = golden(&[query("known", &["e1"], true)], &[("a", answered)]);
    let report = evaluated(&place, 0);
    let abstention = crate::gate::data::gate(&report, "abstention_accuracy");
    assert_eq!(
        (&abstention["pass"], &abstention["vacuous"]),
        (&json!(true), &json!(true))
    );
    assert!(
        abstention["note"]
            .to_string()
            .contains("no query is labelled")
    );
    // Only queries that nothing answers: then nothing is to be found, and nothing claimed.
    let abstained = json!({"objective": "open", "stop_reason": "NO_EVIDENCE", "claims": [],
        "evidence": [], "steps": [step("s1")]});
    let place = golden(&[query("open", &[], false)], &[("a", abstained)]);
    let report = evaluated(&place, 0);
    assert_eq!(fractions(&report), ["0/0", "0/0", "1/1", "1/1"]);
}
