//! `cargo install`, from a folder and from a repository.

use std::path::Path;
use std::process::Command;

use crate::support::Place;
use crate::support::needs::{Needs, is};
use crate::{ran, root};

/// Both ways as `docs/install.md` says them, without optimisation and with the crates of the tests
/// themselves: cargo lets go of its folder before it runs a test.
#[test]
fn cargo_installs_from_a_folder_and_from_a_repository() {
    if !is("JUDICA_CARGO_INSTALL", "required") {
        let needs = Needs {
            suite: "cargo install",
            missing: "it builds the program twice",
            variable: "JUDICA_CARGO_INSTALL",
            packages: &[],
        };
        return needs.missed();
    }
    let place = Place::new();
    let clone = place.path("judica.git");
    ran(Command::new("git")
        .args(["clone", "-q", "--bare"])
        .arg(root())
        .arg(&clone))
    .exits(0);
    let repository = format!("file://{}", clone.display());
    let folder = root().join("crates/judica-cli").display().to_string();
    for from in [
        ["--path", &folder, "--locked"],
        ["--git", &repository, "--locked"],
    ] {
        let installed = place.path("installed");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .parent()
            .expect("a folder");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.arg("install").args(from);
        if from[0] == "--git" {
            cargo.arg("judica-cli");
        }
        cargo.args(["--debug", "--force", "--root"]).arg(&installed);
        // What the wheel and others bring along is not the program's.
        ran(cargo
            .env("CARGO_TARGET_DIR", target)
            .current_dir(place.path("")))
        .exits(0);
        assert_eq!(place.names("installed/bin"), ["judica"]);
        let version = concat!("judica ", env!("CARGO_PKG_VERSION"));
        let judica = || Command::new(installed.join("bin/judica"));
        ran(judica().arg("--version")).exits(0).says(&[version]);
        // Protocols are built in: nothing of the sources is asked for.
        ran(judica().args(["demo", "--out"]).arg(place.path(from[0]))).exits(0);
    }
}
