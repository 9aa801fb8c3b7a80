//! What changes which hash, and what changes none.

use crate::protocol::builtin;
use crate::protocol::hash::ContentHashes;
use crate::protocol::load::{load, parse};

fn flight() -> &'static str {
    builtin::source("flight").expect("flight")
}

fn hashes(source: &str) -> ContentHashes {
    parse(source, "test").expect("a protocol").hashes
}

/// Whether (config, schema, constraint library) change with this edit.
#[track_caller]
fn changes(from: &str, to: &str) -> (bool, bool, bool) {
    let edited = flight().replacen(from, to, 1);
    assert_ne!(edited, flight(), "{from} is not there");
    let (before, after) = (hashes(flight()), hashes(&edited));
    (
        before.config != after.config,
        before.schema != after.schema,
        before.constraint_lib != after.constraint_lib,
    )
}

#[test]
fn sixteen_hex_digits_each() {
    let hashes = hashes(flight());
    for hash in [&hashes.config, &hashes.schema, &hashes.constraint_lib] {
        assert_eq!(hash.len(), 16);
        assert!(
            hash.bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        );
    }
    assert_ne!(hashes.config, hashes.schema);
}

#[test]
fn one_limit_changes_config_and_constraints_only() {
    let constraints = (true, false, true);
    assert_eq!(
        changes("limit = [0, 10000]", "limit = [0, 10001]"),
        constraints
    );
    assert_eq!(changes("jump = 67", "jump = 68"), constraints);
    assert_eq!(
        changes("critical_above = 1000", "critical_above = 1001"),
        constraints
    );
    assert_eq!(
        changes("critical_factor = 1.5", "critical_factor = 1.6"),
        constraints
    );
    assert_eq!(
        changes("critical_deviation = 0.5", "critical_deviation = 0.6"),
        constraints
    );
    assert_eq!(
        changes(
            "reference = \"previous_output\"",
            "reference = \"current_state\""
        ),
        constraints
    );
    assert_eq!(
        changes("value = \"abs(vs)\"", "value = \"abs(vs) + 0\""),
        constraints
    );
}

#[test]
fn a_field_or_a_task_changes_the_schema() {
    let field = "[[field]]\nname = \"Fuel (gal)\"\nalias = \"fuel\"\n\n[severity]";
    let (config, schema, _) = changes("[severity]", field);
    assert!(config && schema);
    assert!(changes("horizon = 3", "horizon = 4").1);
    assert!(changes("kind = \"angle\"", "kind = \"linear\"").1);
    assert!(changes("name = \"M1\"", "name = \"M2\"").1);
    assert!(changes("unit = \"ft\"", "unit = \"ft\"\nrequired = false").1);
}

#[test]
fn scores_and_words_change_the_config_alone() {
    let config = (true, false, false);
    assert_eq!(changes("mae_weight = 0.6", "mae_weight = 0.7"), config);
    assert_eq!(changes("cap = 0.0", "cap = 1.0"), config);
    assert_eq!(changes("top_k = 5", "top_k = 6"), config);
    assert_eq!(changes("\"quota exceeded\"", "\"quota\""), config);
    assert_eq!(
        changes("version = \"1.0.0\"", "version = \"1.0.1\""),
        config
    );
}

#[test]
fn comments_spacing_and_number_forms_change_nothing() {
    let nothing = (false, false, false);
    assert_eq!(changes("[severity]", "# a remark\n\n[severity]"), nothing);
    assert_eq!(changes("jump = 67", "jump   =   67.0  # feet"), nothing);
    assert_eq!(
        changes("warning_above = 500\n", "warning_above = 500.0\n"),
        nothing
    );
    assert_eq!(
        changes("warning_above = 500\n", "warning_above = 5e2\n"),
        nothing
    );
    assert_eq!(
        changes("limit = [-90, 90]", "limit = [\n  -90.0,\n  90.0,\n]"),
        nothing
    );
    assert_eq!(
        changes("bootstrap_resamples = 1000", "bootstrap_resamples = 1_000"),
        nothing
    );
    // The order of keys within a table, and a default said aloud.
    assert_eq!(
        changes(
            "alias = \"lat\"\nunit = \"deg\"",
            "unit = \"deg\"\nalias = \"lat\""
        ),
        nothing
    );
    assert_eq!(
        changes("alias = \"lat\"", "alias = \"lat\"\nrequired = true"),
        nothing
    );
    assert_eq!(changes("name = \"flight\"", "name = 'flight'"), nothing);
}

#[test]
fn leaving_out_a_default_changes_nothing() {
    let section = "[range]\n# Distance outside the limit as a share of its width, beyond which the violation is critical.\ncritical_deviation = 0.5\n";
    assert_eq!(changes(section, ""), (false, false, false));
}

#[test]
fn the_order_of_fields_is_content() {
    let (a, b) = ("alias = \"lat\"", "alias = \"lon\"");
    let swapped = flight()
        .replacen(a, "alias = \"@\"", 1)
        .replacen(b, a, 1)
        .replacen("alias = \"@\"", b, 1);
    assert_ne!(hashes(&swapped).schema, hashes(flight()).schema);
}

#[test]
fn both_shipped_protocols_load_and_differ() {
    let (flight, battery) = (
        load("flight").expect("flight"),
        load("battery").expect("battery"),
    );
    assert_eq!((flight.fields.len(), battery.fields.len()), (19, 12));
    assert_ne!(flight.hashes, battery.hashes);
    assert_eq!(flight.name, "flight");
    assert_eq!(battery.name, "battery");
}
