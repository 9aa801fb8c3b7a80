//! Texts of any length, in messages of some.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

use crate::table::grouped;

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

/// A text of at most so many characters, the `…` among them.
pub fn fit(text: &str, most: usize) -> Cow<'_, str> {
    match head(text, most).len() < text.len() {
        true => format!("{}…", head(text, most.saturating_sub(1))).into(),
        false => text.into(),
    }
}

/// The first so many characters, and words for how much there is behind them.
pub fn begin(text: &str, most: usize) -> (&str, String) {
    let head = head(text, most);
    let more = match text.len() - head.len() {
        0 => String::new(),
        more => format!(" … ({} more bytes)", grouped(more as u64)),
    };
    (head, more)
}

/// The same as [`cut`] in quotes, escaped: the `…` stands behind them.
pub fn quoted(text: &str, most: usize) -> String {
    let head = head(text, most);
    let more = if head.len() < text.len() { "…" } else { "" };
    format!("{head:?}{more}")
}

/// A text of several lines as sentences behind each other: a line that does not end one does
/// now.
pub fn on_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (last, before) = lines.split_last().unwrap_or((&"", &[]));
    let before = before.iter().map(|line| match line.ends_with('.') {
        true => format!("{line} "),
        false => format!("{line}. "),
    });
    before.collect::<String>() + last
}

/// Whether a character changes how text around it is shown, or shows as
/// nothing at all.
///
/// The zero-width joiner and non-joiner are let through: emoji and several
/// scripts are misspelt without them.
pub fn is_hazard(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' // soft hyphen, Arabic mark, vowel separator
            | '\u{200b}' | '\u{200e}' | '\u{200f}' // zero-width space, direction marks
            | '\u{2028}'..='\u{202e}' // line separators, bidi embeddings and overrides
            | '\u{2060}'..='\u{206f}' // invisible operators, bidi isolates
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' // byte order mark, annotations
            | '\u{e0000}'..='\u{e007f}') // tags: an invisible copy of ASCII
}

/// A word of a shell command, as a shell reads it back.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.contains(is_hazard) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    escaped(word.as_bytes())
}

/// A path as a word of a shell command, which no program takes for an option. What is no UTF-8 in
/// it is kept; `-` alone is standard input.
pub fn shell_path(path: &Path) -> String {
    let name = path.as_os_str().as_encoded_bytes();
    if name.is_empty() {
        return ".".to_owned();
    }
    if name.starts_with(b"-") && name != b"-" {
        return shell_path(&Path::new(".").join(path));
    }
    match path.to_str() {
        Some(word) => shell_word(word),
        None => escaped(path.as_os_str().as_encoded_bytes()),
    }
}

/// A word with what cannot be seen written as bash reads it.
fn escaped(word: &[u8]) -> String {
    let mut out = String::from("$'");
    for part in word.utf8_chunks() {
        for c in part.valid().chars() {
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                c if is_hazard(c) => out.push_str(&format!("\\U{:08x}", u32::from(c))),
                c => out.push(c),
            }
        }
        for byte in part.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out.push('\'');
    out
}

/// The first few of so many texts within a sentence, and how many more there are.
pub fn few<T: Display>(
    shown: impl IntoIterator<Item = T>,
    between: &'static str,
    all: usize,
) -> String {
    let shown: Vec<String> = shown.into_iter().map(|text| text.to_string()).collect();
    let joined = shown.join(between);
    match all.saturating_sub(shown.len()) {
        0 => joined,
        // Within names the `and` does for the comma.
        more if between == ", " => format!("{joined} and {more} more"),
        more => format!("{joined}{between}and {more} more"),
    }
}

/// Names that a sentence holds.
const NAMED: usize = 5;

/// The same of names, in backticks.
pub fn named<T: Display>(names: impl IntoIterator<Item = T>, all: usize) -> String {
    let shown = names.into_iter().take(NAMED);
    few(shown.map(|name| format!("`{name}`")), ", ", all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_texts_the_first_are_named_and_the_others_counted() {
        assert_eq!(few(["a", "b"], ", ", 2), "a, b");
        assert_eq!(few(["a", "b"], ", ", 5), "a, b and 3 more");
        assert_eq!(few([1, 2], "; ", 3), "1; 2; and 1 more");
        assert_eq!(few([""; 0], ", ", 0), "");
        assert_eq!(named(1..=9, 9), "`1`, `2`, `3`, `4`, `5` and 4 more");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!((head("éàü", 2), head("éàü", 3)), ("éà", "éàü"));
        assert_eq!((cut("éàü", 2), cut("éàü", 3)), ("éà…".into(), "éàü".into()));
        assert_eq!((head("", 0), cut("a", 0)), ("", "…".into()));
        assert_eq!((fit("éàü", 2), fit("éàü", 3)), ("é…".into(), "éàü".into()));
        assert_eq!(begin("éàü", 1), ("é", " … (4 more bytes)".to_owned()));
        assert_eq!(begin("éàü", 3), ("éàü", String::new()));
        assert_eq!(
            (quoted("a\nb", 2), quoted("a\n", 2)),
            ("\"a\\n\"…".into(), "\"a\\n\"".into())
        );
    }

    #[test]
    fn lines_become_sentences() {
        let text = "h.csv: there is no row in it\n  It is empty.\n  judica look h.csv says so.";
        assert_eq!(
            on_one_line(text),
            "h.csv: there is no row in it. It is empty. judica look h.csv says so."
        );
        assert_eq!(on_one_line("one"), "one");
        assert_eq!(on_one_line(""), "");
    }

    #[test]
    fn a_shell_reads_words_back() {
        for (word, shown) in [
            ("demo/run", "demo/run"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("$(x)", "'$(x)'"),
            ("/record?row=1&verdict=fail", "'/record?row=1&verdict=fail'"),
            ("a\u{1b}'", "$'a\\U0000001b\\''"),
        ] {
            assert_eq!(shell_word(word), shown);
            assert_eq!(shell_path(Path::new(word)), shown);
        }
        assert_eq!(shell_word(""), "''");
        for (path, shown) in [("", "."), ("-", "-"), ("-x", "./-x"), ("-a b", "'./-a b'")] {
            assert_eq!(shell_path(Path::new(path)), shown);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_names_back_that_are_no_text() {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"a\xff\xe4'b\xc3\xa9.csv");
        assert_eq!(shell_path(Path::new(name)), "$'a\\xff\\xe4\\'bé.csv'");
    }
}
