//! Programs that a suite needs and a machine may lack: found, installed where that was asked for,
//! or loudly missed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a suite cannot do without.
pub struct Needs<'a> {
    /// The suite, in words.
    pub suite: &'a str,
    /// What is missing, and where it could come from.
    pub missing: &'a str,
    /// The variable that makes going without a failure, by the value `required`.
    pub variable: &'a str,
    /// Debian's packages.
    pub packages: &'a [&'a str],
}

impl Needs<'_> {
    /// What is looked for, if need be after an installation that was asked for; `None`, said where
    /// everybody sees it, if the suite goes without.
    pub fn met<T>(&self, find: impl Fn() -> Option<T>) -> Option<T> {
        // Nobody asked for an installation that may fail unseen.
        let found = find().or_else(|| is("JUDICA_INSTALL", "1").then(|| self.install(&find)));
        if found.is_none() {
            self.missed();
        }
        found
    }

    /// Says that the suite goes without, or fails.
    pub fn missed(&self) {
        let Needs {
            suite,
            missing,
            variable,
            ..
        } = self;
        let packages = match self.packages.is_empty() {
            true => String::new(),
            false => format!(
                " (Debian: apt-get install {}; JUDICA_INSTALL=1 does so)",
                self.packages.join(" ")
            ),
        };
        assert!(!is(variable, "required"), "{suite}: {missing}{packages}");
        let rule = "=".repeat(78);
        say(&format!(
            "\n{rule}\nSKIPPED: {suite}:\n{missing}{packages}.\n\
             {variable}=required makes this a failure.\n{rule}\n"
        ));
    }

    /// Installs Debian's packages, once: who comes second waits, and finds them there.
    fn install<T>(&self, find: impl Fn() -> Option<T>) -> T {
        let lock = Path::new(env!("CARGO_TARGET_TMPDIR")).join("install.lock");
        let lock = File::create(lock).expect("a lock");
        lock.lock().expect("the lock");
        if let Some(found) = find() {
            return found;
        }
        let mut arguments = vec!["install", "-y", "--no-install-recommends"];
        arguments.extend(self.packages);
        if apt_get(&arguments).is_err() {
            apt_get(&["update"])
                .and_then(|()| apt_get(&arguments))
                .unwrap_or_else(|told| panic!("JUDICA_INSTALL=1: {told}"));
        }
        find().expect("the packages hold the programs")
    }
}

/// Says something that the harness does not keep to itself, as it does with what macros print.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Whether a variable of the environment has a value.
pub fn is(variable: &str, value: &str) -> bool {
    std::env::var_os(variable).is_some_and(|found| found == value)
}

/// Where a program is.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path);
    places
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn apt_get(arguments: &[&str]) -> Result<(), String> {
    let id = Command::new("id").arg("-u").output();
    let root = id.is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    let mut command = match root {
        true => Command::new("env"),
        false => Command::new("sudo"),
    };
    if !root {
        command.args(["-n", "env"]);
    }
    command.arg("DEBIAN_FRONTEND=noninteractive");
    // Another program of packages may be at work; it is waited for.
    command.args(["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]);
    let done = command.args(arguments).output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        )),
    }
}
