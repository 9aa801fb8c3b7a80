//! Who may know whom, and where memory is handled by hand.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the rooms, and what stands in their manifests.
fn rooms() -> Vec<(String, String)> {
    let folders = fs::read_dir(root().join("crates")).unwrap();
    let mut rooms: Vec<_> = folders
        .map(|folder| {
            let folder = folder.unwrap().path();
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(folder.join("Cargo.toml")).unwrap())
        })
        .collect();
    rooms.sort();
    assert!(rooms.len() > 10, "{rooms:?}");
    rooms
}

#[test]
fn py_knows_cli_and_nobody_knows_py() {
    for (room, manifest) in rooms() {
        let knows = |other: &str| {
            let begins = [format!("{other}."), format!("{other} ")];
            let mut lines = manifest.lines();
            lines.any(|line| begins.iter().any(|begin| line.starts_with(begin)))
        };
        assert!(!knows("judica-py"), "{room} knows judica-py");
        assert_eq!(knows("judica-cli"), room == "judica-py", "{room}");
        assert_eq!(knows("pyo3"), room == "judica-py", "{room}");
    }
}

/// How texts are compared hangs on no family, so that two of them can use it.
#[test]
fn text_knows_data_alone() {
    let rooms = rooms();
    let (_, manifest) = rooms
        .iter()
        .find(|(room, _)| room == "judica-text")
        .unwrap();
    let known = manifest.lines().filter(|line| line.starts_with("judica-"));
    assert_eq!(known.collect::<Vec<_>>(), ["judica-data.workspace = true"]);
    for (room, manifest) in &rooms {
        let knows = manifest.contains("judica-text.workspace");
        let may = ["judica-answer", "judica-cli", "judica-verify"];
        assert!(!knows || may.contains(&room.as_str()), "{room}");
    }
}

/// A build of the program builds no Python, and a new room is not forgotten.
#[test]
fn all_rooms_but_py_are_built_by_default() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.split("default-members = [").nth(1).unwrap();
    let members = members.split(']').next().unwrap();
    for (room, _) in rooms() {
        let listed = members.contains(&format!("\"crates/{room}\""));
        assert_eq!(listed, room != "judica-py", "{room}");
    }
}

/// Each of these says beside it why it is sound.
#[test]
fn unsafe_stands_in_four_files() {
    let mut found = Vec::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                if text.contains("unsafe {") || text.contains("unsafe fn") {
                    found.push(path.file_name().unwrap().to_str().unwrap().to_owned());
                }
            }
        }
    }
    found.sort();
    assert_eq!(found, ["arrays.rs", "arrow.rs", "resampled.rs", "text.rs"]);
}

/// Windows has devices by some names, whatever follows a dot, and takes names that differ in
/// case for one: git refuses to check them out there, and with one of them all the rest.
#[test]
fn every_file_can_be_checked_out_on_windows() {
    let mut listing = std::process::Command::new("git");
    let listed = listing
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output();
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else {
        return; // Sources without their history.
    };
    let names = String::from_utf8(listed.stdout).expect("text");
    let mut seen = std::collections::BTreeSet::new();
    for name in names.split_terminator('\0') {
        assert!(
            seen.insert(name.to_lowercase()),
            "{name}: twice but for case"
        );
        for part in name.split('/') {
            let stem = part.split('.').next().unwrap_or_default().to_lowercase();
            let port = matches!(stem.as_bytes(), [b'c', b'o', b'm', b'0'..=b'9'])
                || matches!(stem.as_bytes(), [b'l', b'p', b't', b'0'..=b'9']);
            let device = port || ["con", "prn", "aux", "nul"].contains(&stem.as_str());
            let refused = |c: char| c < ' ' || "<>:\"|?*\\".contains(c);
            let ends = part.ends_with([' ', '.']);
            assert!(!device && !part.contains(refused) && !ends, "{name}");
        }
    }
}
