//! Logs of other harnesses become runs.
//!
//! * [`log`]: what every harness's log comes to: samples with scores, and the log's own
//!   aggregates, computed again
//!
//! One file per harness reads its format into these nouns and knows nothing of runs.

pub mod log;
pub mod raw;
pub mod walk;
