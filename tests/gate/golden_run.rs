//! `judica gate golden --run`: what is left for those who read runs.

use judica_model::run::Verdict;
use judica_run::open::Run;
use serde_json::{Value, json};

use crate::gate::data::{
    GOLDEN, bare_step, claim, evidence, gates_file, golden, output, passing, query, report, with,
};
use crate::support::{Place, each_record};

/// Item, subject, verdict, score and failed rules of every record.
type Seen = (String, String, &'static str, Option<f64>, Vec<String>);

#[track_caller]
fn records(place: &Place, folder: &str) -> Vec<Seen> {
    let mut found = Vec::new();
    each_record(place, folder, &mut |record, _| {
        let rules = record.evidence.iter().map(|atom| {
            assert!(!atom.pass);
            let field = atom.field.unwrap_or_default();
            format!("{} {field}", atom.rule).trim_end().to_owned()
        });
        found.push((
            record.item.to_owned(),
            record.subject.to_owned(),
            record.verdict.map_or("none", Verdict::name),
            record.score,
            rules.collect(),
        ));
    });
    found
}

fn seen(item: &str, subject: &str, verdict: &'static str, score: Option<f64>, of: &[&str]) -> Seen {
    let rules = of.iter().map(|rule| (*rule).to_owned()).collect();
    (item.to_owned(), subject.to_owned(), verdict, score, rules)
}

/// Two runs find half each, one claims without evidence, one cannot be read, and nobody
/// answers the last.
fn mixed() -> Place {
    let half = |id: &str, found: &str| {
        let claims = json!([claim("c1", "verified", &[found])]);
        let run = with(output(id, "both"), "claims", claims);
        with(run, "evidence", json!([evidence(found)]))
    };
    let stray = with(
        output("stray", "nobody asks"),
        "claims",
        json!([claim("c9", "verified", &["e7"])]),
    );
    let place = golden(
        &[
            with(query("both", &["e1", "e2"], true), "id", json!("q1")),
            query("unknown", &[], false),
            query("broken", &["e3"], true),
            query("none", &["e4"], true),
        ],
        &[
            ("a", half("a", "e1")),
            (
                "b",
                with(half("b", "e2"), "steps", json!([bare_step("s1")])),
            ),
            ("c", output("c", "unknown")),
            ("d", json!({"objective": "broken", "claims": 3})),
            ("e", stray),
        ],
    );
    place.write("runs/b/manifests/s1.json", "{}");
    place.write("runs/b/manifests/other.json", "{}");
    place
}

#[test]
fn a_query_is_a_record_of_all_its_runs() {
    let place = mixed();
    let ran = place.judica(&format!("{GOLDEN} --run r --json")).exits(1);
    let report: Value = report(&ran);
    assert_eq!(place.json("r/report.json"), report);
    assert_eq!(
        records(&place, "r"),
        [
            seen("q1", "runs", "pass", Some(1.0), &[]),
            seen(
                "unknown",
                "runs",
                "fail",
                None,
                &["abstention.not_abstained"]
            ),
            seen(
                "broken",
                "runs",
                "error",
                Some(0.0),
                &["evidence.malformed_run e3", "run.malformed"]
            ),
            seen("none", "runs", "error", Some(0.0), &["evidence.no_run e4"]),
            seen(
                "run:stray",
                "runs",
                "fail",
                None,
                &["claim.unknown_evidence c9"]
            ),
        ]
    );
    let manifest = place.json("r/manifest.json");
    assert_eq!(manifest["command"], "gate golden");
    assert_eq!(manifest["metrics"][0]["name"], "golden_recall");
    assert_eq!(manifest["metrics"][0]["primary"], true);
    let inputs = manifest["inputs"].as_array().unwrap();
    let named: Vec<&str> = inputs
        .iter()
        .map(|of| of["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        named,
        [
            "golden.json",
            "runs/a/output.json",
            "runs/b/output.json",
            "runs/b/manifests/other.json",
            "runs/b/manifests/s1.json",
            "runs/c/output.json",
            "runs/d/output.json",
            "runs/e/output.json"
        ]
    );
    assert_eq!(
        manifest["counts"],
        json!({"inputs": 5, "used": 5, "rejects": 0, "records": 5, "rejects_by_reason": {}})
    );
    // The four metrics are those of the report.
    let run = Run::open(&place.path("r")).unwrap();
    let values =
        judica_run::values::values(&run, &judica_stats::clusters::Intervals::default()).unwrap();
    for of in values.iter().filter(|of| of.subject.is_none()) {
        let told = report["metrics"][&of.metric]["value"].as_f64();
        assert_eq!(of.value.value(), told, "{}", of.metric);
    }
}

#[test]
fn readers_of_runs_serve_it() {
    let place = mixed();
    for threads in [1, 3] {
        place
            .judica(&format!("{GOLDEN} --run r{threads} --threads {threads}"))
            .exits(1);
    }
    for file in ["records.parquet", "report.json", "tables.json"] {
        let of = |run: &str| place.read(&format!("{run}/{file}"));
        assert!(of("r1") == of("r3"), "{file}");
    }
    place
        .judica("show r1 q1")
        .exits(0)
        .says(&["runs/a/output.json", "\"objective\""]);
    place
        .judica("export r1 --format jsonl --out r.jsonl")
        .exits(0);
    place.judica("reproduce r1").exits(0);
    place.judica("compare r1 r3 --fail-if-worse").exits(0);
    let gate = "name = \"n\"\nmetric = \"golden_recall\"\nop = \">=\"\nthreshold = 0.6";
    place.write("g.toml", gates_file(&[gate]));
    place.judica("gate check r1 --gates g.toml").exits(1);
    // The same from a folder that has moved.
    std::fs::create_dir(place.path("moved")).unwrap();
    for name in ["golden.json", "runs"] {
        std::fs::rename(place.path(name), place.path(&format!("moved/{name}"))).unwrap();
    }
    place.judica("reproduce r1").exits(3);
    place.judica("reproduce r1 --inputs moved").exits(0);
    std::fs::rename(place.path("moved/runs"), place.path("moved/others")).unwrap();
    place
        .judica("reproduce r1 --inputs moved/others")
        .exits(3)
        .complains(&["golden.json"]);
}

#[test]
fn agents_are_told_apart() {
    let named = |id: &str, agent: &str| with(output(id, "known"), "agent", json!(agent));
    let place = golden(
        &[query("known", &["e1"], true)],
        &[("a", named("a", "one")), ("b", named("b", "two"))],
    );
    let empty = with(named("b", "two"), "evidence", json!([]));
    place.write("runs/b/output.json", empty.to_string());
    place.judica(&format!("{GOLDEN} --run r")).exits(1);
    let found = records(&place, "r");
    assert_eq!(found[0], seen("known", "one", "pass", Some(1.0), &[]));
    assert_eq!((&*found[1].1, found[1].2), ("two", "fail"));
    place
        .judica("compare r --subjects one,two --fail-if-worse")
        .says(&["golden_recall"]);
    place
        .judica(&format!(
            "{GOLDEN} --run r --subject us --dataset d --keep-text"
        ))
        .exits(1);
    assert_eq!(records(&place, "r").len(), 1);
    place.judica("reproduce r").exits(0);
}

#[test]
fn gates_and_baseline_are_inputs() {
    let place = passing();
    place.judica(&format!("{GOLDEN} --out old.json")).exits(0);
    let gate = "name = \"n\"\nmetric = \"/runs\"\nop = \"max_drop\"\nthreshold = 0";
    place.write("g.toml", gates_file(&[gate]));
    place
        .judica(&format!(
            "{GOLDEN} --gates g.toml --baseline old.json --run r --report new.json"
        ))
        .exits(0);
    assert_eq!(place.json("r/report.json"), place.json("new.json"));
    let manifest = place.json("r/manifest.json");
    assert_eq!(manifest["inputs"][1]["role"], "gates");
    assert_eq!(manifest["inputs"][2]["role"], "baseline");
    place.judica("reproduce r").exits(0);
}

#[test]
fn queries_of_standard_input_are_found_again_by_their_hash() {
    let place = passing();
    let queries = place.read("golden.json");
    let piped = "gate golden --golden - --outputs runs --run r";
    place.judica_with_stdin(piped, queries.clone()).exits(0);
    place.judica("reproduce r --inputs .").exits(0);
    let gate = "name = \"n\"\nmetric = \"/runs\"\nop = \">=\"\nthreshold = 0";
    let gates = gates_file(&[gate]);
    let asked = format!("{GOLDEN} --gates - --run s");
    let ran = place.judica_with_stdin(&asked, gates);
    ran.exits(2).complains(&["gives what it has once", "--run"]);
    assert!(!place.path("s").exists());
}

#[test]
fn a_folder_without_runs_is_a_run_of_errors() {
    let place = passing();
    std::fs::remove_dir_all(place.path("runs")).unwrap();
    place.judica(&format!("{GOLDEN} --run r")).exits(3);
    assert!(!place.path("r").exists());
    std::fs::create_dir(place.path("runs")).unwrap();
    place.judica(&format!("{GOLDEN} --run r")).exits(1);
    let verdicts: Vec<_> = records(&place, "r").iter().map(|of| of.2).collect();
    assert_eq!(verdicts, ["error", "error"]);
    place.judica("reproduce r").exits(0);
    // Nothing is written where runs are read.
    place
        .judica(&format!("{GOLDEN} --run runs/r"))
        .exits(2)
        .complains(&["--run"]);
}
