//! Deterministic synthetic data sets with model personalities.
//!
//! A data set is three files for `judica eval`: samples (what was asked, and the right
//! answer), outputs (what every model answered) and model confidences. The truth is the
//! next seconds of a simulated machine, or what a document says, and breaks no rule of its
//! protocol file; the models are that truth, spoilt in five characteristic ways
//! ([`PERSONALITIES`]), so that an evaluation of the data set has a known answer.
//!
//! The same options give the same bytes on every platform. Each model and task has a
//! random stream of its own: adding models, samples or tasks changes no reply of
//! those that were there before.
//!
//! ```
//! use judica_synth::{Domain, SynthOptions, write_outputs, write_samples};
//!
//! let options = SynthOptions { samples: 6, models: 2, seed: 1, tasks: Vec::new() };
//! let (mut samples, mut outputs) = (Vec::new(), Vec::new());
//! assert_eq!(write_samples(Domain::Flight, &options, &mut samples)?, 6);
//! assert_eq!(write_outputs(Domain::Flight, &options, &mut outputs, &mut |_| {})?, 12);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Where to look: `source` says what a domain is. Two are machines: `plant` says what that
//! is, `flight` and `battery` are the two, `truth` runs one, `predict` and `danger` decide
//! what a model believes, and `machine` puts them together. Two are documents: `document`
//! says what that is, `invoice` and `call` are the two. `personality` names the kinds of
//! models; `reply` and `breakage` turn what they believe into text; `samples`, `outputs` and
//! `confidence` write the files.

mod battery;
mod breakage;
mod call;
mod confidence;
mod danger;
mod document;
mod flight;
mod invoice;
mod machine;
mod outputs;
mod personality;
mod plan;
mod plant;
mod predict;
mod reply;
mod rng;
mod samples;
mod source;
mod text;
mod truth;

use std::io::{self, Write};
use std::str::FromStr;

use battery::Battery;
use call::Call;
use document::Documents;
use flight::Flight;
use invoice::Invoice;
use machine::Machine;
pub use personality::{PERSONALITIES, Personality, model_name};
use source::Source;

/// What the synthetic data are about. Each domain has a protocol file of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// A light aircraft: `protocols/flight.toml`.
    Flight,
    /// A 96-cell battery pack: `protocols/battery.toml`.
    Battery,
    /// Invoices and their fields: `protocols/extraction.toml`.
    Extraction,
    /// What users want of an assistant with tools: `protocols/tool-call.toml`.
    ToolCall,
}

impl Domain {
    /// Every domain.
    pub const ALL: [Domain; 4] = [
        Domain::Flight,
        Domain::Battery,
        Domain::Extraction,
        Domain::ToolCall,
    ];

    /// The domain's name, which is also the name of its protocol.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Flight => "flight",
            Domain::Battery => "battery",
            Domain::Extraction => "extraction",
            Domain::ToolCall => "tool-call",
        }
    }

    /// The names of the domain's tasks, in protocol order.
    pub fn tasks(self) -> Vec<&'static str> {
        let tasks = self.source().tasks();
        tasks.iter().map(|task| task.name).collect()
    }

    /// How each kind of model answers in this domain, in the order of [`PERSONALITIES`].
    pub fn personalities(self) -> &'static [Personality] {
        self.source().personalities()
    }

    fn source(self) -> &'static dyn Source {
        match self {
            Domain::Flight => &Machine::<{ flight::N }, Flight>::NEW,
            Domain::Battery => &Machine::<{ battery::N }, Battery>::NEW,
            Domain::Extraction => &Documents::<Invoice>::NEW,
            Domain::ToolCall => &Documents::<Call>::NEW,
        }
    }
}

impl FromStr for Domain {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Domain::ALL
            .into_iter()
            .find(|domain| domain.name() == name)
            .ok_or_else(|| {
                let known = Domain::ALL.map(Domain::name).join(", ");
                format!("unknown domain {name:?}: expected one of {known}")
            })
    }
}

/// The size and the seed of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SynthOptions {
    /// Number of samples, split evenly over the tasks.
    pub samples: u32,
    /// Number of models; personalities take turns.
    pub models: u32,
    /// Seed of every random number.
    pub seed: u64,
    /// Names of the tasks to make samples for; empty means all tasks of the domain.
    pub tasks: Vec<String>,
}

/// Writes the samples as JSON lines, task after task, and returns their number.
///
/// # Errors
/// Errors of the writer, and `InvalidInput` for a task that the domain does not have.
pub fn write_samples(
    domain: Domain,
    options: &SynthOptions,
    out: &mut dyn Write,
) -> io::Result<u64> {
    samples::write(domain.source(), options, out)
}

/// Writes the outputs as JSON lines, model after model in the order of the samples, and
/// returns their number. `progress` is told the number written so far, now and then and
/// at the end.
///
/// # Errors
/// Errors of the writer, and `InvalidInput` for a task that the domain does not have.
pub fn write_outputs(
    domain: Domain,
    options: &SynthOptions,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> io::Result<u64> {
    outputs::write(domain.source(), options, out, progress)
}

/// Writes the model confidences: one JSON list, one entry per model.
///
/// # Errors
/// Errors of the writer, and `InvalidInput` for a task that the domain does not have.
pub fn write_confidence(
    domain: Domain,
    options: &SynthOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    confidence::write(domain.source(), options, out)
}
