//! Runs, and what becomes one: whole-program tests, one module per command. One program, since linking is most of
//! what building a test takes.

#[path = "../crates/judica-judge/tests/server/mod.rs"]
mod server;
#[path = "support/mod.rs"]
mod support;

#[path = "import/main.rs"]
mod import;
#[path = "look/main.rs"]
mod look;
#[path = "reproduce/main.rs"]
mod reproduce;
#[path = "runs/main.rs"]
mod runs;
#[path = "show_export/main.rs"]
mod show_export;
