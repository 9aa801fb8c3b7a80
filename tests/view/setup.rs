//! Chromium and chromedriver: found, installed where that was asked for, or loudly missed.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::support::needs::{Needs, on_path};

/// The two programs.
#[derive(Debug)]
pub struct Programs {
    pub browser: PathBuf,
    pub driver: PathBuf,
}

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const NEEDS: Needs<'_> = Needs {
    suite: "the tests of `judica view` in a browser",
    missing: "they need chromium, chromium-browser or google-chrome, and chromedriver, on the PATH",
    variable: "JUDICA_BROWSER",
    packages: &["chromium", "chromium-driver"],
};

/// Where they are; `None`, said once where everybody sees it, if tests go without a browser.
pub fn programs() -> Option<&'static Programs> {
    static FOUND: OnceLock<Option<Programs>> = OnceLock::new();
    FOUND.get_or_init(|| NEEDS.met(find)).as_ref()
}

fn find() -> Option<Programs> {
    let browser = BROWSERS.into_iter().find_map(on_path)?;
    let driver = on_path("chromedriver")?;
    Some(Programs { browser, driver })
}
