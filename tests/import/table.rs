//! Scores of any other tool, as a table.

use serde_json::{Value, json};

use crate::support::{Place, ran};

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
fn nothing_of_what_should_not_be_is_right() {
    let place = Place::new();
    place.write("t.csv", "item,err\na,1\nb,0\nc,0.5\nd,\n");
    for (way, expected) in [
        ("lower", ["fail", "pass", "-", "undecided"]),
        ("higher", ["pass", "fail", "-", "undecided"]),
        ("none", ["-", "-", "-", "undecided"]),
    ] {
        let import = format!("import t.csv --as table --item item --metric err:{way} --run {way}");
        place.judica(&import).exits(0);
        let records = records(&place, way);
        let verdicts = records.iter().map(|r| r["verdict"].as_str().unwrap_or("-"));
        assert_eq!(verdicts.collect::<Vec<_>>(), expected, "{way}");
    }
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
    // Other columns of the row stand in its file alone.
    let show = "show run q1/2 --subject a";
    place.judica(show).exits(0).says(&["q1,2,a,0,,x"]);
    place.write("scores.csv", CSV.replace("q1,2,a,0", "q1,2,a,1"));
    place
        .judica(show)
        .exits(0)
        .says(&["has changed since the run"]);
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
fn a_row_without_the_subject_of_others_has_none_wherever_it_stands() {
    let place = Place::new();
    let mut rows = [
        r#"{"id": 1, "acc": 1, "by": {}}"#,
        r#"{"id": 2, "acc": 0, "by": {"model": "a"}, "model": "a"}"#,
    ];
    for _ in 0..2 {
        place.write_lines("s.jsonl", &rows);
        for subject in ["model", "/by/model"] {
            let import = "import s.jsonl --as table --item id --metric acc --run run --subject";
            place.judica(&format!("{import} {subject}")).exits(0);
            let shown = records(&place, "run");
            assert_eq!(shown.len(), 1);
            assert_eq!(shown[0]["subject"], "a");
            let rejects = place.json_lines("run/rejects.jsonl");
            assert_eq!(rejects[0]["reason"], "missing_subject");
        }
        rows.reverse();
    }
}

#[test]
fn numbers_that_no_double_is_keep_their_text() {
    let place = Place::new();
    place.write(
        "big.csv",
        "id,n\na,9007199254740993\nb,9007199254740992\nc,1e-400\nd,0.1\n",
    );
    let said = ["2 cells of `n` could not be held as written"];
    place
        .judica("import big.csv --as table --item id --metric n --run run")
        .exits(0)
        .says(&said);
    let logged: Vec<Value> = records(&place, "run")
        .iter()
        .map(|record| record["n_logged"].clone())
        .collect();
    let text = |text: &str| json!(text);
    assert_eq!(
        logged,
        [
            text("9007199254740993"),
            json!(null),
            text("1e-400"),
            json!(null)
        ]
    );
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

fn import(place: &Place, file: &str, metric: &str) -> crate::support::Ran {
    let names = "--as table --item item --subject model";
    place.judica(&format!(
        "import {file} {names} --metric {metric} --run run"
    ))
}

#[test]
fn a_metric_without_a_number_is_no_metric() {
    let place = Place::new();
    for (cell, says) in [
        ("50%", "the first is `50%`, on line 2. Write numbers like"),
        (
            "0,5",
            "the first is `0,5`, on line 2. Write it like 1234.5; a decimal comma",
        ),
        ("", "no row has a value there"),
    ] {
        place.write(
            "s.tsv",
            format!("item\tmodel\tacc\na\tm\t{cell}\nb\tm\tNA\n"),
        );
        import(&place, "s.tsv", "acc")
            .exits(2)
            .complains(&["no cell of `acc` is a number", says]);
    }
    assert_eq!(place.names("run"), Vec::<String>::new());
}

/// What one file of a metric lacks another may have: rows become records as those of one file.
#[test]
fn a_metric_is_asked_for_over_all_files() {
    let place = Place::new();
    place.write("a.csv", "item,model,acc,lat\n1,m1,1,2\n2,m1,0,3\n");
    place.write("b.csv", "item,model,acc,lat\n1,m2,1,\n2,m2,1,\n");
    place.write("c.jsonl", r#"{"item": 1, "model": "m3", "acc": 1}"#);
    let import =
        |files: &str, metric: &str| import(&place, &format!("{files} --dataset D"), metric);
    import("a.csv b.csv c.jsonl", "acc,lat:lower")
        .exits(0)
        .says(&[
            "inputs 5 = records 5 + rejects 0",
            "b.csv: no cell of `lat` is a number: no row has a value there",
            "c.jsonl: there is no column `lat`; there are item, model, acc",
        ]);
    assert_eq!(place.json("run/report.json")["left_out"], Value::Null);
    place.judica("reproduce run").exits(0);
    import("b.csv c.jsonl", "acc,lat")
        .exits(2)
        .complains(&["b.csv: no cell of `lat` is a number"]);
    // A table of something else.
    place.write("d.csv", "item,text\n1,one\n");
    let ran = import("a.csv d.csv", "acc,lat").exits(0);
    let said = "left out: d.csv: there is no column `acc`; there are item, text. judica look d.csv";
    ran.says(&[said])
        .complains(&["left out, the others count: d.csv"]);
}

#[test]
fn cells_that_are_lost_are_told() {
    let place = Place::new();
    // The comma comes too late to be looked for.
    let rows = |range: std::ops::Range<u32>, value: &str| -> String {
        range.map(|n| format!("{n};m;{value};\n")).collect()
    };
    let table = rows(0..8000, "1") + &rows(8000..8003, "0,5") + "last;m;NA;1,250 ms\n";
    place.write("s.csv", format!("item;model;acc;latency_ms\n{table}"));
    import(&place, "s.csv", "acc").exits(0).says(&[
        "3 cells of `acc` could not be read as a number, the first `0,5` on line 8002",
        "1 cell of `latency_ms` could not be read as a number, the first `1,250 ms` on line 8005",
        "Write it like 1234.5",
    ]);
}

#[test]
fn a_missing_value_leaves_the_decimal_comma() {
    let place = Place::new();
    place.write("s.csv", "item;model;acc\na;m;0,5\nb;m;NA\nc;m;0,75\n");
    import(&place, "s.csv", "acc").exits(0);
    let records = records(&place, "run");
    let values: Vec<&Value> = records.iter().map(|record| &record["acc"]).collect();
    assert_eq!(values, [&json!(0.5), &json!(null), &json!(0.75)]);
}

#[test]
fn a_column_cluster_is_the_cluster() {
    let place = Place::new();
    let rows = (0..12).map(|at| format!("q{at},c{},{}\n", at / 3, at / 3 % 2));
    place.write(
        "s.csv",
        format!("item,cluster,ok\n{}", rows.collect::<String>()),
    );
    let import = "import s.csv --as table --item item --metric ok --subject m";
    place.judica(&format!("{import} --run own")).exits(0);
    let named = format!("{import} --cluster cluster --run named");
    place.judica(&named).exits(0);
    assert_eq!(records(&place, "own"), records(&place, "named"));
    assert_eq!(records(&place, "own")[3]["cluster"], "c1");
    // Four clusters, of which two are right.
    let shown = place.judica("show own").exits(0);
    shown.says(&["0.5000 [0.0653, 0.9347]", "clusters"]);
    let printed = place.judica("show own --metrics --json").exits(0).stdout;
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let of_m = &printed["metrics"][1];
    assert_eq!(of_m["metric"], "ok");
    assert_eq!(of_m["subject"], "m");
    assert_eq!((&of_m["n"], &of_m["clusters"]), (&json!(12), &json!(4)));
    place.judica("show own q1 --metrics").exits(2);
}

#[test]
fn a_pointer_leads_into_a_row() {
    let place = Place::new();
    let row = |item: &str, f1: &str| {
        format!(
            "{{\"about\": {{\"id\": {item:?}, \"from\": [\"book 1\"]}}, \"by\": {{\"model\": \"m\"}}, \
             \"scores\": {{\"f1, micro\": {f1}}}, \"id\": 7}}\n"
        )
    };
    place.write(
        "s.jsonl",
        row("a", "0.5") + &row("b", "1") + &row("c", "null"),
    );
    let import = |arguments: &[&str]| {
        let mut command = place.command("import s.jsonl --as table --run run");
        command.args(arguments);
        ran(command)
    };
    let item = ["--item", "/about/id", "--subject", "/by/model"];
    let metric = [
        "--metric",
        "\"/scores/f1, micro:lower\"",
        "--cluster",
        "/about/from/0",
    ];
    import(&[item, metric].concat()).exits(0);
    let records = records(&place, "run");
    let of = |key: &str| -> Vec<&Value> { records.iter().map(|record| &record[key]).collect() };
    assert_eq!(of("item"), [&json!("a"), &json!("b"), &json!("c")]);
    assert_eq!(of("f1, micro"), [&json!(0.5), &json!(1.0), &json!(null)]);
    assert_eq!(
        (of("subject")[0], of("cluster")[0]),
        (&json!("m"), &json!("book 1"))
    );
    let manifest = place.json("run/manifest.json");
    assert_eq!(manifest["metrics"][0]["direction"], "lower");
    place.judica("reproduce run").exits(0).says(&["identical"]);
    import(&["--item", "/about/id", "--metric", "/scores/em"])
        .exits(2)
        .complains(&["no column `/scores/em`; there are about, by, scores, id"]);
    import(&["--item", "/about/id", "--metric", "/scores/em,em"])
        .exits(2)
        .complains(&["two metrics are called `em`"]);
}
