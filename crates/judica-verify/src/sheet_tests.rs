//! Records through the table and back: the rendered JSON must not change by a byte.

use judica_data::parquet::TableWriter;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::sheet::columns::table;
use crate::sheet::write::SheetWriter;
use crate::stored::record::{StoredError, StoredRecord};
use crate::stored::{lines as stored_lines, sheet::SheetReader};
use crate::test_responses::{lines, samples};
use crate::test_support::{Bench, Run, good, lines_file, output, sample, state};

fn render_stored(bench: &Bench, record: &StoredRecord) -> String {
    let mut line = Vec::new();
    bench.renderer().write(&record.view(), &mut line);
    String::from_utf8(line).expect("UTF-8")
}

/// The records, written to a table and rendered from it.
fn through_table(bench: &Bench, runs: &[&Run]) -> Vec<String> {
    let spec = table(&bench.protocol).expect("a table");
    let mut writer = SheetWriter::new(
        &bench.protocol,
        &bench.checks,
        &spec,
        vec!["outputs.jsonl".to_owned()],
    )
    .expect("a writer");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let metadata = super::metadata_of(&bench.protocol, &bench.trace);
    let mut target =
        TableWriter::new(file.reopen().expect("reopened"), &spec, &metadata).expect("begun");
    for run in runs {
        let id = |sample: u32| &*bench.samples.get(sample).id;
        let group = writer
            .encode(&run.batch.models, id, &run.evaluated, 0)
            .expect("encoded");
        target.append(group).expect("appended");
    }
    target.finish().expect("finished");
    let mut reader =
        SheetReader::open(file.path(), &bench.protocol, &bench.checks).expect("opened");
    assert_eq!(
        reader.len(),
        runs.iter()
            .map(|run| run.evaluated.records.len())
            .sum::<usize>()
    );
    let mut rendered = Vec::new();
    let read = reader.for_each(&mut |record: &StoredRecord| {
        assert_eq!(record.input_file, "outputs.jsonl");
        rendered.push(render_stored(bench, record));
        Ok::<(), StoredError>(())
    });
    read.expect("readable");
    rendered
}

/// The records, written as JSON lines and rendered from them.
fn through_lines(bench: &Bench, run: &Run) -> Vec<String> {
    let file = lines_file(&bench.render(run));
    let mut rendered = Vec::new();
    let read = stored_lines::for_each(
        file.path(),
        &bench.protocol,
        &bench.checks,
        &mut |record: &StoredRecord| {
            rendered.push(render_stored(bench, record));
            Ok::<(), StoredError>(())
        },
    );
    read.expect("readable");
    rendered
}

#[track_caller]
fn survives(bench: &Bench, run: &Run) {
    let direct = bench.render(run);
    for (name, back) in [
        ("table", through_table(bench, &[run])),
        ("lines", through_lines(bench, run)),
    ] {
        assert_eq!(back.len(), direct.len(), "{name}");
        for (back, direct) in back.iter().zip(&direct) {
            let at = back
                .bytes()
                .zip(direct.bytes())
                .position(|(a, b)| a != b)
                .unwrap_or(back.len().min(direct.len()));
            let near = |text: &str| {
                String::from_utf8_lossy(
                    &text.as_bytes()[at.saturating_sub(200)..text.len().min(at + 60)],
                )
                .into_owned()
            };
            assert!(
                back == direct,
                "through the {name}, first difference:\n{}\n{}",
                near(back),
                near(direct)
            );
        }
    }
}

fn survives_one(task: &str, response: impl Into<Value>) {
    let bench = Bench::flight(&[sample("s", task)]);
    survives(&bench, &bench.run(&[output("m", "s", response)]));
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
    let back = through_table(&bench, &[&first, &none, &last]);
    let mut direct = bench.render(&first);
    direct.extend(bench.render(&last));
    assert_eq!(back, direct);
}

#[test]
fn a_record_is_found_by_sample_and_model() {
    let bench = Bench::flight(&samples());
    let run = bench.run(&[
        output("m", "a", "?"),
        output("n", "a", Value::Object(good("S1"))),
        output("n", "b", "?"),
    ]);
    let spec = table(&bench.protocol).expect("a table");
    let mut writer = SheetWriter::new(&bench.protocol, &bench.checks, &spec, vec!["f".to_owned()])
        .expect("a writer");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut target = TableWriter::new(
        file.reopen().expect("reopened"),
        &spec,
        &super::metadata_of(&bench.protocol, &bench.trace),
    )
    .expect("begun");
    let id = |sample: u32| &*bench.samples.get(sample).id;
    target
        .append(
            writer
                .encode(&run.batch.models, id, &run.evaluated, 0)
                .expect("encoded"),
        )
        .expect("appended");
    target.finish().expect("finished");
    let mut reader =
        SheetReader::open(file.path(), &bench.protocol, &bench.checks).expect("opened");
    let direct = bench.render(&run);
    let mut found = |sample: &str, model: Option<&str>| -> Vec<String> {
        let found = reader.find(sample, model).expect("readable");
        found
            .iter()
            .map(|record| render_stored(&bench, record))
            .collect()
    };
    assert_eq!(found("a", None), direct[..2]);
    assert_eq!(found("a", Some("n")), direct[1..2]);
    assert_eq!(found("b", Some("m")), [""; 0]);
    assert_eq!(found("zzz", None), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_records_survive(lines in lines(6)) {
        let bench = Bench::flight(&samples());
        survives(&bench, &bench.run(&lines));
    }
}
