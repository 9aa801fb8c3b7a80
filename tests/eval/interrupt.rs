//! Runs that are stopped half way.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::child::{end, interrupt};
use crate::support::flight::RUN;
use crate::support::{Place, STAMP, TEMPORARY};

fn eval(outputs: &str, records: &str) -> String {
    format!(
        "eval --protocol flight --samples data/samples.jsonl --outputs {outputs} --out run --records {records} \
         --timestamp {STAMP}"
    )
}

/// A place with outputs: 200 samples give 2.4 MB, three chunks where lines are written,
/// 600 give two of the larger chunks of a table.
fn data(samples: usize) -> Place {
    let place = Place::new();
    place
        .judica(&format!(
            "synth flight --samples {samples} --models 15 --seed 5 --out data"
        ))
        .exits(0);
    place
}

/// Starts a run on standard input and gives it `bytes`. A pipe holds little, so when all
/// are gone the run has read nearly all of them.
fn start(place: &Place, records: &str, bytes: &[u8]) -> Child {
    let mut child = place
        .process(&eval("-", records))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child
        .stdin
        .as_mut()
        .expect("a pipe")
        .write_all(bytes)
        .expect("the run reads");
    child
}

#[test]
fn ctrl_c_stops_a_run_whose_input_goes_on() {
    let place = data(600);
    let bytes = place.read("data/outputs.jsonl");
    for (records, head) in [("parquet", 5 << 20), ("both", 2 << 20)] {
        let mut child = start(&place, records, &bytes[..head]);
        assert!(!place.names("run").is_empty(), "nothing was begun yet");
        interrupt(&child);
        // The signal is noted in another thread of the program.
        std::thread::sleep(Duration::from_millis(200));
        let mut pipe = child.stdin.take().expect("a pipe");
        // It stops reading some time in these, and then the pipe breaks.
        let _ = pipe.write_all(&bytes[head..]);
        assert_eq!(end(&mut child), Some(130));
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("a pipe"), &mut said)
            .expect("text");
        assert!(said.contains("interrupted"), "{said}");
        place.nothing_in("run");
    }
}

#[test]
fn ctrl_c_stops_a_run_that_waits_for_input() {
    let place = data(200);
    let bytes = place.read("data/outputs.jsonl");
    for head in [0, 2 << 20] {
        let mut child = start(&place, "jsonl", &bytes[..head]);
        std::thread::sleep(Duration::from_millis(300));
        interrupt(&child);
        assert_eq!(end(&mut child), Some(130), "after {head} bytes");
        place.nothing_in("run");
    }
}

#[test]
fn ctrl_c_stops_a_run_that_waits_for_a_writer() {
    let place = data(200);
    let made = Command::new("mkfifo")
        .arg(place.path("fifo.jsonl"))
        .status()
        .expect("mkfifo");
    assert!(made.success());
    let mut child = place
        .process(&eval("fifo.jsonl", "jsonl"))
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(end(&mut child), Some(130));
    place.nothing_in("run");
}

#[test]
fn an_earlier_run_survives_an_interrupted_one() {
    let place = data(200);
    place
        .judica(&eval("data/outputs.jsonl", "parquet"))
        .exits(0);
    let before = place.files("run");
    let bytes = place.read("data/outputs.jsonl");
    let mut child = start(&place, "both", &bytes[..2 << 20]);
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(200));
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(&bytes[2 << 20..]);
    assert_eq!(end(&mut child), Some(130));
    assert!(place.files("run") == before, "the earlier run was touched");
}

#[test]
fn after_a_kill_there_is_no_final_file_and_a_rerun_starts_clean() {
    let place = data(200);
    let bytes = place.read("data/outputs.jsonl");
    let mut child = start(&place, "both", &bytes[..2 << 20]);
    child.kill().expect("killed");
    child.wait().expect("waited");
    let left = place.names("run");
    assert!(
        !left.is_empty(),
        "nothing was begun, so the test shows nothing"
    );
    assert!(
        left.iter().all(|name| name.ends_with(TEMPORARY)),
        "a half-written file has its final name: {left:?}"
    );
    place
        .judica(&eval("data/outputs.jsonl", "parquet"))
        .exits(0);
    assert_eq!(place.names("run"), RUN);
    place.judica("reproduce run").exits(0);
}
