//! Counts that add up, and the metrics made of them.
//!
//! * [`counts`]: what a run of episodes adds up to; merged in any grouping to the same bits
//! * [`types`]: the same by type of action
//! * [`metrics`]: the metrics, each with its n and its interval or the reason for having
//!   none
//! * [`notes`]: what a reader should know beside the numbers

pub mod counts;
pub mod metrics;
pub mod notes;
pub mod types;

pub use counts::Tally;
pub use metrics::TypeMetrics;
