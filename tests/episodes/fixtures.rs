//! Eval files of every version, read by everything that reads eval files.

use crate::data::fixtures;
use crate::support::{Place, names};

/// Whether a fixture is one that must be refused.
fn is_bad(name: &str) -> bool {
    name.starts_with("invalid-") || name.starts_with("v2.")
}

#[test]
fn old_and_new_files_are_compared_drawn_and_aggregated() {
    let place = Place::new();
    let all = names(&fixtures());
    assert!(all.len() >= 10);
    for name in &all {
        place.write(
            name,
            std::fs::read(fixtures().join(name)).expect("a fixture"),
        );
        let code = if is_bad(name) { 2 } else { 0 };
        let with = "v1.0-marked.json";
        place.write(
            with,
            std::fs::read(fixtures().join(with)).expect("a fixture"),
        );
        for line in [
            format!("compare --files {with} {name} --labels a b"),
            format!("plot --files {name} --output f.svg"),
            format!("aggregate --files {name} --strict"),
        ] {
            let ran = place.judica(&line).exits(code);
            if code == 2 {
                ran.complains(&[&format!("{name}:"), "/"]);
            }
        }
    }
}

#[test]
fn a_metric_of_a_later_version_can_be_drawn() {
    let place = Place::new();
    let name = "v1.7-future-minor.json";
    place.write(
        name,
        std::fs::read(fixtures().join(name)).expect("a fixture"),
    );
    place
        .judica(&format!(
            "plot --files {name} --metrics grounding_iou --output f.svg"
        ))
        .exits(0);
    let figure = place.text("f.svg");
    assert!(
        figure.contains("grounding iou") && figure.contains("0.61"),
        "no bar"
    );
    // And its interval.
    assert!(figure.contains("0.55"), "no whisker");
}
