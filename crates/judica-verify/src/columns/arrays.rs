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
        things: &Things,
        present: Option<BooleanBuffer>,
    ) -> Result<ArrayRef, TableError> {
        match self {
            Words::Narrow(words, numbers) => Words::Narrow(Arc::clone(words), things.by(numbers)),
            Words::Wide(words, numbers) => Words::Wide(Arc::clone(words), things.by(numbers)),
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

/// Many things of few kinds, which come in rows: mostly a row has the same as the one before it.
pub(super) struct Things<'a> {
    /// The kind of each.
    kinds: &'a [u16],
    /// How long each row is, and whether it is the same as the one before it.
    rows: Vec<(usize, bool)>,
}

impl<'a> Things<'a> {
    pub(super) fn new(kinds: &'a [u16], rows: &OffsetBuffer<i32>) -> Self {
        let mut before: &[u16] = &[];
        let rows = rows.windows(2).map(|ends| {
            let row = &kinds[ends[0] as usize..ends[1] as usize];
            let same = row == before;
            before = row;
            (row.len(), same)
        });
        Things {
            kinds,
            rows: rows.collect(),
        }
    }

    /// What a table of kinds says of each.
    pub(super) fn by<T: Copy>(&self, table: &[T]) -> Vec<T> {
        let mut all: Vec<T> = Vec::with_capacity(self.kinds.len());
        for (length, same) in &self.rows {
            let start = all.len();
            match same {
                true => all.extend_from_within(start - length..),
                false => {
                    let row = &self.kinds[start..start + length];
                    all.extend(row.iter().map(|kind| table[usize::from(*kind)]));
                }
            }
        }
        all
    }

    /// Which of them a table of kinds has something for; `None` if it has for all.
    pub(super) fn having(&self, table: &[bool]) -> Option<BooleanBuffer> {
        let some_lack = table.contains(&false);
        some_lack.then(|| bits(&self.by(table), |has| has))
    }
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
    let mut bits = Vec::with_capacity(values.len().div_ceil(8));
    // Few enough at a time for a processor's nearest cache, and whole bytes.
    let mut marks = [0; 512];
    for some in values.chunks(marks.len()) {
        for (mark, value) in marks.iter_mut().zip(some) {
            *mark = u8::from(test(*value));
        }
        pack_bits(&mut bits, &marks[..some.len()]);
    }
    BooleanBuffer::new(bits.into(), 0, values.len())
}

/// Which of some numbers there are; NaN stands for none.
pub(super) fn not_nan(values: &[f64]) -> Option<NullBuffer> {
    // Mostly all of them are there, which is seen at once.
    let lacks = values.iter().fold(false, |any, value| any | value.is_nan());
    lacks.then(|| NullBuffer::new(bits(values, |value| !value.is_nan())))
}

pub(super) fn numbers(values: Vec<f64>) -> ArrayRef {
    let present = not_nan(&values);
    Arc::new(Float64Array::new(values.into(), present))
}

/// A few numbers spread over many slots.
pub(super) fn few_numbers(slots: usize, values: &[(u32, f64)]) -> Result<ArrayRef, TableError> {
    let Some((numbers, present)) = places(slots, values) else {
        let mut all = vec![None; slots];
        for (slot, value) in values {
            all[*slot as usize] = Some(*value);
        }
        return Ok(Arc::new(Float64Array::from(all)));
    };
    let mut values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    if values.is_empty() {
        values.push(0.0);
    }
    let values = Arc::new(Float64Array::from(values));
    numbered::<UInt16Type>(values, numbers, Some(present))
}

/// A few strings spread over many slots.
pub(super) fn texts(slots: usize, texts: &[(u32, Box<str>)]) -> Result<ArrayRef, TableError> {
    let Some((numbers, present)) = places(slots, texts) else {
        let mut all = vec![None; slots];
        texts
            .iter()
            .for_each(|(slot, text)| all[*slot as usize] = Some(&**text));
        return Ok(Arc::new(StringArray::from(all)));
    };
    let texts = StringArray::from_iter_values(texts.iter().map(|(_, text)| &**text));
    let texts = match texts.is_empty() {
        true => StringArray::from(vec![""]),
        false => texts,
    };
    numbered::<UInt16Type>(Arc::new(texts), numbers, Some(present))
}

/// Which of a few values each of many slots has, and whether any, so that those without cost
/// next to nothing; `None` if the values are too many to be numbered.
fn places<T>(slots: usize, values: &[(u32, T)]) -> Option<(Vec<u16>, BooleanBuffer)> {
    if values.len() > usize::from(u16::MAX) {
        return None;
    }
    let mut numbers = vec![0; slots];
    let mut present = arrow_buffer::BooleanBufferBuilder::new(slots);
    present.append_n(slots, false);
    for ((slot, _), number) in values.iter().zip(0..) {
        numbers[*slot as usize] = number;
        present.set_bit(*slot as usize, true);
    }
    Some((numbers, present.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;

    #[test]
    fn rows_have_what_their_kinds_have() {
        let kinds = [0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 1];
        let rows = OffsetBuffer::from_lengths([3, 3, 0, 0, 2, 1, 1, 1]);
        let things = Things::new(&kinds, &rows);
        let said = things.by(&[5, 6, 7]);
        assert_eq!(said, kinds.map(|kind| kind + 5));
        let having = things.having(&[true, false, true]).unwrap();
        assert!(having.iter().eq(kinds.iter().map(|kind| *kind != 1)));
        assert!(things.having(&[true; 3]).is_none());
        let none = Things::new(&[], &OffsetBuffer::from_lengths([]));
        assert!(none.by(&[1]).is_empty());
    }

    #[test]
    fn bits_are_those_that_pass() {
        for count in [0, 1, 8, 63, 511, 512, 513, 2000] {
            let values: Vec<u32> = (0..count).map(|at| at * at % 7).collect();
            let passing = values.iter().map(|value| *value < 3);
            assert!(bits(&values, |value| value < 3).iter().eq(passing));
        }
    }

    #[test]
    fn few_numbers_stand_in_their_slots() {
        for values in [&[][..], &[(0, 1.5)], &[(2, -0.0), (3, 2.0), (9, 2.0)]] {
            let column = few_numbers(10, values).unwrap();
            let column = column.as_dictionary::<UInt16Type>();
            let column = column.downcast_dict::<Float64Array>().unwrap();
            let said: Vec<Option<f64>> = column.into_iter().collect();
            for (slot, said) in said.into_iter().enumerate() {
                let expected = values.iter().find(|(at, _)| *at as usize == slot);
                assert_eq!(said, expected.map(|(_, value)| *value));
            }
        }
        let many: Vec<(u32, f64)> = (0..70_000).map(|at| (at, f64::from(at))).collect();
        let column = few_numbers(70_001, &many).unwrap();
        let column = column.as_primitive::<Float64Type>();
        assert_eq!((column.len(), column.null_count()), (70_001, 1));
        assert!(column.is_null(70_000));
    }
}
