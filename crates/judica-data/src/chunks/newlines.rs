//! How many line ends there are in what was read so far.

use memchr::memchr_iter;

/// How many line ends there are in some bytes.
pub(super) fn count(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Line ends in the first bytes of a buffer that grows.
#[derive(Debug, Default)]
pub(super) struct Newlines {
    /// How many there are.
    pub count: u64,
    /// In so many bytes.
    bytes: usize,
}

impl Newlines {
    /// Those in the first `end` bytes from now on: only what lies between is looked at.
    pub fn move_to(&mut self, buffer: &[u8], end: usize) {
        if end >= self.bytes {
            self.count += count(&buffer[self.bytes..end]);
        } else {
            self.count -= count(&buffer[end..self.bytes]);
        }
        self.bytes = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_counted_forth_and_back() {
        let text = b"a\n\r\nb\n\nc";
        let mut newlines = Newlines::default();
        for end in [0, 1, 8, 2, 2, 5, 0, 7, 8, 4, 3] {
            newlines.move_to(text, end);
            assert_eq!(newlines.count, count(&text[..end]), "{end}");
        }
        newlines.move_to(text, 0);
        newlines.move_to(b"", 0);
        assert_eq!(newlines.count, 0);
    }
}
