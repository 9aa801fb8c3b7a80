//! What is written, and what happens to what was there.

#[cfg(unix)]
use std::path::Path;

use serde_json::json;

use crate::agree_judges::data::{JUDGES, panel, rows};
use crate::support::Place;
#[cfg(unix)]
use crate::support::TEMPORARY;

fn with_bad_row() -> Place {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.write("eval/cal/one.json", "[7]");
    place
}

#[test]
fn nothing_but_the_report_and_what_is_asked_for() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.judica(JUDGES).exits(0);
    assert_eq!(place.names("out"), ["report.json"]);
    assert_eq!(place.names("."), ["eval", "out"]);
    place
        .judica(&format!("{JUDGES} --heatmap out/map.svg"))
        .exits(0);
    assert_eq!(place.names("out"), ["map.svg", "report.json"]);
    let place = with_bad_row();
    place.judica(JUDGES).exits(0);
    assert_eq!(place.names("out"), ["rejects.jsonl", "report.json"]);
}

#[test]
fn folders_on_the_way_are_made() {
    let place = with_bad_row();
    let line = JUDGES.replace("out/report.json", "a/b/report.json");
    place
        .judica(&format!(
            "{line} --heatmap c/d/map.svg --rejects e/f/bad.jsonl"
        ))
        .exits(0);
    assert_eq!(place.names("a/b"), ["report.json"]);
    assert_eq!(place.names("c/d"), ["map.svg"]);
    assert_eq!(place.names("e/f"), ["bad.jsonl"]);
}

#[test]
fn the_second_run_is_as_if_there_had_been_no_first() {
    let place = with_bad_row();
    let line = format!("{JUDGES} --heatmap out/map.svg");
    place.judica(&line).exits(0);
    let first = place.files("out");
    place.judica(&line).exits(0);
    assert!(place.files("out") == first);
}

/// They would belie a run without any.
#[test]
fn rejects_of_an_earlier_run_go_away() {
    let place = with_bad_row();
    place.judica(JUDGES).exits(0);
    place.write("eval/cal/one.json", json!(rows("yn")).to_string());
    place.judica(JUDGES).exits(0);
    assert_eq!(place.names("out"), ["report.json"]);
}

/// Files of other folders may have the same names.
#[test]
fn rejects_of_other_inputs_stay() {
    let place = with_bad_row();
    for judge in ["ana", "ben", "cal"] {
        let file = format!("other/{judge}/one.json");
        place.write(&file, json!(rows("yn")).to_string());
    }
    place.write("one/h.json", "[7]");
    place.write("two/h.json", json!(rows("yn")).to_string());
    let other = JUDGES.replace("--eval-dir eval", "--eval-dir other");
    for (refused, code, clean) in [
        (JUDGES, 0, other.as_str()),
        (
            &format!("{other} --human one/h.json"),
            2,
            &format!("{other} --human two/h.json"),
        ),
    ] {
        place.judica(refused).exits(code);
        let kept = place.read("out/rejects.jsonl");
        place.judica(clean).exits(0);
        assert_eq!(place.read("out/rejects.jsonl"), kept, "{clean}");
    }
}

#[test]
fn strangers_are_left_alone() {
    let place = with_bad_row();
    place.write("out/notes.txt", "mine");
    place.write("out/other.json", "mine");
    place.judica(JUDGES).exits(0);
    assert_eq!(
        place.names("out"),
        ["notes.txt", "other.json", "rejects.jsonl", "report.json"]
    );
    assert_eq!(place.text("out/other.json"), "mine");
}

/// A file is given its name when it is whole: whoever had the old one open keeps it.
#[cfg(unix)]
#[test]
fn files_are_replaced_and_not_written_over() {
    use std::os::unix::fs::MetadataExt;
    let place = with_bad_row();
    let line = format!("{JUDGES} --heatmap out/map.svg");
    let number = |name: &str| std::fs::metadata(place.path(name)).expect("a file").ino();
    place.judica(&line).exits(0);
    let names = ["out/report.json", "out/map.svg", "out/rejects.jsonl"];
    let kept: Vec<std::fs::File> = names
        .iter()
        .map(|name| std::fs::File::open(place.path(name)).expect("a file"))
        .collect();
    let before = names.map(number);
    place.judica(&line).exits(0);
    for (name, before) in names.iter().zip(before) {
        assert_ne!(number(name), before, "{name} was written over");
    }
    drop(kept);
    let left: Vec<String> = place
        .names("out")
        .into_iter()
        .filter(|name| name.contains(TEMPORARY))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn the_annotations_are_not_written_over() {
    let place = with_bad_row();
    let human = json!(rows("yy")).to_string();
    place.write("human.json", &human);
    let lines = [
        JUDGES.replace("out/report.json", "human.json"),
        JUDGES.replace("out/report.json", "eval/../human.json"),
        format!("{JUDGES} --rejects human.json"),
    ];
    // No picture is called like that.
    place
        .judica(&format!(
            "{JUDGES} --heatmap ./human.json --human human.json"
        ))
        .exits(2)
        .complains(&["human.json", ".svg, .pdf or .png"]);
    for line in lines {
        let ran = place.judica(&format!("{line} --human human.json"));
        ran.exits(2).complains(&["human.json", "overwrite"]);
        assert_eq!(place.text("human.json"), human);
        place.nothing_in("out");
    }
}

#[test]
fn judged_files_are_not_written_over() {
    let place = with_bad_row();
    let before = place.read("eval/ana/one.json");
    let lines = [
        JUDGES.replace("out/report.json", "eval/ana/one.json"),
        format!("{JUDGES} --rejects eval/ana/one.json"),
        format!("{JUDGES} --heatmap eval/ana/one.json"),
    ];
    for line in lines {
        place
            .judica(&line)
            .exits(2)
            .complains(&["eval/ana/one.json"]);
        assert!(place.read("eval/ana/one.json") == before, "{line}");
    }
}

#[test]
fn two_outputs_do_not_share_a_name() {
    let place = with_bad_row();
    for options in [
        "--heatmap out/report.json",
        "--rejects out/report.json",
        "--heatmap out/rejects.jsonl",
        "--heatmap -",
    ] {
        place.judica(&format!("{JUDGES} {options}")).exits(2);
        place.nothing_in("out");
    }
}

#[test]
fn two_spellings_of_a_name_are_the_same_name() {
    for name in ["./out/report.json", "out/../out/report.json"] {
        let place = with_bad_row();
        place.judica(&format!("{JUDGES} --heatmap {name}")).exits(2);
        place.nothing_in("out");
    }
}

#[test]
fn a_report_among_the_inputs_would_be_read_as_one() {
    let place = with_bad_row();
    let before = place.names("eval");
    let line = JUDGES.replace("out/report.json", "eval/report.json");
    place
        .judica(&line)
        .exits(2)
        .complains(&["eval/report.json"]);
    assert_eq!(place.names("eval"), before);
}

#[cfg(unix)]
#[test]
fn links_among_the_inputs_are_followed() {
    let place = panel(&[("ana", "yn")]);
    place.write("elsewhere/one.json", json!(rows("ny")).to_string());
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path("eval/ben")).expect("a link");
    let report = crate::agree_judges::data::measured(&place, "");
    assert_eq!(report["judges"].as_array().map(Vec::len), Some(2));
    std::os::unix::fs::symlink(Path::new("nowhere"), place.path("eval/cal")).expect("a link");
    place.judica(JUDGES).exits(3).complains(&["cal"]);
}
