//! Every layout of a folder of runs says the same.

use serde_json::{Value, json};

use crate::gate::data::{
    GOLDEN, abstained, each, evaluated, evidence, fractions, gate, golden, output, passing, query,
    report, step, with,
};
use crate::support::{Place, keys};

#[test]
fn good_runs_pass_and_the_report_says_so() {
    let place = passing();
    let ran = place.judica(GOLDEN).exits(0);
    let ran = ran.says(&["golden_recall", "manifest_integrity", "PASS"]);
    assert!(!ran.stdout.contains("FAIL"), "{}", ran.stdout);
    let ran = place
        .judica(&format!("{GOLDEN} --json --report out/gate.json"))
        .exits(0);
    let report = report(&ran);
    assert_eq!(place.json("out/gate.json"), report);
    assert_eq!(
        keys(&report)[..7],
        [
            "schema_version",
            "status",
            "golden",
            "outputs",
            "queries",
            "runs",
            "metrics"
        ]
    );
    assert_eq!(report["status"], "PASS");
    assert_eq!(report["gates_pass"], true);
    assert_eq!(
        (&report["queries"], &report["runs"]),
        (&json!(2), &json!(2))
    );
    // Names without folders: the report is the same wherever the runs lie.
    assert_eq!(report["golden"], "golden.json");
    assert_eq!(report["outputs"], "runs");
    assert_eq!(fractions(&report), ["1/1", "1/1", "1/1", "2/2"]);
    for (name, op, threshold) in [
        ("evidence_coverage_rate", ">=", 0.95),
        ("golden_recall", ">=", 0.8),
        ("abstention_accuracy", ">=", 0.9),
        ("manifest_integrity", "==", 1.0),
        ("well_formed_runs", "==", 0.0),
    ] {
        let gate = gate(&report, name);
        assert_eq!(keys(gate), crate::support::GATE_KEYS);
        assert_eq!(gate["op"], op, "{name}");
        assert_eq!(gate["threshold"], threshold, "{name}");
        assert_eq!(
            (&gate["pass"], &gate["vacuous"]),
            (&json!(true), &json!(false))
        );
    }
}

/// The same run in every layout there is.
#[test]
fn layouts_are_alike() {
    let steps = |with_manifests: bool| -> Vec<Value> {
        ["s1", "s2"]
            .map(|id| {
                if with_manifests {
                    step(id)
                } else {
                    json!({"id": id})
                }
            })
            .to_vec()
    };
    let without_steps = || {
        let mut run = output("a", "known");
        run.as_object_mut().expect("an object").remove("steps");
        run
    };
    let with_steps =
        |with_manifests| with(output("a", "known"), "steps", json!(steps(with_manifests)));
    let manifest_files = |place: &Place| {
        place.write("runs/a/manifests/s1.json", "{\"sources\": []}");
        place.write("runs/a/manifests/s2.json", "[]");
    };
    let event_lines = |with_manifests: bool| {
        let mut lines = vec![
            json!({"type": "tool", "id": [1]}).to_string(),
            String::new(),
        ];
        for mut step in steps(with_manifests) {
            step["type"] = json!("step");
            lines.push(step.to_string());
        }
        lines
    };
    type Layout<'a> = (&'a str, Box<dyn Fn(&Place) + 'a>);
    let layouts: [Layout; 8] = [
        (
            "steps and manifests inline, a folder",
            Box::new(|place| {
                place.write("runs/a/output.json", with_steps(true).to_string());
            }),
        ),
        (
            "a file",
            Box::new(|place| {
                place.write("runs/a.json", with_steps(true).to_string());
            }),
        ),
        (
            "manifests as files",
            Box::new(|place| {
                place.write("runs/a/output.json", with_steps(false).to_string());
                manifest_files(place);
            }),
        ),
        (
            "steps as events",
            Box::new(|place| {
                place.write("runs/a/output.json", without_steps().to_string());
                place.write_lines("runs/a/events.jsonl", &event_lines(true));
            }),
        ),
        (
            "steps as events, manifests as files",
            Box::new(|place| {
                place.write("runs/a/output.json", without_steps().to_string());
                place.write_lines("runs/a/events.jsonl", &event_lines(false));
                manifest_files(place);
            }),
        ),
        (
            "an empty list of steps, then events",
            Box::new(|place| {
                let run = with(output("a", "known"), "steps", json!([]));
                place.write("runs/a/output.json", run.to_string());
                place.write_lines("runs/a/events.jsonl", &event_lines(true));
            }),
        ),
        (
            "compressed",
            Box::new(|place| {
                let packed = zstd::encode_all(with_steps(true).to_string().as_bytes(), 1);
                place.write("runs/a/output.json.zst", packed.expect("zstd"));
            }),
        ),
        (
            "a byte order mark and CRLF",
            Box::new(|place| {
                let text = format!("\u{feff}{:#}\n", with_steps(true)).replace('\n', "\r\n");
                place.write("runs/a/output.json", text);
            }),
        ),
    ];
    for (name, write) in layouts {
        let place = golden(&[query("known", &["e1"], true)], &[]);
        write(&place);
        let report = evaluated(&place, 0);
        assert_eq!(fractions(&report), ["1/1", "1/1", "0/0", "2/2"], "{name}");
        assert_eq!(each(&report["per_run"], "run_id"), ["a"], "{name}");
        assert_eq!(report["malformed_runs"], json!([]), "{name}");
        assert_eq!(report["stray_manifests"], json!([]), "{name}");
    }
}

#[test]
fn queries_may_stand_in_an_object_and_runs_beside_each_other() {
    let place = Place::new();
    let queries = json!({"version": 3, "queries": [query("known", &["e1"], true)]});
    place.write("golden.json", queries.to_string());
    place.write("runs/a.json", output("one", "known").to_string());
    place.write("runs/a/output.json", output("two", " known\n").to_string());
    place.write("runs/notes.txt", "not a run");
    place.write("runs/.cache/output.json", "not a run either");
    let report = evaluated(&place, 0);
    assert_eq!(each(&report["per_run"], "run_id"), ["two", "one"]);
    assert_eq!(
        each(&report["per_run"], "file"),
        ["a/output.json", "a.json"]
    );
    assert_eq!(report["ignored"], json!([".cache", "notes.txt"]));
    assert_eq!(fractions(&report), ["2/2", "1/1", "0/0", "2/2"]);
}

#[test]
fn a_run_is_matched_by_query_id_before_its_objective() {
    let with_id = |id: &str, mut query: Value| {
        query["id"] = json!(id);
        query
    };
    let queries = [
        with_id("q1", query("same", &["e1"], true)),
        with_id("q2", query("same", &[], false)),
    ];
    let second = with(abstained("b", "same"), "query_id", json!("q2"));
    let first = with(output("a", "reworded"), "golden_id", json!("q1"));
    let lost = output("c", "same");
    let place = golden(&queries, &[("a", first), ("b", second), ("c", lost)]);
    let report = evaluated(&place, 0);
    assert_eq!(each(&report["unmatched_runs"], "run_id"), ["c"]);
    assert_eq!(report["missing_runs"], json!([]));
    // The run of no query still counts for coverage and manifests.
    assert_eq!(fractions(&report), ["2/2", "1/1", "1/1", "3/3"]);
}

#[test]
fn the_default_queries_are_those_of_the_seed() {
    let place = Place::new();
    let queries = json!([query("known", &["e1"], true)]);
    place.write("eval/golden_queries.json", queries.to_string());
    let run = with(output("a", "known"), "evidence", json!([evidence("e1")]));
    place.write("outputs/a.json", run.to_string());
    place.judica("gate golden --outputs ./outputs").exits(0);
}

/// What other writers call ids; if both are there, `id` counts.
#[test]
fn ids_may_be_called_by_what_they_are_ids_of() {
    let run = json!({
        "id": "mine", "objective": "known", "stop_reason": "DONE",
        "claims": [{"claim_id": "c1", "status": "verified", "evidence_ids": ["e1"]},
            {"claim_id": 2, "status": "verified"}],
        "evidence": [{"evidence_id": "e1", "quote": "q", "provenance": "p"}],
        "steps": [{"step_id": "s1", "manifest": {"k": 1}}, {"id": "s2", "step_id": "other"}],
    });
    let place = golden(&[query("known", &["e1"], true)], &[("a", run)]);
    let report = evaluated(&place, 1);
    assert_eq!(fractions(&report), ["1/2", "1/1", "0/0", "1/2"]);
    assert_eq!(each(&report["per_run"], "run_id"), ["mine"]);
    let offenders = &report["offenders"];
    assert_eq!(each(&offenders["claims"], "claim"), ["2"]);
    assert_eq!(each(&offenders["steps"], "step"), ["s2"]);
    assert_eq!(report["malformed_runs"], json!([]));
}

#[test]
fn the_only_json_file_of_a_folder_is_its_output_and_is_named() {
    let place = golden(&[query("known", &["e1"], true)], &[]);
    let run = output("a", "known").to_string();
    place.write("runs/a/research_output.json", &run);
    place.write("runs/a/notes.txt", "not JSON");
    place.write(
        "runs/a/events.jsonl",
        "{\"type\": \"step\", \"id\": \"unread\"}\n",
    );
    place.write("runs/a/manifests/s1.json", "{}");
    let report = evaluated(&place, 0);
    assert_eq!(report["per_run"][0]["file"], "a/research_output.json");
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("the only JSON file of a folder was taken: a/research_output.json"),
        "{notes}"
    );
    place
        .judica(GOLDEN)
        .exits(0)
        .says(&["a/research_output.json"]);
    // Of two nobody can tell, and with an output.json nobody needs to.
    place.write("runs/a/other.json", "{}");
    let report = evaluated(&place, 1);
    assert_eq!(report["malformed_runs"][0]["file"], "a/output.json");
    let reason = report["malformed_runs"][0]["reason"]
        .as_str()
        .expect("text");
    assert!(reason.contains("which of 2 other JSON files"), "{reason}");
    place.write("runs/a/output.json", &run);
    let report = evaluated(&place, 0);
    assert_eq!(report["per_run"][0]["file"], "a/output.json");
    assert!(!report["notes"].to_string().contains("only JSON file"));
}
