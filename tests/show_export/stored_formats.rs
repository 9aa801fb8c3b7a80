//! Run folders of versions that are not read any more say what to do: `tests/fixtures/run-v1`
//! was written once and is never written again.

use std::path::Path;

use crate::support::Place;

fn fixture() -> Place {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/run-v1");
    let bytes = std::fs::read(folder.join("manifest.json"));
    let bytes = bytes.expect("the fixture is part of the project");
    place.write("run/manifest.json", bytes);
    place
}

#[test]
fn a_run_of_version_1_is_to_be_made_again() {
    let place = fixture();
    for command in [
        "show run mon-06",
        "export run --format jsonl",
        "reproduce run",
    ] {
        place
            .judica(command)
            .exits(3)
            .complains(&["judica.run/1", "run the command again"]);
    }
}

#[test]
fn a_version_from_the_future_is_refused_by_name() {
    let place = fixture();
    let manifest = place.text("run/manifest.json");
    place.write(
        "run/manifest.json",
        manifest.replace("judica.run/1", "judica.run/9"),
    );
    place
        .judica("show run mon-06")
        .exits(3)
        .complains(&["judica.run/9", "judica.run/2"]);
}
