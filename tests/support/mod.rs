//! What the whole-program tests share: a place to run in, and small data to run on.

#![allow(dead_code, reason = "every test crate uses another part of this")]
#![allow(clippy::print_stderr, reason = "a test that cannot run here says so")]

pub mod child;
pub mod flight;
pub mod needs;
pub mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use judica_data::sha256::sha256_hex;
use judica_model::run::RunRecord;
use judica_run::open::Run;
use judica_run::rows::{Rows, Scratch};
use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub const JUDICA: &str = env!("CARGO_BIN_EXE_judica");
/// A timestamp for runs whose bytes are compared: without one the manifest has the clock.
pub const STAMP: &str = "2025-01-19T10:30:00Z";
/// What the manifest of every run has, in this order.
pub const MANIFEST_KEYS: [&str; 9] = [
    "schema_version",
    "command",
    "judica_version",
    "created_at",
    "inputs",
    "options",
    "counts",
    "metrics",
    "files",
];
/// What temporary files end with.
pub const TEMPORARY: &str = ".judica-tmp";

/// An object with more keys, or other values under the ones it has.
#[track_caller]
pub fn with(mut object: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().expect("keys") {
        object[key] = value.clone();
    }
    object
}

/// What a finished run of the program left.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Insists on an exit code, showing what was said otherwise.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "\nstdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        // Every code of the program is deliberate; a panic has its own, but a caught one
        // in a thread could hide behind another.
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    /// Insists on words in the error message.
    #[track_caller]
    pub fn complains(self, words: &[&str]) -> Self {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "no `{word}` in: {}",
                self.stderr
            );
        }
        self
    }

    /// Insists on words in the output.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(
                self.stdout.contains(word),
                "no `{word}` in: {}",
                self.stdout
            );
        }
        self
    }
}

/// A temporary folder in which the program runs, so that arguments can be plain names.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Place {
            folder: TempDir::new().expect("a temporary folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).expect("a folder for the file");
        }
        fs::write(&path, bytes).expect("the file is written");
        path
    }

    /// Both folders hold the same files with the same bytes.
    #[track_caller]
    pub fn same_files(&self, one: &str, other: &str) {
        let (one, other) = (self.files(one), self.files(other));
        let (ours, theirs): (Vec<_>, Vec<_>) = (one.keys().collect(), other.keys().collect());
        assert_eq!(ours, theirs);
        for (name, bytes) in &one {
            assert!(bytes == &other[name], "{name} differs");
        }
    }

    pub fn write_lines<S: AsRef<str>>(&self, name: &str, lines: &[S]) -> PathBuf {
        let text: String = lines
            .iter()
            .map(|line| format!("{}\n", line.as_ref()))
            .collect();
        self.write(name, text)
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).expect("JSON")
    }

    #[track_caller]
    pub fn json_lines(&self, name: &str) -> Vec<Value> {
        let text = self.text(name);
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect()
    }

    /// Names in a folder, hidden ones too; none if there is no such folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }

    /// Every file of a folder.
    #[track_caller]
    pub fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let names = self.names(folder).into_iter();
        names
            .map(|name| (name.clone(), self.read(&format!("{folder}/{name}"))))
            .collect()
    }

    /// The program, ready to be run here; arguments are split at spaces.
    pub fn command(&self, arguments: &str) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(JUDICA);
        command
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            // What the caller's shell has set must not decide a test.
            .env_remove("SOURCE_DATE_EPOCH")
            .env_remove("COLUMNS")
            .env_remove("CLICOLOR_FORCE")
            .timeout(Duration::from_secs(120));
        command
    }

    /// The same, to be started and left running.
    pub fn process(&self, arguments: &str) -> std::process::Command {
        let mut command = std::process::Command::new(JUDICA);
        command
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path());
        for name in ["SOURCE_DATE_EPOCH", "COLUMNS", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the program here.
    pub fn judica(&self, arguments: &str) -> Ran {
        ran(self.command(arguments))
    }

    /// Runs it with something on standard input.
    pub fn judica_with_stdin(&self, arguments: &str, stdin: impl Into<Vec<u8>>) -> Ran {
        let mut command = self.command(arguments);
        command.write_stdin(stdin);
        ran(command)
    }

    /// Insists that a run folder has no final file and nothing temporary.
    #[track_caller]
    pub fn nothing_in(&self, folder: &str) {
        assert_eq!(self.names(folder), Vec::<String>::new(), "left in {folder}");
    }
}

pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

pub fn ran(mut command: assert_cmd::Command) -> Ran {
    let output = command.output().expect("the program starts");
    Ran {
        // A signal (or our own timeout) gives no code.
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Insists that a reject keeps these bytes: all of them, or where they are and how they
/// begin if they are many.
#[track_caller]
pub fn keeps(reject: &Value, bytes: &[u8]) {
    if bytes.len() <= 64 << 10 {
        return assert_eq!(raw_bytes(reject), bytes);
    }
    let hash = sha256_hex(bytes);
    assert_eq!(reject["raw_bytes"], bytes.len());
    assert_eq!(reject["raw_sha256"], hash);
    let beginning = reject["raw_beginning"].as_str().expect("a beginning");
    assert!(beginning.len() > 1000 && bytes.starts_with(beginning.as_bytes()));
    assert!(reject.get("raw").is_none() && reject.get("raw_base64").is_none());
}

/// Says that a test could not do here what it is for.
pub fn note(text: &str) {
    eprintln!("note: {text}");
}

/// The keys of an object in their order.
#[track_caller]
pub fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

/// The bytes of a reject, whichever way they are kept.
#[track_caller]
pub fn raw_bytes(reject: &Value) -> Vec<u8> {
    match (reject["raw"].as_str(), reject["raw_base64"].as_str()) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(coded)) => base64(coded),
        other => panic!("one of raw and raw_base64 is needed: {other:?}"),
    }
}

/// Decodes base64: written out here so that the program's own encoder is not its judge.
fn base64(coded: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for digit in coded.bytes().filter(|digit| *digit != b'=') {
        let value = DIGITS
            .iter()
            .position(|known| *known == digit)
            .expect("base64");
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}

/// Runs a script of `tests/oracle` in the place; `None`, and a note, without Python.
pub fn python(place: &Place, script: &str, arguments: &str) -> Option<std::process::Output> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle");
    let output = std::process::Command::new("python3")
        .arg(folder.join(script))
        .args(arguments.split_whitespace())
        .current_dir(place.path("."))
        // The oracle's folder belongs to the sources; no caches there.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    if output.is_err() {
        eprintln!("note: python3 is not here, the oracle was not asked");
    }
    output.ok()
}

/// What a script of `tests/oracle` prints; it must succeed. `None` without Python.
#[track_caller]
pub fn oracle_says(place: &Place, script: &str, arguments: &str) -> Option<Vec<u8>> {
    let output = python(place, script, arguments)?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script} {arguments}: {said}");
    Some(output.stdout)
}

/// Everything that an oracle says must stand in a report; numbers may differ by `slack`.
#[track_caller]
pub fn same(oracle: &Value, report: &Value, slack: f64, at: &str) {
    match (oracle, report) {
        (Value::Object(oracle), Value::Object(_)) => {
            for (key, expected) in oracle {
                same(expected, &report[key], slack, &format!("{at}/{key}"));
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            assert_eq!(expected.len(), found.len(), "{at}");
            for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                same(expected, found, slack, &format!("{at}/{index}"));
            }
        }
        (Value::Number(expected), Value::Number(found)) => {
            let [expected, found] = [expected, found].map(|n| n.as_f64().expect("a number"));
            // What is large is not given to the same place behind its point.
            let slack = slack.max(1e-13 * expected.abs());
            assert!(
                (expected - found).abs() <= slack,
                "{at}: {expected} and {found}"
            );
        }
        _ => assert_eq!(oracle, report, "{at}"),
    }
}

/// The report of a run with `--json`.
#[track_caller]
pub fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

/// Calls `see` with every record of a run and the names of its own columns.
#[track_caller]
pub fn each_record(place: &Place, folder: &str, see: &mut dyn FnMut(&RunRecord, &[&str])) {
    let run = Run::open(&place.path(folder)).expect("a run");
    let mut seen = 0;
    for batch in run.records().unwrap().batches(&[]).unwrap() {
        let batch = batch.unwrap();
        let rows = Rows::new(&batch);
        let names = rows.own_names();
        for at in 0..rows.len() {
            let mut scratch = Scratch::default();
            see(&rows.get(at, &mut scratch), &names);
            seen += 1;
        }
    }
    assert_eq!(seen, run.manifest.counts.records);
}

/// The bytes as gzip packs them.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("gzip");
    encoder.finish().expect("gzip")
}

/// The bytes as zstd packs them.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(bytes, 1).expect("zstd")
}

/// How many lines or rows a report on agreement refused for a reason.
pub fn refused(report: &Value, reason: &str) -> u64 {
    let kinds = report["refused"].as_array().expect("refusals");
    let kind = kinds.iter().find(|kind| kind["reason"] == reason);
    kind.map_or(0, |kind| kind["count"].as_u64().expect("a count"))
}

/// The keys of the one shape that every gate has.
pub const GATE_KEYS: [&str; 8] = [
    "name",
    "metric",
    "value",
    "op",
    "threshold",
    "pass",
    "vacuous",
    "note",
];

/// Records as lines without their places, which depend on how lines are put into files.
pub fn placeless(records: &str) -> String {
    let mut text = String::with_capacity(records.len());
    for line in records.lines() {
        let place = line.split_once(",\"input_file\":").expect("a place");
        let rest = place.1.split_once(",\"protocol_result\":").expect("more");
        text.push_str(&format!("{},\"protocol_result\":{}\n", place.0, rest.1));
    }
    text
}
