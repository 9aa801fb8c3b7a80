//! Repetition and definition levels, and the run encoding they share with
//! dictionary indices.
//!
//! A level says which slots open a row and which are null. Of one row group
//! all list leaves have the same repetition levels, and all that are never
//! null the same definition levels, so both are laid out once and copied.

use super::column::ColumnData;
use std::ops::Range;

const ONES: u64 = 0x0101_0101_0101_0101;

/// From this mean length on, runs take less room than bits. They also begin
/// at whole bytes, so rows of equal length look equal to the compressor.
const LONG_LIST: usize = 32;

/// How the rows of one page fall into slots.
pub(super) struct PageRows<'a> {
    /// Rows in the page.
    pub rows: usize,
    /// Slots in the page: list elements, or rows for a flat column.
    pub slots: usize,
    /// Levels in the page: slots, plus one for every row without elements.
    pub entries: usize,
    lengths: Option<&'a [u32]>,
    repetition: Vec<u8>,
    required: Vec<u8>,
}

impl<'a> PageRows<'a> {
    /// One slot per row.
    pub fn flat(rows: usize) -> Self {
        Self {
            rows,
            slots: rows,
            entries: rows,
            lengths: None,
            repetition: Vec::new(),
            required: Vec::new(),
        }
    }

    /// As many slots per row as its list is long.
    pub fn list(lengths: &'a [u32]) -> Self {
        let slots: usize = lengths.iter().map(|&length| length as usize).sum();
        let empty = lengths.iter().filter(|&&length| length == 0).count();
        let entries = slots + empty;

        let repetition = block(|out| {
            if slots >= lengths.len() * LONG_LIST {
                opening_runs(out, lengths);
            } else {
                let starts = starts(lengths).map(|(at, _)| at);
                packed(out, &cleared(entries, starts), entries);
            }
        });
        let required = block(|out| {
            if empty > 0 {
                let gaps = starts(lengths).filter(|(_, length)| *length == 0);
                packed(out, &cleared(entries, gaps.map(|(at, _)| at)), entries);
            } else {
                run(out, 1, entries);
            }
        });
        Self {
            rows: lengths.len(),
            slots,
            entries,
            lengths: Some(lengths),
            repetition,
            required,
        }
    }

    /// The same rows as two pages' worth.
    pub fn halves(&self) -> (Self, Self) {
        let middle = self.rows / 2;
        match self.lengths {
            Some(lengths) => {
                let (before, after) = lengths.split_at(middle);
                (Self::list(before), Self::list(after))
            }
            None => (Self::flat(middle), Self::flat(self.rows - middle)),
        }
    }

    /// Appends the levels of one column, the way a data page begins.
    pub fn push_levels(
        &self,
        out: &mut Vec<u8>,
        scratch: &mut Vec<u8>,
        nullable: bool,
        column: &ColumnData,
        slots: &Range<usize>,
    ) {
        out.extend_from_slice(&self.repetition);
        if !nullable {
            out.extend_from_slice(&self.required);
            return;
        }
        let present = column
            .present_in(slots)
            .filter(|present| memchr::memchr(0, present).is_some());
        let base = u8::from(self.lengths.is_some());
        let at = out.len();
        out.extend_from_slice(&[0; 4]);
        match (present, self.lengths) {
            (None, _) if self.entries == self.slots => run(out, base + 1, self.entries),
            (Some(present), None) => {
                packed_header(out, self.entries);
                pack_bits(out, present);
            }
            (Some(present), Some(_)) if self.entries == self.slots => {
                packed_header(out, self.entries);
                pack_pairs(out, present, ONES);
            }
            (present, lengths) => {
                spread(scratch, present, lengths.unwrap_or(&[]));
                packed_header(out, self.entries);
                pack_pairs(out, scratch, 0);
            }
        }
        let length = (out.len() - at - 4) as u32;
        out[at..at + 4].copy_from_slice(&length.to_le_bytes());
    }
}

/// One level per byte, for lists of which some are empty.
fn spread(levels: &mut Vec<u8>, present: Option<&[u8]>, lengths: &[u32]) {
    levels.clear();
    let mut slot = 0;
    for &length in lengths {
        let next = slot + length as usize;
        match present {
            _ if length == 0 => levels.push(0),
            Some(present) => levels.extend(present[slot..next].iter().map(|mark| mark + 1)),
            None => levels.resize(levels.len() + length as usize, 2),
        }
        slot = next;
    }
}

/// Where each row's levels begin, and how long its list is.
fn starts(lengths: &[u32]) -> impl Iterator<Item = (usize, u32)> {
    lengths.iter().scan(0, |next, &length| {
        let at = *next;
        *next += length.max(1) as usize;
        Some((at, length))
    })
}

/// Bits that are all set but for some.
fn cleared(entries: usize, places: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut bits = vec![0xFF; entries.div_ceil(8)];
    for at in places {
        bits[at / 8] &= !(1 << (at % 8));
    }
    bits
}

/// Repetition levels as two runs per row: one level that opens the row, then
/// all that continue it.
fn opening_runs(out: &mut Vec<u8>, lengths: &[u32]) {
    for &length in lengths {
        run(out, 0, 1);
        if length > 1 {
            run(out, 1, length as usize - 1);
        }
    }
}

/// Levels with their length in front.
fn block(fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = vec![0; 4];
    fill(&mut out);
    let length = (out.len() - 4) as u32;
    out[..4].copy_from_slice(&length.to_le_bytes());
    out
}

fn packed(out: &mut Vec<u8>, bits: &[u8], entries: usize) {
    packed_header(out, entries);
    out.extend_from_slice(bits);
}

/// One value of at most eight bits, many times over.
pub(super) fn run(out: &mut Vec<u8>, value: u8, count: usize) {
    run_header(out, count);
    out.push(value);
}

/// The head of a run; the value follows in as few whole bytes as hold it.
pub(super) fn run_header(out: &mut Vec<u8>, count: usize) {
    varint(out, (count as u64) << 1);
}

/// The head of a bit-packed stretch, which always counts values by eights.
pub(super) fn packed_header(out: &mut Vec<u8>, count: usize) {
    varint(out, (count.div_ceil(8) as u64) << 1 | 1);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Packs bytes of 0 or 1 into bits, eight at a step.
pub fn pack_bits(out: &mut Vec<u8>, marks: &[u8]) {
    // Multiplying moves the lowest bit of byte i to bit 56 + i; no two of the
    // partial products meet, so nothing carries.
    let gather = |eight: [u8; 8]| {
        (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    };
    let (whole, rest) = marks.as_chunks::<8>();
    out.reserve(marks.len().div_ceil(8));
    out.extend(whole.iter().map(|eight| gather(*eight)));
    if !rest.is_empty() {
        out.push(gather(padded(rest)));
    }
}

/// Packs bytes of 0 to 3 into bit pairs, eight at a step, after adding
/// `raise` to them.
pub(super) fn pack_pairs(out: &mut Vec<u8>, levels: &[u8], raise: u64) {
    let gather = |eight: [u8; 8]| {
        let pairs = u64::from_le_bytes(eight) + raise;
        let fours = (pairs | pairs >> 6) & 0x000F_000F_000F_000F;
        let bytes = (fours | fours >> 12) & 0x0000_00FF_0000_00FF;
        ((bytes | bytes >> 24) as u16).to_le_bytes()
    };
    let start = out.len();
    out.resize(start + levels.len().div_ceil(8) * 2, 0);
    let (whole, rest) = levels.as_chunks::<8>();
    let (packed, _) = out[start..].as_chunks_mut::<2>();
    for (two, eight) in packed.iter_mut().zip(whole) {
        *two = gather(*eight);
    }
    if !rest.is_empty()
        && let Some(last) = packed.last_mut()
    {
        *last = gather(padded(rest));
    }
}

fn padded(rest: &[u8]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    eight
}
