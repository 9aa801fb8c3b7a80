use super::*;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn values_and_their_lines() {
    let text = "\n{\"a\": 1,\n \"m\": {\"x/y\": [true,\n null], \"~\": \"\\u00e9\"}}\n";
    let walked = walk(text.as_bytes()).unwrap();
    assert_eq!(
        walked.value,
        json!({"a": 1, "m": {"x/y": [true, null], "~": "é"}})
    );
    for (pointer, line) in [
        ("", 2),
        ("/a", 2),
        ("/m", 3),
        ("/m/x~1y/0", 3),
        ("/m/x~1y/1", 4),
        ("/m/~0", 4),
        // What is not there would stand in what is.
        ("/m/missing/deep", 3),
        ("/missing", 2),
    ] {
        assert_eq!(walked.locate(pointer), line, "{pointer}");
    }
}

#[test]
fn odd_things_are_named_and_reading_goes_on() {
    let text = br#"{"a": NaN, "b": [1e999, -Infinity], "a": 2, "c": Infinity}"#;
    let walked = walk(text).unwrap();
    assert_eq!(walked.value, json!({"a": 2, "b": [null, null], "c": null}));
    let found: Vec<_> = walked
        .oddities
        .iter()
        .map(|odd| {
            let spelt = std::str::from_utf8(&text[odd.offset..odd.end]).unwrap();
            (odd.pointer.as_str(), spelt, odd.kind)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("/a", "NaN", OddityKind::BareWord),
            ("/b/0", "1e999", OddityKind::TooLarge),
            ("/b/1", "-Infinity", OddityKind::BareWord),
            ("/a", "2", OddityKind::Duplicate),
            ("/c", "Infinity", OddityKind::BareWord),
        ]
    );
}

#[test]
fn what_is_not_json_is_said_with_its_line() {
    for (text, line, why) in [
        ("", 1, "empty"),
        (" \n ", 1, "empty"),
        ("{\n\"a\": }", 2, "not JSON"),
        ("{\"a\": 1", 1, "ends too early"),
        ("{}\n{}", 2, "more text"),
        ("{\"a\": 1,}", 1, "not JSON"),
        ("nul", 1, "not JSON"),
    ] {
        let error = walk(text.as_bytes()).unwrap_err();
        assert!(
            error.line == line && error.reason.contains(why),
            "{text:?}: {error:?}"
        );
    }
    assert_eq!(walk(b"{\"a\":\n\"\xff\"}").unwrap_err().line, 2);
    let deep = "[".repeat(1_000_000);
    assert!(walk(deep.as_bytes()).unwrap_err().reason.contains("128"));
    let deepest = format!("{}{}", "[".repeat(128), "]".repeat(128));
    assert!(walk(deepest.as_bytes()).is_ok());
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |x| Number::from_f64(x).map(Value::Number)),
        "\\PC{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c~/]{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn walks_what_serde_writes(value in values(), pretty: bool) {
        let text = if pretty {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        };
        let walked = walk(text.as_bytes()).unwrap();
        prop_assert!(walked.oddities.is_empty());
        prop_assert!(walked.places.keys().all(|pointer| value.pointer(pointer).is_some()));
        prop_assert_eq!(&walked.value, &value);
        // Keys keep their order, which equality of maps does not look at.
        prop_assert_eq!(walked.value.to_string(), value.to_string());
    }

    #[test]
    fn agrees_with_serde_on_what_is_json(text in "[\\[\\]{}:,\"a0-2.e+ntruefals\\- \n]{0,24}") {
        let serde: Result<Value, _> = serde_json::from_str(&text);
        match walk(text.as_bytes()) {
            Ok(walked) if walked.oddities.is_empty() => {
                prop_assert_eq!(serde.ok(), Some(walked.value));
            }
            // Both beyond what serde takes, and duplicates, which it does not see.
            Ok(_) => {}
            Err(_) => prop_assert!(serde.is_err(), "{}", text),
        }
    }
}
