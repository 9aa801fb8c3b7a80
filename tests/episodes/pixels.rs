//! `--screen`: coordinates in pixels.

use serde_json::json;

use crate::data::{SCORE, act, click, near, place, refused, row, scored};

#[test]
fn pixels_become_shares_of_the_screen() {
    let gold = json!({"type": "click", "x": 960, "y": 540, "bbox": [900, 500, 1000, 600]});
    let place = place(&[row("a", &[gold])], &[row("a", &[click(1056.0, 540.0)])]);
    let metrics = &scored(&place, "--mode coord --screen 1920x1080")["metrics"];
    near(&metrics["mean_coord_error"], 96.0 / 1920.0);
    assert_eq!(metrics["bbox_hit_rate"], 0.0);
}

#[test]
fn pixels_and_shares_may_meet() {
    let bounds = json!({"x": 192, "y": 108, "width": 192, "height": 108});
    let gold = json!({"type": "drag", "normalized_coordinates": [0.15, 0.15], "element": {"bounds": bounds}});
    let drag = json!({"type": "drag", "x": 288, "y": 162});
    let place = place(&[row("a", &[gold])], &[row("a", &[drag])]);
    let metrics = &scored(&place, "--mode coord --screen 1920x1080")["metrics"];
    near(&metrics["mean_coord_error"], 0.0);
    assert_eq!(metrics["bbox_hit_rate"], 1.0);
}

#[test]
fn beyond_the_screen_is_still_outside() {
    for (x, y, pointer) in [
        (1921.0, 540.0, "x"),
        (960.0, 1081.0, "y"),
        (960.0, -1.0, "y"),
    ] {
        // Where a model points there, it misses.
        let inside = row("a", &[click(0.5, 0.5)]);
        let there = row("a", &[click(x, y)]);
        let aimed = place(std::slice::from_ref(&inside), std::slice::from_ref(&there));
        let eval = scored(&aimed, "--mode coord --screen 1920x1080");
        let error = (x / 1920.0 - 0.5).hypot(y / 1080.0 - 0.5);
        near(&eval["metrics"]["mean_coord_error"], error);
        assert_eq!(eval["counts"]["points_outside"], 1);
        assert_eq!(eval["inputs"]["predictions"]["rejects"], 0);
        // What is recorded there was never seen.
        let other = row("b", &[act("x")]);
        let recorded = place(&[there, other.clone()], &[inside, other]);
        scored(&recorded, "--mode coord --screen 1920x1080");
        let (file, line, reason, at) = refused(&recorded).remove(0);
        assert_eq!((&*file, line, &*reason), ("e.jsonl", 1, "out_of_range"));
        assert_eq!(at, format!("/steps/0/action/{pointer}"));
    }
    // The very edge belongs to it.
    let place = place(
        &[row("a", &[click(1.0, 1.0)])],
        &[row("a", &[click(1920.0, 1080.0)])],
    );
    let metrics = &scored(&place, "--mode coord --screen 1920x1080")["metrics"];
    near(&metrics["mean_coord_error"], 0.0);
}

#[test]
fn a_screen_has_a_size() {
    let place = place(&[], &[]);
    for size in ["0x5", "5", "axb", "-1x5", "1920x", "1920,1080"] {
        place
            .judica(&format!("{SCORE} --mode coord --screen={size}"))
            .exits(2)
            .complains(&["--screen", "1920x1080"]);
    }
}
