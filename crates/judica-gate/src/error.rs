//! What can end an evaluation of gates.

pub use judica_data::work_error::WorkError as GateError;
