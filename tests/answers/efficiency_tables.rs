//! `judica efficiency` over tables: one model per file, per row, or per column.

use serde_json::{Value, json};

use crate::answers::data::{model, near, printed};
use crate::support::tables::{parquet, separated};
use crate::support::{Place, Ran};

fn rows() -> Vec<Value> {
    let row = |model: &str, id: u32, said: &str, ms: u32| {
        json!({"model": model, "id": id, "input": "q", "gold": "a", "prediction": said,
               "latency_ms": ms})
    };
    vec![
        row("big", 1, "a", 100),
        row("small", 1, "b", 10),
        row("big", 2, "a", 300),
        row("small", 2, "a", 30),
    ]
}

#[track_caller]
fn two_models(ran: &Ran) {
    let report = printed(ran);
    assert_eq!(
        (&report["inputs"], &report["records"]),
        (&json!(4), &json!(4))
    );
    let (big, small) = (model(&report, "big"), model(&report, "small"));
    assert_eq!((&big["n"], &big["accuracy"]), (&json!(2), &json!(1.0)));
    assert_eq!((&small["n"], &small["accuracy"]), (&json!(2), &json!(0.5)));
    near(&big["latency_ms"]["mean"], 200.0);
}

#[test]
fn rows_that_name_several_models_are_told_apart() {
    let place = Place::new();
    let lines: Vec<String> = rows().iter().map(Value::to_string).collect();
    place.write_lines("m.jsonl", &lines);
    place.write("m.csv", separated(&rows(), ","));
    place.write("m.parquet", parquet(&rows()));
    for name in ["m.jsonl", "m.csv", "m.parquet"] {
        let line = format!("efficiency --predictions {name} --json");
        two_models(&place.judica(&line).exits(0));
    }
    place
        .judica("efficiency --predictions m.csv")
        .exits(0)
        .says(&["m.csv: read as CSV, delimiter ',', 6 columns, 4 rows"]);
    // A pattern that no shell has put names in the place of.
    place.write("more/a.csv", separated(&rows()[..1], ","));
    place.write("more/b.csv", separated(&rows()[1..2], ","));
    let ran = place
        .judica("efficiency --predictions more/*.csv --json")
        .exits(0);
    assert_eq!(printed(&ran)["files"][1]["file"], "more/b.csv");
}

#[test]
fn columns_are_named_and_may_each_be_a_model() {
    let place = Place::new();
    place.write("w.csv", "q,nl,truth,big,small\n1,x,a,a,b\n2,y,a,a,a\n");
    let line = "efficiency --predictions w.csv --item q --gold truth --prediction big \
                --prediction small --json";
    let report = printed(&place.judica(line).exits(0));
    for (name, right) in [("big", 1.0), ("small", 0.5)] {
        near(&model(&report, name)["accuracy"], right);
    }
}
