//! Run folders of every published format version stay readable: `tests/fixtures/run-v1`
//! was written once and is never written again.

use std::path::Path;

use crate::support::Place;

fn fixture() -> Place {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/run-v1");
    for name in [
        "manifest.json",
        "protocol.toml",
        "records.jsonl",
        "records.parquet",
        "rejects.jsonl",
        "report.json",
    ] {
        let bytes = std::fs::read(folder.join(name)).expect("the fixture is part of the project");
        place.write(&format!("run/{name}"), bytes);
    }
    place
}

#[test]
fn the_table_of_version_1_gives_the_records_that_were_stored_beside_it() {
    let place = fixture();
    let exported = place.judica("export run --format jsonl").exits(0).stdout;
    assert_eq!(exported, place.text("run/records.jsonl"));
}

#[test]
fn the_lines_of_version_1_are_read_where_there_is_no_table() {
    let place = fixture();
    let manifest = place.text("run/manifest.json");
    place.write(
        "run/manifest.json",
        manifest.replacen("\"records.parquet\",", "", 1),
    );
    std::fs::remove_file(place.path("run/records.parquet")).expect("the copy can be removed");
    let exported = place.judica("export run --format jsonl").exits(0).stdout;
    assert_eq!(exported, place.text("run/records.jsonl"));
}

#[test]
fn the_summary_of_version_1_gives_its_tables() {
    let place = fixture();
    place
        .judica("export run --format markdown")
        .exits(0)
        .says(&["Model performance", "Tail risk", "north", "south"]);
    place
        .judica("show run mon-06 --model south")
        .exits(0)
        .says(&["physics.saturation cites EVID_012"]);
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
        .complains(&["judica.run/9", "judica.run/1"]);
}
