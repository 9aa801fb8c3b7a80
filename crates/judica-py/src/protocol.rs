//! A protocol, and records of single rows by it, without files.

use judica_cli::Failure;
use judica_verify::memory::{Compiled, Defaults};
use judica_verify::protocol::load::{LoadError, load, parse};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyType};

use crate::errors::{bad_input, raised};
use crate::row::row;

/// What a protocol is called that was given as its text.
const TEXT: &str = "protocol";

/// A protocol, by the name of a built-in one, by its file, or as its text.
#[pyclass(module = "judica._native", frozen)]
pub struct Protocol {
    given: String,
    compiled: Compiled,
}

#[pymethods]
impl Protocol {
    #[new]
    fn new(py: Python<'_>, protocol: &Bound<'_, PyAny>) -> PyResult<Self> {
        let path = py.import("os")?.call_method1("fspath", (protocol,))?;
        let given: String = path.extract()?;
        let compiled = py.detach(|| -> Result<Compiled, Failure> {
            // No path has several lines.
            let loaded = match given.contains('\n') {
                true => parse(&given, TEXT).map_err(LoadError::from),
                false => load(&given),
            };
            Ok(Compiled::new(loaded?)?)
        });
        let compiled = compiled.map_err(|failure| raised(py, &failure))?;
        Ok(Protocol { given, compiled })
    }

    /// Its short name.
    #[getter]
    fn name(&self) -> &str {
        &self.compiled.protocol().name
    }

    /// Its author's version.
    #[getter]
    fn version(&self) -> &str {
        &self.compiled.protocol().version
    }

    /// What it is for, in a sentence.
    #[getter]
    fn description(&self) -> &str {
        &self.compiled.protocol().description
    }

    /// The names of its tasks.
    #[getter]
    fn tasks(&self) -> Vec<&str> {
        let tasks = self.compiled.protocol().tasks.iter();
        tasks.map(|task| task.name.as_str()).collect()
    }

    /// The names of the fields that are predicted.
    #[getter]
    fn fields(&self) -> Vec<&str> {
        let fields = self.compiled.protocol().fields.iter();
        fields.map(|field| field.name.as_str()).collect()
    }

    /// The names of its rules.
    #[getter]
    fn rules(&self) -> Vec<&str> {
        let rules = self.compiled.protocol().rules.iter();
        rules.map(|rule| rule.name.as_str()).collect()
    }

    /// Its text.
    #[getter]
    fn source(&self) -> &str {
        &self.compiled.protocol().source
    }

    /// Evaluates one output against its sample, as `eval` does: gives its record as a row of
    /// the records of a run. Each is a dict or the text of a JSON object; `task` and `model`
    /// are for rows that name none.
    #[pyo3(signature = (sample, output, *, task=None, model=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        sample: &Bound<'py, PyAny>,
        output: &Bound<'py, PyAny>,
        task: Option<&str>,
        model: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (sample, output) = (text("sample", sample)?, text("output", output)?);
        let made = py.detach(|| {
            let (samples, refused) = self.compiled.samples(&[sample], task);
            let defaults = Defaults { model, task };
            match refused.into_iter().next() {
                Some(refused) => Err(refusal("sample", &refused.reason, &refused.detail)),
                None => Ok(self.compiled.evaluate(&samples, &[output], defaults)?),
            }
        });
        let made = made.map_err(|failure: Failure| raised(py, &failure))?;
        if let Some(refused) = made.rejects.first() {
            let failure = refusal("output", &refused.reason, &refused.detail);
            return Err(raised(py, &failure));
        }
        row(py, &made.records, 0)
    }

    fn __repr__(&self) -> String {
        format!("Protocol({:?}, version {:?})", self.name(), self.version())
    }

    /// A copy elsewhere is made of its text: the file need not be there.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        let builtin = judica_verify::protocol::builtin::source(&self.given).is_some();
        let given = match builtin {
            true => self.given.clone(),
            false => self.source().to_owned(),
        };
        (py.get_type::<Protocol>(), (given,))
    }
}

fn refusal(what: &str, reason: &str, detail: &str) -> Failure {
    Failure::Usage(format!("{what}: {reason}: {detail}"))
}

/// A row as JSON: of what lists of rows may hold, and as they are written.
fn text(what: &str, row: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let py = row.py();
    if let Ok(text) = row.cast::<PyString>() {
        let text = text.to_str().map(|text| text.as_bytes().to_vec());
        return text.map_err(|error| bad_input(py, format!("{what}: {error}")));
    }
    if row.cast::<PyMapping>().is_err() {
        let kind = row.get_type().name()?;
        let message =
            format!("{what}: a {kind} is no row; expected a dict or the text of an object");
        return Err(bad_input(py, message));
    }
    let json = py.import("judica._call")?.call_method1("json_of", (row,));
    let json = json.map_err(|error| bad_input(py, format!("{what}: {error}")))?;
    json.extract()
}
