//! Standard output and error that nobody reads, that are full, or closed: the verdict, the
//! files and the end of the program do not depend on them.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::support::child::{end, signal};
use crate::support::{Place, TEMPORARY};

const GATES: &str = "version = 1\n[[gate]]\nname = \"accuracy\"\nmetric = \"/accuracy\"\nop = \">=\"\nthreshold = 0.9\n";

/// A pipe whose reader has gone.
fn gone() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    Stdio::from(writer)
}

fn full() -> Stdio {
    Stdio::from(
        File::options()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full"),
    )
}

/// Two validators who disagree on everything: gates fail.
fn pairs() -> Place {
    let place = Place::new();
    let lines: Vec<String> = (0..8)
        .map(|at| {
            let (scholar, auditor) = [("VALID", "REJECT"), ("REJECT", "VALID")][at % 2];
            json!({"qid": at.to_string(), "scholar": {"label": scholar}, "auditor": {"label": auditor}})
                .to_string()
        })
        .collect();
    place.write_lines("pairs.jsonl", &lines);
    place.write("report.json", r#"{"accuracy": 0.5}"#);
    place.write("gates.toml", GATES);
    place.write(
        "release.toml",
        "version = 1\nname = \"r\"\n[[step]]\nname = \"a\"\nrun = \"agree pairs --pairs pairs.jsonl --tsv t/d.tsv\"\n",
    );
    place
}

#[test]
fn a_failed_gate_fails_and_every_file_is_written_whoever_reads() {
    let lines = [
        (
            "agree pairs --pairs pairs.jsonl --tsv t/d.tsv --out r.json --junit j.xml --markdown m.md --github",
            &["t/d.tsv", "r.json", "j.xml", "m.md"][..],
        ),
        (
            "gate check --report report.json --gates gates.toml --out r.json --junit j.xml --markdown m.md --github",
            &["r.json", "j.xml", "m.md"][..],
        ),
        (
            "release --config release.toml --out r.json --junit j.xml --markdown m.md --github",
            &["r.json", "j.xml", "m.md"][..],
        ),
    ];
    for (line, files) in lines {
        for json in ["", " --json"] {
            let streams: [fn() -> Stdio; 3] = [gone, full, Stdio::null];
            for stream in streams {
                let place = pairs();
                let status = place
                    .process(&format!("{line}{json}"))
                    .stdout(stream())
                    .stderr(stream())
                    .status()
                    .expect("the program starts");
                assert_eq!(status.code(), Some(1), "{line}{json}");
                for file in files {
                    assert!(!place.read(file).is_empty(), "{line}: {file}");
                }
            }
        }
    }
}

/// Where standard output stands in for a file, what could not be written is a failure, but
/// a reader that has seen enough is none.
#[test]
fn what_is_delivered_is_delivered_or_missed() {
    let place = Place::new();
    for line in ["schema print", "completions bash", "rules --source"] {
        let run = |out: Stdio| {
            let mut command = place.process(line);
            let status = command.stdout(out).stderr(Stdio::null()).status();
            status.expect("the program starts").code()
        };
        assert_eq!(run(gone()), Some(0), "{line}");
        assert_eq!(run(full()), Some(3), "{line}");
    }
}

/// What is full is named, and not taken for what is read.
#[test]
fn what_cannot_be_written_is_standard_output() {
    let place = Place::new();
    place.write("p.jsonl", r#"{"id": "q", "gold": "a", "prediction": "a"}"#);
    place
        .judica("match --predictions p.jsonl --run run")
        .exits(0);
    let mut command = place.process("export run --format csv");
    let said = command.stdout(full()).output().expect("the program starts");
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("standard output: disk full"), "{said}");
}

/// A report that nobody can read is a report all the same.
#[test]
fn what_is_found_does_not_depend_on_who_reads_it() {
    use crate::support::flight::{calm, output, sample};
    let place = Place::new();
    place.write("s.jsonl", sample("x", "S1"));
    place.write("o.jsonl", output("m", "x", &calm("S1")));
    place
        .judica("eval --protocol flight --samples s.jsonl --outputs o.jsonl --out run")
        .exits(0);
    for line in ["show run x", "show run x --json", "show run x --json --all"] {
        for stream in [gone, full] {
            let mut command = place.process(line);
            let status = command.stdout(stream()).stderr(Stdio::null()).status();
            assert_eq!(
                status.expect("the program starts").code(),
                Some(0),
                "{line}"
            );
        }
    }
}

/// Commands that have begun to write, and wait for more on standard input.
#[test]
fn a_signal_ends_the_program_and_every_temporary_whatever_becomes_of_stderr() {
    let row = r#"{"id": 1, "input": "q", "gold": "a", "prediction": "b"}"#;
    let pair = r#"{"qid": "1", "scholar": {"label": "VALID"}, "auditor": {"label": "REJECT"}}"#;
    let output = r#"{"model": "m", "id": "s", "response": "{}"}"#;
    let lines = [
        (
            "match --predictions - --out a/r.json --details b/d.jsonl --rejects c/x.jsonl",
            row,
        ),
        (
            "agree pairs --pairs - --tsv a/d.tsv --arbitrated b/a.jsonl --rejects c/x.jsonl",
            pair,
        ),
        (
            "eval --protocol flight --samples s.jsonl --outputs - --out a",
            output,
        ),
    ];
    for (line, row) in lines {
        for name in ["-INT", "-TERM", "-HUP"] {
            let place = Place::new();
            let sample = json!({"sample_id": "s", "task_id": "S1", "gold": {}});
            place.write("s.jsonl", format!("{sample}\n"));
            let mut child = place
                .process(line)
                .stdin(Stdio::piped())
                .stdout(gone())
                .stderr(gone())
                .spawn()
                .expect("the program starts");
            let mut stdin = child.stdin.take().expect("a pipe");
            let rows = format!("{row}\n{row} x\n").repeat(60_000);
            // It may be gone before it has read all.
            let _ = stdin.write_all(rows.as_bytes());
            signal(&child, name);
            assert_eq!(end(&mut child), Some(130), "{line} {name}");
            drop(stdin);
            for folder in ["a", "b", "c", "."] {
                let names = place.names(folder);
                assert!(
                    !names.iter().any(|name| name.contains(TEMPORARY)),
                    "{line} {name}: {folder} has {names:?}"
                );
            }
        }
    }
}

/// Whoever should read standard error does not, and does not close it either.
#[test]
fn a_signal_ends_a_program_that_nobody_listens_to() {
    let place = Place::new();
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let filler = writer.try_clone().expect("a second end");
    std::thread::spawn(move || {
        // Fills the pipe, and stays here.
        let _ = writer.write_all(&[b' '; 1 << 22]);
    });
    std::thread::sleep(Duration::from_millis(300));
    let mut child = place
        .process("match --predictions - --out r.json")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::from(filler))
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "-TERM");
    assert_eq!(end(&mut child), Some(130));
    drop(reader);
}

#[test]
fn release_ends_its_children() {
    for name in ["-TERM", "-INT"] {
        let place = Place::new();
        let made = Command::new("mkfifo").arg(place.path("never")).status();
        assert!(made.expect("mkfifo").success());
        place.write(
            "release.toml",
            "version = 1\nname = \"r\"\n[[step]]\nname = \"a\"\nrun = \"match --predictions never --out t/r.json\"\ngates = \"gates.toml\"\n",
        );
        place.write("gates.toml", GATES);
        let mut parent = place
            .process("release --config release.toml --out r.json")
            .stdout(Stdio::null())
            .stderr(gone())
            .spawn()
            .expect("the program starts");
        let children = format!("/proc/{0}/task/{0}/children", parent.id());
        let child = (0..500).find_map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            let text = std::fs::read_to_string(&children).ok()?;
            text.split_whitespace().next().map(str::to_owned)
        });
        let child = child.expect("the step runs");
        signal(&parent, name);
        assert_eq!(end(&mut parent), Some(130), "{name}");
        assert!(
            !std::path::Path::new(&format!("/proc/{child}")).exists(),
            "{name}: the step lives on"
        );
        assert!(!place.path("r.json").exists());
    }
}
