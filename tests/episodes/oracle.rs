//! The program against an independent implementation of the contract, in Python.

use serde_json::{Value, json};

use crate::data::{cases, score_case};
use crate::support::{Place, raw_bytes, same};

/// How far numbers may differ.
pub const SLACK: f64 = 1e-12;

/// Compares everything that both sides say of random cases, in both modes.
fn agrees(numbers: [u32; 4]) {
    let place = Place::new();
    for case in cases(&place, numbers) {
        for mode in ["coord", "som"] {
            let folder = case["folder"].as_str().expect("a name");
            let at = format!("seed {folder} {mode}");
            let threads = 1 + folder.len() % 2;
            let line = score_case(&case, mode);
            let ran = place.judica(&format!("{line} --threads {threads}"));
            let oracle = &case[mode];
            let inputs = &oracle["eval"]["inputs"];
            if ["episodes", "predictions"]
                .iter()
                .any(|file| inputs[file]["records"] == 0)
            {
                // A file of which nothing could be used is no result.
                ran.exits(2);
                continue;
            }
            ran.exits(0);
            let eval = place.json(&format!("{folder}/out/eval.json"));
            same(&oracle["eval"], &eval, SLACK, &at);
            let details = place.json_lines(&format!("{folder}/out/d.jsonl"));
            same(&oracle["details"], &Value::Array(details), SLACK, &at);
            rejects_are(&place, folder, &oracle["refused"], &at);
        }
    }
}

/// The rows that were refused: the right ones, for the right reason, and whole.
#[track_caller]
fn rejects_are(place: &Place, folder: &str, expected: &Value, at: &str) {
    let names = place.names(&format!("{folder}/out"));
    let rejects = match names.contains(&"rejects.jsonl".to_owned()) {
        true => place.json_lines(&format!("{folder}/out/rejects.jsonl")),
        false => Vec::new(),
    };
    let mut told: Vec<(&str, u64, &Value)> = Vec::new();
    for reject in &rejects {
        let name = reject["file"].as_str().expect("a name");
        let line = reject["line"].as_u64().expect("a line");
        let short = name
            .strip_prefix(&format!("{folder}/"))
            .expect("its folder");
        told.push((short, line, &reject["reason"]));
        let bytes = place.read(name);
        let raw = raw_bytes(reject);
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert_eq!(bytes[offset..][..raw.len()], raw, "{at}: {name}:{line}");
        let before = bytes[..offset].iter().filter(|&&byte| byte == b'\n');
        assert_eq!(line, before.count() as u64 + 1, "{at}: {name}");
    }
    told.sort_by_key(|(name, line, _)| (*name, *line));
    let told: Vec<Value> = told.into_iter().map(|told| json!(told)).collect();
    assert_eq!(&Value::Array(told), expected, "{at}");
}

#[test]
fn on_episodes_of_every_kind() {
    agrees([0, 16, 5, 12]);
}

#[test]
fn on_few_episodes() {
    agrees([90, 106, 0, 3]);
}

#[test]
fn on_more_episodes() {
    agrees([200, 204, 40, 60]);
}
