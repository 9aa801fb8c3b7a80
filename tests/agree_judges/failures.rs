//! Artifacts that are missing or malformed end the run and leave nothing behind.

use crate::agree_judges::data::{JUDGES, gzip, judged, panel, rows};
use crate::support::Place;

const MAP: &str = "--heatmap out/map.svg";

#[track_caller]
fn fails(place: &Place, words: &[&str]) {
    let ran = place.judica(&format!("{JUDGES} {MAP}")).exits(3);
    assert_eq!(ran.stdout, "");
    ran.complains(&["SYSTEM_ERROR"]).complains(words);
    place.nothing_in("out");
}

/// What was given is there, and of no use.
#[track_caller]
fn unusable(place: &Place, words: &[&str]) {
    let ran = place.judica(&format!("{JUDGES} {MAP}")).exits(2);
    assert_eq!(ran.stdout, "");
    ran.complains(words);
    place.nothing_in("out");
}

#[test]
fn folders_without_judged_data_sets() {
    let place = Place::new();
    fails(&place, &["eval", "no such file"]);
    for name in ["eval", "eval/ana"] {
        std::fs::create_dir(place.path(name)).expect("a folder");
        fails(
            &place,
            &["eval: no judged data set", "<judge>/<dataset>.json"],
        );
    }
    place.write("eval/ana/notes.txt", "nothing");
    place.write("eval/ana/.hidden.json", "[]");
    fails(&place, &["eval: no judged data set"]);
    place.write("eval/ana/one.json", "[]");
    unusable(
        &place,
        &["eval: no judged data set", "ana/one.json", "no rows"],
    );
}

#[test]
fn only_files_that_are_nobodys() {
    let place = Place::new();
    place.write(
        "eval/one.json",
        "[{\"input\": \"a\", \"correct\": \"yes\"}]",
    );
    unusable(&place, &["one.json", "judge_model"]);
}

#[test]
fn only_people() {
    let place = Place::new();
    place.write("eval/human/one.json", judged("m", "one", &rows("yn")));
    fails(&place, &["eval: no judged data set"]);
}

#[test]
fn a_file_instead_of_a_folder() {
    let place = Place::new();
    place.write("eval", "[]");
    let ran = place.judica(JUDGES).exits(3);
    assert!(!ran.stderr.contains("no such file"), "{}", ran.stderr);
    ran.complains(&["eval", "folder"]);
    let stdin = JUDGES.replace("--eval-dir eval", "--eval-dir -");
    place.judica(&stdin).exits(3).complains(&["folder"]);
}

#[test]
fn files_that_are_no_json() {
    let whole = judged("m", "one", &rows("ynyn"));
    for (text, line) in [
        ("oops", 1),
        ("[1,\n 2", 2),
        ("{\"detailed_results\": [\n{\"input\" \"a\"}]}", 2),
        ("[] []", 1),
        (&whole[..whole.len() / 2], 0),
    ] {
        let place = panel(&[("ana", "yn"), ("ben", "yy")]);
        place.write("eval/ana/two.json", text);
        match line {
            0 => fails(&place, &["eval/ana/two.json:", "not JSON"]),
            line => fails(&place, &[&format!("eval/ana/two.json:{line}:"), "not JSON"]),
        }
    }
}

#[test]
fn a_file_with_something_behind_its_end() {
    let whole = judged("m", "two", &rows("ynyn"));
    for rest in ["}", "]", "oops", ",", "\n}\n"] {
        let place = panel(&[("ana", "yn"), ("ben", "yy")]);
        place.write("eval/ana/two.json", format!("{whole}{rest}"));
        fails(&place, &["eval/ana/two.json:", "not JSON"]);
    }
}

#[test]
fn compressed_files_that_are_cut_short() {
    let whole = judged("m", "one", &rows("ynyn"));
    let packed = gzip(whole.as_bytes());
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.write("eval/ana/two.json.gz", &packed[..packed.len() - 9]);
    fails(&place, &["eval/ana/two.json.gz", "cut short"]);
    let packed = zstd::encode_all(whole.as_bytes(), 1).expect("zstd");
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.write("eval/ana/two.json.zst", &packed[..packed.len() / 2]);
    fails(&place, &["eval/ana/two.json.zst"]);
}

/// Rows are looked up again for the report, which a pipe would be waited for in vain.
#[test]
fn a_pipe_is_no_judged_file() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("eval/ana/two.json"))
        .status();
    assert!(made.expect("mkfifo").success());
    unusable(&place, &["eval/ana/two.json", "put what this pipe"]);
}

#[test]
fn deep_nesting_does_no_harm() {
    for deep in [
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("[{{\"input\": {}", "{\"a\":".repeat(100_000)),
    ] {
        let place = panel(&[("ana", "yn"), ("ben", "yy")]);
        place.write("eval/ana/two.json", deep);
        fails(&place, &["eval/ana/two.json:1"]);
    }
}

#[test]
fn a_failed_run_leaves_the_earlier_report_alone() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.judica(&format!("{JUDGES} {MAP}")).exits(0);
    let first = place.files("out");
    assert_eq!(place.names("out"), ["map.svg", "report.json"]);
    place.write("eval/ana/two.json", "oops");
    place.judica(&format!("{JUDGES} {MAP}")).exits(3);
    assert!(place.files("out") == first);
    place.write("eval/ana/two.json", "[7]");
    place.judica(&format!("{JUDGES} {MAP} --strict")).exits(2);
    assert!(place.files("out") == first);
}

#[test]
fn reports_that_cannot_be_written() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.write("file", "in the way");
    std::fs::create_dir_all(place.path("taken/report.json/inner")).expect("a folder");
    for (out, code, word) in [
        ("file/report.json", 3, "SYSTEM_ERROR"),
        ("taken/report.json", 2, "is a folder"),
    ] {
        let line = JUDGES.replace("out/report.json", out);
        let name = out.split('/').next().unwrap_or(out);
        place.judica(&line).exits(code).complains(&[word, name]);
    }
    assert_eq!(place.text("file"), "in the way");
    assert_eq!(place.names("taken"), ["report.json"]);
}

/// Nothing of the clock is in what is written.
#[test]
fn the_epoch_changes_nothing() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.judica(JUDGES).exits(0);
    let first = place.files("out");
    let mut command = place.command(JUDGES);
    command.env("SOURCE_DATE_EPOCH", "1");
    crate::support::ran(command).exits(0);
    assert!(place.files("out") == first);
}
