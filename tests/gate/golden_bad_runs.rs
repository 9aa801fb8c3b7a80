//! Runs that are wrong are named; the others are still evaluated.

use serde_json::{Value, json};

use crate::gate::data::{
    GOLDEN, abstained, claim, each, evaluated, evidence, failing, fractions, gate, golden, output,
    query, with,
};
use crate::support::Place;

/// Two good runs, and one that is what `text` says.
fn beside_good_runs(text: &[u8]) -> Place {
    let place = golden(
        &[
            query("known", &["e1"], true),
            query("asked", &["e9"], true),
            query("unknown", &[], false),
        ],
        &[
            ("a", output("a", "known")),
            ("z", abstained("z", "unknown")),
        ],
    );
    place.write("runs/bad/output.json", text);
    place
}

#[test]
fn malformed_runs_are_named_with_the_place_and_fail_their_gates() {
    let changed = |key: &str, value: Value| with(output("broken", "asked"), key, value).to_string();
    let without = |key: &str| {
        let mut run = output("broken", "asked");
        run.as_object_mut().expect("an object").remove(key);
        run.to_string()
    };
    for (text, reason) in [
        (String::new(), "not JSON"),
        ("{\"objective\": \"asked\"".to_owned(), "not JSON"),
        (format!("{} {{}}", output("broken", "asked")), "not JSON"),
        ("[]".to_owned(), "must be an object"),
        ("null".to_owned(), "must be an object"),
        (without("objective"), "/objective is missing"),
        (without("claims"), "/claims is missing"),
        (without("evidence"), "/evidence is missing"),
        (
            changed("objective", json!(7)),
            "/objective must be a string",
        ),
        (changed("claims", json!({})), "/claims must be an array"),
        (changed("claims", json!([1])), "/claims/0 must be an object"),
        (
            changed("claims", json!([claim("c", "open", &[]), {"id": "d"}])),
            "/claims/1/status is missing",
        ),
        (
            changed(
                "claims",
                json!([{"id": "c", "status": "verified", "evidence_ids": ["e", 1]}]),
            ),
            "/claims/0/evidence_ids must be an array of strings",
        ),
        (
            changed("evidence", json!([{"quote": "q"}])),
            "/evidence/0/id is missing",
        ),
        (
            changed("steps", json!([{"id": 1.5}])),
            "/steps/0/id must be",
        ),
        (changed("steps", json!("s1")), "/steps must be an array"),
        (
            changed("stop_reason", json!(3)),
            "/stop_reason must be a string",
        ),
    ] {
        let place = beside_good_runs(text.as_bytes());
        let report = evaluated(&place, 1);
        let malformed = report["malformed_runs"].as_array().expect("a list");
        assert_eq!(malformed.len(), 1, "{text}");
        assert_eq!(malformed[0]["file"], "bad/output.json");
        let told = malformed[0]["reason"].as_str().expect("a reason");
        assert!(told.contains(reason), "{told} instead of {reason}");
        assert_eq!(gate(&report, "well_formed_runs")["pass"], false);
        let run = &report["per_run"][1];
        assert_eq!(
            run["gates_failed"],
            json!([
                "evidence_coverage_rate",
                "golden_recall",
                "abstention_accuracy",
                "manifest_integrity"
            ])
        );
        assert_eq!(
            (&run["claims"], &run["steps"]),
            (&json!(null), &json!(null))
        );
        // The good runs count as if the other were not there; what it should have found
        // is not found.
        assert_eq!(fractions(&report), ["1/1", "1/2", "1/1", "2/2"], "{text}");
    }
}

#[test]
fn what_can_be_read_of_a_malformed_run_says_which_query_it_failed() {
    let place = beside_good_runs(
        with(output("broken", "asked"), "claims", json!(0))
            .to_string()
            .as_bytes(),
    );
    let report = evaluated(&place, 1);
    assert_eq!(each(&report["malformed_runs"], "run_id"), ["broken"]);
    assert_eq!(
        each(&report["offenders"]["evidence"], "problem"),
        ["malformed_run"]
    );
    assert_eq!(report["missing_runs"], json!([]));
    let place = beside_good_runs(b"{");
    let report = evaluated(&place, 1);
    assert_eq!(each(&report["malformed_runs"], "run_id"), ["bad"]);
    assert_eq!(
        each(&report["offenders"]["evidence"], "problem"),
        ["no_run"]
    );
    assert_eq!(each(&report["missing_runs"], "objective"), ["asked"]);
    place.judica(GOLDEN).exits(1).says(&[
        "Runs that cannot be read",
        "bad/output.json",
        "not JSON",
    ]);
}

#[test]
fn a_malformed_run_did_not_abstain() {
    let bad = with(abstained("b", "unknown"), "evidence", json!(null));
    let place = golden(&[query("unknown", &[], false)], &[("b", bad)]);
    let report = evaluated(&place, 1);
    assert_eq!(fractions(&report), ["0/0", "0/0", "0/1", "0/0"]);
    assert_eq!(
        each(&report["offenders"]["abstentions"], "problem"),
        ["malformed_run"]
    );
}

#[test]
fn bytes_that_are_no_text_and_files_cut_short_are_malformed() {
    for (bytes, reason) in [
        (&b"{\"objective\": \"\xff\"}"[..], "not UTF-8"),
        (&b"\x1f\x8b\x08\x00"[..], ""),
    ] {
        let report = evaluated(&beside_good_runs(bytes), 1);
        let told = report["malformed_runs"][0]["reason"]
            .as_str()
            .expect("a reason");
        assert!(told.contains(reason), "{told}");
        assert_eq!(report["runs"], 3);
    }
}

#[test]
fn a_folder_without_output_is_a_run_without_output() {
    let place = beside_good_runs(output("bad", "asked").to_string().as_bytes());
    place.write("runs/empty/log.txt", "killed");
    std::fs::create_dir_all(place.path("runs/odd/output.json")).expect("a folder");
    let report = evaluated(&place, 1);
    assert_eq!(
        each(&report["malformed_runs"], "file"),
        ["empty/output.json", "odd/output.json"]
    );
    assert_eq!(report["malformed_runs"][0]["reason"], "no such file");
}

#[test]
fn events_that_cannot_be_read_are_named_by_their_line() {
    for (line, reason) in [
        ("{\"type\": \"step\"", "line 2: not a JSON object"),
        ("[]", "line 2: not a JSON object"),
        ("{\"type\": \"step\"}", "line 2: a step's id"),
    ] {
        // Also where the steps of the output are those that would count.
        for steps in [json!(null), json!([{"id": "s1", "manifest": "m"}])] {
            let run = with(output("bad", "asked"), "steps", steps);
            let place = beside_good_runs(run.to_string().as_bytes());
            place.write_lines("runs/bad/events.jsonl", &["{\"type\": \"start\"}", line]);
            let report = evaluated(&place, 1);
            assert_eq!(
                each(&report["malformed_runs"], "file"),
                ["bad/events.jsonl"]
            );
            let told = report["malformed_runs"][0]["reason"]
                .as_str()
                .expect("a reason");
            assert!(told.contains(reason), "{told}");
        }
    }
    let place = beside_good_runs(output("bad", "asked").to_string().as_bytes());
    place.write("runs/bad/events.jsonl/x", "");
    let report = evaluated(&place, 1);
    assert_eq!(
        each(&report["malformed_runs"], "file"),
        ["bad/events.jsonl"]
    );
}

#[test]
fn an_id_with_two_contents_is_no_ledger() {
    let ledger = |second: Value| {
        let run = with(
            output("bad", "asked"),
            "evidence",
            json!([evidence("e1"), evidence("x"), second]),
        );
        beside_good_runs(run.to_string().as_bytes())
    };
    let report = evaluated(
        &ledger(with(evidence("e1"), "quote", json!("otherwise"))),
        1,
    );
    assert_eq!(
        report["malformed_runs"][0]["reason"],
        "/evidence/2 has the id of /evidence/0, \"e1\", and other content"
    );
    // The same record again is no contradiction, in whatever order its keys stand.
    let again = json!({"provenance": {"url": "file:doc"}, "quote": "as it says", "id": "e1"});
    let report = evaluated(&ledger(again), 1);
    assert_eq!(report["malformed_runs"], json!([]));
    assert_eq!(failing(&report), ["golden_recall"]);
}

#[test]
fn unknown_evidence_and_stray_manifests_are_named() {
    let claims = json!([
        claim("c1", "verified", &["e1"]),
        claim("c2", "open", &["e404"]),
    ]);
    let run = with(output("run one", "known"), "claims", claims);
    let place = golden(&[query("known", &["e1"], true)], &[("a", run)]);
    place.write("runs/a/manifests/s1.json", "{}");
    place.write("runs/a/manifests/s9.json", "{}");
    // Neither breaks a metric of the contract, and both are told.
    let report = evaluated(&place, 0);
    assert_eq!(
        report["unknown_evidence"],
        json!([{"run_id": "run one", "file": "a/output.json", "claim": "c2", "evidence_id": "e404"}])
    );
    assert_eq!(
        report["stray_manifests"],
        json!([{"run_id": "run one", "file": "a/manifests/s9.json"}])
    );
    place
        .judica(GOLDEN)
        .exits(0)
        .says(&["not in the ledger", "e404", "s9.json"]);
}

#[test]
fn text_of_runs_cannot_take_over_the_terminal() {
    let run = with(
        output("a\u{1b}[31m\u{202e}", "known"),
        "claims",
        json!([claim("c\r\n", "verified", &[])]),
    );
    let place = golden(&[query("known", &["e1"], true)], &[("a", run)]);
    let ran = place.judica(GOLDEN).exits(1);
    assert!(
        !ran.stdout.contains(['\u{1b}', '\u{202e}', '\r']),
        "{:?}",
        ran.stdout
    );
}

#[test]
fn nesting_without_end_is_no_quote_and_no_crash() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nest = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
        let deep = |run: Value| run.to_string().replace("\"as it says\"", &nest);
        let once = output("bad", "asked");
        let report = evaluated(&beside_good_runs(deep(once.clone()).as_bytes()), 1);
        assert_eq!(report["malformed_runs"], json!([]));
        assert_eq!(
            each(&report["offenders"]["claims"], "problem"),
            ["unusable_evidence"]
        );
        // Records of the same id would have to be compared, all the way down.
        let twice = with(once, "evidence", json!([evidence("e1"), evidence("e1")]));
        let report = evaluated(&beside_good_runs(deep(twice).as_bytes()), 1);
        assert_eq!(each(&report["malformed_runs"], "run_id"), ["bad"]);
    }
}
