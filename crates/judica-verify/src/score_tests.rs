//! Scores, worked out by hand.

use judica_model::record::Record;
use serde_json::{Value, json};

use super::*;
use crate::protocol::load;
use crate::render::grade;
use crate::test_support::{Bench, FLIGHT, field, flight_with, key, output, sample, state};

/// (atoms, critical, warning) of one family; the sums are what counts.
fn count(atoms: u32, critical: u32, warning: u32) -> FamilyCount {
    FamilyCount {
        atoms,
        critical,
        warning,
        info: 0,
    }
}

fn known(numbers: &[f64]) -> Known<'_> {
    Known {
        numbers,
        values: &[],
    }
}

/// Scores an eligible scalar record: (alias, predicted, gold), all other fields NaN.
fn compared(protocol: &Protocol, pairs: &[(&str, f64, f64)]) -> ScoreRow {
    let mut values = vec![f64::NAN; 19];
    let mut gold = vec![f64::NAN; 19];
    for (alias, predicted, truth) in pairs {
        (values[field(alias)], gold[field(alias)]) = (*predicted, *truth);
    }
    let record = Scored {
        adjudication: Adjudication::Eligible,
        present: 19,
        required: 19,
        counts: &[count(10, 0, 0)],
        answer: known(&values),
        gold: Some(known(&gold)),
        errors: None,
        compared: None,
        horizon: 1,
        dimensions: &[],
    };
    score(protocol, &record)
}

fn without_gold(adjudication: Adjudication, present: u32, counts: &[FamilyCount]) -> ScoreRow {
    let values = vec![1.0; 19];
    score(
        &FLIGHT,
        &Scored {
            adjudication,
            present,
            required: 19,
            counts,
            answer: known(&values),
            gold: None,
            errors: None,
            compared: None,
            horizon: 1,
            dimensions: &[],
        },
    )
}

fn close(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() < 1e-9,
        "{actual} is not {expected}"
    );
}

#[test]
fn availability_is_the_share_of_required_keys() {
    let of =
        |present| without_gold(Adjudication::Eligible, present, &[count(1, 0, 0)]).availability;
    assert_eq!((of(19), of(0)), (100.0, 0.0));
    // 100 · 18 / 19 = 94.7368…
    close(of(18), 94.736_842_105_263_16);
}

#[test]
fn constraint_satisfaction_weighs_by_severity() {
    let of = |counts: &[FamilyCount]| without_gold(Adjudication::Eligible, 19, counts).constraint;
    assert_eq!(of(&[count(47, 0, 0)]), 100.0);
    // 8 passed · 0.5 = 4; 2 warnings · 1 = 2; 100 · 4 / 6.
    close(of(&[count(6, 0, 1), count(4, 0, 1)]), 66.666_666_666_666_67);
    // 1 passed · 0.5; 1 warning · 1; 1 critical · 3; 100 · 0.5 / 4.5. (A critical atom in an
    // eligible record needs an agent of another mind, but the formula holds.)
    close(of(&[count(3, 1, 1)]), 11.111_111_111_111_11);
    assert_eq!(of(&[count(2, 0, 2)]), 0.0);
    assert!(of(&[count(0, 0, 0)]).is_nan());
}

#[test]
fn errors_take_the_shortest_arc_and_give_mae_and_rmse() {
    // |10 - 13| = 3; 359 to 1 is 2. MAE 2.5, RMSE √((9 + 4) / 2) = √6.5.
    let row = compared(&FLIGHT, &[("lat", 10.0, 13.0), ("heading", 359.0, 1.0)]);
    assert_eq!((row.compared, row.mae, row.rmse), (2, 2.5, 6.5f64.sqrt()));
    // MAE score 100 - 10 · 2.5 / 5 = 95; RMSE score 100 - √6.5; 0.6 · 95 + 0.4 · 97.4504….
    close(row.error, 57.0 + 0.4 * (100.0 - 6.5f64.sqrt()));
    // 0.2 · 100 + 0.3 · 100 + 0.5 · error.
    close(row.total, 50.0 + 0.5 * row.error);
    assert_eq!(row.undefined(&FLIGHT), None);
}

#[test]
fn every_point_of_the_curves() {
    // One value, so MAE = RMSE = the error; expected 0.6 · MAE score + 0.4 · RMSE score.
    for (error, expected) in [
        (0.0, 100.0),
        (5.0, 0.6 * 90.0 + 0.4 * 95.0),
        (10.0, 0.6 * (90.0 - 20.0 / 3.0) + 0.4 * 90.0),
        (20.0, 0.6 * 70.0 + 0.4 * 85.0),
        (50.0, 0.6 * 50.0 + 0.4 * 70.0),
        (100.0, 0.6 * 30.0 + 0.4 * 50.0),
        (150.0, 0.6 * 22.5 + 0.4 * 40.0),
        (200.0, 0.6 * 15.0 + 0.4 * 30.0),
        (300.0, 0.6 * 5.0 + 0.4 * 15.0),
        (350.0, 0.6 * 5.0 + 0.4 * 10.0),
        (400.0, 5.0),
        (1e9, 5.0),
    ] {
        close(compared(&FLIGHT, &[("lat", 0.0, error)]).error, expected);
    }
}

#[test]
fn without_usable_gold_error_and_total_are_null() {
    let row = without_gold(Adjudication::Eligible, 19, &[count(10, 0, 0)]);
    assert_eq!(
        (row.availability, row.constraint, row.compared),
        (100.0, 100.0, 0)
    );
    assert!(row.error.is_nan() && row.total.is_nan() && row.mae.is_nan() && row.rmse.is_nan());
    assert_eq!(row.undefined(&FLIGHT), Some("no usable gold"));
    // Gold there, but nowhere a number on both sides.
    let row = compared(&FLIGHT, &[("lat", 1.0, f64::NAN), ("lon", f64::NAN, 1.0)]);
    assert_eq!(
        (row.compared, row.undefined(&FLIGHT)),
        (0, Some("no usable gold"))
    );
    assert!(row.total.is_nan());
}

#[test]
fn an_error_too_large_for_a_double_is_beyond_the_curve_and_undefined() {
    let row = compared(&FLIGHT, &[("lat", 1e308, -1e308)]);
    let far = compared(&FLIGHT, &[("lat", 1e9, -1e9)]);
    assert_eq!(row.compared, 1);
    assert_eq!((row.error, row.total), (far.error, far.total));
    assert!(row.mae.is_nan() && row.rmse.is_nan() && far.mae == 2e9);
    assert_eq!(
        row.undefined(&FLIGHT),
        Some("the error is not a finite number")
    );
}

#[test]
fn where_nothing_was_checked_the_other_scores_make_the_total() {
    let protocol = load::parse(
        r#"
        protocol = { name = "p", version = "1" }
        task = [{ name = "t", shape = "scalar" }]
        field = [{ name = "city", kind = "text", nullable = true }]
        [scores]
        error = "scaled"
        weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
        mae_weight = 1
        rmse_weight = 0
        mae_curve = [[0, 100], [1, 0]]
        rmse_curve = [[0, 100], [1, 0]]
        "#,
        "p.toml",
    );
    let gold = |city: Value| {
        let sample = json!({"sample_id": "s", "task_id": "t", "gold": {"city": city}});
        Bench::new(protocol.clone().expect("a protocol"), &[sample])
    };
    // Right: 100 of both. Missed: all keys are there, 100 · 0.2 / (0.2 + 0.5).
    for (truth, total) in [(Value::Null, 100.0), (json!("Bern"), 20.0 / 0.7)] {
        let scores = scored(&gold(truth), json!({"city": null})).optional_scores;
        close(scores.total_score.expect("a total"), total);
        assert_eq!(scores.constraint_satisfaction_score, None);
        assert_eq!(scores.undefined.as_deref(), Some("no evidence"));
    }
}

#[test]
fn a_gated_record_has_no_score_at_all() {
    let row = without_gold(
        Adjudication::Ineligible,
        19,
        &[count(9, 2, 3), count(5, 1, 0)],
    );
    assert!(!row.passed);
    for value in [
        row.availability,
        row.constraint,
        row.error,
        row.total,
        row.mae,
        row.rmse,
    ] {
        assert!(value.is_nan());
    }
    assert_eq!(
        (row.compared, row.gating_failures, row.undefined(&FLIGHT)),
        (0, 3, Some("gated"))
    );
    assert_eq!(grade(&FLIGHT, &row), Some("X"));
}

#[test]
fn grades_begin_at_their_bounds() {
    for (total, expected) in [
        (100.0, Some("S")),
        (90.0, Some("S")),
        (90f64.next_down(), Some("A")),
        (80.0, Some("A")),
        (80f64.next_down(), Some("B")),
        (70.0, Some("B")),
        (70f64.next_down(), Some("C")),
        (60.0, Some("C")),
        (60f64.next_down(), Some("D")),
        (0.0, Some("D")),
        (f64::NAN, None),
    ] {
        let row = ScoreRow {
            total,
            ..compared(&FLIGHT, &[])
        };
        assert_eq!(grade(&FLIGHT, &row), expected, "{total}");
    }
}

fn scored(bench: &Bench, response: Value) -> Record {
    let run = bench.run(&[output("m", "s", response.to_string())]);
    serde_json::from_str(&bench.render(&run)[0]).expect("a record")
}

#[test]
fn gold_that_is_partly_invalid_is_used_where_it_is_valid() {
    // lat off by 0.5, lon's gold is null, roll's a string that is a number (off by 1.5),
    // heading's NaN; the rest is not there.
    let gold = format!(
        r#"{{"sample_id": "s", "task_id": "S1", "gold": {{"available": true, "next_second":
        {{"{}": 44.5, "{}": null, "{}": "-1.5", "{}": NaN}}}}}}"#,
        key("lat"),
        key("lon"),
        key("roll"),
        key("heading")
    );
    let bench = {
        let mut loader = crate::samples::SampleLoader::new(&FLIGHT, None);
        loader
            .add(gold.replace('\n', " ").as_bytes(), 1)
            .expect("a sample");
        Bench {
            samples: loader.finish(),
            ..Bench::flight(&[])
        }
    };
    let record = scored(&bench, Value::Object(state("S1", &[])));
    let scores = &record.optional_scores;
    // MAE (0.5 + 1.5) / 2 = 1; RMSE √((0.25 + 2.25) / 2) = √1.25.
    assert_eq!(
        (scores.compared_values, scores.mae, scores.rmse),
        (2, Some(1.0), Some(1.25f64.sqrt()))
    );
    // MAE score 98; RMSE score 100 - √1.25 = 98.8819….
    close(
        scores.conditional_error_score.unwrap_or(0.0),
        0.6 * 98.0 + 0.4 * (100.0 - 1.25f64.sqrt()),
    );
    assert_eq!(scores.gating.grade.as_deref(), Some("S"));
}

#[test]
fn array_gold_is_compared_step_by_step() {
    // Roll predicted 0 0 0; gold 3 0 3 (heading 350 against 0: 10 each).
    let gold = json!({key("roll"): [3, 0, 3], key("heading"): [350, 350, 350], key("lat"): [45, null, 46]});
    let bench = Bench::flight(&[json!({"sample_id": "s", "task_id": "M3", "gold": {"T+1": gold}})]);
    let scores = scored(&bench, Value::Object(state("M3", &[]))).optional_scores;
    // Three rolls, three headings, two latitudes: 3 + 0 + 3 + 30 + 0 + 1 = 37 over 8.
    assert_eq!((scores.compared_values, scores.mae), (8, Some(37.0 / 8.0)));
    // Squares 9 + 0 + 9 + 300 + 0 + 1 = 319.
    assert_eq!(scores.rmse, Some((319f64 / 8.0).sqrt()));
}

#[test]
fn gold_marked_unavailable_is_not_used() {
    let gold = json!({"sample_id": "s", "task_id": "S1", "gold": {"available": false, "next_second": state("S1", &[])}});
    let bench = Bench::flight(&[gold]);
    let scores = scored(&bench, Value::Object(state("S1", &[]))).optional_scores;
    assert_eq!(
        (scores.compared_values, scores.undefined.as_deref()),
        (0, Some("no usable gold"))
    );
    assert_eq!(
        (
            scores.availability_score,
            scores.total_score,
            scores.gating.grade
        ),
        (Some(100.0), None, None)
    );
}

#[test]
fn the_cap_and_the_reasons_of_the_gate_are_in_the_record() {
    let bench = Bench::new(flight_with("cap = 0.0", "cap = 12.5"), &[sample("s", "S1")]);
    let gating = scored(&bench, json!({})).optional_scores.gating;
    assert_eq!(
        (gating.passed, gating.cap, gating.grade.as_deref()),
        (false, 12.5, Some("X"))
    );
    assert_eq!(gating.reasons, ["Found 19 critical violations"]);
    let gating = scored(&bench, Value::Object(state("S1", &[("slip", Value::Null)])))
        .optional_scores
        .gating;
    assert_eq!(gating.reasons, ["Found 1 critical violation"]);
    let gating = scored(&bench, Value::Object(state("S1", &[])))
        .optional_scores
        .gating;
    assert_eq!(
        (gating.passed, gating.reasons.len(), gating.cap),
        (true, 0, 12.5)
    );
}

#[test]
fn a_whole_array_is_compared_to_its_last_value() {
    // All 19 · 3 values; the last field's last step alone is off, by 57: MAE 1, RMSE √57.
    let gold = state("M3", &[("pressure_alt", json!([3000, 3000, 3057]))]);
    let bench = Bench::flight(&[json!({"sample_id": "s", "task_id": "M3", "next_second": gold})]);
    let scores = scored(&bench, Value::Object(state("M3", &[]))).optional_scores;
    assert_eq!((scores.compared_values, scores.mae), (57, Some(1.0)));
    assert_eq!(scores.rmse, Some(57f64.sqrt()));
}
