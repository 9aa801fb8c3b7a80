//! A record that is too long to be held: passed over to its end, and described.

use crate::rejects::LARGEST_KEPT;
use crate::sha256::Sha256;

/// What is left of a record that was passed over. It is the last one of its chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Long {
    /// Where in the chunk's data its beginning stands.
    pub start: usize,
    /// Where that is in the decompressed file.
    pub offset: u64,
    /// The line it begins on, from 1.
    pub line: u64,
    /// How many bytes it has in the file.
    pub length: u64,
    /// SHA-256 of them, in hex.
    pub sha256: String,
}

/// How much of it stays in the chunk's data: all of what would be kept if it is refused.
pub(super) const KEPT: usize = LARGEST_KEPT;

/// Takes in a record piece by piece, and keeps nothing of it.
pub(super) struct Passing {
    hasher: Sha256,
    length: u64,
    newlines: u64,
    blank: bool,
    /// A carriage return at the end of a piece, which belongs to the line's end if that
    /// is what follows.
    held_return: bool,
}

impl Passing {
    pub fn new() -> Self {
        Passing {
            hasher: Sha256::new(),
            length: 0,
            newlines: 0,
            blank: true,
            held_return: false,
        }
    }

    /// More of the record.
    pub fn take(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        if std::mem::take(&mut self.held_return) {
            self.add(b"\r");
        }
        match piece.strip_suffix(b"\r") {
            Some(rest) => {
                self.add(rest);
                self.held_return = true;
            }
            None => self.add(piece),
        }
    }

    fn add(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
        self.length += piece.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', piece).count() as u64;
        self.blank = self.blank && piece.trim_ascii_start().is_empty();
    }

    /// Nothing but white space, which is no record.
    pub fn is_blank(&self) -> bool {
        self.blank
    }

    /// Bytes and line ends taken so far.
    pub fn passed(&self) -> (u64, u64) {
        (self.length + u64::from(self.held_return), self.newlines)
    }

    /// The record was whole.
    pub fn finish(self, start: usize, offset: u64, line: u64) -> Long {
        Long {
            start,
            offset,
            line,
            length: self.length,
            sha256: self.hasher.finish_hex(),
        }
    }
}
