//! `judica view` and the report in one file: in a real browser, and over a bare socket.

#[path = "../support/mod.rs"]
mod support;

mod axe;
mod browser;
mod setup;
mod wire;
