//! Text that is not ours: spelt out where it could mislead, and cut where it is endless.

pub use judica_model::table::grouped;
use judica_model::text::begin;
use judica_model::text::shell_word;
use judica_report::{visible, visible_lines};

/// How much of a name is shown.
const NAME: usize = 120;
/// How much of a text is shown.
const TEXT: usize = 20_000;

/// A name on one line.
pub fn name(text: &str) -> String {
    cut(text, NAME)
}

/// A sentence or a short text on one line.
pub fn sentence(text: &str) -> String {
    cut(text, 1_000)
}

/// A text of several lines.
pub fn lines(text: &str) -> String {
    let (shown, more) = begin(text, TEXT);
    visible_lines(shown) + &more
}

fn cut(text: &str, longest: usize) -> String {
    let (shown, more) = begin(text, longest);
    visible(shown) + &more
}

/// A count and what is counted.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// An option with a value that may begin like an option.
pub fn option(option: &str, value: &str) -> String {
    format!("{option}={}", shell_word(value))
}

/// A shell command of such words, unless a name makes it endless.
pub fn command(words: &[String]) -> Option<String> {
    let line = words.join(" ");
    (line.len() <= 2_000).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_spelt_out_and_cut() {
        assert_eq!(name("a\u{202e}b\n"), "a\\u{202e}b\\n");
        let long = "é".repeat(1_000);
        assert!(name(&long).ends_with(" … (1,760 more bytes)"));
        assert_eq!(lines("a\tb\r\n\u{1b}c"), "a\tb\n\\u{1b}c");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "record", "records"), "1 record");
    }
}
