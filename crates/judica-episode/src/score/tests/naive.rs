//! The same metrics once more, written as plainly as possible over whole documents.

use serde_json::{Map, Value, json};

use crate::action::Mode;

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn point(action: &Value) -> Option<(f64, f64)> {
    let pair = action["x"].as_f64().zip(action["y"].as_f64());
    let listed = &action["normalized_coordinates"];
    pair.or(listed[0].as_f64().zip(listed[1].as_f64()))
}

fn area(action: &Value) -> Option<[f64; 4]> {
    let corners = &action["bbox"];
    if corners.is_array() {
        return Some([0, 1, 2, 3].map(|i| corners[i].as_f64().unwrap()));
    }
    let bounds = &action["element"]["bounds"];
    let at = |key: &str| bounds[key].as_f64();
    let [x, y] = [at("x")?, at("y")?];
    Some([x, y, x + at("width")?, y + at("height")?])
}

fn mark(action: &Value) -> Option<String> {
    let found = [&action["element_index"], &action["element"]["element_id"]];
    found.into_iter().find(|value| !value.is_null()).map(text)
}

#[derive(Default)]
struct Rate(u64, u64);

impl Rate {
    fn add(&mut self, hit: bool) {
        self.0 += u64::from(hit);
        self.1 += 1;
    }

    fn value(&self) -> Value {
        if self.1 == 0 {
            Value::Null
        } else {
            json!(self.0 as f64 / self.1 as f64)
        }
    }
}

fn mean(values: &[f64]) -> Value {
    if values.is_empty() {
        return Value::Null;
    }
    json!(judica_stats::exact_sum(values) / values.len() as f64)
}

/// The metrics of well-formed episodes and predictions.
pub fn metrics(episodes: &[Value], predictions: &[Value], mode: Mode) -> Map<String, Value> {
    let [mut types, mut success, mut clicks, mut boxes] = [(); 4].map(|()| Rate::default());
    let [mut weak, mut stated, mut marks] = [(); 3].map(|()| Rate::default());
    let [mut errors, mut progress, mut scores] = [(); 3].map(|()| Vec::new());
    let mut extra = 0;
    for episode in episodes {
        let name = text(&episode["episode_id"]);
        let rows: Vec<&Value> = predictions
            .iter()
            .filter(|row| text(&row["episode_id"]) == name)
            .collect();
        let at = |index: usize| -> Value {
            match rows.first() {
                Some(row) if row["steps"].is_array() => row["steps"][index].clone(),
                _ => {
                    let mut found = rows.iter().filter(|row| row["step_index"] == json!(index));
                    found.next().map_or(Value::Null, |row| (*row).clone())
                }
            }
        };
        let gold = episode["steps"].as_array().unwrap();
        let kept: Vec<usize> = (0..gold.len())
            .filter(|&i| gold[i]["has_screenshot"] != json!(false))
            .collect();
        let (mut right, mut full) = (0, 0);
        let mut step_errors = vec![None; gold.len()];
        let mut step_matches = vec![false; gold.len()];
        let mut said = None;
        for index in 0..gold.len() + 50 {
            let predicted = at(index);
            if index >= gold.len() {
                extra += u64::from(!predicted["action"].is_null());
            }
            if index >= gold.len() || kept.contains(&index) {
                said = predicted["state"]["success"].as_bool().or(said);
            }
            if !kept.contains(&index) {
                continue;
            }
            let (gold, predicted) = (&gold[index]["action"], &predicted["action"]);
            let lower = |action: &Value| action["type"].as_str().map(str::to_lowercase);
            let kind = lower(gold).unwrap();
            let matched = lower(predicted) == Some(kind.clone());
            types.add(matched);
            right += u64::from(matched);
            step_matches[index] = matched;
            let mut hit = true;
            if mode == Mode::Coord && (kind == "click" || kind == "drag") {
                let (target, aimed) = (point(gold), point(predicted));
                let error = target
                    .zip(aimed)
                    .map(|((a, b), (c, d))| ((a - c) * (a - c) + (b - d) * (b - d)).sqrt());
                step_errors[index] = error;
                let on_screen = aimed
                    .is_some_and(|(x, y)| (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y));
                if let Some(error) = error {
                    errors.push(error);
                    clicks.add(on_screen && error < 0.05);
                }
                let boxed = area(gold).map(|[left, top, right, bottom]| {
                    on_screen
                        && aimed.is_some_and(|(x, y)| {
                            left <= x && x <= right && top <= y && y <= bottom
                        })
                });
                if let Some(boxed) = boxed {
                    boxes.add(boxed);
                }
                hit = match target {
                    Some(_) => on_screen && error.is_some_and(|error| error < 0.05),
                    None => boxed.unwrap_or(true),
                };
            }
            let marked = ["click", "drag", "type"].contains(&&*kind);
            if mode == Mode::Som && marked && mark(gold).is_some() {
                hit = mark(predicted) == mark(gold);
                marks.add(hit);
            }
            full += u64::from(matched && hit);
        }
        if !kept.is_empty() {
            success.add(right == kept.len() as u64);
            progress.push(right as f64 / kept.len() as f64);
            scores.push(full as f64 / kept.len() as f64);
        }
        if let Some(said) = said {
            stated.add(said);
        }
        let milestones = episode["milestones"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if !milestones.is_empty() {
            weak.add(milestones.iter().all(|milestone| {
                let index = milestone["step_index"].as_u64().unwrap() as usize;
                let kind = |action: &Value| action["type"].as_str().unwrap_or("").to_lowercase();
                kept.contains(&index)
                    && kind(&gold[index]["action"]) == milestone["type"].as_str().unwrap()
                    && step_matches[index]
                    && milestone["coord_threshold"]
                        .as_f64()
                        .is_none_or(|limit| step_errors[index].is_some_and(|error| error < limit))
            }));
        }
    }
    let all = json!({
        "num_episodes": episodes.len(),
        "num_steps": types.1,
        "action_type_accuracy": types.value(),
        "mean_coord_error": mean(&errors),
        "coord_error_count": errors.len(),
        "episode_success_rate": success.value(),
        "click_hit_rate": clicks.value(),
        "bbox_hit_rate": boxes.value(),
        "mean_episode_progress": mean(&progress),
        "mean_episode_step_score": mean(&scores),
        "weak_episode_success_rate": weak.value(),
        "state_success_rate": stated.value(),
        "element_accuracy": marks.value(),
        "extra_steps": extra,
    });
    all.as_object().cloned().unwrap()
}
