//! Protocol verification: stored responses become evidence, evidence becomes
//! decisions that cite it, decisions become scores and summaries.
//!
//! The files follow the data:
//!
//! * [`protocol`]: a domain, read from a TOML file; `expr` is its rule language
//! * `line`, [`samples`], [`outputs`]: input lines to numbers; `response` reads what a model wrote,
//!   `beside` what a line says beside it,
//!   [`output_folder`] finds the files of a folder, `priors` are shown beside the result
//! * `value`, `moment`: what a field holds that is more than a number
//! * `gold`: what the samples' gold is worth
//! * `carry`: what depends on earlier outputs
//! * `checks`, `evidence`: the verifier graph and its atoms
//! * [`external`]: verifiers that are programs of their own
//! * `agent`: checklist, adjudication, attribution
//! * [`review`]: what a language model says about the decisions, held against the evidence
//! * `compare`: an answer against its gold; `score`: the four scores; `dimensions` where a
//!   protocol has its own
//! * `render`, `columns`: records as JSON and as tables; [`stored`] reads them back
//! * [`summary`]: task summaries, model profiles, the leaderboard
//! * `pipeline`: all of this on many threads; [`eval`] is the command, `sink` its files,
//!   `ending` makes the report of a run in one go or in pieces, [`options`] is what it
//!   remembers; [`family`] is what readers of runs are told
//! * [`dealt`]: outputs that an engine deals out to many processes
//! * [`memory`]: the same on rows in memory, without files
//! * [`catalogue`], [`calibrate`], [`lint`], [`from_schema`]: the commands beside it

mod agent;
mod beside;
pub mod calibrate;
mod carry;
pub mod catalogue;
mod checks;
mod columns;
mod compare;
pub mod dealt;
mod dimensions;
mod ending;
mod error;
pub mod eval;
mod evaluate;
mod evidence;
mod expr;
pub mod external;
pub mod family;
pub mod fields;
pub mod from_schema;
mod gold;
mod line;
pub mod lint;
pub mod memory;
mod moment;
pub mod options;
pub mod output_folder;
pub mod outputs;
mod pipeline;
mod priors;
pub mod protocol;
mod render;
mod response;
pub mod review;
pub mod samples;
mod score;
mod sink;
pub mod stored;
pub mod summary;
mod value;

/// The examples of the page for users of the library are tested.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;

#[cfg(test)]
mod test_support;

#[cfg(test)]
mod test_responses;
