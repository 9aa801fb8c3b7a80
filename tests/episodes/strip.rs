//! `judica plot --strip`: which steps of which episodes fail.

use serde_json::json;

use crate::data::{SCORE, act, click, place, row, two};
use crate::plot::{size, titles};

#[test]
fn every_step_of_every_episode() {
    let place = two();
    place
        .judica(&format!("{SCORE} --mode coord --details d.jsonl"))
        .exits(0);
    place.judica("plot --strip d.jsonl --output s").exits(0);
    let titles = titles(&place.text("s.svg"));
    for (name, steps) in [("one", 3), ("two", 2)] {
        let of = titles.iter().filter(|title| title.contains(name));
        assert!(of.count() >= steps, "{name}: {titles:?}");
    }
    size(&place.read("s.png"));
}

#[test]
fn long_files_are_cut_and_say_so() {
    let rows: Vec<_> = (0..100)
        .map(|at| row(&format!("e{at}"), &[click(0.5, 0.5), act("x")]))
        .collect();
    let place = place(&rows, &rows[..50]);
    place
        .judica(&format!("{SCORE} --mode coord --details d.jsonl"))
        .exits(0);
    place
        .judica("plot --strip d.jsonl --rows 5 --output few.svg")
        .exits(0);
    place
        .judica("plot --strip d.jsonl --rows 100 --output all.svg")
        .exits(0);
    let [few, all] = ["few.svg", "all.svg"].map(|name| titles(&place.text(name)).len());
    assert!(few < all, "{few} {all}");
}

#[test]
fn what_is_no_details_file() {
    let place = place(&[], &[]);
    place.write("x.jsonl", json!({"episode_id": 3}).to_string());
    place
        .judica("plot --strip x.jsonl --output s.svg")
        .exits(3)
        .complains(&["x.jsonl", "line 1"]);
    for nothing in ["", "\n \n"] {
        place.write("x.jsonl", nothing);
        place
            .judica("plot --strip x.jsonl --output s.svg")
            .exits(2)
            .complains(&["x.jsonl", "no row", "empty"]);
    }
    assert!(!place.path("s.svg").exists());
}
