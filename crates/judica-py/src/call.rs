//! Any command of the program, inside the interpreter: the work runs on a thread of its own,
//! the calling thread waits without the interpreter's lock, tells progress and sees Ctrl-C.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use judica_cli::Call;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{bad_input, raised};

/// How often progress is told and Ctrl-C looked for.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Runs a command as the program does: it prints, and Ctrl-C ends the process. `argv` is
/// without the program's name. Gives the exit code.
#[pyfunction]
pub fn main(py: Python<'_>, argv: Vec<OsString>) -> PyResult<u8> {
    let interpreter: OsString = py.import("sys")?.getattr("executable")?.extract()?;
    judica_cli::started_by(vec![interpreter, "-m".into(), "judica".into()]);
    let words = std::iter::once(OsString::from("judica")).chain(argv);
    Ok(py.detach(|| judica_cli::main(words).code()))
}

/// Runs a command: gives its exit code, what it would print, and the lines it would tell on
/// standard error. `tables` are inputs in memory by the name under which `argv` names them;
/// `progress` is called with how far it is, at most 20 times a second.
#[pyfunction]
#[pyo3(signature = (argv, tables=None, progress=None))]
pub fn call<'py>(
    py: Python<'py>,
    argv: Vec<OsString>,
    tables: Option<Bound<'py, PyDict>>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(u8, Bound<'py, PyBytes>, Vec<String>)> {
    if tables.is_some_and(|tables| !tables.is_empty()) {
        return Err(bad_input(py, "tables in memory cannot be read yet"));
    }
    let call = Arc::new(Call::default());
    let (say, mut hear) = mpsc::channel();
    let theirs = Arc::clone(&call);
    let work = std::thread::spawn(move || say.send(judica_cli::call(argv, &theirs)));
    let mut told = 0;
    let mut stopped: Option<PyErr> = None;
    let ended = loop {
        let hear = &mut hear;
        match py.detach(move || hear.recv_timeout(LOOK)) {
            Ok(ended) => break Some(ended),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let seen = match &stopped {
            None => py
                .check_signals()
                .and_then(|()| tell(&progress, &call, &mut told)),
            Some(_) => py.check_signals(),
        };
        let Err(error) = seen else { continue };
        call.interrupted.store(true, Ordering::Relaxed);
        if stopped.replace(error).is_some() {
            // Asked twice: the work may be waiting for a pipe that nobody writes to.
            break None;
        }
    };
    if let Some(stopped) = stopped {
        return Err(stopped);
    }
    // It has said its last word, or it panicked outside of any command.
    let _ = py.detach(|| work.join());
    let answer = match ended {
        Some(Ok(answer)) => answer,
        Some(Err(failure)) => return Err(raised(py, &failure)),
        None => {
            return Err(bad_input(
                py,
                "a defect of judica ended it; please report it",
            ));
        }
    };
    tell(&progress, &call, &mut told)?;
    let printed = PyBytes::new(py, &answer.printed);
    Ok((answer.code.code(), printed, answer.told))
}

/// Says how far it is, if it is any further.
fn tell(progress: &Option<Bound<'_, PyAny>>, call: &Call, told: &mut u64) -> PyResult<()> {
    let at = call.progress();
    if let Some(progress) = progress
        && at != *told
    {
        *told = at;
        progress.call1((at,))?;
    }
    Ok(())
}
