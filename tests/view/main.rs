//! `judica view` and the report in one file: in a real browser, and over a bare socket.

#[allow(dead_code, reason = "another suite asks more of them")]
#[path = "../runs/cases.rs"]
mod cases;
#[path = "../../crates/judica-judge/tests/server/mod.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

mod axe;
mod begins;
mod browser;
mod choices;
mod elsewhere;
mod guard;
mod looks;
mod one_file;
mod pages;
mod runs;
mod served;
mod setup;
#[cfg(unix)]
mod shots;
mod tours;
mod walk;
mod wire;
