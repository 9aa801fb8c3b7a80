//! The footer of a Parquet file, walked over before it is decoded.
//!
//! The `parquet` crate passes over what it does not know by counting, and truth values in a list
//! count for nothing there: a hundred bytes can speak of thousands of millions of them, and hold
//! the reader for minutes. No member of a footer is such a list, so that one is damage.

use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::FOOTER_SIZE;
use ::parquet::file::metadata::FooterTail;
use ::parquet::file::reader::ChunkReader;
use bytes::Bytes;

/// Structs, lists and maps in one another; a footer needs seven.
const DEEPEST: u32 = 32;

/// What a file says of itself, if its footer holds what it speaks of.
pub fn read_footer(
    file: &impl ChunkReader,
    options: ArrowReaderOptions,
) -> Result<ArrowReaderMetadata> {
    if let Some(footer) = footer(file)? {
        let whole = Thrift { left: &footer }.value(STRUCT, DEEPEST);
        whole.ok_or_else(|| {
            ParquetError::General("the footer does not hold what it speaks of".to_owned())
        })?;
    }
    ArrowReaderMetadata::load(file, options)
}

/// The bytes of a footer; nothing where there is none, or a hidden one, which others refuse.
fn footer(file: &impl ChunkReader) -> Result<Option<Bytes>> {
    let Some(tail) = file.len().checked_sub(FOOTER_SIZE as u64) else {
        return Ok(None);
    };
    let marks = file.get_bytes(tail, FOOTER_SIZE)?;
    let Some(Ok(footer)) = marks.first_chunk().map(FooterTail::try_new) else {
        return Ok(None);
    };
    let length = footer.metadata_length();
    match tail.checked_sub(length as u64) {
        Some(start) if !footer.is_encrypted_footer() => file.get_bytes(start, length).map(Some),
        _ => Ok(None),
    }
}

/// The kind of a value whose members end with [`STOP`].
const STRUCT: u8 = 12;
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;

/// Thrift's compact protocol: values that tell their kinds, not their names.
struct Thrift<'a> {
    left: &'a [u8],
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, left) = self.left.split_first()?;
        self.left = left;
        Some(*first)
    }

    fn skip(&mut self, bytes: u64) -> Option<()> {
        self.left = self.left.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    /// A number in groups of seven bits.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Passes over one value; nothing where it ends behind the footer.
    fn value(&mut self, kind: u8, deepest: u32) -> Option<()> {
        let deeper = deepest.checked_sub(1)?;
        match kind {
            // A truth value is told by the kind of its member.
            TRUE | FALSE => Some(()),
            3 => self.skip(1),
            4..=6 => self.number().map(drop),
            7 => self.skip(8),
            8 => {
                let length = self.number()?;
                self.skip(length)
            }
            9 | 10 => {
                let (count, of) = match self.byte()? {
                    // Some write an empty list without a kind.
                    0 => return Some(()),
                    head if head >> 4 == 15 => (self.number()?, head & 15),
                    head => (u64::from(head >> 4), head & 15),
                };
                self.many(count, &[of], deeper)
            }
            11 => match self.number()? {
                0 => Some(()),
                count => {
                    let kinds = self.byte()?;
                    self.many(count, &[kinds >> 4, kinds & 15], deeper)
                }
            },
            STRUCT => loop {
                let head = self.byte()?;
                match head & 15 {
                    STOP => return Some(()),
                    kind => {
                        // The number of a member follows, where it is not the step to it.
                        if head >> 4 == 0 {
                            self.number()?;
                        }
                        self.value(kind, deeper)?;
                    }
                }
            },
            13 => self.skip(16),
            _ => None,
        }
    }

    /// Passes over as many values of each kind in turn, every one of which has a byte.
    fn many(&mut self, count: u64, kinds: &[u8], deeper: u32) -> Option<()> {
        let empty = kinds.iter().any(|kind| matches!(*kind, TRUE | FALSE));
        if empty && count > 0 {
            return None;
        }
        for _ in 0..count {
            for kind in kinds {
                self.value(*kind, deeper)?;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a file of no pages and this footer is refused.
    fn refused(footer: &[u8]) -> String {
        let length = (footer.len() as u32).to_le_bytes();
        let file = Bytes::from([b"PAR1", footer, &length, b"PAR1"].concat());
        let read = read_footer(&file, ArrowReaderOptions::new());
        read.unwrap_err().to_string()
    }

    #[test]
    fn what_a_footer_speaks_of_is_in_it() {
        let unheld = "the footer does not hold what it speaks of";
        // A list of 2,147,483,647 truth values, as a member that nobody knows.
        let truths = [0xf9, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0];
        assert!(refused(&truths).contains(unheld));
        // The same as a map of truth values, and lists in lists that do not end.
        let map = [0xfb, 0xff, 0xff, 0xff, 0xff, 0x07, 0x11, 0];
        assert!(refused(&map).contains(unheld));
        assert!(refused(&[[0xf9].as_slice(), &[0x19; 200]].concat()).contains(unheld));
        assert!(refused(&[0xf8, 5, 0]).contains(unheld));
        // A number that no 64 bits hold, and a footer that does not end.
        assert!(refused(&[[0xf6].as_slice(), &[0xff; 20]].concat()).contains(unheld));
        assert!(refused(&[0x16, 2]).contains(unheld));
    }

    #[test]
    fn what_is_whole_is_left_to_the_decoder() {
        // Every kind once, as members that nobody knows, and no schema.
        let kinds = [
            &[0xf1, 0xf2, 0xf3, 7, 0xf4, 2, 0xf5, 0x80, 1][..],
            &[0xf6, 3, 0xf7, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 1, b'a'],
            &[0xf9, 0, 0x09, 0x80, 0x10, 0x23, 1, 2, 0xfa, 0x1c, 0],
            &[0xfb, 0, 0xfb, 1, 0x83, 1, b'k', 9, 0xfc, 0x14, 8, 0],
            &[0xfd],
            &[0; 16],
            &[0],
        ];
        let refused = refused(&kinds.concat());
        assert!(refused.contains("Required field"), "{refused}");
        assert!(read_footer(&Bytes::from_static(b"PAR1"), ArrowReaderOptions::new()).is_err());
    }
}
