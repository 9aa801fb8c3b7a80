//! `judica export --where`: the records that a naive look at all of them would keep.

use judica_run::export::each;
use judica_run::open::Run;
use judica_run::rows::{Rows, Scratch};
use judica_run::show::json_of;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use serde_json::Value;

use crate::support::flight::tiny_run;
use crate::support::{Place, STAMP};

/// A condition on a record as JSON, of columns that every run has and those of `eval`.
type Keeps = fn(&Value) -> bool;

fn synthetic() -> Place {
    let place = Place::new();
    place
        .judica("synth flight --samples 60 --models 5 --seed 6 --out data")
        .exits(0);
    place
        .judica(&format!(
            "eval --protocol flight --samples data/samples.jsonl --outputs data/outputs.jsonl \
             --out run --timestamp {STAMP}"
        ))
        .exits(0);
    place
}

fn all(place: &Place) -> Vec<Value> {
    let run = Run::open(&place.path("run")).expect("a run");
    let mut records = Vec::new();
    each(&run, &mut |record, own| {
        records.push(json_of(record, own));
        Ok(())
    })
    .expect("records");
    records
}

/// The records of a table that was exported.
fn table(place: &Place, name: &str) -> Vec<Value> {
    let file = std::fs::File::open(place.path(name)).expect("a table");
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options);
    let mut records = Vec::new();
    for batch in reader.expect("Parquet").build().expect("a reader") {
        let batch = batch.expect("a batch");
        let rows = Rows::new(&batch);
        for row in 0..rows.len() {
            let mut scratch = Scratch::default();
            records.push(json_of(&rows.get(row, &mut scratch), &rows.own_names()));
        }
    }
    records
}

fn failed(record: &Value, is: impl Fn(&Value) -> bool) -> bool {
    let atoms = record["evidence"].as_array().expect("evidence").iter();
    atoms.filter(|atom| atom["pass"] == false).any(is)
}

#[test]
fn the_records_that_meet_all_conditions_are_written_in_every_format() {
    let place = synthetic();
    let records = all(&place);
    let lines = place.judica("export run --format jsonl").exits(0).stdout;
    let lines: Vec<&str> = lines.lines().collect();
    let csv = place.judica("export run --format csv").exits(0).stdout;
    let csv: Vec<&str> = csv.lines().collect();
    let cases: [(&str, Keeps); 10] = [
        ("--where subject=noisy-1", |record| {
            record["subject"] == "noisy-1"
        }),
        (
            "--where subject=unsafe-1 --where subject=noisy-1 --where dataset=M1",
            |record| {
                record["dataset"] == "M1"
                    && (record["subject"] == "unsafe-1" || record["subject"] == "noisy-1")
            },
        ),
        ("--where verdict=fail --where severity=critical", |record| {
            record["verdict"] == "fail" && failed(record, |atom| atom["severity"] == "critical")
        }),
        (
            "--where rule=safety_constraint.rapid_descent --where severity=warning",
            |record| {
                failed(record, |atom| {
                    atom["severity"] == "warning"
                        && atom["rule"] == "safety_constraint.rapid_descent"
                })
            },
        ),
        ("--where grade=A --where grade=none", |record| {
            record["grade"] == "A" || record["grade"].is_null()
        }),
        ("--where item=_00000", |record| {
            record["item"].as_str().expect("a name").contains("_00000")
        }),
        (
            "--where metric=total --where min=90 --where max=98",
            |record| {
                let value = record["total"].as_f64();
                value.is_some_and(|value| (90.0..=98.0).contains(&value))
            },
        ),
        (
            "--where rule=constraint.safety_constraint.rapid_descent",
            |record| {
                failed(record, |atom| {
                    atom["rule"] == "safety_constraint.rapid_descent"
                })
            },
        ),
        ("--where metric=mae", |record| record["mae"].is_number()),
        ("--where verdict=undecided", |_| false),
    ];
    for (conditions, keeps) in cases {
        let kept: Vec<usize> = (0..records.len())
            .filter(|at| keeps(&records[*at]))
            .collect();
        assert!(
            kept.len() < records.len(),
            "{conditions}: picks nothing out"
        );
        let told = format!("{} of {} records", kept.len(), records.len());
        let ran = place.judica(&format!("export run --format jsonl {conditions}"));
        let ran = ran.exits(0).complains(&[&told]);
        let expected: Vec<&str> = kept.iter().map(|at| lines[*at]).collect();
        assert_eq!(
            ran.stdout.lines().collect::<Vec<_>>(),
            expected,
            "{conditions}"
        );
        let ran = place.judica(&format!("export run --format csv {conditions}"));
        let rows = kept.iter().map(|at| csv[at + 1]);
        let expected: Vec<&str> = [csv[0]].into_iter().chain(rows).collect();
        assert_eq!(ran.exits(0).stdout.lines().collect::<Vec<_>>(), expected);
        let ran = format!("export run --format parquet --out kept.parquet {conditions}");
        place.judica(&ran).exits(0);
        let expected: Vec<&Value> = kept.iter().map(|at| &records[*at]).collect();
        assert!(
            table(&place, "kept.parquet").iter().eq(expected),
            "{conditions}"
        );
    }
}

#[test]
fn a_sorted_list_has_the_same_order_in_every_format() {
    let place = synthetic();
    let records = all(&place);
    for (sort, key) in [("-score", "score"), ("mae", "mae")] {
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by(|a, b| {
            let [a, b] = [a, b].map(|at| records[*at][key].as_f64());
            match (a, b) {
                (Some(a), Some(b)) if sort.starts_with('-') => b.total_cmp(&a),
                (Some(a), Some(b)) => a.total_cmp(&b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            }
        });
        let lines = place.judica("export run --format jsonl").exits(0).stdout;
        let lines: Vec<&str> = lines.lines().collect();
        let ran = place.judica(&format!("export run --format jsonl --where sort={sort}"));
        let expected: Vec<&str> = order.iter().map(|at| lines[*at]).collect();
        assert_eq!(ran.exits(0).stdout.lines().collect::<Vec<_>>(), expected);
        let ran = format!("export run --format parquet --out p.parquet --where sort={sort}");
        place.judica(&ran).exits(0);
        let expected: Vec<&Value> = order.iter().map(|at| &records[*at]).collect();
        assert!(table(&place, "p.parquet").iter().eq(expected), "{sort}");
    }
}

#[test]
fn conditions_that_cannot_be_used_are_named() {
    let place = tiny_run("parquet");
    for (arguments, words) in [
        (
            "--format jsonl --where subjct=steady",
            "did you mean `subject`?",
        ),
        (
            "--format jsonl --where subject=stedy",
            "`subject=stedy`: no record has such a subject",
        ),
        (
            "--format csv --where subject",
            "--where subject: a condition is NAME=VALUE",
        ),
        (
            "--format csv --where subject=",
            "`subject=`: it has no value",
        ),
        ("--format jsonl --where min=1", "add `metric`"),
        (
            "--format jsonl --where metric=total --where min=x",
            "`min=x`: that is no number",
        ),
        ("--format jsonl --where sort=totl", "did you mean `total`?"),
        (
            "--format jsonl --where after=0",
            "--where after=0: a list is written as a whole",
        ),
        (
            "--format markdown --where verdict=fail",
            "--where picks records",
        ),
        (
            "--format latex --where verdict=fail",
            "--where picks records",
        ),
        (
            "--format inspect --out logs --where verdict=fail",
            "--where picks records",
        ),
        (
            "--format every-eval-ever --out logs --where verdict=fail",
            "--where picks records",
        ),
        ("--format parquet --where verdict=fail", "needs a file"),
    ] {
        let ran = place.judica(&format!("export run {arguments}"));
        let ran = ran.exits(2).complains(&[words]);
        assert_eq!(ran.stdout, "", "{arguments}");
    }
    assert!(!place.path("logs").exists());
}
