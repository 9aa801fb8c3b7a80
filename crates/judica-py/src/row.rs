//! A row of a table as a dictionary.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Fields};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A row of a batch.
pub fn row<'py>(py: Python<'py>, batch: &RecordBatch, row: usize) -> PyResult<Bound<'py, PyDict>> {
    of(py, batch.schema_ref().fields(), batch.columns(), row)
}

fn of<'py>(
    py: Python<'py>,
    fields: &Fields,
    columns: &[arrow_array::ArrayRef],
    row: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (field, column) in fields.iter().zip(columns) {
        let name = pyo3::types::PyString::intern(py, field.name());
        dict.set_item(name, value(py, column, row)?)?;
    }
    Ok(dict)
}

/// A value. Records hold no other types than these.
fn value<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    macro_rules! number {
        ($type:ty) => {
            array
                .as_primitive::<$type>()
                .value(row)
                .into_bound_py_any(py)
        };
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).into_bound_py_any(py),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Utf8 => array.as_string::<i32>().value(row).into_bound_py_any(py),
        DataType::List(_) => {
            let values = array.as_list::<i32>().value(row);
            let list = PyList::empty(py);
            for at in 0..values.len() {
                list.append(value(py, &values, at)?)?;
            }
            Ok(list.into_any())
        }
        DataType::Struct(fields) => {
            Ok(of(py, fields, array.as_struct().columns(), row)?.into_any())
        }
        _ => Ok(py.None().into_bound(py)),
    }
}
