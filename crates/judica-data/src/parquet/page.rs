//! The values part of a data page, and the dictionary page before it.

use std::ops::Range;

use ::parquet::basic::Encoding;

use super::TableError;
use super::column::{ColumnData, Dictionary, Values};
use super::dense::{filled, push_dense};
use super::levels::{pack_bits, pack_pairs, packed_header, run_header};
use super::number::{Numbering, pack_numbers, width};
use super::schema::Leaf;

/// Working memory for laying out values.
#[derive(Default)]
pub(super) struct Scratch {
    /// Bytes on their way from one order to another.
    pub bytes: Vec<u8>,
    numbering: Numbering,
    /// How many of the numbers earlier pages of the column have used.
    numbers_used: usize,
}

/// Appends the dictionary of a column and tells how many entries it has;
/// `None` if the column is written without one. A column that is null
/// throughout needs none either, and readers differ on empty ones.
///
/// Numbers get one where at least half of them recur, as rounded readings do:
/// that saves nearly as much as compressing them, in half the time.
pub(super) fn push_dictionary(
    out: &mut Vec<u8>,
    scratch: &mut Scratch,
    column: &ColumnData,
    slots: usize,
) -> Option<usize> {
    if !column.any_value(slots) {
        return None;
    }
    match column.values {
        Values::Narrow(dictionary, _) | Values::Wide(dictionary, _) => {
            match dictionary {
                Dictionary::Text(texts) => texts
                    .iter()
                    .flatten()
                    .for_each(|entry| push_text(out, entry.as_bytes())),
                Dictionary::Int32(numbers) => push_dense(out, numbers, None, i32::to_le_bytes),
            }
            Some(dictionary.len())
        }
        Values::Double(_) | Values::Int64(_) => {
            scratch.bytes.clear();
            let (bytes, present) = (&mut scratch.bytes, column.present);
            match column.values {
                Values::Double(values) => push_dense(bytes, values, present, f64::to_le_bytes),
                Values::Int64(values) => push_dense(bytes, values, present, i64::to_le_bytes),
                _ => {}
            }
            scratch.numbers_used = 0;
            if !scratch.numbering.fill(&scratch.bytes) {
                return None;
            }
            let distinct = &scratch.numbering.distinct;
            out.extend_from_slice(distinct.as_flattened());
            Some(distinct.len())
        }
        _ => None,
    }
}

/// Appends the values of some slots, nulls dropped, and names the encoding.
pub(super) fn push_values(
    out: &mut Vec<u8>,
    scratch: &mut Scratch,
    leaf: &Leaf,
    column: &ColumnData,
    slots: &Range<usize>,
    dictionary: Option<usize>,
) -> Result<Encoding, TableError> {
    let present = column.present_in(slots);
    let bytes = &mut scratch.bytes;
    bytes.clear();
    match column.values {
        Values::Boolean(values) => {
            let values = &values[slots.clone()];
            match present {
                Some(_) => {
                    push_dense(bytes, values, present, u8::to_le_bytes);
                    pack_bits(out, bytes);
                }
                None => pack_bits(out, values),
            }
        }
        Values::Int32(values) => {
            push_dense(out, &values[slots.clone()], present, i32::to_le_bytes);
        }
        Values::Double(_) | Values::Int64(_) if dictionary.is_some() => {
            let start = scratch.numbers_used;
            scratch.numbers_used += filled(slots.len(), present);
            let numbers = &scratch.numbering.numbers[start..scratch.numbers_used];
            let width = width(scratch.numbering.distinct.len());
            out.push(width as u8);
            packed_header(out, numbers.len());
            pack_numbers(out, numbers, width);
            return Ok(Encoding::RLE_DICTIONARY);
        }
        Values::Int64(values) => {
            push_dense(out, &values[slots.clone()], present, i64::to_le_bytes);
        }
        Values::UInt64(values) => {
            push_dense(out, &values[slots.clone()], present, u64::to_le_bytes);
        }
        Values::Double(values) => {
            push_dense(out, &values[slots.clone()], present, f64::to_le_bytes);
        }
        Values::Utf8 { bytes, offsets } => {
            push_texts(out, bytes, &offsets[slots.start..=slots.end], present);
        }
        Values::Narrow(_, indices) => {
            if let Some(entries) = dictionary {
                push_dense(bytes, &indices[slots.clone()], present, u8::to_le_bytes);
                push_indices::<1>(out, bytes, entries)
                    .map_err(|reason| TableError::column(&leaf.name, reason))?;
                return Ok(Encoding::RLE_DICTIONARY);
            }
        }
        Values::Wide(_, indices) => {
            if let Some(entries) = dictionary {
                push_dense(bytes, &indices[slots.clone()], present, u16::to_le_bytes);
                push_indices::<2>(out, bytes, entries)
                    .map_err(|reason| TableError::column(&leaf.name, reason))?;
                return Ok(Encoding::RLE_DICTIONARY);
            }
        }
    }
    Ok(Encoding::PLAIN)
}

fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
}

/// The string between two offsets.
pub(super) fn text<'a>(bytes: &'a [u8], ends: &[i32]) -> &'a [u8] {
    &bytes[ends[0] as usize..ends[1] as usize]
}

fn push_texts(out: &mut Vec<u8>, bytes: &[u8], offsets: &[i32], present: Option<&[u8]>) {
    for (at, ends) in offsets.windows(2).enumerate() {
        if present.is_none_or(|present| present[at] == 1) {
            push_text(out, text(bytes, ends));
        }
    }
}

/// Appends dictionary indices, given as cells of `N` bytes. They are packed no
/// tighter than is cheap: into bit pairs if the dictionary allows it, else not
/// at all, and compression finds the rest.
fn push_indices<const N: usize>(
    out: &mut Vec<u8>,
    cells: &[u8],
    entries: usize,
) -> Result<(), String> {
    let count = cells.len() / N;
    let narrow = N == 1 && entries <= 4;
    out.push(if narrow { 2 } else { 8 * N as u8 });
    if count == 0 {
        return Ok(());
    }
    let (lowest, highest) = extremes::<N>(cells);
    if highest >= entries {
        return Err(format!(
            "index {highest} is beyond a dictionary of {entries}"
        ));
    }
    if lowest == highest {
        run_header(out, count);
        out.extend_from_slice(&highest.to_le_bytes()[..N]);
        return Ok(());
    }
    packed_header(out, count);
    if narrow {
        pack_pairs(out, cells, 0);
    } else {
        let start = out.len();
        out.extend_from_slice(cells);
        out.resize(start + count.div_ceil(8) * 8 * N, 0);
    }
    Ok(())
}

/// Lowest and highest of little-endian numbers one or two bytes wide.
fn extremes<const N: usize>(bytes: &[u8]) -> (usize, usize) {
    if N == 1 {
        let (lowest, highest) = bytes.iter().fold((u8::MAX, 0), |(lowest, highest), &byte| {
            (byte.min(lowest), byte.max(highest))
        });
        return (lowest.into(), highest.into());
    }
    let (cells, _) = bytes.as_chunks::<2>();
    let (lowest, highest) = cells
        .iter()
        .fold((u16::MAX, 0), |(lowest, highest), &cell| {
            let value = u16::from_le_bytes(cell);
            (value.min(lowest), value.max(highest))
        });
    (lowest.into(), highest.into())
}
