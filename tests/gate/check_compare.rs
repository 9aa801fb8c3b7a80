//! Operators that compare with an older report.

use serde_json::{Value, json};

use crate::gate::data::{check, gate, gate_over_m, gates_file, report};
use crate::support::Ran;

const COMPARED: &str = "gate check --report r.json --gates g.toml --baseline old.json --json";

#[track_caller]
fn compared(new: &Value, old: &Value, op: &str, more: &str) -> Ran {
    let place = check(new, &gate_over_m(op, more));
    place.write("old.json", old.to_string());
    place.judica(COMPARED)
}

/// The note of the gate, after insisting on the exit code.
#[track_caller]
fn note(ran: Ran, code: i32) -> String {
    let report = report(&ran.exits(code));
    assert_eq!(report["baseline"], "old.json");
    gate(&report, "g")["note"]
        .as_str()
        .expect("a note")
        .to_owned()
}

#[test]
fn drops_and_rises_are_measured_from_the_baseline() {
    for (old, new, op, code) in [
        (0.80, 0.75, "max_drop", 0),
        (0.80, 0.749, "max_drop", 1),
        (0.80, 0.99, "max_drop", 0),
        (0.80, 0.85, "max_rise", 0),
        (0.80, 0.851, "max_rise", 1),
        (0.80, 0.10, "max_rise", 0),
        // 0.3 - 0.25 and the like are not exact in binary; 0.05 is still 0.05.
        (0.30, 0.25, "max_drop", 0),
        (0.15, 0.10, "max_drop", 0),
        (0.10, 0.15, "max_rise", 0),
    ] {
        let told = note(
            compared(
                &json!({"m": new}),
                &json!({"m": {"value": old, "n": 3}}),
                op,
                "threshold = 0.05",
            ),
            code,
        );
        assert!(told.contains(&format!("baseline {old}")), "{told}");
    }
}

#[test]
fn without_a_baseline_there_is_nothing_to_compare_with() {
    for (op, more) in [
        ("max_drop", "threshold = 0.1"),
        ("max_rise", "threshold = 0.1"),
        ("no_significant_drop", ""),
    ] {
        let place = check(&json!({"m": 1}), &gate_over_m(op, more));
        place
            .judica("gate check --report r.json --gates g.toml")
            .exits(2)
            .complains(&["g.toml:6:6", "gate `g`", "--baseline"]);
        place
            .judica("gate check --report r.json --gates g.toml --baseline none.json")
            .exits(3)
            .complains(&["none.json"]);
    }
}

#[test]
fn a_metric_must_be_in_the_baseline_and_defined_there() {
    let new = json!({"m": 0.5});
    let missing = compared(&new, &json!({"n": 0.5}), "max_drop", "threshold = 0.1");
    missing
        .exits(2)
        .complains(&["g.toml:5:10", "no metric at `/m` in old.json"]);
    let ran = compared(&new, &json!({"m": null}), "max_drop", "threshold = 0.1");
    let report = report(&ran.exits(1));
    assert_eq!(gate(&report, "g")["vacuous"], true);
    let note = gate(&report, "g")["note"].to_string();
    assert!(note.contains("undefined in the baseline"), "{note}");
}

/// Ten items of which the first `wrong` are wrong.
fn items(wrong: usize) -> Value {
    let items: Vec<Value> = (0..10)
        .map(|at| json!({"qid": format!("q{at}"), "correct": at >= wrong}))
        .collect();
    json!({"m": 1.0 - wrong as f64 / 10.0, "per_item": items})
}

const PAIRED: &str = "items = \"/per_item\"";

#[test]
fn a_paired_drop_is_significant_by_the_items_that_changed() {
    // Of ten items, k go from right to wrong and none back: McNemar's mid-p is 1 / 2^k, which
    // is 0.0625 for four and 0.03125 for five.
    let told = note(
        compared(&items(4), &items(0), "no_significant_drop", PAIRED),
        0,
    );
    assert!(
        told.contains("paired on 10 items") && told.contains("p 0.0625"),
        "{told}"
    );
    let told = note(
        compared(&items(5), &items(0), "no_significant_drop", PAIRED),
        1,
    );
    assert!(told.contains("p 0.03125"), "{told}");
    // At another level the other way round.
    let at = |alpha: f64| format!("{PAIRED}\nalpha = {alpha}");
    note(
        compared(&items(4), &items(0), "no_significant_drop", &at(0.1)),
        1,
    );
    note(
        compared(&items(5), &items(0), "no_significant_drop", &at(0.01)),
        0,
    );
    // What has become better is no drop, unless less is better.
    note(
        compared(&items(0), &items(6), "no_significant_drop", PAIRED),
        0,
    );
    let lower = format!("{PAIRED}\nhigher_is_better = false");
    note(
        compared(&items(0), &items(6), "no_significant_drop", &lower),
        1,
    );
    // The same reports: nothing differs.
    note(
        compared(&items(3), &items(3), "no_significant_drop", PAIRED),
        0,
    );
}

/// The same rows as two reports and as two runs: the same test, and the same words of what it
/// could not have seen.
#[test]
fn reports_and_runs_are_held_by_the_same_test() {
    for (wrong, code, seen) in [
        (5, 1, "p 0.03125 (mcnemar mid-p); a difference of 0."),
        (4, 0, "p 0.0625 (mcnemar mid-p); a difference of 0."),
        (0, 0, "is not known: no variation among 10 items"),
    ] {
        let told = note(
            compared(&items(wrong), &items(0), "no_significant_drop", PAIRED),
            code,
        );
        let place = crate::support::Place::new();
        for (name, wrong) in [("old", 0), ("new", wrong)] {
            let row = |at: usize| {
                let said = if at >= wrong { "a" } else { "b" };
                format!(r#"{{"id": "q{at}", "gold": "a", "prediction": "{said}"}}"#)
            };
            let rows: Vec<String> = (0..10).map(row).collect();
            place.write_lines(&format!("{name}.jsonl"), &rows);
            place
                .judica(&format!("match --predictions {name}.jsonl --run {name}"))
                .exits(0);
        }
        let rule = "name = \"g\"\nmetric = \"matched\"\nop = \"no_significant_drop\"";
        place.write("g.toml", gates_file(&[rule]));
        let ran = place.judica("gate check new --gates g.toml --baseline old --json");
        let found = report(&ran.exits(code));
        let of_runs = gate(&found, "g")["note"].as_str().expect("a note");
        // The p-value, and what would have been seen.
        let last_two = |note: &str| {
            let parts = note.rsplitn(3, "; ").take(2);
            parts.map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(told.contains(seen), "{told}");
        assert_eq!(last_two(&told), last_two(of_runs));
    }
}

#[test]
fn only_items_in_common_are_paired() {
    let mut new = items(6);
    let more = json!({"qid": "only here", "correct": false});
    new["per_item"].as_array_mut().expect("items").push(more);
    let told = note(compared(&new, &items(0), "no_significant_drop", PAIRED), 1);
    assert!(told.contains("1 in one report only"), "{told}");
    // An object from id to result means the same.
    let object = json!({"m": 0.4, "per_item": {"q0": 0, "q1": 0, "q2": 0, "q3": 0, "q4": 0, "q5": 0, "q6": 1}});
    let told = note(
        compared(&object, &items(0), "no_significant_drop", PAIRED),
        1,
    );
    assert!(told.contains("paired on 7 items"), "{told}");
}

#[test]
fn without_items_the_intervals_decide() {
    let metric =
        |lo: f64, hi: f64| json!({"m": {"value": (lo + hi) / 2.0, "n": 50, "ci": [lo, hi]}});
    for (new, old, more, code) in [
        (metric(0.6, 0.7), metric(0.71, 0.9), "", 1),
        (metric(0.6, 0.71), metric(0.71, 0.9), "", 0),
        (metric(0.91, 0.95), metric(0.71, 0.9), "", 0),
        (
            metric(0.91, 0.95),
            metric(0.71, 0.9),
            "higher_is_better = false",
            1,
        ),
    ] {
        let told = note(compared(&new, &old, "no_significant_drop", more), code);
        assert!(told.contains("compared by intervals"), "{told}");
    }
    // Items here and none there: unpaired, and said so.
    let mut new = metric(0.6, 0.7);
    new["per_item"] = json!({"q0": 1});
    let told = note(
        compared(&new, &metric(0.71, 0.9), "no_significant_drop", PAIRED),
        1,
    );
    assert!(told.contains("unpaired"), "{told}");
    compared(
        &json!({"m": 0.5}),
        &json!({"m": 0.9}),
        "no_significant_drop",
        "",
    )
    .exits(2)
    .complains(&["no interval"]);
}

#[test]
fn items_that_cannot_be_read_are_named() {
    for (bad, word) in [
        (json!("many"), "is a string"),
        (json!([{"qid": "a"}]), "element 0"),
        (
            json!([{"qid": "a", "correct": 1}, {"qid": "a", "correct": 0}]),
            "comes twice",
        ),
    ] {
        let new = json!({"m": 0.5, "per_item": bad});
        compared(&new, &items(0), "no_significant_drop", PAIRED)
            .exits(2)
            .complains(&["g.toml:", "gate `g`", word]);
    }
    compared(
        &json!({"m": 1, "per_items": {"a": 1}}),
        &items(0),
        "no_significant_drop",
        PAIRED,
    )
    .exits(2)
    .complains(&["`/per_items`"]);
}

#[test]
fn a_gate_may_name_its_own_baseline() {
    let gates = gates_file(&[
        "name = \"g\"\nmetric = \"/m\"\nop = \"max_drop\"\nthreshold = 0.1\nbaseline = \"main/r.json\"",
    ]);
    let place = check(&json!({"m": 0.5}), &gates);
    place.write("main/r.json", "{\"m\": 0.9}");
    place
        .judica("gate check --report r.json --gates g.toml")
        .exits(1);
    place.write("old.json", "{\"m\": 0.5}");
    place.judica(COMPARED).exits(1);
}

/// A run that has items more than its baseline is held over those that both have.
#[test]
fn a_gate_of_two_runs_is_about_the_items_of_both() {
    let place = crate::support::Place::new();
    let run = |name: &str, right: usize, items: usize| {
        let rows: Vec<String> = (0..items)
            .map(|at| {
                let said = if at < right { "a" } else { "b" };
                format!(r#"{{"id": "q{at}", "gold": "a", "prediction": "{said}"}}"#)
            })
            .collect();
        place.write_lines(&format!("{name}.jsonl"), &rows);
        place
            .judica(&format!("match --predictions {name}.jsonl --run {name}"))
            .exits(0);
    };
    run("old", 5, 10);
    run("new", 6, 20);
    for op in ["op = \"no_significant_drop\"", "no_worse_than = 0.9"] {
        let gate = format!("version = 1\n[[gate]]\nname = \"g\"\nmetric = \"matched\"\n{op}\n");
        place.write("g.toml", &gate);
        let ran = place.judica("gate check new --gates g.toml --baseline old --json");
        let report = report(&ran.exits(0));
        let found = crate::gate::data::gate(&report, "g");
        assert_eq!(found["value"], 0.6, "{found}");
        let note = found["note"].as_str().expect("a note");
        for said in [
            "n 10;",
            "paired on 10 items of 10 in common (10 in one run only)",
            "baseline 0.5, change +0.1",
        ] {
            assert!(note.contains(said), "{note}");
        }
    }
}
