//! The run that `--run` leaves.

use serde_json::{Value, json};

use crate::run_folder::{WITH_REJECTS, as_reported, recomputed, records, same_run};
use crate::support::Place;

/// Three raters, of whom two say nearly everything; a value that is missing, one that comes
/// twice, an item that nobody rated.
const TABLE: &str = "item,rater,value\n\
    b,ann,2\nb,bob,2\nb,cyd,3\na,ann,1\na,bob,1.0\nc,ann,10\nd,ann,\nc,bob,9\nc,cyd,9\n\
    a,ann,1\ne,cyd,2\nf,bob,3\nf,ann,3\ng,ann,10\ng,bob,10\n";

fn place() -> Place {
    let place = Place::new();
    place.write("r.csv", TABLE);
    place
}

fn run(level: &str, more: &str) -> String {
    format!("agree ratings --input r.csv --level {level} --run run --resamples 20 {more}")
}

#[test]
fn every_item_is_a_record() {
    let place = place();
    let shown = place.judica(&run("nominal", "--json")).exits(0);
    assert_eq!(place.names("run"), WITH_REJECTS);
    assert_eq!(place.names("."), ["r.csv", "run"]);
    assert_eq!(
        place.json("run/report.json"),
        serde_json::from_str::<Value>(&shown.stdout).expect("JSON")
    );
    let counts = &place.json("run/manifest.json")["counts"];
    assert_eq!(
        *counts,
        json!({"inputs": 15, "used": 14, "rejects": 1, "records": 7,
            "rejects_by_reason": {"duplicate_rating": 1}})
    );
    let records = records(&place);
    let of = |item: &str| {
        let found = records.iter().find(|record| record["item"] == item);
        found.expect("the item")
    };
    let b = of("b");
    for (key, value) in [
        ("dataset", json!("r")),
        ("subject", json!("answers")),
        ("epoch", json!(1)),
        ("verdict", json!(null)),
        ("input_line", json!(2)),
        ("input_offset", json!(17)),
        ("input_bytes", json!(7)),
        ("ratings", json!(3)),
    ] {
        assert_eq!(b[key], value, "{key}");
    }
    // One of three pairs of raters agrees.
    assert_eq!(b["agreement"], 1.0 / 3.0);
    assert_eq!(b["score"], b["agreement"]);
    assert_eq!(
        b["labels"],
        json!([{"rater": "ann", "value": "2"}, {"rater": "bob", "value": "2"},
            {"rater": "cyd", "value": "3"}])
    );
    // The same number written differently is one value.
    assert_eq!(
        (&of("a")["agreement"], &of("a")["labels"][1]["value"]),
        (&json!(1.0), &json!("1"))
    );
    assert_eq!(
        (&of("d")["agreement"], &of("d")["labels"]),
        (&json!(null), &json!([]))
    );
    assert_eq!(of("e")["agreement"], json!(null));
    place
        .judica("show run b")
        .exits(0)
        .says(&["cyd", "b,ann,2"]);
}

#[test]
fn coefficients_follow_from_the_labels() {
    let two = TABLE.lines().filter(|line| !line.contains("cyd"));
    let two: Vec<&str> = two.collect();
    let words = TABLE.replace(",10\n", ",high\n").replace(",9\n", ",mid\n");
    let order = "--order 1,2,3,mid,high";
    for (table, level, more, count) in [
        (TABLE, "nominal", "", 5),
        (TABLE, "ordinal", "", 5),
        (TABLE, "interval", "", 5),
        (TABLE, "ratio", "", 5),
        (TABLE, "interval", "--weights circular", 5),
        (&(two.join("\n") + "\n"), "nominal", "", 9),
        (&(two.join("\n") + "\n"), "ratio", "--weights radical", 9),
        (&words, "nominal", "--weights linear", 5),
        (&words, "ordinal", order, 5),
        (
            &words,
            "nominal",
            &format!("{order},unused --weights bipolar"),
            5,
        ),
        (
            "item,rater,value\n1,a,9007199254740993\n1,b,9007199254740992\n2,a,5\n2,b,5\n",
            "nominal",
            "",
            9,
        ),
        (
            "item,rater,value\n1,a,0.1\n1,b,0.10000000000000000001\n2,a,0.2\n2,b,0.2\n",
            "nominal",
            "",
            9,
        ),
        (
            "item,rater,value\n1,a,9007199254740992\n1,b,9007199254740993\n\
             2,a,9007199254740992.0\n2,b,9007199254740993.0\n3,a,5\n3,b,5\n",
            "nominal",
            "",
            9,
        ),
        (
            "item,rater,value\n1,a,0.1\n1,b,1e-7\n2,a,-3.25\n2,b,1e300\n",
            "interval",
            "",
            9,
        ),
        // Of the item that shares a cluster only one has said something.
        (
            "item,rater,value,cluster\n1,a,x,c\n1,b,x,c\n2,a,x,d\n2,b,y,d\n3,a,x,c\n",
            "nominal",
            "",
            9,
        ),
        (
            "item,rater,value,cluster\n1,a,x,c\n2,b,y,c\n",
            "nominal",
            "",
            9,
        ),
        ("item,rater,value\n1,a,x\n2,b,y\n", "nominal", "", 9),
        ("item,rater,value\n1,a,x\n2,a,y\n", "nominal", "", 5),
    ] {
        let place = Place::new();
        place.write("r.csv", table);
        place.judica(&run(level, more)).exits(0);
        let report = place.json("run/report.json");
        let found = recomputed(&place.path("run"));
        assert_eq!(found.len(), count, "{level} {more}");
        for (name, value) in found {
            as_reported(&format!("{level} {more} {name}"), &value, &report[&name]);
        }
    }
}

#[test]
fn the_same_bytes_with_any_threads_and_again() {
    let place = place();
    let mut rows = String::new();
    for i in 0..20_000 {
        let rater = ["x", "y", "z"][i % 3];
        rows.push_str(&format!(
            "{{\"id\":{},\"coder\":\"{rater}\",\"score\":{}}}\n",
            i % 9973,
            i % 7
        ));
    }
    rows.push_str("oops\n");
    place.write("s.jsonl", rows);
    same_run(&place, &run("interval", ""), 0);
    let columns = "--item ID --rater coder --value score --subject us --dataset d --keep-text";
    let other = run("ordinal", columns).replace("r.csv", "s.jsonl");
    same_run(&place, &other, 0);
    let counts = place.json("run/manifest.json")["counts"].clone();
    assert_eq!(
        (&counts["records"], &counts["rejects"]),
        (&json!(9973), &json!(1))
    );
    let order = run("ordinal", "--order 10,9,3,2,1 --pairwise");
    same_run(&place, &order, 0);
}

#[test]
fn items_of_several_files_are_one_data_set() {
    let place = place();
    place.write("more.tsv", "item\trater\tvalue\nb\tdan\t2\nz\tdan\t1\n");
    place.judica(&run("nominal", "--input more.tsv")).exits(0);
    let records = records(&place);
    assert!(records.iter().all(|record| record["dataset"] == "r"));
    let last = records.last().expect("records");
    assert_eq!(
        (&last["item"], &last["input_file"]),
        (&json!("z"), &json!("more.tsv"))
    );
    assert_eq!(
        place.json("run/manifest.json")["inputs"][1]["role"],
        "ratings"
    );
    place.judica("reproduce run").exits(0);
}

#[test]
fn a_run_that_cannot_be_is_none() {
    let place = Place::new();
    place.write("r.csv", "item,rater,value\n,a,1\n");
    place.judica(&run("nominal", "")).exits(2);
    assert_eq!(place.names("run"), ["rejects.jsonl"]);
    place.judica(&run("nominal", "--rejects x.jsonl")).exits(2);
    assert_eq!(place.names("."), ["r.csv", "run"]);
}

#[test]
fn names_keep_what_else_tells_repeats_apart() {
    let place = Place::new();
    let rating =
        |item: &str, epoch: u32| json!({"item": item, "rater": "r", "value": 1, "epoch": epoch});
    let rows = [("a\0b", 1), ("a\0b", 2), ("a\x002", 1), ("a", 2), ("a", 1)];
    let lines = rows.map(|(item, epoch)| rating(item, epoch).to_string());
    place.write_lines("r.csv.jsonl", &lines);
    let line = run("nominal", "").replace("r.csv", "r.csv.jsonl");
    place.judica(&line).exits(0);
    let mut found: Vec<(String, i64)> = records(&place)
        .iter()
        .map(|of| {
            let item = of["item"].as_str().expect("a name").to_owned();
            (item, of["epoch"].as_i64().expect("a repeat"))
        })
        .collect();
    found.sort();
    let mut expected = rows.map(|(item, epoch)| (item.to_owned(), i64::from(epoch)));
    expected.sort();
    assert_eq!(found, expected);
}
