//! `--strict`: the first row that cannot be used ends the run, and nothing is written.

use serde_json::json;

use crate::data::{SCORE, act, click, place, row, two};

#[test]
fn the_first_bad_row_ends_the_run() {
    let good = row("a", &[act("x")]);
    for (recorded, predicted, words) in [
        (
            row("b", &[click(640.0, 0.5)]),
            good.clone(),
            ["e.jsonl:2", "out_of_range", "/steps/0/action/x"],
        ),
        (
            good.clone(),
            good.clone(),
            ["e.jsonl:2", "duplicate_episode", "/episode_id"],
        ),
        (
            row("b", &[act("x")]),
            row("nobody", &[act("x")]),
            ["p.jsonl:1", "unknown_episode", "/episode_id"],
        ),
    ] {
        let place = place(&[good.clone(), recorded], &[predicted]);
        for threads in [1, 2] {
            place
                .judica(&format!(
                    "{SCORE} --mode coord --strict --threads {threads}"
                ))
                .exits(2)
                .complains(&words);
            place.nothing_in("out");
        }
    }
}

#[test]
fn targets_of_the_other_mode_end_the_run() {
    let marked = json!({"type": "click", "element_index": 3});
    let place = place(
        &[row("a", std::slice::from_ref(&marked))],
        &[row("a", &[marked])],
    );
    place
        .judica(&format!("{SCORE} --mode coord --strict"))
        .exits(2)
        .complains(&["e.jsonl:1", "--mode som"]);
    place
        .judica(&format!("{SCORE} --mode som --strict"))
        .exits(0);
}

#[test]
fn good_rows_pass() {
    let place = two();
    place
        .judica(&format!("{SCORE} --mode coord --strict"))
        .exits(0);
    assert_eq!(place.names("out"), ["eval.json"]);
}
