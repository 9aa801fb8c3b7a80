use super::*;
use crate::schema::check::Checker;

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
