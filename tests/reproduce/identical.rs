//! A run made again gives the same bytes, wherever it stands.

use std::fs;
use std::sync::Arc;

use judica_cli::Call;

use crate::support::Place;
use crate::support::flight::{EVAL, tiny, tiny_run};

#[test]
fn every_kind_of_run_is_identical() {
    for records in ["parquet", "jsonl", "both", "none"] {
        let place = tiny_run(records);
        let before = place.files("run");
        for threads in ["", "--threads 1", "--threads 3"] {
            place
                .judica(&format!("reproduce run {threads}"))
                .exits(0)
                .says(&["identical", "report.json", "manifest.json"]);
        }
        assert!(place.files("run") == before, "the run folder was touched");
        assert_eq!(place.names("."), ["o.jsonl", "run", "s.jsonl"]);
    }
}

#[test]
fn without_a_timestamp_rejects_and_all_options() {
    let place = tiny();
    place.write("c.json", r#"{"good": {"confidence_m": {"S1_score": 50}}}"#);
    place.write(
        "extra.jsonl",
        "not json\n{\"response\": \"{}\", \"id\": \"b1\"}\n",
    );
    place
        .judica(
            "eval --protocol flight --samples s.jsonl --outputs o.jsonl --outputs extra.jsonl --confidence c.json \
             --out run --records both --task S1 --model unnamed",
        )
        .exits(0)
        .says(&["inputs 10 = records 9 + rejects 1"]);
    place
        .judica("reproduce run")
        .exits(0)
        .says(&["identical", "rejects.jsonl"]);
}

#[test]
fn inputs_are_found_where_they_have_gone() {
    let place = tiny_run("parquet");
    fs::create_dir(place.path("moved")).expect("a folder");
    for name in ["s.jsonl", "o.jsonl"] {
        fs::rename(place.path(name), place.path("moved").join(name)).expect("moved");
    }
    place
        .judica("reproduce run")
        .exits(3)
        .complains(&["s.jsonl", "not found", "--inputs"]);
    place
        .judica("reproduce run --inputs moved")
        .exits(0)
        .says(&["identical"]);
}

#[test]
fn a_run_folder_can_move_with_its_inputs() {
    let place = tiny();
    place
        .judica(&EVAL.replace("--out run", "--out box/run"))
        .exits(0);
    for name in ["s.jsonl", "o.jsonl"] {
        fs::rename(place.path(name), place.path("box").join(name)).expect("moved");
    }
    fs::rename(place.path("box"), place.path("elsewhere")).expect("moved");
    place
        .judica("reproduce elsewhere/run")
        .exits(0)
        .says(&["identical"]);
}

#[test]
fn a_run_from_standard_input_says_that_it_cannot() {
    let place = tiny();
    place
        .judica_with_stdin(&EVAL.replace("o.jsonl", "-"), place.read("o.jsonl"))
        .exits(0);
    place
        .judica("reproduce run")
        .exits(3)
        .complains(&["standard input"]);
}

/// Only Linux lets files be called so.
#[cfg(target_os = "linux")]
#[test]
fn an_input_is_found_whose_name_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xff.csv");
    place.write("b.csv", "id,gold,prediction\na,x,x\n");
    fs::rename(place.path("b.csv"), place.path(".").join(name)).expect("renamed");
    let mut command = place.command("match --run run --predictions");
    command.arg(name).assert().success();
    place.judica("reproduce run").exits(0).says(&["identical"]);
    // `look` prints a name that a shell takes.
    let mut command = place.command("look");
    let looked = command.arg(name).output().expect("the program");
    let looked = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(looked.contains(r"--predictions $'a\xff.csv'"), "{looked}");
}

#[test]
fn a_folder_that_is_no_run() {
    let place = tiny();
    place
        .judica("reproduce nowhere")
        .exits(3)
        .complains(&["nowhere/manifest.json"]);
    place.write("run/manifest.json", "{}");
    place
        .judica("reproduce run")
        .exits(3)
        .complains(&["run/manifest.json"]);
    place.write("run/manifest.json", "not json");
    place
        .judica("reproduce run")
        .exits(3)
        .complains(&["run/manifest.json"]);
}

#[test]
fn a_run_of_pieces_as_they_stood_is_held_by_its_rows() {
    let place = Place::new();
    let row = |id: &str| format!("{{\"id\": \"{id}\", \"gold\": 1, \"prediction\": 1}}\n");
    place.write("p.jsonl", row("a") + &row("b"));
    let matched = "match --predictions p.jsonl --timestamp 2025-01-19T10:30:00Z --run";
    place.judica(&format!("{matched} run --part 1/1")).exits(0);
    let call = Arc::new(Call::new(Arc::default(), None));
    judica_cli::finish_pieces(&place.path("run"), true, None, &call).expect("a run");
    let manifest = place.json("run/manifest.json");
    assert_eq!(manifest["files"]["records.parquet"]["reproducible"], false);
    place.judica("reproduce run").exits(0).says(&[
        "its rows, not its bytes, are compared",
        "identical: report.json",
    ]);
    // The records of another run are noticed.
    place.write("q.jsonl", row("a") + &row("c"));
    let other = matched.replace("p.jsonl", "q.jsonl");
    place.judica(&format!("{other} other")).exits(0);
    let records = |run: &str| place.path(run).join("records.parquet");
    fs::copy(records("other"), records("run")).expect("copied");
    place
        .judica("reproduce run")
        .exits(1)
        .says(&["different: records.parquet: record 1"]);
}
