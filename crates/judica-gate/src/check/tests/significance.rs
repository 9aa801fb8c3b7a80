//! Drops that are significant, and drops that are not.

use serde_json::{Value, json};

use super::{Case, gate, held};

/// Reports with `right` of `items` right, the first ones.
fn graded(items: usize, right: usize) -> Value {
    let rows = (0..items).map(|i| json!({"qid": i, "correct": i < right}));
    json!({"accuracy": {"value": right as f64 / items as f64, "n": items, "ci": [0.0, 1.0]},
        "per_item": rows.collect::<Vec<_>>()})
}

const PAIRED: &str = "op = \"no_significant_drop\"\nitems = \"/per_item\"";

#[test]
fn a_paired_drop_fails_only_if_it_is_significant() {
    // McNemar's mid-p. Four items lost: p = 1/2^4 = 0.0625. Five: p = 1/2^5 = 0.03125.
    let old = graded(40, 30);
    let four = held(&graded(40, 26), Some(&old), "/accuracy", PAIRED);
    let five = held(&graded(40, 25), Some(&old), "/accuracy", PAIRED);
    assert!(four.pass && !five.pass);
    let note = five.note.unwrap();
    // se² = 40/39 · (35 · 0.125² + 5 · 0.875²)/40² = 0.0028045, times 1.95996 + 0.84162.
    assert!(
        note.ends_with(
            "baseline 0.75, change -0.125; paired on 40 items, 5 differ, mean difference \
         -0.125; p 0.03125 (mcnemar mid-p); a difference of 0.148365 would have been seen four \
         times out of five"
        ),
        "{note}"
    );
    assert!(held(&graded(40, 40), Some(&old), "/accuracy", PAIRED).pass);
    let strict = format!("{PAIRED}\nalpha = 0.01");
    assert!(held(&graded(40, 24), Some(&old), "/accuracy", &strict).pass);
    let lower = format!("{PAIRED}\nhigher_is_better = false");
    assert!(held(&graded(40, 24), Some(&old), "/accuracy", &lower).pass);
    assert!(!held(&graded(40, 36), Some(&old), "/accuracy", &lower).pass);
    // Only common items are paired.
    let note = held(&graded(50, 24), Some(&old), "/accuracy", PAIRED)
        .note
        .unwrap();
    assert!(
        note.contains("paired on 40 items (10 in one report only), 6 differ"),
        "{note}"
    );
}

/// Scores that are not right or wrong are held by their signs, and what nobody could have seen
/// has a reason.
#[test]
fn scores_are_flipped_and_what_does_not_vary_is_said() {
    let scored = |loss: f64, lost: usize| {
        let score = |i: usize| 0.5 + 0.1 * i as f64 - if i < lost { loss } else { 0.0 };
        let rows = (0..12).map(|i| json!({"qid": i, "score": score(i)}));
        json!({"m": 0.5, "per_item": rows.collect::<Vec<_>>()})
    };
    let old = scored(0.0, 0);
    // All signs of seven equal differences: p = 2/2^7.
    let worse = held(&scored(0.25, 7), Some(&old), "/m", PAIRED);
    let note = worse.note.unwrap();
    assert!(!worse.pass, "{note}");
    assert!(
        note.contains("p 0.015625 (cluster flip); a difference of "),
        "{note}"
    );
    let same = held(&old, Some(&old), "/m", PAIRED);
    let note = same.note.unwrap();
    assert!(same.pass, "{note}");
    assert!(
        note.ends_with(
            "p 1 (cluster flip); which difference would have been seen is not known: no variation \
             among 12 items"
        ),
        "{note}"
    );
}

#[test]
fn without_pairs_the_intervals_decide() {
    let with = |value: f64, lo: f64, hi: f64| json!({"m": {"value": value, "ci": [lo, hi]}});
    let old = with(0.8, 0.7, 0.9);
    let plain = "op = \"no_significant_drop\"";
    let meets = held(&with(0.6, 0.5, 0.7), Some(&old), "/m", plain);
    let below = held(&with(0.6, 0.5, 0.69), Some(&old), "/m", plain);
    assert!(meets.pass && !below.pass);
    assert!(
        below
            .note
            .unwrap()
            .contains("compared by intervals, the baseline's is [0.7, 0.9]")
    );
    let mut with_items = with(0.6, 0.5, 0.69);
    with_items["per_item"] = json!({"a": 1});
    let result = held(&with_items, Some(&old), "/m", PAIRED);
    assert!(!result.pass);
    assert!(
        result
            .note
            .unwrap()
            .contains("unpaired: the baseline has no results per item")
    );
    let case = Case::new(&with(0.6, 0.5, 0.69), &gate("/m", PAIRED));
    assert!(
        case.result(Some(&old))
            .unwrap_err()
            .contains("no results per item at `/per_item`")
    );
    let case = Case::new(&json!({"m": 0.5}), &gate("/m", plain));
    assert!(
        case.result(Some(&json!({"m": 0.4})))
            .unwrap_err()
            .contains("has no interval")
    );
}
