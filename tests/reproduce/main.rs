//! `judica reproduce`, run as a user runs it.

mod identical;
mod interrupted;
mod tampered;
