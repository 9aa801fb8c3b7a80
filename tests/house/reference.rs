//! `judica reference`: pages that the program makes of itself, and those that are kept.

use std::process::Command;

use crate::support::{Place, note};

/// Where the book has them.
const KEPT: &str = "docs/book/src/reference";

#[test]
fn the_pages_of_the_book_are_current() {
    let place = Place::new();
    let write = "reference --format markdown --out";
    place
        .judica(&format!("{write} a"))
        .exits(0)
        .says(&["3 pages"]);
    for name in ["commands.md", "rules.md", "schemas.md"] {
        let kept = format!("{}/../../{KEPT}/{name}", env!("CARGO_MANIFEST_DIR"));
        let kept = std::fs::read_to_string(&kept).unwrap_or_default();
        assert!(
            kept == place.text(&format!("a/{name}")),
            "{KEPT}/{name} is old; this makes it new: cargo run -- {write} {KEPT}"
        );
    }
    assert_eq!(place.names("a").len(), 3);
}

#[test]
fn every_command_has_a_man_page() {
    let place = Place::new();
    place.judica("reference --format man --out man").exits(0);
    let pages = place.names("man");
    for name in [
        "judica.1",
        "judica-eval.1",
        "judica-agree-pairs.1",
        "judica-reference.1",
    ] {
        assert!(pages.contains(&name.to_owned()), "{pages:?}");
    }
    assert!(!pages.iter().any(|name| name.contains("help")), "{pages:?}");
    let eval = place.text("man/judica-eval.1");
    assert!(eval.contains(".TH judica-eval 1"), "{eval}");
    assert!(
        eval.contains("judica eval \\-\\-protocol docs/examples"),
        "{eval}"
    );
    // Whoever formats pages on this machine takes them without a word.
    for page in &pages {
        let file = place.path(&format!("man/{page}"));
        match Command::new("groff")
            .args(["-K", "utf8", "-man", "-Tutf8", "-ww", "-z"])
            .arg(file)
            .output()
        {
            Ok(said) => assert!(
                said.status.success() && said.stderr.is_empty(),
                "{page}: {}",
                String::from_utf8_lossy(&said.stderr)
            ),
            Err(_) => return note("groff is not here, man pages were not formatted"),
        }
    }
}
