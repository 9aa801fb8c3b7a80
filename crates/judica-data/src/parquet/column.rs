//! The values of one column, borrowed from an Arrow array.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, StringArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;

use super::TableError;
use super::schema::{Leaf, held};

/// The values of one column, one entry per slot. Where a slot is null its entry is a filler
/// that is never read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Values<'a> {
    /// One byte per slot, 0 or 1.
    Boolean(&'a [u8]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt64(&'a [u64]),
    Double(&'a [f64]),
    /// Strings one after another, and where each of them begins, with one more for the end.
    Utf8 {
        bytes: &'a [u8],
        offsets: &'a [i32],
    },
    /// Each slot's place in a dictionary of at most 256.
    Narrow(Dictionary<'a>, &'a [u8]),
    /// Each slot's place in a dictionary of at most 65,536.
    Wide(Dictionary<'a>, &'a [u16]),
}

/// The distinct values of a column that comes with a dictionary.
#[derive(Debug, Clone, Copy)]
pub(super) enum Dictionary<'a> {
    Text(&'a StringArray),
    Int32(&'a [i32]),
}

impl Dictionary<'_> {
    pub fn len(&self) -> usize {
        match self {
            Dictionary::Text(values) => values.len(),
            Dictionary::Int32(values) => values.len(),
        }
    }
}

/// One column's values and which of its slots are filled.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnData<'a> {
    pub values: Values<'a>,
    /// One byte per slot, 0 for null and 1 for a value; `None` if no slot is null.
    pub present: Option<&'a [u8]>,
}

/// Room for bits that are wanted as bytes.
#[derive(Default)]
pub(super) struct Marks {
    present: Vec<u8>,
    flags: Vec<u8>,
}

impl<'a> ColumnData<'a> {
    /// Looks into an array. Refuses everything that would be written as a broken or
    /// different table.
    pub fn of(leaf: &Leaf, array: &'a dyn Array, marks: &'a mut Marks) -> Result<Self, TableError> {
        let refuse = |reason: String| TableError::column(&leaf.name, reason);
        if held(array.data_type()) != &leaf.holds {
            let (found, holds) = (array.data_type(), &leaf.holds);
            return Err(refuse(format!("holds {found}, but {holds} was declared")));
        }
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        if !leaf.nullable && nulls.is_some() {
            return Err(refuse("holds a null, but none may".to_owned()));
        }
        let present = nulls.map(|nulls| {
            spread_bits(&mut marks.present, nulls.inner());
            &*marks.present
        });
        let values = match array.data_type() {
            DataType::Boolean => {
                spread_bits(&mut marks.flags, array.as_boolean().values());
                Values::Boolean(&marks.flags)
            }
            DataType::Int32 => Values::Int32(array.as_primitive::<Int32Type>().values()),
            DataType::Int64 => Values::Int64(array.as_primitive::<Int64Type>().values()),
            DataType::UInt64 => Values::UInt64(array.as_primitive::<UInt64Type>().values()),
            DataType::Float64 => Values::Double(array.as_primitive::<Float64Type>().values()),
            DataType::Utf8 => {
                let texts = array.as_string::<i32>();
                Values::Utf8 {
                    bytes: texts.values(),
                    offsets: texts.value_offsets(),
                }
            }
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary();
                let entries = dictionary.values();
                if entries.null_count() > 0 {
                    return Err(refuse("has a null in its dictionary".to_owned()));
                }
                let entries = match entries.as_string_opt::<i32>() {
                    Some(texts) => Dictionary::Text(texts),
                    None => match entries.as_primitive_opt::<Int32Type>() {
                        Some(numbers) => Dictionary::Int32(numbers.values()),
                        None => return Err(refuse("a dictionary is of text or int32".to_owned())),
                    },
                };
                let keys = dictionary.keys();
                if let Some(narrow) = keys.as_primitive_opt::<UInt8Type>() {
                    Values::Narrow(entries, narrow.values())
                } else if let Some(wide) = keys.as_primitive_opt::<UInt16Type>() {
                    Values::Wide(entries, wide.values())
                } else {
                    return Err(refuse(
                        "a dictionary is numbered by uint8 or uint16".to_owned(),
                    ));
                }
            }
            other => return Err(refuse(format!("{other} is a type no table here has"))),
        };
        Ok(ColumnData { values, present })
    }

    /// The presence marks of some slots.
    pub fn present_in(&self, slots: &Range<usize>) -> Option<&'a [u8]> {
        self.present.map(|present| &present[slots.clone()])
    }

    /// Whether any slot of so many holds a value.
    pub fn any_value(&self, slots: usize) -> bool {
        match self.present {
            Some(present) => memchr::memchr(1, present).is_some(),
            None => slots > 0,
        }
    }
}

impl Values<'_> {
    /// Uncompressed bytes some slots take at most, levels aside.
    pub fn raw_size(&self, slots: &Range<usize>) -> usize {
        match self {
            Self::Boolean(_) | Self::Narrow(..) => slots.len(),
            Self::Wide(..) => slots.len() * 2,
            Self::Int32(_) => slots.len() * 4,
            Self::Int64(_) | Self::UInt64(_) | Self::Double(_) => slots.len() * 8,
            Self::Utf8 { offsets, .. } => {
                slots.len() * 4 + (offsets[slots.end] - offsets[slots.start]) as usize
            }
        }
    }
}

/// The eight bits of every byte as eight bytes of 0 or 1.
const SPREAD: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Turns bits into bytes of 0 or 1.
fn spread_bits(out: &mut Vec<u8>, bits: &BooleanBuffer) {
    out.clear();
    out.reserve(bits.len() + 64);
    for word in bits.bit_chunks().iter_padded() {
        for byte in word.to_le_bytes() {
            out.extend_from_slice(&SPREAD[usize::from(byte)]);
        }
    }
    out.truncate(bits.len());
}
