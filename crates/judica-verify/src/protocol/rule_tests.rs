//! Rules with thresholds of every kind, on a protocol made for them.

use judica_model::evidence::Severity::{self, Critical, Info, Warning};

use crate::protocol::load::parse;

/// What a rule with these lines says of (x, y).
fn judge(lines: &str, x: f64, y: f64) -> Option<(Severity, f64)> {
    let source = format!(
        "[protocol]\nname = \"t\"\nversion = \"1\"\n[[field]]\nname = \"X\"\nalias = \"x\"\n[[field]]\nname = \"Y\"\n\
         alias = \"y\"\n[[task]]\nname = \"one\"\nshape = \"scalar\"\n[[family]]\nname = \"f\"\n[[rule]]\nfamily = \"f\"\n\
         id = \"r\"\nmessage = \"\"\n{lines}\n[scores]\nweights = {{ availability = 0.2, constraint_satisfaction = 0.3, \
         conditional_error = 0.5 }}\nmae_weight = 0.6\nrmse_weight = 0.4\nmae_curve = [[0, 100]]\nrmse_curve = [[0, 100]]\n"
    );
    let protocol = parse(&source, "t").unwrap_or_else(|error| panic!("{error}"));
    let mut rule = protocol.rules[0].clone();
    let found = rule.check(&[x, y]);
    // What is known of limits beforehand only saves time.
    rule.crosses_none = None;
    assert_eq!(format!("{:?}", rule.check(&[x, y])), format!("{found:?}"));
    found.map(|found| (found.severity, found.limit))
}

fn severity(lines: &str, x: f64, y: f64) -> Severity {
    judge(lines, x, y).map_or_else(|| panic!("the rule did not run"), |(severity, _)| severity)
}

#[test]
fn a_lone_warning_is_critical_beyond_half_as_much_again() {
    // 1.5 · 10 = 15.
    let above = "value = \"x\"\nwarning_above = 10";
    for (x, expected) in [
        (10.0, Info),
        (10f64.next_up(), Warning),
        (15.0, Warning),
        (15f64.next_up(), Critical),
    ] {
        assert_eq!(severity(above, x, 0.0), expected, "{x}");
    }
    let below = "value = \"x\"\nwarning_below = -10";
    for (x, expected) in [
        (-10.0, Info),
        ((-10f64).next_down(), Warning),
        (-15.0, Warning),
        ((-15f64).next_down(), Critical),
    ] {
        assert_eq!(severity(below, x, 0.0), expected, "{x}");
    }
}

#[test]
fn a_lone_warning_on_the_other_side_of_zero_gets_graver_too() {
    // Half of 10 in the graver direction: -10 + 5 = -5; 10 - 5 = 5.
    let above = "value = \"x\"\nwarning_above = -10";
    for (x, expected) in [
        (-12.0, Info),
        (-10.0, Info),
        ((-10f64).next_up(), Warning),
        (-5.0, Warning),
        ((-5f64).next_up(), Critical),
    ] {
        assert_eq!(severity(above, x, 0.0), expected, "{x}");
    }
    let below = "value = \"x\"\nwarning_below = 10";
    for (x, expected) in [
        (12.0, Info),
        (10.0, Info),
        (10f64.next_down(), Warning),
        (5.0, Warning),
        (5f64.next_down(), Critical),
    ] {
        assert_eq!(severity(below, x, 0.0), expected, "{x}");
    }
    // The same for a threshold that is computed.
    let computed = "value = \"x\"\nwarning_above = \"y\"";
    assert_eq!(
        (
            severity(computed, -12.0, -10.0),
            severity(computed, -6.0, -10.0)
        ),
        (Info, Warning)
    );
    assert_eq!(severity(computed, -4.0, -10.0), Critical);
}

#[test]
fn a_threshold_of_zero_knows_no_warning_between() {
    let zero = "value = \"x\"\nwarning_above = 0";
    assert_eq!(
        (
            severity(zero, 0.0, 0.0),
            severity(zero, f64::MIN_POSITIVE, 0.0)
        ),
        (Info, Critical)
    );
}

#[test]
fn a_lone_critical_threshold_has_no_warnings() {
    let lone = "value = \"x\"\ncritical_above = 10";
    assert_eq!(
        (
            judge(lone, 10.0, 0.0).map(|found| found.0),
            judge(lone, 11.0, 0.0)
        ),
        (Some(Info), Some((Critical, 10.0)))
    );
}

#[test]
fn both_sides_and_the_graver_wins() {
    let both = "value = \"x\"\nwarning_above = 1\ncritical_above = 5\nwarning_below = -1\ncritical_below = -5";
    for (x, expected) in [
        (0.0, Info),
        (2.0, Warning),
        (6.0, Critical),
        (-2.0, Warning),
        (-6.0, Critical),
    ] {
        assert_eq!(severity(both, x, 0.0), expected, "{x}");
    }
    // A condition can raise what the thresholds say, never lower it.
    let raised = "value = \"x\"\nwarning_above = 1\ncritical_above = 5\ncritical_if = \"y > 0\"\nwarning_if = \"y < 0\"";
    assert_eq!(severity(raised, 0.0, 0.0), Info);
    assert_eq!(severity(raised, 0.0, -1.0), Warning);
    assert_eq!(severity(raised, 2.0, 1.0), Critical);
    assert_eq!(judge(raised, 2.0, -1.0), Some((Warning, 1.0)));
    assert_eq!(judge(raised, 6.0, -1.0), Some((Critical, 5.0)));
}

#[test]
fn a_rule_is_silent_where_its_guard_does_not_hold() {
    let guarded = "when = \"y >= 1\"\nvalue = \"x\"\nwarning_above = 0";
    assert_eq!(judge(guarded, 5.0, 0.5), None);
    assert!(judge(guarded, 5.0, 1.0).is_some());
    // A guard that cannot be computed does not hold.
    assert_eq!(
        judge(
            "when = \"sqrt(y) >= 0\"\nvalue = \"x\"\nwarning_above = 0",
            5.0,
            -1.0
        ),
        None
    );
}

#[test]
fn a_value_that_cannot_be_computed_is_a_warning() {
    let root = "value = \"sqrt(x)\"\nwarning_above = 10";
    assert_eq!(
        (severity(root, 4.0, 0.0), severity(root, -4.0, 0.0)),
        (Info, Warning)
    );
}

#[test]
fn critical_if_counts_even_if_the_value_cannot_be_computed() {
    assert_eq!(
        severity("value = \"sqrt(x)\"\ncritical_if = \"x < -1\"", -4.0, 0.0),
        Critical
    );
}

#[test]
fn a_threshold_that_cannot_be_computed_is_not_a_pass() {
    assert_ne!(
        severity("value = \"x\"\nwarning_above = \"sqrt(y)\"", 1e9, -4.0),
        Info
    );
}
