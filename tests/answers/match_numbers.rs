//! `judica match --normalizer number`: how far predicted numbers are off.

use serde_json::{Value, json};

use crate::answers::data::{lines, matched, near, row, with};
use crate::support::Place;

#[track_caller]
fn numbers(rows: &[Value], options: &str) -> Value {
    let options = format!("--normalizer number {options}");
    let (report, _) = matched(&Place::new(), rows, &options);
    report["numbers"].clone()
}

#[test]
fn errors_worked_by_hand() {
    // Errors −0.5, 0.5, 0 and 1, of golds whose squared distances from 2.875 add up to 29.1875.
    let rows = [
        row("3", "2.5"),
        row("-0.5", "0"),
        row("2", "2.0"),
        row("7", "8"),
    ];
    let found = numbers(&rows, "");
    assert_eq!(found["rows"], 4);
    near(&found["mae"]["value"], 0.5);
    near(&found["rmse"]["value"], 0.375_f64.sqrt());
    near(&found["bias"]["value"], 0.25);
    near(&found["r2"]["value"], 1.0 - 1.5 / 29.187_5);
    for name in ["mae", "rmse", "bias", "r2"] {
        let [lo, hi] = [0, 1].map(|end| found[name]["ci"][end].as_f64().expect(name));
        assert!(lo < hi, "{name}");
    }
    let (text, _) = matched(&Place::new(), &rows, "--normalizer text");
    assert!(text.get("numbers").is_none());
}

/// Their squares are numbers, and the squares of those are not.
#[test]
fn errors_may_be_very_large_or_small() {
    for off in ["1e90", "1e78", "1.000000000000001"] {
        let rows = [row("1", off), row("2", "2"), row("3", "3.000000000000001")];
        let place = Place::new();
        place.write("p.jsonl", lines(&rows));
        place
            .judica("match --predictions p.jsonl --normalizer number --run r")
            .exits(0);
        place.judica("show r").exits(0);
        let found = &place.json("r/report.json")["numbers"]["rmse"];
        assert!(
            found["ci"][0].is_f64() && found["ci"][1].is_f64(),
            "{found}"
        );
    }
}

#[test]
fn what_is_no_number_is_counted_and_named() {
    let rows = [
        row("1", "NaN"),
        row("1", "-Inf"),
        row("1", "1e999"),
        row("1", "one"),
        row("one", "1"),
        row("inf", "1"),
        row("1", "1e200"),
        row(json!(["1", "2"]), "1\n2"),
        row("1", ""),
        row("1", "1.5"),
        row("2", "2.25"),
    ];
    let place = Place::new();
    place.write("p.jsonl", lines(&rows));
    let found = numbers(&rows, "");
    assert_eq!(found["rows"], 2);
    near(&found["mae"]["value"], 0.375);
    let left_out = &found["left_out"];
    assert_eq!(left_out["rows"], 9);
    assert_eq!(
        left_out["reasons"],
        json!({
            "several numbers are expected": 1,
            "the error is too large to be squared": 1,
            "the gold is no number": 1,
            "the gold is not finite": 1,
            "the prediction is no number": 2,
            "the prediction is not finite": 3,
        })
    );
    assert_eq!(left_out["first"][0], "p.jsonl:1");
    place
        .judica("match --predictions p.jsonl --normalizer number")
        .exits(0)
        .says(&[
            "3 of 11 rows do not count: the prediction is not finite",
            "p.jsonl:5",
        ]);
    // Nothing is left: no number is made up.
    let none = numbers(&rows[..4], "");
    for name in ["mae", "rmse", "bias", "r2"] {
        assert!(
            none[name]["value"].is_null() && none[name]["undefined"].is_string(),
            "{none}"
        );
    }
}

#[test]
fn what_does_not_vary_has_no_interval() {
    // Golds that are all alike explain nothing, and errors that are all alike have no spread.
    let rows: Vec<Value> = (0..60).map(|_| row("5", "6")).collect();
    let found = numbers(&rows, "");
    assert_eq!(found["r2"]["undefined"], "the golds do not vary");
    assert_eq!(found["mae"]["value"], 1.0);
    assert_eq!(found["mae"]["ci_undefined"], "no variation among 60 items");
    assert_eq!(found["rmse"]["ci_undefined"], "no variation among 60 items");
    // One cluster, and clusters of very unequal size.
    let of = |cluster: &dyn Fn(usize) -> String| -> Vec<Value> {
        (0..300)
            .map(|n| {
                let said = format!("{}", n as f64 + (n * 7 % 11) as f64 / 4.0);
                with(row(n.to_string(), said), json!({"cluster": cluster(n)}))
            })
            .collect()
    };
    let one = numbers(&of(&|_| "c".to_owned()), "");
    assert_eq!(one["mae"]["ci_undefined"], "one cluster has no interval");
    let unequal = numbers(&of(&|n| (n / 240 * n).to_string()), "");
    assert_eq!(unequal["mae"]["clusters"], 61);
    let [lo, hi] = [0, 1].map(|end| unequal["mae"]["ci"][end].as_f64().unwrap());
    let value = unequal["mae"]["value"].as_f64().unwrap();
    assert!(lo < value && value < hi, "{lo} {value} {hi}");
}

#[test]
fn the_order_of_rows_changes_nothing() {
    let mut rows: Vec<Value> = (0..150)
        .map(|n| {
            let said = (n as f64 + (n * 7 % 11) as f64 / 4.0).to_string();
            with(
                row(n.to_string(), said),
                json!({"id": n / 2, "epoch": n % 2 + 1}),
            )
        })
        .collect();
    let forth = numbers(&rows, "");
    rows.reverse();
    let back = numbers(&rows, "");
    for name in ["mae", "rmse", "bias", "r2"] {
        for at in ["/value", "/ci/0", "/ci/1"] {
            near(
                back[name].pointer(at).unwrap(),
                forth[name].pointer(at).and_then(Value::as_f64).expect(at),
            );
        }
    }
}

#[test]
fn runs_have_errors_as_metrics() {
    let place = Place::new();
    for (name, off) in [("a", 1.0), ("b", 3.0)] {
        let rows: Vec<Value> = (0..40)
            .map(|n| {
                let said = n as f64 + off + (n % 3) as f64;
                with(row(n.to_string(), said.to_string()), json!({"id": n}))
            })
            .collect();
        place.write(&format!("{name}.jsonl"), lines(&rows));
        let options = "--normalizer number --tolerance 2 --dataset d --subject s";
        let line = format!("match --predictions {name}.jsonl --run {name} {options}");
        place.judica(&line).exits(0);
    }
    place
        .judica("show a")
        .exits(0)
        .says(&["mae", "mse", "bias"]);
    let compared = place.judica("compare a b --metric mae --json").exits(0);
    let compared: Value = serde_json::from_str(&compared.stdout).unwrap();
    let mae = &compared["metrics"][0];
    assert_eq!(
        (&mae["metric"], &mae["direction"]),
        (&json!("mae"), &json!("lower"))
    );
    near(&mae["difference"]["value"], 2.0);
    place.judica("reproduce a").exits(0).says(&["identical"]);
}
