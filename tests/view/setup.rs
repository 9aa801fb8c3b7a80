//! Chromium and chromedriver: found, installed where that was asked for, or loudly missed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The two programs.
#[derive(Debug)]
pub struct Programs {
    pub browser: PathBuf,
    pub driver: PathBuf,
}

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

/// Where they are; `None`, said once where everybody sees it, if tests go without a browser.
pub fn programs() -> Option<&'static Programs> {
    static FOUND: OnceLock<Option<Programs>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            let found = find().or_else(|| {
                // Nobody asked for an installation that may fail unseen.
                is("JUDICA_INSTALL", "1").then(install)
            });
            if found.is_none() {
                missed();
            }
            found
        })
        .as_ref()
}

fn is(variable: &str, value: &str) -> bool {
    std::env::var_os(variable).is_some_and(|found| found == value)
}

fn find() -> Option<Programs> {
    let browser = BROWSERS.into_iter().find_map(on_path)?;
    let driver = on_path("chromedriver")?;
    Some(Programs { browser, driver })
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path);
    places
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn missed() {
    let missing = format!(
        "they need {}, and chromedriver, on the PATH (Debian: apt-get install {})",
        BROWSERS.join(" or "),
        PACKAGES.join(" ")
    );
    assert!(!is("JUDICA_BROWSER", "required"), "no browser: {missing}");
    let rule = "=".repeat(78);
    let text = format!(
        "\n{rule}\nSKIPPED: the tests of `judica view` in a browser:\n{missing}.\n\
         JUDICA_INSTALL=1 installs them; JUDICA_BROWSER=required makes this a failure.\n{rule}\n"
    );
    // The harness keeps what macros print to itself, but not this.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Installs Debian's packages, once: who comes second waits, and finds them there.
fn install() -> Programs {
    let lock = Path::new(env!("CARGO_TARGET_TMPDIR")).join("view-install.lock");
    let lock = File::create(lock).expect("a lock");
    lock.lock().expect("the lock");
    if let Some(programs) = find() {
        return programs;
    }
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(PACKAGES);
    if apt_get(&arguments).is_err() {
        apt_get(&["update"])
            .and_then(|()| apt_get(&arguments))
            .unwrap_or_else(|told| panic!("JUDICA_INSTALL=1: {told}"));
    }
    find().expect("the packages hold the programs")
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
