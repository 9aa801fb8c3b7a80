//! What cannot be a table is refused with a reason, never written.

use std::sync::Arc;

use arrow_array::types::{Int64Type, UInt8Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, ListArray, StringArray,
    UInt8Array,
};
use arrow_schema::{DataType, Field, Schema};

use super::super::{Encoder, TableSchema};
use super::{batch, list};

/// The reason a single column of two rows is refused for, if it is.
fn refusal(field: Field, column: ArrayRef) -> Option<String> {
    let schema = TableSchema::new(&Schema::new(vec![field.clone()])).expect("a valid table");
    // Arrow itself would refuse some of them, were the batch to promise what the table does.
    let rows = batch(vec![(field.with_nullable(true), column)]);
    let encoded = Encoder::new().encode(&schema, &[rows]);
    encoded.err().map(|error| error.to_string())
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let it = |kind| Field::new("it", kind, false);
    let texts = |texts: [Option<&str>; 2]| StringArray::from(texts.to_vec());
    let narrow = |entries: ArrayRef| -> ArrayRef {
        let keys = UInt8Array::from(vec![0, 1]);
        Arc::new(DictionaryArray::<UInt8Type>::new(keys, entries))
    };
    let long = DictionaryArray::<Int64Type>::new(
        Int64Array::from(vec![0, 1]),
        Arc::new(texts([Some("a"), Some("b")])),
    );
    let cases: [(DataType, ArrayRef, &str); 6] = [
        (
            DataType::Int32,
            Arc::new(Float64Array::from(vec![0.0, 1.0])),
            "declared",
        ),
        (
            DataType::Utf8,
            narrow(Arc::new(Int32Array::from(vec![1, 2]))),
            "declared",
        ),
        (
            DataType::Utf8,
            Arc::new(texts([Some("a"), None])),
            "none may",
        ),
        (
            DataType::Utf8,
            narrow(Arc::new(texts([Some("a"), None]))),
            "in its dictionary",
        ),
        (
            DataType::Float64,
            narrow(Arc::new(Float64Array::from(vec![1.0, 2.0]))),
            "text or int32",
        ),
        (DataType::Utf8, Arc::new(long), "uint8 or uint16"),
    ];
    for (kind, column, reason) in cases {
        let refused = refusal(it(kind), column).unwrap_or_default();
        assert!(refused.contains(reason), "{reason}: {refused}");
        assert!(refused.contains("`it`"), "{refused}");
    }
}

#[test]
fn batches_of_another_table_are_refused() {
    let field = |name: &str| Field::new(name, DataType::Int32, false);
    let schema = TableSchema::new(&Schema::new(vec![field("a"), field("b")])).expect("a table");
    let column = || -> ArrayRef { Arc::new(Int32Array::from(vec![1])) };
    for names in [&["a"][..], &["b", "a"], &["a", "b", "c"]] {
        let rows = batch(names.iter().map(|name| (field(name), column())).collect());
        assert!(
            Encoder::new().encode(&schema, &[rows]).is_err(),
            "{names:?}"
        );
    }
}

#[test]
fn lists_with_nulls_or_of_other_fields_are_refused() {
    let inside = |name: &str| vec![Field::new(name, DataType::Int32, false)];
    let numbers = || -> Vec<ArrayRef> { vec![Arc::new(Int32Array::from(vec![1, 2]))] };
    let whole = list(&[1, 1], inside("a"), numbers());
    let schema = Schema::new(vec![Field::new("it", whole.data_type().clone(), false)]);
    let schema = TableSchema::new(&schema).expect("a valid table");
    let refused = |column: ArrayRef| {
        let rows = batch(vec![(Field::new("it", DataType::Null, true), column)]);
        Encoder::new().encode(&schema, &[rows]).is_err()
    };
    assert!(!refused(Arc::clone(&whole)));
    assert!(refused(list(&[1, 1], inside("b"), numbers())));
    let data = whole
        .to_data()
        .into_builder()
        .nulls(Some(vec![true, false].into()));
    let holed = data.build().expect("a list with a hole");
    assert!(refused(Arc::new(ListArray::from(holed))));
    assert!(refused(Arc::new(Int32Array::from(vec![1, 2]))));
}

#[test]
fn shapes_that_are_none_are_refused() {
    let column = |name: &str| Field::new(name, DataType::Int64, false);
    let list = |fields: Vec<Field>, nullable| {
        let element = Field::new("element", DataType::Struct(fields.into()), false);
        Field::new("a", DataType::List(Arc::new(element)), nullable)
    };
    let cases = [
        vec![],
        vec![column("")],
        vec![column("a"), column("a")],
        vec![column("a"), list(vec![column("b")], false)],
        vec![list(vec![], false)],
        vec![list(vec![column("b")], true)],
        vec![list(vec![column("b"), column("b")], false)],
        vec![Field::new("a", DataType::Float32, true)],
    ];
    for fields in cases {
        assert!(
            TableSchema::new(&Schema::new(fields.clone())).is_err(),
            "{fields:?}"
        );
    }
}
