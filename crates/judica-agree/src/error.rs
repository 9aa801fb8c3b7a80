//! What can end a measurement of agreement.

pub use judica_data::work_error::WorkError as AgreeError;
