//! What every page looks like: by rules, light and dark, and as pictures for people.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::axe::complaints;
use crate::browser::Browser;
use crate::runs::{Kind, empty, every_kind, hostile};
use crate::served::View;
use crate::walk::{one_of_each, path, walked};

/// Where pictures go: people look at them before they call a page done.
pub fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("view-screenshots");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Looks at every page of these runs, in light or dark.
fn looked_at(kinds: &[Kind], scheme: &str) {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut wrong = Vec::new();
    for kind in kinds {
        let view = View::open(&kind.place, kind.view).indexed();
        browser.go(&view.url);
        browser.theme(scheme);
        for target in one_of_each(&walked(&view)) {
            let at = format!(
                "{} {}",
                kind.name,
                target.chars().take(80).collect::<String>()
            );
            browser.go(&format!("{}{target}", view.origin()));
            let title = browser.title();
            if !title.ends_with(" · judica") {
                wrong.push(format!("{at}: its title is {title}"));
            }
            // What is folded is looked at as well.
            browser.run(
                "document.querySelectorAll('details').forEach(d => d.open = true)",
                vec![],
            );
            let wide = browser.run(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth",
                vec![],
            );
            if wide.as_i64() > Some(0) {
                wrong.push(format!("{at}: {wide} pixels too wide"));
            }
            wrong.extend(
                complaints(&browser)
                    .into_iter()
                    .map(|what| format!("{at}: {what}")),
            );
            wrong.extend(
                browser
                    .console()
                    .into_iter()
                    .map(|what| format!("{at}: {what}")),
            );
            let filtered = if target.contains('?') { "-with" } else { "" };
            let name = format!("{}{}{filtered}-{scheme}.png", kind.name, path(&target))
                .replace(['/', ' '], "-");
            std::fs::write(pictures().join(name), browser.picture()).expect("a picture");
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn nobody_is_shut_out_in_the_light() {
    looked_at(&every_kind(), "light");
}

#[test]
fn nobody_is_shut_out_in_the_dark() {
    looked_at(&every_kind(), "dark");
}

#[test]
fn nobody_is_shut_out_by_what_is_not_there() {
    looked_at(&[empty()], "light");
}

#[test]
fn what_means_harm_does_none() {
    let Some(browser) = Browser::start() else {
        return;
    };
    for kind in hostile() {
        let view = View::open(&kind.place, kind.view).indexed();
        browser.go(&view.url);
        for target in one_of_each(&walked(&view)) {
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
            let name = format!("{}{}.png", kind.name, path(&target)).replace(['/', ' '], "-");
            std::fs::write(pictures().join(name), browser.picture()).expect("a picture");
        }
    }
}
