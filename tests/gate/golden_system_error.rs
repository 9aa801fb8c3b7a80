//! Without golden queries, or without runs, there is nothing to evaluate: SYSTEM_ERROR.

use serde_json::{Value, json};

use crate::gate::data::{
    GOLDEN, evaluated, gate, gates_file, golden, output, passing, query, report, with,
};
use crate::support::Place;

/// Insists that the evaluation stops, and says so everywhere.
#[track_caller]
fn stops(place: &Place, artifact: &str, reason: &str) {
    let ran = place
        .judica(&format!("{GOLDEN} --json --report out/gate.json"))
        .exits(3)
        .complains(&["SYSTEM_ERROR", artifact, reason]);
    let told = report(&ran);
    assert_eq!(told["status"], "SYSTEM_ERROR");
    assert_eq!(told["missing"], artifact);
    let why = told["reason"].as_str().expect("a reason");
    assert!(why.contains(reason), "{why}");
    assert_eq!(place.json("out/gate.json"), told);
    // For people: nothing but the message.
    let ran = place.judica(GOLDEN).exits(3);
    assert_eq!(ran.stdout, "");
}

fn with_golden(text: impl AsRef<[u8]>) -> Place {
    let place = passing();
    place.write("golden.json", text);
    place
}

#[test]
fn queries_that_are_missing_or_not_a_list() {
    let place = passing();
    std::fs::remove_file(place.path("golden.json")).expect("removed");
    stops(&place, "golden.json", "no such file");
    for (text, reason) in [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[] []", "not JSON"),
        ("[]", "holds no queries"),
        ("{\"queries\": []}", "holds no queries"),
        ("{}", "/queries is missing"),
        ("{\"queries\": \"all\"}", "/queries must be an array"),
        ("null", "must be an array"),
        ("\"text\"", "must be an array"),
        ("7", "must be an array"),
    ] {
        stops(&with_golden(text), "golden.json", reason);
    }
    stops(&with_golden(b"[\"\xff\"]"), "golden.json", "");
    stops(&with_golden(b"\x1f\x8b\x08"), "golden.json", "");
}

#[test]
fn a_folder_instead_of_queries() {
    let place = passing();
    std::fs::remove_file(place.path("golden.json")).expect("removed");
    std::fs::create_dir(place.path("golden.json")).expect("a folder");
    stops(&place, "golden.json", "");
}

#[test]
fn queries_of_wrong_types_are_named_by_their_place() {
    let good = query("known", &["e1"], true);
    let bad = |key: &str, value: Value| with(query("other", &[], true), key, value);
    let without = |key: &str| {
        let mut query = query("other", &[], true);
        query.as_object_mut().expect("an object").remove(key);
        query
    };
    for (second, reason) in [
        (json!("query"), "/1 must be an object"),
        (without("objective"), "/1/objective is missing"),
        (
            without("required_evidence_ids"),
            "/1/required_evidence_ids is missing",
        ),
        (
            without("evidence_sufficient"),
            "/1/evidence_sufficient is missing",
        ),
        (bad("objective", json!(1)), "/1/objective must be a string"),
        (
            bad("objective", json!(" ")),
            "/1/objective must not be blank",
        ),
        (
            bad("required_evidence_ids", json!("e1")),
            "/1/required_evidence_ids must be an array of strings",
        ),
        (
            bad("required_evidence_ids", json!(["e1", 2])),
            "/1/required_evidence_ids must be an array of strings",
        ),
        (
            bad("evidence_sufficient", json!("yes")),
            "/1/evidence_sufficient must be true or false",
        ),
        (
            bad("evidence_sufficient", json!(null)),
            "/1/evidence_sufficient must be true or false",
        ),
        (
            bad("id", json!(["q"])),
            "/1/id must be a string or an integer",
        ),
    ] {
        stops(
            &with_golden(json!([good, second]).to_string()),
            "golden.json",
            reason,
        );
    }
}

#[test]
fn queries_that_cannot_be_told_apart() {
    let known = query("known", &["e1"], true);
    let again = query(" known ", &[], false);
    stops(
        &with_golden(json!([known, again]).to_string()),
        "golden.json",
        "/1/objective is the same as /0/objective",
    );
    let named = |id: Value, query: &Value| with(query.clone(), "id", id);
    stops(
        &with_golden(json!([named(json!("q"), &known), again]).to_string()),
        "golden.json",
        "no ids to tell them apart",
    );
    let other = query("other", &[], true);
    stops(
        &with_golden(json!([named(json!(7), &known), named(json!("7"), &other)]).to_string()),
        "golden.json",
        "/1/id is the same as /0/id",
    );
    // With ids of their own the same objective may be asked twice.
    let queries = json!([named(json!("1"), &known), named(json!("2"), &again)]);
    with_golden(queries.to_string()).judica(GOLDEN).exits(1);
}

#[test]
fn a_folder_of_runs_is_needed_and_may_be_empty() {
    let place = golden(&[query("known", &["e1"], true)], &[]);
    stops(&place, "runs", "no such folder");
    place.write("runs", output("a", "known").to_string());
    stops(&place, "runs", "is a file");
    std::fs::remove_file(place.path("runs")).expect("removed");
    std::fs::create_dir(place.path("runs")).expect("a folder");
    let report = evaluated(&place, 1);
    assert_eq!(report["runs"], 0);
    assert_eq!(gate(&report, "golden_recall")["value"], 0.0);
    assert_eq!(report["missing_runs"][0]["objective"], "known");
    // Nothing was tested, and no option lets that through.
    let well_formed = gate(&report, "well_formed_runs");
    assert_eq!(
        (&well_formed["vacuous"], &well_formed["pass"]),
        (&json!(true), &json!(false))
    );
    place.write(
        "golden.json",
        json!([query("known", &[], true)]).to_string(),
    );
    place
        .judica(&format!("{GOLDEN} --allow-undefined"))
        .exits(1)
        .says(&["no runs"]);
}

#[test]
fn bad_usage_is_another_code() {
    let place = passing();
    for bad in [
        "gate golden",
        "gate golden --outputs runs --golden golden.json --threads 0",
        "gate golden --outputs runs --golden golden.json --report golden.json",
        "gate golden --outputs runs --golden golden.json --junit x --markdown x",
        "gate golden --outputs runs --golden golden.json --report -",
        "gate silver --outputs runs",
        "gate",
    ] {
        let ran = place.judica(bad).exits(2);
        assert_eq!(ran.stdout, "", "{bad}");
    }
}

/// Insists that no output takes the place of a file that is read.
#[track_caller]
fn keeps(place: &Place, arguments: &str, mine: &str) {
    let before = place.read(mine);
    for option in ["--report", "--junit", "--markdown"] {
        let ran = place.judica(&format!("{GOLDEN} {arguments} {option} {mine}"));
        assert!(place.read(mine) == before, "{option} overwrote {mine}");
        ran.exits(2).complains(&[mine]);
    }
}

#[test]
fn no_output_overwrites_a_run() {
    keeps(&passing(), "", "runs/a/output.json");
}

#[test]
fn no_output_overwrites_the_gates() {
    let place = passing();
    let gate = "name = \"n\"\nmetric = \"/runs\"\nop = \">=\"\nthreshold = 1";
    place.write("g.toml", gates_file(&[gate]));
    keeps(&place, "--gates g.toml", "g.toml");
}
