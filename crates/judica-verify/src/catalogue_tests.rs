//! The words about a rule against what the rule does.

use judica_model::evidence::Severity;

use super::*;
use crate::test_support::flight_with;

/// The flight protocol with other thresholds for `rapid_descent`, whose value is `vs`.
fn with(thresholds: &str) -> Protocol {
    flight_with("warning_below = -2000\ncritical_below = -3000", thresholds)
}

fn words(protocol: &Protocol) -> Vec<String> {
    let entry = find(protocol, "safety_constraint.rapid_descent").expect("the rule");
    entry.fails_when
}

/// What the rule says of a vertical speed.
fn severity(protocol: &Protocol, value: f64) -> Severity {
    let named = |rule: &&Rule| rule.name == "safety_constraint.rapid_descent";
    let rule = protocol.rules.iter().find(named).expect("the rule");
    let mut slots = vec![0.0; protocol.fields.len()];
    slots[crate::test_support::field("vs")] = value;
    rule.check(&slots).expect("it runs").severity
}

/// The number that a line ends with, before its unit.
fn limit(line: &str) -> f64 {
    let mut words = line.split(' ').rev();
    let number = words.nth(1).and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no number in `{line}`"))
}

#[test]
fn every_threshold_that_is_named_is_the_one_that_is_checked() {
    let combinations = [
        ("warning_below = -2000", vec![-2000.0, -3000.0]),
        ("warning_below = 50", vec![50.0, 25.0]),
        ("warning_below = 0", vec![0.0, 0.0]),
        ("critical_below = 50", vec![50.0]),
        ("warning_below = 50\ncritical_below = 10", vec![50.0, 10.0]),
        ("warning_above = 40", vec![40.0, 60.0]),
        ("warning_above = -40", vec![-40.0, -20.0]),
        ("critical_above = -40", vec![-40.0]),
        ("warning_above = 40\ncritical_above = 41", vec![40.0, 41.0]),
        (
            "warning_above = 40\nwarning_below = 8",
            vec![40.0, 60.0, 8.0, 4.0],
        ),
        (
            "warning_above = 40\ncritical_below = 8",
            vec![40.0, 60.0, 8.0],
        ),
    ];
    for (thresholds, limits) in combinations {
        let protocol = with(thresholds);
        let lines = words(&protocol);
        let told: Vec<f64> = lines.iter().map(|line| limit(line)).collect();
        assert_eq!(told, limits, "{thresholds}: {lines:?}");
        for line in &lines {
            let beyond = if line.contains(" above ") { 0.5 } else { -0.5 };
            let expected = match line.split(':').next() {
                Some("critical") => Severity::Critical,
                _ => Severity::Warning,
            };
            // At the threshold it does not hold yet; beyond, at least as much as is said.
            assert!(severity(&protocol, limit(line)) < expected, "{line}");
            assert!(
                severity(&protocol, limit(line) + beyond) >= expected,
                "{line}"
            );
        }
    }
}

#[test]
fn a_threshold_that_is_computed_is_told_by_its_distance() {
    for (thresholds, told, inside, outside) in [
        (
            "warning_below = \"gps_alt + 50\"",
            "critical: below that by more than 50 % of its size",
            25.0,
            24.5,
        ),
        (
            "warning_above = \"gps_alt - 40\"",
            "critical: above that by more than 50 % of its size",
            -20.0,
            -19.5,
        ),
    ] {
        let protocol = with(thresholds);
        let lines = words(&protocol);
        assert_eq!(lines[1], told);
        // The altitude is 0 here.
        assert_eq!(severity(&protocol, inside), Severity::Warning);
        assert_eq!(severity(&protocol, outside), Severity::Critical);
    }
}
