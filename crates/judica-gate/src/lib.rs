//! Gates: explicit, deterministic pass or fail on stored artifacts.
//!
//! * [`golden`]: runs of an agent against golden queries: four metrics, four gates, and
//!   the claims, evidence, runs and steps that broke them
//! * [`check`]: gates of a file over any report, by JSON pointer; against a baseline; with
//!   uncertainty
//! * [`release`]: several evaluations and gates in one go
//! * [`counts`]: what became of the rows behind them
//!
//! Every result is a `judica_model::gate::GateResult`: one shape for all commands.

pub mod check;
pub mod counts;
pub mod golden;
mod own;
pub mod release;
mod unique;
