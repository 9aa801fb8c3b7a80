//! Logs of promptfoo.

use crate::import::shown::{log, records, verdicts};
use crate::support::{Place, gzip, zstd};

fn row(test: u32, prompt: u32, q: &str, rest: &str) -> String {
    format!(
        r#"{{"testIdx": {test}, "promptIdx": {prompt}, "testCase": {{"vars": {{"q": "{q}"}}, "assert": []}}, "prompt": {{"raw": "ask {q}", "label": "p{prompt}"}}, "provider": {{"id": "echo", "label": ""}}, "response": {{"output": "out"}}, {rest}}}"#
    )
}

const PASSED: &str = r#""score": 1, "success": true, "failureReason": 0, "namedScores": {"Case": 1}, "gradingResult": {"namedScoreWeights": {"Case": 2}}, "latencyMs": 4, "cost": 0.5"#;
const FAILED: &str = r#""score": 0.25, "success": false, "failureReason": 1, "error": "no match", "namedScores": {}, "gradingResult": {"reason": "no match"}, "latencyMs": 1"#;
const ERROR: &str = r#""score": 0, "success": false, "failureReason": 2, "error": "503", "gradingResult": null, "namedScores": {}"#;

fn rows() -> Vec<String> {
    vec![
        row(1, 0, "x", PASSED),
        row(0, 0, "x", FAILED),
        row(2, 0, "y", ERROR),
        row(0, 1, "x", PASSED),
    ]
}

fn document(version: u32) -> String {
    let metrics = |score: f64, passed: u32, failed: u32, errors: u32| {
        format!(
            r#""metrics": {{"score": {score}, "testPassCount": {passed}, "testFailCount": {failed}, "testErrorCount": {errors}, "namedScores": {{"Case": 2}}, "namedScoreWeights": {{"Case": 2}}}}"#
        )
    };
    format!(
        r#"{{"evalId": "eval-1", "results": {{"version": {version}, "timestamp": "2026-11-15T21:29:50Z", "prompts": [{{"label": "p0", "provider": "echo", {}}}, {{"label": "p1", "provider": "echo", {}}}], "results": [{}], "stats": {{"successes": 2, "failures": 1, "errors": 1}}}}, "config": {{"description": "mine"}}}}"#,
        metrics(1.25, 1, 1, 1),
        metrics(1.0, 1, 0, 0),
        rows().join(",\n")
    )
}

#[test]
fn tests_that_moved_are_noted_where_runs_are_compared() {
    let place = Place::new();
    let all = ["x", "y", "z"];
    let log = |name: &str, tests: &[&str]| {
        let rows = (0..).zip(tests).map(|(at, q)| row(at, 0, q, PASSED));
        place.write_lines(&format!("{name}.jsonl"), &rows.collect::<Vec<_>>());
        let import = format!("import {name}.jsonl --run {name} --dataset d");
        place.judica(&import).exits(0);
    };
    log("before", &all);
    log("again", &all);
    log("inserted", &["x", "new", "y", "z"]);
    let moved = place.judica("compare before inserted").exits(0);
    moved.says(&["2 of 3 paired items have another `input` in before than in inserted"]);
    let same = place.judica("compare before again").exits(0);
    assert!(!same.stdout.contains("another `input`"), "{}", same.stdout);
}

#[test]
fn rows_as_lines_and_in_a_document_are_the_same() {
    let place = Place::new();
    place.write_lines("out.jsonl", &rows());
    place.write("out.json", document(3));
    place
        .judica("import out.jsonl --run lines --dataset mine")
        .exits(0);
    place.judica("import out.json --run document").exits(0);
    let columns = [
        "score_scorer",
        "pass",
        "Case",
        "latency_ms",
        "usd",
        "output",
    ];
    let expected = [
        "mine 0 2 echo / p0 pass 1.0 1.0 1.0 4.0 0.5 out",
        "mine 0 1 echo / p0 fail 0.25 0.0 - 1.0 - out",
        // An error is no 0, though promptfoo writes one.
        "mine 2 1 echo / p0 error - - - - - out",
        "mine 0 1 echo / p1 pass 1.0 1.0 1.0 4.0 0.5 out",
    ];
    assert_eq!(records(&place, "lines", &columns), expected);
    assert_eq!(records(&place, "document", &columns), expected);
    // And its own sums count that 0.
    assert!(
        verdicts(&place, "document")
            .iter()
            .all(|line| line.ends_with(" equal"))
    );
    assert_eq!(verdicts(&place, "document").len(), 3 + 2 * 6);
    let counts = &log(&place, "document")["counts"];
    assert_eq!((&counts["used"], &counts["errors"]), (&4.into(), &1.into()));
    let manifest = place.json("document/manifest.json");
    let primary: Vec<_> = manifest["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|metric| metric["primary"] == true)
        .collect();
    assert_eq!(primary[0]["name"], "score_scorer");
    place.judica("reproduce document").exits(0);
}

#[test]
fn equal_subjects_are_numbered_and_versions_are_said() {
    let place = Place::new();
    let alike: Vec<String> = rows().iter().map(|row| row.replace("p1", "p0")).collect();
    place.write_lines("out.jsonl", &alike);
    place.judica("import out.jsonl --run run").exits(0);
    let shown = records(&place, "run", &[]);
    assert_eq!(shown[0], "out 0 2 echo / p0#0 pass");
    assert_eq!(shown[3], "out 0 1 echo / p0#1 pass");
    place.write("new.json", document(4));
    place.judica("import new.json --run new").exits(0);
    let note = log(&place, "new")["notes"][0].to_string();
    assert!(note.contains("is 4; 3 was expected"), "{note}");
}

#[test]
fn a_row_that_cannot_be_read_is_kept_and_nothing_is_checked() {
    let place = Place::new();
    let text = document(3);
    place.write(
        "cut.json",
        text.replacen("\"promptIdx\": 1", "\"promptIdx\" 1", 1),
    );
    place.judica("import cut.json --run run").exits(0);
    assert_eq!(records(&place, "run", &[]).len(), 3);
    let reject = &place.json_lines("run/rejects.jsonl")[0];
    assert_eq!(reject["reason"], "malformed_json");
    let raw = reject["raw"].as_str().unwrap();
    assert!(raw.contains("\"promptIdx\" 1"), "{raw}");
    let offset = reject["byte_offset"].as_u64().unwrap() as usize;
    assert!(place.text("cut.json")[offset..].starts_with(raw));
    assert!(
        verdicts(&place, "run")
            .iter()
            .all(|line| line.ends_with(" unchecked"))
    );
    place
        .judica("import cut.json --run strict --strict")
        .exits(2);
}

/// What is too long is so wherever what is read at once ends.
#[test]
fn a_row_is_too_long_however_its_file_is_written() {
    let place = Place::new();
    let mut rows = vec![row(0, 0, "x", PASSED)];
    // One is short enough to be kept whole.
    for (test, length) in (1..).zip([20_000, 150_000, 150_000, 150_000, 150_000, 150_000]) {
        rows.push(row(test, 0, &"q".repeat(length), PASSED));
    }
    place.write_lines("out.jsonl", &rows);
    let text = format!(
        r#"{{"results": {{"version": 3, "results": [{}]}}}}"#,
        rows.join(",")
    );
    place.write("out.json", &text);
    place.write("out.json.gz", gzip(text.as_bytes()));
    place.write("out.json.zst", zstd(text.as_bytes()));
    let refused = |file: &str| {
        let import = format!("import {file} --as promptfoo --max-line 32KiB --run {file}.run");
        place
            .judica(&import)
            .exits(0)
            .says(&["inputs 7 = records 1 + rejects 6"]);
        let mut rejects = place.json_lines(&format!("{file}.run/rejects.jsonl"));
        for reject in &mut rejects {
            assert_eq!(reject["reason"], "line_too_long");
            let places = ["file", "line", "byte_offset", "detail"];
            let reject = reject.as_object_mut().unwrap();
            reject.retain(|key, _| !places.contains(&key.as_str()));
        }
        rejects
    };
    let lines = refused("out.jsonl");
    assert_eq!(lines[0]["raw"], rows[1].as_str());
    assert_eq!(lines[1]["raw_bytes"], rows[2].len());
    for file in ["out.json", "out.json.gz", "out.json.zst"] {
        assert_eq!(refused(file), lines, "{file}");
    }
}
