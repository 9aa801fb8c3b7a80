//! A manifest names plain files of its own folder, and nothing else is opened.

use std::fs;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::flight::tiny_run;

/// Names that lead elsewhere, on one system or another.
const ELSEWHERE: [&str; 10] = [
    "/etc/passwd",
    "../secret",
    "..",
    ".",
    "",
    "sub/records.parquet",
    "./report.json",
    "..\\secret",
    "C:secret",
    "nul\u{0}byte",
];

const COMMANDS: [&str; 6] = [
    "show run a1",
    "export run --format jsonl",
    "export run --format csv --out copy.csv",
    "export run --format parquet --out copy.parquet",
    "export run --format markdown",
    "reproduce run",
];

/// A run whose manifest was changed by hand.
fn tampered(change: impl Fn(&mut Value)) -> Place {
    let place = tiny_run("both");
    place.write("secret", "s3cret");
    let mut manifest = place.json("run/manifest.json");
    change(&mut manifest);
    place.write("run/manifest.json", manifest.to_string());
    place
}

#[test]
fn a_name_that_leads_elsewhere_is_refused_before_anything_is_opened() {
    for name in ELSEWHERE {
        let file = json!({"kind": "records", "bytes": 3, "reproducible": true});
        let listed = tampered(|manifest| manifest["files"][name] = file.clone());
        for place in [listed] {
            // What is not opened may as well be missing.
            fs::remove_file(place.path("run/protocol.toml")).expect("removed");
            for command in COMMANDS {
                let ran = place.judica(command).exits(3).complains(&[
                    "SYSTEM_ERROR",
                    "run/manifest.json",
                    "plain names",
                ]);
                assert!(!ran.stderr.contains("s3cret") && !ran.stderr.contains('\0'));
            }
        }
    }
}

#[test]
fn plain_names_are_fine() {
    let place = tiny_run("both");
    for command in COMMANDS {
        place.judica(command).exits(0);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_waited_for() {
    for name in [
        "manifest.json",
        "protocol.toml",
        "report.json",
        "records.parquet",
    ] {
        let place = tampered(|_| {});
        let path = place.path("run").join(name);
        fs::remove_file(&path).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if !made.is_ok_and(|made| made.success()) {
            return;
        }
        let command = match name {
            "report.json" => "export run --format markdown",
            _ => "show run a1",
        };
        place
            .judica(command)
            .exits(3)
            .complains(&[name, "not a file"]);
    }
}
