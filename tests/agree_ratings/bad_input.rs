//! What cannot be measured as it is: the run ends with its exit code, and leaves nothing.

use std::fs;

use crate::agree_ratings::data::{NOMINAL, fifty, gzip, place, with_csv};
use crate::support::{Place, TEMPORARY};

#[track_caller]
fn refused(text: &str, arguments: &str, words: &[&str]) {
    let place = with_csv(text);
    place.judica(arguments).exits(2).complains(words);
    assert_eq!(place.names("."), ["r.csv"]);
}

#[test]
fn unknown_columns_are_named_with_those_that_are_there() {
    let table = "id,who,what\n1,a,x\n";
    refused(
        table,
        NOMINAL,
        &["r.csv", "rater", "--rater", "`id`, `who`, `what`"],
    );
    refused(
        "item,rater,value\n1,a,x\n",
        &format!("{NOMINAL} --value nope"),
        &["r.csv", "`nope`", "`item`, `rater`, `value`"],
    );
    refused("1,a,x\n1,b,x\n", NOMINAL, &["r.csv", "--item"]);
    refused(
        "item,rater,score,label\n1,a,1,x\n",
        NOMINAL,
        &["`score`, `label`", "--value"],
    );
    refused(
        "item,rater,value,Value\n1,a,1,x\n",
        NOMINAL,
        &["value", "--value"],
    );
    refused(
        table,
        &format!("{NOMINAL} --item id --rater who --value id"),
        &["--item", "--value"],
    );
}

#[test]
fn unknown_keys_of_json_are_named_too() {
    let place = Place::new();
    place.write("r.jsonl", "{\"id\": 1, \"who\": 2}\n");
    let arguments = NOMINAL.replace("r.csv", "r.jsonl");
    place
        .judica(&arguments)
        .exits(2)
        .complains(&["r.jsonl", "`id`, `who`"]);
}

#[test]
fn words_have_no_order_of_their_own() {
    let table = "item,rater,value\n1,a,2\n1,b,low\n";
    refused(
        table,
        &NOMINAL.replace("nominal", "ordinal"),
        &["r.csv:3", "`low`", "--order"],
    );
}

#[test]
fn orders_that_are_none() {
    let table = "item,rater,value\n1,a,1\n1,b,2\n";
    for (level, order, words) in [
        ("interval", "1,2", ["--order", "nominal and ordinal"]),
        ("ratio", "1,2", ["--order", "nominal and ordinal"]),
        ("ordinal", "1,2,1", ["--order", "twice"]),
        ("ordinal", "1,1.0", ["--order", "same number"]),
        ("ordinal", "1,,2", ["--order", "blank"]),
    ] {
        let arguments = format!("{NOMINAL} --order {order}").replace("nominal", level);
        refused(table, &arguments, &words);
    }
}

#[test]
fn wrong_arguments() {
    let table = "item,rater,value\n1,a,1\n1,b,2\n";
    for (arguments, words) in [
        ("agree ratings --input r.csv", vec!["--level"]),
        ("agree ratings --level nominal", vec!["--input"]),
        (
            "agree ratings --input r.csv --level cardinal",
            vec!["cardinal", "interval"],
        ),
        (
            "agree ratings --input - --input - --level nominal",
            vec!["standard input"],
        ),
    ] {
        refused(table, arguments, &words);
    }
    for (extra, words) in [
        (
            "--weights heavy",
            vec!["heavy", "identity, linear, quadratic"],
        ),
        ("--confidence 2", vec!["--confidence"]),
        ("--threads 0", vec!["--threads"]),
        (
            "--categories a,b --order a,b",
            vec!["--categories", "--order"],
        ),
        ("--categories a,a", vec!["`a` is listed twice"]),
        ("--format csv", vec!["--json"]),
        ("--nonsense", vec!["--nonsense"]),
    ] {
        refused(table, &format!("{NOMINAL} {extra}"), &words);
    }
}

#[test]
fn files_that_are_not_there_or_are_folders() {
    let place = place(&fifty());
    fs::create_dir(place.path("folder")).expect("a folder");
    for (instead, word) in [
        ("nowhere.csv", "no such file"),
        ("nowhere.jsonl", "no such file"),
        ("nowhere", "no such file"),
        ("r.csv --input nowhere.csv", "no such file"),
    ] {
        place
            .judica(&format!("{NOMINAL} --out out/r.json").replace("r.csv", instead))
            .exits(3)
            .complains(&["SYSTEM_ERROR", word]);
        place.nothing_in("out");
    }
    // A folder is read, and in this one there is nothing.
    place
        .judica(&NOMINAL.replace("r.csv", "folder"))
        .exits(2)
        .complains(&["no data in this folder"]);
}

#[test]
fn compressed_files_that_are_cut() {
    let place = place(&fifty());
    let packed = gzip(&place.read("r.csv"));
    for keep in [packed.len() - 1, packed.len() / 2, 12] {
        place.write("r.csv.gz", &packed[..keep]);
        let arguments = format!("{NOMINAL} --out out/r.json").replace("r.csv", "r.csv.gz");
        place
            .judica(&arguments)
            .exits(3)
            .complains(&["SYSTEM_ERROR", "r.csv.gz"]);
        place.nothing_in("out");
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let place = place(&fifty());
    for option in ["--out", "--heatmap"] {
        place
            .judica(&format!("{NOMINAL} {option} /proc/judica/x"))
            .exits(3)
            .complains(&["SYSTEM_ERROR", "/proc/judica"]);
    }
    assert!(
        !place
            .names(".")
            .iter()
            .any(|name| name.ends_with(TEMPORARY))
    );
}

#[test]
fn a_header_that_is_not_text() {
    let place = Place::new();
    place.write("r.csv", b"item,\xff,value\n1,a,x\n");
    place
        .judica(NOMINAL)
        .exits(3)
        .complains(&["SYSTEM_ERROR", "r.csv", "header"]);
}

/// What the run reads must not be what it writes over.
#[test]
fn an_output_that_is_the_input_is_refused() {
    let place = place(&fifty());
    let before = place.read("r.csv");
    for option in ["--out", "--heatmap"] {
        place.judica(&format!("{NOMINAL} {option} r.csv")).exits(2);
        assert_eq!(place.read("r.csv"), before, "{option}");
    }
}
