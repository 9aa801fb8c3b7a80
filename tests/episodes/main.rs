//! `judica episodes`, `schema`, `compare`, `plot` and `aggregate`, run as a user runs them.

#[path = "../support/mod.rs"]
mod support;

mod aggregate;
mod bad_input;
mod compare;
mod compare_shown;
mod data;
mod details;
mod eval_file;
mod figures;
mod fixtures;
mod formats_in;
mod hostile;
mod intervals;
mod migrate;
mod milestones;
mod model;
mod oracle;
mod pixels;
mod plot;
mod predicted;
mod recorders;
mod run;
mod strict;
mod strip;
mod tables;
mod threads;
mod usage;
mod validate;
