use super::*;
use crate::normalize::Choice;
use judica_data::rejects::read_rejects;
use std::fs;
use std::path::Path;

fn matched(
    folder: &Path,
    names: &[&str],
    threads: usize,
    strict: bool,
) -> Result<MatchReport, WorkError> {
    let request = MatchRequest {
        files: names
            .iter()
            .map(|name| PredictionFile::new(folder.join(name)))
            .collect(),
        asked: Asked::default(),
        details: Some(folder.join("out/details.jsonl")),
        rejects: folder.join("out/rejects.jsonl"),
        run: None,
        strict,
        threads,
    };
    run(&request, &Choice::Auto, &|_| (), &AtomicBool::new(false))
}

const LINES: &str = r#"{"id": "a", "input": "i", "gold": "<<A>>F p", "prediction": "<<a>> F  p", "tokens_input": 5, "tokens_output": 2}
{"id": "b", "input": "i", "gold": "<<A>>F(p && q)", "prediction": "<<A>>F(q && p)", "tokens_input": 7}
{"id": "a", "input": "i", "gold": "p", "prediction": "p"}
{"input": "i", "gold": ["p", "q"], "prediction": "q\np"}
{"input": "i", "gold": ["p", "q"], "prediction": "q\np"}
{"gold": "p", "prediction": "r"}
{"input": "i", "gold": "p"}

nonsense
"#;

#[test]
fn a_file_of_lines() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.jsonl"), LINES).unwrap();
    let report = matched(folder.path(), &["x.jsonl"], 2, false).unwrap();
    let totals = &report.totals;
    assert_eq!(
        (totals.inputs, totals.n_examples, totals.rejects),
        (8, 5, 3)
    );
    assert_eq!(totals.exact_match, Some(3.0 / 5.0));
    assert_eq!((totals.structural, totals.matched), (Some(0.2), Some(0.8)));
    let counts = &totals.counts;
    assert_eq!(
        (counts.exact, counts.structural, counts.undecided),
        (3, 1, 1)
    );
    assert_eq!(
        (totals.total_tokens_input, totals.total_tokens_output),
        (Some(12), Some(2))
    );
    assert_eq!(
        (totals.total_tokens, totals.tokens_rows, totals.duplicates),
        (Some(14), 1, 1)
    );
    let reasons = totals.rejects_by_reason.iter();
    let reasons: Vec<(&str, u64)> = reasons.map(|(why, n)| (&**why, *n)).collect();
    assert_eq!(
        reasons,
        [
            ("duplicate_id", 1),
            ("malformed_json", 1),
            ("missing_prediction", 1)
        ]
    );
    assert!(totals.notes[0].contains("3 of 5 rows have no `tokens_input`"));
    let rejects: Vec<_> = read_rejects(&folder.path().join("out/rejects.jsonl"))
        .unwrap()
        .map(|reject| reject.unwrap().line)
        .collect();
    assert_eq!(rejects, [3, 7, 9]);
    let details = fs::read_to_string(folder.path().join("out/details.jsonl")).unwrap();
    let details: Vec<serde_json::Value> = details
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let methods: Vec<_> = details
        .iter()
        .map(|line| line["method"].as_str().unwrap())
        .collect();
    assert_eq!(
        methods,
        ["exact", "structural", "exact", "exact", "undecided"]
    );
    assert_eq!(details[0]["gold"], "<<a>>fp");
    assert_eq!(
        (details[0]["id"].as_str(), details[0]["line"].as_u64()),
        (Some("a"), Some(1))
    );
    assert_eq!(details[2]["gold"], serde_json::json!(["p", "q"]));
    assert_eq!(details[4]["matched"], false);
}

#[test]
fn keys_are_those_of_the_evaluator() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.jsonl"), LINES).unwrap();
    let report = matched(folder.path(), &["x.jsonl"], 1, false).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys[..5],
        [
            "n_examples",
            "exact_match",
            "total_tokens_input",
            "total_tokens_output",
            "total_tokens"
        ]
    );
    assert_eq!(json["files"][0]["dataset"], "x");
    assert_eq!(tables(&report).len(), 2);
}

#[test]
fn threads_and_shapes_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<String> = (0..20_000)
        .map(|n| match n % 7 {
            0 => format!(
                r#"{{"id": {}, "gold": "p", "prediction": "P", "tokens_input": {n}}}"#,
                n % 6300
            ),
            1 => "{}".to_owned(),
            _ => format!(
                r#"{{"input": "i{}", "gold": "p && q", "prediction": "q&&p"}}"#,
                n % 5000
            ),
        })
        .collect();
    fs::write(folder.path().join("a.jsonl"), rows.join("\n")).unwrap();
    fs::write(
        folder.path().join("b.json"),
        format!("[{}]", rows.join(",")),
    )
    .unwrap();
    let document = format!(
        "{{\"run\": 1,\n\"predictions\": [\n{}\n]}}",
        rows.join(",\n")
    );
    fs::write(folder.path().join("c.json"), document).unwrap();
    let names = ["a.jsonl", "b.json", "c.json"];
    let outputs = |threads| {
        let report = matched(folder.path(), &names, threads, false).unwrap();
        let details = fs::read(folder.path().join("out/details.jsonl")).unwrap();
        let rejects = fs::read(folder.path().join("out/rejects.jsonl")).unwrap();
        (report, details, rejects)
    };
    let one = outputs(1);
    for threads in [2, 5] {
        assert!(outputs(threads) == one, "{threads} threads");
    }
    let [a, b, c] = &one.0.files[..] else {
        panic!()
    };
    assert_eq!(a.totals, b.totals);
    assert_eq!(a.totals, c.totals);
    assert_eq!(one.0.totals.inputs, 60_000);
    assert!(a.totals.rejects_by_reason["duplicate_id"] > 0 && a.totals.duplicates > 0);
}

#[test]
fn strict_runs_end_at_the_first_bad_row_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.jsonl"), LINES).unwrap();
    let error = matched(folder.path(), &["x.jsonl"], 3, true).unwrap_err();
    assert!(
        error.to_string().contains("x.jsonl:3: duplicate_id"),
        "{error}"
    );
    assert_eq!(error.exit_code().code(), 2);
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 0);
}

#[test]
fn without_usable_rows_there_is_no_report() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.jsonl"), "{}\n{}").unwrap();
    fs::write(folder.path().join("empty.json"), " \n").unwrap();
    let error = matched(folder.path(), &["x.jsonl"], 1, false).unwrap_err();
    assert_eq!(error.exit_code().code(), 2);
    let said = error.to_string();
    assert!(
        said.contains("x.jsonl: not one of its 2 rows can be used"),
        "{said}"
    );
    let error = matched(folder.path(), &["x.jsonl", "empty.json"], 1, false).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("empty.json: there is no row in it"), "{said}");
    assert_eq!(error.exit_code().code(), 2);
}

#[test]
fn stopping_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.jsonl"), LINES).unwrap();
    let request = MatchRequest {
        files: vec![PredictionFile::new(folder.path().join("x.jsonl"))],
        asked: Asked::default(),
        details: None,
        rejects: folder.path().join("rejects.jsonl"),
        run: None,
        strict: false,
        threads: 2,
    };
    let stopped = run(&request, &Choice::Auto, &|_| (), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(WorkError::Interrupted)));
    assert!(!request.rejects.exists());
}

#[test]
fn what_the_golds_are_is_told_by_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let row = |gold: &str, said: &str| {
        format!(
            "{}\n",
            serde_json::json!({"gold": gold, "prediction": said})
        )
    };
    let many = row("<<A>>F p", "<<A>>Fp").repeat(20_000);
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("a.jsonl", many.clone());
    // The last of many is no formula, so the first is none either.
    write("b.jsonl", many + &row("the rapist", "therapist"));
    write("c.jsonl", row("the rapist", "The  Rapist"));
    write("d.jsonl", row("<<A>>F p", "<<A>>Fp"));
    let names = ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"];
    let outputs = |threads| {
        let report = matched(folder.path(), &names, threads, false).unwrap();
        (
            report,
            fs::read(folder.path().join("out/details.jsonl")).unwrap(),
        )
    };
    let one = outputs(1);
    for threads in [2, 7] {
        assert!(outputs(threads) == one, "{threads} threads");
    }
    let decided: Vec<_> = one
        .0
        .files
        .iter()
        .map(|file| (file.normalizer, file.totals.counts.exact))
        .collect();
    let expected = [("atl", 20_000), ("text", 0), ("text", 1), ("atl", 1)];
    assert_eq!(decided, expected);
    assert_eq!(one.0.normalizer, "auto");
    assert_eq!(one.0.totals.counts.exact, 20_002);
    assert!(
        one.0.files[1]
            .totals
            .notes
            .concat()
            .contains("20000 have a coalition"),
        "{:?}",
        one.0.files[1].totals.notes
    );
    // Details are in the order of the input, each by what decided.
    let details: Vec<serde_json::Value> = std::str::from_utf8(&one.1)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(details.len(), 40_003);
    assert_eq!(details[0]["gold"], "<<a>>fp");
    assert_eq!(details[20_000]["gold"], "<<a>>f p");
    assert_eq!(details[40_000]["gold"], "the rapist");
    assert_eq!(details[40_002]["gold"], "<<a>>fp");
}
