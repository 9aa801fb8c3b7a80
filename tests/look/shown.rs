//! What is said besides what a file is.

use serde_json::Value;

use crate::support::Place;

#[test]
fn columns_counts_and_how_it_was_read() {
    let place = Place::new();
    place.write(
        "a.csv",
        "\u{feff}ID;Gold;prediction\n1;3,5;3,5\n2;2,5;\n3;1,0;1,0\n",
    );
    let ran = place.judica("look a.csv --json").exits(0);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(
        report["read"]["how"][0],
        "CSV, delimiter ';', decimal comma"
    );
    assert_eq!(report["read"]["rows"], 3);
    assert_eq!(report["read"]["rows_exact"], true);
    // Readers take names whatever their capitals are, and so does this.
    let names: Vec<&Value> = (0..3).map(|at| &report["columns"][at]["name"]).collect();
    assert_eq!(names, ["id", "gold", "prediction"]);
    assert_eq!(report["columns"][2]["rows"], 2);
    assert_eq!(report["columns"][1]["first"], "3.5");
}

#[test]
fn of_a_large_file_only_the_head_is_read() {
    let place = Place::new();
    let row = "{\"id\": 1, \"gold\": \"a\", \"prediction\": \"a\"}\n";
    place.write("large.jsonl", row.repeat(60_000) + "{");
    let ran = place.judica("look large.jsonl").exits(0);
    let ran = ran.says(&["in the first 1.0 MiB"]);
    // The end, which is broken, was not met.
    assert!(!ran.stdout.contains("broken"), "{}", ran.stdout);
    let mut document = String::from("{\"model\": \"m\", \"predictions\": [");
    document.push_str(&row.replace('\n', ",").repeat(60_000));
    place.write("large.json", document);
    place
        .judica("look large.json")
        .exits(0)
        .says(&["predictions with their gold", "under `predictions`"]);
}

#[test]
fn where_two_things_fit_both_are_named() {
    let place = Place::new();
    place.write("t.csv", "nr,page,a,b\n1,x,1,0\n2,y,0,0\n3,z,1,1\n");
    place.judica("look t.csv").exits(0).says(&[
        "not sure; 2 things fit",
        "If it is ratings, wide: 2 raters",
        "--rater-columns a,b",
        "If it is scores of items",
        "--metric a,b",
    ]);
}

#[test]
fn what_is_needed_and_not_there_is_told() {
    let place = Place::new();
    place.write(
        "e.jsonl",
        "{\"episode_id\": 1, \"goal\": \"g\", \"steps\": []}\n",
    );
    place.judica("look e.jsonl").exits(0).says(&[
        "--predictions PREDICTIONS_OF_EPISODES",
        "PREDICTIONS_OF_EPISODES stands for what an agent did in episodes",
    ]);
}

#[test]
fn standard_input_can_be_looked_at() {
    let place = Place::new();
    let csv = "item,rater,value\na,x,1\na,y,2\n";
    place
        .judica_with_stdin("look -", csv)
        .exits(0)
        .says(&["ratings, one on each row", "--input -"]);
    // No command is named that would refuse it.
    let scores = "item,subject,score\na,x,1\nb,x,0\n";
    let log = place.judica_with_stdin("look -", scores).exits(0);
    log.says(&["judica import FILE --as table", "FILE stands for"]);
}

#[test]
fn errors_of_other_commands_point_here() {
    let place = Place::new();
    place.write("r.jsonl", "{\"qid\": 1}\n");
    for command in [
        "match --predictions r.jsonl",
        "agree ratings --input r.jsonl --level nominal",
        "agree pairs --pairs r.jsonl",
        "episodes --episodes r.jsonl --predictions r.jsonl --mode som --config-path c \
         --backend b --out e.json",
        "calibrate --protocol flight --samples r.jsonl",
        "import r.jsonl --run x",
    ] {
        place
            .judica(command)
            .exits(2)
            .complains(&["judica look r.jsonl says what it is."]);
    }
}

#[test]
fn what_can_be_read_is_looked_at_and_what_cannot_be_asked_for_is_not_named() {
    let place = Place::new();
    // A first row that is longer than what is looked at.
    let row = format!(
        r#"{{"id":"1","gold":"a","prediction":"a","trace":"{}"}}"#,
        "x".repeat(2 << 20)
    );
    place.write("long.json", format!("[{row}]"));
    place
        .judica("look long.json")
        .exits(0)
        .says(&["judica match"]);
    // Lines under a name that promises a table.
    place.write(
        "lines.csv",
        "{\"id\":\"1\",\"gold\":\"a\",\"prediction\":\"a\"}\n",
    );
    place
        .judica("look lines.csv")
        .exits(0)
        .says(&["judica match"]);
    place.judica("match -p lines.csv").exits(0);
    place.write("twice.csv", "id,model,acc,acc,f1\n1,m,0,1,1\n2,m,0,1,0\n");
    let ran = place
        .judica("look twice.csv")
        .exits(0)
        .says(&["--metric f1"]);
    assert!(!ran.stdout.contains("acc (2)'"), "{}", ran.stdout);
}
