use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray,
    types::{Int32Type, Int64Type},
};

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
    let lz4 = Some(arrow_ipc::CompressionType::LZ4_FRAME);
    let options = arrow_ipc::writer::IpcWriteOptions::default();
    let options = options.try_with_compression(lz4).unwrap();
    let schema = batch.schema();
    let mut file =
        arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &schema, options.clone())
            .unwrap();
    file.write(&batch).unwrap();
    let mut stream =
        arrow_ipc::writer::StreamWriter::try_new_with_options(Vec::new(), &schema, options)
            .unwrap();
    stream.write(&batch).unwrap();
    for mut bytes in [file.into_inner().unwrap(), stream.into_inner().unwrap()] {
        assert_eq!(read_by("a", &bytes, &tables, 1).unwrap().how.len(), 1);
        let frame = 0x184d_2204_u32.to_le_bytes();
        let at = bytes.windows(4).position(|four| four == frame).unwrap();
        bytes[at - 8..at].copy_from_slice(&(1i64 << 45).to_le_bytes());
        let said = read_by("a", &bytes, &tables, 1).err().unwrap().to_string();
        assert!(said.contains("damaged Arrow"), "{said}");
        assert!(said.contains("more than there is"), "{said}");
    }
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
