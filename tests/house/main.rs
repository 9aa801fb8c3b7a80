//! What holds for every command of the house.

#[path = "../support/mod.rs"]
mod support;

mod at_once;
mod limits;
mod numbers;
mod options;
#[cfg(unix)]
mod outputs;
mod rooms;
// With `/dev/full` and `/proc`.
#[cfg(target_os = "linux")]
mod streams;
mod tables;
mod unusable;
