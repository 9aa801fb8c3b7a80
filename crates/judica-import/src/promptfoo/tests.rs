use super::*;
use crate::testing::{checks, files, found, texts};

fn log(name: &str, text: &str) -> (tempfile::TempDir, Promptfoo) {
    let folder = tempfile::tempdir().expect("folder");
    let written = files(folder.path(), &[(name, text)]);
    let log = Promptfoo::open(&written).expect("opened");
    (folder, log)
}

/// A row: test, prompt, what is asked, and what came of it.
fn row(test: u32, prompt: u32, q: &str, rest: &str) -> String {
    format!(
        r#"{{"testIdx": {test}, "promptIdx": {prompt}, "testCase": {{"metadata": {{"group": true}}, "vars": {{"q": "{q}"}}, "assert": [{{"type": "equals", "value": "{q}"}}]}}, "vars": {{"q": "{q}"}}, "prompt": {{"raw": "ask {q}", "label": "p"}}, "provider": {{"id": "echo", "label": ""}}, "response": {{"output": {{"a": 1}}}}, {rest}}}"#
    )
}

const PASSED: &str = r#""score": 1, "success": true, "failureReason": 0, "namedScores": {"Case": 0.5}, "gradingResult": {"reason": "all passed", "namedScoreWeights": {"Case": 2}}, "latencyMs": 4, "cost": 0.25, "tokenUsage": {"prompt": 8, "completion": 4}"#;
const FAILED: &str = r#""score": 0.5, "success": false, "failureReason": 1, "error": "below the threshold", "namedScores": {}, "gradingResult": {}"#;
const ERROR: &str = r#""score": 0, "success": false, "failureReason": 2, "error": "503", "gradingResult": null, "namedScores": {}, "latencyMs": 1, "cost": 0"#;

#[test]
fn equal_items_are_repeats_and_an_error_is_no_zero() {
    // In order of completion; tests 1 and 5 ask the same, and test 3 something else.
    let rows = [
        row(5, 0, "x", PASSED),
        row(1, 0, "x", FAILED),
        row(3, 0, "y", ERROR),
        row(5, 1, "x", PASSED),
        "not a row".to_owned(),
        row(3, 1, "y", FAILED).replace("testIdx", "tset"),
    ];
    let (_folder, mut log) = log("out.jsonl", &rows.join("\n"));
    assert_eq!(
        found(&mut log),
        [
            "out 1 2 echo / p#0 score=1 pass=1 Case=0.5",
            "out 1 1 echo / p#0 score=0.5 pass=0",
            "out 3 1 echo / p#0 error: 503",
            // In the other arm test 5 is the only one of its item.
            "out 1 1 echo / p#1 score=1 pass=1 Case=0.5",
            "refused 5 malformed_json",
            "refused 6 missing_field",
        ]
    );
    assert_eq!(
        texts(&mut log)[0],
        r#"ask x | [{"type":"equals","value":"x"}] | {"a":1} [4 8 4 0.25] metadata.group=true"#
    );
    assert_eq!(checks(&mut log), [""; 0]);
    assert_eq!(log.about().status, "rows alone");
}

#[test]
fn a_label_that_reads_like_a_number_of_another_is_a_subject_of_its_own() {
    let label = |prompt: u32, label: &str| {
        row(0, prompt, "x", ERROR).replace(r#""label": "p""#, &format!(r#""label": "{label}""#))
    };
    let rows = [label(0, "p"), label(1, "p"), label(2, "p#1"), label(3, "q")];
    let (_folder, log) = log("out.jsonl", &rows.join("\n"));
    let subjects: Vec<&str> = log.subjects.values().map(String::as_str).collect();
    assert_eq!(
        subjects,
        ["echo / p#0", "echo / p#1#1", "echo / p#1", "echo / q"]
    );
}

fn document(version: &str, rows: &[String], after: &str) -> String {
    format!(
        r#"{{"evalId": "e", "results": {{{version} "timestamp": "2026", "prompts": [{{"label": "p", "provider": "custom", "metrics": {{"score": 1.5, "testPassCount": 1, "testFailCount": 1, "testErrorCount": 1, "totalLatencyMs": 5, "cost": 0.25, "namedScores": {{"Case": 1, "made": 3}}, "namedScoreWeights": {{"Case": 2}}}}}}], "results": [{}], "stats": {{"successes": 1, "failures": 1, "errors": 2}}}}, "config": {{"description": "my eval"}}{after}"#,
        rows.join(", ")
    )
}

#[test]
fn its_own_sums_count_the_zero_of_an_error() {
    let rows = [
        row(0, 0, "x", PASSED),
        row(1, 0, "x", FAILED),
        row(2, 0, "z", ERROR),
    ];
    let text = document(r#""version": 3,"#, &rows, "}");
    let (_folder, mut log) = log("out.json", &text);
    assert_eq!(
        found(&mut log)[1],
        "my eval 0 2 custom / p score=0.5 pass=0"
    );
    assert_eq!(
        checks(&mut log),
        [
            "pass - stats.successes equal",
            "pass - stats.failures equal",
            "pass - stats.errors Some(2.0) Some(1.0)",
            "score custom / p score equal",
            "pass custom / p testPassCount equal",
            "pass custom / p testFailCount equal",
            "pass custom / p testErrorCount equal",
            "latency_ms custom / p totalLatencyMs equal",
            "usd custom / p cost equal",
            "Case custom / p namedScores.Case equal",
            "made custom / p namedScores.made: no row has it",
            "Case custom / p namedScoreWeights.Case equal",
        ]
    );
    assert_eq!(log.about().status, "success");
    assert!(log.about().notes.is_empty());
}

#[test]
fn named_scores_are_kept_whatever_they_are_called() {
    let named = PASSED.replace(r#"{"Case": 0.5}"#, r#"{"score": 0.25, "pass": 0.75}"#);
    let text = document(r#""version": 3,"#, &[row(0, 0, "x", &named)], "}");
    let text = text.replace(
        r#""namedScores": {"Case": 1, "made": 3}"#,
        r#""namedScores": {"pass": 0.75}"#,
    );
    let (_folder, mut log) = log("out.json", &text);
    assert_eq!(
        found(&mut log)[0],
        "my eval 0 1 custom / p score=1 pass=1 namedScores.score=0.25 namedScores.pass=0.75"
    );
    let said = "namedScores.pass custom / p namedScores.pass equal".to_owned();
    assert!(checks(&mut log).contains(&said));
}

#[test]
fn versions_that_are_not_known_are_read_as_far_as_they_are() {
    let rows = [row(0, 0, "x", PASSED)];
    let (_folder, mut four) = log("out.json", &document(r#""version": 4,"#, &rows, "}"));
    assert_eq!(found(&mut four).len(), 1);
    assert!(four.about().notes[0].contains("is 4; 3 was expected"));

    let table = r#"{"results": {"version": 2, "results": [{"success": true}], "table": {"head": {"prompts": [{"label": "p", "provider": "a"}, {"label": "p", "provider": "b"}], "vars": ["q"]}, "body": [{"vars": ["x"], "test": {"vars": {"q": "x"}}, "outputs": [{"pass": true, "score": 1, "text": "yes", "prompt": "ask x", "latencyMs": 3}, {"pass": false, "score": 0, "error": "503", "text": ""}]}, {"outputs": []}]}, "stats": {"successes": 1, "failures": 1}}}"#;
    let (_folder, mut two) = log("out.json", table);
    assert_eq!(
        found(&mut two),
        ["out 0 1 a / p score=1 pass=1", "out 0 1 b / p error: 503",]
    );
    assert_eq!(texts(&mut two)[0], "ask x | - | yes [3 - - -]");
    assert!(two.about().notes[0].contains("is 2; 3 was expected"));
}

#[test]
fn a_file_that_breaks_off_is_no_log() {
    let rows = [row(0, 0, "x", PASSED), row(1, 0, "y", PASSED)];
    let text = document(r#""version": 3,"#, &rows, "}");
    for cut in [text.find("ask y").expect("there"), text.len() - 2] {
        let folder = tempfile::tempdir().expect("folder");
        let files = files(folder.path(), &[("out.json", &text[..cut])]);
        let why = Promptfoo::open(&files).err().map(|error| error.to_string());
        assert!(why.is_some_and(|why| why.contains("out.json: not a whole log")));
    }
}

#[test]
fn members_in_another_order_are_the_same_item() {
    let case = |test: u32, vars: &str, more: &str| {
        format!(
            r#"{{"testIdx": {test}, "promptIdx": 0, "testCase": {{"vars": {vars}{more}}}, "score": 1, "success": true, "failureReason": 0}}"#
        )
    };
    let rows = [
        case(4, r#"{"a": 1, "b": 2}"#, ""),
        case(2, r#"{"b": 2.0, "a": 1}"#, r#", "description": null"#),
        case(7, r#"{"b": 2, "a": 1}"#, r#", "threshold": 0.5"#),
        case(8, r#"{"b": 2, "a": 1}"#, r#", "description": "d""#),
    ];
    let (_folder, mut log) = log("rows.jsonl", &rows.join("\n"));
    let keys: Vec<String> = found(&mut log)
        .iter()
        .map(|line| line.split(" unknown").next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(keys, ["rows 2 2", "rows 2 1", "rows 7 1", "rows 8 1"]);
}
