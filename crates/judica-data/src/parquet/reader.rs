//! Reading a table back, by row group and by column.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::ChunkReader;
use ::parquet::schema::types::Type;
use bytes::Bytes;

use super::{
    ColumnKind, ColumnSpec, ListSpec, OwnedColumn, OwnedList, RowGroup, TableError, TableSpec,
};

/// Rows decoded at a time; enough to spread the cost of a batch, few enough
/// that a batch of lists stays in cache.
const BATCH_ROWS: usize = 1024;

/// Which columns to decode.
#[derive(Debug, Clone, Copy)]
pub enum Projection<'a> {
    /// All of them.
    All,
    /// The flat columns of these names, the list column if its name is among
    /// them, and single columns inside it as `list.field`. A name no column
    /// has is an error.
    Columns(&'a [&'a str]),
}

impl Projection<'_> {
    fn flat(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Columns(names) => names.contains(&name),
        }
    }

    fn element(&self, list: &str, name: &str) -> bool {
        self.flat(list)
            || match self {
                Self::All => true,
                Self::Columns(names) => names.iter().any(|asked| {
                    let field = asked.strip_prefix(list);
                    field.and_then(|field| field.strip_prefix('.')) == Some(name)
                }),
            }
    }
}

enum Source {
    File(File),
    Bytes(Bytes),
}

/// An opened table. Reading takes it exclusively, because a file has but one
/// position; to read on several threads, open it several times.
pub struct TableReader {
    source: Source,
    metadata: ArrowReaderMetadata,
    spec: TableSpec,
}

impl TableReader {
    /// Opens a file and reads its footer.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let file = File::open(path)?;
        let metadata = ArrowReaderMetadata::load(&file, options())?;
        Self::new(Source::File(file), metadata)
    }

    /// Reads a table that is already in memory.
    pub fn from_bytes(bytes: Bytes) -> Result<Self, TableError> {
        let metadata = ArrowReaderMetadata::load(&bytes, options())?;
        Self::new(Source::Bytes(bytes), metadata)
    }

    fn new(source: Source, metadata: ArrowReaderMetadata) -> Result<Self, TableError> {
        let spec = read_spec(metadata.parquet_schema().root_schema())?;
        Ok(Self {
            source,
            metadata,
            spec,
        })
    }

    /// The table's shape as the file tells it. Layouts and codecs are not
    /// part of what a file tells, and are left at their defaults.
    pub fn spec(&self) -> &TableSpec {
        &self.spec
    }

    /// How many row groups there are.
    pub fn row_groups(&self) -> usize {
        self.footer().num_row_groups()
    }

    /// Rows in all row groups.
    pub fn rows(&self) -> usize {
        usize::try_from(self.footer().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Rows in one row group; none if there is no such group.
    pub fn rows_in(&self, group: usize) -> usize {
        let groups = self.footer().row_groups();
        let rows = groups.get(group).map_or(0, |group| group.num_rows());
        usize::try_from(rows).unwrap_or(0)
    }

    /// The footer's key-value pairs, in order; a key without a value is left
    /// out.
    pub fn key_values(&self) -> Vec<(String, String)> {
        let pairs = self.footer().file_metadata().key_value_metadata();
        let pairs = pairs.into_iter().flatten();
        pairs
            .filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?)))
            .collect()
    }

    pub(super) fn footer(&self) -> &ParquetMetaData {
        self.metadata.metadata()
    }

    /// Decodes a row group.
    pub fn read(&mut self, group: usize, projection: Projection) -> Result<RowGroup, TableError> {
        self.read_rows(group, 0..self.rows_in(group), projection)
    }

    /// Decodes some rows of a row group.
    pub fn read_rows(
        &mut self,
        group: usize,
        rows: Range<usize>,
        projection: Projection,
    ) -> Result<RowGroup, TableError> {
        if rows.start > rows.end || rows.end > self.rows_in(group) || group >= self.row_groups() {
            let reason = format!("there are no rows {rows:?} in row group {group}");
            return Err(TableError::Spec(reason));
        }
        match &self.source {
            Source::File(file) => self.decode(file.try_clone()?, group, rows, projection),
            Source::Bytes(bytes) => self.decode(bytes.clone(), group, rows, projection),
        }
    }

    fn decode<R: ChunkReader + 'static>(
        &self,
        source: R,
        group: usize,
        rows: Range<usize>,
        projection: Projection,
    ) -> Result<RowGroup, TableError> {
        self.check_names(projection)?;
        let (mut result, leaves) = self.select(projection);
        let mask = ProjectionMask::leaves(self.metadata.parquet_schema(), leaves);
        let batches =
            ParquetRecordBatchReaderBuilder::new_with_metadata(source, self.metadata.clone())
                .with_row_groups(vec![group])
                .with_projection(mask)
                .with_batch_size(BATCH_ROWS)
                .with_offset(rows.start)
                .with_limit(rows.len())
                .build()?;
        for batch in batches {
            let batch = batch.map_err(::parquet::errors::ParquetError::from)?;
            result.push(&batch)?;
        }
        Ok(result)
    }

    fn check_names(&self, projection: Projection) -> Result<(), TableError> {
        let Projection::Columns(names) = projection else {
            return Ok(());
        };
        for name in names {
            let asked = [*name];
            let alone = Projection::Columns(&asked);
            let (flat, list) = (&self.spec.flat, &self.spec.list);
            let known = flat.iter().any(|column| alone.flat(&column.name))
                || list.iter().any(|list| {
                    let mut inside = list.element.iter();
                    inside.any(|column| alone.element(&list.name, &column.name))
                });
            if !known {
                return Err(TableError::column(name, "is not in the table"));
            }
        }
        Ok(())
    }

    /// An empty result for the wanted columns, and which leaves of the
    /// schema they are.
    fn select(&self, projection: Projection) -> (RowGroup, Vec<usize>) {
        let mut leaves = Vec::new();
        let mut flat = Vec::new();
        for (leaf, column) in self.spec.flat.iter().enumerate() {
            if projection.flat(&column.name) {
                leaves.push(leaf);
                flat.push(OwnedColumn::new(column));
            }
        }
        let list = self.spec.list.as_ref().and_then(|list| {
            let mut elements = Vec::new();
            for (at, column) in list.element.iter().enumerate() {
                if projection.element(&list.name, &column.name) {
                    leaves.push(self.spec.flat.len() + at);
                    elements.push(OwnedColumn::new(column));
                }
            }
            (!elements.is_empty()).then(|| OwnedList {
                name: list.name.clone(),
                lengths: Vec::new(),
                elements,
            })
        });
        let result = RowGroup {
            rows: 0,
            flat,
            list,
        };
        (result, leaves)
    }
}

/// Types come from the Parquet schema alone, whatever else a writer noted.
fn options() -> ArrowReaderOptions {
    ArrowReaderOptions::new().with_skip_arrow_metadata(true)
}

/// The table shape a schema describes, or what about it is no such shape.
fn read_spec(root: &Type) -> Result<TableSpec, TableError> {
    let mut spec = TableSpec::default();
    for field in root.get_fields() {
        if spec.list.is_some() {
            let reason = "stands after the list, which must be last";
            return Err(TableError::column(field.name(), reason));
        }
        if field.is_group() {
            spec.list = Some(read_list(field)?);
        } else {
            spec.flat.push(read_column(field)?);
        }
    }
    Ok(spec)
}

fn read_list(field: &Type) -> Result<ListSpec, TableError> {
    let odd = || TableError::column(field.name(), "is not a list of structs");
    if field.get_basic_info().logical_type_ref() != Some(&LogicalType::List) {
        return Err(odd());
    }
    let [repeated] = field.get_fields() else {
        return Err(odd());
    };
    if !repeated.is_group() || repeated.get_basic_info().repetition() != Repetition::REPEATED {
        return Err(odd());
    }
    let [element] = repeated.get_fields() else {
        return Err(odd());
    };
    if !element.is_group() || element.get_fields().is_empty() {
        return Err(odd());
    }
    let leaves = element.get_fields().iter();
    Ok(ListSpec {
        name: field.name().to_owned(),
        element: leaves
            .map(|leaf| read_column(leaf))
            .collect::<Result<_, _>>()?,
    })
}

fn read_column(field: &Type) -> Result<ColumnSpec, TableError> {
    let odd = || TableError::column(field.name(), "is of a type no table here has");
    if field.is_group() || field.get_basic_info().repetition() == Repetition::REPEATED {
        return Err(odd());
    }
    let kind = match field.get_physical_type() {
        Physical::BOOLEAN => ColumnKind::Boolean,
        Physical::INT32 => ColumnKind::Int32,
        Physical::INT64 => ColumnKind::Int64,
        Physical::DOUBLE => ColumnKind::Double,
        Physical::BYTE_ARRAY => ColumnKind::Utf8,
        _ => return Err(odd()),
    };
    if field.get_basic_info().repetition() == Repetition::OPTIONAL {
        Ok(ColumnSpec::nullable(field.name(), kind))
    } else {
        Ok(ColumnSpec::required(field.name(), kind))
    }
}
