//! The bytes of a refused record: all of them, or where they are and how they begin.

use std::io::{self, Write};

use serde::Deserialize;

use super::base64;
use crate::sha256::{Sha256, sha256_hex};

/// Records up to this length are kept whole.
pub const LARGEST_KEPT: usize = 64 << 10;
/// So much is kept of a longer one.
pub(super) const BEGINNING: usize = 1 << 10;

/// The bytes of a refused record, as they are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raw {
    /// All of them.
    Whole(Vec<u8>),
    /// Too many to be kept: the file holds them.
    Cut {
        /// How many there are.
        length: u64,
        /// SHA-256 of all of them, in hex.
        sha256: String,
        /// The first of them.
        beginning: Vec<u8>,
    },
}

impl Raw {
    /// A record of which the beginning is at hand.
    pub(crate) fn beginning(bytes: &[u8], length: u64, sha256: String) -> Raw {
        Raw::Cut {
            length,
            sha256,
            beginning: beginning(bytes).to_vec(),
        }
    }

    /// The bytes that are kept.
    pub fn kept(&self) -> &[u8] {
        match self {
            Raw::Whole(bytes) => bytes,
            Raw::Cut { beginning, .. } => beginning,
        }
    }

    /// Writes the members of an object, each after a comma.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (plain, coded) = match self {
            Raw::Whole(_) => ("raw", "raw_base64"),
            Raw::Cut { length, sha256, .. } => {
                write!(out, ",\"raw_bytes\":{length},\"raw_sha256\":\"{sha256}\"")?;
                ("raw_beginning", "raw_beginning_base64")
            }
        };
        match std::str::from_utf8(self.kept()) {
            Ok(text) => {
                write!(out, ",\"{plain}\":")?;
                Ok(serde_json::to_writer(out, text)?)
            }
            Err(_) => {
                write!(out, ",\"{coded}\":\"")?;
                base64::encode(self.kept(), out)?;
                out.write_all(b"\"")
            }
        }
    }
}

impl From<&[u8]> for Raw {
    fn from(bytes: &[u8]) -> Self {
        if bytes.len() <= LARGEST_KEPT {
            return Raw::Whole(bytes.to_vec());
        }
        let sha256 = sha256_hex(bytes);
        Raw::beginning(bytes, bytes.len() as u64, sha256)
    }
}

impl From<Vec<u8>> for Raw {
    fn from(bytes: Vec<u8>) -> Self {
        match bytes.len() {
            0..=LARGEST_KEPT => Raw::Whole(bytes),
            _ => bytes.as_slice().into(),
        }
    }
}

/// The bytes of a record that comes piece by piece, of which no more is held than is kept.
#[derive(Default)]
pub struct RawPieces {
    hasher: Sha256,
    length: u64,
    first: Vec<u8>,
}

impl RawPieces {
    /// More of the record.
    pub fn take(&mut self, piece: &[u8]) {
        let room = LARGEST_KEPT - self.first.len();
        self.first
            .extend_from_slice(&piece[..piece.len().min(room)]);
        self.hasher.update(piece);
        self.length += piece.len() as u64;
    }

    /// The record was whole.
    pub fn finish(self) -> Raw {
        if self.length <= LARGEST_KEPT as u64 {
            return Raw::Whole(self.first);
        }
        Raw::beginning(&self.first, self.length, self.hasher.finish_hex())
    }
}

/// The first bytes; of text no half a character.
fn beginning(bytes: &[u8]) -> &[u8] {
    let first = &bytes[..bytes.len().min(BEGINNING)];
    match std::str::from_utf8(first) {
        Err(error) if error.error_len().is_none() => &first[..error.valid_up_to()],
        _ => first,
    }
}

/// The members as they are read.
#[derive(Deserialize)]
pub(super) struct Written {
    raw: Option<String>,
    raw_base64: Option<String>,
    raw_bytes: Option<u64>,
    raw_sha256: Option<String>,
    raw_beginning: Option<String>,
    raw_beginning_base64: Option<String>,
}

impl Written {
    pub(super) fn read(self) -> Result<Raw, &'static str> {
        match (self.raw_bytes, self.raw_sha256) {
            (None, None) => {
                let bytes = bytes(self.raw, self.raw_base64);
                let bytes = bytes.ok_or("needs one of `raw` and `raw_base64`")?;
                Ok(Raw::Whole(bytes?))
            }
            (Some(length), Some(sha256)) => {
                let bytes = bytes(self.raw_beginning, self.raw_beginning_base64);
                let bytes = bytes.ok_or("needs one of `raw_beginning` and its base64")?;
                Ok(Raw::Cut {
                    length,
                    sha256,
                    beginning: bytes?,
                })
            }
            _ => Err("needs both `raw_bytes` and `raw_sha256`"),
        }
    }
}

fn bytes(plain: Option<String>, coded: Option<String>) -> Option<Result<Vec<u8>, &'static str>> {
    match (plain, coded) {
        (Some(text), None) => Some(Ok(text.into_bytes())),
        (None, Some(coded)) => {
            Some(base64::decode(coded.as_bytes()).ok_or("`raw_base64` is not base64"))
        }
        _ => None,
    }
}
