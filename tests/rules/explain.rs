//! One rule in words.

use crate::support::Place;

#[test]
fn what_why_thresholds_and_an_example() {
    let place = Place::new();
    place
        .judica("explain safety_constraint.rapid_descent")
        .exits(0)
        .says(&[
            "What it checks",
            "Why it matters",
            "-2000",
            "-3000",
            "Vertical Speed (fpm)",
            "Example",
        ]);
    place
        .judica("explain range_sanity.out_of_range")
        .exits(0)
        .says(&["50 %"]);
}

#[test]
fn the_long_and_the_short_name_mean_the_same() {
    let place = Place::new();
    let plain = place
        .judica("explain safety_constraint.rapid_descent")
        .exits(0)
        .stdout;
    for name in [
        "constraint.safety_constraint.rapid_descent",
        "rapid_descent",
    ] {
        assert_eq!(
            place.judica(&format!("explain {name}")).exits(0).stdout,
            plain
        );
    }
}

#[test]
fn an_unknown_rule_is_named_with_the_nearest_one() {
    let place = Place::new();
    for name in [
        "safety_constraint.rapid_decent",
        "constraint.safety_constraint.rapid_decent",
    ] {
        place
            .judica(&format!("explain {name}"))
            .exits(2)
            .complains(&[
                "rapid_decent",
                "did you mean `safety_constraint.rapid_descent`?",
            ]);
    }
    place
        .judica("explain power_balance")
        .exits(2)
        .complains(&["flight", "power_balance"]);
    place
        .judica("explain power_balance --protocol battery")
        .exits(0)
        .says(&["volts * amps"]);
}
