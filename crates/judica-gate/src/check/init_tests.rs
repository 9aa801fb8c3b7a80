//! Gates files made from reports.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::check::{CheckRequest, check};

/// Writes a report, makes gates from it and checks it against them.
fn made(report: &Value) -> Result<(String, crate::check::CheckReport), WorkError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    std::fs::write(&path, report.to_string()).unwrap();
    let text = init(&path)?;
    let gates = folder.path().join("gates.toml");
    std::fs::write(&gates, &text).unwrap();
    let request = CheckRequest {
        report: path,
        gates,
        baseline: None,
        allow_undefined: false,
    };
    Ok((text, check(&request)?))
}

#[test]
fn a_gate_for_each_metric_and_nothing_else() {
    let report = json!({
        "schema_version": 1, "n": 40, "kappa": 0.81, "kappa_undefined": false,
        "gates": {"kappa": 0.75}, "seed": 7,
        "metrics": {
            "kappa": {"value": 0.8149, "n": 40, "ci": [0.7, 0.9]},
            "abstain_rate": {"value": 0.0121, "n": 40},
            "alpha": {"value": null, "undefined": "one\ncategory"},
        },
        "gate_results": [{"name": "kappa", "value": 0.8, "op": ">=", "threshold": 0.7}],
        "leaderboard": [{"model_name": "a", "mean_total": 98.228, "ci": [97.0, 99.0]},
            {"model_name": "b", "mean_total": null}],
        "per_item": [{"id": "q", "score": 0.5}, {"qid": "r", "score": 0.5}],
        "confusion": [[1, 2], [3, 4]]
    });
    let (text, result) = made(&report).unwrap();
    let gates: Vec<(String, String)> = result
        .gates
        .iter()
        .map(|gate| (gate.name.clone(), format!("{} {}", gate.op, gate.threshold)))
        .collect();
    let expected = [
        ("kappa", ">= 0.81"),
        ("abstain_rate", "<= 0.02"),
        ("leaderboard[model_name=a]/mean_total", ">= 98.22"),
    ];
    assert_eq!(gates, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert!(text.contains("threshold = 0.81  # now 0.8149, n 40, interval [0.7, 0.9]\n"));
    assert!(text.contains("# Undefined here: one\\ncategory\n# [[gate]]\n"));
    assert!(
        text.contains(
            "\n# model_name a\n[[gate]]\nname = \"leaderboard[model_name=a]/mean_total\"\n"
        )
    );
    assert!(result.gates_pass);
}

#[test]
fn a_report_without_metrics_is_refused() {
    for report in [
        json!({}),
        json!([1, 2]),
        json!({"n": 3}),
        json!({"kappa": null}),
    ] {
        let message = made(&report).unwrap_err().to_string();
        assert!(
            message.contains("report.json: no metric found"),
            "{message}"
        );
    }
}

#[test]
fn thresholds_are_rounded_to_the_passing_side() {
    for (value, down, up) in [
        (0.8149, "0.81", "0.82"),
        (0.29, "0.29", "0.29"),
        (1.15, "1.15", "1.15"),
        (-0.001, "-0.01", "0.00"),
        (0.0, "0.00", "0.00"),
        (1e300, "1e300", "1e300"),
    ] {
        assert_eq!([rounded(value, false), rounded(value, true)], [down, up]);
    }
}

/// Reports of all shapes: nested objects and arrays, odd keys, metric objects.
fn reports() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        (-2.0..2.0f64).prop_map(|x| json!(x)),
        any::<f64>().prop_map(|x| json!(x)),
        (0..100i64).prop_map(|x| json!(x)),
        Just(Value::Null),
    ];
    let object = (number.clone(), 0..99u64).prop_map(|(value, n)| json!({"value": value, "n": n}));
    let leaf = prop_oneof![number, object, Just(json!("text")), Just(json!(true))];
    let key = prop_oneof![
        prop::sample::select(vec![
            "kappa",
            "error_rate",
            "n",
            "score",
            "metrics",
            "a/b~rate"
        ]),
        Just("kappa_ci"),
        Just("kappa_undefined"),
    ]
    .prop_map(str::to_owned)
    .boxed();
    let key = prop_oneof![4 => key, 1 => "\\PC{0,5}_rate", 1 => any::<String>()];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec((key.clone(), inner.clone()), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
            prop::collection::vec(inner, 0..4).prop_map(Value::Array),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_init_writes_passes_on_the_same_report(report in reports()) {
        match made(&report) {
            Ok((text, result)) => {
                prop_assert!(result.gates_pass, "{text}\n{result:?}");
                prop_assert!(result.gates.iter().all(|gate| !gate.vacuous));
            }
            Err(error) => prop_assert!(error.to_string().contains("no metric found"), "{error}"),
        }
    }
}
