//! The run folder: written whole, read back, and refused where it is not what it was.

mod support;

use std::path::Path;

use judica_run::export::{csv_cells, csv_names, each, json_line};
use judica_run::manifest::name;
use judica_run::open::Run;
use judica_run::show::{Wanted, find};
use judica_run::values::values;
use judica_stats::clusters::Intervals;
use support::{Answer, metrics, write};

fn answers(n: usize) -> Vec<Answer> {
    let answers = (0..n).map(|at| Answer {
        subject: if at % 2 == 0 { "m" } else { "k" },
        ..Answer::new(
            format!("q{}", at / 2),
            (at % 5 != 0).then_some(at % 3 == 0),
            None,
        )
    });
    answers.collect()
}

#[test]
fn bytes_do_not_depend_on_how_records_came() {
    let folder = tempfile::tempdir().unwrap();
    // More than one row group.
    let all = answers(10_000);
    let mut bytes = Vec::new();
    for (at, batch) in [1000, 8192, 10_000].into_iter().enumerate() {
        let path = folder.path().join(at.to_string());
        let manifest = write(&path, &all, metrics(), batch);
        assert_eq!(manifest.counts.records, 10_000);
        bytes.push(std::fs::read(path.join(name::RECORDS)).unwrap());
    }
    assert!(bytes[0] == bytes[1] && bytes[1] == bytes[2]);
}

#[test]
fn what_was_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &answers(20), metrics(), 3);
    let run = Run::open(folder.path()).unwrap();
    assert_eq!(run.manifest.schema_version, "judica.run/2");
    let mut lines = Vec::new();
    let mut cells = Vec::new();
    each(&run, &mut |record, own| {
        json_line(record, own, &mut lines);
        cells.push(csv_cells(record, false));
        Ok(())
    })
    .unwrap();
    assert_eq!(csv_names(&run).unwrap().len(), cells[0].len());
    let first: serde_json::Value =
        serde_json::from_slice(lines.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["item"], "q0");
    assert_eq!(first["verdict"], serde_json::Value::Null);
    assert_eq!(first["evidence"][0]["rule"], "seen");
    assert_eq!(
        (&first["input_line"], &first["word"]),
        (&1.into(), &"w".into())
    );
    let wanted = |subject: Option<&str>| Wanted {
        item: "q3".to_owned(),
        subject: subject.map(str::to_owned),
        ..Wanted::default()
    };
    let found = |wanted: &Wanted| find(&run, wanted, &mut |_, _| Ok(())).unwrap();
    assert_eq!((found(&wanted(None)), found(&wanted(Some("k")))), (2, 1));
    assert_eq!(found(&wanted(Some("z"))), 0);
    let values = values(&run, &Intervals::default()).unwrap();
    let right = |subject: Option<&str>| {
        let mut rows = values.iter();
        rows.find(|of| of.metric == "right" && of.subject.as_deref() == subject)
            .unwrap()
    };
    // Of 20 records four have no verdict; right are 3, 6, 9, 12, 18.
    assert_eq!(right(None).value.value(), Some(5.0 / 16.0));
    assert_eq!(right(Some("k")).value.value(), Some(2.0 / 8.0));
}

#[test]
fn no_record_at_all_is_a_run_too() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[], metrics(), 3);
    let run = Run::open(folder.path()).unwrap();
    assert!(run.records().unwrap().is_empty());
    let none = values(&run, &Intervals::default()).unwrap();
    assert!(none.iter().all(|of| of.value.value().is_none()));
}

fn refusal(folder: &Path) -> String {
    let error = Run::open(folder)
        .and_then(|run| run.records().map(|_| run))
        .unwrap_err();
    assert_eq!(error.exit_code().code(), 3);
    error.to_string()
}

#[test]
fn folders_that_are_no_run_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(refusal(path).contains("--run DIR"), "{}", refusal(path));
    let manifest = path.join(name::MANIFEST);
    for (text, says) in [
        (
            r#"{"schema_version":"judica.run/1"}"#,
            "run the command again",
        ),
        (r#"{"schema_version":"judica.run/3"}"#, "a newer"),
        (r#"{"schema_version":"x"}"#, "not the manifest of a run"),
        ("{}", "not the manifest of a run"),
        ("{", "EOF"),
        ("[]", "manifest.json"),
    ] {
        std::fs::write(&manifest, text).unwrap();
        assert!(refusal(path).contains(says), "{text}: {}", refusal(path));
    }
    std::fs::remove_file(&manifest).unwrap();
    write(path, &answers(4), metrics(), 3);
    let records = path.join(name::RECORDS);
    let whole = std::fs::read(&records).unwrap();
    std::fs::write(&records, &whole[..whole.len() - 1]).unwrap();
    assert!(refusal(path).contains("damaged"), "{}", refusal(path));
    std::fs::remove_file(&records).unwrap();
    assert!(refusal(path).contains("not there"), "{}", refusal(path));
    // A file of the right length that is something else.
    std::fs::write(&records, vec![b'x'; whole.len()]).unwrap();
    assert!(
        refusal(path).contains("not a Parquet file"),
        "{}",
        refusal(path)
    );
    std::fs::write(&records, &whole).unwrap();
    assert!(Run::open(path).is_ok());
    // A manifest must not lead out of its folder.
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(
        &manifest,
        text.replace("\"tables.json\"", "\"../tables.json\""),
    )
    .unwrap();
    assert!(refusal(path).contains("plain names"), "{}", refusal(path));
}

#[test]
fn a_run_that_is_made_again_leaves_nothing_of_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &answers(4), metrics(), 3);
    let stale = folder.path().join(name::REJECTS);
    std::fs::write(&stale, "x").unwrap();
    let own = folder.path().join("mine.txt");
    std::fs::write(&own, "x").unwrap();
    write(folder.path(), &answers(2), metrics(), 3);
    assert!(!stale.exists() && own.exists());
    assert_eq!(Run::open(folder.path()).unwrap().manifest.counts.records, 2);
}
