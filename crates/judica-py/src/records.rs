//! The records of a run, as a table that can be taken as often as one likes.

use std::fs::File;
use std::path::PathBuf;

use judica_cli::Failure;
use judica_data::error::DataError;
use judica_data::guarded::{Guarded, guarded};
use judica_data::parquet::read_footer;
use judica_run::manifest::name::RECORDS;
use judica_run::open::Run;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyType};

use crate::arrow;
use crate::errors::raised;

/// Rows that are handed over at a time.
const BATCH: usize = 8192;

/// The records of a run: a table for everything that reads Arrow's C stream.
#[pyclass(module = "judica._native", frozen)]
pub struct Records {
    folder: PathBuf,
    metadata: ArrowReaderMetadata,
}

impl Records {
    fn file(&self) -> PathBuf {
        self.folder.join(RECORDS)
    }
}

#[pymethods]
impl Records {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let opened = || -> Result<ArrowReaderMetadata, Failure> {
            let run = Run::open(&folder)?;
            let path = run.path.join(RECORDS);
            let file = File::open(&path).map_err(|error| DataError::reading(&path, error))?;
            guarded(|| read_footer(&file, ArrowReaderOptions::new()))
                .map_err(|error| DataError::malformed(&path, None, error.to_string()).into())
        };
        let metadata = py.detach(opened).map_err(|failure| raised(py, &failure))?;
        Ok(Records { folder, metadata })
    }

    /// A stream of all records; another one each time.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Who wants other types casts what it gets, as the interface has it.
        drop(requested_schema);
        let path = self.file();
        let failed = |failure: Failure| raised(py, &failure);
        let file = File::open(&path);
        let file = file.map_err(|error| failed(DataError::reading(&path, error).into()))?;
        let rows = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_batch_size(BATCH);
        let rows = guarded(|| rows.build());
        let rows = rows
            .map_err(|error| failed(DataError::malformed(&path, None, error.to_string()).into()))?;
        arrow::stream(py, Box::new(Guarded(rows)))
    }

    /// The columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema(py, self.metadata.schema())
    }

    fn __len__(&self) -> usize {
        self.metadata.metadata().file_metadata().num_rows() as usize
    }

    fn __repr__(&self) -> String {
        format!(
            "Records({:?}, {} records)",
            self.folder.display(),
            self.__len__()
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (PathBuf,)) {
        (py.get_type::<Records>(), (self.folder.clone(),))
    }
}
