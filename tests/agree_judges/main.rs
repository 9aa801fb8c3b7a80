//! `judica agree judges`, run as a user runs it.

mod data;
mod degenerate;
mod deterministic;
mod failures;
mod formats_in;
mod formats_out;
mod happy;
mod heatmap;
mod hostile;
mod nl2atl;
mod oracle;
mod outputs;
mod people;
mod people_many;
mod people_refused;
mod refused;
mod run;
mod tables;
mod threads;
mod usage;
mod worth;
