//! Logs of other harnesses become runs.
//!
//! * [`log`]: what every harness's log comes to: samples with scores, and the log's own
//!   aggregates, computed again
//!
//! One file per harness reads its format into these nouns and knows nothing of runs.

pub mod deepeval;
pub mod helm;
pub mod lm_eval;
pub mod log;
pub mod openai_evals;
pub mod promptfoo;
pub mod raw;
#[cfg(test)]
mod testing;
pub mod walk;
