//! Files outlive programs: what version 0.2.0 wrote is still written, and still read.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::help::{ROOT, shell, with_docs};

const WRITTEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/v0.2.0");

/// The JSON files below a folder, by their paths in it.
fn documents(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let below = documents(&entry.path()).into_iter();
            found.extend(below.map(|file| format!("{name}/{file}")));
        } else if name.ends_with(".json") {
            found.push(name);
        }
    }
    found.sort();
    found
}

fn document(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// Where a document breaks what `docs/stability.md` promises of an older one: a key that is
/// gone, moved before another, of another type, or null now.
fn broken(old: &Value, new: &Value, at: &str, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Null, _) => {}
        (Value::Object(old), Value::Object(new)) => {
            let mut last = 0;
            for (key, value) in old {
                let Some(place) = new.keys().position(|known| known == key) else {
                    found.push(format!("{at}.{key} is gone"));
                    continue;
                };
                if place < last {
                    found.push(format!("{at}.{key} has moved"));
                }
                last = place;
                broken(value, &new[key], &format!("{at}.{key}"), found);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            if old.len() > new.len() {
                found.push(format!("{at} is shorter"));
            }
            for (number, (old, new)) in old.iter().zip(new).enumerate() {
                broken(old, new, &format!("{at}[{number}]"), found);
            }
        }
        (Value::Bool(_), Value::Bool(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::String(_), Value::String(_)) => {}
        _ => found.push(format!("{at} was {old}, and is {new}")),
    }
}

#[test]
fn what_was_written_is_still_written() {
    let place = with_docs();
    let ran = shell(&place, &format!("sh {ROOT}/tests/fixtures/formats.sh")).output();
    let ran = ran.expect("a shell");
    assert!(
        ran.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let files = documents(Path::new(WRITTEN));
    assert!(files.len() > 18, "{files:?}");
    let mut found = Vec::new();
    for file in files {
        let old = document(&Path::new(WRITTEN).join(&file));
        broken(&old, &document(&place.path(&file)), &file, &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_was_written_is_still_read() {
    let place = with_docs();
    let copied = shell(&place, &format!("cp -r {WRITTEN}/. .")).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let reads = |command: &str, says: &str| {
        let said = place.judica(command).exits(0).stdout;
        assert!(said.contains(says), "{command}: {said}");
    };
    reads("show eval-run mon-06 --model south", "dew point 15 degC");
    reads("export eval-run --format csv", "mon-06");
    reads("show match-run", "small");
    reads("compare match-run --subjects small,large", "matched");
    reads("gate check match-run --gates gates.toml", "pass");
    reads("schema validate eval.json", "eval.json");
    reads("gate init --report agree-ratings.json --out -", "metric");
    reads("reproduce match-run", "records.parquet");
    // Where replies were got is part of what they are kept under; nobody listens there now.
    let judge = "judge -p docs/examples/answers/predictions/small.json --model rule \
                 --base-url http://127.0.0.1:9/v1 --cache replies.sqlite3 --out judged";
    reads(
        judge,
        "0 calls, 0 tokens in, 0 out; 4 replies from the cache",
    );
}

#[test]
fn a_broken_promise_is_noticed() {
    let old = serde_json::json!({"a": 1, "b": null, "c": [{"d": "x"}], "e": true});
    let mut found = Vec::new();
    broken(&old, &old, "", &mut found);
    assert!(found.is_empty());
    let new = serde_json::json!({"c": [{}], "a": null, "b": 2});
    broken(&old, &new, "", &mut found);
    let said = found.join("; ");
    for part in [".a was 1", ".c[0].d is gone", ".e is gone", ".c has moved"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
