//! The program against an independent implementation of the contract, in Python.

use serde_json::{Value, json};

use crate::data::SCORE;
use crate::support::{Place, oracle_says, raw_bytes};

/// What a script of the oracle prints, as text.
fn python(place: &Place, script: &str, arguments: &str) -> Option<String> {
    let printed = oracle_says(place, script, arguments)?;
    Some(String::from_utf8(printed).expect("text"))
}

/// Makes the episodes of a seed and compares everything that both sides say of them, in
/// both modes.
fn agrees(seed: u32, episodes: u32) {
    let place = Place::new();
    let make = format!("--seed {seed} --episodes {episodes} --out .");
    let Some(options) = python(&place, "episodes_cases.py", &make) else {
        return;
    };
    let options = options.trim();
    for mode in ["coord", "som"] {
        let at = format!("seed {seed} {mode} {options}");
        let asked = format!("--mode {mode} {options}");
        let inputs = format!("--episodes e.jsonl --predictions p.jsonl {asked}");
        let printed = python(&place, "episodes_oracle.py", &inputs).expect("python3 was there");
        let oracle: Value = serde_json::from_str(&printed).expect("JSON");
        let threads = 1 + seed % 2;
        place
            .judica(&format!(
                "{SCORE} {asked} --details out/d.jsonl --threads {threads}"
            ))
            .exits(0);
        same(&oracle["eval"], &place.json("out/eval.json"), &at);
        let details = Value::Array(place.json_lines("out/d.jsonl"));
        same(&oracle["details"], &details, &at);
        rejects_are(&place, &oracle["refused"], &at);
    }
}

/// Everything that the oracle says must stand in the report, numbers to 1e-12.
#[track_caller]
pub fn same(oracle: &Value, report: &Value, at: &str) {
    match (oracle, report) {
        (Value::Object(oracle), Value::Object(_)) => {
            for (key, expected) in oracle {
                same(expected, &report[key], &format!("{at}/{key}"));
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            assert_eq!(expected.len(), found.len(), "{at}");
            for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                same(expected, found, &format!("{at}/{index}"));
            }
        }
        (Value::Number(expected), Value::Number(found)) => {
            let [expected, found] = [expected, found].map(|n| n.as_f64().expect("a number"));
            assert!(
                (expected - found).abs() <= 1e-12,
                "{at}: {expected} and {found}"
            );
        }
        _ => assert_eq!(oracle, report, "{at}"),
    }
}

/// The rows that were refused: the right ones, for the right reason, and whole.
#[track_caller]
fn rejects_are(place: &Place, expected: &Value, at: &str) {
    let rejects = match place.names("out").contains(&"rejects.jsonl".to_owned()) {
        true => place.json_lines("out/rejects.jsonl"),
        false => Vec::new(),
    };
    let mut told: Vec<(String, u64, Value)> = Vec::new();
    for reject in &rejects {
        let name = reject["file"].as_str().expect("a name");
        let line = reject["line"].as_u64().expect("a line");
        told.push((name.to_owned(), line, reject["reason"].clone()));
        let bytes = place.read(name);
        let raw = raw_bytes(reject);
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert_eq!(bytes[offset..][..raw.len()], raw, "{at}: {name}:{line}");
        let before = bytes[..offset].iter().filter(|&&byte| byte == b'\n');
        assert_eq!(line, before.count() as u64 + 1, "{at}: {name}");
    }
    told.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let told: Vec<Value> = told.into_iter().map(|told| json!(told)).collect();
    assert_eq!(&Value::Array(told), expected, "{at}");
}

#[test]
fn on_episodes_of_every_kind() {
    for seed in 0..14 {
        agrees(seed, 8);
    }
}

#[test]
fn on_few_episodes() {
    for seed in 100..112 {
        agrees(seed, seed % 4);
    }
}

#[test]
fn on_more_episodes() {
    for seed in 200..204 {
        agrees(seed, 60);
    }
}
