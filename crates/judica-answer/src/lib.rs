//! Answers against gold: normalised and structural match, metrics, efficiency.
//!
//! * [`predictions`]: files of predictions become rows
//! * [`gold`]: what a prediction is held against
//! * [`normalize`]: when a prediction says the same as its gold
//! * [`atl`]: formulas, and when two are the same
//! * [`decide`]: which rows need no judge
//! * [`matching`]: the same for files of any size, counted while they are read
//! * [`verdict`]: who decided a row, and what a judge replied
//! * [`metrics`]: what judged rows amount to
//! * [`judged`]: the document that says who decided each row, and how
//! * [`efficiency`]: which model is worth its cost
//! * [`error`]: what can end a run

pub mod atl;
pub mod decide;
pub mod efficiency;
pub mod error;
pub mod gold;
pub mod judged;
pub mod matching;
pub mod metrics;
pub mod normalize;
pub mod predictions;
pub mod verdict;
