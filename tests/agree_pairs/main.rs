//! `judica agree pairs`, run as a user runs it.

#[path = "../support/mod.rs"]
mod support;

mod arbitration;
mod data;
mod degenerate;
mod failures;
mod formats_in;
mod formats_out;
mod happy;
mod hostile;
mod hygiene;
mod oracle;
mod refused;
mod rerun;
mod separate;
mod threads;
mod usage;
