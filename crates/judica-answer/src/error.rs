//! What can end work on answers.

pub use judica_data::work_error::WorkError as AnswerError;
