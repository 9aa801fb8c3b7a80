//! Symbolic links are not followed, wherever they lead.
#![cfg(unix)]

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::gate::data::{each, evaluated, fractions, golden, output, query, with};

#[test]
fn links_are_named_and_lead_nowhere() {
    let bare = with(
        output("a", "known"),
        "steps",
        json!([{"id": "s1"}, {"id": "s2"}]),
    );
    let place = golden(&[query("known", &["e1"], true)], &[("a", bare)]);
    // Outside stands what would make everything pass, or what must not be read.
    place.write("outside/output.json", output("secret", "known").to_string());
    place.write("outside/s1.json", "{\"secret\": true}");
    place.write("runs/a/manifests/s2.json", "{}");
    let link = |to: &str, at: &str| {
        let at = place.path(at);
        std::fs::create_dir_all(at.parent().expect("a folder")).expect("a folder");
        symlink(to, at).expect("a link");
    };
    link("../../../outside/s1.json", "runs/a/manifests/s1.json");
    link("../outside", "runs/linked");
    link("../outside/output.json", "runs/linked.json");
    link("nowhere", "runs/dangling.json");
    link("..", "runs/loop");
    link("../../outside/output.json", "runs/b/output.json");
    link("../../outside", "runs/b/manifests");
    let report = evaluated(&place, 1);
    assert_eq!(fractions(&report), ["1/1", "1/1", "0/0", "1/2"]);
    assert_eq!(each(&report["per_run"], "run_id"), ["a", "b"]);
    assert_eq!(each(&report["malformed_runs"], "file"), ["b/output.json"]);
    assert_eq!(
        report["skipped_links"],
        json!([
            "dangling.json",
            "linked",
            "linked.json",
            "loop",
            "a/manifests/s1.json",
            "b/manifests",
            "b/output.json"
        ])
    );
    assert!(!report.to_string().contains("secret"));
    // A link to the folder itself is what the user asked for.
    link("runs", "latest");
    let ran = place.judica("gate golden --golden golden.json --outputs latest --json");
    assert_eq!(crate::gate::data::report(&ran.exits(1)), report);
}
