//! Putting finished row groups into one file.

use std::io::Write;
use std::sync::Arc;

use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;

use super::{CompiledSpec, EncodedRowGroup, TableError};

/// Writes row groups in the order they are appended.
pub struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file. The key-value pairs go into its footer as they are.
    pub fn new(
        target: W,
        spec: &CompiledSpec,
        key_values: &[(String, String)],
    ) -> Result<Self, TableError> {
        let pairs = key_values
            .iter()
            .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
            .collect();
        let properties = WriterProperties::builder()
            .set_created_by(concat!("judica version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(pairs))
            .build();
        let file = SerializedFileWriter::new(target, spec.root(), Arc::new(properties))?;
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
