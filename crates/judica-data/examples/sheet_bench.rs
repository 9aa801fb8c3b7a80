//! How long a row takes to encode, and how many bytes it comes to.
//!
//! `cargo run --release -p judica-data --example sheet_bench -- [file]` goes
//! through layouts and codecs on rows that look like judged telemetry: 25 flat
//! columns and 66 pieces of evidence with 7 fields each. With a file name, the
//! rows are written there as well.

// Measuring is what this program is for.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use judica_data::parquet::{
    Codec, ColumnData, ColumnKind, ColumnSpec, CompiledSpec, DoubleLayout, Encoder, ListSpec,
    TableSpec, TableWriter, Values,
};

const ROWS: usize = 5000;
const FIELDS: usize = 19;
const RELATIONS: usize = 9;
const ELEMENTS: usize = 3 * FIELDS + RELATIONS;
const REPEATS: usize = 30;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A reading and the one before it, rounded as each instrument rounds.
    fn readings(&mut self, instrument: usize) -> (f64, f64) {
        let (base, span, decimals) = match instrument {
            0 => (40.3, 1_000_000, 1e7),
            1 => (115.9, 1_000_000, 1e7),
            2..=4 => (2000.0, 2000, 1.0),
            5..=11 => (-30.0, 900, 1e1),
            12..=15 => (-20.0, 4000, 1e2),
            _ => (0.0, 1500, 1e3),
        };
        let start = (base * decimals) as i64;
        let now = start + self.below(span) as i64;
        let before = now + self.below(span / 100 + 2) as i64;
        (now as f64 / decimals, before as f64 / decimals)
    }
}

#[derive(Default)]
struct Rows {
    ids: String,
    ends: Vec<u32>,
    counts: Vec<i64>,
    steps: Vec<i32>,
    scores: Vec<f64>,
    verdicts: Vec<u8>,
    passed: Vec<u8>,
    lengths: Vec<u32>,
    rule: Vec<u8>,
    field: Vec<u8>,
    field_present: Vec<u8>,
    step: Vec<u8>,
    step_present: Vec<u8>,
    pass: Vec<u8>,
    severity: Vec<u8>,
    observed: Vec<f64>,
    observed_present: Vec<u8>,
    limit: Vec<f64>,
    limit_present: Vec<u8>,
}

fn rows() -> Rows {
    let mut random = Random(7);
    let mut rows = Rows::default();
    for row in 0..ROWS {
        let id = format!("case-{row:06}-{:04x}", random.below(65536));
        rows.ids.push_str(&id);
        rows.ends.push(rows.ids.len() as u32);
        rows.counts.push(random.below(1000) as i64);
        rows.steps.push(random.below(12) as i32);
        rows.scores.push(random.below(10_000) as f64 / 10_000.0);
        rows.verdicts.push(random.below(4) as u8);
        rows.passed.push(u8::from(random.below(10) > 0));
        rows.lengths.push(ELEMENTS as u32);
        let readings: Vec<_> = (0..FIELDS).map(|at| random.readings(at)).collect();
        for element in 0..ELEMENTS {
            let (family, field) = (element / FIELDS, element % FIELDS);
            let relation = family == 3;
            let rule = family + if relation { field } else { 0 };
            rows.rule.push(rule as u8);
            rows.field.push(if relation { 0 } else { field as u8 });
            rows.field_present.push(u8::from(!relation));
            rows.step.push((row % 3) as u8);
            rows.step_present.push(u8::from(row % 3 > 0));
            let pass = random.below(25) > 0;
            rows.pass.push(u8::from(pass));
            rows.severity
                .push(if pass { 0 } else { 1 + (rule % 3) as u8 });
            let (now, before) = readings[field];
            let observed = match family {
                0 => None,
                1 => Some(now),
                2 => Some((now - before).abs()),
                _ => Some((now * before).abs().sqrt()),
            };
            rows.observed.push(observed.unwrap_or(0.0));
            rows.observed_present.push(u8::from(observed.is_some()));
            let limited = !pass && family > 0;
            rows.limit
                .push(if limited { 40.5 + field as f64 } else { 0.0 });
            rows.limit_present.push(u8::from(limited));
        }
    }
    rows
}

fn spec() -> TableSpec {
    use ColumnKind::{Boolean, Double, Int32, Int64, Utf8};
    let mut flat = vec![ColumnSpec::required("id", Utf8)];
    for (name, kind, times) in [
        ("count", Int64, 5),
        ("steps", Int32, 5),
        ("score", Double, 5),
        ("verdict", Utf8, 5),
        ("passed", Boolean, 4),
    ] {
        flat.extend((0..times).map(|at| ColumnSpec::required(format!("{name}_{at}"), kind)));
    }
    let element = vec![
        ColumnSpec::required("rule", Utf8),
        ColumnSpec::nullable("field", Utf8),
        ColumnSpec::nullable("step", Int32),
        ColumnSpec::required("pass", Boolean),
        ColumnSpec::required("severity", Utf8),
        ColumnSpec::nullable("observed", Double),
        ColumnSpec::nullable("limit", Double),
    ];
    let list = Some(ListSpec {
        name: "evidence".to_owned(),
        element,
    });
    TableSpec { flat, list }
}

struct Bench<'a> {
    encoder: Encoder,
    flat: Vec<ColumnData<'a>>,
    lengths: &'a [u32],
    elements: Vec<ColumnData<'a>>,
}

impl Bench<'_> {
    fn time(&mut self, what: &str, spec: &CompiledSpec) -> Result<(), Box<dyn Error>> {
        let lengths = if self.elements.is_empty() {
            &[]
        } else {
            self.lengths
        };
        let mut best = f64::INFINITY;
        let mut size = 0;
        for _ in 0..REPEATS {
            let start = Instant::now();
            let group = self
                .encoder
                .encode(spec, ROWS, &self.flat, lengths, &self.elements)?;
            best = best.min(start.elapsed().as_secs_f64());
            size = group.size();
        }
        let (time, size) = (best * 1e9 / ROWS as f64, size as f64 / ROWS as f64);
        println!("{what:40} {time:6.0} ns/row {size:7.1} bytes/row");
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let rows = rows();
    let names = |prefix: &str, count| -> Vec<String> {
        (0..count).map(|at| format!("{prefix}_{at}")).collect()
    };
    let verdicts = names("verdict", 4);
    let rules = names("rule", 12);
    let fields = names("field", FIELDS);
    let severities = names("severity", 4);
    let steps = [0, 1, 2];

    let mut flat = vec![Values::Utf8 {
        bytes: rows.ids.as_bytes(),
        ends: &rows.ends,
    }];
    flat.extend([Values::Int64(&rows.counts); 5]);
    flat.extend([Values::Int32(&rows.steps); 5]);
    flat.extend([Values::Double(&rows.scores); 5]);
    let by_name = |dictionary, indices| Values::Dict8 {
        dictionary,
        indices,
    };
    flat.extend([by_name(&verdicts, &rows.verdicts); 5]);
    flat.extend([Values::Boolean(&rows.passed); 4]);
    let flat: Vec<ColumnData> = flat.into_iter().map(ColumnData::full).collect();
    let step = Values::DictInt8 {
        dictionary: &steps,
        indices: &rows.step,
    };
    let elements = vec![
        ColumnData::full(by_name(&rules, &rows.rule)),
        ColumnData::sparse(by_name(&fields, &rows.field), &rows.field_present),
        ColumnData::sparse(step, &rows.step_present),
        ColumnData::full(Values::Boolean(&rows.pass)),
        ColumnData::full(by_name(&severities, &rows.severity)),
        ColumnData::sparse(Values::Double(&rows.observed), &rows.observed_present),
        ColumnData::sparse(Values::Double(&rows.limit), &rows.limit_present),
    ];
    let mut bench = Bench {
        encoder: Encoder::new(),
        flat,
        lengths: &rows.lengths,
        elements,
    };

    if let Some(path) = std::env::args().nth(1) {
        let mut table = spec();
        if let Some(list) = &mut table.list {
            list.element[5].layout = DoubleLayout::Dictionary;
            list.element[5].codec = Codec::Uncompressed;
        }
        let compiled = table.compile()?;
        let pairs = [("origin".to_owned(), "sheet_bench".to_owned())];
        let mut writer = TableWriter::new(BufWriter::new(File::create(path)?), &compiled, &pairs)?;
        for _ in 0..3 {
            let (flat, elements) = (&bench.flat, &bench.elements);
            let encoder = &mut bench.encoder;
            writer.append(encoder.encode(&compiled, ROWS, flat, &rows.lengths, elements)?)?;
        }
        writer.finish()?;
    }

    let codecs = [1, -1, -3, -7].map(Codec::Zstd);
    for layout in [
        DoubleLayout::Plain,
        DoubleLayout::ByteStreamSplit,
        DoubleLayout::Dictionary,
    ] {
        for codec in codecs.into_iter().chain([Codec::Uncompressed]) {
            let mut table = spec();
            if let Some(list) = &mut table.list {
                list.element[5].layout = layout;
                list.element[5].codec = codec;
            }
            let what = format!("all, observed {layout:?} {codec:?}");
            bench.time(&what, &table.compile()?)?;
        }
    }

    for codec in [Codec::Zstd(1), Codec::Zstd(-1), Codec::Uncompressed] {
        let mut table = spec();
        for column in table.list.iter_mut().flat_map(|list| &mut list.element) {
            column.layout = DoubleLayout::Dictionary;
            if column.name == "observed" {
                column.codec = codec;
            }
        }
        let what = format!("all, both Dictionary, observed {codec:?}");
        bench.time(&what, &table.compile()?)?;
    }

    let table = spec();
    let (flat, elements) = (bench.flat, bench.elements);
    let columns = table.flat.iter().zip(&flat).map(|pair| (pair, false));
    let inside = table.list.iter().flat_map(|list| &list.element);
    for ((column, data), nested) in columns.chain(inside.zip(&elements).map(|pair| (pair, true))) {
        let (mut flat, mut element) = (vec![column.clone()], Vec::new());
        (bench.flat, bench.elements) = (vec![*data], Vec::new());
        if nested {
            std::mem::swap(&mut flat, &mut element);
            std::mem::swap(&mut bench.flat, &mut bench.elements);
        }
        let name = "evidence".to_owned();
        let list = nested.then_some(ListSpec { name, element });
        let alone = TableSpec { flat, list };
        bench.time(&format!("{} alone", column.name), &alone.compile()?)?;
    }
    Ok(())
}
