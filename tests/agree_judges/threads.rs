//! Neither the number of threads nor the order in which files came to be shows in a byte.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::agree_judges::data::{judged, row, row_with};
use crate::support::Place;

const EVERYTHING: &str = "agree judges --eval-dir eval --human human.json --out out/report.json --heatmap out/map.svg \
                          --aggregate dawid-skene --disagreements 50 --resamples 200";

/// Files of seven judges on three data sets, with rows of every kind, and people.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for judge in 0..7 {
        for set in 0..3 {
            let mut said: Vec<Value> = Vec::new();
            for item in 0..60 {
                let mix = (item * 31 + set * 7 + item * item * (judge + 1)) % 11;
                said.push(match mix {
                    0 => continue,
                    1 => row(item, "perhaps"),
                    2 => row_with(item, "yes", json!({"decision_method": "exact"})),
                    _ => row(item, if mix < 7 { "yes" } else { "no" }),
                });
                if item % 17 == judge {
                    said.push(row(item, "no"));
                }
            }
            let dataset = format!("set {set}");
            let name = match judge {
                6 => format!("eval/{dataset} by six.json"),
                _ => format!("eval/judge {judge}/{dataset}.json"),
            };
            files.push((name, judged(&format!("judge {judge}"), &dataset, &said)));
        }
    }
    let people: Vec<Value> = (0..70)
        .map(|item| row(item, if item % 3 == 0 { "no" } else { "yes" }))
        .collect();
    files.push(("human.json".to_owned(), json!(people).to_string()));
    files
}

fn place<'f>(files: impl IntoIterator<Item = &'f (String, String)>) -> Place {
    let place = Place::new();
    for (name, text) in files {
        place.write(name, text);
    }
    place
}

/// What is printed, and every file that is written.
#[track_caller]
fn run(place: &Place, options: &str) -> (String, BTreeMap<String, Vec<u8>>) {
    let ran = place.judica(&format!("{EVERYTHING} {options}")).exits(0);
    (ran.stdout, place.files("out"))
}

#[track_caller]
fn same(ours: &(String, BTreeMap<String, Vec<u8>>), theirs: &(String, BTreeMap<String, Vec<u8>>)) {
    assert_eq!(ours.0, theirs.0);
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&ours.1), ["map.svg", "rejects.jsonl", "report.json"]);
    assert_eq!(names(&ours.1), names(&theirs.1));
    for (name, bytes) in &ours.1 {
        assert!(bytes == &theirs.1[name], "{name} differs");
    }
}

#[test]
fn any_number_of_threads() {
    let place = place(&files());
    let one = run(&place, "--threads 1");
    let report: Value = serde_json::from_slice(&one.1["report.json"]).expect("JSON");
    assert_eq!(report["judges"].as_array().map(Vec::len), Some(7));
    assert!(
        report["disagreement_items"]
            .as_u64()
            .is_some_and(|n| n > 50)
    );
    for threads in [2, 7, 32] {
        same(&one, &run(&place, &format!("--threads {threads}")));
    }
    same(&one, &run(&place, ""));
}

#[test]
fn any_order_of_making_the_files() {
    let files = files();
    let forwards = run(&place(&files), "");
    same(&forwards, &run(&place(files.iter().rev()), ""));
    // 5 divides no count of files here, so this is a permutation.
    assert_ne!(files.len() % 5, 0);
    let mixed = (0..files.len()).map(|at| &files[at * 5 % files.len()]);
    same(&forwards, &run(&place(mixed), ""));
}

/// Numbers do not depend on the order of rows either, as long as nobody repeats himself.
#[test]
fn any_order_of_rows() {
    let said = |judge: usize| -> Vec<Value> {
        (0..80)
            .map(|item| {
                row(
                    item,
                    if (item * (judge + 3)) % 5 < 3 {
                        "yes"
                    } else {
                        "no"
                    },
                )
            })
            .collect()
    };
    let numbers = |mix: bool| {
        let place = Place::new();
        for judge in 0..3 {
            let mut rows = said(judge);
            if mix {
                rows.rotate_left(11 * (judge + 1));
                rows.reverse();
            }
            crate::agree_judges::data::judge(&place, &format!("judge {judge}"), "one", &rows);
        }
        let report = crate::agree_judges::data::measured(&place, "");
        [
            "overall",
            "pairwise",
            "per_source",
            "coverage",
            "effective_judges",
            "disagreement_items",
        ]
        .map(|key| report[key].clone())
    };
    assert_eq!(numbers(true), numbers(false));
}

#[test]
fn more_threads_than_files() {
    let place = place(&files()[..2]);
    place.write("human.json", json!([row(0, "yes")]).to_string());
    let line = EVERYTHING.replace(" --disagreements 50", "");
    place.judica(&format!("{line} --threads 64")).exits(0);
    let many = place.files("out");
    place.judica(&format!("{line} --threads 1")).exits(0);
    assert!(place.files("out") == many);
}
