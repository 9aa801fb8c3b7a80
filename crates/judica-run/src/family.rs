//! What this room must be told of a command that it does not know. Whoever knows all
//! commands hands over the table of them.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::work_error::WorkError;
use judica_model::chart::StepState;
use judica_model::run::RunRecord;
use judica_model::table::Table;

use crate::finish::Ending;
use crate::manifest::Manifest;
use crate::open::Run;
use crate::pieces::Pieces;

/// A command that leaves runs.
pub struct Family {
    /// Its name in manifests.
    pub command: &'static str,
    /// Makes a run again from its manifest and its inputs.
    pub rerun: fn(&Rerun) -> Result<(), WorkError>,
    /// What the command has to say of a record beyond what all have in common, where it has
    /// words of its own.
    pub describe: Option<Describe>,
    /// The steps of a record, where it has such.
    pub steps: Option<StepsOf>,
    /// Records as lines of JSON, where the command promises a shape of its own.
    pub json: Option<JsonOf>,
    /// Ends a run that is made in pieces, where the command can be.
    pub finish: Option<BeginEnd>,
}

/// Who says what a record means.
pub type Describe = fn(&Run, &RunRecord) -> Result<Described, WorkError>;

/// A record in the words of its command.
pub struct Described {
    /// What stands before the evidence, in place of the command's own columns.
    pub before: Vec<Table>,
    /// Every piece of evidence, in the record's order.
    pub atoms: Vec<AtomWords>,
    /// What stands after it.
    pub after: Vec<Table>,
}

/// A piece of evidence in words.
pub struct AtomWords {
    /// What it is cited by.
    pub id: String,
    /// What was seen.
    pub message: String,
}

/// Who knows the steps of a record, looking for inputs in a folder, too.
pub type StepsOf = fn(&Run, &RunRecord, Option<&Path>) -> Result<Vec<Step>, WorkError>;

/// One step of an episode.
pub struct Step {
    /// How it went.
    pub state: StepState,
    /// What was expected of it, where that can still be read.
    pub expected: Option<String>,
    /// Where the screenshot stands that was seen before it.
    pub screenshot: Option<String>,
}

/// Who ends a run that is made in pieces, on so many threads.
pub type BeginEnd = fn(&Pieces, usize) -> Result<Box<dyn Ending>, WorkError>;

/// Appends a record as a line of JSON. What a run's records have in common is looked up when
/// it is made, not for every record.
pub type JsonWriter = Box<dyn Fn(&RunRecord, &mut Vec<u8>) -> Result<(), WorkError>>;

/// Who writes the records of a run.
pub type JsonOf = fn(&Run) -> Result<JsonWriter, WorkError>;

/// A run that is to be made again.
pub struct Rerun<'a> {
    /// What it was made of; `created_at` is to be taken over.
    pub manifest: &'a Manifest,
    /// The run, for files that it keeps.
    pub run: &'a Run,
    /// Its inputs, in the manifest's order, where they stand now.
    pub inputs: &'a [Input],
    /// The folder it goes to.
    pub folder: &'a Path,
    /// Whether commands may be run that the run ran.
    pub allow_commands: bool,
    /// Threads; the result does not depend on it.
    pub threads: usize,
    /// Set to stop.
    pub interrupted: &'a AtomicBool,
}

impl<'a> Rerun<'a> {
    /// The inputs that were used as something.
    pub fn role(&self, role: &str) -> impl Iterator<Item = &'a Input> {
        self.inputs.iter().filter(move |input| input.role == role)
    }
}

/// An input: where it is, and what it is called in everything that is written. The two
/// differ when a run is made again from files that have moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What it is used as.
    pub role: String,
    /// Where it is.
    pub path: PathBuf,
    /// What it is called.
    pub name: String,
}

impl Input {
    /// An input that stands where the user says.
    pub fn given(role: &str, path: &Path) -> Self {
        Input {
            role: role.to_owned(),
            path: path.to_owned(),
            name: path.display().to_string(),
        }
    }
}
