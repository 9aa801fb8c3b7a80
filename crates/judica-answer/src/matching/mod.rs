//! Files of predictions of any size, held against their gold while they are read.
//!
//! * `batch`: a run of rows, decided on one thread
//! * [`tally`], [`rates`]: what rows add up to, in any split, with intervals over clusters
//! * `wanted`, [`sections`]: what is asked beyond whether rows match
//! * `record`: a row as a record of a run
//! * [`dealt`]: rows that an engine deals out
//! * `ending`: the same from the records of a run in pieces
//! * `sum`, `outputs`, `details`, `records`, `waiting`: runs come together in the order of
//!   the input; the files that are written
//! * [`report`], [`mod@tables`]: the report and its tables
//!
//! A row without `input` counts here, since nothing is asked; judges refuse it.
//!
//! Memory does not grow with the number of rows, but for 16 bytes each that tell
//! duplicates and 8 for intervals; a file that is one JSON object is held whole. What is asked
//! beyond whether rows match holds some columns of all of them.

mod batch;
pub mod dealt;
mod details;
mod ending;
mod outputs;
pub mod rates;
mod record;
mod records;
pub mod report;
pub mod sections;
mod sum;
pub mod tables;
pub mod tally;
mod waiting;
mod wanted;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use judica_data::chunks::Cut;
use judica_data::ordered::{self, Workers};
use judica_data::source::{InputDigest, read_as};
use judica_data::work_error::WorkError;
use judica_run::family::{Family, Rerun};
use judica_run::manifest;
use judica_run::options::{RunOptions, RunTarget};
use judica_run::pieces::{Part, Piece, all_different};
use judica_run::writer::{RunSpec, RunWriter};
use judica_stats::clusters::Intervals;
use serde::{Deserialize, Serialize};

use crate::normalize::{Choice, Golds};
use crate::predictions::pieces::{Piece as Rows, PieceReader};
use crate::predictions::{FilesRead, PredictionFile, check_columns};
use batch::{Batch, Task};
use judica_text::normalize::Tolerance;
use outputs::Outputs;
pub use report::{MatchReport, MatchedFile};
use sections::Kept;
use sum::{Counts, Sum};
pub use tables::tables;
use tally::Tally;
pub use wanted::Asked;
use wanted::Wanted;

/// Bytes of input per run of rows: so small that what is read is still in the cache when it
/// is parsed.
const PIECE_BYTES: usize = 512 << 10;

/// What its inputs are used as.
const ROLE: &str = "predictions";

/// The command in runs.
pub const FAMILY: Family = Family {
    command: "match",
    rerun,
    describe: None,
    steps: None,
    json: None,
    finish: Some(ending::begin),
};

/// What is to be matched, and where files go.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// The predictions.
    pub files: Vec<PredictionFile>,
    /// What is asked beyond whether rows match; more follows from the normaliser and columns.
    pub asked: Asked,
    /// A line for each row, if wanted.
    pub details: Option<PathBuf>,
    /// What could not be used; written only if there is any, and with a run into its folder.
    pub rejects: PathBuf,
    /// The run that is left, if one is.
    pub run: Option<RunTarget>,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
    /// How many threads work; the result does not depend on it.
    pub threads: usize,
}

/// What shapes a run, as its manifest keeps it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct MatchOptions {
    normalizer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tolerance: Option<Tolerance>,
    #[serde(flatten)]
    asked: Asked,
    #[serde(flatten)]
    files: FilesRead,
    #[serde(flatten)]
    run: RunOptions,
}

/// Holds predictions against their gold.
///
/// `progress` is told how many bytes have been read; `interrupted` stops the run.
pub fn run(
    request: &MatchRequest,
    choice: &Choice,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
) -> Result<MatchReport, WorkError> {
    let mut read = read(request, choice, None, None, progress, interrupted)?;
    let hashes = read.digests.iter().map(|digest| &*digest.sha256);
    let kept = read.outputs.kept();
    let mut report = report(
        &request.files,
        hashes,
        choice,
        &read.counts,
        kept,
        request.threads,
    )?;
    report.read = read_as(&read.digests);
    read.outputs.commit(&mut report, &read.digests)?;
    Ok(report)
}

/// Holds some of the rows against their gold, for a run that is made in pieces: those that are
/// dealt to it, with what all golds are like, else those whose position in their file belongs
/// to the part. Every part reads all rows then, since what a data set is, and which rows repeat
/// others, hangs on all of them.
pub fn run_part(
    request: &MatchRequest,
    choice: &Choice,
    part: Part,
    dealt: Option<(Cut, Vec<Golds>)>,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
) -> Result<Piece, WorkError> {
    all_different(request.files.iter().map(|file| &*file.name))?;
    let read = read(request, choice, Some(part), dealt, progress, interrupted)?;
    let mut all = Tally::default();
    let counts = read.counts;
    counts.tallies.iter().for_each(|tally| all.merge(tally));
    let whole = Whole {
        golds: counts.golds.into_iter().map(Golds::settled).collect(),
    };
    let refused = all.refused.iter().map(|(why, n)| (&**why, *n));
    let counts = manifest::Counts::of(all.inputs(), all.rows, refused);
    read.outputs
        .commit_part(part, counts, serde_json::json!(whole), &read.digests)
}

/// What every part finds in all rows.
#[derive(Debug, Serialize, Deserialize)]
struct Whole {
    /// What the golds of each file look like.
    golds: Vec<Golds>,
}

/// What rows came to.
struct Read<'o> {
    counts: Counts,
    outputs: Outputs<'o>,
    digests: Vec<InputDigest>,
}

fn read<'o>(
    request: &'o MatchRequest,
    choice: &Choice,
    part: Option<Part>,
    dealt: Option<(Cut, Vec<Golds>)>,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
) -> Result<Read<'o>, WorkError> {
    // Missing inputs are told before anything is written.
    let mut reader = PieceReader::new(&request.files, PIECE_BYTES)?;
    let mut golds = None;
    // What is dealt to a part is all of it; else it takes its own of all there is.
    let ours = part.filter(|_| dealt.is_none());
    if let Some((cut, all)) = dealt {
        reader = reader.with_cut(cut);
        golds = Some(all);
    }
    let wanted = Wanted::new(&request.asked, choice, &request.files);
    let run = request.run.as_ref();
    let run = run.map(|target| begin(target, request, choice, &wanted, part));
    let run = run.transpose()?;
    let layout = match &run {
        Some(run) => Some(run.layout().clone()),
        // What is asked is made of records, also where none are left.
        None => wanted
            .is_any()
            .then(|| Arc::new(record::layout(false, &wanted))),
    };
    let open = RunOptions::default();
    let task = Task {
        choice,
        files: &request.files,
        details: request.details.is_some(),
        options: request.run.as_ref().map_or(&open, |run| &run.options),
        wanted: &wanted,
        one_run: run.is_some(),
        part: ours,
        are_text: match &golds {
            Some(golds) => golds.iter().map(|golds| golds.are_text().into()).collect(),
            None => request.files.iter().map(|_| false.into()).collect(),
        },
        golds,
    };
    // Of a part nothing is reported.
    let reported = part.is_none() && wanted.is_any();
    let outputs = Outputs::create(request, run, reported.then(|| wanted.clone()))?;
    let next = |done: Option<Rows>| {
        if let Some(done) = done {
            reader.recycle(done);
        }
        let piece = reader.next_piece();
        progress(reader.raw_bytes());
        piece
    };
    let workers = Workers {
        threads: request.threads,
        interrupted,
    };
    let sum = ordered::run(
        workers,
        next,
        Sum::new(&task, outputs),
        || Ok(Batch::new(layout.as_ref())),
        |batch, piece, way| {
            batch.read(piece, &task);
            way.pass(|sum| sum.take(batch, piece))
        },
    )?;
    // Rows that are not read here may have what is missing.
    if part.is_none() {
        check_columns(&request.files)?;
    }
    let (counts, outputs) = sum.finish()?;
    Ok(Read {
        counts,
        outputs,
        digests: {
            let read = request.files.iter().zip(reader.digests());
            read.map(|(file, digest)| file.digest(digest)).collect()
        },
    })
}

/// The report of what rows came to.
fn report<'a>(
    files: &[PredictionFile],
    hashes: impl Iterator<Item = &'a str>,
    choice: &Choice,
    counts: &Counts,
    kept: Option<Kept>,
    threads: usize,
) -> Result<MatchReport, WorkError> {
    let Counts {
        tallies,
        clusters,
        golds,
    } = counts;
    let counted = files.iter().zip(hashes).zip(golds);
    let counted = counted.zip(tallies.iter().zip(clusters));
    let counted = counted.map(|(((file, sha256), golds), (tally, clusters))| {
        MatchedFile::new(file, sha256, choice, *golds, tally, clusters)
    });
    let mut report = MatchReport::new(counted.collect(), tallies, clusters);
    if let Some(kept) = kept {
        let intervals = Intervals::on_threads(threads);
        report.sections = kept.sections(&intervals);
        report.sections.check().map_err(WorkError::BadInput)?;
    }
    Ok(report)
}

fn begin(
    target: &RunTarget,
    request: &MatchRequest,
    choice: &Choice,
    wanted: &Wanted,
    part: Option<Part>,
) -> Result<RunWriter, WorkError> {
    let options = MatchOptions {
        normalizer: choice.name().to_owned(),
        tolerance: choice.tolerance(),
        asked: request.asked.clone(),
        files: FilesRead::of(&request.files),
        run: target.options.clone(),
    };
    let spec = RunSpec {
        command: FAMILY.command,
        options: serde_json::json!(options),
        metrics: record::metrics(wanted),
        created_at: target.created_at.clone(),
    };
    let layout = record::layout(target.options.keep_text, wanted);
    RunWriter::begin_as(&target.folder, spec, layout, part)
}

/// Makes a run again.
fn rerun(again: &Rerun) -> Result<(), WorkError> {
    let options: MatchOptions = again.manifest.options()?;
    let choice = Choice::by_name(&options.normalizer, options.tolerance.unwrap_or_default());
    let choice = choice.map_err(|error| WorkError::BadArtifact(error.to_string()))?;
    let request = MatchRequest {
        files: options.files.files(again.role(ROLE))?,
        asked: options.asked,
        details: None,
        rejects: again.folder.to_owned(),
        run: Some(RunTarget {
            folder: again.folder.to_owned(),
            created_at: again.manifest.created_at.clone(),
            options: options.run,
        }),
        strict: false,
        threads: again.threads,
    };
    run(&request, &choice, &|_| (), again.interrupted).map(|_| ())
}

#[cfg(test)]
mod tests;
