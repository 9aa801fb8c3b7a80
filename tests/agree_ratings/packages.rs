//! The coefficients against scikit-learn, statsmodels, krippendorff and irrCAC: what they
//! say of small random tables stands in `fixtures/agreement/packages.json`, which
//! `tests/oracle/agreement_packages.py` wrote.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::agree_ratings::data::{COEFFICIENTS, Row, place, report};

/// How far apart two results may be.
const NEAR: f64 = 1e-9;

fn cases() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/agreement/packages.json");
    let file: Value = serde_json::from_slice(&fs::read(path).expect("the fixture")).expect("JSON");
    file["cases"].as_array().expect("cases").clone()
}

/// The rows of a case. A missing rating is an empty cell or no row at all.
fn rows(case: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    for (item, ratings) in case["ratings"]
        .as_array()
        .expect("items")
        .iter()
        .enumerate()
    {
        for (rater, value) in ratings.as_array().expect("ratings").iter().enumerate() {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Null if item % 2 == 0 => continue,
                Value::Null => String::new(),
                number => number.to_string(),
            };
            rows.push((format!("i{item}"), format!("r{}", rater + 1), text));
        }
    }
    rows
}

#[track_caller]
fn same(found: &Value, expected: &Value, what: &str) {
    match (found["value"].as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => {
            assert!(
                (found - expected).abs() <= NEAR,
                "{what}: {found} and not {expected}"
            );
        }
        (None, None) => assert!(found["undefined"].is_string(), "{what}: {found}"),
        _ => panic!("{what}: {found} and not {expected}"),
    }
}

#[test]
fn every_coefficient_equals_its_package() {
    let cases = cases();
    assert!(cases.len() >= 40);
    for case in &cases {
        let text = |key: &str| case[key].as_str().expect("text");
        let mut arguments = format!(
            "agree ratings --input r.csv --json --resamples 0 --level {} --weights {}",
            text("level"),
            text("weights")
        );
        if let Some(order) = case["order"].as_array() {
            let labels: Vec<&str> = order.iter().filter_map(Value::as_str).collect();
            arguments += &format!(" --order {}", labels.join(","));
        }
        let report = report(&place(&rows(case)).judica(&arguments).exits(0));
        let expected = &case["expected"];
        for key in COEFFICIENTS {
            same(
                &report[key],
                &expected[key],
                &format!("{} {key}", text("name")),
            );
        }
        let pairs = report["pairwise"].as_array().expect("pairs");
        let theirs = expected["pairwise"].as_array().expect("pairs");
        assert_eq!(pairs.len(), theirs.len());
        for (pair, theirs) in pairs.iter().zip(theirs) {
            assert_eq!(
                (&pair["raters"][0], &pair["raters"][1]),
                (&theirs[0], &theirs[1])
            );
            same(
                &pair["cohen_kappa"],
                &theirs[2],
                &format!("{} {}", text("name"), pair["raters"]),
            );
        }
    }
}
