//! Putting finished row groups into one file.

use std::io::Write;
use std::sync::Arc;

use ::parquet::file::properties::WriterProperties;
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

    /// Writes the footer and gives the target back, flushed. A file without
    /// row groups is still a table, of no rows.
    pub fn finish(self) -> Result<W, TableError> {
        let mut target = self.file.into_inner()?;
        target.flush()?;
        Ok(target)
    }
}
