//! `cargo install`, from a folder and from a repository.

use std::path::Path;
use std::process::Command;

use crate::support::Place;
use crate::support::needs::{is, say};
use crate::{ran, root};

/// Both ways as `docs/install.md` says them, without optimisation. A folder is built with the crates
/// of the tests themselves (cargo lets go of its folder before it runs a test); a repository apart,
/// since cargo would take crates of the same name for those that are built already.
#[test]
fn cargo_installs_from_a_folder_and_from_a_repository() {
    if !is("JUDICA_CARGO_INSTALL", "1") {
        return say(
            "\nSKIPPED: cargo install, which builds for minutes: JUDICA_CARGO_INSTALL=1 runs it\n",
        );
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
        cargo.args(["--debug", "--force", "--root"]).arg(&installed);
        match from[0] {
            "--path" => cargo.env("CARGO_TARGET_DIR", target),
            _ => cargo.arg("judica-cli").env_remove("CARGO_TARGET_DIR"),
        };
        ran(cargo.current_dir(place.path(""))).exits(0);
        assert_eq!(place.names("installed/bin"), ["judica"]);
        let version = concat!("judica ", env!("CARGO_PKG_VERSION"));
        let judica = || Command::new(installed.join("bin/judica"));
        ran(judica().arg("--version")).exits(0).says(&[version]);
        // Protocols are built in: nothing of the sources is asked for.
        ran(judica().args(["demo", "--out"]).arg(place.path(from[0]))).exits(0);
    }
}
