//! `judica reproduce`, run as a user runs it.

#[path = "../support/mod.rs"]
mod support;

mod identical;
mod interrupted;
mod tampered;
