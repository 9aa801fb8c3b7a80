//! The shape of a table, and the Parquet schema compiled from it.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type, TypePtr};

use super::TableError;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// True or false.
    Boolean,
    /// A signed 32-bit integer.
    Int32,
    /// A signed 64-bit integer.
    Int64,
    /// A 64-bit float, kept to the bit.
    Double,
    /// Text.
    Utf8,
}

/// How the bytes of a `Double` column are arranged before compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DoubleLayout {
    /// One value after another. The quickest if the column is not compressed.
    #[default]
    Plain,
    /// All first bytes, then all second bytes, and so on. The smallest where
    /// whole rows recur, and where no value does but all share a magnitude.
    ByteStreamSplit,
    /// Every distinct value once, then their numbers; plain after all where
    /// more than half are distinct, at the cost of having looked. The smallest
    /// where single values recur in ever new company, as rounded readings do,
    /// and the quickest to compress there at the default level.
    Dictionary,
}

/// How a column's pages are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// Zstandard at a level; the lower, the faster, also below zero.
    Zstd(i32),
    /// Not at all.
    Uncompressed,
}

impl Default for Codec {
    fn default() -> Self {
        Self::Zstd(1)
    }
}

/// One column, flat or inside the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpec {
    /// The column's name, unique among its siblings.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// Whether a slot may be null.
    pub nullable: bool,
    /// Byte arrangement; read only for `Double`.
    pub layout: DoubleLayout,
    /// Compression. It belongs to the specification rather than to the encoder
    /// because the written bytes depend on it.
    pub codec: Codec,
}

impl ColumnSpec {
    /// A column that always has a value.
    pub fn required(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self {
            name: name.into(),
            kind,
            nullable: false,
            layout: DoubleLayout::Plain,
            codec: Codec::default(),
        }
    }

    /// A column that may be null.
    pub fn nullable(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self {
            nullable: true,
            ..Self::required(name, kind)
        }
    }

    /// The same column with another byte arrangement.
    pub fn with_layout(mut self, layout: DoubleLayout) -> Self {
        self.layout = layout;
        self
    }

    /// The same column with other compression.
    pub fn with_codec(mut self, codec: Codec) -> Self {
        self.codec = codec;
        self
    }

    fn leaf(&self) -> Result<TypePtr, TableError> {
        let (physical, logical) = match self.kind {
            ColumnKind::Boolean => (Physical::BOOLEAN, None),
            ColumnKind::Int32 => (Physical::INT32, None),
            ColumnKind::Int64 => (Physical::INT64, None),
            ColumnKind::Double => (Physical::DOUBLE, None),
            ColumnKind::Utf8 => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if self.nullable {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        let built = Type::primitive_type_builder(&self.name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(built))
    }
}

/// The column that holds a list of structs per row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSpec {
    /// The list column's name.
    pub name: String,
    /// The struct's fields, in order.
    pub element: Vec<ColumnSpec>,
}

/// The shape of a whole table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableSpec {
    /// Columns with one slot per row.
    pub flat: Vec<ColumnSpec>,
    /// The list column, which stands last.
    pub list: Option<ListSpec>,
}

impl TableSpec {
    /// Checks the shape and builds its schema, once per table.
    pub fn compile(self) -> Result<CompiledSpec, TableError> {
        if self.flat.is_empty() && self.list.is_none() {
            return Err(TableError::Spec("a table needs a column".to_owned()));
        }
        let top = self.flat.iter().map(|column| column.name.as_str());
        distinct(top.chain(self.list.iter().map(|list| list.name.as_str())))?;

        let mut fields = Vec::with_capacity(self.flat.len() + 1);
        for column in &self.flat {
            fields.push(column.leaf()?);
        }
        if let Some(list) = &self.list {
            if list.element.is_empty() {
                let reason = format!("the list `{}` has no fields", list.name);
                return Err(TableError::Spec(reason));
            }
            distinct(list.element.iter().map(|column| column.name.as_str()))?;
            fields.push(list_type(list)?);
        }
        let root = Type::group_type_builder("schema")
            .with_fields(fields)
            .build()?;
        let root = Arc::new(root);
        let schema = Arc::new(SchemaDescriptor::new(Arc::clone(&root)));
        Ok(CompiledSpec {
            spec: self,
            root,
            schema,
        })
    }
}

/// The standard three-level list, with nothing optional above the leaves: a
/// row without elements has an empty list, not a missing one.
fn list_type(list: &ListSpec) -> Result<TypePtr, TableError> {
    let mut leaves = Vec::with_capacity(list.element.len());
    for column in &list.element {
        leaves.push(column.leaf()?);
    }
    let element = Type::group_type_builder("element")
        .with_repetition(Repetition::REQUIRED)
        .with_fields(leaves)
        .build()?;
    let repeated = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(element)])
        .build()?;
    let outer = Type::group_type_builder(&list.name)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(repeated)])
        .build()?;
    Ok(Arc::new(outer))
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), TableError> {
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

/// A checked [`TableSpec`] with its schema; shared by all threads of a run.
#[derive(Debug, Clone)]
pub struct CompiledSpec {
    spec: TableSpec,
    root: TypePtr,
    schema: SchemaDescPtr,
}

impl CompiledSpec {
    /// The shape this was compiled from.
    pub fn spec(&self) -> &TableSpec {
        &self.spec
    }

    /// Columns inside the list, none if there is no list.
    pub fn elements(&self) -> &[ColumnSpec] {
        self.spec.list.as_ref().map_or(&[], |list| &list.element)
    }

    pub(super) fn root(&self) -> TypePtr {
        Arc::clone(&self.root)
    }

    pub(super) fn schema(&self) -> &SchemaDescPtr {
        &self.schema
    }
}
