//! Every way in which ratings may come gives the report of the plain one.

use serde_json::{Value, json};

use crate::agree_ratings::data::{NOMINAL, Row, csv, fifty, gzip, place, report, zstd};
use crate::support::Place;

fn expected() -> String {
    place(&fifty()).judica(NOMINAL).exits(0).stdout
}

#[track_caller]
fn same_from(place: &Place, file: &str) {
    let ran = place.judica(&NOMINAL.replace("r.csv", file)).exits(0);
    assert!(ran.stdout == expected(), "{file}: {}", ran.stdout);
}

fn objects(rows: &[Row]) -> Vec<Value> {
    let object = |(item, rater, value): &Row| json!({"item": item, "rater": rater, "value": value});
    rows.iter().map(object).collect()
}

fn json_lines(rows: &[Row]) -> String {
    objects(rows).iter().map(|row| format!("{row}\n")).collect()
}

#[test]
fn comma_and_tab_separated_values() {
    let place = Place::new();
    let text = csv(&fifty());
    let plain = text.replace('"', "");
    for (name, text) in [
        ("quoted.csv", text.clone()),
        ("plain.csv", plain.clone()),
        ("tabs.tsv", plain.replace(',', "\t")),
        ("tabs.tab", plain.replace(',', "\t")),
        (
            "mark.csv",
            format!("\u{feff}{}", plain.replace('\n', "\r\n")),
        ),
        (
            "mark_quoted.csv",
            format!("\u{feff}{}", text.replacen("item", "\"item\"", 1)),
        ),
        (
            "blank.csv",
            format!("\n\n{}\n\n", plain.replace('\n', "\n\n")),
        ),
        ("no_end.csv", plain.trim_end().to_owned()),
        ("no_extension", plain.clone()),
        (
            "CAPITALS.CSV",
            plain.replace("item,rater,value", "ITEM, Rater ,value"),
        ),
    ] {
        place.write(name, text);
        same_from(&place, name);
    }
}

#[test]
fn more_columns_in_any_order() {
    let place = Place::new();
    let line = |(item, rater, value): &Row| format!("{value},note,{item},\"a, b\"\"\n\",{rater}\n");
    let lines: String = fifty().iter().map(line).collect();
    place.write("x.csv", format!("value,note,item,comment,rater\n{lines}"));
    same_from(&place, "x.csv");
}

#[test]
fn json_lines_arrays_and_compressed_files() {
    let place = Place::new();
    let (rows, lines) = (objects(&fifty()), json_lines(&fifty()));
    let table = csv(&fifty());
    for (name, bytes) in [
        ("r.jsonl", lines.clone().into_bytes()),
        (
            "r.ndjson",
            format!("\u{feff}{}", lines.replace('\n', "\r\n\r\n")).into_bytes(),
        ),
        ("r.json", json!(rows).to_string().into_bytes()),
        (
            "pretty.json",
            serde_json::to_vec_pretty(&rows).expect("JSON"),
        ),
        ("no_extension", lines.clone().into_bytes()),
        (
            "array_without_extension",
            json!(rows).to_string().into_bytes(),
        ),
        ("r.jsonl.gz", gzip(lines.as_bytes())),
        ("r.jsonl.zst", zstd(lines.as_bytes())),
        ("r.csv.gz", gzip(table.as_bytes())),
        ("r.csv.zst", zstd(table.as_bytes())),
        (
            "r.tsv.gz",
            gzip(
                table
                    .replace("\",\"", "\"\t\"")
                    .replace("item,rater,value", "item\trater\tvalue")
                    .as_bytes(),
            ),
        ),
    ] {
        place.write(name, bytes);
        same_from(&place, name);
    }
}

#[test]
fn standard_input_in_every_format() {
    let place = Place::new();
    let (table, lines) = (csv(&fifty()), json_lines(&fifty()));
    let array = serde_json::to_vec_pretty(&objects(&fifty())).expect("JSON");
    for bytes in [
        table.clone().into_bytes(),
        lines.clone().into_bytes(),
        array,
        gzip(table.as_bytes()),
        gzip(lines.as_bytes()),
        zstd(lines.as_bytes()),
        format!("\u{feff}{table}").into_bytes(),
        format!("\n\n  {lines}").into_bytes(),
    ] {
        let ran = place
            .judica_with_stdin(&NOMINAL.replace("r.csv", "-"), bytes)
            .exits(0);
        assert!(ran.stdout == expected(), "{}", ran.stdout);
    }
    assert_eq!(place.names("."), Vec::<String>::new());
}

/// What a pipe gives cannot be read twice, not even to tell its format.
#[test]
fn a_pipe_in_every_format() {
    let place = Place::new();
    let pipe = place.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    for text in [csv(&fifty()), json_lines(&fifty())] {
        let pipe = pipe.clone();
        let writer = std::thread::spawn(move || std::fs::write(pipe, text));
        same_from(&place, "pipe");
        writer.join().expect("a thread").expect("written");
    }
}

#[test]
fn several_files_are_one_table() {
    let place = Place::new();
    let rows = fifty();
    let (first, second) = rows.split_at(37);
    place.write("a.csv", csv(first));
    place.write("b.jsonl", json_lines(second));
    same_from(&place, "a.csv --input b.jsonl");
    let arguments = NOMINAL.replace("r.csv", "- --input a.csv");
    let ran = place
        .judica_with_stdin(&arguments, json_lines(second))
        .exits(0);
    assert!(ran.stdout == expected());
    // A rating that stands in both is told with the file it was met in.
    let ran = place
        .judica(&NOMINAL.replace("r.csv", "a.csv --input b.jsonl --input a.csv"))
        .exits(0);
    let refused = &report(&ran)["refused"][0];
    assert_eq!(
        (&refused["reason"], &refused["count"]),
        (&json!("duplicate_rating"), &json!(37))
    );
    assert_eq!(refused["examples"][0]["file"], "a.csv");
    assert_eq!(refused["examples"][0]["line"], 2);
}

#[test]
fn values_of_json_may_be_numbers_and_truths() {
    let place = Place::new();
    let text = "{\"item\": 1, \"rater\": 7, \"value\": true}\n{\"item\": 1.0, \"rater\": \"8\", \"value\": false}\n\
                {\"item\": 2, \"rater\": 7, \"value\": true}\n{\"item\": \"2\", \"rater\": 8, \"value\": true}\n\
                {\"item\": 3, \"rater\": 7, \"value\": null}\n";
    place.write("r.jsonl", text);
    let report = report(&place.judica(&NOMINAL.replace("r.csv", "r.jsonl")).exits(0));
    assert_eq!(
        (&report["items"], &report["raters"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(
        (&report["ratings"], &report["missing"]),
        (&json!(4), &json!(1))
    );
    assert_eq!(report["labels"], json!(["false", "true"]));
    assert_eq!(report["percent_agreement"]["value"], 0.5);
}

#[test]
fn numbers_written_differently_are_the_same_value() {
    let place = Place::new();
    place.write(
        "r.csv",
        "item,rater,value\n1,a,1\n1,b,1.0\n2,a,2\n2,b,2e0\n3,a, 3 \n3,b,+3\n4,a,-0\n4,b,0\n",
    );
    for level in ["nominal", "ordinal", "interval"] {
        let report = report(&place.judica(&NOMINAL.replace("nominal", level)).exits(0));
        assert_eq!(report["categories"], 4, "{level}: {}", report["labels"]);
        assert_eq!(report["percent_agreement"]["value"], 1.0, "{level}");
    }
}
