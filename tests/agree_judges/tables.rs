//! Judged data sets as tables: the same agreement, places and rejects.

use serde_json::Value;

use crate::agree_judges::data::{JUDGES, rows};
use crate::support::tables::{Written, arrow, parquet, separated};
use crate::support::{Place, gzip, raw_bytes};

const SAID: [(&str, &str); 3] = [("a", "yynny-y"), ("b", "ynnnyyy"), ("c", "yyny-ny")];

/// The report without what says where it comes from.
fn report(place: &Place, more: &str) -> Value {
    place.judica(&format!("{JUDGES} {more}")).exits(0);
    let mut report = place.json("out/report.json");
    let keys = report.as_object_mut().expect("an object");
    keys.remove("read");
    keys.remove("notes");
    report
}

fn written(name: &str, write: impl Fn(&[Value]) -> Vec<u8>) -> Place {
    let place = Place::new();
    for (judge, said) in SAID {
        place.write(&format!("eval/{judge}/{name}"), write(&rows(said)));
    }
    place
}

#[test]
fn every_format_gives_the_same_report() {
    let lines = |rows: &[Value]| {
        let lines: Vec<String> = rows.iter().map(|row| format!("{row}\n")).collect();
        lines.concat().into_bytes()
    };
    let expected = report(&written("one.jsonl", lines), "--disagreements 3");
    assert!(
        expected["disagreements"][0]["reasoning"]["b"].is_string(),
        "{expected}"
    );
    let formats: [(&str, Written); 4] = [
        ("one.csv", |rows| separated(rows, ",").into_bytes()),
        ("one.tsv.gz", |rows| gzip(separated(rows, "\t").as_bytes())),
        ("one.parquet", parquet),
        ("one.arrow", arrow),
    ];
    for (name, write) in formats {
        let place = written(name, write);
        assert_eq!(report(&place, "--disagreements 3"), expected, "{name}");
        let line = "agree judges --eval-dir eval --run r --resamples 50";
        place
            .judica(line)
            .exits(0)
            .says(&[&format!("a/{name}: read as ")]);
        let manifest = place.json("r/manifest.json");
        assert!(manifest["inputs"][0]["read_as"].is_string(), "{manifest}");
        place.judica("reproduce r").exits(0).says(&["identical"]);
        place.judica("show r :1").exits(0).says(&["input 0"]);
        // Made of the table, it says nothing more.
        place.write("eval/a/one.json", "[]");
        place.judica(line).exits(0);
    }
}

#[test]
fn columns_are_named_in_tables_and_in_json() {
    let place = Place::new();
    let renamed = |said: &str| -> Vec<Value> {
        let rename = |mut row: Value| {
            let keys = row.as_object_mut().expect("an object");
            for (from, to) in [("correct", "verdict"), ("gold", "truth")] {
                let value = keys.remove(from).expect("a field");
                keys.insert(to.to_owned(), value);
            }
            row
        };
        rows(said).into_iter().map(rename).collect()
    };
    place.write("eval/a/one.csv", separated(&renamed("yyn"), ","));
    place.write("eval/b/one.json", Value::from(renamed("ynn")).to_string());
    let line = format!("{JUDGES} --column correct=verdict --column gold=truth");
    place.judica(&line).exits(0);
    assert_eq!(place.json("out/report.json")["items"], 3);
    // People's tables have names of their own.
    place.write(
        "people.csv",
        separated(&rows("yyn"), ",").replace("correct", "label"),
    );
    let line =
        format!("{line} --human people.csv --column human.correct=label --column human.gold=gold");
    let line = line
        .replace("correct=verdict", "judges.correct=verdict")
        .replace("gold=truth", "judges.gold=truth");
    place.judica(&line).exits(0);
    assert_eq!(place.json("out/report.json")["human"]["matched_items"], 3);
    for (said, words) in [
        ("--column colour=x", "there is no field `colour`"),
        ("--column gold=a --column expected=b", "said twice"),
        ("--column epoch=run", "--column epoch=run: no row has it"),
        ("--column human.rater=who", "no row has it"),
    ] {
        let line = format!("{JUDGES} {said}");
        place.judica(&line).exits(2).complains(&[words]);
    }
}

#[test]
fn rows_that_cannot_be_used_are_kept_as_they_stand() {
    let place = Place::new();
    let text =
        "input,prediction,correct\nx,1,yes\ny,2\nz,3,perhaps\ninput,prediction,correct\nx,1,no\n";
    place.write("eval/a/one.csv", text);
    place.write(
        "eval/b/one.csv",
        "input,prediction,correct\nx,1,yes\nz,3,no\n",
    );
    place.judica(JUDGES).exits(0);
    let rejects = place.json_lines("out/rejects.jsonl");
    assert_eq!(rejects.len(), 4);
    for reject in &rejects {
        let at = reject["byte_offset"].as_u64().expect("an offset") as usize;
        let raw = raw_bytes(reject);
        assert_eq!(&text.as_bytes()[at..at + raw.len()], raw);
    }
    place.write("eval/a/one.csv", "");
    place.judica(JUDGES).exits(0);
}
