//! The README and the book, held against the program: every command that they show runs, every
//! link leads somewhere.

#[path = "../support/mod.rs"]
mod support;

mod commands;
mod links;
mod page;
