//! The bytes behind the record that is being parsed, kept until it is done.

use std::io::{self, Read};

use crate::limits;
use crate::source::Source;

/// A source that remembers what it gave, from a place the parser names onwards, so that
/// a record can be shown as it stands in the file. Memory is one buffer and one record.
pub(super) struct KeptBytes {
    source: Source,
    /// Bytes given, and (first of all) bytes that others took from the source.
    bytes: Vec<u8>,
    /// How many of `bytes` have been given.
    given: usize,
    /// The place of `bytes[0]` among all bytes given.
    base: u64,
    /// Nothing before this place is needed any more.
    needed: u64,
    ended: bool,
    /// How many bytes may be kept.
    most: usize,
}

impl KeptBytes {
    /// Gives `start`, then the rest of the source.
    pub(super) fn new(source: Source, start: Vec<u8>) -> Self {
        KeptBytes {
            source,
            bytes: start,
            given: 0,
            base: 0,
            needed: 0,
            ended: false,
            most: limits::longest_csv(),
        }
    }

    /// Says that nothing before `place` is needed any more.
    pub(super) fn keep_from(&mut self, place: u64) {
        self.needed = place;
    }

    /// The bytes given from one place to another; none if they were let go.
    pub(super) fn between(&self, from: u64, to: u64) -> &[u8] {
        let at = |place: u64| place.checked_sub(self.base).map(|at| at as usize);
        let range = at(from).zip(at(to)).map(|(from, to)| from..to);
        range
            .and_then(|range| self.bytes.get(range))
            .unwrap_or_default()
    }

    /// Whether the source is known to end at `place`.
    pub(super) fn ends_at(&self, place: u64) -> bool {
        self.ended && place == self.base + self.given as u64
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn into_source(self) -> Source {
        self.source
    }
}

impl Read for KeptBytes {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let gone = (self.needed - self.base).min(self.given as u64) as usize;
        self.bytes.drain(..gone);
        self.base += gone as u64;
        self.given -= gone;
        if self.given > self.most {
            let begins = self.source.offset() - self.bytes.len() as u64;
            return Err(limits::csv_record_too_long(self.source.path(), begins, self.most).into());
        }
        if self.given == self.bytes.len() {
            let read = self.source.read_bytes(buf)?;
            self.ended = read == 0 && !buf.is_empty();
            self.bytes.extend_from_slice(&buf[..read]);
            self.given += read;
            return Ok(read);
        }
        let waiting = &self.bytes[self.given..];
        let read = waiting.len().min(buf.len());
        buf[..read].copy_from_slice(&waiting[..read]);
        self.given += read;
        Ok(read)
    }
}
