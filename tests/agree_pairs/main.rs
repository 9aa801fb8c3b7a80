//! `judica agree pairs`, run as a user runs it.

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
mod pieces;
mod policy;
mod refused;
mod rerun;
mod run;
mod separate;
mod tables;
mod threads;
mod usage;
