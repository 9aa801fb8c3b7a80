//! What can end work on episodes and eval files.

pub use judica_data::work_error::WorkError as EpisodeError;
