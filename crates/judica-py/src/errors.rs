//! What a failure is in Python: an exception that is also the one of Python's own that
//! people catch.

use judica_cli::Failure;
use judica_model::exit_code::ExitCode;
use judica_verify::protocol::ProtocolError;
use judica_verify::protocol::load::LoadError;
use pyo3::exceptions::{
    PyAssertionError, PyException, PyKeyboardInterrupt, PyOSError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// The exceptions of judica.
pub struct Errors {
    bad_input: Py<PyType>,
    protocol: Py<PyType>,
    artifact: Py<PyType>,
}

static ERRORS: PyOnceLock<Errors> = PyOnceLock::new();

/// Puts the exceptions into the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let (value, os) = (py.get_type::<PyValueError>(), py.get_type::<PyOSError>());
    let judica = make(
        module,
        "JudicaError",
        "What judica could not do.",
        &[&py.get_type::<PyException>()],
    )?;
    let bad_input = make(
        module,
        "BadInputError",
        "Something that was given is wrong; the message names it.",
        &[&judica, &value],
    )?;
    let protocol = make(
        module,
        "ProtocolError",
        "A protocol is wrong: `file`, `line`, `column` and `hint` of the first mistake, and all \
         of them in `errors`.",
        &[&bad_input],
    )?;
    for name in ["file", "line", "column", "hint"] {
        protocol.setattr(name, py.None())?;
    }
    protocol.setattr("errors", PyTuple::empty(py))?;
    let artifact = make(
        module,
        "ArtifactError",
        "A file that is needed is missing or malformed, or the environment failed.",
        &[&judica, &os],
    )?;
    make(
        module,
        "GateFailed",
        "A gate failed.",
        &[&judica, &py.get_type::<PyAssertionError>()],
    )?;
    let errors = Errors {
        bad_input: bad_input.unbind(),
        protocol: protocol.unbind(),
        artifact: artifact.unbind(),
    };
    // A module that is loaded twice has its exceptions once.
    let _ = ERRORS.set(py, errors);
    Ok(())
}

fn make<'py>(
    module: &Bound<'py, PyModule>,
    name: &str,
    doc: &str,
    bases: &[&Bound<'py, PyType>],
) -> PyResult<Bound<'py, PyType>> {
    let py = module.py();
    let dict = PyDict::new(py);
    // Where people find it, and so does a pickle.
    dict.set_item("__module__", "judica")?;
    dict.set_item("__doc__", doc)?;
    let made = py.get_type::<PyType>();
    let made = made.call1((name, PyTuple::new(py, bases)?, dict))?;
    let made = made.cast_into::<PyType>()?;
    module.add(name, &made)?;
    Ok(made)
}

/// An exception about something that was given.
pub fn bad_input(py: Python<'_>, message: impl Into<String>) -> PyErr {
    raise(py, |errors| &errors.bad_input, message.into())
}

/// What a failed command raises.
pub fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    match failure {
        Failure::Protocol(error) => protocol(py, error, failure.text(false)),
        other => by_code(py, other.exit_code(), other.text(false)),
    }
}

/// The exception that an exit code means.
fn by_code(py: Python<'_>, code: ExitCode, message: String) -> PyErr {
    match code {
        ExitCode::Interrupted => PyKeyboardInterrupt::new_err(()),
        ExitCode::SystemError => raise(py, |errors| &errors.artifact, message),
        ExitCode::BadInput | ExitCode::GateFailed | ExitCode::Done => bad_input(py, message),
    }
}

fn raise(py: Python<'_>, which: fn(&Errors) -> &Py<PyType>, message: String) -> PyErr {
    match ERRORS.get(py) {
        Some(errors) => PyErr::from_type(which(errors).bind(py).clone(), message),
        None => PyException::new_err(message),
    }
}

fn protocol(py: Python<'_>, error: &LoadError, message: String) -> PyErr {
    let raised = raise(py, |errors| &errors.protocol, message);
    if let LoadError::Invalid(errors) = error {
        let told: PyResult<Vec<_>> = errors.0.iter().map(|one| mistake(py, one)).collect();
        // Attributes of an exception of ours can be set.
        if let Ok(told) = told {
            let value = raised.value(py);
            for (name, said) in told.iter().take(1).flat_map(|first| first.iter()) {
                let _ = value.setattr(name.to_string().as_str(), said);
            }
            let _ = value.setattr("errors", told);
        }
    }
    raised
}

/// A mistake in a protocol file.
fn mistake<'py>(py: Python<'py>, error: &ProtocolError) -> PyResult<Bound<'py, PyDict>> {
    let (line, column) = error.line_column();
    let told = PyDict::new(py);
    told.set_item("file", &*error.file)?;
    told.set_item("line", line)?;
    told.set_item("column", column)?;
    told.set_item("message", &error.message)?;
    told.set_item("hint", error.help.as_deref())?;
    Ok(told)
}
