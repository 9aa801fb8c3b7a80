//! The program against an independent implementation of the contract, in Python.

use serde_json::{Value, json};

use crate::support::{Place, oracle_says, raw_bytes, same};

/// What a script of the oracle prints, as text.
fn python(place: &Place, script: &str, arguments: &str) -> Option<String> {
    let printed = oracle_says(place, script, arguments)?;
    Some(String::from_utf8(printed).expect("text"))
}

/// Makes the folder of a seed and compares everything that both sides say of it.
fn agrees(seed: u32, items: u32) {
    let place = Place::new();
    let make = format!("--seed {seed} --items {items} --out .");
    let Some(human) = python(&place, "judges_cases.py", &make) else {
        return;
    };
    let human: Vec<String> = human
        .split_whitespace()
        .map(|name| format!("--human {name}"))
        .collect();
    let human = human.join(" ");
    for choice in [
        "",
        "--include-deterministic --min-common 5",
        "--human-reference first --min-common 1",
        "--human-reference unanimous",
    ] {
        let inputs = format!("--eval-dir eval {human} {choice}");
        let printed = python(&place, "judges_oracle.py", &inputs).expect("python3 was there");
        let oracle: Value = serde_json::from_str(&printed).expect("JSON");
        let line = format!("agree judges {inputs} --out out/r.json --resamples 0 --json");
        let ran = place.judica(&line);
        let people = &oracle["report"]["human"];
        if people.is_object() && people["matched_items"] == 0 {
            // Not one annotation was used, which is no result.
            ran.exits(2);
            continue;
        }
        let ran = ran.exits(0);
        let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        same(
            &oracle["report"],
            &report,
            1e-9,
            &format!("seed {seed} {choice}"),
        );
        rejects_are(&place, &oracle["refused"]);
        people_are(&report, &oracle["people"]);
        match &oracle["worth"] {
            Value::Null => assert_ne!(report["effective_judges"]["basis"], "human"),
            worth => same(worth, &report["effective_judges"], 1e-9, "worth"),
        }
        adds_up(&report);
    }
}

/// The rows that were refused: the right ones, for the right reason, whole, and where the
/// reject says they are.
#[track_caller]
fn rejects_are(place: &Place, expected: &Value) {
    let rejects = match place.names("out").contains(&"rejects.jsonl".to_owned()) {
        true => place.json_lines("out/rejects.jsonl"),
        false => Vec::new(),
    };
    let told = rejects.iter().map(|reject| {
        let raw = raw_bytes(reject);
        let row = serde_json::from_slice::<Value>(&raw)
            .unwrap_or_else(|_| String::from_utf8_lossy(&raw).into());
        // The other side names files of the folder as they lie in it.
        let file = reject["file"].as_str().expect("a name");
        let file = file.strip_prefix("eval/").unwrap_or(file);
        json!([file, reject["reason"], row])
    });
    assert_eq!(&Value::Array(told.collect()), expected);
    for reject in &rejects {
        let name = reject["file"].as_str().expect("a name");
        if name.ends_with(".gz") {
            continue;
        }
        let bytes = place.read(name);
        let raw = raw_bytes(reject);
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert_eq!(bytes[offset..][..raw.len()], raw, "{name}");
        let before = bytes[..offset].iter().filter(|&&byte| byte == b'\n');
        assert_eq!(reject["line"], before.count() + 1, "{name}");
    }
}

/// The people, by name.
#[track_caller]
fn people_are(report: &Value, expected: &Value) {
    let mut found = report["human"]["people"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    // Whoever only repeats others is named without an item.
    found.retain(|person| person["items"] != 0);
    found.sort_by_key(|person| person["name"].as_str().map(str::to_owned));
    assert_eq!(expected.as_array().map(Vec::len), Some(found.len()));
    same(expected, &Value::Array(found), 1e-9, "people");
}

/// Every row is used, left out, a duplicate or refused.
#[track_caller]
fn adds_up(report: &Value) {
    for judge in report["judges"].as_array().expect("judges") {
        let count = |key: &str| judge[key].as_u64().expect("a count");
        let left_out = judge["left_out"].as_object().expect("counts").values();
        let left_out: u64 = left_out.map(|count| count.as_u64().expect("a count")).sum();
        let all = count("used") + left_out + count("duplicates") + count("refused_rows");
        assert_eq!(count("rows"), all, "{judge}");
    }
}

#[test]
fn on_folders_of_many_kinds() {
    for seed in 0..14 {
        agrees(seed, 25);
    }
}

#[test]
fn on_few_items() {
    for seed in 100..112 {
        agrees(seed, 1 + seed % 4);
    }
}

#[test]
fn on_many_items() {
    for seed in 200..203 {
        agrees(seed, 100);
    }
}
