//! What holds for every command of the house.

#[path = "../support/mod.rs"]
mod support;

mod at_once;
mod outputs;
mod streams;
