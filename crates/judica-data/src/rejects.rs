//! The records that were refused, kept so that nothing is lost.
//!
//! One JSON object per line: `file`, `line`, `byte_offset`, `reason`,
//! `detail`, and the refused bytes as `raw`, or as `raw_base64` where they are
//! not text. Of a record over 64 KiB there is the place only: how long it is
//! (`raw_bytes`), the SHA-256 of its bytes (`raw_sha256`), and how it begins
//! (`raw_beginning`, or `raw_beginning_base64`).

mod base64;
mod by_file;
mod file;
mod raw;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::lines::ValueReader;
pub use by_file::{ByFile, Given};
pub use file::{MANIFEST, RejectFile};
pub use raw::{LARGEST_KEPT, Raw, RawPieces};

/// Why a record is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A short code for programs.
    pub reason: &'static str,
    /// A sentence for people: what was found and what was expected.
    pub detail: String,
}

impl Refusal {
    /// A refusal with its sentence.
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        Refusal {
            reason,
            detail: detail.into(),
        }
    }
}

/// A refused record, where it stood and why it was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// The input it stood in.
    pub file: String,
    /// The line it began on, from 1.
    pub line: u64,
    /// Where it began in the decompressed input.
    pub byte_offset: u64,
    /// A short code for programs, e.g. `malformed_json`.
    pub reason: Cow<'static, str>,
    /// A sentence for people.
    pub detail: String,
    /// Its bytes: all of them, unless they are many.
    pub raw: Raw,
}

/// The fields before the raw bytes, in the order in which they are written.
#[derive(Serialize)]
struct Head<'a> {
    file: &'a str,
    line: u64,
    byte_offset: u64,
    reason: &'a str,
    detail: &'a str,
}

/// Writes rejects as JSON lines, never holding one in memory a second time.
#[derive(Debug)]
pub struct RejectWriter<W: Write> {
    out: W,
    by_file: ByFile,
}

impl<W: Write> RejectWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W) -> Self {
        RejectWriter {
            out,
            by_file: ByFile::default(),
        }
    }

    /// Writes one reject.
    pub fn write(&mut self, reject: &Reject) -> io::Result<()> {
        let mut head = Vec::with_capacity(256);
        serde_json::to_writer(
            &mut head,
            &Head {
                file: &reject.file,
                line: reject.line,
                byte_offset: reject.byte_offset,
                reason: &reject.reason,
                detail: &reject.detail,
            },
        )?;
        // The object stays open for the raw bytes.
        head.pop();
        self.out.write_all(&head)?;
        reject.raw.write(&mut self.out)?;
        self.out.write_all(b"}\n")?;
        self.by_file.count(reject);
        Ok(())
    }

    /// How many of each input have been written.
    pub fn by_file(&self) -> &ByFile {
        &self.by_file
    }

    /// Gives back what was written to; flushing is left to its owner.
    pub fn into_inner(self) -> W {
        self.out
    }
}

#[derive(Deserialize)]
struct Line {
    file: String,
    line: u64,
    byte_offset: u64,
    reason: String,
    detail: String,
    #[serde(flatten)]
    raw: raw::Written,
}

impl Line {
    fn into_reject(self) -> Result<Reject, &'static str> {
        Ok(Reject {
            file: self.file,
            line: self.line,
            byte_offset: self.byte_offset,
            reason: self.reason.into(),
            detail: self.detail,
            raw: self.raw.read()?,
        })
    }
}

/// Reads a file of rejects, one after the other, up to the first error.
pub fn read_rejects(path: &Path) -> Result<ValueReader<Reject>, DataError> {
    ValueReader::open(path, "a reject", |bytes| {
        let line: Line = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        Ok(line.into_reject()?)
    })
}

#[cfg(test)]
mod tests;
