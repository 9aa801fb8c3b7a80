//! Whether a text is well-formed XML, as far as pictures need it.
//!
//! One root, tags that close in order, attributes that are quoted and named once, entities
//! that exist, characters that XML permits. No document types, comments or processing
//! instructions: none are written.

/// What is wrong with the text, if anything.
pub fn problem(text: &str) -> Option<String> {
    if let Some(bad) = text.chars().find(|c| !permitted(*c)) {
        return Some(format!("character {bad:?}"));
    }
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        if let Some(problem) = text_problem(before, open.is_empty()) {
            return Some(problem);
        }
        let Some((tag, after)) = after.split_once('>') else {
            return Some(format!("`<{after}` is not closed"));
        };
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name.trim_end()) {
                return Some(format!("</{name}> closes nothing"));
            }
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let name = body.split_whitespace().next().unwrap_or_default();
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '-') {
            return Some(format!("<{tag}> has no name"));
        }
        if let Some(problem) = attribute_problem(&body[name.len()..]) {
            return Some(format!("<{tag}>: {problem}"));
        }
        roots += usize::from(open.is_empty());
        if body.len() == tag.len() {
            open.push(name);
        }
    }
    if !open.is_empty() || roots != 1 {
        return Some(format!("{roots} roots, {open:?} left open"));
    }
    text_problem(rest, true)
}

fn permitted(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn text_problem(text: &str, outside: bool) -> Option<String> {
    if outside && !text.trim().is_empty() {
        return Some(format!("{text:?} outside the root"));
    }
    if text.contains("]]>") || text.contains('<') {
        return Some(format!("{text:?} is not escaped"));
    }
    let mut pieces = text.split('&');
    pieces.next();
    pieces
        .find(|piece| {
            let entity = piece.split_once(';').map(|(entity, _)| entity);
            let known = |entity: &str| {
                let number = entity.strip_prefix("#").map(|digits| digits.parse::<u32>());
                matches!(entity, "amp" | "lt" | "gt" | "quot" | "apos")
                    || number.is_some_and(|code| {
                        code.ok().and_then(char::from_u32).is_some_and(permitted)
                    })
            };
            !entity.is_some_and(known)
        })
        .map(|piece| format!("`&{piece}` is no entity"))
}

fn attribute_problem(attributes: &str) -> Option<String> {
    let mut names = Vec::new();
    let mut rest = attributes;
    while !rest.trim().is_empty() {
        if !rest.starts_with(char::is_whitespace) {
            return Some(format!("no blank before {rest:?}"));
        }
        let Some((name, value)) = rest.trim_start().split_once("=\"") else {
            return Some(format!("{rest:?} is no attribute"));
        };
        let Some((value, after)) = value.split_once('"') else {
            return Some(format!("{name} is not closed"));
        };
        if names.contains(&name) || name.contains(char::is_whitespace) {
            return Some(format!("{name} is wrong or stands twice"));
        }
        names.push(name);
        if let Some(problem) = text_problem(value, false) {
            return Some(problem);
        }
        rest = after;
    }
    None
}

#[test]
fn it_tells_good_from_bad() {
    for good in [
        "<a/>",
        "<a b=\"c\" d=\"&lt;\"><b>x &amp; y</b>\n<c /></a>\n",
        "<a>&#233;é</a>",
    ] {
        assert_eq!(problem(good), None, "{good}");
    }
    for bad in [
        "",
        "x",
        "<a>",
        "</a>",
        "<a></b>",
        "<a/><a/>",
        "<a b=c/>",
        "<a b=\"1\" b=\"2\"/>",
        "<a>&</a>",
        "<a>&nbsp;</a>",
        "<a>\u{1}</a>",
        "<a>&#1;</a>",
        "<a b=\"&\"/>",
        "<a b=\"1\"c=\"2\"/>",
        "<a>\u{ffff}</a>",
        "<a/>x",
        "<a",
        "<a b=\"<\"/>",
    ] {
        assert!(problem(bad).is_some(), "{bad}");
    }
}
