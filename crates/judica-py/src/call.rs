//! Any command of the program, inside the interpreter: the work runs on a thread of its own,
//! the calling thread waits without the interpreter's lock, tells progress and sees Ctrl-C.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_schema::{ArrowError, Schema};
use judica_cli::{Call, Failure};
use judica_data::guarded::Guarded;
use judica_data::memory::{Held, HeldTable, Inputs};
use judica_data::work_error::WorkError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::arrow;
use crate::errors::{bad_input, raised};

/// How often progress is told and Ctrl-C looked for.
const LOOK: Duration = Duration::from_millis(50);

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
    let mut given = Vec::new();
    for (name, table) in tables.iter().flat_map(|tables| tables.iter()) {
        let name: String = name.extract()?;
        given.push((name, Given::new(&table)));
    }
    let progressing = Arc::new(OnceLock::new());
    let theirs = Arc::clone(&progressing);
    let raised = Raised::default();
    let slot = Arc::clone(&raised);
    let work = move |flag: Arc<AtomicBool>| {
        let inputs = held(given, &flag, &slot)?;
        let call = Arc::new(Call::new(flag, inputs));
        let call = theirs.get_or_init(|| call);
        judica_cli::call(argv, call)
    };
    let mut told = 0;
    let answer = waited(py, work, || tell(&progress, &progressing, &mut told));
    let answer = answer.map_err(|error| taken(&raised).unwrap_or(error))?;
    tell(&progress, &progressing, &mut told)?;
    let printed = PyBytes::new(py, &answer.printed);
    Ok((answer.code.code(), printed, answer.told))
}

/// Works on a thread of its own, while this one waits without the interpreter's lock and looks,
/// at most 20 times a second, for Ctrl-C and for what else is to be done. Both stop the work,
/// which has a flag for that.
pub(crate) fn waited<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, Failure> + Send + 'static,
    mut meanwhile: impl FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let (say, mut hear) = mpsc::channel();
    let work = std::thread::spawn(move || say.send(work(flag)));
    let mut stopped: Option<PyErr> = None;
    let ended = loop {
        let hear = &mut hear;
        match py.detach(move || hear.recv_timeout(LOOK)) {
            Ok(ended) => break Some(ended),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let seen = match &stopped {
            None => py.check_signals().and_then(|()| meanwhile()),
            Some(_) => py.check_signals(),
        };
        let Err(error) = seen else { continue };
        interrupted.store(true, Ordering::Relaxed);
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
    match ended {
        Some(ended) => ended.map_err(|failure| raised(py, &failure)),
        None => Err(bad_input(
            py,
            "a defect of judica ended it; please report it",
        )),
    }
}

/// Says how far it is, if it is any further.
fn tell(
    progress: &Option<Bound<'_, PyAny>>,
    call: &OnceLock<Arc<Call>>,
    told: &mut u64,
) -> PyResult<()> {
    let at = call.get().map_or(0, |call| call.progress());
    if let Some(progress) = progress
        && at != *told
    {
        *told = at;
        progress.call1((at,))?;
    }
    Ok(())
}

/// An input in memory, as it was given.
enum Given {
    Table(Py<PyAny>),
    Lines(PyBackedBytes),
}

impl Given {
    fn new(input: &Bound<'_, PyAny>) -> Given {
        match input.cast::<PyBytes>() {
            Ok(bytes) => Given::Lines(bytes.clone().into()),
            Err(_) => Given::Table(input.clone().unbind()),
        }
    }
}

/// What a table raised on the thread that works: its caller gets it as it is.
type Raised = Arc<Mutex<Option<PyErr>>>;

fn taken(raised: &Raised) -> Option<PyErr> {
    raised.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// The stream of a table. It is opened when its turn comes: some programs have one stream at a
/// time.
fn opened(
    name: &str,
    table: &Py<PyAny>,
    raised: &Raised,
) -> Result<RecordBatchStreamReader, Failure> {
    Python::attach(|py| arrow::rows(name, table.bind(py))).map_err(|error| {
        let failure = Failure::Usage(error.to_string());
        *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        failure
    })
}

/// Takes the rows of all tables, whose columns stay where they are: readers may read them
/// more than once, a stream cannot.
fn held(
    given: Vec<(String, Given)>,
    interrupted: &AtomicBool,
    raised: &Raised,
) -> Result<Option<Inputs>, Failure> {
    let mut inputs = BTreeMap::new();
    for (name, given) in given {
        let held = match given {
            Given::Lines(bytes) => Held::Lines(Arc::new(bytes)),
            Given::Table(table) => {
                let rows = opened(&name, &table, raised)?;
                let schema = rows.schema();
                let mut batches = Vec::new();
                for batch in Guarded(rows) {
                    batches.push(batch.map_err(|error| unusable(&name, &schema, &error))?);
                    if interrupted.load(Ordering::Relaxed) {
                        return Err(WorkError::Interrupted.into());
                    }
                }
                Held::Table(Arc::new(HeldTable { schema, batches }))
            }
        };
        inputs.insert(PathBuf::from(name), held);
    }
    Ok((!inputs.is_empty()).then(|| Arc::new(inputs)))
}

/// What is wrong with a table whose rows cannot be taken. Polars hands over columns that hold
/// nothing, and so have no type, in a form that is none of Arrow's.
fn unusable(name: &str, schema: &Schema, error: &ArrowError) -> Failure {
    let mut fields = schema.fields().iter();
    let empty = fields.find(|field| field.data_type().is_null());
    Failure::Usage(match empty {
        Some(field) => format!(
            "{name}: the column `{}` has no type, because it holds nothing: give it one, or \
             leave it out ({error})",
            field.name()
        ),
        None => format!("{name}: {error}"),
    })
}
