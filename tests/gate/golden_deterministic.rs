//! The same folder gives the same bytes: in any order of creation, on any number of threads.

use serde_json::json;

use crate::gate::data::{GOLDEN, bare_step, claim, golden, output, query, report, with};
use crate::support::Place;

const RUNS: usize = 60;

/// One file of the folder of runs.
type File = (String, String);

/// Sixty runs of many kinds: good, bare, citing what is not there, malformed, of no query.
fn files() -> Vec<File> {
    let mut files = Vec::new();
    for at in 0..RUNS {
        // Names whose order as numbers, as text and by creation all differ.
        let name = format!("run-{}", at * 7 % RUNS);
        let objective = format!("objective {}", at % 11);
        let run = output(&format!("id {at}"), &objective);
        let run = match at % 5 {
            0 => run,
            1 => with(
                run,
                "claims",
                json!([
                    claim("c", "verified", &["lost", "e1"]),
                    claim("d", "verified", &["gone"])
                ]),
            ),
            2 => with(
                run,
                "steps",
                json!([bare_step("s1"), bare_step("s2"), bare_step("s3")]),
            ),
            3 => with(run, "claims", json!("none")),
            _ => with(run, "steps", json!(null)),
        };
        if at % 4 == 1 {
            files.push((format!("{name}.json"), run.to_string()));
            continue;
        }
        files.push((format!("{name}/output.json"), run.to_string()));
        files.push((format!("{name}/manifests/s2.json"), "{}".to_owned()));
        files.push((format!("{name}/manifests/s9.json"), "{}".to_owned()));
        files.push((
            format!("{name}/events.jsonl"),
            "{\"type\": \"step\", \"id\": \"s1\"}\n{\"type\": \"step\", \"step_id\": \"s2\"}\n"
                .to_owned(),
        ));
    }
    files
}

fn place_of(files: impl Iterator<Item = File>) -> Place {
    let queries: Vec<_> = (0..10)
        .map(|at| query(&format!("objective {at}"), &["e1", "e2"], at % 3 != 0))
        .collect();
    let place = golden(&queries, &[]);
    for (name, text) in files {
        place.write(&format!("runs/{name}"), text);
    }
    place
}

/// Everything a run of the program leaves: its report, JUnit, Markdown and both outputs.
fn everything(place: &Place, threads: usize) -> Vec<Vec<u8>> {
    let outputs = "--report o/r.json --junit o/j.xml --markdown o/m.md --github";
    let ran = place
        .judica(&format!("{GOLDEN} {outputs} --threads {threads}"))
        .exits(1);
    let files = ["o/r.json", "o/j.xml", "o/m.md"].map(|name| place.read(name));
    let screens = [ran.stdout.into_bytes(), ran.stderr.into_bytes()];
    files.into_iter().chain(screens).collect()
}

#[test]
fn bytes_do_not_depend_on_creation_order_or_threads() {
    let shuffled = || {
        let mut files = files();
        // A fixed order that is neither of the others.
        files.sort_by_key(|(name, _)| name.bytes().rev().collect::<Vec<u8>>());
        files.into_iter()
    };
    let first = place_of(files().into_iter());
    let expected = everything(&first, 1);
    for place in [
        &first,
        &place_of(files().into_iter().rev()),
        &place_of(shuffled()),
    ] {
        for threads in [1, 2, 7] {
            let same = everything(place, threads) == expected;
            assert!(same, "{threads} threads");
        }
    }
    let report = report(&first.judica(&format!("{GOLDEN} --json")).exits(1));
    let names: Vec<&str> = report["per_run"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["file"].as_str().expect("a file"))
        .collect();
    assert_eq!(names.len(), RUNS);
    let top = |file: &str| file.split('/').next().unwrap_or_default().to_owned();
    assert!(names.is_sorted_by_key(|file| top(file)));
}

#[test]
fn the_report_does_not_say_where_the_folder_lies() {
    let place = place_of(files().into_iter());
    let here = place.judica(&format!("{GOLDEN} --json")).exits(1).stdout;
    let folder = place.path("").display().to_string();
    let absolute = format!(
        "gate golden --golden {folder}/golden.json --outputs {folder}/runs/../runs/ --json"
    );
    assert_eq!(place.judica(&absolute).exits(1).stdout, here);
    assert!(!here.contains(folder.trim_end_matches('/')));
}
