//! The list of rules.

use serde_json::Value;

use crate::support::Place;

/// Every rule of the contract's table.
const FLIGHT: [&str; 17] = [
    "protocol.parse_failure",
    "protocol.api_error",
    "numeric_validity.missing_field",
    "numeric_validity.invalid_value",
    "numeric_validity.wrong_shape",
    "range_sanity.out_of_range",
    "jump_dynamics.mutation_violation",
    "cross_field_consistency.altitude_consistency",
    "cross_field_consistency.speed_consistency",
    "cross_field_consistency.track_consistency",
    "physics_constraint.m3_array_continuity",
    "physics_constraint.velocity_altitude_consistency",
    "physics_constraint.attitude_velocity_consistency",
    "safety_constraint.rapid_descent",
    "safety_constraint.extreme_speed",
    "safety_constraint.extreme_altitude",
    "safety_constraint.stall_condition",
];

#[test]
fn every_rule_of_the_contract_is_listed_and_can_be_explained() {
    let place = Place::new();
    // Flight is what one gets without asking.
    let listed = place.judica("rules").exits(0).says(&FLIGHT).stdout;
    assert_eq!(
        listed,
        place.judica("rules --protocol flight").exits(0).stdout
    );
    for rule in FLIGHT {
        place
            .judica(&format!("explain {rule}"))
            .exits(0)
            .says(&[rule, "Fails when", "critical"]);
    }
}

#[test]
fn json_lists_the_same_rules() {
    let place = Place::new();
    let json = place.judica("rules --json").exits(0).stdout;
    let rules: Vec<Value> = serde_json::from_str(&json).expect("a list");
    let mut names: Vec<&str> = rules
        .iter()
        .filter_map(|rule| rule["rule"].as_str())
        .collect();
    let mut expected = FLIGHT.to_vec();
    names.sort();
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn the_source_is_a_protocol_file_that_works() {
    let place = Place::new();
    for name in ["flight", "battery"] {
        let source = place
            .judica(&format!("rules --protocol {name} --source"))
            .exits(0)
            .stdout;
        place.write("my.toml", source);
        let mine = place
            .judica("rules --protocol my.toml --json")
            .exits(0)
            .stdout;
        assert_eq!(
            mine,
            place
                .judica(&format!("rules --protocol {name} --json"))
                .exits(0)
                .stdout
        );
    }
    place.judica("rules --source --json").exits(2);
}

#[test]
fn the_shipped_file_is_the_built_in_one() {
    let place = Place::new();
    for name in ["flight", "battery"] {
        let file = format!("{}/../../protocols/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let source = place
            .judica(&format!("rules --protocol {name} --source"))
            .exits(0)
            .stdout;
        assert_eq!(
            std::fs::read_to_string(file).expect("a protocol file"),
            source
        );
    }
}
