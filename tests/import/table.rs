//! Scores of any other tool, as a table.

use serde_json::{Value, json};

use crate::support::Place;

const CSV: &str = "question,turn,model,acc,latency,passage\n\
    q1,1,a,1,2.5,x\n\
    q1,2,a,0,,x\n\
    q1,1,b,0,1.5,x\n\
    q1,2,b,maybe,NaN,x\n\
    ,1,b,1,1,y\n\
    q1,1,b,1,1,y\n";

fn records(place: &Place, run: &str) -> Vec<Value> {
    let ran = place
        .judica(&format!("export {run} --format jsonl"))
        .exits(0);
    ran.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_row_is_a_record_with_a_metric_per_column() {
    let place = Place::new();
    place.write("scores.csv", CSV);
    place
        .judica(
            "import scores.csv --as table --item question,turn --subject model \
             --metric acc,latency:lower --cluster passage --run run",
        )
        .exits(0)
        .says(&["read as CSV", "inputs 6 = records 4 + rejects 2"]);
    let records = records(&place, "run");
    let first = &records[0];
    for (key, value) in [
        ("dataset", json!("scores")),
        ("item", json!("q1/1")),
        ("subject", json!("a")),
        ("cluster", json!("x")),
        ("verdict", json!("pass")),
        ("acc", json!(1.0)),
        ("latency", json!(2.5)),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
    assert_eq!(records[1]["latency"], json!(null));
    assert_eq!(records[3]["acc"], json!(null));
    assert_eq!(records[3]["acc_logged"], "maybe");
    let manifest = place.json("run/manifest.json");
    let reasons = &manifest["counts"]["rejects_by_reason"];
    assert_eq!(reasons, &json!({"duplicate_sample": 1, "missing_item": 1}));
    assert_eq!(manifest["metrics"][1]["direction"], "lower");
    assert!(
        manifest["inputs"][0]["read_as"]
            .as_str()
            .unwrap()
            .starts_with("CSV")
    );
    place.judica("reproduce run").exits(0);
    place.judica("compare run --subjects a,b").exits(0);
}

#[test]
fn a_subject_that_is_no_column_is_a_name() {
    let place = Place::new();
    place.write(
        "s.jsonl",
        "{\"id\": 1, \"f1\": 0.5, \"output\": \"x\"}\n{\"id\": 2, \"f1\": true}\n",
    );
    place
        .judica("import s.jsonl --as table --item id --metric f1 --subject mine --run run")
        .exits(0);
    let records = records(&place, "run");
    assert_eq!(
        (&records[0]["subject"], &records[0]["item"]),
        (&json!("mine"), &json!("1"))
    );
    assert_eq!(
        (&records[1]["f1"], &records[1]["f1_logged"]),
        (&json!(1.0), &json!("true"))
    );
    place
        .judica("import s.jsonl --as table --item id --metric f1 --run run")
        .exits(0);
    assert_eq!(self::records(&place, "run")[0]["subject"], "s");
}

#[test]
fn columns_that_are_not_there_are_told() {
    let place = Place::new();
    place.write("scores.csv", CSV);
    place
        .judica("import scores.csv --as table --item question,turn --metric f1 --run run")
        .exits(2)
        .complains(&["no column `f1`; there are question, turn, model"]);
    place
        .judica("import scores.csv --as table --item question --run run")
        .exits(2)
        .complains(&["needs --item COLUMN and --metric"]);
    place
        .judica("import scores.csv --metric acc --run run")
        .exits(2)
        .complains(&["not a log", "--as table"]);
    place
        .judica("import scores.csv --as inspect --metric acc --run run")
        .exits(2);
    assert_eq!(place.names("run"), Vec::<String>::new());
}
