use super::*;
use serde_json::json;

fn parse(text: &str) -> Result<EvalFile, Fault> {
    EvalFile::parse("f.json", text.as_bytes())
}

#[test]
fn all_shapes_read_alike() {
    let legacy =
        r#"{"backend": "b", "num_steps": 8, "action_type_accuracy": 0.5, "x": 2, "notes": []}"#;
    let current = r#"{"backend": "b", "schema_version": "1.7", "later": {"y": [1, 2]},
        "metrics": {"num_steps": 8, "action_type_accuracy": 0.5, "x": 2}}"#;
    for (text, version) in [(legacy, "before 1.0"), (current, "1.7")] {
        let file = parse(text).unwrap();
        assert_eq!(file.version.to_string(), version);
        assert_eq!(file.reading("action_type_accuracy"), Reading::Value(0.5));
        assert_eq!(file.reading("x"), Reading::Value(2.0));
        assert_eq!(file.reading("click_hit_rate"), Reading::Absent);
        assert_eq!(file.n("action_type_accuracy"), Some(8));
        assert_eq!(file.n("x"), None);
        assert_eq!((file.mode(), file.text("backend")), ("coord", Some("b")));
        assert_eq!(file.at("/metrics/x"), Some(&json!(2)));
        assert_eq!(file.at("/metrics"), None);
        assert_eq!(file.metrics().len(), 3);
    }
    let file = parse(current).unwrap();
    assert_eq!(file.at("/later/y/1"), Some(&json!(2)));
    assert_eq!(file.at("/later/y/2"), None);
}

#[test]
fn nulls_and_reasons() {
    let file = parse(
        r#"{"undefined": {"click_hit_rate": "no clicks"}, "counts": {"bbox_targets": 4.0, "bbox_hits": 3},
        "metrics": {"click_hit_rate": null, "num_steps": 3, "action_type_accuracy": null,
        "bbox_hit_rate": 0.75, "bbox_hit_rate_ci": [0.3, 0.95], "own": [1], "own_ci": [2, 1]}}"#,
    )
    .unwrap();
    assert_eq!(file.reading("click_hit_rate"), Reading::Null);
    assert_eq!(file.why_undefined("click_hit_rate"), "no clicks");
    assert_eq!(
        file.why_undefined("action_type_accuracy"),
        "null in the file"
    );
    assert_eq!(file.why_undefined("nothing"), "the file does not have it");
    assert_eq!(
        (file.n("bbox_hit_rate"), file.hits("bbox_hit_rate")),
        (Some(4), Some(3))
    );
    assert_eq!(file.interval("bbox_hit_rate"), Some([0.3, 0.95]));
    assert_eq!(
        (file.reading("own"), file.interval("own")),
        (Reading::Absent, None)
    );
}

#[test]
fn what_cannot_be_true_is_refused_with_its_line_and_pointer() {
    for (text, line, pointer) in [
        (
            "{\"metrics\": {\n\"click_hit_rate\": 1.2}}",
            2,
            "/metrics/click_hit_rate",
        ),
        ("{\n\n\"click_hit_rate\": 1.2}", 3, "/click_hit_rate"),
        (
            "{\"metrics\": {\"num_steps\": -3}}",
            1,
            "/metrics/num_steps",
        ),
        (
            "{\"metrics\": {\"num_steps\": \"3\"}}",
            1,
            "/metrics/num_steps",
        ),
        ("{\"metrics\": {\"x\": NaN}}", 1, "/metrics/x"),
        ("{\"backend\": \"b\", \"metrics\": 3}", 1, "/metrics"),
        ("{\"metrics\": 3}", 1, ""),
        (
            "{\"schema_version\": \"3.1\", \"metrics\": {}}",
            1,
            "/schema_version",
        ),
        ("{\"name\": \"package\"}", 1, ""),
        ("[]", 1, ""),
        ("", 1, ""),
    ] {
        let fault = parse(text).unwrap_err();
        assert_eq!(
            (fault.line, fault.pointer.as_str()),
            (line, pointer),
            "{text}"
        );
    }
    let error = refused(
        "f.json".to_owned(),
        parse("{\"click_hit_rate\": 2}").unwrap_err(),
    );
    assert_eq!(
        error.to_string(),
        "f.json:1: out_of_range: /click_hit_rate: 2 is above 1.0, the most it can be"
    );
}
