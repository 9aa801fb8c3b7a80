//! Two validators of the same answers: how far they agree, and who wins where they do not.
//!
//! The files follow the data:
//!
//! * [`label`], [`mod@line`], [`text`], [`ids`]: what a line says; [`shape`] reads the next one faster
//! * [`verdict`], [`arbitrate`]: a pair becomes a decision with its reason
//! * [`hygiene`], [`contact`]: what makes judgments worth comparing
//! * [`merged`], [`joined`]: pairs from one file or two; [`seen`] tells duplicates
//! * [`tally`], [`report`], [`tables`]: counts, the report, its tables
//! * [`render`], [`outputs`]: the files beside it

pub mod arbitrate;
pub mod contact;
pub mod hygiene;
pub mod ids;
pub mod joined;
pub mod label;
pub mod line;
pub mod merged;
pub mod outputs;
pub mod render;
pub mod report;
pub mod seen;
pub mod shape;
pub mod tables;
pub mod tally;
pub mod text;
pub mod verdict;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::chunks::ChunkReader;
use judica_data::ordered::Workers;
use judica_data::rejects::Given;

use crate::error::AgreeError;
use crate::panel::BootstrapOptions;
use merged::Shared;
use outputs::{OutputPaths, Outputs};
pub use report::{PairsReport, Thresholds};

/// Bytes of input per chunk: so small that what is read is still in the cache when it is
/// parsed.
const CHUNK_BYTES: usize = 512 << 10;

/// Where the judgments are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// Both validators on each line.
    Merged(PathBuf),
    /// A file for each.
    Separate {
        /// The first validator's.
        scholar: PathBuf,
        /// The second validator's.
        auditor: PathBuf,
    },
}

/// A measurement of pairs.
#[derive(Clone, Debug)]
pub struct PairsRequest {
    /// Where the judgments are.
    pub inputs: Inputs,
    /// Where files go.
    pub outputs: OutputPaths,
    /// What is asked of the agreement.
    pub gates: Thresholds,
    /// Whether a gate over an undefined metric passes.
    pub allow_undefined: bool,
    /// Whether the first line that cannot be used ends the run.
    pub strict: bool,
    /// How intervals are made; also the number of threads.
    pub bootstrap: BootstrapOptions,
}

/// Measures how far two validators agree, and decides every pair.
///
/// `progress` is told how many bytes have been read; `interrupted` stops the run.
pub fn measure(
    request: &PairsRequest,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
) -> Result<PairsReport, AgreeError> {
    let paths = match &request.inputs {
        Inputs::Merged(path) => vec![path.clone()],
        Inputs::Separate { scholar, auditor } => vec![scholar.clone(), auditor.clone()],
    };
    if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        let message = "standard input can be only one of the two files";
        return Err(AgreeError::BadInput(message.to_owned()));
    }
    // Missing inputs are told before anything is written.
    let mut reader = ChunkReader::unhashed(&paths, CHUNK_BYTES)?;
    let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    let mut outputs = Outputs::create(&request.outputs, &names, request.strict)?;
    let shared = Shared {
        hygiene: request.outputs.hygiene.is_some(),
        arbitrated: outputs.wants_arbitrated(),
        input_bytes: paths.first().map_or(0, |path| length(path)),
        workers: Workers {
            threads: request.bootstrap.threads,
            interrupted,
        },
        progress,
    };
    let (merged, pair_lines) = match &request.inputs {
        Inputs::Merged(_) => (merged::read(&mut reader, &shared, &mut outputs)?, 1),
        Inputs::Separate { scholar, auditor } => {
            (joined::read(scholar, auditor, &shared, &mut outputs)?, 2)
        }
    };
    let given: Vec<Given> = paths
        .iter()
        .zip(&names)
        .map(|(path, name)| Given {
            path,
            name,
            used: merged.tally.n(),
        })
        .collect();
    let counted = outputs.commit(&given)?;
    Ok(report::report(
        &merged,
        counted,
        pair_lines,
        request.gates,
        request.allow_undefined,
        shared.hygiene,
        &request.bootstrap,
    ))
}

/// How long a file is on disk; 0 if that cannot be told. A compressed one holds more.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| if file.is_file() { file.len() } else { 0 })
}
