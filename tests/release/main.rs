//! `judica release`, run as a user runs it.

mod data;
mod failing;
mod mistakes;
mod outputs;
mod passing;
