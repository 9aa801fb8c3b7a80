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

#[test]
fn a_threshold_that_is_not_written_down_is_named_as_it_is_checked() {
    let tank = include_str!("../eval/tank.toml");
    let place = Place::new();
    let limits = "warning_above = 8\ncritical_above = 9";
    assert!(tank.contains(limits));
    for (written, told) in [
        ("warning_below = 4", "critical: level below 2 m"),
        ("warning_below = -4", "critical: level below -6 m"),
        ("warning_above = 4", "critical: level above 6 m"),
        ("warning_above = -4", "critical: level above -2 m"),
        ("critical_below = 4", "critical: level below 4 m"),
        (
            "warning_below = \"inflow / 10\"",
            "critical: below that by more than 50 % of its size",
        ),
    ] {
        place.write("tank.toml", tank.replace(limits, written));
        for command in ["rules", "explain overflow"] {
            let ran = place
                .judica(&format!("{command} --protocol tank.toml"))
                .exits(0);
            // A cell of a table is broken where it is too wide.
            let words: Vec<&str> = ran
                .stdout
                .split_whitespace()
                .filter(|word| *word != "│")
                .collect();
            assert!(words.join(" ").contains(told), "{written}: {}", ran.stdout);
            assert!(!ran.stdout.contains("times that"), "{}", ran.stdout);
        }
    }
    // And that is what happens: between 2 and 4 a warning, below 2 critical.
    place.write("tank.toml", tank.replace(limits, "warning_below = 4"));
    let answer =
        |level: f64| serde_json::json!({"Level (m)": level, "Inflow (l/s)": 1, "Valve (deg)": 1});
    let sample = |id: &str| {
        serde_json::json!({"id": id, "task": "T1", "next_second": answer(5.0)}).to_string()
    };
    let output = |id: &str, level: f64| {
        serde_json::json!({"id": id, "model": id, "response": answer(level)}).to_string()
    };
    place.write_lines("s.jsonl", &["a", "b", "c"].map(sample));
    place.write_lines(
        "o.jsonl",
        &[output("a", 3.0), output("b", 2.0), output("c", 1.9)],
    );
    place
        .judica("eval --protocol tank.toml --samples s.jsonl --outputs o.jsonl --out run --records jsonl")
        .exits(0);
    let of = |record: &serde_json::Value| {
        let atoms = record["evidence_pack"]["atoms"]
            .as_array()
            .expect("atoms")
            .clone();
        let atom = atoms
            .into_iter()
            .find(|atom| atom["rule"] == "safety_constraint.overflow");
        atom.expect("the rule")["severity"].clone()
    };
    let severities: Vec<serde_json::Value> = place
        .json_lines("run/records.jsonl")
        .iter()
        .map(of)
        .collect();
    assert_eq!(severities, ["warning", "warning", "critical"]);
}

#[test]
fn a_name_of_another_kind_is_told_what_it_is() {
    let place = Place::new();
    for (name, what) in [
        (
            "safety_constraint",
            "it is a family, with `safety_constraint.rapid_descent`",
        ),
        ("gps_alt", "it is a field"),
        ("M3", "it is a task"),
    ] {
        let asked = format!("explain {name}");
        place.judica(&asked).exits(2).complains(&[name, what]);
    }
}
