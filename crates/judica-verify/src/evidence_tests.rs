//! Families 0 to 3 on the flight protocol, at the edges of their limits.

use judica_model::evidence::Severity::{self, Critical, Info, Warning};
use serde_json::{Value, json};

use crate::evidence::{FamilyCount, largest_change};
use crate::protocol::load::load;
use crate::test_support::{Verdict, good, key, state, verify, verify_text};

fn severity_of_range(alias: &str, value: f64) -> Severity {
    verify("S1", &[(alias, json!(value))])
        .about("out_of_range", alias)
        .severity
}

fn jump(alias: &str, from: f64, to: f64) -> (Severity, f64) {
    let text = Value::Object(state("S1", &[(alias, json!(to))])).to_string();
    let verdict = verify_text("S1", &text, &[(alias, from)]);
    let atom = verdict.about("mutation_violation", alias);
    (atom.severity, atom.observed)
}

fn counts(verdict: &Verdict) -> Vec<u32> {
    verdict.counts.iter().map(|count| count.atoms).collect()
}

#[test]
fn a_flawless_response_passes_every_check_once() {
    // protocol 0; 19 fields; 19 limits; no reference; 3 cross-field rules;
    // 2 scalar physics rules; 4 safety rules.
    let scalar = verify("S1", &[]);
    assert_eq!(counts(&scalar), [0, 19, 19, 0, 3, 2, 4]);
    assert!(scalar.failed().is_empty(), "{:?}", scalar.failed());
    // 19·3 elements; 19; 19; 3·3; 19 continuity + 2·3; 4·3.
    let array = verify("M3", &[]);
    assert_eq!(counts(&array), [0, 57, 19, 19, 9, 25, 12]);
    assert!(array.failed().is_empty(), "{:?}", array.failed());
}

#[test]
fn no_object_gives_one_atom_and_nothing_else() {
    for (text, rule) in [
        ("", "protocol.parse_failure"),
        ("I cannot say.", "protocol.parse_failure"),
        ("HTTP Error 503", "protocol.api_error"),
        ("Request TIMEOUT", "protocol.api_error"),
        ("[1, 2]", "protocol.parse_failure"),
    ] {
        for task in ["S1", "M3"] {
            let verdict = verify_text(task, text, &[("lat", 0.0)]);
            assert_eq!(verdict.atoms.len(), 1, "{text}");
            assert_eq!(
                (verdict.atoms[0].rule.as_str(), verdict.atoms[0].severity),
                (rule, Critical)
            );
            assert_eq!(
                verdict.counts[0],
                FamilyCount {
                    atoms: 1,
                    critical: 1,
                    warning: 0,
                    info: 0,
                }
            );
            assert_eq!(counts(&verdict), [1, 0, 0, 0, 0, 0, 0]);
        }
    }
}

#[test]
fn an_empty_object_misses_every_field() {
    let verdict = verify_text("M3", "{}", &[]);
    assert_eq!(counts(&verdict), [0, 19, 0, 0, 0, 0, 0]);
    assert_eq!(verdict.of("missing_field").len(), 19);
    assert!(
        verdict
            .atoms
            .iter()
            .all(|atom| atom.severity == Critical && atom.step.is_none())
    );
}

#[test]
fn what_is_not_a_finite_number_is_invalid() {
    let mut text = Value::Object(good("S1")).to_string();
    text = text.replace("\"Slip/Skid\":0.0", "\"Slip/Skid\":@");
    assert!(text.contains('@'));
    for (token, shown) in [
        ("null", "null"),
        ("true", "true"),
        ("\"\"", "\"\""),
        ("\" \"", "\" \""),
        ("\"abc\"", "\"abc\""),
        ("\"0x1\"", "\"0x1\""),
        ("\"1_0\"", "\"1_0\""),
        ("\"inf\"", "\"inf\""),
        ("\"NaN\"", "\"NaN\""),
        ("\"1 2\"", "\"1 2\""),
        ("{}", "{}"),
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("-Infinity", "-Infinity"),
        ("1e999", "1e999"),
    ] {
        let verdict = verify_text("S1", &text.replace('@', token), &[("slip", 0.0)]);
        let failed = verdict.failed();
        assert_eq!(failed.len(), 1, "{token}: {failed:?}");
        assert_eq!(failed[0].rule, "numeric_validity.invalid_value", "{token}");
        assert_eq!(failed[0].severity, Critical);
        assert_eq!(failed[0].text.as_deref(), Some(shown), "{token}");
        // Nothing else looks at the field: 18 limits, and its reference is unused.
        assert_eq!(counts(&verdict), [0, 19, 18, 0, 3, 2, 4], "{token}");
    }
    for (token, value) in [
        ("\"5.\"", 5.0),
        ("\".5\"", 0.5),
        ("\" +5e-1 \"", 0.5),
        ("\"-5\"", -5.0),
    ] {
        let verdict = verify_text("S1", &text.replace('@', token), &[]);
        assert_eq!(
            verdict.about("invalid_value", "slip").observed,
            value,
            "{token}"
        );
        assert!(verdict.failed().is_empty(), "{token}");
    }
}

#[test]
fn the_wrong_shape_leaves_one_atom_per_field() {
    for (task, value) in [
        ("S1", json!([1.0])),
        ("S1", json!([])),
        ("M3", json!(1.0)),
        ("M3", json!(null)),
        ("M3", json!("[1,2,3]")),
        ("M3", json!([1.0, 2.0])),
        ("M3", json!([1.0, 2.0, 3.0, 4.0])),
        ("M3", json!([])),
    ] {
        let verdict = verify(task, &[("slip", value.clone())]);
        let failed = verdict.failed();
        assert_eq!(failed.len(), 1, "{task} {value}: {failed:?}");
        assert_eq!(failed[0].rule, "numeric_validity.wrong_shape");
        assert_eq!(
            (failed[0].severity, failed[0].field.as_deref()),
            (Critical, Some("Slip/Skid"))
        );
        assert_eq!(failed[0].text, Some(value.to_string()));
        // The other 18 fields keep their elements.
        assert_eq!(
            verdict.counts[1].atoms,
            if task == "S1" { 19 } else { 18 * 3 + 1 }
        );
        assert_eq!(verdict.counts[2].atoms, 18);
    }
}

#[test]
fn an_array_with_one_invalid_element_is_out_as_a_field() {
    let verdict = verify("M3", &[("slip", json!([0.0, null, "x"]))]);
    let failed = verdict.failed();
    let named: Vec<_> = failed
        .iter()
        .map(|atom| (atom.field.as_deref(), atom.step))
        .collect();
    assert_eq!(
        named,
        [
            (Some("Slip/Skid[1]"), Some(1)),
            (Some("Slip/Skid[2]"), Some(2))
        ]
    );
    assert_eq!(failed[1].text.as_deref(), Some("\"x\""));
    // 57 elements; slip has neither range, jump nor continuity any more.
    assert_eq!(counts(&verdict), [0, 57, 18, 18, 9, 24, 12]);
}

#[test]
fn range_limits_are_inclusive_and_half_the_width_outside_is_still_a_warning() {
    // Latitude: [-90, 90], width 180, so 0.5 · 180 = 90 outside: ±180.
    for (value, severity) in [
        (90.0, Info),
        (90f64.next_up(), Warning),
        (180.0, Warning),
        (180f64.next_up(), Critical),
        (-90.0, Info),
        ((-90f64).next_down(), Warning),
        (-180.0, Warning),
        ((-180f64).next_down(), Critical),
    ] {
        assert_eq!(severity_of_range("lat", value), severity, "{value}");
    }
    // Normal acceleration: [-3, 6], width 9, so 4.5 outside: -7.5 and 10.5.
    for (value, severity) in [
        (-7.5, Warning),
        ((-7.5f64).next_down(), Critical),
        (10.5, Warning),
        (10.5f64.next_up(), Critical),
    ] {
        assert_eq!(severity_of_range("normal_g", value), severity, "{value}");
    }
    // GPS altitude: [0, 10000]; the least step below 0 is outside, minus zero is not.
    assert_eq!(severity_of_range("gps_alt", 0f64.next_down()), Warning);
    assert_eq!(severity_of_range("gps_alt", -0.0), Info);
    // An angle is not wrapped for its limits: [0, 360].
    assert_eq!(severity_of_range("heading", 360.0), Info);
    assert_eq!(severity_of_range("heading", 361.0), Warning);
}

#[test]
fn the_range_atom_names_the_limit_that_was_crossed() {
    let above = verify("S1", &[("normal_g", json!(7))]);
    let above = above.about("out_of_range", "normal_g");
    assert_eq!(
        (above.observed, above.limit, above.step),
        (7.0, Some(6.0), None)
    );
    let below = verify("S1", &[("normal_g", json!(-4))]);
    let below = below.about("out_of_range", "normal_g");
    assert_eq!((below.observed, below.limit), (-4.0, Some(-3.0)));
    assert_eq!(verify("S1", &[]).about("out_of_range", "lat").limit, None);
}

#[test]
fn the_worst_element_speaks_for_an_array() {
    for (values, step, observed, severity) in [
        // Excess 1, 5, 2.
        (json!([91, -95, 92]), 1, -95.0, Warning),
        // Excess 1, 1, below: the first of equals.
        (json!([91, -91, 0]), 0, 91.0, Warning),
        // One element alone beyond 180 makes it critical.
        (json!([0, 91, 181]), 2, 181.0, Critical),
        // Inside: the one nearest to a limit (90 - 45, 90 - 80, 90 - 10).
        (json!([45, -80, 10]), 1, -80.0, Info),
    ] {
        let verdict = verify("M3", &[("lat", values.clone())]);
        let atom = verdict.about("out_of_range", "lat");
        assert_eq!(
            (atom.step, atom.observed, atom.severity),
            (Some(step), observed, severity),
            "{values}"
        );
    }
}

#[test]
fn jump_thresholds_are_inclusive() {
    // GPS altitude: 67 ft, critical beyond 1.5 · 67 = 100.5 ft.
    for (to, severity) in [
        (3067.0, Info),
        (2933.0, Info),
        (3067f64.next_up(), Warning),
        (2933f64.next_down(), Warning),
        (3100.5, Warning),
        (3100.5f64.next_up(), Critical),
        (2899.5, Warning),
        (2899.5f64.next_down(), Critical),
    ] {
        assert_eq!(
            jump("gps_alt", 3000.0, to),
            (severity, (to - 3000.0).abs()),
            "{to}"
        );
    }
}

#[test]
fn the_jump_atom_names_the_threshold_that_was_crossed() {
    let of = |to: f64| {
        let text = Value::Object(state("S1", &[("gps_alt", json!(to))])).to_string();
        verify_text("S1", &text, &[("gps_alt", 3000.0)])
            .about("mutation_violation", "gps_alt")
            .limit
    };
    assert_eq!(
        (of(3067.0), of(3080.0), of(3200.0)),
        (None, Some(67.0), Some(100.5))
    );
}

#[test]
fn angles_jump_along_the_shortest_arc() {
    // 30 deg, critical beyond 45; a linear field would see 358.
    assert_eq!(jump("heading", 359.0, 1.0), (Info, 2.0));
    assert_eq!(jump("heading", 1.0, 359.0), (Info, 2.0));
    assert_eq!(jump("heading", 345.0, 15.0), (Info, 30.0));
    assert_eq!(jump("heading", 345.0, 16.0), (Warning, 31.0));
    assert_eq!(jump("heading", 340.0, 25.0), (Warning, 45.0));
    assert_eq!(jump("heading", 340.0, 26.0), (Critical, 46.0));
    assert_eq!(jump("heading", 0.0, 180.0), (Critical, 180.0));
    assert_eq!(jump("heading", 360.0, 0.0), (Info, 0.0));
    // Roll is linear although it is in degrees: -179 to 179 is 358.
    assert_eq!(jump("roll", -179.0, 179.0), (Critical, 358.0));
}

#[test]
fn neither_angles_nor_other_numbers_jump_to_a_null_or_from_one() {
    let protocol = load("flight").unwrap();
    let position = |alias: &str| {
        protocol
            .fields
            .iter()
            .position(|field| field.alias == alias)
    };
    for alias in ["heading", "roll"] {
        let of = |values: &[f64]| largest_change(&protocol, position(alias).unwrap(), values);
        assert_eq!(of(&[5.0, f64::NAN, 6.0]), None, "{alias}");
        assert_eq!(of(&[5.0, f64::NAN, 6.0, 9.0]), Some((3.0, 3)), "{alias}");
    }
}

#[test]
fn without_a_reference_there_is_no_jump_atom() {
    let text = Value::Object(good("S1")).to_string();
    assert_eq!(
        verify_text("S1", &text, &[]).of("mutation_violation").len(),
        0
    );
    let one = verify_text("S1", &text, &[("lat", 45.0)]);
    assert_eq!(one.of("mutation_violation").len(), 1);
    assert_eq!(one.about("mutation_violation", "lat").observed, 0.0);
    // Arrays look inside themselves only.
    let array = verify_text(
        "M3",
        &Value::Object(good("M3")).to_string(),
        &[("lat", -45.0)],
    );
    assert_eq!(array.of("mutation_violation").len(), 19);
    assert!(array.failed().is_empty());
}

#[test]
fn arrays_take_their_largest_consecutive_change() {
    for (alias, values, step, change, severity) in [
        ("gps_alt", json!([3000, 3067, 3000]), 1, 67.0, Info),
        ("gps_alt", json!([3000, 3010, 3078]), 2, 68.0, Warning),
        ("gps_alt", json!([3000, 3100.5, 3101]), 1, 100.5, Warning),
        ("gps_alt", json!([3000, 3000, 2899]), 2, 101.0, Critical),
        // First to last is 120, but no single step is beyond 60.
        ("gps_alt", json!([3000, 3060, 3120]), 1, 60.0, Info),
        ("heading", json!([359, 1, 3]), 1, 2.0, Info),
        ("heading", json!([10, 355, 300]), 2, 55.0, Critical),
    ] {
        let verdict = verify("M3", &[(alias, values.clone())]);
        let atom = verdict.about("mutation_violation", alias);
        assert_eq!(
            (atom.step, atom.observed, atom.severity),
            (Some(step), change, severity),
            "{values}"
        );
    }
}

#[test]
fn a_change_too_large_for_a_double_is_infinite_and_critical() {
    assert_eq!(jump("gs", -1e308, 1e308), (Critical, f64::INFINITY));
    let array = verify("M3", &[("gs", json!([1e308, -1e308, 0]))]);
    assert_eq!(
        array.about("mutation_violation", "gs").observed,
        f64::INFINITY
    );
    assert_eq!(array.about("m3_array_continuity", "gs").severity, Critical);
}

#[test]
fn counts_agree_with_the_atoms() {
    let verdict = verify(
        "M3",
        &[("lat", json!([200, 0, 0])), ("lon", json!([1, null, 3]))],
    );
    let total: u32 = counts(&verdict).iter().sum();
    assert_eq!(total as usize, verdict.atoms.len());
    // lat 200 is 110 / 180 = 0.61 outside: critical; its leap of 200 is beyond both
    // 0.003 (jump) and 0.006 (continuity); lon has one invalid element.
    let critical = |family: usize| verdict.counts[family].critical;
    assert_eq!(
        [critical(1), critical(2), critical(3), critical(5)],
        [1, 1, 1, 1]
    );
    assert_eq!(verdict.failed().len(), 4);
    assert_eq!(verdict.of("missing_field").len(), 0);
    assert_eq!(key("lat"), "Latitude (WGS84 deg)");
}
