//! `judica synth` and `judica demo`, run as a user runs them.

#[path = "../support/mod.rs"]
mod support;

mod battery;
mod demo;
mod documents;
mod synth;
