//! axe-core 4.14.0, the rules by which pages are held to be usable by everybody: the file
//! `axe.min.js` of its npm package (MPL-2.0), packed.

use std::io::Read;
use std::sync::OnceLock;

use judica_data::sha256::sha256_hex;
use serde_json::{Value, json};

use crate::browser::Browser;

const PACKED: &[u8] = include_bytes!("axe.min.js.gz");
/// Of the file as npm has it.
const SHA256: &str = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878";

fn source() -> &'static str {
    static SOURCE: OnceLock<String> = OnceLock::new();
    SOURCE.get_or_init(|| {
        let mut text = String::new();
        let mut reader = flate2::read::GzDecoder::new(PACKED);
        reader.read_to_string(&mut text).expect("text");
        text
    })
}

#[test]
fn it_is_what_npm_has() {
    assert_eq!(sha256_hex(source()), SHA256);
}

/// What is wrong with the page: the rule, the elements.
#[track_caller]
pub fn complaints(browser: &Browser) -> Vec<String> {
    by_rules(browser, json!({}))
}

/// The same for colours alone.
#[track_caller]
pub fn pale(browser: &Browser) -> Vec<String> {
    by_rules(browser, json!({"runOnly": ["color-contrast"]}))
}

#[track_caller]
fn by_rules(browser: &Browser, rules: Value) -> Vec<String> {
    browser.run(&format!("{}; window.axe = axe;", source()), vec![]);
    let found = browser.run_and_wait(
        "const done = arguments[arguments.length - 1];
         axe.run(document, {...arguments[0], resultTypes: ['violations']})
            .then(found => done(found.violations.map(rule => ({id: rule.id, help: rule.help,
                nodes: rule.nodes.map(node => node.target.join(' ') + ': ' + node.html.slice(0, 200)
                    + ' ' + (node.failureSummary || '').slice(0, 300))}))),
                  error => done([{id: 'failed', help: String(error), nodes: []}]));",
        vec![rules],
    );
    let rules = found.as_array().expect("rules").iter();
    rules
        .map(|rule| {
            let nodes = rule["nodes"].as_array().cloned().unwrap_or_default();
            let nodes: Vec<&Value> = nodes.iter().take(4).collect();
            format!("{}: {} {}", rule["id"], rule["help"], json!(nodes))
        })
        .collect()
}

#[test]
fn a_bad_page_is_noticed() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.go("data:text/html,<title>t</title><img src=x:><script>console.error('oh')</script>");
    let found = complaints(&browser);
    let named = |rule: &str| {
        found
            .iter()
            .any(|line| line.starts_with(&format!("\"{rule}\"")))
    };
    assert!(named("image-alt") && named("html-has-lang"), "{found:?}");
    let console = browser.console();
    assert!(
        console.iter().any(|line| line.contains("oh")),
        "{console:?}"
    );
}
