//! `scripts/sbom`: the bill of materials names what the lock file pins, once, and no more.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::support::needs::{Needs, on_path};
use crate::{ran, root};

fn bill(package: &str) -> Value {
    let made = ran(Command::new("python3")
        .arg(root().join("scripts/sbom"))
        .arg(package));
    serde_json::from_str(&made.exits(0).stdout).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

#[test]
fn every_crate_is_named_with_its_licence_and_its_checksum() {
    let needs = Needs {
        suite: "the bill of materials",
        missing: "no Python",
        variable: "JUDICA_PYTHON",
        packages: &["python3"],
    };
    if needs.met(|| on_path("python3")).is_none() {
        return;
    }
    let bill = bill("judica-cli");
    assert_eq!(
        (&bill["bomFormat"], &bill["specVersion"]),
        (&"CycloneDX".into(), &"1.5".into())
    );
    let program = &bill["metadata"]["component"];
    assert_eq!(text(&program["version"]), env!("CARGO_PKG_VERSION"));

    let lock = std::fs::read_to_string(root().join("Cargo.lock")).expect("a lock file");
    let components = bill["components"].as_array().expect("a list");
    let mut names = BTreeSet::new();
    for component in components {
        let (name, version) = (text(&component["name"]), text(&component["version"]));
        let purl = format!("pkg:cargo/{name}@{version}");
        assert_eq!(text(&component["purl"]), purl);
        assert!(
            !text(&component["licenses"][0]["expression"]).contains('/'),
            "{name}"
        );
        let mut pinned = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        if !name.starts_with("judica-") {
            let checksum = text(&component["hashes"][0]["content"]);
            pinned += "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
            pinned += &format!("checksum = \"{checksum}\"\n");
        }
        assert!(lock.contains(&pinned), "{pinned}");
        assert!(names.insert(purl), "{name} {version} twice");
    }
    // Linked in by any path; on another system; what only tests use.
    let has = |name: &str| {
        names
            .iter()
            .any(|purl| purl.starts_with(&format!("pkg:cargo/{name}@")))
    };
    assert!(has("judica-model") && has("libsqlite3-sys") && has("windows-sys"));
    assert!(!has("assert_cmd") && !has("fantoccini") && !has("pyo3"));

    // Whatever is needed is in the bill, and whatever is in it says what it needs.
    names.insert(text(&program["purl"]).to_owned());
    let needed = bill["dependencies"].as_array().expect("a list");
    assert_eq!(needed.len(), names.len());
    for one in needed {
        for to in one["dependsOn"].as_array().expect("a list") {
            assert!(names.contains(text(to)), "{to}");
        }
    }
}
