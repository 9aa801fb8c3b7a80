//! The native half of the Python package `judica`; its Python half stands in `python/`.
//!
//! * `call`: any command of the program, inside the interpreter
//! * `pieces`: what Spark and Ray call
//! * `arrow`: tables in and out, without a copy
//! * `records`: the records of a run as such a table
//! * `protocol`: a protocol, and single rows by it; `row`: what comes of them
//! * `errors`: what a failure is in Python

mod arrow;
mod call;
mod errors;
mod pieces;
mod protocol;
mod records;
mod row;

/// See `_native.pyi` for what stands in it.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::call::{call, main};
    #[pymodule_export]
    use super::pieces::{Hold, Job, count_lines, finish_pieces, hold, settle, write_lines};
    #[pymodule_export]
    use super::protocol::Protocol;
    #[pymodule_export]
    use super::records::Records;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::errors::add(module)
    }
}
