//! Records through a run and back: the rendered JSON must not change by a byte.

use arrow_array::cast::AsArray;
use judica_data::parquet::{Encoder, TableWriter};
use judica_run::export::each;
use judica_run::layout::evidence_of_words;
use judica_run::manifest::Counts;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::columns::write::{RecordWriter, RowGroups, failures_schema};
use crate::columns::{layout, metrics};
use crate::test_responses::{lines, samples};
use crate::test_support::{Bench, FILE, Run as BenchRun, good, output, sample, state, tables};

/// The failed atoms of some lines, from their own table: whose, and by which rule.
fn failures(bench: &Bench, mut of: BenchRun) -> Vec<(String, String, String)> {
    let (files, tables) = ([FILE.to_owned()], tables(bench));
    let writer = RecordWriter::new(
        &bench.protocol,
        &bench.checks,
        &bench.samples,
        &files,
        &tables.layout,
    );
    let chunk = of.chunk.as_ref().expect("lines");
    let records = writer.columns(&of.batch, &mut of.evaluated, chunk);
    let groups = RowGroups::encode(&tables, &mut Encoder::new(), &[records.unwrap()]).unwrap();
    let file = tempfile::NamedTempFile::new().expect("a file");
    let target = file.reopen().expect("reopened");
    let mut table = TableWriter::new(target, &tables.failures).unwrap();
    table.append(groups.failures).unwrap();
    table.finish().unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.reopen().unwrap()).unwrap();
    let mut found = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        let names: Vec<String> = failures_schema(&evidence_of_words(bench.protocol.scores_atoms()))
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        assert_eq!(
            batch
                .schema()
                .fields()
                .iter()
                .map(|f| f.name())
                .collect::<Vec<_>>(),
            names.iter().collect::<Vec<_>>()
        );
        let text = |name: &str, row| {
            let column = batch.column_by_name(name).expect("a column");
            column.as_string::<i32>().value(row).to_owned()
        };
        for row in 0..batch.num_rows() {
            found.push((text("item", row), text("subject", row), text("rule", row)));
        }
    }
    found
}

#[test]
fn failed_atoms_stand_in_a_table_of_their_own() {
    let bench = Bench::flight(&samples());
    let run = bench.run(&[
        output("m", "a", Value::Object(good("S1"))),
        output("n", "e", "?"),
        output("n", "b", json!({})),
    ]);
    let mut expected = Vec::new();
    for line in bench.render(&run) {
        let record: Value = serde_json::from_str(&line).expect("JSON");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for atom in record["evidence_pack"]["atoms"].as_array().expect("atoms") {
            if atom["pass"] == false {
                let names = (text(&record["sample_id"]), text(&record["model_name"]));
                expected.push((names.0, names.1, text(&atom["rule"])));
            }
        }
    }
    assert!(expected.len() > 2);
    assert_eq!(failures(&bench, run), expected);
    let flawless = bench.run(&[output("m", "a", Value::Object(good("S1")))]);
    assert_eq!(failures(&bench, flawless), []);
}

/// The records, written to a run and rendered from it.
fn through_run(bench: &Bench, runs: Vec<BenchRun>) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = RunSpec {
        command: "eval",
        options: Value::Null,
        metrics: metrics(&bench.protocol),
        created_at: String::new(),
    };
    let files = [FILE.to_owned()];
    let mut run = RunWriter::create(
        folder.path(),
        spec,
        layout(&bench.protocol, &bench.checks, false),
    )
    .unwrap();
    let tables = tables(bench);
    let writer = RecordWriter::new(
        &bench.protocol,
        &bench.checks,
        &bench.samples,
        &files,
        &tables.layout,
    );
    for mut of in runs {
        if let Some(chunk) = &of.chunk {
            let records = writer.columns(&of.batch, &mut of.evaluated, chunk);
            run.append(records.unwrap()).unwrap();
        }
    }
    let source = bench.protocol.source.as_bytes();
    run.add(PROTOCOL, "protocol", source, true).unwrap();
    let trace = RunTrace {
        record: bench.trace.clone(),
        commands: None,
        reviews: None,
    };
    let end = RunEnd {
        inputs: Vec::new(),
        counts: Counts::default(),
        report: &Value::Null,
        tables: &[],
        rejects: None,
        trace: Some(serde_json::to_value(trace).unwrap()),
    };
    run.finish(end).unwrap();
    let run = Run::open(folder.path()).expect("a run");
    let reader = RecordReader::of(&run).expect("readable");
    let mut rendered = Vec::new();
    let read = each(&run, &mut |record, _| {
        let mut line = Vec::new();
        reader.write(record, &mut line)?;
        rendered.push(String::from_utf8(line).expect("UTF-8"));
        Ok(())
    });
    read.expect("readable");
    rendered
}

#[track_caller]
fn survives(bench: &Bench, run: BenchRun) {
    let direct = bench.render(&run);
    let back = through_run(bench, vec![run]);
    assert_eq!(back.len(), direct.len());
    for (back, direct) in back.iter().zip(&direct) {
        let at = back
            .bytes()
            .zip(direct.bytes())
            .position(|(a, b)| a != b)
            .unwrap_or(back.len().min(direct.len()));
        let near = |text: &str| {
            let part = &text.as_bytes()[at.saturating_sub(200)..text.len().min(at + 60)];
            String::from_utf8_lossy(part).into_owned()
        };
        let (near_back, near_direct) = (near(back), near(direct));
        assert!(
            back == direct,
            "first difference:\n{near_back}\n{near_direct}"
        );
    }
}

fn survives_one(task: &str, response: impl Into<Value>) {
    let bench = Bench::flight(&[sample("s", task)]);
    survives(&bench, bench.run(&[output("m", "s", response)]));
}

#[test]
fn a_flawless_record_survives() {
    survives_one("S1", Value::Object(good("S1")));
    survives_one("M3", Value::Object(good("M3")));
}

#[test]
fn failures_survive() {
    survives_one("S1", "");
    survives_one("S1", "no object \u{1f600}\u{0}\u{7}\"\\");
    survives_one("M3", "Rate limit exceeded");
    survives_one(
        "M3",
        Value::Object(state(
            "M3",
            &[
                ("slip", json!([1, null, "\u{e9}"])),
                ("vs", json!([-9000, 9000, 0])),
            ],
        )),
    );
    survives_one(
        "M3",
        Value::Object(state(
            "M3",
            &[
                ("gs", json!([1e308, -1e308, 5e-324])),
                ("roll", json!([-0.0, 0.0, 70])),
            ],
        )),
    );
    let text = Value::Object(good("S1")).to_string();
    survives_one("S1", text.replace("\"Slip/Skid\":0.0", "\"Slip/Skid\":NaN"));
    survives_one(
        "S1",
        text.replace("\"Slip/Skid\":0.0", "\"Slip/Skid\":\"-Infinity\""),
    );
}

#[test]
fn scores_of_atoms_survive() {
    let samples = [sample("s", "one"), sample("t", "three")];
    let bench = Bench::new(crate::protocol::graded_protocol(), &samples);
    let lines = [
        output("a", "s", json!({"Speed": 0.5, "Height": 50})),
        output("b", "s", json!({"Speed": 1, "Height": 50})),
        output("c", "s", json!({"Speed": 1, "Height": 5})),
        output("d", "s", json!({"Speed": null, "Height": 5})),
        output("e", "s", "?"),
        output(
            "a",
            "t",
            json!({"Speed": [0, 1, 9], "Height": [2000, 5, 101]}),
        ),
    ];
    survives(&bench, bench.run(&lines));
    // One that failed as info is among the failures, and makes its family fail.
    let record: Value = serde_json::from_str(&bench.render(&bench.run(&lines))[1]).expect("JSON");
    assert_eq!(record["agent_output"]["checklist"][4]["status"], "fail");
    assert_eq!(record["agent_output"]["attribution"][0]["severity"], "info");
    assert_eq!(record["agent_output"]["adjudication"], "eligible");
    let failed = failures(&bench, bench.run(&lines));
    let of_b = failed.iter().filter(|(_, subject, _)| subject == "b");
    assert_eq!(of_b.count(), 1, "{failed:?}");
}

#[test]
fn a_missing_field_of_a_scalar_task_survives() {
    survives_one("S1", json!({}));
}

#[test]
fn a_wrong_shape_in_a_scalar_task_survives() {
    survives_one("S1", Value::Object(state("S1", &[("slip", json!([1]))])));
}

#[test]
fn missing_and_wrong_shape_in_an_array_task_survive() {
    survives_one("M3", json!({}));
    survives_one(
        "M3",
        Value::Object(state("M3", &[("slip", json!(1)), ("roll", json!([1, 2]))])),
    );
}

#[test]
fn row_groups_keep_their_order_and_an_empty_one_leaves_no_trace() {
    let bench = Bench::flight(&samples());
    let first = bench.run(&[
        output("m", "a", Value::Object(good("S1"))),
        output("n", "e", "?"),
    ]);
    let none = bench.run(&["not json"]);
    let last = bench.run(&[output("n", "b", Value::Object(good("S1")))]);
    let mut direct = bench.render(&first);
    direct.extend(bench.render(&last));
    let back = through_run(&bench, vec![first, none, last]);
    assert_eq!(back, direct);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_records_survive(lines in lines(6)) {
        let bench = Bench::flight(&samples());
        survives(&bench, bench.run(&lines));
    }
}
