//! Classes, numbers, calibration and repeats against scikit-learn and SciPy: what they say of
//! small random predictions stands in `fixtures/match/packages.json`, which
//! `tests/oracle/match_packages.py` wrote.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::answers::data::{lines, near, printed};
use crate::support::Place;

#[test]
fn every_number_equals_its_package() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/match/packages.json");
    let file: Value = serde_json::from_slice(&fs::read(path).expect("the fixture")).expect("JSON");
    let mut compared = 0;
    for case in file["cases"].as_array().expect("cases") {
        let place = Place::new();
        place.write("p.jsonl", lines(case["rows"].as_array().expect("rows")));
        let options = case["options"].as_str().expect("options");
        let line = format!("match --predictions p.jsonl --json {options}");
        let report = printed(&place.judica(&line).exits(0));
        for (at, expected) in case["expected"].as_object().expect("numbers") {
            let found = report.pointer(at).unwrap_or(&Value::Null);
            match expected.as_f64() {
                Some(expected) => near(found, expected),
                None => assert!(found.is_null(), "{options} {at}: {found}"),
            }
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}
