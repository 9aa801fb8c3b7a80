//! What the place of a file says, and which files of a folder are read.

use std::fs;

use super::*;
use crate::test_support::FLIGHT;

fn place(top: &str, file: &str) -> (Option<String>, Option<String>, Option<String>) {
    let Place {
        task,
        model,
        folder,
    } = Place::of(&FLIGHT, Path::new(top), &Path::new(top).join(file));
    (task, model, folder)
}

fn some(name: &str) -> Option<String> {
    Some(name.to_owned())
}

#[test]
fn task_and_model_are_folders_wherever_the_given_one_begins() {
    assert_eq!(
        place("results", "S1/gpt/a.jsonl"),
        (some("S1"), some("gpt"), None)
    );
    assert_eq!(
        place("results/S1", "gpt/a.jsonl"),
        (some("S1"), some("gpt"), None)
    );
    assert_eq!(
        place("results/S1/gpt", "a.jsonl"),
        (some("S1"), None, some("gpt"))
    );
    // Deeper folders are the user's own affair.
    assert_eq!(
        place("r", "2024/M3/gpt/run 1/a.jsonl"),
        (some("M3"), some("gpt"), None)
    );
    assert_eq!(place("r", "S1/a.jsonl"), (some("S1"), None, None));
    // Without a task the first folder is the model; without any folder nothing is known.
    assert_eq!(place("r", "gpt/a.jsonl"), (None, some("gpt"), None));
    assert_eq!(place("r", "a.jsonl"), (None, None, None));
    // A task is spelt as in the protocol.
    assert_eq!(place("r", "s1/gpt/a.jsonl"), (None, some("s1"), None));
}

#[test]
fn files_come_by_the_bytes_of_their_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path();
    for name in [
        "S1/b/x.jsonl",
        "S1/B/x.JSONL.gz",
        "S1/a/x.ndjson.zst",
        "S1/a b/x.jsonl",
        "S1/a/metrics.json",
        "notes.txt",
        ".hidden.jsonl",
        "S1/.ipynb_checkpoints/x.jsonl",
    ] {
        let path = top.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, "").expect("written");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(top, top.join("S1/round")).expect("linked");
    let found = output_files(&[top.to_owned()], &FLIGHT, Some("m")).expect("found");
    let short = |path: &Path| path.strip_prefix(top).expect("below").display().to_string();
    let read: Vec<String> = found.files.iter().map(|file| short(&file.path)).collect();
    assert_eq!(
        read,
        [
            "S1/B/x.JSONL.gz",
            "S1/a b/x.jsonl",
            "S1/a/x.ndjson.zst",
            "S1/b/x.jsonl"
        ]
    );
    assert_eq!(found.files[3].model.as_deref(), Some("b"));
    let left: Vec<String> = found.left.iter().map(|path| short(path)).collect();
    assert_eq!(left, ["S1/a/metrics.json", "S1/round", "notes.txt"]);
}

#[test]
fn a_model_that_is_named_wins_over_the_name_of_the_folder_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().join("S1/latest");
    fs::create_dir_all(&top).expect("made");
    fs::write(top.join("a.jsonl"), "").expect("written");
    let model = |named| {
        let found = output_files(std::slice::from_ref(&top), &FLIGHT, named).expect("found");
        found.files[0].model.clone()
    };
    assert_eq!(model(None), some("latest"));
    assert_eq!(model(Some("gpt")), some("gpt"));
}

#[test]
fn a_folder_without_data_is_no_outputs() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.md"), "[]").expect("written");
    let error = output_files(&[folder.path().to_owned()], &FLIGHT, None).expect_err("refused");
    assert_eq!(
        error.exit_code(),
        judica_model::exit_code::ExitCode::BadInput
    );
}
