//! Small flight data, written out by hand so that a test knows what it feeds.

use serde_json::{Map, Value, json};

use super::Place;

/// The nineteen required fields, with values that break no rule.
pub const CALM: [(&str, f64); 19] = [
    ("Latitude (WGS84 deg)", 47.0),
    ("Longitude (WGS84 deg)", 8.5),
    ("GPS Altitude (WGS84 ft)", 3000.0),
    ("GPS Ground Track (deg true)", 45.0),
    ("Magnetic Heading (deg)", 43.0),
    ("GPS Velocity E (m/s)", 36.0),
    ("GPS Velocity N (m/s)", 36.0),
    ("GPS Velocity U (m/s)", 0.1),
    // hypot(36, 36) m/s is 98.96 kt.
    ("GPS Ground Speed (kt)", 99.0),
    ("Roll (deg)", 1.0),
    ("Pitch (deg)", 2.0),
    ("Turn Rate (deg/sec)", 0.1),
    ("Slip/Skid", 0.0),
    ("Normal Acceleration (G)", 1.0),
    ("Lateral Acceleration (G)", 0.0),
    ("Vertical Speed (fpm)", 10.0),
    ("Indicated Airspeed (kt)", 95.0),
    ("Baro Altitude (ft)", 2950.0),
    ("Pressure Altitude (ft)", 3050.0),
];

/// A state with every field, some of them replaced.
pub fn state(changes: &[(&str, Value)]) -> Value {
    let mut map: Map<String, Value> = CALM
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    for (name, value) in changes {
        assert!(
            map.insert((*name).to_owned(), value.clone()).is_some(),
            "{name} is no field"
        );
    }
    Value::Object(map)
}

/// A state of three seconds, as the task M3 wants it.
pub fn states(changes: &[(&str, Value)]) -> Value {
    let mut map: Map<String, Value> = CALM
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!([value, value, value])))
        .collect();
    for (name, value) in changes {
        map.insert((*name).to_owned(), value.clone());
    }
    Value::Object(map)
}

/// A calm answer to a task.
pub fn calm(task: &str) -> Value {
    if task == "M3" {
        states(&[])
    } else {
        state(&[])
    }
}

/// A sample whose gold is a calm state.
pub fn sample(id: &str, task: &str) -> String {
    json!({
        "sample_id": id,
        "task_id": task,
        "context": {"question": "What next?", "current_state": state(&[]), "record_idx": 0},
        "gold": {"next_second": calm(task), "available": true},
    })
    .to_string()
}

/// An output whose response is the given text.
pub fn answer(model: &str, sample: &str, text: &str) -> String {
    json!({"model_name": model, "sample_id": sample, "raw_response_text": text}).to_string()
}

/// An output whose response is the text of an object.
pub fn output(model: &str, sample: &str, response: &Value) -> String {
    answer(model, sample, &response.to_string())
}

/// The samples of [`tiny`]: id and task.
pub const TINY: [(&str, &str); 4] = [("a1", "S1"), ("a2", "S1"), ("b1", "M1"), ("c1", "M3")];

/// The lines of a small sample file.
pub fn tiny_samples() -> Vec<String> {
    TINY.iter().map(|(id, task)| sample(id, task)).collect()
}

/// The lines of a small output file: `good` answers calmly; `wild` sinks too fast in a1,
/// leaves a field out in a2, says nothing usable in b1, and has a null in c1.
pub fn tiny_outputs() -> Vec<String> {
    let mut lines: Vec<String> = TINY
        .iter()
        .map(|(id, task)| output("good", id, &calm(task)))
        .collect();
    lines.push(output(
        "wild",
        "a1",
        &state(&[("Vertical Speed (fpm)", json!(-3500))]),
    ));
    let mut partial = state(&[]);
    partial
        .as_object_mut()
        .expect("an object")
        .remove("Pitch (deg)");
    lines.push(output("wild", "a2", &partial));
    lines.push(answer("wild", "b1", "I would rather not say."));
    lines.push(output(
        "wild",
        "c1",
        &states(&[("Roll (deg)", json!([1, null, 1]))]),
    ));
    lines
}

/// The files of every run.
pub const RUN: [&str; 6] = [
    "failures.parquet",
    "manifest.json",
    "protocol.toml",
    "records.parquet",
    "report.json",
    "tables.json",
];

/// The arguments that evaluate s.jsonl and o.jsonl into `run`.
pub const EVAL: &str = "eval --protocol flight --samples s.jsonl --outputs o.jsonl --out run --timestamp 2025-01-19T10:30:00Z";

/// A place with the tiny data set in s.jsonl and o.jsonl.
pub fn tiny() -> Place {
    let place = Place::new();
    place.write_lines("s.jsonl", &tiny_samples());
    place.write_lines("o.jsonl", &tiny_outputs());
    place
}

/// The tiny data set, evaluated into `run` with records in the given format.
pub fn tiny_run(records: &str) -> Place {
    let place = tiny();
    place
        .judica(&format!("{EVAL} --records {records}"))
        .exits(0);
    place
}
