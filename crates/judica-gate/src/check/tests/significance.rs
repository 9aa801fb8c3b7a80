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
    // Five items lost: p = 2/2^5 = 0.0625. Six: p = 2/2^6 = 0.03125.
    let old = graded(40, 30);
    let five = held(&graded(40, 25), Some(&old), "/accuracy", PAIRED);
    let six = held(&graded(40, 24), Some(&old), "/accuracy", PAIRED);
    assert!(five.pass && !six.pass);
    let note = six.note.unwrap();
    assert!(
        note.ends_with(
            "baseline 0.75, change -0.15; paired on 40 items, 6 differ, mean difference -0.15, \
         p 0.03125 (exact)"
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
