//! `judica report --html`: one file that needs nothing else.

use crate::axe::{complaints, pale};
use crate::browser::{Browser, Wishes};
use crate::looks::{pictured, too_wide};
use crate::runs::{empty, every_kind, hostile};
use crate::support::Place;
use crate::walk::values;

/// A file may have this many bytes.
const MOST: usize = 2_000_000;

/// Writes the report, and insists on what holds of every one.
#[track_caller]
fn written(place: &Place, arguments: &str, name: &str) -> String {
    for (file, threads) in [("one.html", 1), ("other.html", 3)] {
        place
            .judica(&format!(
                "report {arguments} --html {file} --threads {threads}"
            ))
            .exits(0);
    }
    let html = place.text("one.html");
    assert!(
        html == place.text("other.html"),
        "{name}: other bytes by another number of threads"
    );
    assert!(html.len() < MOST, "{name}: {} bytes", html.len());
    for word in [
        "<script",
        "<link",
        "<iframe",
        "javascript:document.title='x'\">",
        "\u{202e}",
        "\u{1b}",
        "\0",
    ] {
        assert!(!html.contains(word), "{name} has {word:?}");
    }
    let ids = values(&html, "id");
    for link in values(&html, "href")
        .into_iter()
        .chain(values(&html, "src"))
    {
        let own = link
            .strip_prefix('#')
            .is_some_and(|id| ids.iter().any(|known| known == id));
        assert!(own || link.starts_with("data:"), "{name} leads to {link}");
    }
    html
}

fn arguments(view: &str) -> String {
    match view.split_once(' ') {
        Some((a, b)) => format!("{b} --against {a}"),
        None => view.to_owned(),
    }
}

#[test]
fn a_report_in_one_file_asks_for_nothing() {
    let wishes = Wishes {
        requests: true,
        ..Wishes::default()
    };
    let browser = Browser::with(&wishes);
    let mut wrong = Vec::new();
    for kind in every_kind() {
        written(&kind.place, &arguments(kind.view), kind.name);
        let Some(browser) = &browser else {
            continue;
        };
        let url = format!("file://{}", kind.place.path("one.html").display());
        browser.go("about:blank");
        browser.requested();
        browser.go(&url);
        assert_eq!(browser.requested(), [url], "{}", kind.name);
        assert_eq!(browser.texts("h1").len(), 1, "{}", kind.name);
        // These are made of the same parts as others.
        if matches!(
            kind.name,
            "weather" | "eval" | "episodes" | "match" | "agree judges"
        ) {
            wrong.extend(browser.console());
            continue;
        }
        let mut found = complaints(browser);
        found.extend(too_wide(browser));
        pictured(browser, &format!("report {} light", kind.name));
        browser.theme("dark");
        // The colours are those of the pages, and one file has them all.
        if kind.name == "demo" {
            found.extend(pale(browser));
        }
        pictured(browser, &format!("report {} dark", kind.name));
        browser.theme("light");
        wrong.extend(
            found
                .into_iter()
                .map(|what| format!("{}: {what}", kind.name)),
        );
        wrong.extend(browser.console());
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_report_of_what_means_harm_does_none() {
    let wishes = Wishes {
        requests: true,
        ..Wishes::default()
    };
    let browser = Browser::with(&wishes);
    let mut kinds = hostile();
    kinds.push(empty());
    for kind in kinds {
        written(&kind.place, kind.view, kind.name);
        let Some(browser) = &browser else {
            continue;
        };
        let url = format!("file://{}", kind.place.path("one.html").display());
        browser.go("about:blank");
        browser.requested();
        browser.go(&url);
        assert_eq!(browser.requested(), [url], "{}", kind.name);
        assert!(
            browser.title().contains("judica"),
            "{}: {}",
            kind.name,
            browser.title()
        );
        assert_eq!(browser.console(), Vec::<String>::new(), "{}", kind.name);
    }
}
