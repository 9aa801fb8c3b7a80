//! `judica synth` and `judica demo`, run as a user runs them.

mod battery;
mod demo;
mod documents;
mod synth;
