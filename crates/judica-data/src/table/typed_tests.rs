use std::sync::Arc;

use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal256Array, DictionaryArray, DurationMillisecondArray,
    FixedSizeBinaryArray, Float64Array, Int64Array, IntervalYearMonthArray, ListArray, NullArray,
    RecordBatch, RunArray, StringArray, StructArray, Time32SecondArray, Time64MicrosecondArray,
    TimestampMillisecondArray,
    types::{Int32Type, Int64Type},
};
use arrow_buffer::{OffsetBuffer, i256};
use arrow_schema::{DataType, Field, TimeUnit};

use super::tests::{read, read_by};
use super::*;
use crate::chunks::Found;
use crate::fingerprint::fingerprint;
use crate::source::tests::gzip;

fn batch() -> RecordBatch {
    let lists = [Some(vec![Some(1), None]), None, Some(vec![])];
    let columns: [(&str, ArrayRef); 6] = [
        (
            "id",
            Arc::new(Int64Array::from(vec![Some(7), None, Some(9)])),
        ),
        ("Gold", Arc::new(StringArray::from(vec!["a", "b\"", "ü"]))),
        ("x", Arc::new(Float64Array::from(vec![1.5, f64::NAN, 2.0]))),
        ("ok", Arc::new(BooleanArray::from(vec![true, false, true]))),
        (
            "l",
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists)),
        ),
        (
            "d",
            Arc::new(
                ["p", "q", "p"]
                    .into_iter()
                    .collect::<DictionaryArray<Int32Type>>(),
            ),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn parquet_and_arrow_are_rows_with_types() {
    let batch = batch();
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    use ::parquet::basic::{Compression, GzipLevel, ZstdLevel};
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ] {
        let properties = ::parquet::file::properties::WriterProperties::builder();
        let properties = properties.set_compression(codec).build();
        let mut bytes = Vec::new();
        let writer =
            ::parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties));
        let mut writer = writer.unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        files.push(("Parquet", bytes));
    }
    let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    files.push(("Arrow", file.into_inner().unwrap()));
    let mut stream = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    stream.write(&batch).unwrap();
    files.push(("Arrow", stream.into_inner().unwrap()));
    let plain = [
        r#"{"id":7,"Gold":"a","x":1.5,"ok":true,"l":[1,null],"d":"p"}"#,
        r#"{"id":null,"Gold":"b\"","x":null,"ok":false,"l":null,"d":"q"}"#,
        r#"{"id":9,"Gold":"ü","x":2.0,"ok":true,"l":[],"d":"p"}"#,
    ];
    for (format, bytes) in files {
        // The name does not matter, and it may be packed.
        for (name, bytes) in [("a.jsonl", bytes.clone()), ("a.parquet.gz", gzip(&bytes))] {
            let read = read(name, &bytes);
            for (row, expected) in read.rows.iter().zip(plain) {
                let hash = fingerprint(expected.as_bytes());
                let found = Found {
                    offset: None,
                    bytes: None,
                    hash,
                };
                assert_eq!((row.2, row.3.as_deref()), (found, Ok(expected)), "{format}");
            }
            assert_eq!(read.rows[2].0, 3);
            assert_eq!(read.how, [format!("{format}, 6 columns, 3 rows")]);
            // Its fingerprint is the same under other names.
            let tables = Tables {
                names: vec!["gold".to_owned()],
                ..Tables::default()
            };
            let named = read_by(name, &bytes, &tables, 1).unwrap();
            assert_eq!(named.rows[0].2, read.rows[0].2);
            assert!(
                named.rows[0]
                    .3
                    .as_ref()
                    .unwrap()
                    .contains(r#","gold":"a","#)
            );
            // One that was cut is no table.
            if name == "a.jsonl" && format == "Parquet" {
                let cut = read_by("a", &bytes[..bytes.len() - 9], &tables, 1).unwrap();
                assert_eq!(cut.how, [""; 0]);
            }
        }
    }
}

/// The rows of an Arrow file of one column, or why it is refused.
fn column(of: impl Array + 'static) -> Result<Vec<String>, String> {
    let batch = RecordBatch::try_from_iter([("c", Arc::new(of) as ArrayRef)]).unwrap();
    let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    let bytes = file.into_inner().unwrap();
    let read = read_by("a", &bytes, &Tables::default(), 1).map_err(|error| error.to_string())?;
    let rows = read.rows.into_iter().map(|row| row.3.unwrap());
    Ok(rows.collect())
}

#[test]
fn values_of_every_type_are_told_apart() {
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    maps.keys().append_value("x");
    maps.values().append_value(1);
    maps.append(true).unwrap();
    let mut pairs = MapBuilder::new(None, Int64Builder::new(), Int64Builder::new());
    pairs.keys().append_value(1);
    pairs.values().append_null();
    pairs.append(true).unwrap();
    let runs: RunArray<Int32Type> = ["p", "p", "q"].into_iter().collect();
    let hours = Time64MicrosecondArray::from(vec![3_600_000_000, 3_600_500_000]);
    let lists = ListArray::new(
        Arc::new(Field::new_list_field(
            DataType::Time32(TimeUnit::Second),
            true,
        )),
        OffsetBuffer::from_lengths([2]),
        Arc::new(Time32SecondArray::from(vec![Some(61), None])),
        None,
    );
    let clock = TimestampMillisecondArray::from(vec![1_500]);
    let moment = clock.clone().with_timezone("Europe/Berlin");
    let wide = Decimal256Array::from(vec![i256::from(-1205)]);
    let wide = wide.with_precision_and_scale(40, 2).unwrap();
    let bytes = [&b"abcd"[..], &[0xff, 0, 1, 2]];
    let bytes = FixedSizeBinaryArray::try_from_iter(bytes.into_iter()).unwrap();
    for (found, values) in [
        (column(hours), vec![r#""01:00:00""#, r#""01:00:00.500""#]),
        (column(lists), vec![r#"["00:01:01",null]"#]),
        (column(clock), vec![r#""1970-01-01T00:00:01.500""#]),
        (column(moment), vec![r#""1970-01-01T00:00:01.500Z""#]),
        (
            column(DurationMillisecondArray::from(vec![1_500, -90_000, 0])),
            vec![r#""PT1.5S""#, r#""-PT90S""#, r#""PT0S""#],
        ),
        (column(wide), vec!["-12.05"]),
        (column(bytes), vec![r#""abcd""#, r#""ff000102""#]),
        (column(runs), vec![r#""p""#, r#""p""#, r#""q""#]),
        (column(maps.finish()), vec![r#"{"x":1}"#]),
        (column(pairs.finish()), vec!["[[1,null]]"]),
        (column(NullArray::new(1)), vec!["null"]),
    ] {
        let expected: Vec<_> = values.iter().map(|of| format!(r#"{{"c":{of}}}"#)).collect();
        assert_eq!(found.as_ref(), Ok(&expected));
    }
}

#[test]
fn a_type_that_is_not_read_is_refused_by_its_column() {
    let months = || Arc::new(IntervalYearMonthArray::from(vec![1])) as ArrayRef;
    let field = Arc::new(Field::new("m", months().data_type().clone(), true));
    let inside = StructArray::from(vec![(field, months())]);
    for refused in [column(months()), column(inside)] {
        let why = refused.unwrap_err();
        assert!(
            why.contains("the column `c`") && why.contains("Interval"),
            "{why}"
        );
    }
}

#[test]
fn an_arrow_file_that_tells_of_more_than_there_is_is_no_table() {
    let batch = batch();
    let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    let whole = file.into_inner().unwrap();
    let tables = Tables::default();
    assert_eq!(read_by("a", &whole, &tables, 1).unwrap().how.len(), 1);
    let footer_ends = whole.len() - 10;
    let length = u32::from_le_bytes(*whole[footer_ends..].first_chunk().unwrap());
    // Whatever number of the footer becomes huge, nobody asks for as much memory.
    let mut refused = 0;
    for at in (footer_ends - length as usize..footer_ends - 8).step_by(8) {
        let mut bytes = whole.clone();
        bytes[at..at + 8].copy_from_slice(&(1i64 << 45).to_le_bytes());
        match read_by("a", &bytes, &tables, 1) {
            Ok(read) => refused += usize::from(read.how.is_empty()),
            Err(error) => assert!(!error.to_string().contains("emory"), "{error}"),
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_compressed_buffer_that_tells_of_more_than_there_is_is_damaged() {
    // So many that they are shorter when compressed. Empty texts have an empty buffer, which says
    // no length: behind it stands that of the next one.
    let column = |text| Arc::new(StringArray::from(vec![text; 5000])) as ArrayRef;
    let columns = [("note", column("")), ("item", column("a"))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let tables = Tables::default();
    for (codec, frame) in [
        (arrow_ipc::CompressionType::LZ4_FRAME, 0x184d_2204_u32),
        (arrow_ipc::CompressionType::ZSTD, 0xfd2f_b528),
    ] {
        for mut bytes in compressed(&batch, codec) {
            assert_eq!(read_by("a", &bytes, &tables, 1).unwrap().how.len(), 1);
            let frame = frame.to_le_bytes();
            let at = bytes.windows(4).position(|four| four == frame).unwrap();
            bytes[at - 8..at].copy_from_slice(&(1i64 << 45).to_le_bytes());
            let damaged = |bytes: &[u8]| {
                let said = read_by("a", bytes, &tables, 1).err().unwrap().to_string();
                assert!(said.contains("damaged Arrow"), "{said}");
                assert!(said.contains("more than there is"), "{said}");
            };
            damaged(&bytes);
            // Nor is it asked for where the frame is none, and does not say how long it becomes.
            bytes[at..at + 4].copy_from_slice(b"AAAA");
            damaged(&bytes);
        }
    }
}

/// The batch as a file and as a stream.
fn compressed(batch: &RecordBatch, codec: arrow_ipc::CompressionType) -> [Vec<u8>; 2] {
    let options = arrow_ipc::writer::IpcWriteOptions::default();
    let options = options.try_with_compression(Some(codec)).unwrap();
    let schema = batch.schema();
    let mut file =
        arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &schema, options.clone())
            .unwrap();
    file.write(batch).unwrap();
    let mut stream =
        arrow_ipc::writer::StreamWriter::try_new_with_options(Vec::new(), &schema, options)
            .unwrap();
    stream.write(batch).unwrap();
    [file.into_inner().unwrap(), stream.into_inner().unwrap()]
}

#[test]
fn floats_of_all_widths_are_spelt_alike() {
    let doubles = vec![f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.5, 1.0, 1e20];
    let doubles = Float64Array::from(doubles);
    let singles = doubles.iter().map(|value| value.map(|value| value as f32));
    let singles: arrow_array::Float32Array = singles.collect();
    let columns: [(&str, ArrayRef); 2] = [("x", Arc::new(doubles)), ("y", Arc::new(singles))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    let read = read_by(
        "a.arrow",
        &file.into_inner().unwrap(),
        &Tables::default(),
        9,
    )
    .unwrap();
    let rows: Vec<String> = read.rows.into_iter().map(|row| row.3.unwrap()).collect();
    let expected = [
        r#"{"x":"inf","y":"inf"}"#,
        r#"{"x":"-inf","y":"-inf"}"#,
        r#"{"x":null,"y":null}"#,
        r#"{"x":-0.5,"y":-0.5}"#,
        r#"{"x":1.0,"y":1.0}"#,
        r#"{"x":1e+20,"y":1e+20}"#,
    ];
    assert_eq!(rows, expected);
}

#[test]
fn what_is_wrong_with_the_columns_of_a_typed_table_is_said() {
    let column = || Arc::new(StringArray::from(vec!["a"])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("item", column()), ("item", column())]).unwrap();
    let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    let tables = Tables {
        names: vec!["item".to_owned()],
        ..Tables::default()
    };
    let read = read_by("a.arrow", &file.into_inner().unwrap(), &tables, 1);
    let said = read
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(said.contains("two columns are called `item`"), "{said}");
}
