//! The native half of the Python package `judica`; its Python half stands in `python/`.
//!
//! * [`call`]: any command of the program, inside the interpreter
//! * [`errors`]: what a failure is in Python

mod call;
mod errors;

/// See `_native.pyi` for what stands in it.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::call::{call, main};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::errors::add(module)
    }
}
