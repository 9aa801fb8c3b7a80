//! The values part of a data page, and the dictionary page before it.

use std::ops::Range;

use ::parquet::basic::Encoding;

use super::column::{ColumnData, Values, text_start};
use super::dense::{filled, push_dense, push_split};
use super::levels::{pack_bits, pack_pairs, packed_header, run_header};
use super::number::{Numbering, pack_numbers, width};
use super::{ColumnSpec, DoubleLayout, TableError};

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
pub(super) fn push_dictionary(
    out: &mut Vec<u8>,
    scratch: &mut Scratch,
    spec: &ColumnSpec,
    column: &ColumnData,
) -> Option<usize> {
    if !column.any_value() {
        return None;
    }
    match column.values {
        Values::Dict8 { dictionary, .. } | Values::Dict16 { dictionary, .. } => {
            for entry in dictionary {
                push_text(out, entry.as_bytes());
            }
            Some(dictionary.len())
        }
        Values::DictInt8 { dictionary, .. } => {
            push_dense(out, dictionary, None, i32::to_le_bytes);
            Some(dictionary.len())
        }
        Values::Double(values) if spec.layout == DoubleLayout::Dictionary => {
            scratch.bytes.clear();
            push_dense(&mut scratch.bytes, values, column.present, f64::to_le_bytes);
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
    spec: &ColumnSpec,
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
            if present.is_some() {
                push_dense(bytes, values, present, u8::to_le_bytes);
                if bytes.iter().any(|value| *value > 1) {
                    let reason = "a boolean is neither 0 nor 1";
                    return Err(TableError::column(&spec.name, reason));
                }
                pack_bits(out, bytes);
            } else {
                pack_bits(out, values);
            }
        }
        Values::Int32(values) => {
            push_dense(out, &values[slots.clone()], present, i32::to_le_bytes);
        }
        Values::Int64(values) => {
            push_dense(out, &values[slots.clone()], present, i64::to_le_bytes);
        }
        Values::Double(values) => {
            let values = &values[slots.clone()];
            if dictionary.is_some() {
                let start = scratch.numbers_used;
                scratch.numbers_used += filled(slots.len(), present);
                let numbers = &scratch.numbering.numbers[start..scratch.numbers_used];
                let width = width(scratch.numbering.distinct.len());
                out.push(width as u8);
                packed_header(out, numbers.len());
                pack_numbers(out, numbers, width);
                return Ok(Encoding::RLE_DICTIONARY);
            }
            if spec.layout == DoubleLayout::ByteStreamSplit {
                push_dense(bytes, values, present, f64::to_le_bytes);
                push_split(out, bytes);
                return Ok(Encoding::BYTE_STREAM_SPLIT);
            }
            push_dense(out, values, present, f64::to_le_bytes);
        }
        Values::Utf8 { bytes, ends } => push_texts(out, bytes, ends, present, slots),
        Values::Dict8 { indices, .. } | Values::DictInt8 { indices, .. } => {
            if let Some(entries) = dictionary {
                push_dense(bytes, &indices[slots.clone()], present, u8::to_le_bytes);
                push_indices::<1>(out, bytes, entries)
                    .map_err(|reason| TableError::column(&spec.name, reason))?;
                return Ok(Encoding::RLE_DICTIONARY);
            }
        }
        Values::Dict16 { indices, .. } => {
            if let Some(entries) = dictionary {
                push_dense(bytes, &indices[slots.clone()], present, u16::to_le_bytes);
                push_indices::<2>(out, bytes, entries)
                    .map_err(|reason| TableError::column(&spec.name, reason))?;
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

fn push_texts(
    out: &mut Vec<u8>,
    bytes: &[u8],
    ends: &[u32],
    present: Option<&[u8]>,
    slots: &Range<usize>,
) {
    let mut start = text_start(ends, slots.start);
    for (at, &end) in ends[slots.clone()].iter().enumerate() {
        let end = end as usize;
        if present.is_none_or(|present| present[at] == 1) {
            push_text(out, &bytes[start..end]);
        }
        start = end;
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
