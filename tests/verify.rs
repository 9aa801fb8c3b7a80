//! Protocol verification: whole-program tests, one module per command. One program, since linking is most of
//! what building a test takes.

#[path = "../crates/judica-judge/tests/server/mod.rs"]
mod server;
#[path = "support/mod.rs"]
mod support;

#[path = "eval/main.rs"]
mod eval;
#[path = "rules/main.rs"]
mod rules;
#[path = "synth_demo/main.rs"]
mod synth_demo;
