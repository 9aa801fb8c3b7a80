//! Small recordings and predictions, and the ways to score them.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Place, oracle_says};

/// Scores `e.jsonl` and `p.jsonl`; everything that is written goes to `out`.
pub const SCORE: &str = "episodes --episodes e.jsonl --predictions p.jsonl \
    --config-path configs/dev.yaml --backend qwen3 --out out/eval.json";

/// A click at a point.
pub fn click(x: f64, y: f64) -> Value {
    json!({"type": "click", "x": x, "y": y})
}

/// An action of a type and nothing else.
pub fn act(name: &str) -> Value {
    json!({"type": name})
}

/// A row of a whole episode, recorded or predicted.
pub fn row(name: &str, actions: &[Value]) -> Value {
    let steps: Vec<Value> = actions
        .iter()
        .map(|action| json!({"action": action}))
        .collect();
    json!({"episode_id": name, "goal": "log in", "steps": steps})
}

/// A place with these rows.
pub fn place(episodes: &[Value], predictions: &[Value]) -> Place {
    let place = Place::new();
    write(&place, episodes, predictions);
    place
}

/// Writes rows where [`SCORE`] reads them.
pub fn write(place: &Place, episodes: &[Value], predictions: &[Value]) {
    let lines = |rows: &[Value]| rows.iter().map(Value::to_string).collect::<Vec<_>>();
    place.write_lines("e.jsonl", &lines(episodes));
    place.write_lines("p.jsonl", &lines(predictions));
}

/// Two episodes of which an agent gets one right and one half right.
///
/// ```text
///      recorded                          predicted
/// one  click at 0.5, 0.5; type; done     click 0.01 away; type; done
/// two  click in a box; type              click 0.3 away and outside; nothing; and one more
/// ```
pub fn two() -> Place {
    let boxed = json!({"type": "click", "x": 0.2, "y": 0.2, "bbox": [0.1, 0.1, 0.3, 0.3]});
    let mut one = row("one", &[click(0.51, 0.5), act("type"), act("done")]);
    one["steps"][2]["state"] = json!({"success": true});
    let mut two = row("two", &[click(0.5, 0.2), Value::Null, act("done")]);
    two["steps"][0]["state"] = json!({"success": false});
    place(
        &[
            row("one", &[click(0.5, 0.5), act("type"), act("done")]),
            row("two", &[boxed, act("type")]),
        ],
        &[one, two],
    )
}

/// Scores what is there; the eval file.
#[track_caller]
pub fn scored(place: &Place, options: &str) -> Value {
    place.judica(&format!("{SCORE} {options}")).exits(0);
    place.json("out/eval.json")
}

/// The lines that were refused: file, line, reason and pointer.
#[track_caller]
pub fn refused(place: &Place) -> Vec<(String, u64, String, String)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let rejects = place.json_lines("out/rejects.jsonl");
    let told = rejects.iter().map(|reject| {
        let detail = text(&reject["detail"]);
        let pointer = detail.split(": ").next().unwrap_or_default();
        (
            text(&reject["file"]),
            reject["line"].as_u64().expect("a line"),
            text(&reject["reason"]),
            pointer.to_owned(),
        )
    });
    told.collect()
}

/// Random cases in folders of a place, and what the oracle says of them; none without
/// Python. `numbers` are the first seed, the one after the last, and the fewest and most
/// episodes of a case.
pub fn cases(place: &Place, [first, end, fewest, most]: [u32; 4]) -> Vec<Value> {
    let make = format!("--seeds {first} {end} --episodes {fewest} {most}");
    match oracle_says(place, "episodes_cases.py", &make) {
        Some(printed) => serde_json::from_slice(&printed).expect("JSON"),
        None => Vec::new(),
    }
}

/// The command that scores such a case, in a mode; everything that is written goes to
/// `out` in its folder.
pub fn score_case(case: &Value, mode: &str) -> String {
    let text = |key: &str| case[key].as_str().expect("text");
    let at = text("folder");
    let options = text("options").replace("m.json", &format!("{at}/m.json"));
    format!(
        "episodes --episodes {at}/e.jsonl --predictions {at}/p.jsonl --mode {mode} {options} \
         --config-path c --backend b --out {at}/out/eval.json --details {at}/out/d.jsonl"
    )
}

/// An eval file of the first published shape.
pub fn eval(backend: &str, metrics: Value) -> Value {
    let mut all = json!({
        "num_episodes": 32,
        "num_steps": 224,
        "action_type_accuracy": 0.5,
        "mean_coord_error": null,
        "coord_error_count": 0,
        "episode_success_rate": 0.25,
        "click_hit_rate": null,
    });
    for (name, value) in metrics.as_object().expect("metrics") {
        all[name] = value.clone();
    }
    json!({"config_path": "configs/dev.yaml", "backend": backend, "metrics": all})
}

/// Writes a document.
pub fn write_eval(place: &Place, name: &str, document: &Value) {
    place.write(name, document.to_string());
}

/// An eval file of the fixtures, copied to a place.
pub fn fixture(place: &Place, name: &str) {
    place.write(name, fixture_bytes(name));
}

/// An eval file of the fixtures.
pub fn fixture_bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(name)).expect("a fixture")
}

/// Where eval files of every version stand.
pub fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/episodes/eval")
}

/// Insists on a number.
#[track_caller]
pub fn near(value: &Value, expected: f64) {
    let number = value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"));
    assert!((number - expected).abs() < 1e-9, "{number}, not {expected}");
}
