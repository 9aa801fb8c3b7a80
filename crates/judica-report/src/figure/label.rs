//! Names in a picture: harmless, short enough, and safe inside XML.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::text::visible;

/// A name as it is shown if there is room for all of it.
pub(super) fn visible_name(name: &str) -> String {
    visible(name.trim())
}

/// A name that takes at most `columns` columns, with an ellipsis where it is cut.
pub(super) fn shortened(name: &str, columns: usize) -> String {
    let name = visible_name(name);
    if name.width() <= columns {
        return name;
    }
    let mut short = String::new();
    let mut room = columns.saturating_sub(1);
    for character in name.chars() {
        let width = character.width().unwrap_or(0);
        if width > room {
            break;
        }
        room -= width;
        short.push(character);
    }
    short.push('\u{2026}');
    short
}

/// Text for the inside of an element or an attribute. What XML has no place for at all is
/// spelt out or replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_say_so() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "ab\u{2026}");
        assert_eq!(shortened("模型模型", 5), "模型\u{2026}");
        assert_eq!(shortened(" a\tb ", 9), "a\\tb");
    }

    #[test]
    fn nothing_breaks_out_of_the_markup() {
        let text = "</text><script>alert('x' & \"y\")</script>\u{0}\u{ffff}";
        assert_eq!(
            escaped(text),
            "&lt;/text&gt;&lt;script&gt;alert(&apos;x&apos; &amp; &quot;y&quot;)\
             &lt;/script&gt;\\u{0}\u{fffd}"
        );
    }
}
