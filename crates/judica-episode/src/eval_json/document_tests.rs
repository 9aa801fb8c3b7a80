use super::*;
use proptest::prelude::*;
use serde_json::json;

fn example() -> Value {
    json!({
        "config_path": "configs/dev.yaml",
        "backend": "qwen3",
        "metrics": {
            "num_episodes": 32, "num_steps": 224, "action_type_accuracy": 0.22321428571428573,
            "mean_coord_error": 0.03184812009573501, "coord_error_count": 19,
            "episode_success_rate": 0.0, "click_hit_rate": 0.9473684210526315
        }
    })
}

#[test]
fn a_file_of_the_first_shape_is_read() {
    let document: EvalDocument = serde_json::from_value(example()).unwrap();
    assert_eq!(
        (document.dsl_mode.as_str(), document.schema_version.as_str()),
        ("coord", "1.0")
    );
    assert_eq!(document.metrics.click_hit_rate, Some(18.0 / 19.0));
    assert_eq!(document.metrics.element_accuracy, None);
}

#[test]
fn counts_may_be_spelt_with_a_point_but_not_with_a_fraction() {
    for (spelt, read) in [
        (json!(32.0), Some(32)),
        (json!(1e3), Some(1000)),
        (json!(u64::MAX), Some(u64::MAX)),
        (json!(32.5), None),
        (json!(-1), None),
        (json!(1.8446744073709552e19), None),
        (json!("32"), None),
        (json!(null), None),
        (json!(true), None),
    ] {
        let mut file = example();
        file["metrics"]["num_steps"] = spelt.clone();
        let document: Result<EvalDocument, _> = serde_json::from_value(file);
        assert_eq!(document.ok().map(|d| d.metrics.num_steps), read, "{spelt}");
    }
}

#[test]
fn what_is_unknown_survives_and_nothing_is_not_a_number() {
    let mut file = example();
    file["run"] = json!({"b": [1, {"z": 0.1, "a": null}]});
    file["metrics"]["click_distance_p50"] = json!(0.042);
    file["metrics"]["future"] = json!({"z": 1, "a": 2});
    let document: EvalDocument = serde_json::from_value(file.clone()).unwrap();
    let written = serde_json::to_value(&document).unwrap();
    assert_eq!(written["run"].to_string(), file["run"].to_string());
    assert_eq!(written["metrics"]["click_distance_p50"], json!(0.042));
    assert_eq!(written["metrics"]["future"].to_string(), r#"{"z":1,"a":2}"#);
    let again: EvalDocument = serde_json::from_value(written).unwrap();
    assert_eq!(again, document);
    let mut nan = document;
    nan.metrics.click_hit_rate = Some(f64::NAN);
    let written = serde_json::to_value(&nan).unwrap();
    assert_eq!(written["metrics"]["click_hit_rate"], Value::Null);
}

proptest! {
    #[test]
    fn unknown_keys_and_all_numbers_round_trip_exactly(
        keys in prop::collection::btree_map("x_[a-z]{1,6}", any::<f64>().prop_filter("finite", |x| x.is_finite()), 0..6),
        rate in 0.0f64..=1.0,
        ends in prop::option::of((0.0f64..=1.0, 0.0f64..=1.0)),
    ) {
        let mut metrics = Metrics { element_accuracy: Some(rate), ..Metrics::default() };
        metrics.click_hit_rate_ci = ends.map(|(a, b)| [a.min(b), a.max(b)]);
        metrics.other = keys.into_iter().map(|(key, value)| (key, json!(value))).collect();
        let mut document = EvalDocument::new("c", "b", "som", metrics.clone());
        document.other = metrics.other;
        document.counts.insert("element_targets".to_owned(), json!(3));
        let text = serde_json::to_string(&document).unwrap();
        let again: EvalDocument = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&again).unwrap(), text);
        prop_assert_eq!(again, document);
    }
}
