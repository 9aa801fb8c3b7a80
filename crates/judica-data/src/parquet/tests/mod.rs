//! Tests of the whole way: arrays, file, arrays.

mod cases;
mod refusals;
mod round_trip;

use std::sync::Arc;

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields, Schema};
use bytes::Bytes;

use super::{EncodedRowGroup, TableSchema, TableWriter};

/// One slot's value; floats by their bits, so that NaN equals itself and the zeros differ.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Boolean(bool),
    Int(i64),
    UInt(u64),
    Double(u64),
    Text(String),
}

/// The values of a flat column, whatever they are stored as.
fn cells(array: &dyn Array) -> Vec<Option<Cell>> {
    let cell = |slot: usize| match array.data_type() {
        DataType::Boolean => Cell::Boolean(array.as_boolean().value(slot)),
        DataType::Int32 => Cell::Int(array.as_primitive::<Int32Type>().value(slot).into()),
        DataType::Int64 => Cell::Int(array.as_primitive::<Int64Type>().value(slot)),
        DataType::UInt64 => Cell::UInt(array.as_primitive::<UInt64Type>().value(slot)),
        DataType::Float64 => {
            Cell::Double(array.as_primitive::<Float64Type>().value(slot).to_bits())
        }
        DataType::Utf8 => Cell::Text(array.as_string::<i32>().value(slot).to_owned()),
        _ => {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.keys();
            let key = match keys.as_primitive_opt::<UInt8Type>() {
                Some(narrow) => usize::from(narrow.value(slot)),
                None => keys.as_primitive::<UInt16Type>().value(slot).into(),
            };
            let entries = cells(dictionary.values());
            entries[key].clone().expect("dictionaries have no nulls")
        }
    };
    let slots = 0..array.len();
    slots
        .map(|slot| array.is_valid(slot).then(|| cell(slot)))
        .collect()
}

/// Puts elements into lists of these lengths.
fn list(lengths: &[u32], fields: Vec<Field>, columns: Vec<ArrayRef>) -> ArrayRef {
    let slots = lengths.iter().sum::<u32>() as usize;
    let typed = fields.into_iter().zip(&columns);
    let typed = typed.map(|(field, column)| field.with_data_type(column.data_type().clone()));
    let fields: Fields = typed.collect();
    let elements = StructArray::try_new_with_length(fields, columns, None, slots);
    let elements = elements.expect("columns are of one length");
    let element = Field::new("element", elements.data_type().clone(), false);
    let offsets = OffsetBuffer::from_lengths(lengths.iter().map(|length| *length as usize));
    Arc::new(ListArray::new(
        Arc::new(element),
        offsets,
        Arc::new(elements),
        None,
    ))
}

/// A batch of these columns.
fn batch(columns: Vec<(Field, ArrayRef)>) -> RecordBatch {
    let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    let typed = fields.into_iter().zip(&columns);
    let typed = typed.map(|(field, column)| field.with_data_type(column.data_type().clone()));
    let schema = Schema::new(typed.collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns).expect("columns are of one length")
}

fn written(schema: &TableSchema, groups: Vec<EncodedRowGroup>) -> Vec<u8> {
    let mut writer = TableWriter::new(Vec::new(), schema).expect("a file begins");
    for group in groups {
        writer.append(group).expect("a row group fits its table");
    }
    writer.finish().expect("a file ends")
}

/// Writes row groups as one file and reads each of them back.
fn reread(schema: &TableSchema, groups: Vec<EncodedRowGroup>) -> Vec<RecordBatch> {
    let bytes = Bytes::from(written(schema, groups));
    let open = || ParquetRecordBatchReaderBuilder::try_new(bytes.clone()).expect("a table");
    let count = open().metadata().num_row_groups();
    let group = |number| {
        let reader = open()
            .with_row_groups(vec![number])
            .with_batch_size(1 << 20);
        let mut batches = reader.build().expect("a reader");
        let batch = batches.next().expect("a row group").expect("rows");
        assert!(batches.next().is_none());
        batch
    };
    (0..count).map(group).collect()
}
