//! Whatever is written is read back, to the bit.

use proptest::prelude::*;

use super::super::{
    Codec, ColumnData, ColumnKind, ColumnSpec, DoubleLayout, Encoder, ListSpec, OwnedColumn,
    OwnedValues, Projection, TableSpec, Values,
};
use super::reopened;

/// One slot's value; floats by their bits, so that NaN equals itself and the
/// zeros differ.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Boolean(u8),
    Int32(i32),
    Int64(i64),
    Double(u64),
    Text(String),
}

/// How a column's values are handed in.
#[derive(Debug, Clone, Copy)]
enum Form {
    Plain,
    Dict8,
    Dict16,
}

/// A column in owned memory, with everything any form borrows.
struct Stored {
    spec: ColumnSpec,
    form: Form,
    cells: Vec<Option<Cell>>,
    present: Vec<u8>,
    small: Vec<u8>,
    wide: Vec<u16>,
    ints: Vec<i32>,
    longs: Vec<i64>,
    doubles: Vec<f64>,
    text: String,
    ends: Vec<u32>,
    texts: Vec<String>,
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

const TEXTS: [&str; 6] = [
    "",
    "a",
    "é",
    "日本語",
    "🛩 flight",
    "a longer text\n\0 with more",
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

impl Stored {
    fn new(spec: ColumnSpec, form: Form, slots: usize, random: &mut Random) -> Self {
        let nulls = if spec.nullable { random.below(4) } else { 0 };
        let mut stored = Self {
            spec,
            form,
            cells: Vec::new(),
            present: Vec::new(),
            small: Vec::new(),
            wide: Vec::new(),
            ints: Vec::new(),
            longs: Vec::new(),
            doubles: Vec::new(),
            text: String::new(),
            ends: Vec::new(),
            texts: TEXTS.map(str::to_owned).to_vec(),
        };
        let variety = random.below(8) + 1;
        for _ in 0..slots {
            let null = nulls == 3 || random.below(4) < nulls;
            stored.push(null, variety, random);
        }
        stored
    }

    fn push(&mut self, null: bool, variety: u64, random: &mut Random) {
        let pick = random.below(variety);
        let text = TEXTS[pick as usize % TEXTS.len()];
        let int = (pick as i32 - 2).wrapping_mul(1_000_000_007);
        let double = match random.below(3) {
            0 => DOUBLES[pick as usize],
            1 => random.below(u64::MAX),
            _ => (random.below(100) as f64 / 10.0).to_bits(),
        };
        let cell = match self.spec.kind {
            ColumnKind::Boolean => Cell::Boolean(pick as u8 & 1),
            ColumnKind::Int32 => Cell::Int32(int),
            ColumnKind::Int64 => Cell::Int64(i64::from(int) << 20),
            ColumnKind::Double => Cell::Double(double),
            ColumnKind::Utf8 => Cell::Text(text.to_owned()),
        };
        self.present.push(u8::from(!null));
        // Fillers are as wild as the types allow, as they must not matter.
        let index = match self.spec.kind {
            _ if null => u8::MAX,
            ColumnKind::Boolean => pick as u8 & 1,
            ColumnKind::Utf8 => pick as u8 % TEXTS.len() as u8,
            _ => pick as u8,
        };
        self.small.push(index);
        self.wide.push(u16::from(index));
        self.ints.push(int);
        self.longs.push(i64::from(int) << 20);
        self.doubles.push(f64::from_bits(double));
        if !null {
            self.text.push_str(text);
        }
        self.ends.push(self.text.len() as u32);
        self.cells.push((!null).then_some(cell));
    }

    fn data<'a>(&'a self, dictionary: &'a [i32]) -> ColumnData<'a> {
        let values = match (self.spec.kind, self.form) {
            (ColumnKind::Boolean, _) => Values::Boolean(&self.small),
            (ColumnKind::Int32, Form::Plain) => Values::Int32(&self.ints),
            (ColumnKind::Int32, _) => Values::DictInt8 {
                dictionary,
                indices: &self.small,
            },
            (ColumnKind::Int64, _) => Values::Int64(&self.longs),
            (ColumnKind::Double, _) => Values::Double(&self.doubles),
            (ColumnKind::Utf8, Form::Plain) => Values::Utf8 {
                bytes: self.text.as_bytes(),
                ends: &self.ends,
            },
            (ColumnKind::Utf8, Form::Dict8) => Values::Dict8 {
                dictionary: &self.texts,
                indices: &self.small,
            },
            (ColumnKind::Utf8, Form::Dict16) => Values::Dict16 {
                dictionary: &self.texts,
                indices: &self.wide,
            },
        };
        let full = !self.present.contains(&0);
        ColumnData {
            values,
            present: (!full).then_some(&self.present),
        }
    }
}

fn cells(column: &OwnedColumn) -> Vec<Option<Cell>> {
    let cell = |slot: usize| match &column.values {
        OwnedValues::Boolean(values) => Cell::Boolean(values[slot]),
        OwnedValues::Int32(values) => Cell::Int32(values[slot]),
        OwnedValues::Int64(values) => Cell::Int64(values[slot]),
        OwnedValues::Double(values) => Cell::Double(values[slot].to_bits()),
        OwnedValues::Utf8 { .. } => Cell::Text(column.text(slot).unwrap_or("?").to_owned()),
    };
    let slots = 0..column.len();
    slots
        .map(|slot| column.is_present(slot).then(|| cell(slot)))
        .collect()
}

fn borrow<'a>(columns: &'a [Stored], dictionary: &'a [i32]) -> Vec<ColumnData<'a>> {
    columns
        .iter()
        .map(|column| column.data(dictionary))
        .collect()
}

type Shape = (ColumnKind, bool, Form, DoubleLayout, Codec);

fn column_shape() -> impl Strategy<Value = Shape> {
    use ColumnKind::{Boolean, Double, Int32, Int64, Utf8};
    use DoubleLayout::{ByteStreamSplit, Dictionary, Plain};
    (
        prop::sample::select(vec![Boolean, Int32, Int64, Double, Double, Utf8, Utf8]),
        any::<bool>(),
        prop::sample::select(vec![Form::Plain, Form::Dict8, Form::Dict16]),
        prop::sample::select(vec![Plain, ByteStreamSplit, Dictionary]),
        prop::sample::select(vec![Codec::Zstd(1), Codec::Zstd(-3), Codec::Uncompressed]),
    )
}

fn spec(at: usize, (kind, nullable, _, layout, codec): &Shape) -> ColumnSpec {
    let name = format!("ç.{at}");
    let column = if *nullable {
        ColumnSpec::nullable(name, *kind)
    } else {
        ColumnSpec::required(name, *kind)
    };
    column.with_layout(*layout).with_codec(*codec)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_what_was_written(
        flat in prop::collection::vec(column_shape(), 1..5),
        element in prop::collection::vec(column_shape(), 0..5),
        groups in prop::collection::vec(prop::collection::vec(prop_oneof![0..4u32, 0..90u32], 0..40), 0..4),
        page_limit in prop::sample::select(vec![16, 300, 64 << 20]),
        seed in any::<u64>(),
    ) {
        let flat_specs: Vec<_> = flat.iter().enumerate().map(|(at, shape)| spec(at, shape)).collect();
        let element_specs: Vec<_> = element.iter().enumerate().map(|(at, shape)| spec(at, shape)).collect();
        let list = (!element.is_empty()).then(|| ListSpec {
            name: "evidence".to_owned(),
            element: element_specs.clone(),
        });
        let compiled = TableSpec { flat: flat_specs.clone(), list }.compile().expect("a valid table");

        let mut random = Random(seed);
        let mut encoder = Encoder::new().with_page_limit(page_limit);
        let dictionary: Vec<i32> = (0..8).map(|pick: i32| (pick - 2).wrapping_mul(1_000_000_007)).collect();
        let (mut encoded, mut kept) = (Vec::new(), Vec::new());
        for lengths in groups {
            let slots = lengths.iter().sum::<u32>() as usize;
            let mut store = |specs: &[ColumnSpec], shapes: &[Shape], slots| -> Vec<Stored> {
                let columns = specs.iter().zip(shapes);
                columns.map(|(spec, shape)| Stored::new(spec.clone(), shape.2, slots, &mut random)).collect()
            };
            let flat = store(&flat_specs, &flat, lengths.len());
            let elements = store(&element_specs, &element, slots);
            let borrowed = borrow(&flat, &dictionary);
            let inside = borrow(&elements, &dictionary);
            let list_lengths = if elements.is_empty() { &[][..] } else { &lengths };
            let group = encoder
                .encode(&compiled, lengths.len(), &borrowed, list_lengths, &inside)
                .expect("columns fit");
            encoded.push(group);
            if !lengths.is_empty() {
                kept.push((lengths, flat, elements));
            }
        }

        let mut reader = reopened(&compiled, encoded);
        prop_assert_eq!(reader.row_groups(), kept.len());
        prop_assert_eq!(reader.key_values(), vec![("question".to_owned(), "réponse".to_owned())]);
        for (at, (lengths, flat, elements)) in kept.iter().enumerate() {
            let group = reader.read(at, Projection::All).expect("a group is read");
            prop_assert_eq!(group.rows, lengths.len());
            for (stored, column) in flat.iter().zip(&group.flat) {
                prop_assert_eq!(&stored.cells, &cells(column));
            }
            if let Some(list) = &group.list {
                prop_assert_eq!(&list.lengths, lengths);
                for (stored, column) in elements.iter().zip(&list.elements) {
                    prop_assert_eq!(&stored.cells, &cells(column));
                }
            }
            prop_assert_eq!(group.list.is_some(), !elements.is_empty());
        }
    }
}
