//! Files that people write in TOML: read key by key, every mistake named with its place.

mod entry;
mod place;

pub use entry::{Entry, Text};
pub use place::{Place, Problem, all_of, did_you_mean};
