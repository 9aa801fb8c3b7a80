//! The `Dockerfile`, built and run by whatever builds images here.

use std::process::Command;

use crate::support::Place;
use crate::support::needs::{Needs, say};
use crate::{ran, root};

/// A program that builds and runs images, and works.
fn builder() -> Option<&'static str> {
    let works = |name: &&str| {
        Command::new(name)
            .arg("info")
            .output()
            .is_ok_and(|ran| ran.status.success())
    };
    ["docker", "podman"].into_iter().find(works)
}

#[test]
fn the_image_holds_the_program_and_runs_it_as_nobody() {
    let Some(builder) = builder() else {
        let needs = Needs {
            suite: "the container image",
            missing: "neither docker nor podman can build images here",
            variable: "JUDICA_DOCKER",
            packages: &[],
        };
        return needs.missed();
    };
    let docker = || Command::new(builder);
    say(&format!(
        "\nthe image is built by {builder}, which takes minutes\n"
    ));
    ran(docker()
        .args(["build", "-q", "-t", "judica-test"])
        .arg(root()))
    .exits(0);
    let inspected =
        ran(docker().args(["image", "inspect", "-f", "{{.Config.User}}", "judica-test"]));
    assert_eq!(inspected.exits(0).stdout.trim(), "65534:65534");
    let version = concat!("judica ", env!("CARGO_PKG_VERSION"));
    ran(docker().args(["run", "--rm", "judica-test", "--version"]))
        .exits(0)
        .says(&[version]);
    ran(docker().args(["run", "--rm", "judica-test", "demo"])).exits(0);
    ran(docker().args(["run", "--rm", "judica-test", "no-such-command"])).exits(2);

    // As the file says how to run it: what is mounted is where it works.
    let place = Place::new();
    place.write("p.jsonl", r#"{"id": "a", "gold": "1", "prediction": "1"}"#);
    let id = |which: &str| ran(Command::new("id").arg(which)).stdout.trim().to_owned();
    let (user, mounted) = (
        format!("{}:{}", id("-u"), id("-g")),
        format!("{}:/data", place.path("").display()),
    );
    let words = ["match", "--predictions", "p.jsonl", "--run", "run"];
    ran(docker()
        .args([
            "run",
            "--rm",
            "--user",
            &user,
            "-v",
            &mounted,
            "judica-test",
        ])
        .args(words))
    .exits(0);
    assert!(place.path("run/manifest.json").exists());
    ran(docker().args(["rmi", "judica-test"])).exits(0);
}

/// The build sees what it needs: the list of what is sent is the list of what is there.
#[test]
fn what_is_sent_to_the_builder_is_there() {
    let text = std::fs::read_to_string(root().join(".dockerignore")).expect("a list");
    let sent: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix('!'))
        .collect();
    assert!(text.lines().any(|line| line == "*") && sent.contains(&"Cargo.lock"));
    for name in sent {
        assert!(root().join(name).exists(), "{name}");
    }
}
