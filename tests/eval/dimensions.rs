//! `flight-dimensions`: against an independent implementation in Python, and what a run of it
//! leaves to readers.

use serde_json::{Value, json};

use crate::support::flight::state;
use crate::support::{Place, STAMP, keys, python};

const INPUTS: &str = "--samples cases/samples.jsonl --outputs cases/outputs.jsonl";

/// Hostile cases, evaluated; nothing without Python.
fn cases(seed: u32) -> Option<Place> {
    let place = Place::new();
    let arguments = format!("--seed {seed} --count 120 --out cases");
    let made = python(&place, "dimensions_cases.py", &arguments)?;
    assert!(made.status.success(), "{made:?}");
    place.judica(&eval("--out run --records both")).exits(0);
    Some(place)
}

fn eval(more: &str) -> String {
    format!("eval --protocol flight-dimensions {INPUTS} --timestamp {STAMP} {more}")
}

fn agrees(seed: u32) {
    let Some(place) = cases(seed) else {
        return;
    };
    let arguments = format!("{INPUTS} --run run");
    let compared = python(&place, "dimensions_oracle.py", &arguments).expect("python3 was there");
    let said = String::from_utf8_lossy(&compared.stdout).into_owned();
    assert!(compared.status.success(), "{said}");
    assert!(said.starts_with("480 records, "), "{said}");
    // Read back from the table, every score and what adjusted it is as it was written.
    let lines = place.text("run/records.jsonl");
    assert!(place.judica("export run --format jsonl").exits(0).stdout == lines);
}

#[test]
fn an_independent_implementation_agrees_on_the_cases_of_seed_1() {
    agrees(1);
}

#[test]
fn an_independent_implementation_agrees_on_the_cases_of_seed_2() {
    agrees(2);
}

#[test]
fn pieces_and_threads_give_the_same_bytes_and_readers_take_them() {
    let Some(place) = cases(3) else {
        return;
    };
    place
        .judica(&eval("--out one --threads 1 --records both"))
        .exits(0);
    place.same_files("run", "one");
    for part in 1..=3 {
        let part = format!("--out parts --part {part}/3 --records both");
        place.judica(&eval(&part)).exits(0);
    }
    place.judica("finish parts").exits(0);
    place.same_files("run", "parts");
    place.judica("reproduce run").exits(0).says(&["identical"]);
    place.judica("show run").exits(0).says(&[
        "Dimensions in all tasks",
        "Dimensions in task M3",
        "std over models",
        "How dimensions go together",
    ]);
    place
        .judica("compare run --subjects good,nasty --metric dimension_D4")
        .exits(0)
        .says(&["dimension_D4"]);
    for format in ["markdown", "latex"] {
        let said = place
            .judica(&format!("export run --format {format}"))
            .exits(0);
        assert!(said.stdout.contains("D5"), "{}", said.stdout);
        assert!(
            !said.stdout.contains("conditional error"),
            "{}",
            said.stdout
        );
    }
    place.judica("report run --html run.html").exits(0);
    let record = &place.json_lines("run/records.jsonl")[0];
    let item = record["sample_id"].as_str().expect("a sample");
    let shown = place
        .judica(&format!("show run {item} --subject good --json"))
        .exits(0);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert!(shown.to_string().contains("\"score\":1"), "{shown}");
}

/// What a protocol without scores of atoms writes does not change.
#[test]
fn only_runs_that_have_scores_show_them() {
    let place = Place::new();
    place
        .judica("synth flight --samples 12 --models 2 --out cases")
        .exits(0);
    place.judica(&eval("--out with --records both")).exits(0);
    let flight = eval("--out without --records both").replace("-dimensions", "");
    place.judica(&flight).exits(0);
    let metrics = |run: &str| -> Vec<String> {
        let manifest = place.json(&format!("{run}/manifest.json"));
        let specs = manifest["metrics"].as_array().cloned().unwrap_or_default();
        specs
            .iter()
            .filter_map(|spec| Some(spec["name"].as_str()?.to_owned()))
            .collect()
    };
    assert!(metrics("with").contains(&"dimension_D5".to_owned()));
    assert!(!metrics("with").contains(&"availability".to_owned()));
    assert!(
        !metrics("without")
            .iter()
            .any(|name| name.starts_with("dimension"))
    );
    let atom = |run: &str| {
        place.json_lines(&format!("{run}/records.jsonl"))[0]["evidence_pack"]["atoms"][0].clone()
    };
    assert!(keys(&atom("with")).contains(&"score"));
    assert!(!keys(&atom("without")).contains(&"score"));
    let scores =
        |run: &str| place.json_lines(&format!("{run}/records.jsonl"))[0]["optional_scores"].clone();
    assert_eq!(
        keys(&scores("with")["dimensions"]),
        ["D1", "D2", "D3", "D4", "D5"]
    );
    assert!(scores("without").get("dimensions").is_none());
    assert!(
        place
            .json("without/report.json")
            .get("dimensions")
            .is_none()
    );
}

/// The paper's own telemetry breaks the rule on altitudes everywhere; D4 of the truth is whole.
#[test]
fn calibrate_says_which_rules_the_truth_breaks() {
    let place = Place::new();
    let sample = |id: &str| {
        let gold = state(&[("GPS Altitude (WGS84 ft)", json!(4500))]);
        json!({"sample_id": id, "task_id": "S1", "gold": {"next_second": gold}}).to_string()
    };
    let samples: Vec<String> = ["a", "b", "c"].map(sample).into();
    place.write_lines("s.jsonl", &samples);
    let calibrate = "calibrate --protocol flight-dimensions --samples s.jsonl";
    place
        .judica(calibrate)
        .exits(1)
        .says(&["physics_constraint.altitude_consistency", "broken"]);
    let said = place.judica(&format!("{calibrate} --json")).exits(1).stdout;
    let said: Value = serde_json::from_str(&said).expect("JSON");
    for rule in said["rules"].as_array().expect("rules") {
        let broken = rule["rule"] == "physics_constraint.altitude_consistency";
        assert_eq!(rule["broken"], broken, "{rule}");
        let safety = rule["rule"]
            .as_str()
            .is_some_and(|rule| rule.starts_with("safety"));
        assert!(!safety || rule["checks"] == 3, "{rule}");
    }
    let answer = json!({"model": "m", "id": "a", "response": state(&[])}).to_string();
    place.write_lines("o.jsonl", &[answer]);
    place
        .judica("eval --protocol flight-dimensions --samples s.jsonl --outputs o.jsonl --out run")
        .exits(0)
        .complains(&[
            "the truth itself breaks a critical rule on 3 of 3 samples; see `judica calibrate`",
        ]);
    let report = place.json("run/report.json");
    assert_eq!(report["gold"]["ineligible"], 0);
    assert_eq!(report["gold"]["critical"], 3);
    // One model: there is no standard deviation over models, and it is said why.
    let spread = &report["dimensions"]["tasks"][0]["std_over_models"]["D4"];
    assert_eq!(
        spread,
        &json!({"n": 1, "std": null, "undefined": "one model alone"})
    );
    let pair = &report["dimensions"]["correlation"][0];
    assert_eq!(pair["undefined"], "fewer than two records have both");
}

#[test]
fn every_mistake_in_levels_is_told_in_one_go() {
    let place = Place::new();
    let source = place
        .judica("rules --protocol flight-dimensions --source")
        .exits(0)
        .stdout;
    let wrong = source
        .replace("{ upto = 500, score = 0.75", "{ upto = 200, score = 1.75")
        .replace("adjusts = \"altitude\"", "adjusts = \"altitud\"")
        .replace(
            "families = [\"physics_constraint\"]",
            "families = [\"physics\"]",
        )
        .replace("gate = \"D1\"", "gate = \"D9\"");
    place.write("wrong.toml", wrong);
    place
        .judica("rules --protocol wrong.toml")
        .exits(2)
        .complains(&[
            "a score lies between 0 and 1, not at 1.75",
            "this level is never reached",
            "no rule is called `altitud`",
            "did you mean `altitude`?",
            "unknown family `physics`",
            "no dimension is called `D9`",
        ]);
    place
        .judica("explain airspeed --protocol flight-dimensions")
        .exits(0)
        .says(&["score 0.75 (critical)", "subtracts 0.25 from the score"]);
    place
        .judica("explain airspeed_share --protocol flight-dimensions")
        .exits(0)
        .says(&["changes the score of an atom of safety_constraint.airspeed"]);
}
