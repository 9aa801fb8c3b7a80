//! What holds for every command of the house.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../crates/judica-judge/tests/server/mod.rs"]
#[cfg(unix)]
mod chat_server;

mod at_once;
#[cfg(unix)]
mod formats;
#[cfg(unix)]
mod help;
mod latex;
mod limits;
mod numbers;
mod options;
#[cfg(unix)]
mod outputs;
mod reference;
mod rooms;
mod screens;
// With `/dev/full` and `/proc`.
#[cfg(target_os = "linux")]
mod streams;
mod tables;
mod unusable;
