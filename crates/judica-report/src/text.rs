//! Making untrusted text harmless to look at.
//!
//! Model and benchmark names come from files anyone may have written. Printed
//! raw, they could move the cursor, recolour the screen, reverse the reading
//! order of a neighbouring number or hide a difference between two names.

use std::borrow::Cow;

use judica_model::table::{Align, Cell, Table};
use judica_model::text::is_hazard;

/// The text on one line, each hazardous character spelt out as an escape, and nothing in it
/// that a CI runner would take for a command.
///
/// Spelt out and not dropped, so that the difference it makes to a name shows.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hazard(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    uncommanded(&out).into_owned()
}

/// Text of several lines as it can be shown: what a file holds must not command the
/// terminal.
pub fn visible_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let parts: Vec<String> = line.split('\t').map(visible).collect();
        parts.join("\t")
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// The text without commands to a CI runner, each broken by a backslash that shows.
///
/// Runners read what programs print. GitHub's takes a line that begins with `::`, blanks
/// aside, for a command (`::error::`, `::stop-commands::`), and `##[` anywhere in a line;
/// Azure's and TeamCity's the like with a word between (`##vso[`, `##teamcity[`). Names in
/// a report are data, whatever they look like.
pub fn uncommanded(text: &str) -> Cow<'_, str> {
    let brackets = brackets(text);
    if brackets.is_empty() && !text.contains("::") {
        return Cow::Borrowed(text);
    }
    let mut places = brackets;
    let mut begin = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let words = line.trim_start();
        if words.starts_with("::") {
            places.push(begin + line.len() - words.len());
        }
        begin += line.len();
    }
    places.sort_unstable();
    Cow::Owned(with(text, &places, "\\", 0))
}

/// The same for JSON, whose values stay what they are: the bracket is written as an escape.
pub fn uncommanded_json(json: &str) -> Cow<'_, str> {
    match brackets(json) {
        none if none.is_empty() => Cow::Borrowed(json),
        places => Cow::Owned(with(json, &places, "\\u005b", 1)),
    }
}

/// The text with the brackets of commands broken, for a place that is no begin of a line.
pub(crate) fn unbracketed(text: &str) -> String {
    with(text, &brackets(text), "\\", 0)
}

/// Where the brackets stand that end the name of a command: `##[`, `##vso[`.
fn brackets(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('[') {
        let name = text[..at].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if name.ends_with("##") {
            found.push(at);
        }
    }
    found
}

/// The text with `more` at each of the places, instead of the `taken` bytes there.
fn with(text: &str, places: &[usize], more: &str, taken: usize) -> String {
    let mut out = String::with_capacity(text.len() + places.len() * more.len());
    let mut done = 0;
    for &place in places {
        out.push_str(&text[done..place]);
        out.push_str(more);
        done = place + taken;
    }
    out.push_str(&text[done..]);
    out
}

/// A table as people read it: every string already harmless, every number
/// already rounded. The three people-facing formats start from here.
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) header: Vec<String>,
    pub(crate) aligns: Vec<Align>,
    pub(crate) rows: Vec<Vec<Shown>>,
    pub(crate) footnotes: Vec<String>,
}

/// One cell as people read it.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) numeric: bool,
}

impl Shown {
    /// A cell of words.
    pub(crate) fn text(text: &str) -> Self {
        Shown {
            text: text.to_owned(),
            numeric: false,
        }
    }
}

impl Page {
    pub(crate) fn new(table: &Table) -> Self {
        let shown = |cell: &Cell| Shown {
            text: visible(&cell.display()),
            numeric: cell.is_numeric(),
        };
        Self {
            title: visible(table.title.trim()),
            header: table.columns.iter().map(|c| visible(&c.name)).collect(),
            aligns: table.columns.iter().map(|c| c.align).collect(),
            rows: table
                .grid()
                .map(|row| row.into_iter().map(shown).collect())
                .collect(),
            footnotes: table
                .footnotes()
                .iter()
                .map(|n| visible(n.trim()))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{uncommanded, uncommanded_json, visible, visible_lines};

    #[test]
    fn nothing_is_a_command_to_a_runner() {
        for (text, shown) in [
            ("##[error]x", "##\\[error]x"),
            ("a ##[group]b ##[endgroup]", "a ##\\[group]b ##\\[endgroup]"),
            ("###[x", "###\\[x"),
            ("####[x", "####\\[x"),
            ("##vso[task.setvariable]", "##vso\\[task.setvariable]"),
            ("##teamcity[x]", "##teamcity\\[x]"),
            ("::set-output name=a::b", "\\::set-output name=a::b"),
            ("  ::error::x", "  \\::error::x"),
            ("a::b", "a::b"),
            ("# # [x] ## title", "# # [x] ## title"),
            ("## [x", "## [x"),
            ("##", "##"),
            ("::", "\\::"),
        ] {
            assert_eq!(uncommanded(text), shown);
            assert_eq!(visible(text), shown);
            assert_eq!(uncommanded(shown), shown, "once is enough");
        }
        let json = r###"{"a ##[error]": ["##vso[x", "[1]"]}"###;
        let harmless = uncommanded_json(json);
        assert!(!harmless.contains("##[") && !harmless.contains("##vso["));
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&harmless), read(json));
        assert_eq!(uncommanded("a\n::b\r\n\t::c"), "a\n\\::b\r\n\t\\::c");
    }

    #[test]
    fn hazards_are_spelt_out_and_the_rest_is_kept() {
        assert_eq!(visible("a\u{1b}[31mred"), "a\\u{1b}[31mred");
        assert_eq!(visible("a\r\n\tb\0\u{7f}"), "a\\r\\n\\tb\\u{0}\\u{7f}");
        assert_eq!(visible("\u{9b}2J\u{85}"), "\\u{9b}2J\\u{85}");
        assert_eq!(visible("\u{202e}x\u{2066}"), "\\u{202e}x\\u{2066}");
        assert_eq!(
            visible("\u{200b}\u{feff}\u{e0041}"),
            "\\u{200b}\\u{feff}\\u{e0041}"
        );
        assert_eq!(visible("模型 é 👩\u{200d}🔬"), "模型 é 👩\u{200d}🔬");
    }

    #[test]
    fn lines_and_tabs_stay_and_everything_else_is_spelt_out() {
        assert_eq!(
            visible_lines("a\tb\r\n\n\u{1b}[31mc\n"),
            "a\tb\n\n\\u{1b}[31mc\n"
        );
        assert_eq!(visible_lines("a\rb\u{9b}\u{202e}"), "a\\rb\\u{9b}\\u{202e}");
        assert_eq!(visible_lines(""), "");
    }
}
