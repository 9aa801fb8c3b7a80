//! Columns of stored records, as the command that wrote them knows them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use judica_data::work_error::WorkError;

/// The columns of records by name.
#[derive(Debug)]
pub struct Columns<'b> {
    records: &'b RecordBatch,
    command: &'static str,
}

impl<'b> Columns<'b> {
    /// Those of records which this command wrote.
    pub fn new(records: &'b RecordBatch, command: &'static str) -> Self {
        Columns { records, command }
    }

    /// A column of texts.
    pub fn texts(&self, name: &str) -> Result<&'b StringArray, WorkError> {
        self.read(name, |column| column.as_string_opt())
    }

    /// A column of numbers.
    pub fn numbers(&self, name: &str) -> Result<&'b Float64Array, WorkError> {
        self.read(name, |column| column.as_primitive_opt::<Float64Type>())
    }

    /// A column of whole numbers.
    pub fn counts(&self, name: &str) -> Result<&'b Int64Array, WorkError> {
        self.read(name, |column| column.as_primitive_opt::<Int64Type>())
    }

    /// A column of yes and no.
    pub fn flags(&self, name: &str) -> Result<&'b BooleanArray, WorkError> {
        self.read(name, |column| column.as_boolean_opt())
    }

    fn read<T>(
        &self,
        name: &str,
        read: impl Fn(&'b dyn Array) -> Option<&'b T>,
    ) -> Result<&'b T, WorkError> {
        let column = self.records.column_by_name(name);
        let column = column.and_then(|column| read(&**column));
        column.ok_or_else(|| odd(name, self.command))
    }
}

/// What is said of a column that is missing, or holds what the command does not write.
pub fn odd(column: &str, command: &str) -> WorkError {
    WorkError::BadArtifact(format!(
        "the records' column `{column}` is not what {command} writes"
    ))
}
