//! What must not matter does not: threads, the order of rows, names.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::agree_ratings::data::{COEFFICIENTS, LEVELS, NOMINAL, Row, csv, place, report};
use crate::support::Place;

/// Ratings of many items by five raters who agree now and then; some are missing.
fn many(items: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    // A small generator of our own: its numbers must be the same everywhere.
    let mut state: u64 = 7;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for item in 0..items {
        let truth = next(5);
        for rater in 0..5 {
            let value = if next(3) == 0 { next(5) } else { truth };
            let text = if next(9) == 0 {
                String::new()
            } else {
                (value + 1).to_string()
            };
            rows.push((format!("item {item}"), format!("r{rater}"), text));
        }
    }
    rows
}

fn shuffled(rows: &[Row]) -> Vec<Row> {
    // 7919 is prime and divides no length used, so this is a permutation.
    assert_ne!(rows.len() % 7919, 0);
    (0..rows.len())
        .map(|i| rows[i * 7919 % rows.len()].clone())
        .collect()
}

/// Everything a run gives: what it prints and what it writes.
fn run(place: &Place, level: &str, more: &str) -> (String, BTreeMap<String, Vec<u8>>) {
    let arguments =
        format!("{NOMINAL} {more} --out out/r.json --heatmap out/k.svg").replace("nominal", level);
    let ran = place.judica(&arguments).exits(0);
    (ran.stdout, place.files("out"))
}

#[test]
fn the_number_of_threads_does_not_show() {
    let mut rows = many(1500);
    // Rows to refuse, so that there is a file of them, too.
    rows.insert(70, ("item 1".to_owned(), "r1".to_owned(), "inf".to_owned()));
    rows.push(rows[0].clone());
    let place = place(&rows);
    for level in ["ordinal", "interval"] {
        let one = run(&place, level, "--threads 1");
        assert_eq!(one.1.len(), 3);
        for threads in [2, 7] {
            let many = run(&place, level, &format!("--threads {threads}"));
            assert!(one == many, "{level} with {threads} threads");
        }
    }
}

#[test]
fn the_order_of_rows_does_not_show() {
    let rows = many(300);
    for level in LEVELS {
        let one = run(&place(&rows), level, "");
        let other = run(&place(&shuffled(&rows)), level, "");
        assert!(one == other, "{level}");
    }
}

#[test]
fn the_order_of_names_does_not_show_either() {
    let rows: Vec<Row> = many(60)
        .into_iter()
        .map(|(item, rater, value)| {
            (
                item,
                rater,
                if value.is_empty() {
                    value
                } else {
                    format!("v{value}")
                },
            )
        })
        .collect();
    let one = run(&place(&rows), "nominal", "");
    let other = run(&place(&shuffled(&rows)), "nominal", "");
    assert!(one == other);
}

/// A cluster that not every row of an item names, or that rows do not agree on, is the same
/// whichever of them comes first.
#[test]
fn which_row_names_the_cluster_does_not_matter() {
    let mut rows = vec![];
    for item in 0..6 {
        let own = if item == 0 { "c9" } else { "" };
        let second = if item < 3 { "x" } else { "y" };
        rows.push(format!("q{item},a,x,{own}"));
        rows.push(format!("q{item},b,{second},c{}", item / 3));
    }
    let measured = |rows: &[String]| {
        let text = format!("item,rater,value,cluster\n{}\n", rows.join("\n"));
        report(
            &crate::agree_ratings::data::with_csv(&text)
                .judica(NOMINAL)
                .exits(0),
        )
    };
    let one = measured(&rows);
    rows.reverse();
    let other = measured(&rows);
    assert_eq!(one["percent_agreement"]["clusters"], 2);
    for key in COEFFICIENTS {
        assert_eq!(one[key], other[key], "{key}");
    }
    let notes = one["notes"].to_string();
    assert!(
        notes.contains("several clusters") && notes.contains("`q0`"),
        "{notes}"
    );
    assert!(!notes.contains("`q1`"), "{notes}");
    assert_eq!(one["notes"], other["notes"]);
}

/// New names for items, raters and labels, in the same order, change no coefficient.
#[test]
fn names_do_not_matter() {
    let rows = many(80);
    let renamed: Vec<Row> = rows
        .iter()
        .map(|(item, rater, value)| {
            let value = if value.is_empty() {
                String::new()
            } else {
                format!("label {value}")
            };
            (format!("{item}, \"x\""), format!("rater {rater}"), value)
        })
        .collect();
    let read = |rows: &[Row]| report(&place(rows).judica(NOMINAL).exits(0));
    let (one, other) = (read(&rows), read(&renamed));
    for key in COEFFICIENTS {
        for part in ["value", "ci", "n"] {
            assert_eq!(one[key][part], other[key][part], "{key}");
        }
    }
}

#[test]
fn a_missing_row_an_empty_cell_and_a_null_are_the_same() {
    let rows = many(40);
    let rated: Vec<Row> = rows
        .iter()
        .filter(|row| !row.2.is_empty())
        .cloned()
        .collect();
    assert!(rated.len() < rows.len());
    let full = report(&place(&rows).judica(NOMINAL).exits(0));
    let short = report(&place(&rated).judica(NOMINAL).exits(0));
    let place = Place::new();
    let line = |row: &Row| {
        let value = if row.2.is_empty() {
            Value::Null
        } else {
            row.2.as_str().into()
        };
        serde_json::json!({"item": row.0, "rater": row.1, "value": value}).to_string()
    };
    place.write_lines("r.jsonl", &rows.iter().map(line).collect::<Vec<_>>());
    let null = report(&place.judica(&NOMINAL.replace("r.csv", "r.jsonl")).exits(0));
    for key in COEFFICIENTS {
        assert_eq!(full[key], short[key], "{key}");
        assert_eq!(full[key], null[key], "{key}");
    }
    assert_eq!(full["missing"], rows.len() - rated.len());
    assert_eq!(csv(&rows).lines().count(), rows.len() + 1);
}
