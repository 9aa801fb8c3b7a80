//! Some rows of a column.
//!
//! What Arrow has for this serves all types, and takes a minute to compile well; columns of
//! records are of few.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float64Type, Int32Type, UInt8Type, UInt16Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use judica_data::parquet::TableError;

use super::arrays::numbered;

/// The values of a column in these rows.
pub(super) fn pick(column: &ArrayRef, rows: &[u32]) -> Result<ArrayRef, TableError> {
    let present = column.nulls().map(|nulls| bits(nulls.inner(), rows));
    let nulls = || present.clone().map(NullBuffer::new);
    Ok(match column.data_type() {
        DataType::Boolean => {
            let values = bits(column.as_boolean().values(), rows);
            Arc::new(BooleanArray::new(values, nulls()))
        }
        DataType::Int32 => Arc::new(numbers::<Int32Type>(column, rows, nulls())),
        DataType::Float64 => Arc::new(numbers::<Float64Type>(column, rows, nulls())),
        DataType::Utf8 => {
            let texts = column.as_string::<i32>();
            let text = |row: &u32| {
                texts
                    .is_valid(*row as usize)
                    .then(|| texts.value(*row as usize))
            };
            Arc::new(rows.iter().map(text).collect::<StringArray>())
        }
        DataType::Dictionary(keys, _) if **keys == DataType::UInt8 => {
            words::<UInt8Type>(column, rows, present)?
        }
        DataType::Dictionary(keys, _) if **keys == DataType::UInt16 => {
            words::<UInt16Type>(column, rows, present)?
        }
        other => return Err(TableError::Spec(format!("no column of records is {other}"))),
    })
}

fn bits(bits: &BooleanBuffer, rows: &[u32]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(rows.len(), |at| bits.value(rows[at] as usize))
}

fn numbers<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    rows: &[u32],
    nulls: Option<NullBuffer>,
) -> PrimitiveArray<T> {
    let values = column.as_primitive::<T>().values();
    let values = rows.iter().map(|row| values[*row as usize]);
    PrimitiveArray::new(values.collect(), nulls)
}

fn words<K: ArrowDictionaryKeyType>(
    column: &ArrayRef,
    rows: &[u32],
    present: Option<BooleanBuffer>,
) -> Result<ArrayRef, TableError>
where
    K::Native: Ord + Into<usize>,
{
    let column = column.as_dictionary::<K>();
    let keys = column.keys().values();
    let keys = rows.iter().map(|row| keys[*row as usize]).collect();
    numbered::<K>(Arc::clone(column.values()), keys, present)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{DictionaryArray, Float64Array, Int32Array, Int64Array};
    use arrow_select::take::take;

    #[test]
    fn rows_are_those_that_arrow_takes() {
        let words: DictionaryArray<UInt8Type> = [Some("a"), None, Some("b"), Some("a")]
            .into_iter()
            .collect();
        let wide: DictionaryArray<UInt16Type> =
            ["x", "y", "x", "z"].into_iter().map(Some).collect();
        let columns: [ArrayRef; 6] = [
            Arc::new(words),
            Arc::new(wide),
            Arc::new(BooleanArray::from(vec![
                Some(true),
                None,
                Some(false),
                Some(true),
            ])),
            Arc::new(Int32Array::from(vec![1, 2, 3, 4])),
            Arc::new(Float64Array::from(vec![
                Some(0.5),
                None,
                Some(-0.0),
                Some(9.0),
            ])),
            Arc::new(StringArray::from(vec![
                Some("one"),
                None,
                Some(""),
                Some("é"),
            ])),
        ];
        for column in &columns {
            for rows in [&[][..], &[0], &[1, 2], &[3, 3, 0, 1], &[0, 1, 2, 3]] {
                let expected = take(column, &arrow_array::UInt32Array::from(rows.to_vec()), None);
                let picked = pick(column, rows).unwrap();
                assert_eq!(&*picked, &*expected.unwrap(), "{column:?} {rows:?}");
            }
        }
    }

    #[test]
    fn other_types_are_refused() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let narrow: DictionaryArray<Int8Type> = [Some("a")].into_iter().collect();
        assert!(pick(&numbers, &[0]).is_err());
        assert!(pick(&(Arc::new(narrow) as ArrayRef), &[0]).is_err());
    }
}
