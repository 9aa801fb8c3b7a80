//! The run that is left: the head that all runs have, where outputs stand, what they say.

use judica_data::fingerprint::fingerprint;
use judica_model::run::{OwnValue, Verdict};
use judica_run::export::each;
use judica_run::layout::head_fields;
use judica_run::open::Run;

use crate::support::flight::{EVAL, tiny, tiny_run};
use crate::support::gzip;

#[test]
fn records_begin_with_the_head_of_all_runs() {
    let place = tiny_run("parquet");
    let run = Run::open(&place.path("run")).expect("a run");
    let columns = run.records().expect("records");
    let head: Vec<String> = head_fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(columns.columns()[..head.len()], head);
    assert_eq!(columns.columns()[head.len()], "total_counted");
    let mut seen = Vec::new();
    each(&run, &mut |record, own| {
        assert_eq!((record.epoch, record.cluster), (1, None));
        assert!(record.labels.is_empty() && !record.evidence.is_empty());
        let value = |name: &str| {
            let at = own.iter().position(|own| *own == name).expect("a column");
            record.own[at]
        };
        let eligible = record.decision == Some("eligible");
        let verdict = if eligible {
            Verdict::Pass
        } else {
            Verdict::Fail
        };
        assert_eq!(record.verdict, Some(verdict));
        assert_eq!(value("eligible"), OwnValue::flag(Some(eligible)));
        // A gated record counts as the cap and has no total; all have usable gold here.
        assert_eq!(value("total_counts"), OwnValue::Number(1.0));
        assert_eq!(value("total_counted"), OwnValue::number(record.score));
        match eligible {
            true => assert_eq!(value("total"), OwnValue::number(record.score)),
            false => {
                assert_eq!(value("total"), OwnValue::Null);
                assert_eq!(record.score, Some(0.0));
            }
        }
        seen.push((
            record.dataset.to_owned(),
            record.item.to_owned(),
            record.subject.to_owned(),
        ));
        Ok(())
    })
    .expect("readable");
    assert_eq!(seen.len(), 8);
    assert_eq!(
        seen[0],
        ("S1".to_owned(), "a1".to_owned(), "good".to_owned())
    );
}

#[test]
fn a_record_says_where_its_output_stands() {
    let place = tiny();
    let lines = place.text("o.jsonl");
    place.write("o.jsonl.gz", gzip(lines.as_bytes()));
    for outputs in ["o.jsonl", "o.jsonl.gz"] {
        place.judica(&EVAL.replace("o.jsonl", outputs)).exits(0);
        let run = Run::open(&place.path("run")).expect("a run");
        let mut number = 0;
        each(&run, &mut |record, _| {
            let at = record.place.expect("a place");
            let (offset, bytes) = (at.offset.expect("an offset"), at.bytes.expect("bytes"));
            let row = &lines[offset as usize..(offset + bytes) as usize];
            assert_eq!(Some(row), lines.lines().nth(number));
            number += 1;
            assert_eq!((at.file, at.line), (outputs, number as u64));
            assert_eq!(at.hash, Some(fingerprint(row.as_bytes())));
            Ok(())
        })
        .expect("readable");
        assert_eq!(number, 8);
        // So that the answer itself can be shown, as long as it is there.
        place
            .judica("show run a1 --subject good")
            .exits(0)
            .says(&["as it stands in the input", "raw_response_text"]);
    }
    place.write("o.jsonl.gz", gzip(lines.replace("good", "fine").as_bytes()));
    place
        .judica("show run a1 --subject good")
        .exits(0)
        .says(&["the input has changed since the run"]);
}

#[test]
fn texts_are_kept_on_request_and_travel_with_the_run() {
    let place = tiny();
    place.judica(&format!("{EVAL} --keep-text")).exits(0);
    place.judica("reproduce run").exits(0).says(&["identical"]);
    let kept = place.files("run");
    place
        .judica(&format!("{EVAL} --keep-text --threads 1"))
        .exits(0);
    assert!(place.files("run") == kept);
    let header = place.judica("export run --format csv").exits(0).stdout;
    let header = header.lines().next().expect("a header");
    assert!(header.ends_with(",input,target,output"), "{header}");
    for name in ["o.jsonl", "s.jsonl"] {
        std::fs::remove_file(place.path(name)).expect("removed");
    }
    place.judica("show run a1 --subject good").exits(0).says(&[
        "expected:",
        "next_second",
        "answered:",
        "Roll (deg)",
    ]);
}

#[test]
fn the_folder_has_two_names() {
    let place = tiny();
    place.judica(EVAL).exits(0);
    let out = place.files("run");
    place
        .judica(&EVAL.replace("--out run", "--run other"))
        .exits(0);
    assert!(place.files("other") == out);
    place
        .judica(&format!("{EVAL} --run twice"))
        .exits(2)
        .complains(&["--out"]);
}

#[test]
fn the_report_is_shown_again() {
    let place = tiny_run("parquet");
    let shown = place.judica("show run").exits(0);
    shown.says(&["Leaderboard", "good", "wild", "total"]);
    let files = &place.json("run/manifest.json")["files"];
    assert_eq!(files["failures.parquet"]["kind"], "failures");
    let json = place.judica("show run --json").exits(0).stdout;
    assert_eq!(json, place.text("run/report.json"));
}
