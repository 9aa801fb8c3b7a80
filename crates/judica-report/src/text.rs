//! Making untrusted text harmless to look at.
//!
//! Model and benchmark names come from files anyone may have written. Printed
//! raw, they could move the cursor, recolour the screen, reverse the reading
//! order of a neighbouring number or hide a difference between two names.

use judica_model::table::{Align, Cell, Table};

/// Whether a character changes how text around it is shown, or shows as
/// nothing at all.
///
/// The zero-width joiner and non-joiner are let through: emoji and several
/// scripts are misspelt without them.
pub(crate) fn is_hazard(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' // soft hyphen, Arabic mark, vowel separator
            | '\u{200b}' | '\u{200e}' | '\u{200f}' // zero-width space, direction marks
            | '\u{2028}'..='\u{202e}' // line separators, bidi embeddings and overrides
            | '\u{2060}'..='\u{206f}' // invisible operators, bidi isolates
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' // byte order mark, annotations
            | '\u{e0000}'..='\u{e007f}') // tags: an invisible copy of ASCII
}

/// The text on one line, each hazardous character spelt out as an escape.
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
    use super::visible;

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
}
