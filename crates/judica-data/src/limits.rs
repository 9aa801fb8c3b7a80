//! How much may be held of an input at once.
//!
//! A compressed file of a few megabytes can be one line of many gigabytes. So one record,
//! and one document that is read whole, may have so many bytes and no more: a longer record
//! is passed over and refused, a longer document is an error. The limit is one for the whole
//! process, set once at the edge before anything is read.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::DataError;

/// The limit unless another is set.
pub const DEFAULT_LONGEST: usize = 256 << 20;
/// The least and the largest limit that can be set.
pub const LONGEST_RANGE: (usize, usize) = (1 << 10, 1 << 40);

/// No file that people write by hand (prices, protocols, gates, prompts) is longer. Reading
/// those takes many times their length in memory.
const LONGEST_BY_HAND: usize = 8 << 20;
/// A document that becomes a tree may hold one value for so many bytes of the limit: a value
/// of one byte takes 32 and more in memory.
const BYTES_PER_VALUE: usize = 32;

static LONGEST: AtomicUsize = AtomicUsize::new(DEFAULT_LONGEST);

/// Sets the limit, for everything that is opened from now on.
pub fn set_longest(bytes: usize) {
    LONGEST.store(bytes, Ordering::Relaxed);
}

/// How many bytes one record or document may have.
pub fn longest() -> usize {
    LONGEST.load(Ordering::Relaxed)
}

/// How many bytes a file may have that people write by hand.
pub(crate) fn longest_by_hand() -> usize {
    longest().min(LONGEST_BY_HAND)
}

/// How many bytes a record of comma-separated values may have: it is held several times
/// over, and mostly ends in a quote that was not closed long before.
pub(crate) fn longest_csv() -> usize {
    longest() / 4
}

/// The error of a record of comma-separated values that is too long. What follows a quote
/// that is not closed cannot be told from it, so nothing is passed over.
pub(crate) fn csv_record_too_long(path: &Path, begins: u64) -> DataError {
    let reason = format!(
        "a record of more than {}, the limit for separated values (a quarter of --max-line); \
         is a quote not closed?",
        shown(longest_csv() as u64)
    );
    DataError::malformed(path, Some(begins), reason)
}

/// Fails for a JSON text that would make too large a tree. Commas and brackets in strings
/// are counted, too: the limit is far from what a report holds.
pub fn check_values(path: &Path, text: &[u8]) -> Result<(), DataError> {
    let most = (longest() / BYTES_PER_VALUE).max(1 << 10);
    // Mostly this is all there is to it: no value is shorter than a byte and its comma.
    if text.len() / 2 <= most {
        return Ok(());
    }
    let commas = memchr::memchr_iter(b',', text).count();
    let opened = memchr::memchr2_iter(b'[', b'{', text).count();
    if commas + opened <= most {
        return Ok(());
    }
    let reason = format!("holds more than {most} values, the most that a document may have here");
    Err(DataError::malformed(path, None, reason))
}

/// The error of a document that is too long.
pub fn too_long(path: &Path, most: usize) -> DataError {
    let how = if most == longest() {
        "--max-line sets it"
    } else {
        "such files are written by hand"
    };
    let reason = format!("longer than {}, the limit ({how})", shown(most as u64));
    DataError::malformed(path, None, reason)
}

/// A number of bytes as people write it.
pub fn shown(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.iter().find(|(size, _)| bytes.is_multiple_of(*size));
    match unit {
        Some((size, name)) if bytes > 0 => format!("{} {name}", bytes / size),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_people_write_them() {
        assert_eq!(shown(DEFAULT_LONGEST as u64), "256 MiB");
        assert_eq!(shown(3 << 30), "3 GiB");
        assert_eq!(shown(1500), "1500 bytes");
        assert_eq!(shown(0), "0 bytes");
    }

    #[test]
    fn a_tree_of_tiny_values_is_too_large_before_its_text_is() {
        let path = Path::new("a.json");
        let dense = "1,".repeat(DEFAULT_LONGEST / BYTES_PER_VALUE + 1);
        let error = check_values(path, dense.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("a.json: holds more than"), "{error}");
        let text = "x".repeat(dense.len());
        check_values(path, text.as_bytes()).unwrap();
    }
}
