//! The shape of a table: an Arrow schema, looked through once.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::parquet::arrow::ArrowSchemaConverter;
use ::parquet::schema::types::{SchemaDescPtr, TypePtr};
use arrow_schema::{DataType, Field, Schema};

use super::TableError;

/// Where a field says how its pages are compressed.
const CODEC: &str = "judica.codec";
const NONE: &str = "none";

/// The same field, its pages left as they are: for numbers that hardly recur, compressing
/// costs time and saves nothing.
pub fn uncompressed(field: Field) -> Field {
    let hint = [(CODEC.to_owned(), NONE.to_owned())];
    field.with_metadata(std::collections::HashMap::from(hint))
}

/// Where a field of text says that its words recur.
const WORDS: &str = "judica.words";
const RECUR: &str = "recur";

/// The same field of text, its words numbered in the order in which they first appear in a
/// row group, whether or not they come with numbers.
pub fn recurring(field: Field) -> Field {
    let hint = [(WORDS.to_owned(), RECUR.to_owned())];
    field.with_metadata(std::collections::HashMap::from(hint))
}

/// One column of values, flat or inside a list.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub name: String,
    /// What it holds; of a dictionary, what the dictionary holds.
    pub holds: DataType,
    pub nullable: bool,
    /// Compression belongs to the schema rather than to the encoder because the written bytes
    /// depend on it.
    pub compressed: bool,
    /// Its words are numbered here; see [`recurring`].
    pub numbered: bool,
}

impl Leaf {
    fn of(field: &Field) -> Result<Leaf, TableError> {
        use DataType::{Boolean, Float64, Int32, Int64, UInt64, Utf8};
        let holds = held(field.data_type());
        if !matches!(holds, Boolean | Int32 | Int64 | UInt64 | Float64 | Utf8) {
            let reason = format!("{} is a type no table here has", field.data_type());
            return Err(TableError::column(field.name(), reason));
        }
        Ok(Leaf {
            name: field.name().clone(),
            holds: holds.clone(),
            nullable: field.is_nullable(),
            compressed: field.metadata().get(CODEC).map(String::as_str) != Some(NONE),
            numbered: *holds == Utf8
                && field.metadata().get(WORDS).map(String::as_str) == Some(RECUR),
        })
    }
}

/// What the values of a column are, whether or not they are numbered.
pub(super) fn held(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// One column of a table.
#[derive(Debug, Clone)]
pub(super) enum Column {
    /// One slot per row.
    Flat(Leaf),
    /// A list of structs per row. Nothing above the leaves may be null: a row without
    /// elements has an empty list, not a missing one.
    List(String, Vec<Leaf>),
}

impl Column {
    pub fn name(&self) -> &str {
        match self {
            Column::Flat(leaf) => &leaf.name,
            Column::List(name, _) => name,
        }
    }

    fn of(field: &Field) -> Result<Column, TableError> {
        let DataType::List(element) = field.data_type() else {
            return Ok(Column::Flat(Leaf::of(field)?));
        };
        let odd = || TableError::column(field.name(), "is not a list of structs without nulls");
        let DataType::Struct(fields) = element.data_type() else {
            return Err(odd());
        };
        if fields.is_empty() || field.is_nullable() || element.is_nullable() {
            return Err(odd());
        }
        distinct(fields.iter().map(|field| field.name()))?;
        let leaves = fields.iter().map(|field| Leaf::of(field));
        Ok(Column::List(
            field.name().clone(),
            leaves.collect::<Result<_, _>>()?,
        ))
    }
}

/// The shape of a table; shared by all threads of a run.
#[derive(Debug, Clone)]
pub struct TableSchema {
    pub(super) columns: Vec<Column>,
    pub(super) parquet: SchemaDescPtr,
}

impl TableSchema {
    /// Checks a schema, once per table.
    pub fn new(schema: &Schema) -> Result<TableSchema, TableError> {
        if schema.fields().is_empty() {
            return Err(TableError::Spec("a table needs a column".to_owned()));
        }
        distinct(schema.fields().iter().map(|field| field.name()))?;
        let columns = schema.fields().iter().map(|field| Column::of(field));
        Ok(TableSchema {
            columns: columns.collect::<Result<_, _>>()?,
            parquet: Arc::new(ArrowSchemaConverter::new().convert(schema)?),
        })
    }

    pub(super) fn root(&self) -> TypePtr {
        self.parquet.root_schema_ptr()
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Result<(), TableError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return Err(TableError::Spec("a column has no name".to_owned()));
        }
        if !seen.insert(name) {
            return Err(TableError::Spec(format!("two columns are named `{name}`")));
        }
    }
    Ok(())
}
