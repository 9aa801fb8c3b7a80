//! What every page looks like: by rules, light and dark, and as pictures for people.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::axe::{complaints, pale};
use crate::browser::Browser;
use crate::cases::CASES;
use crate::runs::{KINDS, Kind, empty, hostile, kind};
use crate::served::View;
use crate::support::Place;
use crate::walk::{one_of_each, path};

/// Where pictures go: people look at them before they call a page done.
fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("view-screenshots");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Keeps a picture of a page.
pub fn pictured(browser: &Browser, name: &str) {
    let name = format!("{name}.png").replace(['/', ' '], "-");
    std::fs::write(pictures().join(name), browser.picture()).expect("a picture");
}

/// Looks at every page of these runs, light and dark.
fn looked_at(kinds: impl Iterator<Item = Kind>) {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut wrong = Vec::new();
    for kind in kinds {
        let view = View::open(&kind.place, kind.view).indexed();
        browser.go(&view.url);
        for target in one_of_each(&view) {
            let filtered = if path(&target) == "/records" && target.contains('?') {
                "-filtered"
            } else {
                ""
            };
            let at = format!("{}{}{filtered}", kind.name, path(&target));
            browser.theme("light");
            browser.go(&format!("{}{target}", view.origin()));
            // What is folded is looked at as well.
            browser.run(
                "document.querySelectorAll('details').forEach(d => d.open = true)",
                vec![],
            );
            let mut found = complaints(&browser);
            found.extend(too_wide(&browser));
            browser.width(420);
            found.extend(too_wide(&browser).map(|what| format!("on a phone: {what}")));
            pictured(&browser, &format!("{at}-light"));
            browser.theme("dark");
            found.extend(pale(&browser));
            pictured(&browser, &format!("{at}-dark"));
            found.extend(browser.console());
            wrong.extend(found.into_iter().map(|what| format!("{at}: {what}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A run of unbroken names and of an answer of many lines.
fn long_names() -> Place {
    let place = Place::new();
    let models = ["m", "meta_llama_3_1_405b_instruct_turbo_fp8_seed_1", "n"]
        .map(|model| format!("{model}{}", "_awq_marlin".repeat(4)));
    let rows = models.iter().map(|model| {
        let said = "a line of it\n".repeat(90);
        json!({"id": format!("q{}", "w".repeat(40)), "model": model, "gold": "x",
            "dataset": format!("d{}", "z".repeat(60)), "prediction": said})
        .to_string()
    });
    place.write_lines("p.jsonl", &rows.collect::<Vec<_>>());
    place
        .judica("match --predictions p.jsonl --run run --keep-text")
        .exits(0);
    place
}

/// What of a printed page nobody would see, or should not be there.
const LOST: &str = "return [...document.querySelectorAll('pre, .scroll, table, form.filters')]
    .filter(e => e.getClientRects().length > 0)
    .filter(e => e.matches('form') || e.scrollHeight > e.clientHeight + 2
        || e.getBoundingClientRect().right > innerWidth || e.scrollWidth > e.clientWidth + 2)
    .map(e => e.outerHTML.slice(0, 120))";

#[test]
fn nothing_is_lost_on_paper_or_on_a_phone() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let place = long_names();
    let view = View::open(&place, "run").indexed();
    browser.go(&view.url);
    let kind = kind(0);
    let demo = View::open(&kind.place, kind.view).indexed();
    browser.go(&demo.url);
    for view in [&view, &demo] {
        for target in ["/", "/records", "/record?row=0", "/item?row=0", "/compare"] {
            browser.go(&format!("{}{target}", view.origin()));
            // A4 upright and lying, less its margins.
            browser.devtools("Emulation.setEmulatedMedia", json!({"media": "print"}));
            for width in [718, 1050] {
                browser.width(width);
                browser.comes_to(LOST, json!([]));
            }
            browser.devtools("Emulation.setEmulatedMedia", json!({"media": ""}));
            browser.width(320);
            assert_eq!(too_wide(&browser), None, "{target} on a phone");
        }
    }
    browser.go(&format!("{}/records", demo.origin()));
    let low = "return [...document.querySelectorAll('.facets li a')]
        .filter(a => a.getBoundingClientRect().height < 24).length";
    // The page may still be laid out as paper.
    browser.comes_to(low, json!(0));
}

/// A page that is wider than its window.
pub fn too_wide(browser: &Browser) -> Option<String> {
    let wide = browser.run(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth",
        vec![],
    );
    (wide.as_i64() > Some(0)).then(|| format!("{wide} pixels too wide"))
}

/// Every kind whose pages are not those of another.
fn half(odd: usize) -> impl Iterator<Item = Kind> {
    let alike = |at: &usize| {
        at.checked_sub(4)
            .is_some_and(|at| matches!(CASES[at].command, "eval" | "episodes"))
    };
    (0..KINDS)
        .filter(move |at| at % 2 == odd && !alike(at))
        .map(kind)
}

// In two halves, for two cores.
#[test]
fn nobody_is_shut_out_of_these() {
    looked_at(half(0));
}

#[test]
fn nobody_is_shut_out_of_those() {
    looked_at(half(1));
}

#[test]
fn nobody_is_shut_out_of_what_is_not_there() {
    looked_at(std::iter::once(empty()));
}

#[test]
fn what_means_harm_does_none() {
    let Some(browser) = Browser::start() else {
        return;
    };
    for kind in hostile() {
        let view = View::open(&kind.place, kind.view).indexed();
        browser.go(&view.url);
        for target in one_of_each(&view) {
            let at = format!(
                "{} {}",
                kind.name,
                target.chars().take(80).collect::<String>()
            );
            browser.go(&format!("{}{target}", view.origin()));
            let title = browser.title();
            assert!(title.ends_with(" · judica"), "{at}: {title}");
            let found = browser.run(
                "return {scripts: [...document.scripts].map(s => s.src),
                    strange: [...document.querySelectorAll('img:not([src^=\"/\"]), base, iframe, object, style, meta[http-equiv]')].length,
                    links: [...document.links].filter(a => a.origin !== location.origin).length,
                    handlers: [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length,
                    hidden: /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]/.exec(document.documentElement.outerHTML)?.[0] ?? null,
                    wide: document.documentElement.scrollWidth > document.documentElement.clientWidth}",
                vec![],
            );
            let expected = json!({"scripts": [format!("{}/view.js", view.origin())], "strange": 0, "links": 0,
                "handlers": 0, "hidden": null, "wide": false});
            assert_eq!(found, expected, "{at}");
            assert_eq!(browser.console(), Vec::<String>::new(), "{at}");
            pictured(&browser, &format!("{}{}", kind.name, path(&target)));
        }
    }
}
