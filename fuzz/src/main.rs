//! libFuzzer over one of the targets: `JUDICA_FUZZ_TARGET` names it. One program for all of
//! them, since linking takes longer than all else; `scripts/fuzz` builds and runs it.

#![no_main]

use std::sync::OnceLock;

#[path = "../targets/mod.rs"]
mod targets;

static RUN: OnceLock<fn(&[u8])> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let run = RUN.get_or_init(|| {
        let wanted = std::env::var("JUDICA_FUZZ_TARGET").unwrap_or_default();
        let found = targets::TARGETS.iter().find(|(name, _)| *name == wanted);
        found.expect("JUDICA_FUZZ_TARGET names a target").1
    });
    run(data);
});
