//! What people do: look, filter, follow a failure to its evidence. With scripts and without.

use serde_json::{Value, json};

use crate::browser::{Browser, Wishes};
use crate::runs::{Kind, demo, every_kind};
use crate::served::View;

/// A browser on the first page of a run.
fn entered(kind: &Kind, wishes: &Wishes) -> Option<(View, Browser)> {
    let browser = Browser::with(wishes)?;
    let view = View::open(&kind.place, kind.view).indexed();
    browser.go(&view.url);
    // The token is gone from the address.
    assert_eq!(browser.url(), format!("{}/", view.origin()));
    Some((view, browser))
}

/// With scripts, and without them.
fn both_ways(tour: impl Fn(&View, &Browser)) {
    let kind = demo();
    for no_script in [false, true] {
        let wishes = Wishes {
            no_script,
            ..Wishes::default()
        };
        let Some((view, browser)) = entered(&kind, &wishes) else {
            return;
        };
        tour(&view, &browser);
        assert_eq!(
            browser.console(),
            Vec::<String>::new(),
            "no script: {no_script}"
        );
    }
}

/// Rows of cells as they are written in a page, without what is drawn.
const ROWS: &str = "return [...document.querySelectorAll(arguments[0])].map(row =>
    [...row.querySelectorAll('th, td:not(.drawn)')].map(cell => cell.textContent))";

fn rows(browser: &Browser, css: &str) -> Vec<Vec<String>> {
    let rows = browser.run(ROWS, vec![json!(css)]);
    serde_json::from_value(rows).expect("rows of text")
}

/// The rows of tables in Markdown.
fn markdown(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
        for c in line.trim().chars().skip(1) {
            match c {
                '\\' if !escaped => escaped = true,
                '|' if !escaped => cells.push(std::mem::take(&mut cell).trim().to_owned()),
                c => {
                    escaped = false;
                    cell.push(c);
                }
            }
        }
        cells
    };
    let lines = text
        .lines()
        .filter(|line| line.starts_with('|') && !line.contains("---"));
    lines.map(cells).collect()
}

#[test]
fn cells_equal_the_report() {
    let Some(browser) = Browser::start() else {
        return;
    };
    for kind in every_kind() {
        let run = kind.view.split(' ').next().expect("a run");
        let view = View::open(&kind.place, kind.view).indexed();
        browser.go(&view.url);
        let told = kind
            .place
            .judica(&format!("export {run} --format markdown"))
            .exits(0);
        let expected = markdown(&told.stdout);
        assert!(!expected.is_empty(), "{}", kind.name);
        assert_eq!(
            rows(&browser, "section.table tr"),
            expected,
            "{}",
            kind.name
        );
        if kind.name == "demo" {
            leaderboard(&browser, &kind.place.json("demo/run/report.json"));
        }
    }
    assert_eq!(browser.console(), Vec::<String>::new());
}

/// The same by hand, from the numbers themselves.
fn leaderboard(browser: &Browser, report: &Value) {
    let found = rows(browser, "section.table:first-of-type tbody tr");
    let models = report["leaderboard"].as_array().expect("models");
    for (model, found) in models.iter().zip(&found) {
        let number = |key: &str| model[key].as_f64().expect("a number");
        let ci = [0, 1].map(|at| model["ci"][at].as_f64().expect("an end"));
        let expected = [
            model["rank"].to_string(),
            model["model_name"].as_str().expect("a name").to_owned(),
            format!("{:.2} [{:.2}, {:.2}]", number("mean_total"), ci[0], ci[1]),
            format!("{:.1}%", number("eligibility_rate")),
            format!("{:.2}", number("mean_total_eligible")),
            model["n"].to_string(),
        ];
        assert_eq!(found, &expected);
    }
    assert_eq!(models.len(), 5);
}

#[test]
fn a_filter_is_an_address_that_can_be_sent() {
    both_ways(|view, browser| {
        browser.follow(&browser.link("Records"));
        let count = || browser.texts("#count strong").concat();
        assert_eq!(count(), "200 records");
        // By a facet.
        browser.follow(&browser.find(".facets a[href*='verdict=fail']"));
        assert_eq!(
            browser.url(),
            format!("{}/records?verdict=fail", view.origin())
        );
        let failing = count();
        let shown = view.get("/records.json?verdict=fail").json()["total"].to_string();
        assert_eq!(failing, format!("{shown} records"));
        let verdicts = browser.texts("tbody .badge");
        assert!(
            !verdicts.is_empty() && verdicts.iter().all(|word| word == "fail"),
            "{verdicts:?}"
        );
        // By words.
        let item = browser.find("#item");
        browser.wait(item.send_keys("M1_"));
        browser.follow(&browser.find("form.filters button"));
        let url = browser.url();
        assert!(
            url.contains("verdict=fail") && url.contains("item=M1_"),
            "{url}"
        );
        let both = count();
        assert_ne!(both, failing);
        let items = browser.texts("tbody a[data-row]");
        assert!(items.iter().all(|item| item.contains("M1_")), "{items:?}");
        // What a colleague sees.
        browser.reload();
        assert_eq!(
            (count(), browser.texts("tbody a[data-row]")),
            (both.clone(), items)
        );
        assert_eq!(browser.url(), url);
        let counts = |words: &str| {
            let script = "return document.querySelector('#count strong').textContent";
            browser.comes_to(script, json!(words));
        };
        browser.back();
        counts(&failing);
        browser.back();
        counts("200 records");
        // Page by page.
        browser.follow(&browser.link("Next page"));
        assert!(browser.texts("#count").concat().contains("51 to 100"));
        browser.follow(&browser.link("First page"));
        assert!(browser.texts("#count").concat().contains("1 to 50"));
        // And a filter is taken away where it is named.
        browser.go(&url);
        browser.follow(&browser.find(".chips a[href*='verdict=fail']"));
        assert!(!browser.url().contains("item="), "{}", browser.url());
        assert_eq!(count(), failing);
    });
}

/// Whether what the address points at is there to be seen.
#[track_caller]
fn target_is_seen(browser: &Browser) -> String {
    let fragment = browser
        .url()
        .split_once('#')
        .expect("a fragment")
        .1
        .to_owned();
    let target = browser.find(":target");
    assert!(
        browser.wait(target.is_displayed()),
        "#{fragment} is folded away"
    );
    let seen = browser.run(
        "const box = document.querySelector(':target').getBoundingClientRect();
         return box.height > 0 && box.bottom > 0 && box.top < innerHeight",
        vec![],
    );
    assert_eq!(seen, json!(true), "#{fragment} is out of sight");
    assert_eq!(browser.wait(target.attr("id")), Some(fragment));
    browser.wait(target.text())
}

#[test]
fn a_rule_leads_to_its_evidence() {
    both_ways(|_, browser| {
        browser.follow(&browser.link("Rules"));
        let rule = browser.find("tbody a[href*='rule=']");
        let name = browser.wait(rule.text());
        browser.follow(&rule);
        let failed = browser.texts("tbody tr td:last-child");
        assert!(
            !failed.is_empty() && failed.iter().any(|cell| cell.contains(&name)),
            "{failed:?}"
        );
        browser.follow(&browser.find("tbody a[data-row]"));
        // Why it failed stands first, and in sight.
        let top = browser.run(
            "return document.querySelector('main section.table').getBoundingClientRect().bottom < innerHeight",
            vec![],
        );
        assert_eq!(top, json!(true), "reasons are out of sight");
        assert_eq!(
            browser
                .texts("main section.table h2")
                .first()
                .map(String::as_str),
            Some("Reasons")
        );
        let citation = browser.find("section.table a[href^='#']");
        let cited = browser.wait(citation.text());
        browser.click(&citation);
        assert!(browser.url().ends_with(&format!("#{cited}")));
        let atom = target_is_seen(browser);
        assert!(atom.contains(&cited) && atom.contains("critical"), "{atom}");
        // One that passed is unfolded.
        let passed = browser.run(
            "const link = [...document.querySelectorAll(\"section.table a[href^='#']\")].find(link =>
                 document.getElementById(link.hash.slice(1)).closest('details'));
             return link ? link.getAttribute('href') : null",
            vec![],
        );
        if let Some(passed) = passed.as_str() {
            browser.click(&browser.find(&format!("section.table a[href='{passed}']")));
            target_is_seen(browser);
        }
        // From one failure to the next, and back to the list.
        let first = browser.texts("h1");
        browser.follow(&browser.find("a[rel=next]"));
        assert_ne!(browser.texts("h1"), first);
        browser.follow(&browser.find("a[rel=prev]"));
        assert_eq!(browser.texts("h1"), first);
        browser.follow(&browser.find("a[rel=up]"));
        assert!(browser.url().contains("rule="), "{}", browser.url());
    });
}

#[test]
fn the_worst_record_is_two_clicks_away() {
    both_ways(|_, browser| {
        // From the first page to the worst record, to another's answer to the same question.
        browser.follow(&browser.find("tbody a[data-row]"));
        assert_eq!(browser.texts("dl.facts .badge"), ["fail"]);
        assert!(!browser.texts(".atom").is_empty());
        browser.follow(&browser.find("a[href^='/item?']"));
        assert!(
            browser
                .texts("h2")
                .iter()
                .any(|title| title.starts_with("What differs"))
        );
        browser.follow(&browser.link("Compare"));
        assert!(!browser.texts("table").is_empty());
        for page in ["Rules", "Metrics", "Labels", "Rejects", "About", "Run"] {
            browser.follow(&browser.link(page));
            assert_eq!(browser.texts("h1").len(), 1, "{page}");
            assert!(
                browser.title().ends_with(" · judica"),
                "{page}: {}",
                browser.title()
            );
        }
    });
}

#[test]
fn everything_is_at_the_keys() {
    let kind = demo();
    let Some((_view, browser)) = entered(&kind, &Wishes::default()) else {
        return;
    };
    let at = |path: &str| browser.comes_to("return location.pathname + location.hash", json!(path));
    let focus =
        |item: &str| browser.comes_to("return document.activeElement.textContent", json!(item));
    let shown = |item: &str| {
        let script = "return document.querySelector('h1').textContent.split(' ')[0]";
        browser.comes_to(script, json!(item));
    };
    let listed = |from: u64, to: u64| {
        let script = "return document.querySelector('#count').textContent.split(': ')[1]";
        browser.comes_to(script, json!(format!("{from} to {to}")));
    };
    browser.press("r");
    at("/records");
    let items = browser.texts("tbody a[data-row]");
    browser.press("j");
    focus(&items[0]);
    browser.press("j");
    browser.press("j");
    browser.press("k");
    focus(&items[1]);
    // Enter.
    browser.press("\u{e007}");
    shown(&items[1]);
    browser.press("n");
    shown(&items[2]);
    browser.press("p");
    shown(&items[1]);
    browser.press("k");
    shown(&items[0]);
    browser.press("j");
    shown(&items[1]);
    browser.press("u");
    at("/records");
    // In a field, letters are letters.
    browser.press("/");
    browser.comes_to("return document.activeElement.id", json!("item"));
    browser.press("njkr/?");
    browser.comes_to(
        "return document.getElementById('item').value",
        json!("njkr/?"),
    );
    at("/records");
    // Escape.
    browser.press("\u{e00c}");
    browser.press("n");
    listed(51, 100);
    browser.press("?");
    at("/about#keys");
    target_is_seen(&browser);
    let keys = browser.texts("kbd");
    for key in ["j", "k", "n", "p", "u", "/", "r", "o", "c", "?", "Enter"] {
        assert!(
            keys.iter().any(|known| known == key),
            "{key} is not explained: {keys:?}"
        );
    }
    browser.press("o");
    at("/");
    browser.press("c");
    browser.comes_to(
        "return String(getSelection())",
        json!("judica view demo/run"),
    );
    assert_eq!(browser.console(), Vec::<String>::new());
}
