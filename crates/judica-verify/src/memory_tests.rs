//! Rows in memory against the same rows in a file.

use std::sync::atomic::AtomicBool;

use judica_run::export::each;
use judica_run::open::Run;
use judica_run::rows::{Rows, Scratch};
use serde_json::{Value, json};

use super::*;
use crate::eval::{EvalRequest, Hooks, InputFile, evaluate};
use crate::options::Options;
use crate::test_support::{FLIGHT, lines_file, output, sample, state};

/// What people and programs see of a record, but for its bytes in a file.
fn told(record: &judica_model::run::RunRecord) -> String {
    let mut record = *record;
    record.place = record.place.map(|place| judica_model::run::Place {
        file: "",
        offset: None,
        bytes: None,
        ..place
    });
    format!("{record:?}")
}

fn rows() -> (Vec<String>, Vec<String>) {
    let samples = ["S1", "M1", "M3"].map(|task| sample(task, task).to_string());
    let mut rows = Vec::new();
    for model in ["one", "two"] {
        for task in ["S1", "M1", "M3"] {
            rows.push(output(model, task, Value::Object(state(task, &[]))));
        }
        let bad = state("S1", &[("roll", json!(null)), ("gps_alt", json!(90_000))]);
        let mut line: Value =
            serde_json::from_str(&output(model, "S1", Value::Object(bad))).unwrap();
        line["epoch"] = json!(2);
        line["cluster"] = json!("passage");
        line["usd"] = json!(0.5);
        rows.push(line.to_string());
        rows.push(output(model, "S1", "again"));
        rows.push(output(model, "nobody", "{}"));
    }
    rows.push("no object".to_owned());
    (samples.to_vec(), rows)
}

#[test]
fn records_are_those_of_eval() {
    let (samples, rows) = rows();
    let compiled = Compiled::new(FLIGHT.clone()).unwrap();
    let (loaded, refused) = compiled.samples(&samples, None);
    assert!(refused.is_empty());
    let made = compiled
        .evaluate(&loaded, &rows, Defaults::default())
        .unwrap();

    let folder = tempfile::tempdir().unwrap();
    let (samples, outputs) = (lines_file(&samples), lines_file(&rows));
    let out = folder.path().join("run");
    let request = EvalRequest {
        protocol: FLIGHT.clone(),
        protocol_given: "flight".to_owned(),
        samples: vec![InputFile::new(samples.path())],
        outputs: vec![InputFile::new(outputs.path())],
        confidence: None,
        out: out.clone(),
        options: Options::default(),
        allow_commands: false,
        threads: 1,
        created_at: String::new(),
    };
    let hooks = Hooks {
        progress: &|_| (),
        read: &|_| (),
        interrupted: &AtomicBool::new(false),
    };
    evaluate(&request, &hooks).unwrap();
    let run = Run::open(&out).unwrap();
    let mut of_file = Vec::new();
    each(&run, &mut |record, _| {
        of_file.push(told(record));
        Ok(())
    })
    .unwrap();
    let records = Rows::new(&made.records);
    let of_rows: Vec<String> = (0..records.len())
        .map(|at| told(&records.get(at, &mut Scratch::default())))
        .collect();
    assert_eq!(of_rows, of_file);
    assert_eq!(of_rows.len() + made.rejects.len(), rows.len());

    let rejects = std::fs::read_to_string(out.join("rejects.jsonl")).unwrap();
    let rejects = rejects.lines().map(|line| -> (u64, String) {
        let reject: Value = serde_json::from_str(line).unwrap();
        let reason = reject["reason"].as_str().unwrap().to_owned();
        (reject["line"].as_u64().unwrap(), reason)
    });
    let of_rows = made.rejects.iter();
    let of_rows: Vec<_> = of_rows
        .map(|reject| (reject.line, reject.reason.to_string()))
        .collect();
    assert_eq!(of_rows, rejects.collect::<Vec<_>>());
}

#[test]
fn rows_may_be_none_hold_lines_and_leave_names_to_others() {
    let compiled = Compiled::new(FLIGHT.clone()).unwrap();
    let (samples, refused) = compiled.samples(&["{}", "{}", "[]"], Some("S1"));
    assert_eq!(samples.len(), 2);
    assert_eq!((refused.len(), refused[0].line), (1, 3));
    let nothing: [&str; 0] = [];
    let made = compiled
        .evaluate(&samples, &nothing, Defaults::default())
        .unwrap();
    assert_eq!((made.records.num_rows(), made.rejects.len()), (0, 0));
    let row = json!({"response": Value::Object(state("S1", &[]))});
    let row = serde_json::to_string_pretty(&row).unwrap();
    let defaults = Defaults {
        model: Some("m"),
        task: Some("S1"),
    };
    let made = compiled.evaluate(&samples, &[&row], defaults).unwrap();
    let mut scratch = Scratch::default();
    let records = Rows::new(&made.records);
    let record = records.get(0, &mut scratch);
    assert_eq!((record.item, record.subject), ("S1_000", "m"));
    assert_eq!(record.place.map(|place| place.line), Some(1));
    let made = compiled
        .evaluate(&samples, &[&row], Defaults::default())
        .unwrap();
    assert_eq!(made.rejects[0].reason, "missing_sample_id");
}
