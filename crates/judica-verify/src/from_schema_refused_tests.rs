//! What a schema refuses is refused by its protocol, or told.

use serde_json::{Value, json};

use super::made;
use crate::test_support::{Bench, output};

/// Whether a response passes the protocol of a schema.
fn passes(protocol: crate::protocol::Protocol, response: &Value) -> bool {
    let bench = Bench::new(protocol, &[json!({"sample_id": "s", "task_id": "answer"})]);
    let run = bench.run(&[output("m", "s", response.to_string())]);
    let record: Value = serde_json::from_str(&bench.render(&run)[0]).expect("a record");
    record["agent_output"]["adjudication"] == "eligible"
}

/// Of each schema: an instance, one that it refuses, and what is told; without any, the protocol
/// refuses it, too.
#[test]
fn what_a_schema_refuses_is_refused_or_told() {
    let one =
        |schema: Value| json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
    let x = |value: Value| json!({ "x": value });
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let with = |schema: &Value, key: &str, value: Value| {
        let mut schema = schema.clone();
        schema[key] = value;
        schema
    };
    let maybe = json!({"type": "object", "required": ["a"],
                       "properties": {"a": {"type": ["string", "null"]}}});
    let listed = json!({"type": "array", "items": maybe});
    let plain = one(json!({"type": "string"}));
    let closed = json!({"type": "object", "properties": {"x": {"type": "string"}},
                        "required": ["x"], "additionalProperties": false});
    let other = json!({"properties": {"b": {"type": "string"}}});
    let either = json!({"type": ["integer", "string"]});
    let needing = json!({"type": "object", "required": ["y"], "properties": {"y": either}});
    let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let beside = |x: Value| {
        json!({"type": "object", "required": ["z", "x"],
               "properties": {"z": {"type": "string"}, "x": x}})
    };
    let old = with(
        &one(json!({"type": "number", "minimum": 0, "exclusiveMinimum": true})),
        "$schema",
        json!("http://json-schema.org/draft-04/schema#"),
    );
    for (schema, right, wrong, told) in [
        (
            one(with(&texts, "contains", json!({"const": "a"}))),
            x(json!(["a"])),
            x(json!([])),
            "contains",
        ),
        (
            one(with(&texts, "enum", json!([["a"]]))),
            x(json!(["a"])),
            x(json!(["b"])),
            "enum [[",
        ),
        (
            one(with(&listed, "minContains", json!(1))),
            x(json!([])),
            x(json!([null])),
            "minContains 1",
        ),
        (
            one(json!({"type": ["string", "null"], "enum": ["a"]})),
            x(json!("a")),
            x(json!(null)),
            "",
        ),
        (
            one(json!({"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]})),
            x(json!("a")),
            x(json!(null)),
            "",
        ),
        (
            one(json!({"type": "string", "nullable": true, "enum": ["a"]})),
            x(json!("a")),
            x(json!(null)),
            "",
        ),
        (
            one(json!({"enum": ["a", "bb"], "allOf": [{"minLength": 2}]})),
            x(json!("bb")),
            x(json!("a")),
            "minLength 2",
        ),
        (
            one(json!({"type": "string", "enum": ["a", "bb"], "pattern": "b"})),
            x(json!("bb")),
            x(json!("a")),
            "pattern \"b\"",
        ),
        (
            one(json!({"enum": ["a", "b"], "const": "a"})),
            x(json!("a")),
            x(json!("b")),
            "",
        ),
        (
            one(json!({"oneOf": [{"const": "a"}, {"const": "a"}, {"const": "b"}]})),
            x(json!("b")),
            x(json!("a")),
            "",
        ),
        (
            with(&plain, "required", json!(["x", "zz"])),
            json!({"x": "a", "zz": 1}),
            x(json!("a")),
            "required zz",
        ),
        (
            with(&plain, "additionalProperties", json!({"type": "integer"})),
            json!({"x": "a", "y": 1}),
            json!({"x": "a", "y": "b"}),
            "additionalProperties {",
        ),
        (
            json!({"type": "object", "allOf": [closed, other]}),
            x(json!("a")),
            json!({"x": "a", "b": "c"}),
            "allOf [{\"additionalProperties\":false}]",
        ),
        (
            one(maybe.clone()),
            x(json!({"a": null})),
            x(json!(null)),
            "not null, since",
        ),
        (
            one(listed.clone()),
            x(json!([{"a": null}])),
            x(json!(null)),
            "not null, since",
        ),
        (
            one(listed),
            x(json!([])),
            x(json!([null])),
            "/x/*: not said: not null",
        ),
        (
            one(
                json!({"type": "object", "properties": {"0": {"type": "string"}}, "required": ["0"]}),
            ),
            x(json!({"0": "a"})),
            x(json!(["a"])),
            "/x is no list",
        ),
        (old, x(json!(1)), x(json!(0)), "exclusiveMinimum true"),
        (
            with(
                &one(json!({"type": "string", "$ref": "#short"})),
                "$defs",
                json!({"s": {"$anchor": "short", "maxLength": 2}}),
            ),
            x(json!("ab")),
            x(json!("abc")),
            "$ref \"#short\"",
        ),
        (
            with(&plain, "allOf", json!([{"properties": {"b": false}}])),
            x(json!("a")),
            json!({"x": "a", "b": "c"}),
            "/b: not said: {\"not\":{}}",
        ),
        (
            with(
                &one(either.clone()),
                "properties",
                json!({"x": either, "y": {"type": "string"}}),
            ),
            json!({"x": 1, "y": "a"}),
            json!({"y": "a"}),
            "[\"integer\",\"string\"]}, required",
        ),
        (
            beside(json!({"type": "array", "minItems": 1, "items": needing})),
            json!({"z": "a", "x": [{"y": 1}]}),
            json!({"z": "a", "x": []}),
            "\"minItems\":1",
        ),
        (
            beside(with(
                &needing,
                "properties",
                json!({"y": either, "w": {"type": "string"}}),
            )),
            json!({"z": "a", "x": {"y": 1}}),
            json!({"z": "a"}),
            "/x: not said: required, since no field of it is",
        ),
        (
            beside(needing),
            json!({"z": "a", "x": {"y": 1}}),
            json!({"z": "a", "x": {}}),
            "",
        ),
        (
            one(with(
                &beside(json!({"type": ["object", "null"], "properties": {}})),
                "type",
                json!("object"),
            )),
            x(json!({"z": "a", "x": null})),
            x(json!({"z": "a", "x": 5})),
            "",
        ),
        (
            with(&beside(none.clone()), "additionalProperties", json!(false)),
            json!({"z": "a", "x": {}}),
            json!({"z": "a", "x": {"b": 1}}),
            "",
        ),
        (
            with(
                &beside(json!({"type": "array", "items": none})),
                "additionalProperties",
                json!(false),
            ),
            json!({"z": "a", "x": [{}]}),
            json!({"z": "a", "x": [{"b": 1}]}),
            "/x: not said: {",
        ),
        (
            beside(json!({"type": "object", "additionalProperties": {"$ref": "#"}})),
            json!({"z": "a", "x": {"k": {"z": "b", "x": {}}}}),
            json!({"z": "a", "x": {"k": {}}}),
            "/x: not said: {",
        ),
        (
            beside(json!({"type": "object", "additionalProperties": {"$ref": "#/properties/z"}})),
            json!({"z": "a", "x": {"k": "a"}}),
            json!({"z": "a", "x": {"k": 1}}),
            "/x: not said: {",
        ),
        (
            with(
                &beside(
                    json!({"type": "object", "additionalProperties": {"items": [{"type": "string"}]}}),
                ),
                "$schema",
                json!("http://json-schema.org/draft-07/schema#"),
            ),
            json!({"z": "a", "x": {"k": ["a"]}}),
            json!({"z": "a", "x": {"k": [1]}}),
            "",
        ),
        (
            one(json!({"enum": ["1", "a"]})),
            x(json!("1")),
            x(json!(1)),
            "that 1 must be text",
        ),
        (
            one(json!({"allOf": [{"enum": [1, 2]}, {"enum": [1.0, 3]}]})),
            x(json!(1)),
            x(json!(2)),
            "",
        ),
        (
            one(json!({"enum": [1, 2], "const": 1.0})),
            x(json!(1)),
            x(json!(2)),
            "",
        ),
        // However wide a range is, what lies outside of it does.
        (
            one(json!({"type": "number", "minimum": 0, "maximum": 1e308})),
            x(json!(1e308)),
            x(json!(-1e-20)),
            "",
        ),
    ] {
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        assert!(
            validator.is_valid(&right) && !validator.is_valid(&wrong),
            "{schema}"
        );
        let (source, protocol) = made(schema);
        assert!(passes(protocol.clone(), &right), "{right} {source}");
        assert_eq!(source.contains("not said: "), !told.is_empty(), "{source}");
        match told {
            "" => assert!(!passes(protocol, &wrong), "{wrong} {source}"),
            told => assert!(source.contains(told), "{told} {source}"),
        }
    }
}
