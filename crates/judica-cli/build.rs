//! Says which commit the program is built from, where that can be known: in a checkout of the
//! repository with git at hand. Nothing else fails or changes without it.

#![allow(clippy::print_stdout, reason = "this is how cargo is told")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where this package is in the repository. A copy of it in somebody else's is not of their commit.
const HERE: &str = "crates/judica-cli/";

fn main() {
    let commit = commit().map_or(String::new(), |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=JUDICA_COMMIT={commit}");
}

/// Name and date of the commit that is checked out. The date is the commit's own, so that the
/// same commit gives the same bytes on any day.
fn commit() -> Option<String> {
    // Without any, every change of a file of the package would have this run again.
    println!("cargo::rerun-if-changed=build.rs");
    let packaged = Path::new(".cargo_vcs_info.json").exists();
    if packaged || git(&["rev-parse", "--show-prefix"])? != HERE {
        return None;
    }
    // The log grows whenever HEAD moves; a clone may go without it.
    let branch = git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", branch.as_deref().unwrap_or("HEAD")] {
        let file = PathBuf::from(git(&["rev-parse", "--git-path", name])?);
        // A file that is not there would have this run at every build.
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let said = git(&[
        "log",
        "-1",
        "--no-show-signature",
        "--abbrev=7",
        "--format=%h %cs",
    ])?;
    let known = |c: char| c.is_ascii_hexdigit() || matches!(c, ' ' | '-');
    // A git that is too old says the format itself.
    (said.len() >= "0000000 2000-01-01".len() && said.chars().all(known)).then_some(said)
}

/// What git says of the folder of this package, which is where this runs.
fn git(words: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    // A hook of another repository, in which this may be built, speaks of that one.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(name);
    }
    let said = git.args(words).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.trim().to_owned())
}
