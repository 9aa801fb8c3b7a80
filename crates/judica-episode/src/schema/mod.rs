//! The published JSON Schema of the eval JSON: printing it, holding files against it,
//! bringing old files up to it.
//!
//! * `generate`: the schema, from the typed document
//! * `check`: a value held against it
//! * `validate`, `sense`: a file held against it, and against what a schema cannot say
//! * `migrate`: files of older shapes in the current one

pub(crate) mod check;
pub(crate) mod generate;
pub(crate) mod migrate;
mod sense;
pub(crate) mod validate;

pub use generate::{generate, schema_text};
pub use migrate::{Migration, migrate};
pub use validate::{Problem, Validation, tables, validate};

#[cfg(test)]
mod fixtures_tests;
