use super::*;
use crate::schema::check::Checker;
use crate::schema::validate::validate_text;

/// A metric that nobody fills any more, if there were one.
const EXAMPLE: &[Deprecated] = &[Deprecated {
    name: "click_hit_rate",
    since: "1.9",
    sentinel: Sentinel::Number(-1.0),
    note: "Use `bbox_hit_rate`.",
}];

#[test]
fn the_published_schema_is_current() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/eval-1.0.schema.json"
    );
    let published = std::fs::read(path).unwrap_or_default();
    assert!(
        published == schema_text(),
        "docs/schema/eval-{VERSION}.schema.json is out of date; refresh it with \
         `judica schema print > docs/schema/eval-{VERSION}.schema.json`"
    );
}

#[test]
fn validation_and_the_published_schema_agree() {
    let published = Checker::new(&generate());
    for (key, value, valid) in [
        ("schema_version", json!("1.7"), true),
        ("schema_version", json!("2.0"), false),
        ("schema_version", json!("1.07"), false),
        ("metrics_by_action_type", json!([1]), true),
        ("metrics_by_action_type", json!({"click": 1}), true),
        (
            "metrics_by_action_type",
            json!({"click": {"click_hit_rate": 2}}),
            false,
        ),
        ("counts", json!({"x": "many"}), true),
        ("counts", json!({"x": -1}), false),
        ("inputs", json!({"x": {}}), true),
        ("undefined", json!("why"), true),
        ("notes", json!({}), true),
    ] {
        let mut file = json!({"config_path": "c", "backend": "b", "metrics": {
            "num_episodes": 0, "num_steps": 0, "coord_error_count": 0,
            "action_type_accuracy": null, "episode_success_rate": null,
        }});
        file[key] = value;
        let found = published.findings(&file);
        assert_eq!(found.is_empty(), valid, "{key} {}: {found:?}", file[key]);
        let found = validate_text("f", file.to_string().as_bytes());
        assert_eq!(
            found.valid, valid,
            "{key} {}: {:?}",
            file[key], found.problems
        );
    }
}

#[test]
fn every_property_has_a_description_and_unknown_ones_are_allowed() {
    let schema = generate();
    assert_eq!(schema["$id"], "urn:judica:schema:eval:1.0");
    let blocks = [
        "",
        "/$defs/Metrics",
        "/$defs/ActionTypeMetrics",
        "/$defs/InputRows",
    ];
    for block in blocks {
        let block = schema.pointer(block).unwrap();
        assert_ne!(block["additionalProperties"], json!(false));
        for (name, property) in block["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name}");
        }
    }
    assert_eq!(
        schema["required"],
        json!(["config_path", "backend", "metrics"])
    );
}

#[test]
fn a_deprecated_metric_is_marked_and_may_hold_its_sentinel() {
    let schema = with_deprecated(EXAMPLE);
    let property = &schema["$defs"]["Metrics"]["properties"]["click_hit_rate"];
    assert_eq!(property["deprecated"], json!(true));
    let said = property["description"].as_str().unwrap();
    assert!(said.contains("since 1.9") && said.contains("Use `bbox_hit_rate`"));
    let file = |rate: f64| {
        json!({"config_path": "", "backend": "", "metrics": {
            "num_episodes": 0, "num_steps": 0, "coord_error_count": 0,
            "action_type_accuracy": null, "episode_success_rate": null, "click_hit_rate": rate,
        }})
    };
    let (before, after) = (Checker::new(&generate()), Checker::new(&schema));
    let found = |checker: &Checker, rate| checker.findings(&file(rate)).len();
    assert_eq!((found(&before, -1.0), found(&after, -1.0)), (1, 0));
    assert_eq!((found(&before, 0.5), found(&after, 0.5)), (0, 0));
    assert_eq!((found(&before, -2.0), found(&after, -2.0)), (1, 1));
}
