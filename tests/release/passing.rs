//! A release whose steps all pass.

use serde_json::json;

use crate::release::data::{
    AGREE, GOLDEN, agree_with_gates, gate_names, gates, place, released, report, results,
};
use crate::support::keys;

#[test]
fn every_step_is_run_and_its_report_is_kept() {
    let place = place(10, &[&agree_with_gates(), GOLDEN]);
    let report = released(&place, 0);
    assert_eq!(
        keys(&report),
        [
            "schema_version",
            "name",
            "status",
            "steps",
            "gates",
            "gates_pass"
        ]
    );
    assert_eq!(report["name"], "assistant 2.3");
    assert_eq!(report["status"], "PASS");
    assert_eq!(report["gates_pass"], true);
    assert_eq!(results(&report), ["agreement PASS", "golden PASS"]);
    let names = gate_names(&report);
    // Those of the command first, then those of the file.
    assert_eq!(names.len(), 3 + 1 + 5, "{names:?}");
    assert_eq!(names[3], "agreement: own");
    assert!(
        names.contains(&"golden: golden_recall".to_owned()),
        "{names:?}"
    );
    let step = &report["steps"][0];
    assert_eq!(
        keys(step),
        [
            "name",
            "run",
            "status",
            "exit_code",
            "report",
            "message",
            "counts",
            "gates"
        ]
    );
    assert_eq!(
        (&step["exit_code"], &step["message"]),
        (&json!(0), &json!(null))
    );
    // What a step printed is what is kept, byte for byte.
    let alone =
        place.judica("agree pairs --pairs pairs.jsonl --tsv out/d.tsv --resamples 50 --json");
    assert_eq!(place.text("release/agreement.json"), alone.exits(0).stdout);
    assert_eq!(step["report"], "release/agreement.json");
    assert_eq!(place.json("kept/golden.json")["status"], "PASS");
}

#[test]
fn for_people_there_are_tables() {
    let place = place(10, &[&agree_with_gates(), GOLDEN]);
    let ran = place.judica("release").exits(0);
    ran.says(&[
        "assistant 2.3",
        "agreement",
        "4 of 4",
        "golden",
        "5 of 5",
        "PASS",
    ]);
}

#[test]
fn paths_are_relative_to_the_config_wherever_one_stands() {
    let inner = place(10, &[&agree_with_gates(), GOLDEN]);
    let here = released(&inner, 0);
    let outer = crate::support::Place::new();
    let config = inner.path("release.toml");
    let ran = outer.judica(&format!(
        "release --json --out r.json --config {}",
        config.display()
    ));
    assert_eq!(report(&ran.exits(0)), here);
    assert_eq!(outer.names("."), ["r.json"]);
    assert_eq!(outer.json("r.json"), here);
    // Nothing in the report says where it was made.
    let folder = inner.path("");
    assert!(
        !here
            .to_string()
            .contains(folder.to_str().expect("text").trim_end_matches('/'))
    );
}

#[test]
fn a_release_made_again_has_the_same_bytes() {
    let place = place(10, &[&agree_with_gates(), GOLDEN]);
    let run = || {
        let ran = place.judica("release --json --out o/r.json --junit o/j.xml --markdown o/m.md");
        (
            ran.exits(0).stdout,
            place.files("o"),
            place.files("release"),
        )
    };
    assert_eq!(run(), run());
}

#[test]
fn a_step_may_be_a_list_of_words_and_compare_with_a_baseline() {
    let words = "name = \"golden\"\nrun = [\"gate\", \"golden\", \"--golden\", \"my queries.json\", \"--outputs\", \"runs\"]\n\
                 gates = \"drop.toml\"\nbaseline = \"main/golden.json\"";
    let place = place(10, &[words]);
    std::fs::rename(place.path("golden.json"), place.path("my queries.json")).expect("renamed");
    place.write(
        "drop.toml",
        gates("/metrics/golden_recall", "max_drop", "0.1"),
    );
    place.write(
        "main/golden.json",
        "{\"metrics\": {\"golden_recall\": {\"value\": 1, \"n\": 1}}}",
    );
    released(&place, 0);
    place.write(
        "main/golden.json",
        "{\"metrics\": {\"golden_recall\": {\"value\": 1.5, \"n\": 1}}}",
    );
    let report = released(&place, 1);
    assert!(gate_names(&report).contains(&"!golden: own".to_owned()));
}

#[test]
fn another_config_may_be_named() {
    let place = place(10, &[AGREE]);
    std::fs::rename(place.path("release.toml"), place.path("r2.toml")).expect("renamed");
    place
        .judica("release")
        .exits(3)
        .complains(&["release.toml"]);
    place.judica("release --config r2.toml").exits(0);
}
