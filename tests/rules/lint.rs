//! What is odd about a protocol, and everything that is wrong with one that cannot be read.

use serde_json::Value;

use crate::support::Place;

const TANK: &str = include_str!("../eval/tank.toml");
const WEATHER: &str = include_str!("../../docs/examples/weather/weather.toml");

#[test]
fn nothing_found_is_exit_code_0() {
    let place = Place::new();
    place
        .judica("lint battery")
        .exits(0)
        .says(&["nothing found in protocol battery"]);
    let json = place.judica("lint battery --json").exits(0).stdout;
    let found: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(found["schema_version"], "judica.lint/1");
    assert_eq!(found["findings"], serde_json::json!([]));
    place.write("weather.toml", WEATHER);
    place.judica("lint weather.toml").exits(0);
}

#[test]
fn what_is_found_comes_with_the_interval() {
    let place = Place::new();
    let reason = "with gps_alt in [0, 10000]: the value is [0, 10000]; it fails above 15000";
    place
        .judica("lint flight")
        .exits(1)
        .says(&["safety_constraint.extreme_altitude", "can never fail"]);
    let json = place.judica("lint flight --json").exits(1).stdout;
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let finding = &found["findings"][0];
    assert_eq!(finding["kind"], "never_fails");
    assert_eq!(finding["rule"], "safety_constraint.extreme_altitude");
    assert!(
        finding["reason"].as_str().unwrap().contains(reason),
        "{json}"
    );
}

#[test]
fn a_protocol_that_cannot_be_read_is_told_all_its_mistakes() {
    let place = Place::new();
    let source = TANK
        .replacen("jump = 1", "jmup = 1", 1)
        .replacen("value = \"level\"", "value = \"log10(levl) % 2\"", 1)
        .replacen("critical_above = 9", "critical_above = 7", 1);
    let scores = source.find("[scores]").expect("scores");
    place.write("my.toml", &source[..scores]);
    for command in [
        "lint my.toml",
        "lint my.toml --json",
        "rules --protocol my.toml",
    ] {
        let ran = place.judica(command).exits(2).complains(&[
            "did you mean `jump`?",
            "write `ln(x) / ln(10)`",
            "did you mean `level`?",
            "floor(a / b)",
            "critical_above lies below warning_above",
            "the section `[scores]` is missing",
            "\n    [scores]\n    weights = {",
        ]);
        assert_eq!(ran.stderr.matches("error: ").count(), 6, "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    place.judica("lint nothing.toml").exits(2);
}

#[test]
fn twenty_mistakes_are_shown_and_the_others_counted() {
    let place = Place::new();
    let keys: String = (0..33).map(|n| format!("zzz{n} = 1\n")).collect();
    place.write("my.toml", TANK.replacen("jump = 1\n", &keys, 1));
    let ran = place.judica("lint my.toml").exits(2);
    let ran = ran.complains(&["zzz19", "and 13 more"]);
    assert_eq!(ran.stderr.matches("error: ").count(), 20);
}
