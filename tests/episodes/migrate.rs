//! `judica schema migrate`.

use serde_json::{Value, json};

use crate::data::{eval, fixture, fixture_bytes, write_eval};
use crate::support::{Place, keys};

#[track_caller]
fn migrated(place: &Place, name: &str) -> Value {
    let ran = place.judica(&format!("schema migrate {name}")).exits(0);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[test]
fn the_published_legacy_example() {
    let place = Place::new();
    fixture(&place, "legacy-bare.json");
    let ran = place.judica("schema migrate legacy-bare.json").exits(0);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["config_path"], "unknown");
    assert_eq!(document["backend"], "unknown");
    assert_eq!(
        document["metrics"],
        json!({"action_type_accuracy": 0.469, "click_hit_rate": 0.850})
    );
    // Digits stay as they were written, and nothing is made up.
    assert!(ran.stdout.contains("0.850"));
    assert_eq!(
        keys(&document["metrics"]),
        ["action_type_accuracy", "click_hit_rate"]
    );
    ran.complains(&["legacy-bare.json", "num_episodes", "nobody can tell"]);
}

#[test]
fn what_is_no_metric_stays_at_the_top() {
    let place = Place::new();
    fixture(&place, "legacy-with-context.json");
    let document = migrated(&place, "legacy-with-context.json");
    assert_eq!(document["backend"], "claude");
    assert_eq!(document["dsl_mode"], "som");
    assert_eq!(document["config_path"], "unknown");
    assert_eq!(document["metrics"].get("backend"), None);
    assert_eq!(document["metrics"]["mean_coord_error"], Value::Null);
    place.write("m.json", document.to_string());
    place.judica("schema validate m.json").exits(0);
}

#[test]
fn twice_is_once() {
    let place = Place::new();
    for name in [
        "legacy-bare.json",
        "legacy-with-context.json",
        "v1.0-unmarked-coord.json",
        "v1.0-unmarked-som.json",
        "v1.0-unknown-metrics.json",
        "v1.0-marked.json",
        "v1.7-future-minor.json",
        "invalid-nan.json",
    ] {
        fixture(&place, name);
        let once = place
            .judica(&format!("schema migrate {name}"))
            .exits(0)
            .stdout;
        place.write("once.json", &once);
        let twice = place.judica("schema migrate once.json").exits(0);
        assert_eq!(twice.stdout, once, "{name}");
        assert_eq!(
            twice.stderr.matches("became").count(),
            0,
            "{}",
            twice.stderr
        );
    }
}

#[test]
fn a_file_that_needs_nothing_comes_back_as_it_was() {
    let place = Place::new();
    for name in ["v1.0-marked.json", "v1.7-future-minor.json"] {
        fixture(&place, name);
        let ran = place.judica(&format!("schema migrate {name}")).exits(0);
        assert_eq!(ran.stdout.as_bytes(), fixture_bytes(name), "{name}");
    }
}

#[test]
fn unknown_metrics_and_keys_are_kept() {
    let place = Place::new();
    fixture(&place, "v1.0-unknown-metrics.json");
    let before = place.json("v1.0-unknown-metrics.json");
    let mut after = migrated(&place, "v1.0-unknown-metrics.json");
    assert_eq!(after["metrics"], before["metrics"]);
    assert_eq!(after["experiment"], before["experiment"]);
    let added = after
        .as_object_mut()
        .and_then(|top| top.remove("schema_version"));
    assert_eq!(added, Some(json!("1.0")));
    assert_eq!(after, before);
}

#[test]
fn numbers_keep_every_digit() {
    let place = Place::new();
    place.write("x.json", r#"{"action_type_accuracy": 0.10000000000000000000000001, "big": 123456789012345678901234567890}"#);
    let ran = place.judica("schema migrate x.json").exits(0);
    ran.says(&[
        "0.10000000000000000000000001",
        "123456789012345678901234567890",
    ]);
}

#[test]
fn elsewhere_and_never_over_what_is_read() {
    let place = Place::new();
    fixture(&place, "legacy-bare.json");
    let printed = place
        .judica("schema migrate legacy-bare.json")
        .exits(0)
        .stdout;
    place
        .judica("schema migrate legacy-bare.json --out new/m.json")
        .exits(0);
    assert_eq!(place.text("new/m.json"), printed);
    place
        .judica("schema migrate legacy-bare.json --out ./legacy-bare.json")
        .exits(2)
        .complains(&["would overwrite the input"]);
    assert_eq!(
        place.read("legacy-bare.json"),
        fixture_bytes("legacy-bare.json")
    );
    assert_eq!(place.names("."), ["legacy-bare.json", "new"]);
    let ran = place
        .judica_with_stdin("schema migrate -", fixture_bytes("legacy-bare.json"))
        .exits(0);
    assert_eq!(ran.stdout, printed);
}

#[test]
fn a_file_that_cannot_be_read_stays_as_it_was() {
    let place = Place::new();
    write_eval(&place, "x.json", &eval("b", json!({})));
    fixture(&place, "v2.0-future-major.json");
    for (name, words) in [
        ("v2.0-future-major.json", "/schema_version"),
        ("broken.json", "broken.json:1"),
    ] {
        place.write("broken.json", "{\"metrics\": {");
        let before = place.read(name);
        place
            .judica(&format!("schema migrate {name} --out new.json"))
            .exits(2)
            .complains(&[name, words]);
        assert_eq!(place.read(name), before);
        assert!(!place.path("new.json").exists());
    }
}
