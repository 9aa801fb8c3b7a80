//! Folders that are no run, or not any more.

use std::collections::BTreeMap;

use crate::runs::cases::{CASES, server};
use crate::support::Place;

fn with_a_run() -> Place {
    let (place, server) = (Place::new(), server());
    let case = &CASES[1];
    (case.inputs)(&place, false);
    case.run(&place, &server, "a", "").exits(0);
    place
}

/// Every reader of runs, on the folder `a`.
const READERS: [&str; 6] = [
    "show a",
    "show a q03",
    "export a --format jsonl",
    "reproduce a",
    "compare a a",
    "gate init a --out -",
];

#[track_caller]
fn all_refuse(place: &Place, words: &[&str]) {
    for reader in READERS {
        place.judica(reader).exits(3).complains(words);
    }
}

#[test]
fn every_reader_refuses_what_is_no_run() {
    let place = with_a_run();
    let manifest = place.text("a/manifest.json");
    place.write(
        "a/manifest.json",
        manifest.replace("judica.run/2", "judica.run/1"),
    );
    all_refuse(&place, &["judica.run/1", "run the command again"]);
    place.write(
        "a/manifest.json",
        manifest.replace("judica.run/2", "judica.run/9"),
    );
    all_refuse(&place, &["judica.run/9", "newer"]);
    place.write("a/manifest.json", "{");
    all_refuse(&place, &["manifest.json"]);
    std::fs::remove_file(place.path("a/manifest.json")).expect("removed");
    all_refuse(&place, &["no finished run", "--run DIR"]);
    std::fs::remove_dir_all(place.path("a")).expect("removed");
    place.write("a", manifest);
    // The last would make gates of it.
    for reader in &READERS[..5] {
        let words = [
            "a: a file and no run",
            "judica look a",
            "eval files by --files",
        ];
        place.judica(reader).exits(3).complains(&words);
    }
    let piped = place.judica("compare - -").exits(3);
    piped.complains(&["-: no folder and so no run", "eval files by --files"]);
}

#[test]
fn a_file_of_another_length_is_noticed() {
    let place = with_a_run();
    let mut records = place.read("a/records.parquet");
    records.pop();
    place.write("a/records.parquet", records);
    all_refuse(&place, &["records.parquet", "damaged"]);
}

#[test]
fn what_stands_in_the_input_is_shown_only_if_it_is_still_that() {
    let place = with_a_run();
    place.judica("show a q03").exits(0).says(&["count to 3"]);
    let inputs = place.text("p.jsonl");
    place.write("p.jsonl", inputs.replace("count to 3\"", "count on 3\""));
    let shown = place.judica("show a q03").exits(0);
    assert!(!shown.stdout.contains("count on"), "{}", shown.stdout);
    shown.says(&["has changed since the run"]);
    std::fs::rename(place.path("p.jsonl"), place.path("moved.jsonl")).expect("moved");
    place.judica("show a q03").exits(0).says(&["is not there"]);
    place.write("elsewhere/p.jsonl", inputs);
    place
        .judica("show a q03 --inputs elsewhere")
        .exits(0)
        .says(&["count to 3"]);
}

#[test]
fn standard_input_is_found_by_its_hash() {
    let (place, _) = (Place::new(), ());
    (CASES[1].inputs)(&place, false);
    let rows = place.read("p.jsonl");
    place
        .judica_with_stdin("match --predictions - --run a", rows.clone())
        .exits(0);
    place
        .judica("reproduce a")
        .exits(3)
        .complains(&["standard input", "--inputs DIR"]);
    place.write("kept/whatever.txt", rows);
    place.judica("reproduce a --inputs kept").exits(0);
}

/// The inputs of a command, without which it has nothing to do.
fn needed(command: &str) -> &'static [&'static str] {
    match command {
        "eval" => &["o.jsonl"],
        "match" | "judge" => &["p.jsonl"],
        "agree pairs" => &["pairs.jsonl"],
        "agree judges" => &["judged/one/set.json", "judged/two/set.json"],
        "agree ratings" => &["r.csv"],
        "episodes" => &["e.jsonl"],
        "gate golden" => &["golden.json"],
        other => panic!("{other}: what does it need?"),
    }
}

#[test]
fn what_comes_to_nothing_leaves_an_older_run_whole() {
    for case in &CASES {
        let (place, server) = (Place::new(), server());
        (case.inputs)(&place, false);
        let first = needed(case.command)[0];
        // The older run has rejects of its own, where rows can be refused at all.
        let odd = match first {
            "r.csv" => "q99,,\n",
            _ => "{\"x\": 0}\n",
        };
        if !first.ends_with(".json") {
            place.write(first, format!("{}\n{odd}", place.text(first).trim_end()));
        }
        assert!(matches!(case.run(&place, &server, "a", "").code, 0 | 1));
        let files = || -> BTreeMap<String, Vec<u8>> {
            let names = place.names("a").into_iter();
            let read = names.filter(|name| !name.starts_with('.'));
            read.map(|name| (name.clone(), place.read(&format!("a/{name}"))))
                .collect()
        };
        let before = files();
        for name in needed(case.command) {
            place.write(name, "{\"x\": 1}\n{\"x\": 2}\n");
        }
        let ran = case.run(&place, &server, "a", "");
        assert!(
            matches!(ran.code, 2 | 3),
            "{}: {}",
            case.command,
            ran.stdout
        );
        assert_eq!(files(), before, "judica {}: {}", case.command, ran.stderr);
        place.judica("show a").exits(0);
        // Where no run stands, what was refused is kept.
        let ran = case.run(&place, &server, "b", "");
        assert!(matches!(ran.code, 2 | 3), "{}", case.command);
        if ran.stderr.contains("refused rows") {
            assert!(place.text("b/rejects.jsonl").contains("{\\\"x\\\": 1}"));
        }
    }
}

#[test]
fn a_judge_that_is_stopped_leaves_an_older_run_whole() {
    let (place, server) = (Place::new(), server());
    let case = &CASES[2];
    (case.inputs)(&place, false);
    place.write(
        "p.jsonl",
        format!("{}\n{{\"x\": 0}}\n", place.text("p.jsonl").trim_end()),
    );
    case.run(&place, &server, "a", "").exits(0);
    let rejects = place.read("a/rejects.jsonl");
    (case.inputs)(&place, true);
    place.write(
        "p.jsonl",
        format!("{{\"x\": 9}}\n{}", place.text("p.jsonl")),
    );
    let stopped = format!(
        "{} --run a --base-url http://127.0.0.1:9/v1 --attempts 1 --cache c.sqlite",
        case.arguments
    );
    place.judica(&stopped).exits(3);
    assert_eq!(place.read("a/rejects.jsonl"), rejects);
    place.judica("show a").exits(0);
}

#[test]
fn no_plain_output_takes_the_place_of_a_file_of_a_run() {
    let place = with_a_run();
    for output in [
        "--out a/report.json",
        "--details a/records.parquet",
        "--rejects a/manifest.json",
    ] {
        place
            .judica(&format!("match --predictions p.jsonl {output}"))
            .exits(2)
            .complains(&["is a file of the run in", "elsewhere"]);
    }
    // What is no file of the run does it no harm.
    place
        .judica("match --predictions p.jsonl --out a/other.json")
        .exits(0);
    place.judica("show a").exits(0);
    place.judica("reproduce a").exits(0);
    // The run itself can be made again in its place.
    place.judica("match --predictions p.jsonl --run a").exits(0);
}
