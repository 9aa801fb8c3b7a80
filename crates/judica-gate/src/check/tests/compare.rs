//! The operators, with and without a baseline.

use proptest::prelude::*;
use serde_json::json;

use super::{Case, gate, held};

#[test]
fn changes_that_meet_the_limit_on_paper_meet_it_here() {
    // 0.75 - 0.80 is -0.05000000000000004 in doubles.
    let old = json!({"m": 0.80});
    let drop = |new: f64| {
        held(
            &json!({"m": new}),
            Some(&old),
            "/m",
            "op = \"max_drop\"\nthreshold = 0.05",
        )
    };
    assert!(drop(0.75).pass && drop(0.9).pass && !drop(0.7499).pass);
    assert_eq!(drop(0.7).note.as_deref(), Some("baseline 0.8, change -0.1"));
    let rise = |new: f64| {
        held(
            &json!({"m": new}),
            Some(&old),
            "/m",
            "op = \"max_rise\"\nthreshold = 0.05",
        )
    };
    assert!(rise(0.85).pass && rise(0.1).pass && !rise(0.8501).pass);
    assert_eq!(rise(0.9).note.as_deref(), Some("baseline 0.8, change +0.1"));
    // A change that no double holds is not within any limit.
    for (op, new, old) in [("max_drop", -1e308, 1e308), ("max_rise", 1e308, -1e308)] {
        let rest = format!("op = \"{op}\"\nthreshold = 0.05");
        let (new, old) = (json!({"m": new}), json!({"m": old}));
        assert!(!held(&new, Some(&old), "/m", &rest).pass, "{op}");
        assert!(held(&old, Some(&new), "/m", &rest).pass, "{op}");
    }
}

#[test]
fn equality_is_exact_unless_a_tolerance_is_given() {
    let report = json!({"m": 0.1 + 0.2});
    let exact = held(&report, None, "/m", "op = \"==\"\nthreshold = 0.3");
    assert!(
        !exact.pass
            && exact
                .note
                .unwrap()
                .contains("a `tolerance` would allow that")
    );
    assert!(
        held(
            &report,
            None,
            "/m",
            "op = \"==\"\nthreshold = 0.3\ntolerance = 1e-9"
        )
        .pass
    );
}

#[test]
fn bounds_are_those_of_the_interval_wherever_it_stands() {
    let report = json!({"a": {"value": 0.5, "ci": [0.4, 0.6]}, "b": 0.5, "b_ci": [0.4, 0.6],
        "c": 0.5, "ends": [0.4, 0.6]});
    for (pointer, more) in [("/a", ""), ("/b", ""), ("/c", "interval = \"/ends\"\n")] {
        let bound = |op: &str, threshold: f64| {
            let rest = format!("{more}op = \"{op}\"\nthreshold = {threshold:?}");
            held(&report, None, pointer, &rest).pass
        };
        assert!(bound("lower_bound_at_least", 0.4) && !bound("lower_bound_at_least", 0.41));
        assert!(bound("upper_bound_at_most", 0.6) && !bound("upper_bound_at_most", 0.59));
    }
}

#[test]
fn a_gate_may_read_other_files_beside_the_gates_file() {
    let rest = "op = \"max_drop\"\nthreshold = 0.1\nreport = \"other.json\"";
    let case = Case::new(&json!({}), &gate("/m", rest));
    case.write("other.json", "{\"m\": 0.5}");
    case.write("before.json", "{\"m\": 0.9}");
    let message = case.result(Some(&json!({"m": 0.5}))).unwrap_err();
    assert!(message.contains("a gate with its own `report` needs its own `baseline`"));
    let gates = format!(
        "version = 1\n{}",
        gate("/m", &format!("{rest}\nbaseline = 'before.json'"))
    );
    case.write("gates.toml", &gates);
    let result = case.result(None).unwrap();
    assert_eq!(
        result.note.as_deref(),
        Some("read from other.json; against before.json; baseline 0.9, change -0.4")
    );
    assert!(!result.pass);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn gates_agree_with_a_naive_evaluation(
        value in -1.0..1.0f64,
        half in 0.0..0.5f64,
        old in -1.0..1.0f64,
        threshold in 0.0..1.0f64,
        on_threshold in any::<bool>(),
    ) {
        let threshold = if on_threshold { value.abs() } else { threshold };
        let report = json!({"m": {"value": value, "ci": [value - half, value + half]}});
        let baseline = json!({"m": old});
        // Where a change is within rounding of its limit, the gates forgive.
        let clear = |difference: f64| (difference.abs() - threshold).abs() > 1e-12;
        for (op, expected, sure) in [
            (">=", value >= threshold, true),
            ("<=", value <= threshold, true),
            ("==", value == threshold, true),
            ("max_drop", value - old >= -threshold, clear(value - old)),
            ("max_rise", value - old <= threshold, clear(value - old)),
            ("lower_bound_at_least", value - half >= threshold, true),
            ("upper_bound_at_most", value + half <= threshold, true),
        ] {
            let rest = format!("op = \"{op}\"\nthreshold = {threshold:?}");
            let result = held(&report, Some(&baseline), "/m", &rest);
            prop_assert!(result.pass == expected || !sure, "{:?}", result);
            prop_assert_eq!(result.value, Some(value));
            prop_assert!(!result.vacuous);
        }
    }
}
