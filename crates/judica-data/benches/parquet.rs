//! Why tables have a writer of their own: the same records with all their evidence, encoded
//! here and by the ordinary Arrow writer.
//!
//! `cargo bench -p judica-data --bench parquet`

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "its table is what it is for"
)]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::types::UInt8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, ListArray,
    RecordBatch, StringArray, StructArray, UInt8Array, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{Field, Schema};
use judica_data::parquet::{Encoder, TableSchema, TableWriter, uncompressed};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

const ROWS: usize = 5_000;
const ATOMS: usize = 66;
const REPEATS: usize = 10;

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ mixed >> 27) % bound
    }
}

fn words(names: &[String], keys: impl Iterator<Item = Option<u8>>) -> ArrayRef {
    let names = Arc::new(StringArray::from(names.to_vec()));
    let keys = keys.collect::<UInt8Array>();
    Arc::new(DictionaryArray::<UInt8Type>::new(keys, names))
}

/// Records of an evaluation: a few columns each, and sixty-six pieces of evidence.
fn records() -> Result<RecordBatch, Box<dyn Error>> {
    let mut random = Random(7);
    let atoms = ROWS * ATOMS;
    let rules: Vec<String> = (0..40)
        .map(|n| format!("family_{}.rule_{n}", n / 6))
        .collect();
    let fields: Vec<String> = (0..19).map(|n| format!("Field {n} (deg/sec)")).collect();
    let severities = ["info", "warning", "critical"].map(str::to_owned);
    let failed: Vec<bool> = (0..atoms).map(|_| random.below(40) == 0).collect();
    let of_atom = |at: usize| (at % ATOMS) as u8;
    let evidence: Vec<(&str, bool, ArrayRef)> = vec![
        (
            "rule",
            false,
            words(&rules, (0..atoms).map(|at| Some(of_atom(at) / 2))),
        ),
        (
            "field",
            true,
            words(
                &fields,
                (0..atoms).map(|at| (of_atom(at) < 57).then_some(of_atom(at) % 19)),
            ),
        ),
        ("step", true, Arc::new(Int32Array::new_null(atoms))),
        (
            "pass",
            false,
            Arc::new(BooleanArray::from_iter(
                failed.iter().map(|failed| Some(!failed)),
            )),
        ),
        (
            "severity",
            false,
            words(
                &severities,
                failed.iter().map(|failed| Some(u8::from(*failed) * 2)),
            ),
        ),
        (
            "observed",
            true,
            Arc::new(Float64Array::from_iter_values(
                (0..atoms).map(|_| random.below(40_000) as f64 / 10.0),
            )),
        ),
        (
            "limit",
            true,
            Arc::new(Float64Array::from_iter(
                failed.iter().map(|failed| failed.then_some(1000.0)),
            )),
        ),
        ("text", true, Arc::new(StringArray::new_null(atoms))),
    ];
    let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = evidence
        .into_iter()
        .map(|(name, null, column)| {
            let field = Field::new(name, column.data_type().clone(), null);
            let field = if name == "observed" {
                uncompressed(field)
            } else {
                field
            };
            (field, column)
        })
        .unzip();
    let elements = StructArray::try_new(fields.into(), columns, None)?;
    let element = Field::new("element", elements.data_type().clone(), false);
    let lengths = OffsetBuffer::from_lengths(std::iter::repeat_n(ATOMS, ROWS));
    let list = ListArray::try_new(Arc::new(element), lengths, Arc::new(elements), None)?;
    let ids = StringArray::from_iter_values((0..ROWS).map(|row| format!("S1_{row:06}")));
    let hashes = UInt64Array::from_iter_values((0..ROWS).map(|_| random.below(u64::MAX)));
    let mut columns: Vec<(String, ArrayRef)> = vec![
        ("item".to_owned(), Arc::new(ids)),
        ("input_hash".to_owned(), Arc::new(hashes)),
        ("evidence".to_owned(), Arc::new(list)),
    ];
    for number in 0..9 {
        let scores = (0..ROWS).map(|_| random.below(1 << 50) as f64);
        let scores = Float64Array::from_iter_values(scores);
        columns.push((format!("score_{number}"), Arc::new(scores)));
    }
    let fields = columns.iter().map(|(name, column)| {
        let field = Field::new(name, column.data_type().clone(), false);
        match name.starts_with("score") {
            true => uncompressed(field),
            false => field,
        }
    });
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(RecordBatch::try_new(Arc::new(schema), columns)?)
}

/// The best of several times, and how many bytes it came to.
fn best(
    mut write: impl FnMut() -> Result<usize, Box<dyn Error>>,
) -> Result<(Duration, usize), Box<dyn Error>> {
    let mut best = (Duration::MAX, 0);
    for _ in 0..REPEATS {
        let start = Instant::now();
        let bytes = write()?;
        best = best.min((start.elapsed(), bytes));
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn Error>> {
    let records = records()?;
    let schema = TableSchema::new(records.schema_ref())?;
    let mut encoder = Encoder::new();
    let ours = best(|| {
        let mut writer = TableWriter::new(Vec::new(), &schema)?;
        writer.append(encoder.encode(&schema, std::slice::from_ref(&records))?)?;
        Ok(writer.finish()?.len())
    })?;
    let ordinary = best(|| {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .build();
        let mut writer = ArrowWriter::try_new(Vec::new(), records.schema(), Some(properties))?;
        writer.write(&records)?;
        Ok(writer.into_inner()?.len())
    })?;
    println!("{ROWS} records of {ATOMS} atoms; best of {REPEATS} runs each");
    for (name, (time, bytes)) in [("this writer", ours), ("ArrowWriter", ordinary)] {
        println!(
            "{name}: {:>7.2} ms, {:>5.1} ns per atom, {:>8} bytes",
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() * 1e9 / (ROWS * ATOMS) as f64,
            bytes
        );
    }
    println!(
        "the ordinary writer takes {:.1} times as long",
        ordinary.0.as_secs_f64() / ours.0.as_secs_f64()
    );
    Ok(())
}
