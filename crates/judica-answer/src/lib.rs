//! Answers against gold: normalised and structural match, metrics, efficiency.
//!
//! * [`predictions`]: files of predictions become rows
//! * [`normalize`]: which way of comparing decides on a data set
//! * [`decide`]: which rows need no judge
//! * [`matching`]: the same for files of any size, counted while they are read
//! * [`verdict`]: who decided a row, and what a judge replied
//! * [`metrics`]: what judged rows amount to
//! * [`judged`]: the document that says who decided each row, and how
//! * [`efficiency`]: which model is worth its cost

pub mod decide;
pub mod efficiency;
pub mod judged;
pub mod matching;
pub mod metrics;
pub mod normalize;
pub mod predictions;
pub mod verdict;
