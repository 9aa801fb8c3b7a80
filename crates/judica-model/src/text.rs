//! Texts of any length, in messages of some.

use std::borrow::Cow;

/// The first so many characters.
pub fn head(text: &str, most: usize) -> &str {
    match text.char_indices().nth(most) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The first so many characters, and `…` where there are more.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match head(text, most) {
        head if head.len() < text.len() => format!("{head}…").into(),
        whole => whole.into(),
    }
}

/// The same in quotes, escaped: the `…` stands behind them.
pub fn quoted(text: &str, most: usize) -> String {
    let head = head(text, most);
    let more = if head.len() < text.len() { "…" } else { "" };
    format!("{head:?}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!((head("éàü", 2), head("éàü", 3)), ("éà", "éàü"));
        assert_eq!((cut("éàü", 2), cut("éàü", 3)), ("éà…".into(), "éàü".into()));
        assert_eq!((head("", 0), cut("a", 0)), ("", "…".into()));
        assert_eq!(
            (quoted("a\nb", 2), quoted("a\n", 2)),
            ("\"a\\n\"…".into(), "\"a\\n\"".into())
        );
    }
}
