//! Putting finished row groups into one file.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use ::parquet::column::writer::ColumnCloseResult;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::SerializedFileReader;
use ::parquet::file::writer::SerializedFileWriter;

use super::{EncodedRowGroup, TableError, TableSchema};

/// Writes row groups in the order they are appended.
pub struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file.
    pub fn new(target: W, schema: &TableSchema) -> Result<Self, TableError> {
        let properties = WriterProperties::builder()
            .set_created_by(concat!("judica version ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = SerializedFileWriter::new(target, schema.root(), Arc::new(properties))?;
        Ok(Self { file })
    }

    /// Appends a row group; one without rows leaves no trace.
    pub fn append(&mut self, group: EncodedRowGroup) -> Result<(), TableError> {
        if group.rows == 0 {
            return Ok(());
        }
        let mut writer = self.file.next_row_group()?;
        for column in group.columns {
            writer.append_column(&group.bytes, column)?;
        }
        writer.close()?;
        Ok(())
    }

    /// Appends all row groups of a table that was written with the same columns, as they stand;
    /// gives the number of its rows.
    pub fn append_table(&mut self, path: &Path) -> Result<u64, TableError> {
        let file = File::open(path).map_err(ParquetError::from)?;
        let table = SerializedFileReader::new(file.try_clone().map_err(ParquetError::from)?)?;
        let mut rows = 0;
        for group in table.metadata().row_groups() {
            let mut writer = self.file.next_row_group()?;
            for column in group.columns() {
                let closed = ColumnCloseResult {
                    bytes_written: column.compressed_size().unsigned_abs(),
                    rows_written: group.num_rows().unsigned_abs(),
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                writer.append_column(&file, closed)?;
            }
            writer.close()?;
            rows += group.num_rows().unsigned_abs();
        }
        Ok(rows)
    }

    /// Writes the footer and gives the target back, flushed. A file without
    /// row groups is still a table, of no rows.
    pub fn finish(self) -> Result<W, TableError> {
        let mut target = self.file.into_inner()?;
        target.flush()?;
        Ok(target)
    }
}
