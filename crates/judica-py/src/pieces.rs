//! What Spark and Ray call: a command whose rows are dealt out to many processes.
//!
//! Rows cross as Arrow IPC streams, which engines carry as they are. What is known of inputs
//! and rows crosses as JSON, which nobody on the way looks into.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Cursor, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use judica_cli::{Call, Failure, Held};
use judica_data::chunks::{self, ChunkReader, Cut, LineRange, MovedRows, Moving, Rows};
use judica_data::error::DataError;
use judica_data::rows::text_of;
use judica_data::source::InputDigest;
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use judica_run::dealt::{self, Dealt, Scanned};
use judica_run::pieces::Part;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};

use crate::call::waited;
use crate::errors::bad_input;

/// Bytes of a table that are held at a time while its rows are written.
const CHUNK_BYTES: usize = 4 << 20;

/// A range of lines: the number of its file, where it begins and ends (nothing: all of it),
/// and its first line.
type Range = (usize, u64, Option<u64>, u64);

fn range((file, start, end, first_line): Range) -> LineRange {
    LineRange {
        file,
        start,
        end,
        first_line,
    }
}

/// Works while Ctrl-C is looked for.
fn stoppable<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    waited(py, work, || Ok(()))
}

/// A call of which nobody hears but that it must stop.
fn unheard(interrupted: Arc<AtomicBool>) -> Arc<Call> {
    Arc::new(Call::new(interrupted, None))
}

/// A command whose rows are dealt out: `eval`, `match` or `agree pairs`, with its arguments.
#[pyclass(frozen, module = "judica._native")]
pub struct Job {
    words: Vec<OsString>,
    job: Arc<dyn Dealt>,
}

/// A folder that is held until this is let go.
#[pyclass(module = "judica._native")]
pub struct Hold(Option<Held>);

#[pymethods]
impl Hold {
    /// Lets it go.
    fn release(&mut self) {
        self.0 = None;
    }
}

/// Holds a folder: who else wants to write a run there waits.
#[pyfunction]
pub fn hold(py: Python<'_>, folder: PathBuf) -> PyResult<Hold> {
    let held = stoppable(py, move |_| judica_cli::hold(&folder))?;
    Ok(Hold(Some(held)))
}

/// How many lines end in a range of a file.
#[pyfunction]
pub fn count_lines(py: Python<'_>, path: PathBuf, start: u64, end: u64) -> PyResult<u64> {
    stoppable(py, move |_| Ok(chunks::count_lines(&path, start, end)?))
}

/// Writes the rows of Parquet and Arrow files one behind the other as JSON lines, with their
/// values as those of such an input are read.
#[pyfunction]
pub fn write_lines(py: Python<'_>, files: Vec<PathBuf>, to: PathBuf) -> PyResult<()> {
    stoppable(py, move |interrupted| {
        let reader = ChunkReader::new(&files, CHUNK_BYTES)?;
        let mut reader = reader.with_tables(&Tables::default());
        let unwritten = |error| DataError::writing(&to, error);
        let mut lines = BufWriter::new(File::create(&to).map_err(unwritten)?);
        while let Some(chunk) = reader.next_chunk()? {
            if interrupted.load(Ordering::Relaxed) {
                return Err(WorkError::Interrupted.into());
            }
            for record in chunk.records() {
                text_of(&record).map_err(|refusal| WorkError::BadInput(refusal.detail))?;
                let line = [record.bytes, b"\n"].concat();
                lines.write_all(&line).map_err(unwritten)?;
            }
            reader.recycle(chunk);
        }
        Ok(lines.flush().map_err(unwritten)?)
    })
}

/// What [`Job::scan`] found in a range: keys, the first and the last, where the first ends,
/// whether it comes again, why rows cannot be moved, and what must be known of all rows.
type Found = (
    Vec<u8>,
    Option<(u64, u64)>,
    Option<(u64, u64)>,
    bool,
    Option<String>,
    String,
);

/// Moves the cuts between ranges to where keys change, of what [`Job::scan`] found in each; says
/// whether rows that belong together still stand in two ranges.
#[pyfunction]
pub fn settle(
    py: Python<'_>,
    ranges: Vec<Range>,
    found: Vec<Found>,
) -> PyResult<(Vec<Range>, bool)> {
    let ranges: Vec<LineRange> = ranges.into_iter().map(range).collect();
    stoppable(py, move |_| {
        let mut scanned: Vec<Scanned> = found.into_iter().map(scanned).collect();
        let (ranges, meet) = dealt::settle(&ranges, &mut scanned);
        Ok((ranges.into_iter().map(told).collect(), meet))
    })
}

fn scanned((keys, ends, change, returns, ..): Found) -> Scanned {
    let keys = keys
        .as_chunks()
        .0
        .iter()
        .map(|key| u64::from_le_bytes(*key));
    Scanned {
        keys: keys.collect(),
        ends,
        change,
        returns,
        ..Scanned::default()
    }
}

fn told(range: LineRange) -> Range {
    (range.file, range.start, range.end, range.first_line)
}

/// Makes a run of the pieces in its folder, which the caller holds; gives how many records it
/// has.
#[pyfunction]
pub fn finish_pieces(
    py: Python<'_>,
    folder: PathBuf,
    as_they_stand: bool,
    threads: Option<usize>,
) -> PyResult<u64> {
    let finished = stoppable(py, move |interrupted| {
        judica_cli::finish_pieces(&folder, as_they_stand, threads, &unheard(interrupted))
    })?;
    Ok(finished.manifest.counts.records)
}

#[pymethods]
impl Job {
    #[new]
    fn new(py: Python<'_>, argv: Vec<OsString>) -> PyResult<Self> {
        let words = argv.clone();
        let job = stoppable(py, move |interrupted| {
            judica_cli::dealt(words, &unheard(interrupted))
        })?;
        Ok(Job {
            words: argv,
            job: job.into(),
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<OsString>,))> {
        let class = py.get_type::<Job>();
        Ok((class.into_any(), (self.words.clone(),)))
    }

    /// The files whose rows are dealt out.
    #[getter]
    fn paths(&self) -> Vec<PathBuf> {
        self.job.paths()
    }

    /// Cuts the files at line ends into ranges of about so many bytes, none numbered yet.
    fn ranges(&self, py: Python<'_>, bytes: u64) -> PyResult<Vec<Range>> {
        let job = Arc::clone(&self.job);
        let ranges = stoppable(py, move |_| Ok(dealt::ranges(&*job, bytes)?))?;
        Ok(ranges.into_iter().map(told).collect())
    }

    /// What a file is, as JSON.
    fn digest(&self, py: Python<'_>, file: usize) -> PyResult<String> {
        let job = Arc::clone(&self.job);
        stoppable(py, move |_| Ok(json(&dealt::digest(&*job, file)?)))
    }

    /// Looks at every row of a range, and says what [`settle`] takes. What must be known of all
    /// rows is JSON.
    fn scan<'py>(&self, py: Python<'py>, of: Range) -> PyResult<Bound<'py, PyAny>> {
        let job = Arc::clone(&self.job);
        let Scanned {
            keys,
            ends,
            change,
            returns,
            held,
            facts,
        } = stoppable(py, move |interrupted| {
            Ok(dealt::scan(&*job, range(of), &interrupted)?)
        })?;
        let keys: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        let keys = PyBytes::new(py, &keys);
        let found = (keys, ends, change, returns, held, json(&facts));
        found.into_bound_py_any(py)
    }

    /// What was found in all ranges.
    fn all_facts(&self, py: Python<'_>, facts: Vec<String>) -> PyResult<String> {
        let job = Arc::clone(&self.job);
        stoppable(py, move |_| {
            let facts: Result<Vec<_>, _> = facts.iter().map(|fact| parsed(fact)).collect();
            Ok(json(&job.all_facts(facts?)?))
        })
    }

    /// Deals the rows of a range out to so many pieces: the number of each piece from 0 with
    /// an IPC stream of its rows.
    fn deal<'py>(
        &self,
        py: Python<'py>,
        of: Range,
        pieces: u32,
    ) -> PyResult<Vec<(u32, Bound<'py, PyBytes>)>> {
        let job = Arc::clone(&self.job);
        let dealt = stoppable(py, move |interrupted| {
            let mut streams: Vec<Vec<RecordBatch>> = vec![Vec::new(); pieces as usize];
            dealt::deal(&*job, range(of), pieces, &interrupted, |piece, rows| {
                streams[piece as usize].push(rows);
                Ok(())
            })?;
            let streams: Result<Vec<_>, _> = streams.iter().map(|rows| stream(rows)).collect();
            Ok(streams?)
        })?;
        let dealt = (0..).zip(dealt);
        Ok(dealt
            .map(|(piece, rows)| (piece, PyBytes::new(py, &rows)))
            .collect())
    }

    /// Makes piece `number` (from 1) of `of` in the run's folder: of ranges as they stand, of the
    /// IPC streams that an iterator gives, else of what is its own among all rows. Gives how
    /// many records it has.
    #[expect(clippy::too_many_arguments, reason = "the words of the Python call")]
    #[pyo3(signature = (number, of, digests, facts, *, ranges=None, rows=None))]
    fn piece(
        &self,
        py: Python<'_>,
        number: u32,
        of: u32,
        digests: Vec<String>,
        facts: String,
        ranges: Option<Vec<Range>>,
        rows: Option<Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let part = Part::new(number, of).ok_or_else(|| bad_input(py, "no such piece"))?;
        let rows = match (rows, ranges) {
            (Some(rows), _) => Some(Rows::Moved(Moving::new(moved(rows.try_iter()?.unbind())))),
            (None, Some(ranges)) => Some(Rows::Ranges(ranges.into_iter().map(range).collect())),
            (None, None) => None,
        };
        let job = Arc::clone(&self.job);
        stoppable(py, move |interrupted| {
            let digests: Result<Vec<InputDigest>, WorkError> =
                digests.iter().map(|digest| parsed(digest)).collect();
            let digests = digests?;
            let cut = rows.map(|rows| Cut { rows, digests });
            let piece = job.piece(part, cut, parsed(&facts)?, &interrupted)?;
            Ok(piece.counts.records)
        })
    }
}

/// What only this module wrote.
fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, WorkError> {
    serde_json::from_str(text).map_err(|error| WorkError::BadInput(error.to_string()))
}

fn json(of: &impl serde::Serialize) -> String {
    serde_json::to_string(of).unwrap_or_default()
}

fn stream(batches: &[RecordBatch]) -> Result<Vec<u8>, WorkError> {
    let wrong = |error: arrow_schema::ArrowError| WorkError::BadArtifact(error.to_string());
    let mut writer = StreamWriter::try_new(Vec::new(), &chunks::moved_schema()).map_err(wrong)?;
    for batch in batches {
        writer.write(batch).map_err(wrong)?;
    }
    writer.into_inner().map_err(wrong)
}

/// The batches of IPC streams that an iterator gives; it is asked when they are needed.
fn moved(streams: Py<PyIterator>) -> MovedRows {
    let next = move || {
        Python::attach(|py| {
            let next = streams.bind(py).clone().next()?;
            let bytes = next.and_then(|next| Ok(next.cast::<PyBytes>()?.as_bytes().to_vec()));
            Some(bytes.map_err(|error| error.to_string()))
        })
    };
    let streams = std::iter::from_fn(next);
    Box::new(streams.flat_map(|bytes| {
        let batches = || {
            let reader = StreamReader::try_new(Cursor::new(bytes?), None);
            let reader = reader.map_err(|error| error.to_string())?;
            let batches: Result<Vec<_>, _> = reader.collect();
            batches.map_err(|error| error.to_string())
        };
        match batches() {
            Ok(batches) => batches.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }
    }))
}
