//! Gates and releases: whole-program tests, one module per command. One program, since linking is most of
//! what building a test takes.

#[path = "support/mod.rs"]
mod support;

#[path = "gate/main.rs"]
mod gate;
#[path = "release/main.rs"]
mod release;
