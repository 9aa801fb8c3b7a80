//! Every parser with what must hold whatever it is given. libFuzzer runs these (`fuzz/src/main.rs`,
//! `scripts/fuzz`), and so do the tests (`tests/fuzz/main.rs`): one table, one file per target.

mod atl;
mod csv;
mod door;
mod expression;
mod json;
mod logs;
mod number;
mod parquet;
mod protocol;
mod reply;
mod response;
mod rows;

/// A target's name and what it does with some bytes; it panics where something does not hold.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 11] = [
    ("json", json::run),
    ("number", number::run),
    ("csv", csv::run),
    ("rows", rows::run),
    ("parquet", parquet::run),
    ("logs", logs::run),
    ("atl", atl::run),
    ("expression", expression::run),
    ("protocol", protocol::run),
    ("reply", reply::run),
    ("response", response::run),
];
