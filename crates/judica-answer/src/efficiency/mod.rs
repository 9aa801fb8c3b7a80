//! Which model is worth its cost: accuracy, cost, latency, and what they say together.
//!
//! The files follow the data:
//!
//! * [`mod@load`], `judged`, `document`, `runs`: files and runs as facts; [`facts`]: what one run of one model did
//! * [`subject`]: what is compared, runs or models
//! * `accuracy`, `time`, `cost`: what is measured of each
//! * [`composite`]: the three as one number; [`ranking`], [`pareto`]: who is best, who is
//!   beaten by whom
//! * `notes`: what a reader should know; `build`, [`mod@report`]: all of it
//! * [`mod@tables`], [`scatter`], [`mod@notebook_cells`]: how it is shown
//! * [`mod@gpu_cost`]: what an hour of a GPU of one's own costs
//!
//! Choices where several were possible:
//!
//! * A model is judged by its judge where *all* its runs were judged, else by exact match:
//!   an average of both would measure neither.
//! * Rows that the judge gave no verdict on are missing: the accuracy is then not known, and
//!   not that of the others.
//! * A price per GPU hour goes before prices per token where both are given, because a
//!   model on one's own hardware often carries a per-token price of 0.
//! * The hours used are those the run states, else the sum of its latencies, as if one
//!   request had followed the other.
//! * Costs, latencies and the frontier are compared per row, so that a model that answered
//!   fewer questions is not cheaper for it. Rows without tokens or latency do not enter.
//! * A quantity that is the same for all models, or that only one of them has, has no
//!   place on a scale from worst to best. Its term drops out of the composite as a missing
//!   one does; it is not a free 1.

mod accuracy;
mod build;
pub mod composite;
mod cost;
mod document;
pub mod facts;
pub mod gpu_cost;
mod judged;
mod judgment;
pub mod load;
pub mod notebook_cells;
mod notes;
pub mod pareto;
pub mod ranking;
pub mod report;
mod runs;
pub mod scatter;
pub mod subject;
pub mod tables;
mod time;

pub use accuracy::{AccuracyReport, AccuracySource};
pub use build::{Options, open_prices, report};
pub use composite::Weights;
pub use cost::{CostReport, CostSource};
pub use facts::{Measured, RunFacts, Tally, Tokens, Verdicts};
pub use gpu_cost::{GpuCost, GpuCostInput, gpu_cost};
pub use load::{Inputs, Loaded, load};
pub use notebook_cells::notebook_cells;
pub use report::{EfficiencyReport, RunFile};
pub use scatter::scatters;
pub use subject::By;
pub use tables::tables;
pub use time::{LatencyReport, ThroughputReport};

/// A number that an argument may not have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} is {found}, {expected} is needed")]
pub struct OutOfRange {
    /// What it is the value of.
    pub name: &'static str,
    /// The number.
    pub found: f64,
    /// What would do.
    pub expected: &'static str,
}

#[cfg(test)]
mod tests;
