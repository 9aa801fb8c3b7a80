//! Files of every version, read by every part.

use std::fs;
use std::path::PathBuf;

use super::migrate::migrate;
use super::validate::validate_text;
use crate::eval_json::EvalFile;

fn folder() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/episodes/eval"
    ))
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap()
}

/// What becomes of each file: its version, whether it is valid as it is, whether it can be
/// read, and whether it is valid once migrated (`None`: it cannot be).
#[rustfmt::skip]
const FIXTURES: &[(&str, &str, bool, bool, Option<bool>)] = &[
    ("invalid-nan.json", "1.0, unmarked", false, false, Some(true)),
    ("invalid-ranges.json", "1.0, unmarked", false, false, Some(false)),
    ("legacy-bare.json", "before 1.0", false, true, Some(false)),
    ("legacy-with-context.json", "before 1.0", false, true, Some(true)),
    ("v1.0-marked.json", "1.0", true, true, Some(true)),
    ("v1.0-unknown-metrics.json", "1.0, unmarked", true, true, Some(true)),
    ("v1.0-unmarked-coord.json", "1.0, unmarked", true, true, Some(true)),
    ("v1.0-unmarked-som.json", "1.0, unmarked", true, true, Some(true)),
    ("v1.7-future-minor.json", "1.7", true, true, Some(true)),
    ("v2.0-future-major.json", "", false, false, None),
];

#[test]
fn every_version_is_treated_as_promised() {
    let mut names: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let listed: Vec<&str> = FIXTURES.iter().map(|fixture| fixture.0).collect();
    assert_eq!(names, listed);
    for &(name, version, valid, readable, migrated) in FIXTURES {
        let bytes = fixture(name);
        let result = validate_text(name, &bytes);
        assert_eq!(result.valid, valid, "{name}: {:#?}", result.problems);
        assert_eq!(result.version.unwrap_or_default(), version, "{name}");
        assert_eq!(EvalFile::parse(name, &bytes).is_ok(), readable, "{name}");
        let migration = migrate(&bytes).ok();
        let after = migration.map(|m| validate_text(name, &m.text).valid);
        assert_eq!(after, migrated, "{name}");
    }
}

#[test]
fn every_problem_of_a_bad_file_is_said() {
    let result = validate_text("f", &fixture("invalid-ranges.json"));
    let found: Vec<_> = result
        .problems
        .iter()
        .map(|problem| (problem.line, problem.pointer.as_str(), problem.reason))
        .collect();
    assert_eq!(
        found,
        [
            (7, "/metrics/num_steps", "out_of_range"),
            (8, "/metrics/action_type_accuracy", "out_of_range"),
            (18, "/metrics/element_accuracy", "wrong_type"),
        ]
    );
}
