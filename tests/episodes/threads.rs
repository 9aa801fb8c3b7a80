//! The same bytes on any number of threads, and in any order of predictions.

use std::collections::BTreeMap;

use serde_json::json;

use crate::data::{SCORE, act, cases, click, row, score_case, write};
use crate::support::Place;

#[track_caller]
fn files(place: &Place, options: &str) -> BTreeMap<String, Vec<u8>> {
    place
        .judica(&format!("{SCORE} {options} --details out/d.jsonl"))
        .exits(0);
    place.files("out")
}

#[test]
fn threads_change_no_byte() {
    let place = Place::new();
    // Two megabytes: several chunks of work.
    let text = "x".repeat(300);
    let recorded: Vec<_> = (0..3000)
        .map(|at| {
            let mut row = row(
                &format!("e{at}"),
                &[click(0.1, 0.1 * (at % 10) as f64), act("type")],
            );
            row["more"] = json!(text);
            row
        })
        .collect();
    let predicted: Vec<_> = (0..3000)
        .filter(|at| at % 7 != 0)
        .map(|at| match at % 50 {
            0 => json!({"episode_id": format!("nobody{at}"), "steps": [], "more": text}),
            1 => row(&format!("e{at}"), &[click(640.0, 1.0)]),
            _ => {
                let mut row = row(
                    &format!("e{at}"),
                    &[click(0.001 * (at % 97) as f64, 0.3), act("type")],
                );
                row["more"] = json!(text);
                row
            }
        })
        .collect();
    write(&place, &recorded, &predicted);
    let one = files(&place, "--mode coord --threads 1");
    assert_eq!(one.len(), 3);
    for threads in [2, 5] {
        assert!(
            one == files(&place, &format!("--mode coord --threads {threads}")),
            "{threads}"
        );
    }
}

#[test]
fn on_rows_that_are_wrong_too() {
    let place = Place::new();
    for case in cases(&place, [300, 304, 20, 30]) {
        let folder = case["folder"].as_str().expect("a name");
        let line = score_case(&case, "coord");
        let [one, three] = [1, 3].map(|threads| {
            place
                .judica(&format!("{line} --threads {threads}"))
                .exits(0);
            place.files(&format!("{folder}/out"))
        });
        assert!(one == three, "{folder}");
    }
}
