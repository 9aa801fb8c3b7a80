//! Gates over what the program's own commands report.

use serde_json::json;

use crate::gate::data::{GOLDEN, failing, gate, gates_file, passing, report};
use crate::support::Place;

/// Ten pairs of labels, of which seven agree; κ is 0.32 / 0.62 = 0.516, worked out in
/// the tests of `agree pairs`.
pub fn pairs() -> Vec<String> {
    [
        ("VALID", "VALID"),
        ("VALID", "REJECT"),
        ("NOT_IN_CONTEXT", "NOT_IN_CONTEXT"),
        ("VALID", "VALID"),
        ("ABSTAIN", "VALID"),
        ("REJECT", "REJECT"),
        ("NOT_IN_CONTEXT", "VALID"),
        ("VALID", "VALID"),
        ("NOT_IN_CONTEXT", "NOT_IN_CONTEXT"),
        ("VALID", "VALID"),
    ]
    .iter()
    .enumerate()
    .map(|(at, (scholar, auditor))| {
        json!({"qid": format!("q{at}"), "scholar": {"label": scholar}, "auditor": {"label": auditor}}).to_string()
    })
    .collect()
}

/// A place with the report of `agree pairs` as `r.json`.
fn agreement() -> Place {
    let place = Place::new();
    place.write_lines("p.jsonl", &pairs());
    let ran = place.judica("agree pairs --pairs p.jsonl --tsv d.tsv --resamples 200 --json");
    place.write("r.json", ran.exits(1).stdout);
    place
}

#[test]
fn the_report_of_agree_pairs_can_be_gated() {
    let place = agreement();
    place.write(
        "g.toml",
        gates_file(&[
            "name = \"pa\"\nmetric = \"/percent_agreement\"\nop = \"==\"\nthreshold = 0.7",
            "name = \"kappa\"\nmetric = \"/metrics/kappa\"\nop = \"between\"\nthreshold = [0.51, 0.52]",
            "name = \"sure\"\nmetric = \"/metrics/kappa\"\nop = \"lower_bound_at_least\"\nthreshold = 0.5",
            "name = \"rejects\"\nmetric = \"/rejects\"\nop = \"==\"\nthreshold = 0",
        ]),
    );
    let ran = place.judica("gate check --report r.json --gates g.toml --json");
    let report = report(&ran.exits(1));
    // Ten pairs are too few to be sure of half.
    assert_eq!(failing(&report), ["sure"]);
    let note = gate(&report, "sure")["note"]
        .as_str()
        .expect("a note")
        .to_owned();
    assert!(note.contains("n 10") && note.contains("interval"), "{note}");
}

#[test]
fn a_report_may_come_from_standard_input() {
    let place = agreement();
    let gate = "name = \"n\"\nmetric = \"/n\"\nop = \"==\"\nthreshold = 10";
    place.write("g.toml", gates_file(&[gate]));
    let ran = place.judica_with_stdin(
        "gate check --report - --gates g.toml --json",
        place.read("r.json"),
    );
    assert_eq!(report(&ran.exits(0))["report"], "standard input");
    // A report that is its own baseline is never worse.
    let drop = "name = \"n\"\nmetric = \"/n\"\nmax_drop = 1";
    place.write("d.toml", gates_file(&[drop]));
    for twice in ["-", "/dev/stdin"] {
        let arguments = format!("gate check --report - --baseline {twice} --gates d.toml");
        let ran = place.judica_with_stdin(&arguments, place.read("r.json"));
        ran.exits(2).complains(&["standard input", "only once"]);
    }
    let packed = zstd::encode_all(&*place.read("r.json"), 1).expect("zstd");
    place.write("r.json.zst", packed);
    place
        .judica("gate check --report r.json.zst --gates g.toml")
        .exits(0);
}

#[test]
fn the_report_of_gate_golden_can_be_gated() {
    let place = passing();
    place.judica(&format!("{GOLDEN} --report r.json")).exits(0);
    let recall =
        "name = \"recall\"\nmetric = \"/metrics/golden_recall\"\nop = \"==\"\nthreshold = 1";
    let steps = "name = \"steps\"\nmetric = \"/metrics/manifest_integrity/denominator\"\nop = \">=\"\nthreshold = 3";
    place.write("g.toml", gates_file(&[recall, steps]));
    let ran = place.judica("gate check --report r.json --gates g.toml --json");
    assert_eq!(failing(&report(&ran.exits(1))), ["steps"]);
}

#[test]
fn the_report_of_a_check_can_be_gated_by_its_gates() {
    let place = agreement();
    let gate = "name = \"n\"\nmetric = \"/n\"\nop = \"==\"\nthreshold = 10";
    place.write("g.toml", gates_file(&[gate]));
    place
        .judica("gate check --report r.json --gates g.toml --out c.json")
        .exits(0);
    let again = "name = \"again\"\nmetric = \"/gates/0/value\"\nop = \"==\"\nthreshold = 10";
    place.write("h.toml", gates_file(&[again]));
    place
        .judica("gate check --report c.json --gates h.toml")
        .exits(0);
}
