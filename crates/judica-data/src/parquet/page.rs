//! The values part of a data page, and the dictionary page before it.

use std::ops::Range;

use ::parquet::basic::Encoding;

use super::column::{ColumnData, Values, text_start};
use super::dense::{filled, push_dense, push_split};
use super::levels::{pack_bits, packed_header, run_header};
use super::{ColumnSpec, DoubleLayout, TableError};

/// Appends the dictionary of a column and tells how many entries it has;
/// `None` if the column is written without one. A column that is null
/// throughout needs none either, and readers differ on empty ones.
pub(super) fn push_dictionary(out: &mut Vec<u8>, column: &ColumnData) -> Option<usize> {
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
        _ => None,
    }
}

/// Appends the values of some slots, nulls dropped, and names the encoding.
pub(super) fn push_values(
    out: &mut Vec<u8>,
    scratch: &mut Vec<u8>,
    spec: &ColumnSpec,
    column: &ColumnData,
    slots: &Range<usize>,
    dictionary: Option<usize>,
) -> Result<Encoding, TableError> {
    let present = column.present_in(slots);
    match column.values {
        Values::Boolean(values) => {
            let values = &values[slots.clone()];
            if present.is_some() {
                scratch.clear();
                push_dense(scratch, values, present, u8::to_le_bytes);
                if scratch.iter().any(|value| *value > 1) {
                    let reason = "a boolean is neither 0 nor 1";
                    return Err(TableError::column(&spec.name, reason));
                }
                pack_bits(out, scratch);
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
            if spec.layout == DoubleLayout::ByteStreamSplit {
                scratch.clear();
                push_dense(scratch, values, present, f64::to_le_bytes);
                push_split(out, scratch);
                return Ok(Encoding::BYTE_STREAM_SPLIT);
            }
            push_dense(out, values, present, f64::to_le_bytes);
        }
        Values::Utf8 { bytes, ends } => push_texts(out, bytes, ends, present, slots),
        Values::Dict8 { indices, .. } | Values::DictInt8 { indices, .. } => {
            if let Some(entries) = dictionary {
                let indices = &indices[slots.clone()];
                push_indices(out, indices, present, entries, u8::to_le_bytes)
                    .map_err(|reason| TableError::column(&spec.name, reason))?;
                return Ok(Encoding::RLE_DICTIONARY);
            }
        }
        Values::Dict16 { indices, .. } => {
            if let Some(entries) = dictionary {
                let indices = &indices[slots.clone()];
                push_indices(out, indices, present, entries, u16::to_le_bytes)
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

/// Appends dictionary indices at the width of `T`, so that packing them is
/// copying them; compression then finds what narrower packing would hide.
fn push_indices<T: Copy + Ord + Into<usize>, const N: usize>(
    out: &mut Vec<u8>,
    indices: &[T],
    present: Option<&[u8]>,
    entries: usize,
    to_bytes: impl Fn(T) -> [u8; N],
) -> Result<(), String> {
    let count = filled(indices.len(), present);
    out.push(8 * N as u8);
    let head = out.len();
    packed_header(out, count);
    let start = out.len();
    push_dense(out, indices, present, to_bytes);

    let (lowest, highest) = extremes::<N>(&out[start..]);
    if count > 0 && highest >= entries {
        return Err(format!(
            "index {highest} is beyond a dictionary of {entries}"
        ));
    }
    if count > 0 && lowest == highest {
        out.truncate(head);
        run_header(out, count);
        out.extend_from_slice(&highest.to_le_bytes()[..N]);
    } else {
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
