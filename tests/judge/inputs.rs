//! Predictions that cannot be used, and where predictions come from.

use serde_json::Value;

use crate::judge::data::{
    all_asked, arguments, judge, judged, place_with, row, run, verdicts, yes,
};
use crate::support::{Place, gzip, raw_bytes};

#[test]
fn rows_that_cannot_be_used_are_kept_and_counted() {
    let (place, server) = (Place::new(), yes());
    let bad = [
        "{\"input\": \"no gold\", \"prediction\": \"p\"}",
        "{\"input\": \"no prediction\", \"gold\": \"p\"}",
        "{\"gold\": \"no input\", \"prediction\": \"p\"}",
        "{\"input\": ",
        "[1, 2]",
        "{\"id\": \"r1\", \"input\": \"again\", \"gold\": \"p\", \"prediction\": \"q\"}",
    ];
    let mut lines = vec![row(1).to_string()];
    lines.extend(bad.map(str::to_owned));
    lines.push(row(2).to_string());
    place.write_lines("preds/set.jsonl", &lines);
    judge(&place, &server, "")
        .exits(0)
        .says(&["inputs 8 = records 2 + rejects 6", "judged/rejects.jsonl"]);
    let rejects = place.json_lines("judged/rejects.jsonl");
    let reasons: Vec<&Value> = rejects.iter().map(|reject| &reject["reason"]).collect();
    assert_eq!(
        reasons,
        [
            "missing_gold",
            "missing_prediction",
            "missing_input",
            "malformed_json",
            "not_an_object",
            "duplicate_id"
        ]
    );
    for (number, (reject, raw)) in rejects.iter().zip(bad).enumerate() {
        assert_eq!(reject["line"], number + 2);
        assert_eq!(raw_bytes(reject), raw.as_bytes());
    }
    assert_eq!(judged(&place)["judge"]["n_rejects"], 6);
    assert_eq!(verdicts(&judged(&place)).len(), 2);
    assert_eq!(server.requests().len(), 2);
    // The next run finds the same.
    let before = place.read("judged/rejects.jsonl");
    judge(&place, &server, "").exits(0).says(&["rejects 6"]);
    assert!(place.read("judged/rejects.jsonl") == before);
}

#[test]
fn strict_ends_at_the_first_before_anybody_is_asked() {
    let (place, server) = (place_with(2), yes());
    place.write_lines(
        "preds/set.jsonl",
        &[row(1).to_string(), "{\"input\": \"x\"}".to_owned()],
    );
    judge(&place, &server, "--strict")
        .exits(2)
        .complains(&["preds/set.jsonl:2", "missing_gold"]);
    assert!(server.requests().is_empty());
    assert!(!place.path("judged/m").exists());
}

#[test]
fn files_without_rows_are_named() {
    for (name, text) in [
        ("preds/set.jsonl", ""),
        ("preds/set.jsonl", "\n\n"),
        ("preds/set.json", ""),
        ("preds/set.json", "[]"),
        ("preds/set.json", "{\"predictions\": []}"),
        ("preds/set.json", "{\"model\": \"x\"}"),
    ] {
        let (place, server) = (Place::new(), yes());
        place.write(name, text);
        let said = judge(&place, &server, "");
        assert!(
            said.code == 2 || said.code == 3,
            "{text:?}: {} {}",
            said.code,
            said.stderr
        );
        let code = said.code;
        said.exits(code).complains(&[name]);
        assert!(server.requests().is_empty());
        assert!(!place.path("judged/m").exists(), "{text:?}");
    }
}

#[test]
fn no_predictions_at_all() {
    let (place, server) = (Place::new(), yes());
    place.write("preds/readme.md", "nothing");
    judge(&place, &server, "")
        .exits(2)
        .complains(&["preds", "no predictions"]);
    let nowhere = arguments(&server, "").replace("--predictions preds", "--predictions nowhere");
    run(&place, &nowhere).exits(3).complains(&["nowhere"]);
    place.write("preds/a.json", "[]");
    place.write("preds/a.jsonl", "");
    judge(&place, &server, "")
        .exits(2)
        .complains(&["data set `a`", "preds/a.json"]);
}

#[test]
fn a_file_in_which_no_row_can_be_used_asks_nobody() {
    let (place, server) = (Place::new(), yes());
    place.write_lines(
        "preds/set.jsonl",
        &[r#"{"input": "a", "prediction": "p"}"#; 2],
    );
    judge(&place, &server, "")
        .exits(2)
        .complains(&["set.jsonl: not one of its 2 rows", "missing_gold"]);
    assert_eq!(place.names("judged"), ["rejects.jsonl"]);
    assert!(server.requests().is_empty());
}

#[test]
fn predictions_come_from_standard_input_and_from_packed_files() {
    let (place, server) = (Place::new(), yes());
    let line = format!("{}\r\n", row(1));
    let from_stdin = arguments(&server, "").replace("--predictions preds", "--predictions -");
    place.judica_with_stdin(&from_stdin, line.clone()).exits(0);
    let document = place.json("judged/m/stdin.json");
    assert_eq!(
        (&document["source_file"], verdicts(&document)),
        (&"stdin".into(), vec!["yes ok".to_owned()])
    );
    place.write("preds/set.jsonl.gz", gzip(line.as_bytes()));
    judge(&place, &server, "").exits(0);
    assert_eq!(judged(&place)["source_file"], "set.jsonl.gz");
    assert_eq!(
        all_asked(&server),
        ["question 1"],
        "the same question is asked once"
    );
}

#[test]
fn several_gold_formulas_and_other_keys_are_shown_as_they_are() {
    let (place, server) = (Place::new(), yes());
    let row = r#"{"input": "two", "expected_options": ["<<A>>F p", "<<B>>G q"], "model_output": "<<A>>F p", "note": {"x": [1]}}"#;
    place.write_lines("preds/set.jsonl", &[row]);
    judge(&place, &server, "").exits(0);
    let body = String::from_utf8(server.requests()[0].body.clone()).unwrap();
    assert!(body.contains(r"<<A>>F p\n<<B>>G q\nEND GOLD"), "{body}");
    let row = &judged(&place)["detailed_results"][0];
    assert_eq!(row["gold"], serde_json::json!(["<<A>>F p", "<<B>>G q"]));
    assert_eq!(
        (&row["prediction"], &row["note"]["x"][0]),
        (&"<<A>>F p".into(), &1.into())
    );
}

#[test]
fn a_file_with_several_subjects_is_told_about_once() {
    let place = Place::new();
    place.write("w.csv", "id,input,label,m1,m2\n1,q,a,a,b\n2,q,b,b,b\n");
    let command = "judge -p w.csv --gold label --prediction m1 --prediction m2 --no-llm --out o";
    let said = run(&place, command).exits(0);
    assert_eq!(said.stderr.matches("read as CSV").count(), 1, "{said:?}");
    let command = command.replace("--no-llm", "--column input=nothing --no-llm");
    place.write("w.csv", "id,nothing,label,m1,m2\n1,,a,a,b\n2,,b,b,b\n");
    let said = run(&place, &command).exits(2);
    let told = "not one of its 2 rows can be used";
    assert_eq!(said.stderr.matches(told).count(), 1, "{said:?}");
}

#[test]
fn the_documents_of_several_subjects_say_whose_answers_they_hold() {
    let place = Place::new();
    let rows = r#"[{"id":1,"input":"q","gold":"x","a":"x","b":"y"}]"#;
    place.write("w.json", format!(r#"{{"model":"z","predictions":{rows}}}"#));
    let judge = "judge -p w.json --prediction a --prediction b --no-llm --out o";
    run(&place, judge).exits(0);
    for column in ["a", "b"] {
        let document = place.json(&format!("o/no_llm/w__{column}.json"));
        assert_eq!(
            (&document["model"], &document["source_model"]),
            (&column.into(), &"z".into())
        );
    }
    run(
        &place,
        "agree judges --eval-dir o --include-deterministic --run r",
    )
    .exits(0);
    let records = run(&place, "export r --format jsonl").exits(0).stdout;
    for subject in [r#""subject":"a""#, r#""subject":"b""#] {
        assert!(records.contains(subject), "{records}");
    }
}

#[test]
fn numbers_stand_in_documents_as_in_their_source() {
    let place = Place::new();
    place.write_lines(
        "preds/set.jsonl",
        &[r#"{"input": "q", "gold": 1.10, "prediction": "1.10", "seconds": 1e5}"#],
    );
    run(&place, "judge -p preds --no-llm --normalizer exact --out o").exits(0);
    let document = place.text("o/no_llm/set.json");
    assert!(document.contains("\"gold\": 1.10,"), "{document}");
    assert!(document.contains("\"seconds\": 1e5,"), "{document}");
    let again = "match -p o/no_llm/set.json --normalizer exact --json";
    let report: Value = serde_json::from_str(&run(&place, again).exits(0).stdout).unwrap();
    assert_eq!(report["exact_match"], 1.0, "{report}");
}
