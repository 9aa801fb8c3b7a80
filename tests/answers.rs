//! Answers against gold, and judges: whole-program tests, one module per command. One program, since linking is most of
//! what building a test takes.

#[path = "../crates/judica-judge/tests/server/mod.rs"]
mod server;
#[path = "support/mod.rs"]
mod support;

#[path = "answers/main.rs"]
mod answers;
#[path = "judge/main.rs"]
mod judge;
