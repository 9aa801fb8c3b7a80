//! Memory that is read into again and again.

use std::ops::Deref;

/// Memory beyond this grows by an eighth at a time.
const SMALL: usize = 32 << 20;

/// Bytes that have been read, in memory that may have held others before.
///
/// Rust wants memory to hold something before it is read into. A fresh vector is filled
/// with zeros for that, which costs as much as a third of reading a cached file; so
/// memory that comes back keeps its old bytes, and only `filled` says which are ours.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    filled: usize,
}

impl Buffer {
    /// An empty buffer in the memory of `used`.
    pub fn over(used: Vec<u8>) -> Self {
        Buffer {
            bytes: used,
            filled: 0,
        }
    }

    /// A buffer that holds `bytes`.
    pub fn holding(bytes: Vec<u8>) -> Self {
        Buffer {
            filled: bytes.len(),
            bytes,
        }
    }

    /// Forgets all bytes and keeps the memory.
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Makes room for `capacity` bytes in all.
    pub fn reserve(&mut self, capacity: usize) {
        self.bytes
            .reserve(capacity.saturating_sub(self.bytes.len()));
    }

    /// Appends bytes.
    pub fn extend(&mut self, more: &[u8]) {
        let end = self.filled + more.len();
        self.open(end);
        self.bytes[self.filled..end].copy_from_slice(more);
        self.filled = end;
    }

    /// Lets `read` append up to `room` bytes; it says how many it did.
    pub fn read<E>(
        &mut self,
        room: usize,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, E> {
        let end = self.filled + room;
        self.open(end);
        let n = read(&mut self.bytes[self.filled..end])?;
        self.filled += n.min(room);
        Ok(n)
    }

    /// The first `n` bytes, in the same memory.
    pub fn into_first(mut self, n: usize) -> Vec<u8> {
        self.bytes.truncate(n.min(self.filled));
        self.bytes
    }

    /// All bytes, in the same memory.
    pub fn into_bytes(self) -> Vec<u8> {
        let filled = self.filled;
        self.into_first(filled)
    }

    fn open(&mut self, end: usize) {
        if self.bytes.len() < end {
            // Twice as much each time would take twice the longest record.
            if end > self.bytes.capacity() && end > SMALL {
                self.bytes.reserve_exact(end + end / 8 - self.bytes.len());
            }
            self.bytes.resize(end, 0);
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;

    #[test]
    fn old_bytes_never_show() {
        let mut buffer = Buffer::over(b"old old old".to_vec());
        assert!(buffer.is_empty());
        buffer.extend(b"ne");
        let read = |free: &mut [u8]| -> Result<usize, ()> {
            free[..2].copy_from_slice(b"w!");
            Ok(2)
        };
        assert_eq!(buffer.read(5, read), Ok(2));
        assert_eq!(&*buffer, b"new!");
        assert_eq!(buffer.read(1, |_| Err(7)), Err(7));
        assert_eq!(buffer.into_first(3), b"new");
        assert_eq!(Buffer::holding(b"ab".to_vec()).into_bytes(), b"ab");
    }
}
