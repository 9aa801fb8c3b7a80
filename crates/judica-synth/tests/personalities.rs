//! Each personality shows in the verdicts that the flight contract gives it.

mod support;

use std::collections::BTreeMap;

use judica_synth::Domain;
use serde_json::{Map, Value};
use support::{FLIGHT, Findings, check_jump, check_state, distance, gold, options};

/// The object in a reply: the text itself, or what stands between its braces. That is
/// enough for this data set, in which no reply has two objects.
fn object(text: &str) -> Option<Map<String, Value>> {
    let from = text.find('{')?;
    let to = text.rfind('}')?;
    let body = text.get(from..=to)?;
    // serde_json knows no bare NaN; null is just as invalid.
    let body = body
        .replace("-Infinity", "null")
        .replace("Infinity", "null");
    serde_json::from_str(&body.replace("NaN", "null")).ok()
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The predicted seconds, or nothing if one number is missing or invalid.
fn states(reply: &Map<String, Value>, steps: Option<usize>) -> Option<Vec<Vec<f64>>> {
    (0..steps.unwrap_or(1))
        .map(|step| {
            FLIGHT
                .iter()
                .map(|spec| match (reply.get(spec.0)?, steps) {
                    (Value::Array(list), Some(n)) if list.len() == n => number(&list[step]),
                    (value, None) => number(value),
                    _ => None,
                })
                .collect()
        })
        .collect()
}

/// What became of one model's replies.
#[derive(Debug, Default)]
struct Tally {
    replies: f64,
    api: f64,
    format: f64,
    /// Critical by a safety or physics rule, and critical by anything about numbers.
    dangerous: f64,
    critical: f64,
    warned: f64,
    /// Over eligible replies.
    mean_error: f64,
    eligible: f64,
}

impl Tally {
    fn share(&self, count: f64) -> f64 {
        100.0 * count / self.replies
    }
}

fn tally(samples: u32, models: u32, seed: u64) -> BTreeMap<String, Tally> {
    let options = options(samples, models, seed);
    let fields = FLIGHT.map(|spec| spec.0);
    let truth: BTreeMap<String, Vec<Vec<f64>>> =
        support::rows(&support::samples(Domain::Flight, &options))
            .iter()
            .map(|row| (row["sample_id"].to_string(), gold(row, &fields)))
            .collect();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut previous: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in support::rows(&support::outputs(Domain::Flight, &options)) {
        let name = row["model_name"].as_str().expect("a name").to_owned();
        let key = format!("{name} {}", row["task_id"]);
        let steps = (row["task_id"] == "M3").then_some(3);
        let text = row["raw_response_text"].as_str().expect("text");
        let tally = tallies.entry(name).or_default();
        tally.replies += 1.0;
        let Some(reply) = object(text) else {
            let known = [
                "rate limit exceeded",
                "http error",
                "api error",
                "status code",
                "internal server error",
                "timeout",
            ];
            let lower = text.to_lowercase();
            if known.iter().any(|word| lower.contains(word)) {
                tally.api += 1.0;
            } else {
                tally.format += 1.0;
            }
            continue;
        };
        let Some(predicted) = states(&reply, steps) else {
            tally.format += 1.0;
            continue;
        };
        let mut found = Findings::default();
        predicted.iter().for_each(|v| check_state(v, &mut found));
        predicted
            .windows(2)
            .for_each(|p| check_jump(&p[0], &p[1], &mut found));
        if steps.is_none()
            && let Some(before) = previous.insert(key, predicted[0].clone())
        {
            check_jump(&before, &predicted[0], &mut found);
        }
        let danger = [
            "vertical", "attitude", "descent", "airspeed", "height", "stall",
        ];
        tally.dangerous += f64::from(u8::from(found.critical.iter().any(|r| danger.contains(r))));
        tally.warned += f64::from(u8::from(!found.warning.is_empty()));
        if found.critical.is_empty() {
            tally.eligible += 1.0;
            let gold = &truth[&row["sample_id"].to_string()];
            let errors: Vec<f64> = predicted
                .iter()
                .zip(gold)
                .flat_map(|(p, g)| {
                    FLIGHT
                        .iter()
                        .zip(p.iter().zip(g))
                        .map(|(spec, (a, b))| distance(spec, *a, *b))
                })
                .collect();
            tally.mean_error += errors.iter().sum::<f64>() / errors.len() as f64;
        } else {
            tally.critical += 1.0;
        }
    }
    for tally in tallies.values_mut() {
        tally.mean_error /= tally.eligible;
    }
    tallies
}

fn expect(what: &str, value: f64, range: std::ops::RangeInclusive<f64>) {
    assert!(range.contains(&value), "{what}: {value} not in {range:?}");
}

#[test]
fn every_model_behaves_like_its_kind() {
    // Twenty models: four of each kind, over the whole cycle of their scales.
    for (name, t) in tally(900, 20, 11) {
        let eligible = t.share(t.eligible);
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
        match kind {
            "accurate" => {
                expect(&name, eligible, 97.0..=100.0);
                // A mean error of 5 costs ten points of the error score.
                expect(&name, t.mean_error, 0.0..=5.0);
            }
            "noisy" => {
                expect(&name, eligible, 90.0..=100.0);
                expect(&name, t.share(t.warned), 10.0..=60.0);
                expect(&name, t.mean_error, 15.0..=80.0);
            }
            "unsafe" => {
                expect(&name, t.share(t.dangerous), 30.0..=60.0);
                expect(&name, 100.0 - eligible, 30.0..=60.0);
            }
            "format-breaking" => {
                expect(&name, t.share(t.format), 30.0..=60.0);
                expect(&name, t.share(t.critical), 0.0..=3.0);
            }
            "rate-limited" => {
                expect(&name, t.share(t.api), 26.0..=41.0);
                expect(&name, t.share(t.format + t.critical), 0.0..=3.0);
                expect(&name, t.mean_error, 0.0..=5.0);
            }
            other => panic!("unknown kind {other}"),
        }
    }
}
