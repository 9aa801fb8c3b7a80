//! Repetition and definition levels, and the run encoding they share with
//! dictionary indices.
//!
//! A level says which slots open a row and which are null. Of one row group
//! all list leaves have the same repetition levels, and all that are never
//! null the same definition levels, so both are laid out once and copied.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};

use super::column::ColumnData;

/// The level 1, many times over, in two bits each.
const ONES: u64 = 0x5555_5555_5555_5555;

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
    /// Where the levels of rows without elements are.
    gaps: Vec<usize>,
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
            gaps: Vec::new(),
            repetition: Vec::new(),
            required: Vec::new(),
        }
    }

    /// As many slots per row as its list is long.
    pub fn list(lengths: &'a [u32]) -> Self {
        let slots: usize = lengths.iter().map(|&length| length as usize).sum();
        let gaps = starts(lengths).filter(|(_, length)| *length == 0);
        let gaps: Vec<usize> = gaps.map(|(at, _)| at).collect();
        let entries = slots + gaps.len();

        let repetition = block(|out| {
            if slots >= lengths.len() * LONG_LIST {
                opening_runs(out, lengths);
            } else {
                let starts = starts(lengths).map(|(at, _)| at);
                packed(out, &cleared(entries, starts), entries);
            }
        });
        let required = block(|out| {
            if !gaps.is_empty() {
                packed(out, &cleared(entries, gaps.iter().copied()), entries);
            } else {
                run(out, 1, entries);
            }
        });
        Self {
            rows: lengths.len(),
            slots,
            entries,
            lengths: Some(lengths),
            gaps,
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
        nullable: bool,
        column: &ColumnData,
        slots: &Range<usize>,
    ) {
        out.extend_from_slice(&self.repetition);
        if !nullable {
            out.extend_from_slice(&self.required);
            return;
        }
        let present = column.present_in(slots);
        let present = present.filter(BooleanBuffer::has_false);
        let at = out.len();
        out.extend_from_slice(&[0; 4]);
        match (present, self.lengths) {
            (None, lengths) if self.gaps.is_empty() => {
                run(out, 1 + u8::from(lengths.is_some()), self.entries);
            }
            (Some(present), None) => {
                packed_header(out, self.entries);
                push_bits(out, &present);
            }
            (Some(present), _) if self.gaps.is_empty() => {
                packed_header(out, self.entries);
                push_pairs(out, &present, None);
            }
            (present, _) => {
                let bits = cleared(self.entries, self.gaps.iter().copied());
                let filled = BooleanBuffer::new(bits.into(), 0, self.entries);
                let present = present.map(|present| self.with_gaps(&present));
                packed_header(out, self.entries);
                push_pairs(out, present.as_ref().unwrap_or(&filled), Some(&filled));
            }
        }
        let length = (out.len() - at - 4) as u32;
        out[at..at + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// The same marks, and one that is not set for every row without elements.
    fn with_gaps(&self, present: &BooleanBuffer) -> BooleanBuffer {
        let mut marks = BooleanBufferBuilder::new(self.entries);
        let mut slot = 0;
        for (before, gap) in self.gaps.iter().enumerate() {
            let next = gap - before;
            marks.append_buffer(&present.slice(slot, next - slot));
            marks.append(false);
            slot = next;
        }
        marks.append_buffer(&present.slice(slot, present.len() - slot));
        marks.finish()
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

/// Appends bits, from a whole byte on and up to one.
pub(super) fn push_bits(out: &mut Vec<u8>, bits: &BooleanBuffer) {
    let end = out.len() + bits.len().div_ceil(8);
    out.reserve(bits.len().div_ceil(8) + 8);
    for word in bits.bit_chunks().iter_padded() {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.truncate(end);
}

/// Appends levels of two bits: 2 for a value and 1 for a null, or 0 where not even that is
/// `filled`.
fn push_pairs(out: &mut Vec<u8>, present: &BooleanBuffer, filled: Option<&BooleanBuffer>) {
    let start = out.len();
    let end = start + present.len().div_ceil(8) * 2;
    out.resize(start + present.len().div_ceil(64) * 16, 0);
    let (words, _) = out[start..].as_chunks_mut::<16>();
    let marks = present.bit_chunks();
    let levels = |marks: u64, filled: u128| (filled + pairs(marks)).to_le_bytes();
    match filled {
        None => {
            let all = u128::from(ONES) << 64 | u128::from(ONES);
            for (word, marks) in words.iter_mut().zip(marks.iter_padded()) {
                *word = levels(marks, all);
            }
        }
        Some(filled) => {
            let filled = filled.bit_chunks();
            let marks = marks.iter_padded().zip(filled.iter_padded());
            for (word, (marks, filled)) in words.iter_mut().zip(marks) {
                *word = levels(marks, pairs(filled));
            }
        }
    }
    out.truncate(end);
}

/// Every bit as the lower of two.
fn pairs(bits: u64) -> u128 {
    let apart = |bits: u32| {
        let bits = u64::from(bits);
        let bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
        let bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF;
        let bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
        let bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
        (bits | bits << 1) & ONES
    };
    u128::from(apart((bits >> 32) as u32)) << 64 | u128::from(apart(bits as u32))
}

/// Packs bytes of 0 to 3 into bit pairs, eight at a step.
pub(super) fn pack_pairs(out: &mut Vec<u8>, numbers: &[u8]) {
    let gather = |eight: [u8; 8]| {
        let pairs = u64::from_le_bytes(eight);
        let fours = (pairs | pairs >> 6) & 0x000F_000F_000F_000F;
        let bytes = (fours | fours >> 12) & 0x0000_00FF_0000_00FF;
        ((bytes | bytes >> 24) as u16).to_le_bytes()
    };
    let start = out.len();
    out.resize(start + numbers.len().div_ceil(8) * 2, 0);
    let (whole, rest) = numbers.as_chunks::<8>();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_say_what_is_there() {
        for count in [0usize, 1, 7, 8, 9, 63, 64, 65, 128, 200] {
            let filled: BooleanBuffer = (0..count + 3).map(|at| at % 5 != 3).collect();
            let present: BooleanBuffer = (0..count + 3).map(|at| at % 5 % 2 == 0).collect();
            // Not from a whole byte on.
            let (filled, present) = (filled.slice(3, count), present.slice(3, count));
            for filled in [None, Some(&filled)] {
                let mut out = vec![9];
                push_pairs(&mut out, &present, filled);
                assert_eq!(out.len(), 1 + count.div_ceil(8) * 2);
                for at in 0..count {
                    let level = out[1 + at / 4] >> (at % 4 * 2) & 3;
                    let there = filled.is_none_or(|filled| filled.value(at));
                    assert_eq!(level, u8::from(there) + u8::from(present.value(at)));
                }
            }
            let mut out = vec![9];
            push_bits(&mut out, &present);
            assert_eq!(out.len(), 1 + count.div_ceil(8));
            let bits = BooleanBuffer::new(out.split_off(1).into(), 0, count);
            assert_eq!(bits, present);
        }
    }
}
