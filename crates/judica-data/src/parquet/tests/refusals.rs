//! What cannot be a table is refused with a reason, never written.

use super::super::{
    ColumnData, ColumnKind, ColumnSpec, Encoder, ListSpec, TableReader, TableSpec, Values,
};

/// The reason a single column of two rows is refused for, if it is.
fn refusal(kind: ColumnKind, nullable: bool, data: ColumnData) -> Option<String> {
    let column = if nullable {
        ColumnSpec::nullable("it", kind)
    } else {
        ColumnSpec::required("it", kind)
    };
    let table = TableSpec {
        flat: vec![column],
        list: None,
    };
    let spec = table.compile().expect("a valid table");
    let encoded = Encoder::new().encode(&spec, 2, &[data], &[], &[]);
    encoded.err().map(|error| error.to_string())
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    use ColumnKind::{Boolean, Double, Int32, Utf8};
    let names = ["a".to_owned(), "b".to_owned()];
    let dict8 = |indices| Values::Dict8 {
        dictionary: &names,
        indices,
    };
    let dict16 = |indices| Values::Dict16 {
        dictionary: &names,
        indices,
    };
    let text = |bytes, ends| Values::Utf8 { bytes, ends };
    let full = ColumnData::full;
    let cases: [(ColumnKind, ColumnData, &str); 13] = [
        (Int32, full(Values::Double(&[0.0, 1.0])), "declared"),
        (Int32, full(Values::Int32(&[0])), "slots"),
        (
            Double,
            ColumnData::sparse(Values::Double(&[0.0, 1.0]), &[1]),
            "marks",
        ),
        (
            Double,
            ColumnData::sparse(Values::Double(&[0.0, 1.0]), &[1, 2]),
            "presence",
        ),
        (Boolean, full(Values::Boolean(&[0, 2])), "boolean"),
        (
            Boolean,
            ColumnData::sparse(Values::Boolean(&[0, 2]), &[0, 1]),
            "boolean",
        ),
        (Utf8, full(dict8(&[0, 2])), "beyond"),
        (Utf8, full(dict8(&[2, 2])), "beyond"),
        (Utf8, full(dict16(&[0, 300])), "beyond"),
        (Utf8, full(text(b"a\xFF", &[1, 2])), "UTF-8"),
        (Utf8, full(text("é".as_bytes(), &[1, 2])), "out of place"),
        (Utf8, full(text(b"ab", &[2, 1])), "out of place"),
        (Utf8, full(text(b"ab", &[2, 3])), "out of place"),
    ];
    for (kind, data, reason) in cases {
        let refused = refusal(kind, true, data).unwrap_or_default();
        assert!(refused.contains(reason), "{data:?}: {refused}");
        assert!(refused.contains("`it`"), "{refused}");
    }
}

#[test]
fn nulls_are_refused_where_none_may_be() {
    let data = |present| ColumnData::sparse(Values::Int32(&[1, 2]), present);
    assert!(refusal(ColumnKind::Int32, false, data(&[1, 0])).is_some());
    assert!(refusal(ColumnKind::Int32, false, data(&[1, 1])).is_none());
    assert!(refusal(ColumnKind::Int32, true, data(&[1, 0])).is_none());
}

#[test]
fn lists_that_do_not_add_up_are_refused() {
    let table = TableSpec {
        flat: Vec::new(),
        list: Some(ListSpec {
            name: "list".to_owned(),
            element: vec![ColumnSpec::required("it", ColumnKind::Int32)],
        }),
    };
    let spec = table.compile().expect("a valid table");
    let data = [ColumnData::full(Values::Int32(&[1, 2, 3]))];
    let mut encoder = Encoder::new();
    assert!(encoder.encode(&spec, 2, &[], &[1, 2], &data).is_ok());
    assert!(encoder.encode(&spec, 2, &[], &[1, 1], &data).is_err());
    assert!(encoder.encode(&spec, 2, &[], &[3], &data).is_err());
    let many = [u32::MAX; 2];
    assert!(encoder.encode(&spec, 2, &[], &many, &data).is_err());
    assert!(encoder.encode(&spec, 2, &[], &[1, 2], &[]).is_err());
    assert!(encoder.encode(&spec, 2, &data, &[1, 2], &data).is_err());
}

#[test]
fn shapes_that_are_none_are_refused() {
    let column = |name: &str| ColumnSpec::required(name, ColumnKind::Int64);
    let list = |name: &str, element| {
        Some(ListSpec {
            name: name.to_owned(),
            element,
        })
    };
    let cases = [
        (vec![], None),
        (vec![column("")], None),
        (vec![column("a"), column("a")], None),
        (vec![column("a")], list("a", vec![column("b")])),
        (vec![], list("a", vec![])),
        (vec![], list("a", vec![column("b"), column("b")])),
    ];
    for (flat, list) in cases {
        assert!(TableSpec { flat, list }.compile().is_err());
    }
}

#[test]
fn what_is_no_table_does_not_open() {
    assert!(TableReader::from_bytes(bytes::Bytes::from_static(b"PAR1 nothing PAR1")).is_err());
    assert!(TableReader::open("no/such/table.parquet").is_err());
}
