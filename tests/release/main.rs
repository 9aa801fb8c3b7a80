//! `judica release`, run as a user runs it.

#[path = "../support/mod.rs"]
mod support;

mod data;
mod failing;
mod mistakes;
mod outputs;
mod passing;
