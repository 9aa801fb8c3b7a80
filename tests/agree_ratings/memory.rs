//! How much memory a measurement takes: at most three times its input.

use std::fmt::Write;
use std::fs::File;
use std::process::Stdio;

use crate::support::Place;

/// What the program takes without any input, with room to spare.
const BASE: u64 = 50 << 20;

/// The largest amount of memory that a process had, while it runs.
fn high_water(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Runs the program on a file, as standard input if asked for; the most memory it had.
#[track_caller]
fn peak(place: &Place, name: &str, stdin: bool) -> u64 {
    let input = if stdin { "-" } else { name };
    let line = format!("agree ratings --level nominal --resamples 20 --input {input} --out r.json");
    let mut command = place.process(&line);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    if stdin {
        command.stdin(File::open(place.path(name)).expect("the input"));
    }
    let mut child = command.spawn().expect("the program");
    let mut most = 0;
    loop {
        most = most.max(high_water(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().expect("an end") {
            assert_eq!(status.code(), Some(0), "{name}");
            return most;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

#[track_caller]
fn within_three_times(place: &Place, name: &str) {
    let size = std::fs::metadata(place.path(name)).expect("a size").len();
    assert!(size > 20 << 20, "{name}: {size} bytes are too few to tell");
    for stdin in [false, true] {
        let most = peak(place, name, stdin);
        assert!(most <= 3 * size + BASE, "{name}: {most} bytes for {size}");
    }
}

/// A crowd: many items, of which each rater rates few. A table of all of both would be a
/// hundred times the input.
#[test]
fn a_crowd_that_rates_little_each() {
    let place = Place::new();
    let mut csv = String::from("item,rater,value\n");
    let mut json = String::from("[\n");
    for row in 0..1_100_000u64 {
        let (item, rater) = (row / 2, row * 7919 % 211);
        let value = ["yes", "no", "unclear"][(row % 5 % 3) as usize];
        let _ = writeln!(csv, "item{item},worker{rater},{value}");
        if row < 500_000 {
            let comma = if row == 0 { "" } else { "," };
            let _ = writeln!(
                json,
                "{comma}{{\"item\": \"item{item}\", \"rater\": {rater}, \"value\": \"{value}\"}}"
            );
        }
    }
    json.push(']');
    place.write("crowd.csv", csv);
    within_three_times(&place, "crowd.csv");
    place.write("crowd.json", json);
    within_three_times(&place, "crowd.json");
}

/// Every item once, with short rows: names are all there is.
#[test]
fn items_that_one_rater_rated() {
    let place = Place::new();
    let mut csv = String::from("item,rater,value\n");
    for row in 0..1_900_000u64 {
        let _ = writeln!(csv, "{row},r{},{}", row % 3, row % 4);
    }
    place.write("single.csv", csv);
    within_three_times(&place, "single.csv");
}
