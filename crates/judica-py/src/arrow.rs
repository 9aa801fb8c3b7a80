//! Tables in and out by Arrow's PyCapsule interface: polars, pandas, pyarrow, DuckDB and
//! others speak it, and no byte of a column is copied.

use std::ffi::CStr;

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_schema::Schema;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::bad_input;

/// What a stream's capsule is called.
const STREAM: &CStr = c"arrow_array_stream";
/// What a schema's capsule is called.
const SCHEMA: &CStr = c"arrow_schema";
/// The method by which an object gives a stream.
const METHOD: &str = "__arrow_c_stream__";

/// The rows of a table that is called so. They can be taken from any thread.
pub fn rows(name: &str, table: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let py = table.py();
    if !table
        .hasattr(METHOD)
        .map_err(|raised| told(py, name, raised))?
    {
        let kind = table.get_type().name()?;
        let message = format!(
            "{name}: a {kind} is no table; expected a path, a table with {METHOD} (polars, \
             pandas, pyarrow, DuckDB …) or a list of dicts"
        );
        return Err(bad_input(py, message));
    }
    let given = table.call_method0(METHOD);
    let given = given.map_err(|raised| told(py, name, raised))?;
    let refused = |why: &dyn std::fmt::Display| bad_input(py, format!("{name}: {why}"));
    let capsule = given.cast::<PyCapsule>();
    let capsule = capsule.map_err(|_| refused(&format_args!("{METHOD} gives no capsule")))?;
    let stream = capsule.pointer_checked(Some(STREAM));
    let stream = stream.map_err(|_| refused(&format_args!("{METHOD} gives another capsule")))?;
    // SAFETY: by the PyCapsule interface a capsule of this name holds a pointer to a valid
    // `ArrowArrayStream`, aligned and initialised; the capsule is alive until the end of this
    // function, and nobody else touches the stream meanwhile, because we are attached to the
    // interpreter and were given the capsule by a call made for us. `from_raw` moves the
    // stream out and leaves a released one, which the capsule's own destructor passes over, so
    // it is released once. One that was moved out before is refused by `try_new`.
    #[expect(
        unsafe_code,
        reason = "the one place where foreign memory is taken over"
    )]
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
    RecordBatchStreamReader::try_new(stream)
        .map_err(|error| refused(&format_args!("its rows cannot be taken: {error}")))
}

/// What a table raised, with what it is to us; what ends a program, such as Ctrl-C, goes on.
fn told(py: Python<'_>, name: &str, raised: PyErr) -> PyErr {
    if !raised.is_instance_of::<PyException>(py) {
        return raised;
    }
    let error = bad_input(py, format!("{name}: {METHOD} raised {raised}"));
    error.set_cause(py, Some(raised));
    error
}

/// A stream of rows for whoever takes it.
pub fn stream<'py>(
    py: Python<'py>,
    rows: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(rows), STREAM)
}

/// The columns of a table for whoever asks.
pub fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema);
    let schema = schema.map_err(|error| bad_input(py, error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}
