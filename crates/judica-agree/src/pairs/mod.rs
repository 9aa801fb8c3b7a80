//! Two validators of the same answers: how far they agree, and who wins where they do not.
//!
//! The files follow the data:
//!
//! * [`label`], [`mod@line`], [`text`], [`ids`], [`about`]: what a line says; [`shape`] reads the
//!   next one faster
//! * [`policy`], [`arbitrate`]: who judges, what they may say and who wins, as a file and as
//!   a table; [`verdict`]: a pair becomes a decision with its reason
//! * [`hygiene`], [`contact`], [`telephone`], `evidence`: what makes judgments worth
//!   comparing
//! * [`merged`], [`joined`]: pairs from one file or two; [`seen`] tells duplicates, [`clusters`]
//!   what stands or falls together
//! * [`tally`], [`report`], [`tables`]: counts, the report, its tables
//! * [`render`], [`record`], [`outputs`]: the files beside it, and the run; `ending`: a run
//!   in pieces; [`dealt`]: pairs that an engine deals out

pub mod about;
pub mod arbitrate;
pub mod clusters;
pub mod contact;
pub mod dealt;
mod ending;
mod evidence;
pub mod hygiene;
pub mod ids;
pub mod joined;
pub mod label;
pub mod line;
pub mod merged;
pub mod outputs;
pub mod policy;
pub mod record;
pub mod render;
pub mod report;
pub mod seen;
pub mod shape;
pub mod tables;
pub mod tally;
pub mod telephone;
pub mod text;
pub mod verdict;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::chunks::{ChunkReader, Cut};
use judica_data::ordered::Workers;
use judica_data::rejects::Given;
use judica_data::source::InputDigest;
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use judica_run::family::{Family, Input, Rerun};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::pieces::{Part, Piece};
use judica_run::writer::RunWriter;
use serde::{Deserialize, Serialize};

use crate::panel::BootstrapOptions;
use crate::run::{entries, recorded, spec};
use merged::{Merged, Shared};
use outputs::{OutputPaths, Outputs};
use policy::{Policy, PolicyText};
use record::Recording;
pub use report::{PairsReport, Thresholds};

/// The command in manifests.
const COMMAND: &str = "agree pairs";
/// What an input with both validators on each line is used as.
pub const PAIRS: &str = "pairs";

/// All that readers of runs are told about this command.
pub static FAMILY: Family = Family {
    command: COMMAND,
    rerun,
    describe: None,
    steps: None,
    json: None,
    finish: Some(ending::begin),
};

/// Bytes of input per chunk: so small that what is read is still in the cache when it is
/// parsed.
const CHUNK_BYTES: usize = 512 << 10;

/// What shapes a measurement of pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairsOptions {
    /// What is asked of the agreement.
    pub gates: Thresholds,
    /// Whether a gate over an undefined metric passes.
    pub allow_undefined: bool,
    /// Whether hygiene is checked.
    pub hygiene: bool,
    /// How intervals are made; also the number of threads.
    pub bootstrap: BootstrapOptions,
    /// Who judges and who wins, if that is not the policy of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyText>,
}

/// A measurement of pairs.
#[derive(Clone, Debug)]
pub struct PairsRequest {
    /// Where the judgments are: a file of [`PAIRS`], or one of each rater, as its name.
    pub inputs: Vec<Input>,
    /// Where files go.
    pub outputs: OutputPaths,
    /// What is measured.
    pub options: PairsOptions,
    /// Whether the first line that cannot be used ends the run.
    pub strict: bool,
    /// The run that is left, if one is.
    pub run: Option<RunTarget>,
}

/// Measures how far two validators agree, and decides every pair.
///
/// `progress` is told how many bytes have been read; `interrupted` stops the run.
pub fn measure(
    request: &PairsRequest,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
) -> Result<PairsReport, WorkError> {
    let policy = Policy::of(request.options.policy.as_ref())?;
    work(
        request,
        &policy,
        None,
        None,
        progress,
        interrupted,
        |read, outputs, tables, digests| {
            let inputs = &request.inputs;
            let given: Vec<Given> = inputs
                .iter()
                .map(|input| Given {
                    path: &input.path,
                    name: &input.name,
                    used: read.tally.n(),
                })
                .collect();
            let (counted, closed) = outputs.close(&given)?;
            let lines = inputs.len() as u64;
            let mut report = report::report(read, counted, lines, &request.options, &policy);
            report.read = tables;
            closed.commit(&report, entries(inputs, digests))?;
            Ok(report)
        },
    )
}

/// Decides some of the pairs of one file, for a run that is made in pieces: those that are dealt
/// to it, else those whose place belongs to the part. Every part reads all lines then, since a
/// question that stands twice may stand anywhere.
pub fn measure_part(
    request: &PairsRequest,
    part: Part,
    dealt: Option<Cut>,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
) -> Result<Piece, WorkError> {
    if request.inputs.len() > 1 {
        let message = "pairs in two files are joined in one go; a run in parts needs both \
                       validators on each line";
        return Err(WorkError::BadInput(message.to_owned()));
    }
    let policy = Policy::of(request.options.policy.as_ref())?;
    work(
        request,
        &policy,
        Some(part),
        dealt,
        progress,
        interrupted,
        |read, outputs, _, digests| {
            outputs.close_part(part, &read, entries(&request.inputs, digests))
        },
    )
}

/// Reads all pairs, and hands over what came of them.
fn work<T>(
    request: &PairsRequest,
    policy: &Policy,
    part: Option<Part>,
    dealt: Option<Cut>,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
    end: impl FnOnce(Merged, Outputs, Vec<String>, &[InputDigest]) -> Result<T, WorkError>,
) -> Result<T, WorkError> {
    let (inputs, options) = (&request.inputs, &request.options);
    let paths = paths(inputs);
    if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        let message = "standard input can be only one of the two files";
        return Err(WorkError::BadInput(message.to_owned()));
    }
    // Missing inputs are told before anything is written.
    let mut reader = match request.run {
        Some(_) => ChunkReader::new(&paths, CHUNK_BYTES)?,
        None => ChunkReader::unhashed(&paths, CHUNK_BYTES)?,
    };
    reader = reader.with_tables(&tables_of(policy));
    // What is dealt to a part is all of it; else it takes its own of all there is.
    let ours = part.filter(|_| dealt.is_none());
    if let Some(cut) = dealt {
        reader = reader.with_cut(cut);
    }
    let names: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
    let run = request.run.as_ref();
    let run_options = run.map_or_else(RunOptions::default, |target| target.options.clone());
    let run = run.map(|target| {
        let spec = spec(COMMAND, options, target, record::metrics(policy));
        let layout = record::layout(policy, target.options.keep_text);
        RunWriter::begin_as(&target.folder, spec, layout, part)
    });
    let run = run.transpose()?;
    let layout = run.as_ref().map(|run| run.layout().clone());
    let mut outputs = Outputs::create(&request.outputs, &names, policy, request.strict, run)?;
    let shared = Shared {
        policy,
        hygiene: options.hygiene,
        arbitrated: outputs.wants_arbitrated(),
        recording: Recording {
            layout,
            policy,
            options: &run_options,
            files: &names,
        },
        part: ours,
        input_bytes: paths.first().map_or(0, |path| length(path)),
        workers: Workers {
            threads: options.bootstrap.threads,
            interrupted,
        },
        progress,
    };
    let read = match inputs.len() {
        1 => merged::read(&mut reader, &shared, &mut outputs)?,
        _ => joined::read(&mut reader, &shared, &mut outputs)?,
    };
    let tables = reader.tables_read().iter();
    let tables = tables.map(|read| format!("{}: read as {}", names[read.file], read.how));
    let tables = tables.collect();
    end(read, outputs, tables, reader.digests())
}

fn paths(inputs: &[Input]) -> Vec<PathBuf> {
    inputs.iter().map(|input| input.path.clone()).collect()
}

/// How tables of pairs are read.
fn tables_of(policy: &Policy) -> Tables {
    Tables {
        names: policy.keys.names(),
        nested: policy.keys.columns(),
        ..Tables::default()
    }
}

/// Makes a run again.
fn rerun(rerun: &Rerun) -> Result<(), WorkError> {
    let (mut options, target): (PairsOptions, _) = recorded(rerun)?;
    options.bootstrap.threads = rerun.threads;
    let request = PairsRequest {
        inputs: rerun.inputs.to_vec(),
        outputs: OutputPaths::default(),
        options,
        strict: false,
        run: Some(target),
    };
    measure(&request, &|_| (), rerun.interrupted).map(drop)
}

/// How long a file is on disk; 0 if that cannot be told. A compressed one holds more.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| if file.is_file() { file.len() } else { 0 })
}
