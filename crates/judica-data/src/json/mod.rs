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
//! * [`decimal`]: the exact value of a number
//! * [`text`]: string contents: finding their end, undoing escapes, writing them
//! * [`shape`]: lines that differ in their values only

pub mod decimal;
pub mod number;
mod open;
pub mod scan;
pub mod shape;
pub mod text;
mod walk;

pub use scan::{ScanError, Scanner, ValueKind};

/// A key as it is written in a JSON pointer.
pub fn pointer_key(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The key that a part of a JSON pointer stands for.
pub fn pointer_part(part: &str) -> String {
    // In this order: `~01` stands for `~1`.
    part.replace("~1", "/").replace("~0", "~")
}

/// The ends of an interval, `[lo, hi]` with `lo <= hi`.
pub fn interval_ends(value: &serde_json::Value) -> Option<[f64; 2]> {
    let [lo, hi] = value.as_array()?.as_slice() else {
        return None;
    };
    let (lo, hi) = (lo.as_f64()?, hi.as_f64()?);
    (lo <= hi).then_some([lo, hi])
}

/// Pretty JSON with a final newline, for files that people open.
pub fn json_bytes(value: &impl serde::Serialize) -> Vec<u8> {
    // Our own shapes hold text, numbers and lists only; they always serialise.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_pointers_are_read_as_they_are_written() {
        for (key, part) in [("a/b", "a~1b"), ("~1", "~01"), ("~~", "~0~0"), ("", "")] {
            assert_eq!((&*pointer_key(key), &*pointer_part(part)), (part, key));
        }
    }
}
