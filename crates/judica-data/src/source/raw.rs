//! An input as it lies on disk.

use std::io::{self, Read};

use crate::sha256::Sha256;

/// The bytes on disk; each is hashed at most once, when it is read.
pub(super) struct RawInput {
    inner: Box<dyn Read + Send>,
    /// Of the bytes so far; none where nobody asked for it.
    pub hasher: Option<Sha256>,
    /// How many bytes there were so far.
    pub bytes: u64,
    /// Whether the disk failed.
    pub failed: bool,
    /// The first bytes, hashed already, to be given again after the peek.
    peeked: [u8; 4],
    peeked_len: usize,
    replayed: usize,
}

impl RawInput {
    /// Nothing of it is read yet.
    pub fn new(inner: Box<dyn Read + Send>, hasher: Option<Sha256>) -> Self {
        RawInput {
            inner,
            hasher,
            bytes: 0,
            failed: false,
            peeked: [0; 4],
            peeked_len: 0,
            replayed: 0,
        }
    }

    /// The first bytes, which are given again.
    pub fn peek(&mut self) -> io::Result<&[u8]> {
        let mut head = [0; 4];
        let mut len = 0;
        while len < head.len() {
            match self.read_new(&mut head[len..])? {
                0 => break,
                n => len += n,
            }
        }
        (self.peeked, self.peeked_len) = (head, len);
        Ok(&self.peeked[..len])
    }

    fn read_new(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(buf) {
                Ok(n) => {
                    if let Some(hasher) = &mut self.hasher {
                        hasher.update(&buf[..n]);
                    }
                    self.bytes += n as u64;
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = true;
                    return Err(e);
                }
            }
        }
    }
}

impl Read for RawInput {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let waiting = &self.peeked[self.replayed..self.peeked_len];
        if waiting.is_empty() {
            return self.read_new(buf);
        }
        let n = buf.len().min(waiting.len());
        buf[..n].copy_from_slice(&waiting[..n]);
        self.replayed += n;
        Ok(n)
    }
}
