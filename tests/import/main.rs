//! `judica import`, run as a user runs it.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod eval_log;
mod inspect;
mod logs;
mod readers;
