//! Rows become episodes and predictions.
//!
//! The files follow the data:
//!
//! * [`fault`], [`walk`]: walking over JSON so that what is wrong has a JSON pointer
//! * [`text`]: names of episodes, types and elements
//! * [`screen`], [`action`]: one action, its coordinates checked and brought into 0–1
//! * [`usage`]: what an answer took, and which repeat it is
//! * [`elsewhere`]: what looks like a target where nothing looks for one
//! * [`milestone`], [`episode`], [`prediction`], [`sample`]: one row of each kind
//! * [`index`], [`survey`], [`store`]: where the predictions of an episode stand, so that
//!   both files may have any order and neither is held in memory

pub mod action;
pub mod columns;
pub mod elsewhere;
pub mod episode;
pub mod fault;
pub mod index;
pub mod milestone;
pub mod prediction;
pub mod sample;
pub mod screen;
pub mod store;
pub mod survey;
pub mod text;
pub mod usage;
pub mod walk;
