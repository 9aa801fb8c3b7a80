//! Single properties, shown on small tables.

use super::super::{
    ColumnData, ColumnKind, ColumnSpec, CompiledSpec, DoubleLayout, EncodedRowGroup, Encoder,
    ListSpec, Projection, TableReader, TableSpec, TableWriter, Values,
};
use super::{reopened, written};

fn spec() -> CompiledSpec {
    let flat = vec![
        ColumnSpec::required("id", ColumnKind::Utf8),
        ColumnSpec::nullable("score", ColumnKind::Double),
    ];
    let element = vec![
        ColumnSpec::required("rule", ColumnKind::Utf8),
        ColumnSpec::nullable("observed", ColumnKind::Double).with_layout(DoubleLayout::Dictionary),
    ];
    let list = Some(ListSpec {
        name: "evidence".to_owned(),
        element,
    });
    TableSpec { flat, list }.compile().expect("a valid table")
}

/// Three rows named after the group, of two, no and one piece of evidence.
fn group(encoder: &mut Encoder, spec: &CompiledSpec, name: &str) -> EncodedRowGroup {
    let ids = format!("{name}-0{name}-1{name}-2");
    let each = ids.len() as u32 / 3;
    let rules = ["range".to_owned(), "jump".to_owned()];
    let id = Values::Utf8 {
        bytes: ids.as_bytes(),
        ends: &[each, 2 * each, 3 * each],
    };
    let rule = Values::Dict16 {
        dictionary: &rules,
        indices: &[0, 1, 0],
    };
    let flat = [
        ColumnData::full(id),
        ColumnData::sparse(Values::Double(&[0.25, 9.0, -0.0]), &[1, 0, 1]),
    ];
    let elements = [
        ColumnData::full(rule),
        ColumnData::sparse(Values::Double(&[-20.9, 7.0, -20.9]), &[1, 0, 1]),
    ];
    encoder
        .encode(spec, 3, &flat, &[2, 0, 1], &elements)
        .expect("columns fit")
}

#[test]
fn a_table_without_rows_keeps_its_shape() {
    let spec = spec();
    let nothing = Encoder::new()
        .encode(
            &spec,
            0,
            &[
                ColumnData::full(Values::Utf8 {
                    bytes: b"",
                    ends: &[],
                }),
                ColumnData::full(Values::Double(&[])),
            ],
            &[],
            &[
                ColumnData::full(Values::Dict8 {
                    dictionary: &[],
                    indices: &[],
                }),
                ColumnData::full(Values::Double(&[])),
            ],
        )
        .expect("columns fit");
    for groups in [Vec::new(), vec![nothing]] {
        let reader = reopened(&spec, groups);
        assert_eq!((reader.rows(), reader.row_groups()), (0, 0));
        let names = |table: &TableSpec| -> Vec<String> {
            let list = table.list.iter().flat_map(|list| &list.element);
            let columns = table.flat.iter().chain(list);
            columns.map(|column| column.name.clone()).collect()
        };
        assert_eq!(names(reader.spec()), names(spec.spec()));
    }
}

#[test]
fn a_used_encoder_writes_the_same_bytes_as_a_fresh_one() {
    let spec = spec();
    let mut used = Encoder::new();
    let groups = (0..3).map(|_| group(&mut used, &spec, "a")).collect();
    let fresh = (0..3)
        .map(|_| group(&mut Encoder::new(), &spec, "a"))
        .collect();
    assert_eq!(written(&spec, groups), written(&spec, fresh));
}

#[test]
fn one_row_is_found_by_its_text() {
    let spec = spec();
    let mut encoder = Encoder::new();
    let names = ["a", "b", "c"];
    let groups = names.map(|name| group(&mut encoder, &spec, name)).into();
    let mut reader = reopened(&spec, groups);
    let found = reader.find_text("id", "b-2").expect("a text column");
    assert_eq!(found, Some((1, 2)));
    let absent = reader.find_text("id", "b-3").expect("a text column");
    assert_eq!(absent, None);
    assert!(reader.find_text("rule", "range").is_err());

    let row = reader
        .read_rows(1, 2..3, Projection::All)
        .expect("a row is read");
    assert_eq!(row.column("id").and_then(|id| id.text(0)), Some("b-2"));
    let list = row.list.expect("the list was asked for");
    assert_eq!(list.lengths, [1]);
    assert_eq!(
        list.column("rule").and_then(|rule| rule.text(0)),
        Some("range")
    );
}

#[test]
fn only_the_columns_asked_for_are_read() {
    let spec = spec();
    let mut reader = reopened(&spec, vec![group(&mut Encoder::new(), &spec, "a")]);
    let mut read = |names: &[&str]| {
        let group = reader
            .read(0, Projection::Columns(names))
            .expect("a group is read");
        let flat = group.flat.iter().map(|column| column.name.clone());
        let list = group.list.iter().flat_map(|list| &list.elements);
        let names: Vec<_> = flat.chain(list.map(|column| column.name.clone())).collect();
        assert_eq!(group.rows, 3);
        names
    };
    assert_eq!(read(&["score"]), ["score"]);
    assert_eq!(read(&["id", "evidence.observed"]), ["id", "observed"]);
    assert_eq!(read(&["evidence"]), ["rule", "observed"]);
    assert!(read(&[]).is_empty());
    for unknown in ["rule", "evidence.id", "evidence."] {
        assert!(reader.read(0, Projection::Columns(&[unknown])).is_err());
    }
}

#[test]
fn wide_dictionaries_keep_every_entry() {
    let dictionary: Vec<String> = (0..=u16::MAX).map(|entry| format!("e{entry}")).collect();
    let indices: Vec<u16> = (0..70_000u32)
        .map(|slot| (slot.wrapping_mul(40_503) >> 3) as u16)
        .collect();
    let table = TableSpec {
        flat: vec![ColumnSpec::required("name", ColumnKind::Utf8)],
        list: None,
    };
    let spec = table.compile().expect("a valid table");
    let values = Values::Dict16 {
        dictionary: &dictionary,
        indices: &indices,
    };
    let data = [ColumnData::full(values)];
    let group = Encoder::new()
        .encode(&spec, indices.len(), &data, &[], &[])
        .expect("columns fit");
    let mut reader = reopened(&spec, vec![group]);
    let read = reader.read(0, Projection::All).expect("a group is read");
    let names = read.column("name").expect("the column is there");
    for (slot, index) in indices.iter().enumerate() {
        assert_eq!(names.text(slot), Some(dictionary[*index as usize].as_str()));
    }
}

#[test]
fn a_column_read_can_be_written_again() {
    let spec = spec();
    let mut encoder = Encoder::new();
    let mut reader = reopened(&spec, vec![group(&mut encoder, &spec, "a")]);
    let read = reader.read(0, Projection::All).expect("a group is read");
    let list = read.list.as_ref().expect("all was asked for");
    let flat: Vec<_> = read.flat.iter().map(|column| column.data()).collect();
    let elements: Vec<_> = list.elements.iter().map(|column| column.data()).collect();
    let again = encoder
        .encode(&spec, read.rows, &flat, &list.lengths, &elements)
        .expect("columns fit");
    let mut reader = reopened(&spec, vec![again]);
    assert_eq!(reader.read(0, Projection::All).ok(), Some(read));
}

#[test]
fn a_file_on_disk_opens() {
    let spec = spec();
    let mut file = tempfile::NamedTempFile::new().expect("a scratch file");
    let mut writer = TableWriter::new(&mut file, &spec, &[]).expect("a file begins");
    let encoded = group(&mut Encoder::new(), &spec, "a");
    assert_eq!(encoded.rows(), 3);
    writer.append(encoded).expect("a row group fits its table");
    writer.finish().expect("a file ends");
    let mut reader = TableReader::open(file.path()).expect("what was written opens");
    assert_eq!((reader.rows(), reader.rows_in(0)), (3, 3));
    assert!(reader.read(0, Projection::All).is_ok());
    assert!(reader.read(1, Projection::All).is_err());
}

#[test]
fn encoding_can_move_between_threads() {
    fn movable<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    movable::<Encoder>();
    movable::<EncodedRowGroup>();
    movable::<TableReader>();
    shared::<CompiledSpec>();
}
