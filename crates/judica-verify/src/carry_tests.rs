//! What is remembered from one output to the next.

use serde_json::{Value, json};

use crate::test_support::{Bench, FLIGHT, field, flight_with, good, output, sample, state};

fn answer(edits: &[(&str, Value)]) -> String {
    Value::Object(state("S1", edits)).to_string()
}

fn altitude(value: f64) -> String {
    answer(&[("gps_alt", json!(value))])
}

/// The value each output's GPS altitude is measured from.
fn references(bench: &Bench, lines: &[String]) -> Vec<Option<f64>> {
    let run = bench.run(lines);
    let fields = FLIGHT.fields.len();
    let of = |index: usize| run.carried.references[index * fields + field("gps_alt")];
    (0..run.batch.outputs.len())
        .map(of)
        .map(|value| (!value.is_nan()).then_some(value))
        .collect()
}

fn six_samples() -> Vec<Value> {
    (0..6).map(|n| sample(&format!("s{n}"), "S1")).collect()
}

#[test]
fn the_last_valid_value_skips_what_is_not_one() {
    let bench = Bench::flight(&six_samples());
    let mut without = good("S1");
    without.remove(crate::test_support::key("gps_alt"));
    let lines = [
        output("m", "s0", altitude(1000.0)),
        output("m", "s1", answer(&[("gps_alt", Value::Null)])),
        output("m", "s2", Value::Object(without).to_string()),
        output("m", "s3", "no object here"),
        output("m", "s4", answer(&[("gps_alt", json!([1, 2]))])),
        output("m", "s5", altitude(1050.0)),
    ];
    // Nothing before the first; 1000 ever after.
    let expected = [
        None,
        Some(1000.0),
        Some(1000.0),
        Some(1000.0),
        Some(1000.0),
        Some(1000.0),
    ];
    assert_eq!(references(&bench, &lines), expected);
}

#[test]
fn fields_are_remembered_one_by_one() {
    let bench = Bench::flight(&six_samples());
    let run = bench.run(&[
        output(
            "m",
            "s0",
            answer(&[("gps_alt", json!(1000)), ("roll", json!(1))]),
        ),
        output(
            "m",
            "s1",
            answer(&[("gps_alt", json!("?")), ("roll", json!(2))]),
        ),
        output("m", "s2", answer(&[])),
    ]);
    let third = &run.carried.references[2 * FLIGHT.fields.len()..];
    assert_eq!(
        (third[field("gps_alt")], third[field("roll")]),
        (1000.0, 2.0)
    );
}

#[test]
fn a_value_out_of_range_is_still_a_valid_value() {
    let bench = Bench::flight(&six_samples());
    let lines = [
        output("m", "s0", altitude(99999.0)),
        output("m", "s1", altitude(1000.0)),
    ];
    assert_eq!(references(&bench, &lines), [None, Some(99999.0)]);
}

#[test]
fn models_and_tasks_remember_apart() {
    let samples = [
        sample("a", "S1"),
        sample("b", "S1"),
        sample("c", "M1"),
        sample("d", "M1"),
        sample("e", "M3"),
    ];
    let bench = Bench::flight(&samples);
    let array = Value::Object(good("M3")).to_string();
    let lines = [
        output("m", "a", altitude(1.0)),
        output("n", "a", altitude(2.0)),
        output("m", "c", altitude(3.0)),
        output("m", "e", array),
        output("m", "b", altitude(4.0)),
        output("n", "b", altitude(5.0)),
        output("m", "d", altitude(6.0)),
    ];
    let expected = [None, None, None, None, Some(1.0), Some(2.0), Some(3.0)];
    assert_eq!(references(&bench, &lines), expected);
}

#[test]
fn a_duplicate_is_refused_and_leaves_nothing_behind() {
    let bench = Bench::flight(&six_samples());
    let lines = [
        output("m", "s0", altitude(1000.0)),
        output("m", "s0", altitude(5000.0)),
        "broken".to_owned(),
        output("m", "s1", altitude(1010.0)),
        output("m", "s1", "{}"),
    ];
    let run = bench.run(&lines);
    assert_eq!(run.carried.accepted, [true, false, true, false]);
    let third = &run.carried.references[2 * FLIGHT.fields.len()..3 * FLIGHT.fields.len()];
    assert_eq!(third[field("gps_alt")], 1000.0);
    // Rejects stand by line, whoever found them.
    let refused: Vec<_> = run
        .batch
        .refused
        .iter()
        .map(|refused| (refused.line, refused.refusal.reason))
        .collect();
    assert_eq!(
        refused,
        [
            (2, "duplicate_output"),
            (3, "malformed_json"),
            (5, "duplicate_output")
        ]
    );
    assert_eq!(
        run.evaluated.records.len() + run.batch.refused.len(),
        lines.len()
    );
}

#[test]
fn a_failed_first_answer_still_counts_as_the_answer() {
    let bench = Bench::flight(&six_samples());
    let run = bench.run(&[
        output("m", "s0", "nothing"),
        output("m", "s0", altitude(1000.0)),
    ]);
    assert_eq!(run.carried.accepted, [true, false]);
}

#[test]
fn the_current_state_can_be_the_reference() {
    let protocol = flight_with(
        "reference = \"previous_output\"",
        "reference = \"current_state\"",
    );
    let with_state = |id: &str, task: &str, context: Value| json!({"sample_id": id, "task_id": task, "context": context});
    let samples = [
        with_state(
            "full",
            "S1",
            json!({"current_state": state("S1", &[("gps_alt", json!(700))])}),
        ),
        with_state(
            "partial",
            "S1",
            json!({"current_state": {"Roll (deg)": 5, "GPS Altitude (WGS84 ft)": null}}),
        ),
        with_state("none", "S1", json!({"question": "?"})),
        with_state("array", "M3", json!({"current_state": state("S1", &[])})),
        with_state(
            "text",
            "M1",
            json!({"current_state": Value::Object(state("S1", &[("gps_alt", json!(800))])).to_string()}),
        ),
    ];
    let bench = Bench::new(protocol, &samples);
    let array = Value::Object(good("M3")).to_string();
    let lines = [
        output("m", "full", altitude(710.0)),
        output("m", "partial", altitude(710.0)),
        output("m", "none", altitude(710.0)),
        output("m", "array", array),
        output("m", "text", altitude(710.0)),
    ];
    // Never an earlier output, always the sample's own state.
    assert_eq!(
        references(&bench, &lines),
        [Some(700.0), None, None, None, Some(800.0)]
    );
    let run = bench.run(&lines);
    let jumps = |record: usize| run.evaluated.counts_of(record, 7)[3].atoms;
    // All 19 fields; roll alone; nothing; the array's own 19 changes; all 19.
    assert_eq!(
        [jumps(0), jumps(1), jumps(2), jumps(3), jumps(4)],
        [19, 1, 0, 19, 19]
    );
    let roll = &run.carried.references[FLIGHT.fields.len()..];
    assert_eq!(roll[field("roll")], 5.0);
}

#[test]
fn every_epoch_is_a_series_of_its_own() {
    let bench = Bench::flight(&six_samples());
    let in_epoch = |sample: &str, epoch: Value, altitude: f64| {
        let mut line: Value =
            serde_json::from_str(&output("m", sample, self::altitude(altitude))).unwrap();
        line["epoch"] = epoch;
        line.to_string()
    };
    let lines = [
        in_epoch("s0", json!(1), 1000.0),
        in_epoch("s0", json!(2), 2000.0),
        in_epoch("s1", json!("2"), 2010.0),
        in_epoch("s1", Value::Null, 1010.0),
        // The first of each epoch counts.
        in_epoch("s1", json!(2.0), 5.0),
        in_epoch("s1", json!(1), 5.0),
    ];
    let run = bench.run(&lines);
    assert_eq!(run.carried.accepted, [true, true, true, true, false, false]);
    let details: Vec<&str> = run
        .batch
        .refused
        .iter()
        .map(|refused| refused.refusal.detail.as_str())
        .collect();
    assert_eq!(
        details,
        [
            "a second output of model `m` for sample `s1` in epoch 2",
            "a second output of model `m` for sample `s1`"
        ]
    );
    let expected = [None, None, Some(2000.0), Some(1000.0), None, None];
    assert_eq!(references(&bench, &lines), expected);
}
