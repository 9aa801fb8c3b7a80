//! Ctrl-C while a run is made again.

use std::process::Stdio;
use std::time::Duration;

use crate::support::child::interrupt;
use crate::support::{Place, TEMPORARY};

fn temporary(place: &Place) -> Vec<String> {
    place
        .names(".")
        .into_iter()
        .filter(|name| name.ends_with(TEMPORARY))
        .collect()
}

#[test]
fn ctrl_c_leaves_no_temporary_folder() {
    let place = Place::new();
    place
        .judica("synth flight --samples 600 --models 15 --seed 5 --out data")
        .exits(0);
    place
        .judica("eval --protocol flight --samples data/samples.jsonl --outputs data/outputs.jsonl --out run --records jsonl")
        .exits(0);
    let mut child = place
        .process("reproduce run")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    while temporary(&place).is_empty() {
        assert!(
            child.try_wait().expect("a child").is_none(),
            "ended before it could be interrupted"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    let ended = child.wait().expect("ended");
    assert_eq!(temporary(&place), Vec::<String>::new());
    assert_eq!(ended.code(), Some(130));
}
