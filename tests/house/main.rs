//! What holds for every command of the house.

#[path = "../support/mod.rs"]
mod support;

mod at_once;
mod limits;
mod numbers;
mod options;
mod outputs;
mod rooms;
mod streams;
mod tables;
mod unusable;
