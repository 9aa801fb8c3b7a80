//! The fuzz targets (`fuzz/targets`) over their corpus, and for a moment over what a fixed
//! sequence of random changes makes of it. `scripts/fuzz` does the same for ten minutes each,
//! with coverage to lead it.
// The clock says when to stop, not what comes out.
#![allow(clippy::disallowed_methods)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[path = "../../fuzz/targets/mod.rs"]
mod targets;

/// How long inputs are changed at random; `JUDICA_FUZZ_SECONDS` says otherwise.
const SECONDS: u64 = 1;
/// What means something to most parsers.
const MARKS: &[u8] = b"{}[]()\"'\\,:.-+eE0 19<>!&|=\n\r\t";
/// Inputs are not let grow beyond this.
const LONGEST: usize = 8 << 10;

fn corpus(target: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("fuzz/corpus").join(target)
}

/// A linear generator; of its states the high bits.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        let next = self.0.wrapping_mul(6364136223846793005);
        self.0 = next.wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// One to four changes of an input; pieces may come from another.
fn changed(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let until = (at + random.below(16)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..until)),
            1 => drop(bytes.splice(
                at..at,
                input[at.min(input.len())..].iter().take(16).copied(),
            )),
            2 => {
                let from = random.below(other.len() + 1);
                let piece = &other[from..(from + random.below(64)).min(other.len())];
                drop(bytes.splice(at..until, piece.iter().copied()));
            }
            3 => bytes.insert(at, random.below(256) as u8),
            4 => bytes.insert(at, MARKS[random.below(MARKS.len())]),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Runs a target; what it does not bear is shown as it can be put into the corpus.
fn hold(target: &str, run: fn(&[u8]), input: &[u8], from: &str) {
    if catch_unwind(AssertUnwindSafe(|| run(input))).is_err() {
        let shown = input.escape_ascii();
        panic!("{target} does not bear this ({from}): b\"{shown}\"");
    }
}

fn fuzz(target: &str) {
    let (_, run) = targets::TARGETS
        .into_iter()
        .find(|(name, _)| *name == target)
        .unwrap();
    let folder = std::fs::read_dir(corpus(target)).expect("a corpus");
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    assert!(
        files.len() > 4,
        "{target}: a corpus of {} files",
        files.len()
    );
    let mut inputs = Vec::new();
    for file in files {
        let input = std::fs::read(&file).unwrap();
        hold(target, run, &input, &file.display().to_string());
        inputs.push(input);
    }
    let seconds = std::env::var("JUDICA_FUZZ_SECONDS").ok();
    let seconds = seconds
        .and_then(|seconds| seconds.parse().ok())
        .unwrap_or(SECONDS);
    let (began, mut random) = (Instant::now(), Random(1));
    for round in 0.. {
        if began.elapsed() > Duration::from_secs(seconds) {
            let files = inputs.len();
            #[allow(
                clippy::print_stdout,
                reason = "what a test prints is kept, and shown on demand"
            )]
            {
                println!("{target}: {files} files, {round} changes of them");
            }
            break;
        }
        let (one, other) = (random.below(inputs.len()), random.below(inputs.len()));
        let input = changed(&inputs[one], &inputs[other], &mut random);
        hold(target, run, &input, &format!("change {round}"));
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test] fn $name() { fuzz(stringify!($name)); })*

        #[test]
        fn every_target_is_run() {
            let names = targets::TARGETS.map(|(name, _)| name);
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

targets!(json number csv rows parquet logs atl expression protocol reply response);
