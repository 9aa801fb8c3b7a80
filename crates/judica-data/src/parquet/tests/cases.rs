//! Single properties, shown on small tables.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, RecordBatch,
    StringArray, UInt8Array, UInt16Array, UInt64Array,
};
use arrow_schema::{DataType, Field};

use super::super::{EncodedRowGroup, Encoder, TableSchema, recurring, uncompressed};
use super::{batch, cells, list, reread, written};

/// Rows named after the group: labels, then evidence, then one more column.
fn rows(name: &str) -> RecordBatch {
    let ids = [0, 1, 2].map(|row| format!("{name}-{row}"));
    let words = |keys: [u16; 3]| {
        let words = Arc::new(StringArray::from(vec!["range", "jump"]));
        Arc::new(DictionaryArray::<UInt16Type>::new(
            keys.to_vec().into(),
            words,
        ))
    };
    let full = |name| Field::new(name, DataType::Utf8, false);
    let open = |name| Field::new(name, DataType::Float64, true);
    batch(vec![
        (full("id"), Arc::new(StringArray::from(ids.to_vec()))),
        (
            full("labels"),
            list(&[1, 2, 0], vec![full("rater")], vec![words([1, 0, 1])]),
        ),
        (
            full("evidence"),
            list(
                &[2, 0, 1],
                vec![full("rule"), uncompressed(open("observed"))],
                vec![
                    words([0, 1, 0]),
                    Arc::new(Float64Array::from(vec![Some(-20.9), None, Some(-20.9)])),
                ],
            ),
        ),
        (
            open("score"),
            Arc::new(Float64Array::from(vec![Some(0.25), None, Some(-0.0)])),
        ),
    ])
}

fn group(encoder: &mut Encoder, name: &str) -> (TableSchema, EncodedRowGroup) {
    let rows = rows(name);
    let schema = TableSchema::new(rows.schema_ref()).expect("a valid table");
    let group = encoder.encode(&schema, &[rows]).expect("columns fit");
    (schema, group)
}

#[test]
fn several_lists_stand_anywhere() {
    let (schema, encoded) = group(&mut Encoder::new(), "a");
    assert_eq!(encoded.rows(), 3);
    let read = reread(&schema, vec![encoded]);
    let (wanted, read) = (rows("a"), &read[0]);
    for (wanted, read) in wanted.columns().iter().zip(read.columns()) {
        match wanted.as_list_opt::<i32>() {
            None => assert_eq!(cells(wanted), cells(read)),
            Some(wanted) => {
                let read = read.as_list::<i32>();
                assert_eq!(wanted.value_offsets(), read.value_offsets());
                let columns = wanted.values().as_struct().columns().iter();
                for (wanted, read) in columns.zip(read.values().as_struct().columns()) {
                    assert_eq!(cells(wanted), cells(read));
                }
            }
        }
    }
}

#[test]
fn a_part_of_a_batch_is_only_that_part() {
    let (schema, _) = group(&mut Encoder::new(), "a");
    let part = rows("a").slice(1, 2);
    let mut encoder = Encoder::new();
    let encoded = encoder
        .encode(&schema, std::slice::from_ref(&part))
        .expect("columns fit");
    let read = &reread(&schema, vec![encoded])[0];
    assert_eq!(cells(read.column(0)), cells(part.column(0)));
    assert_eq!(cells(read.column(3)), cells(part.column(3)));
    let lengths = |at: usize| {
        let offsets = read.column(at).as_list::<i32>().value_offsets().to_vec();
        offsets
            .windows(2)
            .map(|ends| ends[1] - ends[0])
            .collect::<Vec<_>>()
    };
    assert_eq!((lengths(1), lengths(2)), (vec![2, 0], vec![0, 1]));
}

#[test]
fn a_table_without_rows_keeps_its_shape() {
    let (schema, _) = group(&mut Encoder::new(), "a");
    let nothing = Encoder::new().encode(&schema, &[rows("a").slice(0, 0)]);
    for groups in [Vec::new(), vec![nothing.expect("columns fit")]] {
        assert!(reread(&schema, groups).is_empty());
    }
}

#[test]
fn a_used_encoder_writes_the_same_bytes_as_a_fresh_one() {
    let mut used = Encoder::new();
    let (schema, _) = group(&mut used, "other");
    let groups = (0..3).map(|_| group(&mut used, "a").1).collect();
    let fresh = (0..3).map(|_| group(&mut Encoder::new(), "a").1).collect();
    assert_eq!(written(&schema, groups), written(&schema, fresh));
}

#[test]
fn wide_dictionaries_keep_every_entry() {
    let entries: Vec<String> = (0..=u16::MAX).map(|entry| format!("e{entry}")).collect();
    let keys: Vec<u16> = (0..70_000u32)
        .map(|slot| (slot.wrapping_mul(40_503) >> 3) as u16)
        .collect();
    let names = DictionaryArray::<UInt16Type>::new(
        UInt16Array::from(keys.clone()),
        Arc::new(StringArray::from(entries.clone())),
    );
    let field = Field::new("name", DataType::Utf8, false);
    let rows = batch(vec![(field, Arc::new(names))]);
    let schema = TableSchema::new(rows.schema_ref()).expect("a valid table");
    let encoded = Encoder::new()
        .encode(&schema, &[rows])
        .expect("columns fit");
    let read = &reread(&schema, vec![encoded])[0];
    let read = read.column(0).as_string::<i32>();
    for (slot, key) in keys.iter().enumerate() {
        assert_eq!(read.value(slot), entries[usize::from(*key)]);
    }
}

#[test]
fn every_kind_of_column_is_read_as_its_type() {
    let steps = DictionaryArray::<UInt8Type>::new(
        UInt8Array::from(vec![Some(1), None, Some(0)]),
        Arc::new(Int32Array::from(vec![-7, i32::MAX])),
    );
    let open = |name, kind| Field::new(name, kind, true);
    let rows = batch(vec![
        (
            open("hash", DataType::UInt64),
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), Some(0), None])),
        ),
        (open("step", DataType::Int32), Arc::new(steps)),
        (
            open("pass", DataType::Boolean),
            Arc::new(BooleanArray::from(vec![None, Some(true), Some(false)])),
        ),
    ]);
    let schema = TableSchema::new(rows.schema_ref()).expect("a valid table");
    let encoded = Encoder::new()
        .encode(&schema, std::slice::from_ref(&rows))
        .expect("columns fit");
    let read = &reread(&schema, vec![encoded])[0];
    let kinds = read
        .columns()
        .iter()
        .map(|column| column.data_type().clone());
    let wanted = [DataType::UInt64, DataType::Int32, DataType::Boolean];
    assert_eq!(kinds.collect::<Vec<_>>(), wanted);
    for (wanted, read) in rows.columns().iter().zip(read.columns()) {
        assert_eq!(cells(wanted), cells(read));
    }
}

#[test]
fn encoding_can_move_between_threads() {
    fn movable<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    movable::<Encoder>();
    movable::<EncodedRowGroup>();
    shared::<TableSchema>();
}

/// Words that recur are numbered anew, so that it does not show whether and how they were.
#[test]
fn recurring_words_are_written_alike_however_they_come() {
    let texts = [Some("b"), None, Some("a"), Some("b"), Some("c"), None];
    let numbered = |words: [&str; 3]| {
        let keys = texts.map(|text| text.and_then(|t| words.iter().position(|w| *w == t)));
        let keys: UInt8Array = keys.iter().map(|key| key.map(|key| key as u8)).collect();
        DictionaryArray::<UInt8Type>::new(keys, Arc::new(StringArray::from(words.to_vec())))
    };
    let field = || recurring(Field::new("text", DataType::Utf8, true));
    let plain = batch(vec![(field(), Arc::new(StringArray::from(texts.to_vec())))]);
    let first = batch(vec![(field(), Arc::new(numbered(["a", "b", "c"])))]);
    let second = batch(vec![(field(), Arc::new(numbered(["c", "b", "a"])))]);
    let schema = TableSchema::new(plain.schema_ref()).expect("a valid table");
    let encode = |batches: &[RecordBatch]| {
        let encoded = Encoder::new().encode(&schema, batches);
        written(&schema, vec![encoded.expect("columns fit")])
    };
    let expected = encode(std::slice::from_ref(&plain));
    assert_eq!(encode(std::slice::from_ref(&first)), expected);
    assert_eq!(
        encode(&[first.slice(0, 2), plain.slice(2, 1), second.slice(3, 3)]),
        expected
    );
    let encoded = Encoder::new().encode(&schema, &[first]);
    let read = &reread(&schema, vec![encoded.expect("columns fit")])[0];
    assert_eq!(cells(read.column(0)), cells(plain.column(0)));
}

/// Doubles are written alike, whether or not they come as places among a few values.
#[test]
fn doubles_are_written_alike_however_they_come() {
    let few = |numbers: &[Option<f64>]| {
        let mut values = vec![0.0];
        let key = |number: &Option<f64>| {
            values.push((*number)?);
            Some(values.len() as u16 - 1)
        };
        let keys: UInt16Array = numbers.iter().map(key).collect();
        DictionaryArray::<UInt16Type>::new(keys, Arc::new(Float64Array::from(values)))
    };
    let field = || Field::new("limit", DataType::Float64, true);
    for step in [1, 2, 9, 70, 1000] {
        let number = |at: usize| at.is_multiple_of(step).then_some((at / step % 5) as f64);
        let numbers: Vec<Option<f64>> = (1..300).map(number).collect();
        let (one, other) = numbers.split_at(131);
        for in_list in [false, true] {
            let rows = |column: ArrayRef| match in_list {
                false => batch(vec![(field(), column)]),
                true => {
                    let lengths = [0, column.len() as u32 - 7, 0, 7];
                    let atoms = Field::new("atoms", DataType::Utf8, false);
                    batch(vec![(atoms, list(&lengths, vec![field()], vec![column]))])
                }
            };
            let plain =
                |numbers: &[Option<f64>]| rows(Arc::new(Float64Array::from(numbers.to_vec())));
            let few = |numbers: &[Option<f64>]| rows(Arc::new(few(numbers)));
            let schema = TableSchema::new(plain(one).schema_ref()).expect("a valid table");
            let encode = |batches: &[RecordBatch]| {
                let encoded = Encoder::new().encode(&schema, batches);
                written(&schema, vec![encoded.expect("columns fit")])
            };
            let expected = encode(&[plain(one), plain(other)]);
            assert_eq!(encode(&[few(one), few(other)]), expected);
            assert_eq!(encode(&[few(one), plain(other)]), expected);
        }
    }
}
