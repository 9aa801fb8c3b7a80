//! Cache files that are broken, foreign or in the way: named, and left as they are.

use crate::judge::data::{judge, place_with, yes};

#[test]
fn a_file_that_is_no_cache_is_left_as_it_is() {
    let (place, server) = (place_with(2), yes());
    judge(&place, &server, "--cache good.sqlite3").exits(0);
    let good = place.read("good.sqlite3");
    let mut torn = good.clone();
    torn.truncate(good.len() / 2 + 7);
    let mut other_program = good.clone();
    // The application's number in the header of a SQLite file.
    other_program[68..72].copy_from_slice(b"ABCD");
    let mut newer = good.clone();
    // The version of the format.
    newer[60..64].copy_from_slice(&99u32.to_be_bytes());
    for (name, bytes, word) in [
        ("text", b"these are my notes, not a database, and longer than a header of 100 bytes of SQLite, for sure, yes".to_vec(), "damaged"),
        ("torn", torn, "damaged"),
        ("other", other_program, "another program"),
        ("newer", newer, "format 99"),
    ] {
        place.write(name, &bytes);
        judge(&place, &server, &format!("--overwrite --cache {name}"))
            .exits(3)
            .complains(&["SYSTEM_ERROR", name, word]);
        assert!(place.read(name) == bytes, "{name} was touched");
        judge(&place, &server, &format!("--dry-run --overwrite --cache {name}")).exits(3);
        assert!(place.read(name) == bytes, "{name} was touched");
    }
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_folder_is_no_cache() {
    let (place, server) = (place_with(1), yes());
    judge(&place, &server, "--cache preds")
        .exits(2)
        .complains(&["preds", "cache"]);
    assert!(server.requests().is_empty());
}

#[test]
fn an_out_that_is_a_file_is_refused_before_anybody_is_asked() {
    let (place, server) = (place_with(1), yes());
    place.write("judged", "mine");
    judge(&place, &server, "").exits(3).complains(&["judged"]);
    assert_eq!(place.text("judged"), "mine");
    assert!(server.requests().is_empty());
}
