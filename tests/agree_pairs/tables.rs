//! Judgments in tables: merged, a column for each validator, or one table each.

use serde_json::json;

use crate::support::{Place, raw_bytes};

const LINES: &str = "{\"qid\":\"a\",\"scholar\":{\"label\":\"VALID\",\"reason\":\"r\"},\"auditor\":{\"label\":\"VALID\"},\"model\":\"m\"}\n\
                     {\"qid\":\"b\",\"scholar\":{\"label\":\"REJECT\",\"reason\":\"r\"},\"auditor\":{\"label\":\"VALID\"},\"model\":\"m\"}\n\
                     {\"qid\":\"a\",\"scholar\":{\"label\":\"VALID\"},\"auditor\":{\"label\":\"VALID\"},\"model\":\"m\"}\n\
                     {\"qid\":\"c\",\"scholar\":{\"label\":\"?\"},\"auditor\":{\"label\":\"VALID\"},\"model\":\"m\"}\n";
const TABLE: &str = "QID,model,scholar_label,scholar.reason,Auditor\n\
                     a,m,VALID,r,VALID\nb,m,REJECT,r,VALID\na,m,VALID,,VALID\nc,m,?,,VALID\n";

#[test]
fn a_table_gives_what_its_lines_give() {
    let place = Place::new();
    place.write("p.jsonl", LINES);
    place.write("p.csv", TABLE);
    place.write("p.tsv", TABLE.replace(',', "\t"));
    let report = |name: &str| {
        let line = format!("agree pairs --pairs {name} --run {name}-run --json --resamples 50");
        let ran = place.judica(&line);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("JSON")
    };
    let lines = report("p.jsonl");
    for name in ["p.csv", "p.tsv"] {
        let table = report(name);
        for key in ["n", "confusion", "kappa", "inputs", "records", "rejects"] {
            assert_eq!(table[key], lines[key], "{name} {key}");
        }
    }
    let rejects = place.json_lines("p.csv-run/rejects.jsonl");
    let found: Vec<_> = rejects
        .iter()
        .map(|r| (r["line"].clone(), raw_bytes(r)))
        .collect();
    assert_eq!(
        found,
        [
            (json!(4), b"a,m,VALID,,VALID".to_vec()),
            (json!(5), b"c,m,?,,VALID".to_vec())
        ]
    );
    place
        .judica("show p.csv-run b")
        .exits(0)
        .says(&["p.csv:3", "b,m,REJECT,r,VALID"]);
    place
        .judica("reproduce p.csv-run")
        .exits(0)
        .says(&["identical"]);
}

#[test]
fn one_table_for_each_validator() {
    let place = Place::new();
    place.write("s.csv", "qid,label\na,VALID\nb,REJECT\n");
    place.write("a.tsv", "qid\tlabel\nb\tVALID\na\tVALID\nc\tVALID\n");
    let ran = place.judica(
        "agree pairs --scholar s.csv --auditor a.tsv --json --resamples 50 --rejects r.jsonl",
    );
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&report["n"], &report["rejects"]), (&json!(2), &json!(1)));
    assert_eq!(raw_bytes(&place.json_lines("r.jsonl")[0]), b"c\tVALID");
}

#[test]
fn a_table_of_flat_columns_decides_as_its_lines_do() {
    let place = Place::new();
    place.write(
        "p.csv",
        "qid,scholar.label,auditor.label,answer_json.citations,retrieved_ids,\
         flags.provenance_violation\n\
         a,VALID,VALID,\"[\"\"p9#1\"\"]\",\"[\"\"p1#2\"\"]\",\n\
         b,VALID,VALID,\"[\"\"p1#2\"\"]\",\"[\"\"p1#2\"\"]\",True\n\
         c,VALID,VALID,\"[\"\"p1#2\"\"]\",\"[\"\"p1#2\"\"]\",False\n",
    );
    place.judica("agree pairs --pairs p.csv --arbitrated a.jsonl --allow-undefined");
    let why = |at: usize| place.json_lines("a.jsonl")[at]["why"].clone();
    assert_eq!(why(0), "citation_out_of_scope");
    assert_eq!(why(1), "hard_flag");
    assert_eq!(place.json_lines("a.jsonl")[2]["final"], "VALID");
}

#[test]
fn equal_runs_have_no_difference_in_a_coefficient() {
    let place = Place::new();
    let line = |at: usize| {
        let auditor = if at.is_multiple_of(3) {
            "REJECT"
        } else {
            "VALID"
        };
        let scholar = if at.is_multiple_of(4) {
            "REJECT"
        } else {
            "VALID"
        };
        crate::agree_pairs::data::pair(&format!("q{at}"), scholar, auditor)
    };
    let lines: Vec<String> = (0..24).map(line).collect();
    place.write_lines("p.jsonl", &lines);
    for run in ["a", "b"] {
        let line = format!("agree pairs --pairs p.jsonl --run {run}");
        place.judica(&line);
    }
    let compare = "compare a b --metric cohen_kappa --fail-if-worse";
    place.judica(compare).exits(0).says(&["no difference"]);
    let gate = |held: &str| {
        format!("version = 1\n[[gate]]\nname = \"k\"\nmetric = \"cohen_kappa\"\n{held}\n")
    };
    for held in ["op = \"no_significant_drop\"", "no_worse_than = 0.05"] {
        place.write("gates.toml", gate(held));
        place
            .judica("gate check b --gates gates.toml --baseline a")
            .exits(0);
    }
}
