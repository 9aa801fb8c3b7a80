//! The doors: reading inputs, writing run folders

pub mod atomic;
pub mod chunks;
mod elements;
pub mod error;
pub mod json;
pub mod parquet;
pub mod rejects;
pub mod source;
