//! The flight protocol's own rules (families 4 to 6), at their thresholds.

use judica_model::evidence::Severity::{self, Critical, Info, Warning};
use serde_json::{Value, json};

use crate::protocol::load::parse;
use crate::test_support::{Bench, key, output, verify};

/// The severity and the crossed limit of a rule's only atom.
fn judged(rule: &str, edits: &[(&str, f64)]) -> (Severity, Option<f64>) {
    let edits: Vec<(&str, Value)> = edits
        .iter()
        .map(|(alias, value)| (*alias, json!(value)))
        .collect();
    let verdict = verify("S1", &edits);
    let atom = verdict.only(rule);
    (atom.severity, atom.limit)
}

fn severity(rule: &str, edits: &[(&str, f64)]) -> Severity {
    judged(rule, edits).0
}

#[test]
fn altitude_consistency() {
    // GPS altitude stays at 3000 ft.
    for (baro, expected) in [
        (3500.0, (Info, None)),
        (2500.0, (Info, None)),
        (3500f64.next_up(), (Warning, Some(500.0))),
        (2500f64.next_down(), (Warning, Some(500.0))),
        (4000.0, (Warning, Some(500.0))),
        (4000f64.next_up(), (Critical, Some(1000.0))),
        (2000.0, (Warning, Some(500.0))),
        (2000f64.next_down(), (Critical, Some(1000.0))),
    ] {
        assert_eq!(
            judged("altitude_consistency", &[("baro_alt", baro)]),
            expected,
            "{baro}"
        );
    }
}

#[test]
fn speed_consistency() {
    // The velocity is 90 kt to the bit.
    for (gs, expected) in [
        (95.0, (Info, None)),
        (85.0, (Info, None)),
        (95f64.next_up(), (Warning, Some(5.0))),
        (105.0, (Warning, Some(5.0))),
        (105f64.next_up(), (Critical, Some(15.0))),
        (75.0, (Warning, Some(5.0))),
        (75f64.next_down(), (Critical, Some(15.0))),
    ] {
        assert_eq!(judged("speed_consistency", &[("gs", gs)]), expected, "{gs}");
    }
    // hypot(3, 4) = 5 m/s = 18000 / 1852 = 9.719… kt; 9 kt is 0.719… away.
    let verdict = verify(
        "S1",
        &[("ve", json!(3)), ("vn", json!(4)), ("gs", json!(9))],
    );
    assert!((verdict.only("speed_consistency").observed - 0.719_222_462_203_024).abs() < 1e-12);
}

#[test]
fn track_consistency_takes_the_shortest_arc() {
    // The velocity points to 0 deg.
    for (track, expected) in [
        (10.0, (Info, None)),
        (350.0, (Info, None)),
        (360.0, (Info, None)),
        (10f64.next_up(), (Warning, Some(10.0))),
        (350f64.next_down(), (Warning, Some(10.0))),
        (30.0, (Warning, Some(10.0))),
        (30f64.next_up(), (Critical, Some(30.0))),
        (330.0, (Warning, Some(10.0))),
        (330f64.next_down(), (Critical, Some(30.0))),
        (180.0, (Critical, Some(30.0))),
    ] {
        assert_eq!(
            judged("track_consistency", &[("track", track)]),
            expected,
            "{track}"
        );
    }
    // East first: atan2(Ve, Vn) of (1, 0) is 90 deg, of (-1, 0) is -90 = 270 deg.
    assert_eq!(
        severity(
            "track_consistency",
            &[("ve", 20.0), ("vn", 0.0), ("track", 90.0)]
        ),
        Info
    );
    assert_eq!(
        severity(
            "track_consistency",
            &[("ve", -20.0), ("vn", 0.0), ("track", 270.0)]
        ),
        Info
    );
    assert_eq!(
        severity(
            "track_consistency",
            &[("ve", -20.0), ("vn", 0.0), ("track", 90.0)]
        ),
        Critical
    );
}

#[test]
fn track_is_silent_below_one_metre_per_second() {
    let atoms = |ve: f64, vn: f64| {
        let verdict = verify(
            "S1",
            &[("ve", json!(ve)), ("vn", json!(vn)), ("track", json!(200))],
        );
        verdict.of("track_consistency").len()
    };
    assert_eq!(atoms(1.0, 0.0), 1);
    assert_eq!(atoms(0.0, -1.0), 1);
    assert_eq!(atoms(1f64.next_down(), 0.0), 0);
    assert_eq!(atoms(0.0, 1f64.next_down()), 0);
    assert_eq!(atoms(0.0, 0.0), 0);
    // 0.8 alone and 0.7 alone are below; together √(0.64 + 0.49) = 1.06 they are not.
    assert_eq!(
        (atoms(0.8, 0.0), atoms(0.0, 0.7), atoms(0.8, 0.7)),
        (0, 0, 1)
    );
    // Its guard is per step: only the middle one is fast enough.
    let verdict = verify(
        "M3",
        &[("ve", json!([0, 0, 0])), ("vn", json!([0.5, 2, 0.9]))],
    );
    let steps: Vec<_> = verdict
        .of("track_consistency")
        .iter()
        .map(|atom| atom.step)
        .collect();
    assert_eq!(steps, [Some(1)]);
}

#[test]
fn velocity_altitude_changes_its_limit_at_a_thousand_feet() {
    let of = |alt: f64, vs: f64| {
        judged(
            "velocity_altitude_consistency",
            &[("gps_alt", alt), ("vs", vs)],
        )
    };
    for sign in [1.0, -1.0] {
        // Below: 2000 W, 1.5 · 2000 = 3000 C.
        assert_eq!(of(999.999, sign * 2000.0), (Info, None));
        assert_eq!(
            of(999.999, sign * 2000f64.next_up()),
            (Warning, Some(2000.0))
        );
        assert_eq!(of(999.999, sign * 3000.0), (Warning, Some(2000.0)));
        assert_eq!(
            of(999.999, sign * 3000f64.next_up()),
            (Critical, Some(3000.0))
        );
        // From 1000 ft on: 5000 W, 7500 C.
        assert_eq!(of(1000.0, sign * 3000f64.next_up()), (Info, None));
        assert_eq!(of(1000.0, sign * 5000.0), (Info, None));
        assert_eq!(
            of(1000.0, sign * 5000f64.next_up()),
            (Warning, Some(5000.0))
        );
        assert_eq!(of(1000.0, sign * 7500.0), (Warning, Some(5000.0)));
        assert_eq!(
            of(1000.0, sign * 7500f64.next_up()),
            (Critical, Some(7500.0))
        );
    }
}

#[test]
fn attitude_has_a_hard_branch_and_a_soft_one() {
    let of = |roll: f64, pitch: f64, vu: f64| {
        severity(
            "attitude_velocity_consistency",
            &[("roll", roll), ("pitch", pitch), ("vu", vu)],
        )
    };
    assert_eq!(of(60.0, 0.0, 0.0), Info);
    assert_eq!(of(60f64.next_up(), 0.0, 0.0), Critical);
    assert_eq!(of((-60f64).next_down(), 0.0, 0.0), Critical);
    assert_eq!(of(-60.0, 0.0, 0.0), Info);
    // Pitch 60: 0.3 · (60 / 30 · 5) = 3 m/s expected.
    assert_eq!(of(0.0, 60.0, 3.0), Info);
    assert_eq!(of(0.0, 60.0, -3.0), Info);
    assert_eq!(of(0.0, 60.0, 3f64.next_down()), Warning);
    assert_eq!(of(0.0, 60f64.next_up(), 20.0), Critical);
    assert_eq!(of(0.0, (-60f64).next_down(), 20.0), Critical);
    // Pitch 15 is not beyond 15; a little more expects 0.3 · (15 / 30 · 5) = 0.75 m/s.
    assert_eq!(of(0.0, 15.0, 0.0), Info);
    assert_eq!(of(0.0, 15f64.next_up(), 0.0), Warning);
    assert_eq!(of(0.0, (-15f64).next_down(), 0.0), Warning);
    assert_eq!(of(0.0, 15f64.next_up(), 0.76), Info);
    // Both branches at once: the graver one.
    assert_eq!(of(61.0, 20.0, 0.0), Critical);
    // The atom shows the larger angle and no single limit.
    let verdict = verify("S1", &[("roll", json!(-70)), ("pitch", json!(20))]);
    let atom = verdict.only("attitude_velocity_consistency");
    assert_eq!(
        (atom.observed, atom.limit, atom.field.as_deref()),
        (70.0, None, None)
    );
}

#[test]
fn rapid_descent() {
    for (vs, expected) in [
        (-2000.0, (Info, None)),
        ((-2000f64).next_down(), (Warning, Some(-2000.0))),
        (-3000.0, (Warning, Some(-2000.0))),
        ((-3000f64).next_down(), (Critical, Some(-3000.0))),
        (4000.0, (Info, None)),
    ] {
        assert_eq!(judged("rapid_descent", &[("vs", vs)]), expected, "{vs}");
    }
}

#[test]
fn extreme_speed_on_both_sides() {
    for (ias, expected) in [
        (30.0, (Info, None)),
        (30f64.next_down(), (Critical, Some(30.0))),
        (0.0, (Critical, Some(30.0))),
        (180.0, (Info, None)),
        (180f64.next_up(), (Warning, Some(180.0))),
        (270.0, (Warning, Some(180.0))),
        (270f64.next_up(), (Critical, Some(270.0))),
    ] {
        assert_eq!(judged("extreme_speed", &[("ias", ias)]), expected, "{ias}");
    }
}

#[test]
fn extreme_altitude_on_both_sides() {
    for (alt, expected) in [
        (0.0, (Info, None)),
        (-0.0, (Info, None)),
        (0f64.next_down(), (Critical, Some(0.0))),
        (15000.0, (Info, None)),
        (15000f64.next_up(), (Warning, Some(15000.0))),
        (22500.0, (Warning, Some(15000.0))),
        (22500f64.next_up(), (Critical, Some(22500.0))),
    ] {
        assert_eq!(
            judged("extreme_altitude", &[("gps_alt", alt)]),
            expected,
            "{alt}"
        );
    }
}

#[test]
fn a_stall_needs_all_three_signs() {
    let of = |ias: f64, pitch: f64, vs: f64| {
        severity(
            "stall_condition",
            &[("ias", ias), ("pitch", pitch), ("vs", vs)],
        )
    };
    let (slow, nose_high, sinking) = (50f64.next_down(), 15f64.next_up(), 500f64.next_down());
    assert_eq!(of(slow, nose_high, sinking), Critical);
    assert_eq!(of(50.0, nose_high, sinking), Info);
    assert_eq!(of(slow, 15.0, sinking), Info);
    assert_eq!(of(slow, nose_high, 500.0), Info);
    // Only a nose held high, not one held low.
    assert_eq!(of(slow, -nose_high, sinking), Info);
}

#[test]
fn m3_continuity_allows_twice_the_jump() {
    // GPS altitude: 2 · 67 = 134 W, 1.5 · 134 = 201 C.
    for (last, severity, limit) in [
        (3134.0, Info, None),
        (3134f64.next_up(), Warning, Some(134.0)),
        (3201.0, Warning, Some(134.0)),
        (3201f64.next_up(), Critical, Some(201.0)),
    ] {
        let verdict = verify("M3", &[("gps_alt", json!([3000, 3000, last]))]);
        let atom = verdict.about("m3_array_continuity", "gps_alt");
        assert_eq!(
            (atom.severity, atom.limit, atom.step),
            (severity, limit, Some(2)),
            "{last}"
        );
    }
    assert!(verify("S1", &[]).of("m3_array_continuity").is_empty());
}

#[test]
fn a_rule_runs_only_on_fields_that_are_numbers() {
    let absent = |alias: &str| -> Vec<&'static str> {
        let verdict = verify("S1", &[(alias, Value::Null)]);
        let all = [
            "altitude_consistency",
            "speed_consistency",
            "track_consistency",
            "velocity_altitude_consistency",
            "attitude_velocity_consistency",
            "rapid_descent",
            "extreme_speed",
            "extreme_altitude",
            "stall_condition",
        ];
        all.into_iter()
            .filter(|rule| verdict.of(rule).is_empty())
            .collect()
    };
    assert_eq!(absent("baro_alt"), ["altitude_consistency"]);
    assert_eq!(
        absent("gps_alt"),
        [
            "altitude_consistency",
            "velocity_altitude_consistency",
            "extreme_altitude"
        ]
    );
    assert_eq!(absent("ve"), ["speed_consistency", "track_consistency"]);
    assert_eq!(
        absent("vs"),
        [
            "velocity_altitude_consistency",
            "rapid_descent",
            "stall_condition"
        ]
    );
    assert_eq!(absent("vu"), ["attitude_velocity_consistency"]);
    assert_eq!(absent("ias"), ["extreme_speed", "stall_condition"]);
    assert_eq!(absent("lat"), [""; 0]);
}

#[test]
fn one_invalid_element_silences_a_rule_for_every_step() {
    let verdict = verify("M3", &[("vs", json!([-5000, -5000, null]))]);
    assert!(verdict.of("rapid_descent").is_empty());
    assert!(verdict.of("velocity_altitude_consistency").is_empty());
    assert_eq!(verdict.of("extreme_speed").len(), 3);
}

#[test]
fn a_range_failure_does_not_hide_rules() {
    // 20000 ft: (20000 - 10000) / 10000 = 1 outside; 17000 ft from the baro altitude;
    // beyond 15000 ft.
    let verdict = verify("S1", &[("gps_alt", json!(20000))]);
    assert_eq!(verdict.about("out_of_range", "gps_alt").severity, Critical);
    assert_eq!(verdict.only("altitude_consistency").severity, Critical);
    assert_eq!(verdict.only("altitude_consistency").observed, 17000.0);
    assert_eq!(verdict.only("extreme_altitude").severity, Warning);
}

#[test]
fn array_rules_speak_step_by_step() {
    let verdict = verify("M3", &[("vs", json!([-2000, -2500, -3500]))]);
    let found: Vec<_> = verdict
        .of("rapid_descent")
        .iter()
        .map(|atom| (atom.step, atom.severity, atom.observed))
        .collect();
    assert_eq!(
        found,
        [
            (Some(0), Info, -2000.0),
            (Some(1), Warning, -2500.0),
            (Some(2), Critical, -3500.0)
        ]
    );
    // A rule that reads one field names it; one that reads several names none.
    assert_eq!(
        verdict.of("rapid_descent")[0].field.as_deref(),
        Some(key("vs"))
    );
    assert_eq!(verdict.of("stall_condition")[0].field, None);
    // Each step reads its own values: only step 1 differs.
    let verdict = verify("M3", &[("baro_alt", json!([3000, 3600, 3000]))]);
    let found: Vec<_> = verdict
        .of("altitude_consistency")
        .iter()
        .map(|atom| atom.observed)
        .collect();
    assert_eq!(found, [0.0, 600.0, 0.0]);
}

#[test]
fn nothing_is_checked_of_a_null_among_steps_that_may_be_one() {
    let source = r#"
[protocol]
name = "p"
version = "1"
[[task]]
name = "t"
shape = "array"
horizon = 3
[[field]]
name = "x"
limit = [0, 10]
jump = 1
nullable = true
[[field]]
name = "op"
kind = "text"
nullable = true
[[family]]
name = "sense"
[[rule]]
family = "sense"
id = "large"
value = "x"
warning_above = 9
message = "large"
[[rule]]
family = "sense"
id = "steep"
each = "field"
value = "max_change"
warning_above = "jump"
message = "steep"
[[rule]]
family = "sense"
id = "absent"
critical_if = "is_null(x) and op == 'a'"
message = "absent"
[scores]
weights = { availability = 0, constraint_satisfaction = 0, conditional_error = 1 }
mae_weight = 1
rmse_weight = 0
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#;
    let protocol = parse(source, "p").unwrap_or_else(|errors| panic!("{errors}"));
    let bench = Bench::new(protocol, &[json!({"sample_id": "s"})]);
    let atoms = |answer: Value| -> Vec<(String, bool)> {
        let run = bench.run(&[output("m", "s", answer)]);
        let record: Value = serde_json::from_str(&bench.render(&run)[0]).expect("JSON");
        let atoms = record["evidence_pack"]["atoms"].as_array().cloned();
        let told = |atom: Value| {
            let rule = atom["rule"].as_str().unwrap_or_default().to_owned();
            (rule, atom["pass"] == true)
        };
        atoms.expect("atoms").into_iter().map(told).collect()
    };
    let passed = |rules: &[&str]| -> Vec<(String, bool)> {
        rules
            .iter()
            .map(|rule| ((*rule).to_owned(), true))
            .collect()
    };
    let all_null = json!([null, null, null]);
    assert_eq!(atoms(json!({"x": all_null, "op": all_null})), []);
    // Nothing stands beside either of the numbers that it could have jumped from.
    let (number, range, large, text, absent) = (
        "numeric_validity.invalid_value",
        "range_sanity.out_of_range",
        "sense.large",
        "type_validity.invalid_value",
        "sense.absent",
    );
    assert_eq!(
        atoms(json!({"x": [1, null, 9], "op": ["b", null, "c"]})),
        passed(&[
            number, number, range, text, text, large, large, absent, absent
        ])
    );
    let found = atoms(json!({"x": [null, 1, 8], "op": ["a", null, null]}));
    let failed: Vec<&str> = found
        .iter()
        .filter(|(_, pass)| !pass)
        .map(|(rule, _)| rule.as_str())
        .collect();
    assert_eq!(
        failed,
        ["jump_dynamics.mutation_violation", "sense.steep", absent]
    );
}

#[test]
fn lists_of_different_lengths_side_by_side_are_no_pass() {
    let severity = |condition: &str, answer: Value| {
        let source = format!(
            "[protocol]\nname = \"p\"\nversion = \"1\"\n[[task]]\nname = \"t\"\nshape = \"scalar\"\n\
             [[field]]\nname = \"q\"\nkind = \"list\"\nof = \"linear\"\n\
             [[field]]\nname = \"p\"\nkind = \"list\"\nof = \"linear\"\n\
             [[family]]\nname = \"sense\"\n\
             [[rule]]\nfamily = \"sense\"\nid = \"r\"\n{condition}\nmessage = \"m\"\n\
             [[dimension]]\nname = \"D\"\nkind = \"fields\"\n[scores]\ntotal = \"dimensions\"\n"
        );
        let protocol = parse(&source, "p").unwrap_or_else(|errors| panic!("{errors}"));
        let bench = Bench::new(protocol, &[json!({"sample_id": "s"})]);
        let run = bench.run(&[output("m", "s", answer)]);
        let record: Value = serde_json::from_str(&bench.render(&run)[0]).expect("JSON");
        let atoms = record["evidence_pack"]["atoms"].as_array().cloned();
        let mut atoms = atoms.expect("atoms").into_iter();
        let atom = atoms.find(|atom| atom["rule"] == "sense.r");
        atom.map(|atom| atom["severity"].as_str().unwrap_or_default().to_owned())
    };
    let (uneven, even) = (
        json!({"q": [1, 2, 50], "p": [5, 5]}),
        json!({"q": [1, 2], "p": [5, 5]}),
    );
    for (condition, of_even) in [
        ("critical_if = \"all(q < p)\"", "critical"),
        ("critical_if = \"not all(q < p)\"", "info"),
        ("warning_if = \"any(q > p)\"", "info"),
        ("critical_if = \"sum(q * p) > 1000\"", "info"),
        (
            "value = \"if all(q < p) then 0 else 9\"\ncritical_above = 5",
            "info",
        ),
    ] {
        assert_eq!(
            severity(condition, even.clone()).as_deref(),
            Some(of_even),
            "{condition}"
        );
        assert_eq!(
            severity(condition, uneven.clone()).as_deref(),
            Some("warning"),
            "{condition}"
        );
    }
    // A list that may be null, and is, has no length.
    let null = json!({"q": [1, 2], "p": null});
    let asking = "critical_if = \"all(q < p) or is_null(p)\"";
    assert_eq!(severity(asking, null).as_deref(), Some("critical"));
    // Who asks for the lengths first comes to no such lists.
    let guarded = "critical_if = \"len(q) == len(p) and all(q < p)\"";
    assert_eq!(severity(guarded, uneven.clone()).as_deref(), Some("info"));
    let guarded = "when = \"len(q) == len(p)\"\ncritical_if = \"all(q < p)\"";
    assert_eq!(severity(guarded, uneven), None);
    // A sample without a current state has none of its values.
    for (condition, found) in [
        ("critical_if = \"is_null(context.q)\"", Some("critical")),
        ("critical_if = \"len(context.q) > 0\"", None),
    ] {
        let severity = severity(condition, even.clone());
        assert_eq!(severity.as_deref(), found, "{condition}");
    }
}
