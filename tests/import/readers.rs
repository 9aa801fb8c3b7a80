//! What is done with runs works on imported ones.

use serde_json::Value;

use crate::import::eval_log::log_of;
use crate::support::Place;

fn place() -> Place {
    let place = Place::new();
    place.write(
        "monday.eval",
        log_of(&"CCCI".repeat(10), "2026-11-09T10:00:00+00:00"),
    );
    place.write(
        "today.eval",
        log_of(&"CIII".repeat(10), "2026-11-16T10:00:00+00:00"),
    );
    for day in ["monday", "today"] {
        place
            .judica(&format!("import {day}.eval --run {day}"))
            .exits(0);
    }
    place
}

#[test]
fn records_are_shown_with_what_was_asked_and_why() {
    let place = place();
    place
        .judica("show monday")
        .exits(0)
        .says(&["accuracy", "0.7500"]);
    place
        .judica("show monday 3")
        .exits(0)
        .says(&["question 3", "answer 1", "why match", "fail"]);
}

#[test]
fn a_log_is_compared_with_an_earlier_one() {
    let place = place();
    let ran = place.judica("compare monday today --json").exits(0);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(report.to_string().contains("-0.5"), "{report}");
    place
        .judica("compare monday today --fail-if-worse")
        .exits(1);
    place
        .judica("compare today monday --fail-if-worse")
        .exits(0);
}

#[test]
fn gates_hold_scorers_to_what_they_were() {
    let place = place();
    place.judica("gate init monday --out gates.toml").exits(0);
    place
        .judica("gate check monday --gates gates.toml --baseline today")
        .exits(0);
    place
        .judica("gate check today --gates gates.toml --baseline monday")
        .exits(1);
}

#[test]
fn runs_are_exported_drawn_and_weighed() {
    let place = place();
    place
        .judica("export monday --format csv --out r.csv")
        .exits(0);
    assert_eq!(place.text("r.csv").lines().count(), 41);
    place.judica("plot monday today --out p.svg").exits(0);
    place.judica("efficiency monday today --out eff").exits(0);
}

/// Partial credit in one of two logs makes their scorer no other.
#[test]
fn a_rate_is_compared_with_a_mean() {
    let place = place();
    place.write(
        "half.eval",
        log_of(&"CPPI".repeat(10), "2026-11-17T10:00:00+00:00"),
    );
    place.judica("import half.eval --run half").exits(0);
    for line in ["compare monday half --json", "compare half monday --json"] {
        let ran = place.judica(line).exits(0);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let metric = &report.to_string();
        assert!(
            metric.contains("\"mean\"") && metric.contains("0.25"),
            "{metric}"
        );
    }
}
