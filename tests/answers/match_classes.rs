//! `judica match --classes`: how well classes are told apart.

use serde_json::{Value, json};

use crate::answers::data::{matched, row, with};
use crate::support::Place;

#[track_caller]
fn classes(rows: &[Value], options: &str) -> Value {
    let (report, _) = matched(&Place::new(), rows, &format!("--classes {options}"));
    report["classes"].clone()
}

/// A class by its label.
fn class<'r>(classes: &'r Value, label: &str) -> &'r Value {
    let all = classes["classes"].as_array().expect("classes");
    all.iter()
        .find(|class| class["label"] == label)
        .expect(label)
}

#[test]
fn classes_are_normal_forms_and_nobody_asks_for_them_unasked() {
    let rows = [
        row("Cat", "cat "),
        row("CAT", "dog"),
        row("dog", "Dog"),
        row("dog", "DOG"),
    ];
    let found = classes(&rows, "");
    // Of two golds `cat` one was found, and nothing else was called so.
    let cat = class(&found, "cat");
    assert_eq!((&cat["support"], &cat["predicted"]), (&json!(2), &json!(1)));
    assert_eq!(cat["precision"]["value"], 1.0);
    assert_eq!(cat["recall"]["value"], 0.5);
    assert_eq!(found["confusion"], json!([[1, 1, 0], [0, 2, 0]]));
    assert_eq!(found["micro"]["recall"]["value"], 0.75);
    let (report, _) = matched(&Place::new(), &rows, "");
    assert!(report.get("classes").is_none(), "{report}");
}

#[test]
fn labels_that_only_one_side_uses_are_named() {
    let mut rows = vec![row("never", "often"), row("often", "often")];
    rows.extend((0..3).map(|_| row("often", "Moon")));
    rows.push(row("often", "sun"));
    let found = classes(&rows, "");
    assert_eq!(found["never_predicted"], json!(["never"]));
    let never = class(&found, "never");
    assert!(never["precision"]["value"].is_null(), "{never}");
    assert_eq!(never["precision"]["undefined"], "nobody predicts it");
    assert_eq!(
        (&never["recall"]["value"], &never["f1"]["value"]),
        (&json!(0.0), &json!(0.0))
    );
    let others = json!({"rows": 4, "without_label": 0, "labels": 2, "most_frequent": [
        {"label": "moon", "rows": 3}, {"label": "sun", "rows": 1}]});
    assert_eq!(found["other_labels"], others);
    // They are wrong, and no class of their own.
    assert_eq!(found["classes"].as_array().unwrap().len(), 2);
    assert_eq!(found["confusion"], json!([[0, 1, 0], [0, 1, 4]]));
}

#[test]
fn a_prediction_that_matches_is_of_the_class_of_its_gold() {
    let rows = [
        row("<<A>>F(p && q)", "<<A>>F(q && p)"),
        row("<<A>>F(p && q)", "<<A>>F p"),
        row(json!(["p", "q"]), "p\nq"),
    ];
    let found = classes(&rows, "--normalizer atl");
    assert_eq!(
        (&found["rows"], &found["without_class"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(found["micro"]["recall"]["value"], 0.5);
    // What has no normal form is no label.
    let rows = [row("1", "one"), row("1", "1.0"), row("two", "2")];
    let found = classes(&rows, "--normalizer number");
    assert_eq!(found["other_labels"]["without_label"], 1);
    assert_eq!(
        (&found["rows"], &found["without_class"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn no_interval_is_a_point_and_what_has_none_says_why() {
    // All right, two classes: nothing varies.
    let right: Vec<Value> = (0..60)
        .map(|n| row(["a", "b"][n % 2], ["a", "b"][n % 2]))
        .collect();
    let found = classes(&right, "");
    let recall = &class(&found, "a")["recall"];
    assert!(
        recall["ci"][0].as_f64() < Some(0.99) && recall["ci"][1] == 1.0,
        "{recall}"
    );
    assert_eq!(found["matthews"]["value"], 1.0);
    assert_eq!(
        found["matthews"]["ci_undefined"],
        "no variation among 60 items"
    );
    // One class only.
    let one = classes(&[row("a", "a"), row("a", "a")], "");
    assert!(one["matthews"]["undefined"].is_string(), "{one}");
    // One cluster.
    let rows: Vec<Value> = (0..9)
        .map(|n| {
            with(
                row(["a", "b"][n % 2], ["a", "b"][n % 3 % 2]),
                json!({"cluster": "c"}),
            )
        })
        .collect();
    let found = classes(&rows, "");
    let f1 = &found["macro"]["f1"];
    assert_eq!(f1["ci_undefined"], "one cluster has no interval", "{f1}");
    assert!(f1["value"].is_number());
    // Every interval there is has two ends, within what it can be.
    let few: Vec<Value> = (0..8)
        .map(|n| row(["a", "b"][n % 2], ["a", "b"][n / 5]))
        .collect();
    let few = classes(&few, "");
    for name in ["macro", "weighted", "micro"] {
        for score in ["precision", "recall", "f1"] {
            let ci = few[name][score]["ci"].as_array().expect("an interval");
            let [lo, hi] = [&ci[0], &ci[1]].map(|end| end.as_f64().unwrap());
            assert!(
                (0.0..1.0).contains(&lo) && lo < hi && hi <= 1.0,
                "{name} {score} {ci:?}"
            );
        }
    }
}

#[test]
fn free_text_is_no_classes() {
    let rows: Vec<Value> = (0..101).map(|n| row(format!("answer {n}"), "x")).collect();
    let found = classes(&rows, "");
    assert_eq!(found, json!({"undefined": "101 classes are more than 100"}));
    let some = classes(&rows[..100], "");
    assert_eq!(some["classes"].as_array().unwrap().len(), 100);
    let place = Place::new();
    place.write("p.jsonl", crate::answers::data::lines(&rows));
    place
        .judica("match --predictions p.jsonl --classes")
        .exits(0)
        .says(&["undefined: 101 classes are more than 100"]);
}

#[test]
fn formulas_wait_until_all_golds_are_seen() {
    let place = Place::new();
    let rows: Vec<Value> = (0..6000)
        .map(|n| row("<<A>>F p", ["<<A>>F p", "<<A>> F q"][n % 2]))
        .collect();
    place.write("p.jsonl", crate::answers::data::lines(&rows));
    // More waits than is held in memory, beside a file that is not there yet.
    let line = "match --predictions p.jsonl --classes --rejects new/deep/r.jsonl --json";
    let report = crate::answers::data::printed(&place.judica(line).exits(0));
    assert_eq!(report["normalizer"], "atl");
    assert_eq!(report["classes"]["confusion"], json!([[3000, 3000]]));
    assert!(!place.path("new").exists());
}

#[test]
fn the_screen_names_everything() {
    let place = Place::new();
    let rows = [
        row("yes", "yes"),
        row("no", "yes"),
        row("", "maybe"),
        row("yes", "no"),
    ];
    place.write("p.jsonl", crate::answers::data::lines(&rows));
    let ran = place
        .judica("match --predictions p.jsonl --classes")
        .exits(0);
    let words = [
        "Matthews' correlation",
        "weighted",
        "Confusion",
        "another",
        "`maybe`",
        "\"\"",
    ];
    ran.says(&words);
}
