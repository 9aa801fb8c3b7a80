//! `judica agree ratings`, run as a user runs it.

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/run_folder.rs"]
mod run_folder;

mod alike;
mod bad_input;
mod columns;
mod data;
mod formats_in;
mod formats_out;
mod happy;
mod heatmap;
mod invariance;
// By `/proc`.
#[cfg(target_os = "linux")]
mod memory;
mod options;
mod packages;
mod refused;
mod run;
mod undefined;
mod xml;
