//! How far an evaluation is: records that are done, and how many there will be.
//!
//! How many there will be follows from how many the bytes so far have given. Reading is ahead of
//! what is done, so a chunk that is done counts with the bytes that had been read when it was
//! handed out; chunks are handed out and done in the same order.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts what is done.
pub struct Pace {
    /// Bytes of the outputs.
    size: u64,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// How many bytes had been read with each chunk that is not done.
    read: VecDeque<u64>,
    /// What was told last.
    told: Option<[u64; 2]>,
}

impl Pace {
    /// Nothing is done of so many bytes.
    pub fn new(size: u64) -> Self {
        Pace {
            size,
            known: Mutex::default(),
        }
    }

    /// A chunk is handed out, with which so many bytes have been read.
    pub fn read(&self, bytes: u64) {
        self.known().read.push_back(bytes);
    }

    /// The next chunk is done, with which there are so many records: these, and how many there
    /// will be. Their share never falls. Nothing, if there is nothing to go by.
    pub fn done(&self, records: u64) -> Option<[u64; 2]> {
        let mut known = self.known();
        let bytes = known.read.pop_front()?;
        if records == 0 || bytes == 0 {
            return None;
        }
        let mut all = scaled(records, self.size, bytes);
        if let Some([before, of]) = known.told {
            all = all.min(scaled(records, of, before));
        }
        known.told = Some([records, all.max(records)]);
        known.told
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `count · numerator / denominator`, rounded down.
fn scaled(count: u64, numerator: u64, denominator: u64) -> u64 {
    let scaled = u128::from(count) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_what_is_done_and_never_falls() {
        let pace = Pace::new(1000);
        // All is read before the first chunk is done; some chunks give nothing.
        for chunk in 1..=10 {
            pace.read(chunk * 100);
        }
        let mut share = 0.0;
        for (chunk, records) in [0, 2, 2, 3, 3, 4, 40, 41, 41, 90].into_iter().enumerate() {
            let Some([done, all]) = pace.done(records) else {
                assert_eq!(records, 0);
                continue;
            };
            assert!(done == records && done <= all);
            let next = done as f64 / all as f64;
            assert!(next >= share, "{next} after {share}");
            // Counts are whole numbers: it may be ahead by one record.
            let read = (chunk + 1) as f64 / 10.0;
            assert!(next >= read && (all + 1) as f64 * read >= done as f64 - 1.0);
            share = next;
        }
        assert_eq!(share, 1.0);
        assert_eq!(pace.done(91), None);
    }
}
