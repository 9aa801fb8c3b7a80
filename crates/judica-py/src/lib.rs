//! The native half of the Python package `judica`; its Python half stands in `python/`.
//!
//! * [`call`]: any command of the program, inside the interpreter
//! * [`pieces`]: what Spark and Ray call
//! * [`errors`]: what a failure is in Python

mod call;
mod errors;
mod pieces;

/// See `_native.pyi` for what stands in it.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::call::{call, main};
    #[pymodule_export]
    use super::pieces::{Hold, Job, count_lines, finish_pieces, hold, keys_meet};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::errors::add(module)
    }
}
