//! The values of one column, borrowed from Arrow arrays.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, StringArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::DataType;

use super::TableError;
use super::schema::{Leaf, held};

/// The values of one array, one entry per slot. Where a slot is null its entry is a filler
/// that is never read.
#[derive(Debug, Clone)]
pub(super) enum Values<'a> {
    Boolean(BooleanBuffer),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt64(&'a [u64]),
    Double(&'a [f64]),
    /// Each slot's place among values, where most slots are null; no dictionary is made of
    /// them as they come.
    Sparse(&'a [f64], &'a [u16]),
    Utf8(&'a StringArray),
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
    fn same(&self, other: &Dictionary) -> bool {
        match (self, other) {
            (Dictionary::Text(one), Dictionary::Text(other)) => {
                std::ptr::eq(one.value_data(), other.value_data()) && one.len() == other.len()
                    || one == other
            }
            (Dictionary::Int32(one), Dictionary::Int32(other)) => one == other,
            _ => false,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Dictionary::Text(values) => values.len(),
            Dictionary::Int32(values) => values.len(),
        }
    }
}

/// The values of one column from one batch, and the slots they fill.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub values: Values<'a>,
    slots: Range<usize>,
}

/// One column's values, batch by batch, and which of its slots are filled.
#[derive(Debug)]
pub(super) struct ColumnData<'a> {
    pub parts: Vec<Part<'a>>,
    /// `None` if no slot is null.
    pub present: Option<BooleanBuffer>,
}

impl<'a> ColumnData<'a> {
    /// Looks into the arrays of one column, which follow one another. Refuses everything that
    /// would be written as a broken or different table.
    pub fn of(leaf: &Leaf, arrays: &[&'a dyn Array]) -> Result<Self, TableError> {
        let refuse = |reason: String| TableError::column(&leaf.name, reason);
        for array in arrays {
            if held(array.data_type()) != &leaf.holds {
                let (found, holds) = (array.data_type(), &leaf.holds);
                return Err(refuse(format!("holds {found}, but {holds} was declared")));
            }
        }
        let holes = |array: &&'a dyn Array| array.nulls().is_some_and(|n| n.null_count() > 0);
        let nulls = arrays.iter().any(holes);
        if !leaf.nullable && nulls {
            return Err(refuse("holds a null, but none may".to_owned()));
        }
        let mut parts: Vec<Part> = Vec::with_capacity(arrays.len());
        let mut start = 0;
        // Without a row, a dictionary says nothing.
        for array in arrays.iter().filter(|array| !array.is_empty()) {
            let slots = start..start + array.len();
            let values = Values::of(*array).map_err(refuse)?;
            let fits = |first: &Part| first.values.same_dictionary(&values);
            if !leaf.numbered && !parts.first().is_none_or(fits) {
                return Err(refuse("comes with several dictionaries".to_owned()));
            }
            start = slots.end;
            parts.push(Part { values, slots });
        }
        Ok(ColumnData {
            parts,
            present: nulls.then(|| present(arrays)),
        })
    }

    /// The presence marks of some slots.
    pub fn present_in(&self, slots: &Range<usize>) -> Option<BooleanBuffer> {
        let present = self.present.as_ref();
        present.map(|present| present.slice(slots.start, slots.len()))
    }

    /// Whether any slot of so many holds a value.
    pub fn any_value(&self, slots: usize) -> bool {
        match &self.present {
            Some(present) => present.has_true(),
            None => slots > 0,
        }
    }

    /// The parts that some slots fall into: their values, which of those, and their presence
    /// marks.
    pub fn within(
        &self,
        slots: &Range<usize>,
    ) -> impl Iterator<Item = (&Values<'a>, Range<usize>, Option<BooleanBuffer>)> {
        self.parts.iter().filter_map(move |part| {
            let start = part.slots.start.max(slots.start);
            let end = part.slots.end.min(slots.end);
            (start < end).then(|| {
                let own = start - part.slots.start..end - part.slots.start;
                (&part.values, own, self.present_in(&(start..end)))
            })
        })
    }

    /// Calls `each` with the texts in some slots.
    pub fn texts(&self, slots: &Range<usize>, each: &mut dyn FnMut(&'a str)) {
        for (values, own, present) in self.within(slots) {
            let mut see = |slot: usize| match values {
                Values::Utf8(texts) => each(texts.value(slot)),
                Values::Narrow(Dictionary::Text(words), keys) => {
                    each(words.value(usize::from(keys[slot])));
                }
                Values::Wide(Dictionary::Text(words), keys) => {
                    each(words.value(usize::from(keys[slot])));
                }
                _ => {}
            };
            match present {
                Some(present) => present.set_indices().for_each(|at| see(own.start + at)),
                None => own.for_each(&mut see),
            }
        }
    }

    /// Uncompressed bytes some slots take at most, levels aside.
    pub fn raw_size(&self, leaf: &Leaf, slots: &Range<usize>, dictionary: bool) -> usize {
        match (leaf.numbered, dictionary) {
            (true, true) => slots.len() * 4,
            (true, false) => {
                let mut size = 0;
                self.texts(slots, &mut |text| size += 4 + text.len());
                size
            }
            _ => {
                let sizes = self.within(slots);
                sizes.map(|(values, own, _)| values.raw_size(&own)).sum()
            }
        }
    }
}

impl<'a> Values<'a> {
    /// The values of an array.
    fn of(array: &'a dyn Array) -> Result<Self, String> {
        Ok(match array.data_type() {
            DataType::Boolean => Values::Boolean(array.as_boolean().values().clone()),
            DataType::Int32 => Values::Int32(array.as_primitive::<Int32Type>().values()),
            DataType::Int64 => Values::Int64(array.as_primitive::<Int64Type>().values()),
            DataType::UInt64 => Values::UInt64(array.as_primitive::<UInt64Type>().values()),
            DataType::Float64 => Values::Double(array.as_primitive::<Float64Type>().values()),
            DataType::Utf8 => Values::Utf8(array.as_string::<i32>()),
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary();
                let entries = dictionary.values();
                if entries.null_count() > 0 {
                    return Err("has a null in its dictionary".to_owned());
                }
                let keys = dictionary.keys();
                if let Some(numbers) = entries.as_primitive_opt::<Float64Type>()
                    && let Some(places) = keys.as_primitive_opt::<UInt16Type>()
                {
                    return Ok(Values::Sparse(numbers.values(), places.values()));
                }
                let entries = match entries.as_string_opt::<i32>() {
                    Some(texts) => Dictionary::Text(texts),
                    None => match entries.as_primitive_opt::<Int32Type>() {
                        Some(numbers) => Dictionary::Int32(numbers.values()),
                        None => {
                            return Err(
                                "a dictionary is of text or int32, or a wide one of doubles"
                                    .to_owned(),
                            );
                        }
                    },
                };
                if let Some(narrow) = keys.as_primitive_opt::<UInt8Type>() {
                    Values::Narrow(entries, narrow.values())
                } else if let Some(wide) = keys.as_primitive_opt::<UInt16Type>() {
                    Values::Wide(entries, wide.values())
                } else {
                    return Err("a dictionary is numbered by uint8 or uint16".to_owned());
                }
            }
            other => return Err(format!("{other} is a type no table here has")),
        })
    }

    /// The double in a slot; that of one which is null means nothing.
    #[inline]
    pub fn double(&self, slot: usize) -> f64 {
        let double = match self {
            Values::Double(values) => values.get(slot),
            Values::Sparse(values, places) => values.get(usize::from(places[slot])),
            _ => None,
        };
        double.copied().unwrap_or(f64::NAN)
    }

    /// Whether two stretches of one column can be written under one dictionary.
    fn same_dictionary(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Narrow(one, _), Values::Narrow(other, _))
            | (Values::Wide(one, _), Values::Wide(other, _)) => one.same(other),
            (Values::Narrow(..) | Values::Wide(..), _)
            | (_, Values::Narrow(..) | Values::Wide(..)) => false,
            _ => true,
        }
    }

    /// Uncompressed bytes some slots take at most, levels aside.
    fn raw_size(&self, slots: &Range<usize>) -> usize {
        match self {
            Self::Boolean(_) | Self::Narrow(..) => slots.len(),
            Self::Wide(..) => slots.len() * 2,
            Self::Int32(_) => slots.len() * 4,
            Self::Int64(_) | Self::UInt64(_) | Self::Double(_) | Self::Sparse(..) => {
                slots.len() * 8
            }
            Self::Utf8(texts) => {
                let offsets = texts.value_offsets();
                slots.len() * 4 + (offsets[slots.end] - offsets[slots.start]) as usize
            }
        }
    }
}

/// Which slots of arrays hold a value.
fn present(arrays: &[&dyn Array]) -> BooleanBuffer {
    if let [array] = arrays
        && let Some(nulls) = array.nulls()
    {
        return nulls.inner().clone();
    }
    let slots = arrays.iter().map(|array| array.len()).sum();
    let mut present = BooleanBufferBuilder::new(slots);
    for array in arrays {
        match array.nulls() {
            Some(nulls) => present.append_buffer(nulls.inner()),
            None => present.append_n(array.len(), true),
        }
    }
    present.finish()
}
