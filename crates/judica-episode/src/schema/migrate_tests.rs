use super::*;
use crate::schema::validate::validate_text;
use proptest::prelude::*;
use serde_json::json;

fn migrated(text: &str) -> (Value, Migration) {
    let migration = migrate(text.as_bytes()).unwrap();
    (serde_json::from_slice(&migration.text).unwrap(), migration)
}

#[test]
fn the_legacy_shape_gets_its_block_and_nothing_is_invented() {
    let (value, migration) =
        migrated(r#"{"action_type_accuracy": 0.469, "click_hit_rate": 0.850}"#);
    assert_eq!(
        std::str::from_utf8(&migration.text).unwrap(),
        r#"{
  "config_path": "unknown",
  "backend": "unknown",
  "schema_version": "1.0",
  "metrics": {
    "action_type_accuracy": 0.469,
    "click_hit_rate": 0.850
  }
}
"#
    );
    assert_eq!(
        value["metrics"],
        json!({"action_type_accuracy": 0.469, "click_hit_rate": 0.85})
    );
    assert_eq!(migration.from, "before 1.0");
    assert_eq!(
        migration.missing,
        [
            "num_episodes",
            "num_steps",
            "mean_coord_error",
            "coord_error_count",
            "episode_success_rate"
        ]
    );
}

#[test]
fn what_is_not_a_metric_stays_outside() {
    let (value, _) = migrated(
        r#"{"x": 1, "backend": "claude", "dsl_mode": "som", "notes": ["n"], "element_accuracy": 1.0}"#,
    );
    assert_eq!(
        value.to_string(),
        r#"{"config_path":"unknown","backend":"claude","dsl_mode":"som","schema_version":"1.0","metrics":{"x":1,"element_accuracy":1.0},"notes":["n"]}"#
    );
    // Of what nobody knows numbers alone may be metrics, and intervals of them.
    let (value, _) = migrated(
        r#"{"click_hit_rate": 1, "run_id": "r", "ok": true, "foo": [1], "metadata": {"a": 1}, "own": null, "own_ci": [0, 1]}"#,
    );
    assert_eq!(
        value["metrics"].to_string(),
        r#"{"click_hit_rate":1,"own":null,"own_ci":[0,1]}"#
    );
    let rest = ["run_id", "ok", "foo", "metadata"].map(|key| value[key].to_string());
    assert_eq!(rest, [r#""r""#, "true", "[1]", r#"{"a":1}"#]);
}

#[test]
fn values_are_copied_byte_for_byte() {
    let spellings = "[1.50, 123456789012345678901234567890, 1e-400,\n {\"a\":  \"\\u00e9\"}]";
    let text = format!(
        "{{\"config_path\": \"c\", \"unknown\\u0020key\": {spellings}, \"metrics\": {{\"num_steps\": 1E1}}}}"
    );
    let (_, migration) = migrated(&text);
    let out = String::from_utf8(migration.text).unwrap();
    assert!(
        out.contains(spellings) && out.contains("\"unknown\\u0020key\""),
        "{out}"
    );
    assert!(out.contains("\"num_steps\": 1E1"));
    assert_eq!(migration.from, "1.0, unmarked");
}

#[test]
fn a_current_file_comes_back_as_it_was() {
    let text =
        "{ \"schema_version\":\"1.0\",\n\"metrics\":{ },\"backend\":\"b\",\"config_path\":\"c\" }";
    let migration = migrate(text.as_bytes()).unwrap();
    assert_eq!(migration.text, text.as_bytes());
    assert!(migration.changes.is_empty());
    let newer = text.replace("1.0", "1.7");
    assert_eq!(migrate(newer.as_bytes()).unwrap().text, newer.as_bytes());
}

#[test]
fn what_is_not_json_becomes_null_and_doubles_become_one() {
    let (value, migration) = migrated(
        r#"{"click_hit_rate": NaN, "a": [1, -Infinity], "num_steps": 1, "num_steps": 2, "deep": {"d": 1, "d": 2}}"#,
    );
    assert_eq!(
        [&value["metrics"], &value["a"], &value["deep"]].map(Value::to_string),
        [
            r#"{"click_hit_rate":null,"num_steps":2}"#,
            "[1,null]",
            r#"{"d":2}"#
        ]
    );
    let said = migration.changes.join("; ");
    assert!(
        said.contains("/click_hit_rate (line 1): NaN became null"),
        "{said}"
    );
    assert!(
        said.contains("/a/1") && said.contains("/num_steps"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_migrated_says_where_and_why() {
    for (text, pointer, why) in [
        ("{", "", "ends too early"),
        ("[1]", "", "one object"),
        (
            "{\"schema_version\": \"2.0\", \"metrics\": {}}",
            "/schema_version",
            "newer program",
        ),
        (
            "{\"backend\": \"b\", \"metrics\": [1]}",
            "/metrics",
            "not an object",
        ),
        (
            "{\"backend\": \"b\", \"metrics\": null}",
            "/metrics",
            "not an object",
        ),
        ("{\"metrics\": [1]}", "", "not an eval JSON"),
        ("{}", "", "an empty object"),
    ] {
        let fault = migrate(text.as_bytes()).unwrap_err();
        assert!(
            fault.pointer == pointer && fault.detail.contains(why),
            "{text}: {fault:?}"
        );
    }
}

#[test]
fn a_migrated_file_that_lacks_nothing_is_valid() {
    let metrics = r#""num_episodes": 1, "num_steps": 2, "action_type_accuracy": 0.5,
        "mean_coord_error": null, "coord_error_count": 0, "episode_success_rate": 0,
        "click_hit_rate": null"#;
    for text in [
        format!("{{{metrics}}}"),
        format!("{{\"metrics\": {{{metrics}}}}}"),
    ] {
        let migration = migrate(text.as_bytes()).unwrap();
        let result = validate_text("f", &migration.text);
        assert!(result.valid && result.warnings.is_empty(), "{result:?}");
        assert!(migration.missing.is_empty());
    }
}

fn keys() -> impl Strategy<Value = String> {
    let known = [
        "metrics",
        "backend",
        "config_path",
        "dsl_mode",
        "schema_version",
        "num_steps",
        "notes",
    ];
    prop_oneof![
        prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        "[a-z\"\\\\é]{0,3}"
    ]
}

fn values() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("NaN".to_owned()),
        Just("\"1.0\"".to_owned()),
        Just("{\"a\": [NaN, 1.0]}".to_owned()),
        Just("{\"num_steps\": 3, \"num_steps\": 4}".to_owned()),
        any::<f64>()
            .prop_filter("finite", |x| x.is_finite())
            .prop_map(|x| x.to_string()),
    ]
}

proptest! {
    #[test]
    fn twice_is_once(members in prop::collection::vec((keys(), values()), 0..8)) {
        let members: Vec<String> = members
            .into_iter()
            .map(|(key, value)| format!("{}: {value}", json!(key)))
            .collect();
        let text = format!("{{{}}}", members.join(",\n"));
        if let Ok(once) = migrate(text.as_bytes()) {
            let twice = migrate(&once.text).unwrap();
            prop_assert_eq!(&twice.text, &once.text);
            prop_assert!(twice.changes.is_empty(), "{:?}", twice.changes);
            // Every value that was there is there, once.
            let before = walk(text.as_bytes()).unwrap().value;
            let after: Value = serde_json::from_slice(&once.text).unwrap();
            for (key, value) in before.as_object().unwrap() {
                let metrics = &after["metrics"];
                let kept = [after.get(key), metrics.get(key)];
                prop_assert!(kept.contains(&Some(value)), "{} in {}", key, after);
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}") {
        let _ = migrate(text.as_bytes());
    }
}
