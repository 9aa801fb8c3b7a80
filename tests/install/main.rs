//! The ways in which the program reaches people, as far as this machine can go them.

#[path = "../support/mod.rs"]
mod support;

mod bill;
mod cargo;
mod container;
#[cfg(unix)]
mod release;
mod snippets;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::Ran;

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a program to its end.
#[track_caller]
fn ran(command: &mut Command) -> Ran {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
