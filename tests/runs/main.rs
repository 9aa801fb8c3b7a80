//! Every command that leaves a run, and everything that can be done with one, over one table.

#[path = "../../crates/judica-judge/tests/server/mod.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

mod bad_folders;
mod cases;
mod compare;
mod every_command;
