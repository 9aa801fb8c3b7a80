//! Values that differ so little that they may have been meant as one, and numbers that a
//! double cannot tell apart.

use serde_json::Value;

use crate::agree_ratings::data::with_csv;
use crate::support::{Place, refused};

const RATINGS: &str = "agree ratings --input r.csv --resamples 0";

fn measured(csv: &str, level: &str) -> (Place, Value) {
    let place = Place::new();
    place.write("r.csv", csv);
    let ran = place
        .judica(&format!("{RATINGS} --level {level} --json"))
        .exits(0);
    let report = serde_json::from_str(&ran.stdout).expect("JSON");
    (place, report)
}

fn noted(report: &Value, words: &str) -> bool {
    let notes = report["notes"].as_array().expect("notes");
    notes
        .iter()
        .any(|note| note.as_str().is_some_and(|note| note.contains(words)))
}

#[test]
fn capitals_blanks_and_ways_to_write_a_number_are_pointed_out() {
    let rows = [
        ("TRUE", "true"),
        ("a", "a "),
        ("1", "1.0"),
        ("other", "else"),
    ];
    let mut csv = String::from("item,rater,value\n");
    for (item, (first, second)) in rows.iter().enumerate() {
        csv.push_str(&format!("{item},x,{first}\n{item},y,{second}\n"));
    }
    let (place, report) = measured(&csv, "nominal");
    // They stay apart.
    assert_eq!(report["categories"], 8);
    assert_eq!(report["percent_agreement"]["value"], 0.0);
    for words in ["`TRUE` and `true`", "`a` and `a `", "`1` and `1.0`"] {
        assert!(noted(&report, words), "{words}: {}", report["notes"]);
    }
    assert!(!noted(&report, "`other`"));
    place
        .judica(&format!("{RATINGS} --level nominal"))
        .exits(0)
        .says(&["`TRUE` and `true`"]);
    let (_, plain) = measured("item,rater,value\n1,x,true\n1,y,false\n", "nominal");
    assert!(!noted(&plain, "alike"), "{}", plain["notes"]);
}

#[test]
fn raters_who_may_be_one_are_pointed_out() {
    let (_, report) = measured("item,rater,value\n1,Ana,a\n1,ana,b\n", "nominal");
    assert!(noted(&report, "`Ana` and `ana`"), "{}", report["notes"]);
    assert_eq!(report["raters"], 2);
    let (_, report) = measured("item,rater,value\nq1,x,a\nQ1,y,a\nq1,y,b\n", "nominal");
    assert!(noted(&report, "`Q1` and `q1`"), "{}", report["notes"]);
    assert_eq!(report["items"], 2);
}

/// 2^53 + 1 is no double; as one it would be 2^53.
#[test]
fn a_number_beyond_all_doubles_is_not_its_neighbour() {
    let csv = "item,rater,value\n1,x,9007199254740992\n1,y,9007199254740993\n\
               2,x,9007199254740994\n2,y,9007199254740994\n";
    for level in ["ordinal", "interval", "ratio"] {
        let (place, report) = measured(csv, level);
        assert_eq!(refused(&report, "inexact_number"), 1, "{level}");
        assert_eq!(
            [&report["ratings"], &report["categories"]],
            [3, 2],
            "{level}"
        );
        let rejects = place.json_lines("rejects.jsonl");
        assert_eq!(rejects[0]["raw"], "1,y,9007199254740993");
        place
            .judica(&format!("{RATINGS} --level {level}"))
            .exits(0)
            .says(&["inexact_number", "9007199254740993"]);
    }
    // Names are told apart by their digits.
    let (_, report) = measured(csv, "nominal");
    assert_eq!([&report["ratings"], &report["categories"]], [4, 3]);
    let lines = "{\"item\": 1, \"rater\": \"x\", \"value\": -9007199254740993}\n\
                 {\"item\": 1, \"rater\": \"y\", \"value\": 9007199254740993.0}\n";
    let place = with_csv("");
    place.write("r.jsonl", lines);
    let line = "agree ratings --input r.jsonl --level interval --json";
    let ran = place.judica(line);
    assert!(
        ran.stdout.is_empty() || ran.stdout.contains("inexact_number"),
        "{}",
        ran.stdout
    );
}
