//! `judica look`, run as a user runs it.

mod bad_input;
mod kinds;
mod rows;
mod shown;
