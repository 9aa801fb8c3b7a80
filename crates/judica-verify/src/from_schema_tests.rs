use serde_json::json;

use super::*;
use crate::protocol::FieldKind;

#[path = "from_schema_refused_tests.rs"]
mod refused;

fn made(schema: Value) -> (String, crate::protocol::Protocol) {
    let source = protocol_of(&schema, "mine").unwrap();
    let protocol = load::parse(&source, "mine").unwrap();
    (source, protocol)
}

/// As documentation of structured outputs shows one, with its wrapping.
#[test]
fn a_response_format_becomes_fields() {
    let (source, protocol) = made(json!({
        "type": "json_schema",
        "json_schema": {"name": "research_paper_extraction", "strict": true, "schema": {
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "authors": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true},
                "abstract": {"type": ["string", "null"], "description": "As printed.\nNo more."},
                "year": {"type": "integer", "minimum": 1900, "maximum": 2100},
                "peer reviewed": {"type": "boolean"},
                "venue": {"anyOf": [{"$ref": "#/$defs/venue"}, {"type": "null"}]}
            },
            "required": ["title", "authors", "abstract", "year", "peer reviewed", "venue"],
            "additionalProperties": false,
            "$defs": {"venue": {"type": "object", "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[A-Z]"},
                "held": {"type": "string", "format": "date"},
                "kind": {"type": "string", "enum": ["journal", "conference"]}
            }, "required": ["name", "held", "kind"], "additionalProperties": false}}
        }}
    }));
    assert_eq!(protocol.name, "research_paper_extraction");
    let names: Vec<&str> = protocol.fields.iter().map(|field| &*field.name).collect();
    assert_eq!(
        names,
        [
            "title",
            "authors",
            "abstract",
            "year",
            "peer reviewed",
            "venue_name",
            "venue_held",
            "venue_kind"
        ]
    );
    let field = |name: &str| {
        protocol
            .fields
            .iter()
            .find(|field| field.name == name)
            .unwrap()
    };
    assert!(field("abstract").nullable && field("abstract").required);
    assert_eq!(field("year").limit, Some([1900.0, 2100.0]));
    assert_eq!(field("year").kind, FieldKind::Integer);
    assert_eq!(field("peer reviewed").alias, "peer_reviewed");
    // What it stands in may be null, and then it is not there.
    assert!(!field("venue_name").required && field("venue_name").nullable);
    assert_eq!(field("venue_held").kind, FieldKind::Date);
    assert!(source.contains("at = \"/venue/kind\"") && source.contains("# As printed. No more."));
    assert!(source.contains("extra_keys = \"critical\""));
    assert!(source.contains("unique = true") && source.contains("min_items = 1"));
}

#[test]
fn a_tool_and_the_objects_of_a_list() {
    let (source, protocol) = made(json!({
        "name": "place_order", "description": "Places it.", "input_schema": {
            "type": "object",
            "properties": {
                "customer": {"type": "object", "properties": {"id": {"type": "integer", "exclusiveMinimum": 0}}, "required": ["id"]},
                "lines": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"type": "object", "properties": {
                    "sku": {"type": "string"},
                    "price": {"type": "number", "minimum": 0},
                    "step": {"type": "number", "multipleOf": 0.5}
                }, "required": ["sku", "price"]}},
                "filters": {"type": "object", "additionalProperties": {"type": "string"}},
                "if": {"const": "now"},
                "level": {"type": "integer", "enum": [1, 2, 4]}
            },
            "required": ["customer", "lines"]
        }
    }));
    assert_eq!(protocol.name, "place_order");
    assert!(source.contains("at = \"/lines/*/price\"") && source.contains("max_items = 50"));
    assert!(
        source.contains("critical_if = \"any(lines_price < 0.0)\""),
        "{source}"
    );
    assert!(source.contains("critical_if = \"customer_id <= 0.0\""));
    assert!(source.contains("extra_keys = \"allow\""));
    let field = |name: &str| {
        protocol
            .fields
            .iter()
            .find(|field| field.name == name)
            .unwrap()
    };
    assert!(field("lines_sku").required && !field("lines_step").required);
    assert_eq!(field("filters").kind, FieldKind::Object);
    assert_eq!(field("if").alias, "if_2");
}

#[test]
fn what_cannot_be_said_is_a_comment_in_its_place() {
    let (source, protocol) = made(json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "ok": {"type": "string", "format": "email"},
            "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "both": {"type": ["string", "number"]},
            "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            "ahead": {"type": "string", "pattern": "^(?!x)"},
            "anything": true,
            "self": {"$ref": "#"},
            "*": {"type": "string"}
        }
    }));
    for words in [
        "# not said: format email",
        "# /either: not said",
        "# /both: not said",
        "# /grid: not said",
        "# not said: pattern ^(?!x)",
        "# /anything: not said",
        "# /*: not said",
        "# /self/self",
        "extra_keys = \"allow\"",
    ] {
        assert!(source.contains(words), "{words}\n{source}");
    }
    assert!(protocol.fields.len() < 100);
    for wrong in [
        json!({"type": "array"}),
        json!({}),
        json!(3),
        json!({"properties": {"a": {}}}),
    ] {
        assert!(protocol_of(&wrong, "mine").is_err(), "{wrong}");
    }
}

#[test]
fn further_keys_that_only_some_objects_forbid_are_told() {
    let nested = |closed: bool| {
        let mut inner = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        if closed {
            inner["additionalProperties"] = json!(false);
        }
        let schema = json!({"type": "object", "additionalProperties": false,
                            "properties": {"inner": inner}});
        made(schema).0
    };
    assert!(nested(true).contains("extra_keys = \"critical\""));
    let patterns = json!({"type": "object", "additionalProperties": false,
                          "properties": {"a": {"type": "string"}},
                          "patternProperties": {"^x": {"type": "string"}}});
    let (source, _) = made(patterns);
    assert!(source.contains("not said: patternProperties"), "{source}");
    assert!(source.contains("extra_keys = \"allow\""), "{source}");
    let told = "# not said: additionalProperties";
    assert!(!nested(true).contains(told) && nested(false).contains(told));
}

#[test]
fn a_number_that_objects_of_a_list_may_lack_is_one_of_its_values_where_it_is_there() {
    let sizes = json!({"type": "integer", "enum": [1, 2]});
    let of = |required: Value, size: &Value| {
        let items = json!({"type": "object", "properties": {"size": size}, "required": required});
        made(json!({"type": "object", "required": ["items"],
                    "properties": {"items": {"type": "array", "items": items}}}))
        .0
    };
    let strict = "critical_if = \"any(not items_size in [1.0, 2.0])\"";
    let lenient = "critical_if = \"any(not is_null(items_size) and not items_size in [1.0, 2.0])\"";
    assert!(of(json!(["size"]), &sizes).contains(strict));
    assert!(of(json!([]), &sizes).contains(lenient));
    let nullable = json!({"type": ["integer", "null"], "enum": [1, 2, null]});
    assert!(of(json!(["size"]), &nullable).contains(lenient));
}

#[test]
fn an_object_that_must_be_there_whole_or_empty_is_told() {
    let object = |required: Value| json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": required});
    let told = |property: Value, required: Value| {
        let schema = json!({"type": "object", "required": required,
                            "properties": {"x": property, "y": {"type": "string"}}});
        let source = made(schema).0;
        let line = source
            .lines()
            .find(|line| line.contains("not said: required, since"));
        line.map(str::to_owned)
    };
    let of_list = |items: Value| json!({"type": "array", "items": items});
    let none = Some("# /x: not said: required, since no field of it is".to_owned());
    assert_eq!(told(object(json!([])), json!(["x"])), none);
    assert_eq!(told(of_list(object(json!(["b"]))), json!(["x"])), none);
    assert_eq!(told(object(json!(["a"])), json!(["x"])), None);
    assert_eq!(told(of_list(object(json!(["a"]))), json!(["x"])), None);
    assert_eq!(told(object(json!([])), json!(["y"])), None);
    let nullable = json!({"anyOf": [object(json!(["a"])), {"type": "null"}]});
    let may_be_null = "# /x: not said: required, since it may be null".to_owned();
    assert_eq!(told(nullable, json!(["x"])), Some(may_be_null));
}

#[test]
fn what_several_schemas_ask_of_one_value_is_asked_together() {
    let (source, protocol) = made(json!({
        "type": "object", "required": ["n", "a", "o"],
        "properties": {
            "n": {"allOf": [{"$ref": "#/$defs/percent"}, {"minimum": 10, "maximum": 200}]},
            "m": {"$ref": "#/$defs/percent", "type": "number", "maximum": 5},
            "a": {"type": "string", "pattern": "^x"},
            "e": {"enum": ["p", "q"], "allOf": [{"enum": ["q", "r"]}]},
            "o": {"type": "object", "properties": {"b": {"type": "string"}}}
        },
        "allOf": [
            {"properties": {"a": {"minLength": 2, "pattern": "y$"}}},
            {"properties": {"o": {"required": ["b"], "properties": {"b": {"maxLength": 3}}}}}
        ],
        "$defs": {"percent": {"type": "integer", "minimum": 0, "maximum": 100}}
    }));
    let names: Vec<&str> = protocol.fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["n", "m", "a", "e", "o_b"], "{source}");
    let field = |at: usize| &protocol.fields[at];
    assert_eq!(field(0).limit, Some([10.0, 100.0]));
    assert_eq!(field(1).limit, Some([0.0, 5.0]));
    assert_eq!(field(1).kind, FieldKind::Integer);
    assert!(field(2).required && field(4).required);
    for words in [
        "min_length = 2",
        "pattern = \"^x\"",
        "# not said: allOf [{\"pattern\":\"y$\"}]",
        "values = [\"q\"]",
        "max_length = 3",
    ] {
        assert!(source.contains(words), "{words}\n{source}");
    }
}

#[test]
fn what_is_asked_only_within_what_may_be_missing_or_null_is_told() {
    let street = json!({"type": "object", "required": ["street", "flat"], "properties": {
        "street": {"type": "string"}, "flat": {"type": ["string", "null"]}, "door": {"type": "string"}}});
    let (source, _) = made(
        json!({"type": "object", "required": ["bill", "home"], "properties": {
        "bill": {"anyOf": [street, {"type": "null"}]},
        "home": street,
        "lines": {"type": "array", "items": street}}}),
    );
    let told: Vec<&str> = source
        .lines()
        .filter(|line| line.contains(", where "))
        .collect();
    assert_eq!(
        told,
        [
            "# /bill/street: not said: required, not null, where /bill is",
            "# /bill/flat: not said: required, where /bill is",
            "# /bill/door: not said: not null, where /bill is",
            "# /lines/*/street: not said: required, where /lines/* is",
            "# /lines/*/flat: not said: required, where /lines/* is",
        ]
    );
}

#[test]
fn classes_of_patterns_are_of_ascii() {
    let schema = json!({"type": "object", "properties": {
        "p": {"type": "string", "pattern": r"^\d{2}[\w.-]\\d\b$"},
        "q": {"type": "string", "pattern": r"^[\b]$"}
    }});
    let (source, protocol) = made(schema);
    let crate::protocol::form::Form::Text(form) = &protocol.fields[0].form else {
        panic!("{source}");
    };
    let pattern = form.pattern.as_ref().expect("a pattern");
    for (text, fits) in [(r"12é\d", false), (r"12a\d", true), ("٣٤a\\d", false)] {
        assert_eq!(pattern.is_match(text), fits, "{text} {source}");
    }
    assert!(source.contains(r"# not said: pattern ^[\b]$"), "{source}");
}

#[test]
fn a_choice_of_values_is_an_enumeration() {
    let of = |schema: Value| made(json!({"type": "object", "properties": {"x": schema}})).0;
    let texts =
        of(json!({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}, {"type": "null"}]}));
    assert!(texts.contains("values = [\"a\", \"b\"]") && texts.contains("nullable = true"));
    for numbers in [
        json!({"enum": [1, 2.5]}),
        json!({"anyOf": [{"const": 1}, {"const": 2.5}]}),
    ] {
        assert!(of(numbers).contains("critical_if = \"not x in [1.0, 2.5]\""));
    }
}
