//! Numbers and texts within sentences.

use judica_model::text::{fit, head};

/// The form of a verb, or of any other word, that goes with a number.
pub(super) fn with<'a>(n: u64, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

/// A text of at most so many characters on one line.
pub(super) fn shortened(text: &str, most: usize) -> String {
    // No more than what can be shown: texts may be very long.
    let start = head(text, 8 * most);
    let line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    match start.len() == text.len() {
        true => fit(&line, most).into_owned(),
        false => format!("{}…", head(&line, most.saturating_sub(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        assert_eq!((with(1, "is", "are"), with(2, "is", "are")), ("is", "are"));
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened(" a\n b\t", 5), "a b");
        assert_eq!(shortened("éàüöß", 5), "éàüöß");
        assert_eq!(shortened("éàüößñ", 5), "éàüö…");
        assert_eq!(shortened(&format!("a{}b", " ".repeat(99)), 5), "a…");
        assert_eq!(shortened("", 5), "");
    }
}
