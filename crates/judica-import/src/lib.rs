//! Logs of other harnesses become runs.
//!
//! * [`log`]: what every harness's log comes to: samples with scores, and the log's own
//!   aggregates, computed again
//! * [`open`]: which harness a file or a folder is of
//! * [`mod@inspect`], [`lm_eval`], [`promptfoo`], [`deepeval`], [`helm`], [`openai_evals`]: one
//!   file or folder per harness; [`table`]: scores of any other tool
//! * [`bare`]: JSON with bare `NaN`, as Python writes it, for typed readers; [`raw`] and
//!   [`walk`]: the same looked into without building it
//! * [`mod@import`]: logs become a run, in two passes: `survey` and `writing`; `logs` are those
//!   that can be read, `keys` tells which of several samples of one key counts
//! * [`report`]: what is said of it
//!
//! A harness's file reads its format into the nouns of [`log`] and knows nothing of runs.

pub mod bare;
pub mod deepeval;
pub mod helm;
pub mod import;
pub mod inspect;
mod keys;
pub mod lm_eval;
pub mod log;
mod logs;
mod numbers;
pub mod open;
pub mod openai_evals;
pub mod promptfoo;
pub mod raw;
pub mod report;
mod survey;
pub mod table;
#[cfg(test)]
mod testing;
mod unchanged;
pub mod walk;
mod writing;

pub use import::FAMILY;
