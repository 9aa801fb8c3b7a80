//! `judica look`, run as a user runs it.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod kinds;
mod shown;
