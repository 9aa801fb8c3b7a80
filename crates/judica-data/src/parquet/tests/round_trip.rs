//! Whatever is written is read back, to the bit.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt16Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray,
    UInt64Array,
};
use arrow_schema::{DataType, Field};
use proptest::prelude::*;

use super::super::{Encoder, TableSchema, uncompressed};
use super::{batch, cells, list, reread};

/// How a column's values are handed in.
#[derive(Debug, Clone, Copy)]
enum Form {
    Plain,
    Narrow,
    Wide,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

const TEXTS: [&str; 8] = [
    "",
    "a",
    "é",
    "日本語",
    "🛩 flight",
    "a longer text\n\0 with more",
    "b",
    "c",
];
const DOUBLES: [u64; 8] = [
    0x7FF8_0000_0000_0001,
    0xFFF0_0000_0000_0001,
    0x8000_0000_0000_0000,
    0,
    0x7FF0_0000_0000_0000,
    1,
    0x4044_2EF9_DB22_D0E5,
    0x40A3_5C00_0000_0000,
];

fn int(pick: u64) -> i32 {
    (pick as i32 - 2).wrapping_mul(1_000_000_007)
}

type Kind = (DataType, bool, Form, bool);

/// A column of random values.
fn column((kind, nullable, form, _): &Kind, slots: usize, random: &mut Random) -> ArrayRef {
    let nulls = if *nullable { random.below(4) } else { 0 };
    let variety = random.below(8) + 1;
    let mut picks = Vec::with_capacity(slots);
    for _ in 0..slots {
        let null = nulls == 3 || random.below(4) < nulls;
        picks.push((!null).then(|| random.below(variety)));
    }
    let each = picks.iter().copied();
    let entries: ArrayRef = match kind {
        DataType::Int32 => Arc::new(Int32Array::from_iter_values((0..8).map(int))),
        _ => Arc::new(StringArray::from(TEXTS.to_vec())),
    };
    match (kind, form) {
        (DataType::Boolean, _) => Arc::new(
            each.map(|pick| pick.map(|pick| pick & 1 == 1))
                .collect::<BooleanArray>(),
        ),
        (DataType::Int64, _) => {
            let long = |pick| i64::from(int(pick)) << 20;
            Arc::new(each.map(|pick| pick.map(long)).collect::<Int64Array>())
        }
        (DataType::UInt64, _) => {
            let wide = |pick: u64| u64::MAX - (pick << 60);
            Arc::new(each.map(|pick| pick.map(wide)).collect::<UInt64Array>())
        }
        (DataType::Float64, _) => {
            let mut double = |pick: u64| match random.below(3) {
                0 => f64::from_bits(DOUBLES[pick as usize]),
                1 => f64::from_bits(random.below(u64::MAX)),
                _ => random.below(100) as f64 / 10.0,
            };
            Arc::new(
                each.map(|pick| pick.map(&mut double))
                    .collect::<Float64Array>(),
            )
        }
        (_, Form::Narrow) => {
            let keys = each.map(|pick| pick.map(|pick| pick as u8)).collect();
            Arc::new(DictionaryArray::<UInt8Type>::new(keys, entries))
        }
        (_, Form::Wide) => {
            let keys = each.map(|pick| pick.map(|pick| pick as u16)).collect();
            Arc::new(DictionaryArray::<UInt16Type>::new(keys, entries))
        }
        (DataType::Int32, Form::Plain) => {
            Arc::new(each.map(|pick| pick.map(int)).collect::<Int32Array>())
        }
        (_, Form::Plain) => {
            let text = |pick: u64| TEXTS[pick as usize];
            Arc::new(each.map(|pick| pick.map(text)).collect::<StringArray>())
        }
    }
}

fn kinds(counts: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Kind>> {
    use DataType::{Boolean, Float64, Int32, Int64, UInt64, Utf8};
    let kind = vec![Boolean, Int32, Int64, UInt64, Float64, Float64, Utf8, Utf8];
    prop::collection::vec(
        (
            prop::sample::select(kind),
            any::<bool>(),
            prop::sample::select(vec![Form::Plain, Form::Narrow, Form::Wide]),
            any::<bool>(),
        ),
        counts,
    )
}

fn field(at: usize, (kind, nullable, _, compressed): &Kind) -> Field {
    let field = Field::new(format!("ç.{at}"), kind.clone(), *nullable);
    if *compressed {
        field
    } else {
        uncompressed(field)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_what_was_written(
        before in kinds(1..4),
        element in kinds(0..5),
        after in kinds(0..3),
        groups in prop::collection::vec(prop::collection::vec(prop_oneof![0..4u32, 0..90u32], 0..40), 1..4),
        page_limit in prop::sample::select(vec![16, 300, 64 << 20]),
        seed in any::<u64>(),
    ) {
        let mut random = Random(seed);
        let mut encoder = Encoder::new().with_page_limit(page_limit);
        let flat = |at: usize, kind: &Kind, rows: usize, random: &mut Random| {
            (field(at, kind), column(kind, rows, random))
        };
        let mut schema = None;
        let (mut encoded, mut kept) = (Vec::new(), Vec::new());
        for lengths in groups {
            let slots = lengths.iter().sum::<u32>() as usize;
            let mut columns: Vec<_> = (0..)
                .zip(&before)
                .map(|(at, kind)| flat(at, kind, lengths.len(), &mut random))
                .collect();
            if !element.is_empty() {
                let fields = (0..).zip(&element).map(|(at, kind)| field(at, kind)).collect();
                let inside = element.iter().map(|kind| column(kind, slots, &mut random)).collect();
                let name = Field::new("evidence", DataType::Null, false);
                columns.push((name, list(&lengths, fields, inside)));
            }
            columns.extend((100..).zip(&after).map(|(at, kind)| flat(at, kind, lengths.len(), &mut random)));
            let rows = batch(columns);
            let schema = schema.get_or_insert_with(|| TableSchema::new(rows.schema_ref()).expect("a valid table"));
            // The bytes do not depend on how rows came.
            let cut = random.below(rows.num_rows() as u64 + 1) as usize;
            let parts = [rows.slice(0, cut), rows.slice(cut, rows.num_rows() - cut)];
            let apart = encoder.encode(schema, &parts).expect("columns fit");
            let whole = encoder.encode(schema, std::slice::from_ref(&rows)).expect("columns fit");
            prop_assert_eq!(&apart.bytes, &whole.bytes);
            encoded.push(apart);
            if rows.num_rows() > 0 {
                kept.push(rows);
            }
        }
        let read = reread(&schema.expect("a group"), encoded);
        prop_assert_eq!(read.len(), kept.len());
        for (kept, read) in kept.iter().zip(&read) {
            prop_assert_eq!(kept.num_rows(), read.num_rows());
            for (kept, read) in kept.columns().iter().zip(read.columns()) {
                let Some(kept) = kept.as_list_opt::<i32>() else {
                    prop_assert_eq!(cells(kept), cells(read));
                    continue;
                };
                let read = read.as_list::<i32>();
                prop_assert_eq!(kept.value_offsets(), read.value_offsets());
                let columns = kept.values().as_struct().columns().iter();
                for (kept, read) in columns.zip(read.values().as_struct().columns()) {
                    prop_assert_eq!(cells(kept), cells(read));
                }
            }
        }
    }
}
