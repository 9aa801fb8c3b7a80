//! A tolerant, allocation-free JSON reader for text that models wrote.
//!
//! Ordinary JSON readers stop at `NaN`, cannot say where an object ends inside
//! prose, and recurse as deep as the text tells them to. This one accepts the bare
//! words `NaN`, `Infinity` and `-Infinity` as values (so that a verifier can name
//! them), returns where a value ended, and never recurses.
//!
//! * [`scan`]: the scanner: strings, numbers, skipping whole values; `walk`: members of
//!   objects, elements of lists
//! * [`number`]: decimal text to the nearest double, JSON's grammar and people's
//! * [`text`]: string contents: finding their end, undoing escapes, writing them
//! * [`shape`]: lines that differ in their values only

pub mod number;
mod open;
pub mod scan;
pub mod shape;
pub mod text;
mod walk;

pub use scan::{ScanError, Scanner, ValueKind};

/// Pretty JSON with a final newline, for files that people open.
pub fn json_bytes(value: &impl serde::Serialize) -> Vec<u8> {
    // Our own shapes hold text, numbers and lists only; they always serialise.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
