//! The heat map: a picture that any reader of SVG can read.

use crate::agree_judges::data::{JUDGES, judged, panel, rows, three, three_annotations};
use crate::support::Place;

#[track_caller]
fn drawn(place: &Place, options: &str) -> String {
    let line = format!("{JUDGES} --heatmap out/deep/map.svg {options}");
    place.judica(&line).exits(0);
    let text = place.text("out/deep/map.svg");
    well_formed(&text);
    assert!(
        text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""),
        "{text}"
    );
    text
}

/// Insists that a text is well-formed XML, as far as a picture needs it: elements end in
/// order, attributes are quoted and differ, references are known, characters are allowed.
#[track_caller]
fn well_formed(text: &str) {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(allowed), "a character that XML forbids");
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        references(&rest[..at]);
        assert!(
            !open.is_empty() || rest[..at].trim().is_empty(),
            "text outside"
        );
        let end = rest.find('>').expect("the end of a tag");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let alone = tag.strip_suffix('/');
        let name = attributes(alone.unwrap_or(tag));
        if alone.is_none() {
            open.push(name);
        }
    }
    assert_eq!(rest.trim(), "");
    assert_eq!(open, Vec::<&str>::new());
}

/// The name of a tag whose attributes are in order.
#[track_caller]
fn attributes(tag: &str) -> &str {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(
        !name.is_empty() && name.chars().all(char::is_alphanumeric),
        "<{tag}>"
    );
    let mut seen = Vec::new();
    while let Some((key, after)) = rest.split_once("=\"") {
        let key = key.trim();
        assert!(!seen.contains(&key), "{key} twice in <{tag}>");
        seen.push(key);
        let (value, after) = after.split_once('"').expect("the end of a value");
        references(value);
        rest = after;
    }
    assert_eq!(rest.trim(), "", "<{tag}>");
    name
}

#[track_caller]
fn references(text: &str) {
    for (at, _) in text.match_indices('&') {
        let end = text[at..].find(';').expect("the end of a reference");
        let name = &text[at + 1..at + end];
        let known = ["amp", "lt", "gt", "quot", "apos"].contains(&name) || name.starts_with('#');
        assert!(known, "&{name};");
    }
}

#[test]
fn every_two_raters_have_their_kappa() {
    let place = three();
    let map = drawn(&place, "");
    // ana and ben 0.4, ana and cal 14/30, ben and cal 1/17, each on both sides.
    let written = |map: &str, text: &str| map.matches(&format!("aria-label=\"{text}\"")).count();
    for text in ["0.40", "0.47", "0.06", "ana", "ben", "cal"] {
        assert_eq!(written(&map, text), 2, "{text}: {map}");
    }
    assert_eq!(written(&map, "human"), 0);
    // What the colours mean, and on how many items each pair rests.
    assert!(map.contains("perfect agreement") && map.contains("items of two raters: n"));
    place.write("human.json", three_annotations().to_string());
    let map = drawn(&place, "--human human.json");
    assert_eq!(written(&map, "human"), 2);
}

#[test]
fn one_judge_none_undefined_and_many() {
    drawn(&panel(&[("ana", "yn")]), "");
    drawn(&panel(&[("ana", "yn--"), ("ben", "--yn")]), "");
    drawn(&panel(&[("ana", "yyy"), ("ben", "yyy")]), "");
    let names: Vec<String> = (0..25)
        .map(|at| format!("a judge with a long name {at}"))
        .collect();
    let said: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "ynyn")).collect();
    drawn(&panel(&said), "");
}

#[test]
fn hostile_names_stay_text() {
    let place = panel(&[("ana", "yn")]);
    let names = [
        "</text></svg><script>alert(1)</script>",
        "a\" onload=\"alert(1)",
        "&amp;&nosuch;<!--",
        "]]>\u{1b}[31m\u{0}\u{8}\u{fffe}\u{ffff}",
        "\u{202e}gnp",
        "'",
    ];
    for (at, name) in names.iter().enumerate() {
        place.write(&format!("eval/{at}.json"), judged(name, "one", &rows("ny")));
    }
    let map = drawn(&place, "");
    assert!(!map.contains("<script"), "{map}");
    // No attribute was opened by a name: only within a quoted or escaped text.
    assert!(!map.contains("\" onload=\""), "{map}");
}

#[test]
fn pixels_for_those_who_ask() {
    let place = three();
    place
        .judica(&format!("{JUDGES} --heatmap out/map.png"))
        .exits(0);
    assert!(place.read("out/map.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    place
        .judica(&format!("{JUDGES} --heatmap out/map.gif"))
        .exits(2)
        .complains(&["map.gif", ".svg, .pdf or .png"]);
    // All pictures of a name without ending are kept out of what is read.
    place
        .judica(&format!("{JUDGES} --heatmap eval/map"))
        .exits(2)
        .complains(&["eval"]);
}
