//! The judged data set: every row of a file of predictions, who decided it, and how.
//!
//! * [`dataset`]: the document, and how it is put together
//! * [`row`]: one of its rows
//! * [`names`]: what happens to a source's keys that we use, too
//! * [`fresh`]: whether a document on disk still answers the question
//!
//! Everything in a document is a function of the predictions, the settings and the judge's
//! replies, but for `call` in rows and votes (how a reply came) and `judge.n_from_cache`.
//! Who compares two documents leaves those out.

pub mod dataset;
pub mod fresh;
pub mod names;
pub mod row;

pub use dataset::{JudgeInfo, JudgedDataset, NO_MODEL, assemble};
pub use fresh::{Expected, Freshness, up_to_date};
pub use row::JudgedRow;
