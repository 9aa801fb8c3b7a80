//! Arrow arrays for the shapes that records have: words that are numbered, numbers of which
//! NaN is none, a few values spread over many places.

use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, UInt8Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, ListArray, PrimitiveArray, StringArray,
    StructArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use judica_data::parquet::{TableError, pack_bits};
use judica_run::layout::label_fields;

/// Words that are numbered, and each of some things' number.
pub(super) enum Words {
    Narrow(Arc<StringArray>, Vec<u8>),
    Wide(Arc<StringArray>, Vec<u16>),
}

impl Words {
    pub(super) fn new<'a>(
        words: impl IntoIterator<Item = &'a str>,
        numbers: impl Iterator<Item = usize>,
    ) -> Self {
        Words::of(Arc::new(StringArray::from_iter_values(words)), numbers)
    }

    pub(super) fn of(words: Arc<StringArray>, numbers: impl Iterator<Item = usize>) -> Self {
        match words.len() <= 256 {
            true => Words::Narrow(words, numbers.map(|number| number as u8).collect()),
            false => Words::Wide(words, numbers.map(|number| number as u16).collect()),
        }
    }

    /// The column of those things, null where `present` says so.
    pub(super) fn column(self, present: Option<BooleanBuffer>) -> Result<ArrayRef, TableError> {
        match self {
            Words::Narrow(words, numbers) => numbered::<UInt8Type>(words, numbers, present),
            Words::Wide(words, numbers) => numbered::<UInt16Type>(words, numbers, present),
        }
    }

    /// The column of other things, each of which has the word of one of these.
    pub(super) fn by(
        &self,
        of: &[u16],
        rows: &OffsetBuffer<i32>,
        present: Option<BooleanBuffer>,
    ) -> Result<ArrayRef, TableError> {
        match self {
            Words::Narrow(words, numbers) => {
                Words::Narrow(Arc::clone(words), by(numbers, of, rows))
            }
            Words::Wide(words, numbers) => Words::Wide(Arc::clone(words), by(numbers, of, rows)),
        }
        .column(present)
    }
}

pub(super) fn numbered<K: ArrowDictionaryKeyType>(
    values: ArrayRef,
    numbers: Vec<K::Native>,
    present: Option<BooleanBuffer>,
) -> Result<ArrayRef, TableError>
where
    K::Native: Ord + Into<usize>,
{
    let highest = numbers.iter().copied().max();
    let all_known = highest.is_none_or(|highest| highest.into() < values.len());
    let keys = PrimitiveArray::<K>::new(numbers.into(), present.map(NullBuffer::new));
    Ok(Arc::new(match all_known {
        // SAFETY: keys must be from 0 to below the number of values, and the highest of them is;
        // they have no sign, or they could not be made a `usize`. Arrow looks at one after the
        // other for this, and takes ten times as long.
        true => unsafe { DictionaryArray::new_unchecked(keys, values) },
        false => DictionaryArray::try_new(keys, values).map_err(odd)?,
    }))
}

/// What a table says of each of many things, which come in rows: mostly a row has the same as
/// the one before it.
pub(super) fn by<T: Copy>(table: &[T], of: &[u16], rows: &OffsetBuffer<i32>) -> Vec<T> {
    let mut all: Vec<T> = Vec::with_capacity(of.len());
    let mut before = 0..0;
    for ends in rows.windows(2) {
        let row = ends[0] as usize..ends[1] as usize;
        match of[row.clone()] == of[before.clone()] {
            true => all.extend_from_within(before),
            false => all.extend(of[row.clone()].iter().map(|at| table[usize::from(*at)])),
        }
        before = row;
    }
    all
}

/// Columns that do not fit one another.
pub(super) fn odd(error: arrow_schema::ArrowError) -> TableError {
    TableError::Spec(error.to_string())
}

/// The fields, of the types that columns have: numbered words are words still.
pub(super) fn typed(fields: &[Arc<Field>], columns: &[ArrayRef]) -> Vec<Field> {
    let pairs = fields.iter().zip(columns);
    pairs
        .map(|(field, column)| Field::clone(field).with_data_type(column.data_type().clone()))
        .collect()
}

pub(super) fn list(
    lengths: OffsetBuffer<i32>,
    elements: StructArray,
) -> Result<ArrayRef, TableError> {
    let element = judica_run::layout::element(elements.fields().clone());
    let list = ListArray::try_new(element, lengths, Arc::new(elements), None).map_err(odd)?;
    Ok(Arc::new(list))
}

pub(super) fn empty_labels(rows: usize) -> Result<ArrayRef, TableError> {
    let none: ArrayRef = Arc::new(StringArray::new_null(0));
    let labels = StructArray::try_new(label_fields(), vec![Arc::clone(&none), none], None);
    list(OffsetBuffer::new_zeroed(rows), labels.map_err(odd)?)
}

/// Which of some values pass a test.
pub(super) fn bits<T: Copy>(values: &[T], test: impl Fn(T) -> bool) -> BooleanBuffer {
    let marks: Vec<u8> = values.iter().map(|value| u8::from(test(*value))).collect();
    let mut bits = Vec::new();
    pack_bits(&mut bits, &marks);
    BooleanBuffer::new(bits.into(), 0, values.len())
}

/// Which of some numbers there are; NaN stands for none.
pub(super) fn not_nan(values: &[f64]) -> Option<NullBuffer> {
    Some(NullBuffer::new(bits(values, |value| !value.is_nan())))
}

pub(super) fn numbers(values: Vec<f64>) -> ArrayRef {
    let present = not_nan(&values);
    Arc::new(Float64Array::new(values.into(), present))
}

/// A few values spread over many slots.
pub(super) fn spread(slots: usize, values: &[(u32, f64)]) -> (Vec<f64>, BooleanBuffer) {
    let mut all = vec![0.0; slots];
    let mut present = arrow_buffer::BooleanBufferBuilder::new(slots);
    present.append_n(slots, false);
    for (slot, value) in values {
        all[*slot as usize] = *value;
        present.set_bit(*slot as usize, true);
    }
    (all, present.finish())
}

/// A few strings spread over many slots.
pub(super) fn texts(slots: usize, texts: &[(u32, Box<str>)]) -> Result<ArrayRef, TableError> {
    if texts.len() > usize::from(u16::MAX) {
        let mut all = vec![None; slots];
        texts
            .iter()
            .for_each(|(slot, text)| all[*slot as usize] = Some(&**text));
        return Ok(Arc::new(StringArray::from(all)));
    }
    // Numbered, so that the many slots without one cost next to nothing.
    let mut numbers = vec![0u16; slots];
    let mut present = arrow_buffer::BooleanBufferBuilder::new(slots);
    present.append_n(slots, false);
    for ((slot, _), number) in texts.iter().zip(0..) {
        numbers[*slot as usize] = number;
        present.set_bit(*slot as usize, true);
    }
    let texts = StringArray::from_iter_values(texts.iter().map(|(_, text)| &**text));
    let texts = match texts.is_empty() {
        true => StringArray::from(vec![""]),
        false => texts,
    };
    numbered::<UInt16Type>(Arc::new(texts), numbers, Some(present.finish()))
}
