//! Operators that need no older report.

use serde_json::{Value, json};

use crate::gate::data::{CHECK, check, failing, gate, gate_over_m, gates_file, report};

/// Whether gate `g` over `/m` passes.
#[track_caller]
fn passes(document: Value, op: &str, more: &str) -> bool {
    let place = check(&document, &gate_over_m(op, more));
    let ran = place.judica(&format!("{CHECK} --json"));
    let code = ran.code;
    let report = report(&ran.exits(code.min(1)));
    let gate = gate(&report, "g");
    assert_eq!(gate["op"], op);
    assert_eq!(gate["metric"], "/m");
    assert_eq!(report["gates_pass"], gate["pass"]);
    assert_eq!(report["status"], if code == 0 { "PASS" } else { "FAIL" });
    assert_eq!(gate["pass"], code == 0);
    code == 0
}

#[test]
fn thresholds_belong_to_the_passing_side() {
    for (value, op, threshold, expected) in [
        (0.75, ">=", "0.75", true),
        (0.74, ">=", "0.75", false),
        (-1.0, ">=", "-1", true),
        (0.75, "<=", "0.75", true),
        (0.76, "<=", "0.75", false),
        (3.0, "==", "3", true),
        (3.0, "==", "3.0000001", false),
        (0.2, "between", "[0.2, 0.4]", true),
        (0.4, "between", "[0.2, 0.4]", true),
        (0.3, "between", "[0.2, 0.4]", true),
        (0.19, "between", "[0.2, 0.4]", false),
        (0.41, "between", "[0.2, 0.4]", false),
        (7.0, "between", "[7, 7]", true),
    ] {
        let threshold = format!("threshold = {threshold}");
        assert_eq!(
            passes(json!({"m": value}), op, &threshold),
            expected,
            "{value} {op} {threshold}"
        );
        // A metric object means the same as a plain number.
        let object = json!({"m": {"value": value, "n": 12}});
        assert_eq!(passes(object, op, &threshold), expected);
    }
}

#[test]
fn equality_may_be_given_a_tolerance() {
    let nearly = 0.1 + 0.2;
    assert!(!passes(json!({"m": nearly}), "==", "threshold = 0.3"));
    assert!(passes(
        json!({"m": nearly}),
        "==",
        "threshold = 0.3\ntolerance = 1e-9"
    ));
    assert!(!passes(
        json!({"m": 0.31}),
        "==",
        "threshold = 0.3\ntolerance = 0.009"
    ));
}

#[test]
fn the_end_of_the_interval_must_clear_the_bar() {
    let object = || json!({"m": {"value": 0.8, "n": 100, "ci": [0.71, 0.87]}});
    let sibling = || json!({"m": 0.8, "m_ci": [0.71, 0.87]});
    let elsewhere = || json!({"m": 0.8, "bounds": {"m": [0.71, 0.87]}});
    for (document, more) in [
        (object(), ""),
        (sibling(), ""),
        (elsewhere(), "interval = \"/bounds/m\""),
    ] {
        for (op, threshold, expected) in [
            ("lower_bound_at_least", 0.71, true),
            ("lower_bound_at_least", 0.72, false),
            ("upper_bound_at_most", 0.87, true),
            ("upper_bound_at_most", 0.86, false),
        ] {
            let more = format!("threshold = {threshold}\n{more}");
            assert_eq!(passes(document.clone(), op, &more), expected, "{op} {more}");
        }
    }
}

#[test]
fn a_number_without_an_interval_cannot_clear_a_bar() {
    let place = check(
        &json!({"m": 0.8}),
        &gate_over_m("lower_bound_at_least", "threshold = 0.1"),
    );
    place
        .judica(CHECK)
        .exits(2)
        .complains(&["g.toml:5:10", "gate `g`", "no interval"]);
}

#[test]
fn undefined_metrics_fail_unless_somebody_allows_them() {
    for document in [
        json!({"m": null}),
        json!({"m": {"value": null, "undefined": "no items"}}),
        json!({"m": 1.0, "m_undefined": true}),
    ] {
        for op in [">=", "lower_bound_at_least"] {
            let place = check(&document, &gate_over_m(op, "threshold = 0.5"));
            for (option, code) in [("", 1), ("--strict-gates", 1), ("--allow-undefined", 0)] {
                let ran = place
                    .judica(&format!("{CHECK} --json {option}"))
                    .exits(code);
                let report = report(&ran);
                let gate = gate(&report, "g");
                assert_eq!(gate["vacuous"], true, "{document}");
                assert_eq!(gate["value"], json!(null));
                assert_eq!(gate["pass"], code == 0);
            }
        }
    }
    let document = json!({"m": {"value": null, "undefined": "no items"}});
    let place = check(&document, &gate_over_m(">=", "threshold = 0.5"));
    place
        .judica(CHECK)
        .exits(1)
        .says(&["FAIL (undefined)", "no items"]);
    place
        .judica(&format!("{CHECK} --allow-undefined --strict-gates"))
        .exits(2)
        .complains(&["--allow-undefined", "--strict-gates"]);
    let place = check(
        &document,
        &gate_over_m(">=", "threshold = 0.5\nvacuous = \"pass\""),
    );
    place
        .judica(CHECK)
        .exits(0)
        .says(&["pass (nothing to test)", "no items"]);
    let place = check(
        &document,
        &gate_over_m(">=", "threshold = 0.5\nvacuous = true"),
    );
    place
        .judica(CHECK)
        .exits(2)
        .complains(&["g.toml:8:11", "`vacuous` is a string, not a boolean"]);
}

/// An eval file in which nothing could be measured holds no gate, and says why.
#[test]
fn an_eval_file_of_nulls_fails() {
    let document = json!({
        "config_path": "c", "backend": "b", "metrics": {"m": null, "click_hit_rate": null},
        "undefined": {"click_hit_rate": "not measured in som mode"},
    });
    let gates = gates_file(&[
        "name = \"a\"\nmetric = \"/metrics/m\"\nop = \">=\"\nthreshold = 0",
        "name = \"b\"\nmetric = \"/metrics/click_hit_rate\"\nop = \"<=\"\nthreshold = 1",
    ]);
    let place = check(&document, &gates);
    let report = report(&place.judica(&format!("{CHECK} --json")).exits(1));
    assert_eq!(report["status"], "FAIL");
    for (name, why) in [
        ("a", "null in the report"),
        ("b", "not measured in som mode"),
    ] {
        let gate = gate(&report, name);
        assert_eq!((&gate["pass"], &gate["note"]), (&json!(false), &json!(why)));
    }
}

#[test]
fn pointers_reach_everywhere() {
    let document = json!({"a/b": {"m~n": [1, {"": 0.5}]}, "é": 2, "0": {"0": 3}});
    let gates: Vec<String> = [
        ("/a~1b/m~0n/0", 1.0),
        ("/a~1b/m~0n/1/", 0.5),
        ("/é", 2.0),
        ("/0/0", 3.0),
    ]
    .iter()
    .enumerate()
    .map(|(at, (pointer, value))| {
        format!("name = \"g{at}\"\nmetric = \"{pointer}\"\nop = \"==\"\nthreshold = {value}")
    })
    .collect();
    let gates: Vec<&str> = gates.iter().map(String::as_str).collect();
    check(&document, &gates_file(&gates)).judica(CHECK).exits(0);
}

#[test]
fn one_gate_that_fails_fails_the_whole_and_the_others_are_told() {
    let gates = gates_file(&[
        "name = \"first\"\nmetric = \"/m\"\nop = \">=\"\nthreshold = 0.9\nnote = \"why it is there\"",
        "name = \"second\"\nmetric = \"/m\"\nop = \"<=\"\nthreshold = 0.9",
    ]);
    let place = check(&json!({"m": 0.5}), &gates);
    let ran = place
        .judica(&format!("{CHECK} --json --out o/c.json"))
        .exits(1);
    let report = report(&ran);
    assert_eq!(failing(&report), ["first"]);
    assert_eq!(place.json("o/c.json"), report);
    assert_eq!(report["gates_file"], "g.toml");
    assert_eq!(report["report"], "r.json");
    assert_eq!(gate(&report, "first")["note"], "why it is there");
    place
        .judica(CHECK)
        .exits(1)
        .says(&["first", "FAIL", "second", "pass", "why it is there"]);
}

#[test]
fn a_gate_may_read_another_report() {
    let gates = gates_file(&[
        "name = \"own\"\nmetric = \"/m\"\nop = \">=\"\nthreshold = 0.5\nreport = \"other/x.json\"",
        "name = \"given\"\nmetric = \"/m\"\nop = \">=\"\nthreshold = 0.5",
    ]);
    let place = check(&json!({"m": 0.9}), "");
    place.write("ci/g.toml", gates);
    place.write("ci/other/x.json", "{\"m\": 0.1}");
    let ran = place.judica("gate check --report r.json --gates ci/g.toml --json");
    assert_eq!(failing(&report(&ran.exits(1))), ["own"]);
    std::fs::remove_file(place.path("ci/other/x.json")).expect("removed");
    place
        .judica("gate check --report r.json --gates ci/g.toml")
        .exits(3)
        .complains(&["x.json"]);
}
