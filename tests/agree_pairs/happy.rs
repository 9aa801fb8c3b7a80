//! The ordinary case: the keys of the reference scorer, and what stands beside them.

use serde_json::json;

use crate::agree_pairs::data::{PAIRS, TEN, gate, measured, merged, pair, report, ten, ten_tsv};
use crate::support::keys;

#[test]
fn the_keys_of_the_reference_scorer_come_first_with_its_meaning() {
    let place = merged(&ten());
    let ran = place.judica(&format!("{PAIRS} --json")).exits(1);
    let report = report(&ran);
    assert_eq!(
        keys(&report)[..7],
        [
            "n",
            "percent_agreement",
            "kappa",
            "abstain_rate",
            "disagreements",
            "gates",
            "pass"
        ]
    );
    assert_eq!(report["n"], 10);
    assert_eq!(report["percent_agreement"], 0.7);
    assert_eq!(report["kappa"], 0.5161);
    assert_eq!(report["abstain_rate"], 0.1);
    assert_eq!(report["disagreements"], 3);
    assert_eq!(
        report["gates"],
        json!({"pa": 0.9, "kappa": 0.75, "abstain": 0.02})
    );
    assert_eq!(report["pass"], false);
    assert_eq!(report["kappa_undefined"], false);
    assert_eq!(place.text("out/d.tsv"), ten_tsv());
}

#[test]
fn numbers_have_four_decimals_and_metrics_have_all() {
    // 2 of 3: a number that does not end.
    let report = measured(&[
        pair("a", "VALID", "VALID"),
        pair("b", "REJECT", "REJECT"),
        pair("c", "VALID", "REJECT"),
    ]);
    assert_eq!(report["percent_agreement"], 0.6667);
    // Chance is (2·1 + 1·2) / 9, so κ is (2/3 − 4/9) / (5/9).
    assert_eq!(report["kappa"], 0.4);
    assert_eq!(report["metrics"]["percent_agreement"]["value"], 2.0 / 3.0);
}

#[test]
fn beside_them_stand_the_matrix_the_rates_and_their_intervals() {
    let report = measured(&ten());
    assert_eq!(
        report["labels"],
        json!(["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"])
    );
    assert_eq!(
        report["confusion"],
        json!([[4, 0, 1, 0], [1, 2, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
    );
    let metrics = &report["metrics"];
    assert_eq!(metrics["scholar_abstain_rate"]["value"], 0.1);
    assert_eq!(metrics["auditor_abstain_rate"]["value"], 0.0);
    // Wilson's 95 % interval for 7 of 10.
    let [low, high] = [0, 1].map(|end| metrics["percent_agreement"]["ci"][end].as_f64());
    assert!(
        (low.expect("low") - 0.396_778_147_461_1).abs() < 1e-9,
        "{low:?}"
    );
    assert!(
        (high.expect("high") - 0.892_208_732_593_7).abs() < 1e-9,
        "{high:?}"
    );
    for name in [
        "percent_agreement",
        "kappa",
        "scholar_abstain_rate",
        "auditor_abstain_rate",
    ] {
        let metric = &metrics[name];
        assert_eq!(metric["n"], 10, "{name}");
        let value = metric["value"].as_f64().expect("a value");
        let ends = [0, 1].map(|end| metric["ci"][end].as_f64().expect("an end"));
        assert!(ends[0] <= value && value <= ends[1], "{name}: {metric}");
    }
    let error = metrics["kappa_standard_error"]["value"].as_f64();
    assert!(error.is_some_and(|error| error > 0.0 && error < 1.0));
}

#[test]
fn final_labels_are_counted_by_label_and_by_rule() {
    let report = measured(&ten());
    assert_eq!(report["final_labels"], json!({"VALID": 5, "REJECT": 5}));
    assert_eq!(
        report["final_why"],
        json!({"hard_flag": 0, "citation_out_of_scope": 0, "auditor_veto": 4, "auditor_ok": 5,
               "incoherent_pair": 1})
    );
}

#[test]
fn gates_have_the_one_shape() {
    let report = measured(&ten());
    for (name, metric, value, op, threshold, pass) in [
        ("pa", "percent_agreement", 0.7, ">=", 0.9, false),
        ("kappa", "kappa", 0.32 / 0.62, ">=", 0.75, false),
        ("abstain", "abstain_rate", 0.1, "<=", 0.02, false),
    ] {
        let gate = gate(&report, name);
        assert_eq!(keys(gate), crate::support::GATE_KEYS);
        assert_eq!(gate["metric"], metric);
        let found = gate["value"].as_f64().expect("a value");
        assert!((found - value).abs() < 1e-12, "{gate}");
        assert_eq!(
            (&gate["op"], &gate["threshold"]),
            (&json!(op), &json!(threshold))
        );
        assert_eq!(gate["pass"], pass);
        assert_eq!(
            (&gate["vacuous"], &gate["note"]),
            (&json!(false), &json!(null))
        );
    }
    assert_eq!(report["gates_pass"], false);
}

#[test]
fn thresholds_belong_to_the_passing_side_and_decide_the_exit_code() {
    let place = merged(&ten());
    for (gates, code) in [
        ("--pa-gate 0.7 --kappa-gate 0.5 --abstain-gate 0.1", 0),
        ("--pa_gate 0.7 --kappa_gate -1 --abstain_gate 1", 0),
        ("--pa-gate 0.71 --kappa-gate 0.5 --abstain-gate 0.1", 1),
        ("--pa-gate 0.7 --kappa-gate 0.52 --abstain-gate 0.1", 1),
        ("--pa-gate 0.7 --kappa-gate 0.5 --abstain-gate 0.09", 1),
        // 0.516129 is shown as 0.5161, and held against the threshold as it is.
        ("--pa-gate 0 --kappa-gate 0.51612 --abstain-gate 1", 0),
    ] {
        let ran = place.judica(&format!("{PAIRS} --json {gates}")).exits(code);
        let report = report(&ran);
        assert_eq!(report["pass"], code == 0, "{gates}");
        assert_eq!(report["gates_pass"], code == 0, "{gates}");
    }
}

#[test]
fn the_order_of_lines_changes_the_order_of_the_table_only() {
    let place = merged(&ten());
    let first = place.judica(&format!("{PAIRS} --json")).exits(1).stdout;
    let mut lines = ten();
    lines.reverse();
    let place = merged(&lines);
    let second = place.judica(&format!("{PAIRS} --json")).exits(1).stdout;
    assert_eq!(first, second);
    let table = place.text("out/d.tsv");
    let rows: Vec<&str> = table.lines().skip(1).map(|row| &row[..3]).collect();
    assert_eq!(rows, ["q07", "q05", "q02"]);
}

#[test]
fn every_pair_is_decided_in_the_order_of_the_file() {
    let place = merged(&ten());
    place
        .judica(&format!("{PAIRS} --arbitrated out/all.jsonl"))
        .exits(1);
    let decided = place.json_lines("out/all.jsonl");
    assert_eq!(decided.len(), 10);
    for (line, (qid, scholar, auditor)) in decided.iter().zip(TEN) {
        assert_eq!(
            keys(line),
            ["qid", "scholar", "auditor", "final", "why", "counted"]
        );
        assert_eq!(line["qid"], qid);
        assert_eq!(
            (&line["scholar"], &line["auditor"]),
            (&json!(scholar), &json!(auditor))
        );
        assert_eq!(line["counted"], true);
    }
    assert_eq!(place.names("out"), ["all.jsonl", "d.tsv"]);
}

#[test]
fn the_table_has_a_default_place() {
    let place = merged(&ten());
    place
        .judica("agree pairs --pairs p.jsonl --resamples 0")
        .exits(1)
        .says(&[
            "runs/consistency_disagreements.tsv",
            "inputs 10 = records 10 + rejects 0",
        ]);
    assert_eq!(place.text("runs/consistency_disagreements.tsv"), ten_tsv());
    assert_eq!(place.names("runs"), ["consistency_disagreements.tsv"]);
}
