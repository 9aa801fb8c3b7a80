//! Families in execution order.

use crate::protocol::Protocol;
use crate::protocol::builtin;
use crate::protocol::load::{load, parse};

fn names(protocol: &Protocol) -> Vec<&str> {
    protocol
        .families
        .iter()
        .map(|family| family.name.as_str())
        .collect()
}

/// Every family stands after those it depends on; the built-in four stand first.
fn is_topological(protocol: &Protocol) -> bool {
    let at = |name: &str| {
        protocol
            .families
            .iter()
            .position(|family| family.name == name)
    };
    protocol
        .families
        .iter()
        .enumerate()
        .all(|(position, family)| {
            family
                .depends_on
                .iter()
                .all(|needed| at(needed).is_some_and(|needed| needed < position))
        })
}

#[test]
fn shipped_protocols_run_in_order() {
    for name in ["flight", "battery"] {
        let protocol = load(name).expect("shipped");
        assert!(is_topological(&protocol));
        assert_eq!(
            names(&protocol),
            [
                "protocol",
                "numeric_validity",
                "range_sanity",
                "jump_dynamics",
                "cross_field_consistency",
                "physics_constraint",
                "safety_constraint"
            ]
        );
        assert!(protocol.rules.is_sorted_by_key(|rule| rule.family));
    }
}

/// The flight protocol whose families are these, in this order of the file.
fn with_families(families: &[(&str, &[&str])]) -> Protocol {
    let source = builtin::source("flight").expect("flight");
    let start = source.find("[[family]]").expect("a family");
    let end = source.find("[[rule]]").expect("a rule");
    let mut text = String::new();
    for (name, needs) in families {
        text.push_str(&format!(
            "[[family]]\nname = \"{name}\"\ndepends_on = {needs:?}\n"
        ));
    }
    parse(
        &format!("{}{text}{}", &source[..start], &source[end..]),
        "changed",
    )
    .expect("a protocol")
}

#[test]
fn dependencies_come_before_the_order_of_the_file() {
    let protocol = with_families(&[
        ("safety_constraint", &["physics_constraint"]),
        ("physics_constraint", &["cross_field_consistency"]),
        ("cross_field_consistency", &["range_sanity"]),
    ]);
    assert!(is_topological(&protocol));
    assert_eq!(
        names(&protocol)[4..],
        [
            "cross_field_consistency",
            "physics_constraint",
            "safety_constraint"
        ]
    );
    // Rules follow their families, within them the file.
    let first: Vec<&str> = protocol.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(
        first[..3],
        [
            "altitude_consistency",
            "speed_consistency",
            "track_consistency"
        ]
    );
    assert!(protocol.rules.is_sorted_by_key(|rule| rule.family));
}

#[test]
fn the_order_of_the_file_decides_where_dependencies_do_not() {
    let protocol = with_families(&[
        ("safety_constraint", &["range_sanity"]),
        (
            "cross_field_consistency",
            &["safety_constraint", "jump_dynamics"],
        ),
        ("physics_constraint", &[]),
    ]);
    assert!(is_topological(&protocol));
    assert_eq!(
        names(&protocol)[4..],
        [
            "safety_constraint",
            "cross_field_consistency",
            "physics_constraint"
        ]
    );
    assert_eq!(protocol.rules[0].id, "rapid_descent");
}

#[test]
fn a_family_without_dependencies_never_displaces_a_built_in_one() {
    // A family's number is its place in the table.
    let protocol = with_families(&[
        ("physics_constraint", &[]),
        ("cross_field_consistency", &["protocol"]),
        ("safety_constraint", &[]),
    ]);
    let built_in = crate::evidence::built_in(false)
        .iter()
        .map(|family| family.name);
    assert_eq!(names(&protocol)[..4], built_in.collect::<Vec<_>>());
}
