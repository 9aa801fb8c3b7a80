//! Borrowed columns as a caller hands them in.

use std::ops::Range;

use super::{ColumnKind, ColumnSpec, TableError};

/// The values of one column, one entry per slot. Where a slot is null its
/// entry is a filler that is never read.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// One byte per slot, 0 or 1.
    Boolean(&'a [u8]),
    /// 32-bit integers.
    Int32(&'a [i32]),
    /// 64-bit integers.
    Int64(&'a [i64]),
    /// 64-bit floats.
    Double(&'a [f64]),
    /// Strings, one after another, and where each of them ends. Bytes that
    /// belong to a null slot are passed over.
    Utf8 {
        /// All strings' bytes.
        bytes: &'a [u8],
        /// End of each slot's string in `bytes`.
        ends: &'a [u32],
    },
    /// Strings out of at most 256.
    Dict8 {
        /// The strings.
        dictionary: &'a [String],
        /// Each slot's place in the dictionary.
        indices: &'a [u8],
    },
    /// Strings out of at most 65,536.
    Dict16 {
        /// The strings.
        dictionary: &'a [String],
        /// Each slot's place in the dictionary.
        indices: &'a [u16],
    },
    /// 32-bit integers out of at most 256.
    DictInt8 {
        /// The integers.
        dictionary: &'a [i32],
        /// Each slot's place in the dictionary.
        indices: &'a [u8],
    },
}

/// One column's values and which of its slots are filled.
#[derive(Debug, Clone, Copy)]
pub struct ColumnData<'a> {
    /// The values.
    pub values: Values<'a>,
    /// One byte per slot, 0 for null and 1 for a value; `None` if no slot is
    /// null.
    pub present: Option<&'a [u8]>,
}

impl<'a> ColumnData<'a> {
    /// A column without nulls.
    pub fn full(values: Values<'a>) -> Self {
        Self {
            values,
            present: None,
        }
    }

    /// A column whose null slots are marked with 0 in `present`.
    pub fn sparse(values: Values<'a>, present: &'a [u8]) -> Self {
        Self {
            values,
            present: Some(present),
        }
    }

    /// Refuses everything that would be written as a broken or different
    /// table, except indices beyond a dictionary, which are looked at when
    /// the nulls have been dropped.
    pub(super) fn check(&self, spec: &ColumnSpec, slots: usize) -> Result<(), TableError> {
        let refuse = |reason: String| Err(TableError::column(&spec.name, reason));
        if self.values.kind() != spec.kind {
            let held = self.values.kind();
            return refuse(format!("holds {held:?}, but {:?} was declared", spec.kind));
        }
        if self.values.slots() != slots {
            let held = self.values.slots();
            return refuse(format!("has {held} slots, but {slots} are needed"));
        }
        if let Some(present) = self.present {
            if present.len() != slots {
                let held = present.len();
                return refuse(format!("marks {held} slots, but {slots} are needed"));
            }
            if !zeros_and_ones(present) {
                return refuse("a presence mark is neither 0 nor 1".to_owned());
            }
            if !spec.nullable && memchr::memchr(0, present).is_some() {
                return refuse("holds a null, but none may".to_owned());
            }
        }
        match self.values {
            Values::Boolean(values) if self.present.is_none() && !zeros_and_ones(values) => {
                refuse("a boolean is neither 0 nor 1".to_owned())
            }
            Values::Utf8 { bytes, ends } => check_text(&spec.name, bytes, ends),
            _ => Ok(()),
        }
    }

    /// The presence marks of some slots.
    pub(super) fn present_in(&self, slots: &Range<usize>) -> Option<&'a [u8]> {
        self.present.map(|present| &present[slots.clone()])
    }

    /// Whether any slot holds a value.
    pub(super) fn any_value(&self) -> bool {
        match self.present {
            Some(present) => memchr::memchr(1, present).is_some(),
            None => self.values.slots() > 0,
        }
    }
}

impl Values<'_> {
    fn kind(&self) -> ColumnKind {
        match self {
            Self::Boolean(_) => ColumnKind::Boolean,
            Self::Int32(_) | Self::DictInt8 { .. } => ColumnKind::Int32,
            Self::Int64(_) => ColumnKind::Int64,
            Self::Double(_) => ColumnKind::Double,
            Self::Utf8 { .. } | Self::Dict8 { .. } | Self::Dict16 { .. } => ColumnKind::Utf8,
        }
    }

    pub(super) fn slots(&self) -> usize {
        match self {
            Self::Boolean(values) => values.len(),
            Self::Int32(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Utf8 { ends, .. } => ends.len(),
            Self::Dict8 { indices, .. } | Self::DictInt8 { indices, .. } => indices.len(),
            Self::Dict16 { indices, .. } => indices.len(),
        }
    }

    /// Uncompressed bytes some slots take at most, levels aside.
    pub(super) fn raw_size(&self, slots: &Range<usize>) -> usize {
        match self {
            Self::Boolean(_) | Self::Dict8 { .. } | Self::DictInt8 { .. } => slots.len(),
            Self::Dict16 { .. } => slots.len() * 2,
            Self::Int32(_) => slots.len() * 4,
            Self::Int64(_) | Self::Double(_) => slots.len() * 8,
            Self::Utf8 { ends, .. } => {
                let start = text_start(ends, slots.start);
                let end = text_start(ends, slots.end);
                slots.len() * 4 + end - start
            }
        }
    }
}

/// Where the string of a slot begins: where the one before it ends.
pub(super) fn text_start(ends: &[u32], slot: usize) -> usize {
    slot.checked_sub(1)
        .map_or(0, |before| ends[before] as usize)
}

fn zeros_and_ones(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |all, byte| all | byte) <= 1
}

/// Readers trust the file's text to be UTF-8, so it is made sure here that
/// the whole is and that no string begins within a character.
fn check_text(name: &str, bytes: &[u8], ends: &[u32]) -> Result<(), TableError> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(TableError::column(name, "is not UTF-8"));
    };
    let mut start = 0;
    for &end in ends {
        if end < start || !text.is_char_boundary(end as usize) {
            return Err(TableError::column(name, "a string's end is out of place"));
        }
        start = end;
    }
    Ok(())
}
