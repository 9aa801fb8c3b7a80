//! Thresholds by options and by a gates file.

use serde_json::json;

use crate::gate::data::{
    GOLDEN, bare_step, claim, each, evaluated, failing, gate, gates_file, golden, output, passing,
    query, report, step, with,
};
use crate::support::Place;

/// One query, one run: coverage 1/2, recall 1/2, manifests 1/2; nothing to abstain from.
fn halves() -> Place {
    let run = with(
        with(
            output("a", "known"),
            "claims",
            json!([
                claim("c1", "verified", &["e1"]),
                claim("c2", "verified", &[])
            ]),
        ),
        "steps",
        json!([step("s1"), bare_step("s2")]),
    );
    golden(&[query("known", &["e1", "e2"], true)], &[("a", run)])
}

#[test]
fn the_defaults_are_those_of_the_contract() {
    assert_eq!(
        failing(&evaluated(&halves(), 1)),
        [
            "evidence_coverage_rate",
            "golden_recall",
            "manifest_integrity"
        ]
    );
}

#[test]
fn every_threshold_has_its_option() {
    let place = halves();
    let all = "--min-coverage 0.5 --min-recall 0.5 --min-manifests 0.5 --min-abstention 0";
    let ran = place.judica(&format!("{GOLDEN} {all} --json")).exits(0);
    let passed = report(&ran);
    assert_eq!(gate(&passed, "manifest_integrity")["op"], ">=");
    assert_eq!(gate(&passed, "golden_recall")["threshold"], 0.5);
    for (option, name) in [
        ("--min-coverage 0.51", "evidence_coverage_rate"),
        ("--min-recall 0.51", "golden_recall"),
        ("--min-manifests 0.51", "manifest_integrity"),
    ] {
        let others: Vec<&str> = all.split_inclusive(' ').collect();
        let others: String = others
            .chunks(2)
            .filter(|pair| !option.starts_with(pair[0].trim()))
            .flatten()
            .copied()
            .collect();
        let ran = place.judica(&format!("{GOLDEN} {others} {option} --json"));
        assert_eq!(failing(&report(&ran.exits(1))), [name]);
    }
}

#[test]
fn thresholds_that_are_no_rates_are_refused() {
    for bad in ["1.5", "-0.1", "nan", "most"] {
        let ran = passing().judica(&format!("{GOLDEN} --min-recall={bad}"));
        ran.exits(2).complains(&["--min-recall"]);
    }
}

#[test]
fn a_gates_file_replaces_gates_by_name_and_adds_others() {
    let place = halves();
    place.write(
        "g.toml",
        gates_file(&[
            "name = \"golden_recall\"\nmetric = \"/metrics/golden_recall\"\nop = \">=\"\nthreshold = 0.4\n\
             note = \"until the index is rebuilt\"",
            "name = \"evidence_coverage_rate\"\nmetric = \"/metrics/evidence_coverage_rate\"\nop = \"between\"\n\
             threshold = [0.4, 0.6]",
            "name = \"few runs\"\nmetric = \"/runs\"\nop = \"<=\"\nthreshold = 1",
        ]),
    );
    let ran = place.judica(&format!("{GOLDEN} --gates g.toml --json"));
    let report = report(&ran.exits(1));
    assert_eq!(failing(&report), ["manifest_integrity"]);
    assert_eq!(
        each(&report["gates"], "name"),
        [
            "evidence_coverage_rate",
            "golden_recall",
            "abstention_accuracy",
            "manifest_integrity",
            "well_formed_runs",
            "few runs"
        ]
    );
    let recall = gate(&report, "golden_recall");
    assert_eq!(
        (&recall["threshold"], &recall["value"]),
        (&json!(0.4), &json!(0.5))
    );
    let note = recall["note"].as_str().expect("a note");
    assert!(note.contains("until the index is rebuilt"), "{note}");
    // The gates file has the last word over an option, too.
    place
        .judica(&format!(
            "{GOLDEN} --gates g.toml --min-recall 1 --min-manifests 0.5"
        ))
        .exits(0);
}

#[test]
fn a_gates_file_can_fail_what_would_pass() {
    let place = passing();
    let bar = "name = \"sure\"\nmetric = \"/metrics/manifest_integrity\"\nop = \"lower_bound_at_least\"\n\
               threshold = 0.9";
    place.write("g.toml", gates_file(&[bar]));
    // Two of two steps: the interval goes far below 0.9.
    let ran = place.judica(&format!("{GOLDEN} --gates g.toml --json"));
    let report = report(&ran.exits(1));
    assert_eq!(failing(&report), ["sure"]);
    assert_eq!(report["status"], "FAIL");
    assert_eq!(report["gates_pass"], false);
}

#[test]
fn a_broken_gates_file_is_named_with_its_place() {
    let place = passing();
    let bad = "name = \"x\"\nmetric = \"/metrics/golden_recal\"\nop = \">=\"\nthreshold = 1";
    place.write("g.toml", gates_file(&[bad]));
    place
        .judica(&format!("{GOLDEN} --gates g.toml --report out.json"))
        .exits(2)
        .complains(&["g.toml:5:10", "gate `x`", "`/metrics/golden_recall`"]);
    assert!(!place.path("out.json").exists());
    place
        .judica(&format!("{GOLDEN} --gates none.toml"))
        .exits(3);
}
