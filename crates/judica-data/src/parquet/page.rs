//! The values part of a data page, and the dictionary page before it.

use std::collections::HashMap;
use std::ops::Range;

use ::parquet::basic::Encoding;

use arrow_array::{Array, StringArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};

use super::TableError;
use super::column::{ColumnData, Dictionary, Values};
use super::dense::{dense, filled, push_dense};
use super::levels::{pack_pairs, packed_header, push_bits, run, run_header};
use super::number::{Numbering, pack_numbers, width};
use super::schema::Leaf;

/// A dictionary of words is no longer: beyond, too few of them recur.
const MOST_WORDS: usize = 1 << 16;

/// Working memory for laying out values.
#[derive(Default)]
pub(super) struct Scratch {
    /// Bytes on their way from one order to another.
    pub bytes: Vec<u8>,
    numbering: Numbering,
    /// How many of the numbers earlier pages of the column have used.
    numbers_used: usize,
}

impl Scratch {
    /// The distinct values of the last column that was numbered here.
    pub fn distinct(&self) -> &[[u8; 8]] {
        &self.numbering.distinct
    }
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
    leaf: &Leaf,
    column: &ColumnData,
    slots: usize,
) -> Option<usize> {
    if !column.any_value(slots) {
        return None;
    }
    scratch.numbers_used = 0;
    if leaf.numbered {
        return push_words(out, &mut scratch.numbering, column, slots);
    }
    match column.parts.first()?.values {
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
        Values::Double(_) | Values::Sparse(..) | Values::Int64(_) => {
            let numbering = &mut scratch.numbering;
            numbering.begin(filled(slots, column.present.as_ref()));
            for (values, own, present) in column.within(&(0..slots)) {
                let present = present.as_ref();
                let number = |cells: &[_]| numbering.add(cells);
                match values {
                    Values::Double(values) => {
                        dense(&values[own], present, f64::to_le_bytes, number);
                    }
                    Values::Sparse(values, places) => {
                        dense(&places[own], present, |place| at(values, place), number);
                    }
                    Values::Int64(values) => {
                        dense(&values[own], present, i64::to_le_bytes, number);
                    }
                    _ => {}
                }
            }
            if !numbering.pays() {
                return None;
            }
            let distinct = &numbering.distinct;
            out.extend_from_slice(distinct.as_flattened());
            Some(distinct.len())
        }
        _ => None,
    }
}

/// The bytes of the value at a place; a slot that is null may name one that is not there.
fn at(values: &[f64], place: u16) -> [u8; 8] {
    let value = values.get(usize::from(place)).copied();
    value.unwrap_or_default().to_le_bytes()
}

/// Numbers words in the order in which they first appear, however they came; `None` if they
/// are too many, or do not recur.
fn push_words(
    out: &mut Vec<u8>,
    numbering: &mut Numbering,
    column: &ColumnData,
    slots: usize,
) -> Option<usize> {
    let numbers = &mut numbering.numbers;
    numbers.clear();
    let mut words = Words {
        out,
        numbers: HashMap::new(),
    };
    for (values, own, present) in column.within(&(0..slots)) {
        let present = present.as_ref();
        match values {
            Values::Narrow(Dictionary::Text(texts), keys) => {
                words.number_keys(texts, keys, own, present, numbers);
            }
            Values::Wide(Dictionary::Text(texts), keys) => {
                words.number_keys(texts, keys, own, present, numbers);
            }
            Values::Utf8(texts) => {
                // The same word often stands in many rows one after the other.
                let mut last = None;
                extend(numbers, own, present, |slot| {
                    let text = texts.value(slot);
                    match last {
                        Some((word, number)) if word == text => number,
                        _ => {
                            let number = words.number(text);
                            last = Some((text, number));
                            number
                        }
                    }
                });
            }
            _ => {}
        }
    }
    let Words {
        out,
        numbers: words,
    } = words;
    if words.len() > MOST_WORDS.min(numbers.len() / 2) {
        out.clear();
        return None;
    }
    Some(words.len())
}

/// The words of a column so far.
struct Words<'a, 'o> {
    /// Where they are written.
    out: &'o mut Vec<u8>,
    numbers: HashMap<&'a str, u32>,
}

impl<'a> Words<'a, '_> {
    fn number(&mut self, text: &'a str) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(text).or_insert_with(|| {
            push_text(self.out, text.as_bytes());
            next
        })
    }

    /// Numbers words that come with numbers of their own.
    fn number_keys<K: Copy + Into<usize>>(
        &mut self,
        texts: &'a StringArray,
        keys: &[K],
        own: Range<usize>,
        present: Option<&BooleanBuffer>,
        numbers: &mut Vec<u32>,
    ) {
        // What a word is called here, once it was met.
        let mut known = vec![None; texts.len()];
        extend(numbers, own, present, |slot| {
            let key = keys[slot].into();
            *known[key].get_or_insert_with(|| self.number(texts.value(key)))
        });
    }
}

/// Appends the number of each slot that holds something.
fn extend(
    numbers: &mut Vec<u32>,
    own: Range<usize>,
    present: Option<&BooleanBuffer>,
    mut number: impl FnMut(usize) -> u32,
) {
    match present {
        Some(present) => {
            numbers.extend(present.set_indices().map(|at| number(own.start + at)));
        }
        None => numbers.extend(own.map(number)),
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
    let first = column.parts.first().map(|part| &part.values);
    if let Some(entries) = dictionary
        && (leaf.numbered
            || matches!(
                first,
                Some(Values::Double(_) | Values::Sparse(..) | Values::Int64(_))
            ))
    {
        let start = scratch.numbers_used;
        scratch.numbers_used += filled(slots.len(), column.present_in(slots).as_ref());
        let numbers = &scratch.numbering.numbers[start..scratch.numbers_used];
        let width = width(entries);
        out.push(width as u8);
        if entries == 1 {
            run(out, 0, numbers.len());
            return Ok(Encoding::RLE_DICTIONARY);
        }
        packed_header(out, numbers.len());
        pack_numbers(out, numbers, width);
        return Ok(Encoding::RLE_DICTIONARY);
    }
    if leaf.numbered {
        column.texts(slots, &mut |text| push_text(out, text.as_bytes()));
        return Ok(Encoding::PLAIN);
    }
    let bytes = &mut scratch.bytes;
    bytes.clear();
    let mut flags = BooleanBufferBuilder::new(0);
    for (values, own, present) in column.within(slots) {
        let present = present.as_ref();
        match values {
            Values::Boolean(values) => push_flags(&mut flags, values, own, present),
            Values::Int32(values) => push_dense(out, &values[own], present, i32::to_le_bytes),
            Values::Int64(values) => push_dense(out, &values[own], present, i64::to_le_bytes),
            Values::UInt64(values) => push_dense(out, &values[own], present, u64::to_le_bytes),
            Values::Double(values) => push_dense(out, &values[own], present, f64::to_le_bytes),
            Values::Sparse(values, places) => {
                push_dense(out, &places[own], present, |place| at(values, place));
            }
            Values::Utf8(texts) => push_texts(out, texts, own, present),
            Values::Narrow(_, indices) => {
                push_dense(bytes, &indices[own], present, u8::to_le_bytes);
            }
            Values::Wide(_, indices) => {
                push_dense(bytes, &indices[own], present, u16::to_le_bytes);
            }
        }
    }
    let wrong = |reason| TableError::column(&leaf.name, reason);
    match (first, dictionary) {
        (Some(Values::Boolean(_)), _) => push_bits(out, &flags.finish()),
        (Some(Values::Narrow(..)), Some(entries)) => {
            push_indices::<1>(out, bytes, entries).map_err(wrong)?;
            return Ok(Encoding::RLE_DICTIONARY);
        }
        (Some(Values::Wide(..)), Some(entries)) => {
            push_indices::<2>(out, bytes, entries).map_err(wrong)?;
            return Ok(Encoding::RLE_DICTIONARY);
        }
        _ => {}
    }
    Ok(Encoding::PLAIN)
}

fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
}

/// Appends yes and no of slots that hold either.
fn push_flags(
    out: &mut BooleanBufferBuilder,
    flags: &BooleanBuffer,
    own: Range<usize>,
    present: Option<&BooleanBuffer>,
) {
    let flags = flags.slice(own.start, own.len());
    match present {
        Some(present) => present
            .set_slices()
            .for_each(|(start, end)| out.append_buffer(&flags.slice(start, end - start))),
        None => out.append_buffer(&flags),
    }
}

fn push_texts(
    out: &mut Vec<u8>,
    texts: &StringArray,
    slots: Range<usize>,
    present: Option<&BooleanBuffer>,
) {
    for (at, slot) in slots.enumerate() {
        if present.is_none_or(|present| present.value(at)) {
            push_text(out, texts.value(slot).as_bytes());
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
        pack_pairs(out, cells);
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
