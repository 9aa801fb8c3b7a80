//! Verdicts outside of objects.
//!
//! A judge that writes JSON badly may still quote it well: of
//! `{"reasoning": "it says {"correct": "yes"}", "correct": "no"}` only the quotation can be
//! read. So before an object inside of other text is believed, that text is searched for
//! the same key, quoted in whatever way, at the start of a line or before `=`. What is found
//! there never makes a verdict, but it can contradict one.

use super::words::yes_or_no;

const KEY: &str = "correct";
pub(super) const QUOTES: [char; 9] = ['"', '\'', '`', '„', '“', '”', '‚', '‘', '’'];
/// No word that says yes or no is longer.
const MAX_WORD: usize = 12;

/// Whether the text says, in so many words, something else than `correct`.
pub(super) fn contradicts(text: &str, correct: bool) -> bool {
    any(text, |said| said != Some(correct))
}

/// Whether the text says this in so many words; `None` is something unclear.
pub(super) fn states(text: &str, correct: Option<bool>) -> bool {
    any(text, |said| said == correct)
}

fn any(text: &str, wanted: impl Fn(Option<bool>) -> bool) -> bool {
    let text = text.to_ascii_lowercase();
    let mut found = text.match_indices(KEY);
    found.any(|(at, _)| said(&text, at).is_some_and(&wanted))
}

/// What the key at `at` is said to be: `Some(None)` for something unclear, `None` if this
/// is a word like any other.
fn said(text: &str, at: usize) -> Option<Option<bool>> {
    let before = &text[..at];
    let before = before.strip_suffix("is_").unwrap_or(before);
    let quoted = before.ends_with(QUOTES);
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let after = text[at + KEY.len()..].trim_start_matches(decoration);
    let value = after.strip_prefix([':', '='])?;
    // Within a sentence a colon follows many a word, but `=` follows a name.
    if !quoted && !begins_entry(before) && after.starts_with(':') {
        return None;
    }
    let value = value.trim_start_matches(|c: char| c.is_whitespace() || decoration(c));
    let letters = value.char_indices().take(MAX_WORD);
    let end = letters.take_while(|(_, c)| c.is_alphanumeric()).last();
    let (word, rest) = value.split_at(end.map_or(0, |(at, c)| at + c.len_utf8()));
    // Nothing but dots, or both answers: the form of the reply, repeated.
    let other = rest.trim_start_matches(decoration);
    if word.is_empty() || other.starts_with(['|', '/']) || other.starts_with("or ") {
        return None;
    }
    let said = yes_or_no(word);
    if quoted {
        return Some(said);
    }
    // Unquoted, it may be the beginning of a sentence: "Correct: no difference".
    let ends = !rest
        .trim_start_matches(' ')
        .starts_with(char::is_alphanumeric);
    said.filter(|_| ends).map(Some)
}

/// Whether a bare word after this text could be a key.
fn begins_entry(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t', '*', '-', '#', '>']);
    before.is_empty() || before.ends_with(['\n', '\r', '{', ','])
}

fn decoration(c: char) -> bool {
    matches!(c, ' ' | '\t' | '*' | '\\') || QUOTES.contains(&c)
}

#[cfg(test)]
mod tests {
    use super::contradicts;

    #[test]
    fn keys_however_quoted() {
        for no in [
            r#"{"reasoning": "x", "correct": "no"}"#,
            "{'correct': 'no'}",
            "{correct: no}",
            "{correct = false,",
            "x, `correct`: 0",
            "**Correct:** No.",
            "Well.\n- Correct: no, because",
            "“correct”: “no”",
            r#"{\"correct\": \"no\"}"#,
            "\"IS_CORRECT\":\n false",
            "correct:no",
            "and then correct = no",
        ] {
            assert!(contradicts(no, true), "{no}");
            assert!(!contradicts(no, false), "{no}");
        }
    }

    #[test]
    fn something_unclear_contradicts_both() {
        for unclear in ["\"correct\": maybe", "'correct': null", "\"correct\": 17"] {
            assert!(
                contradicts(unclear, true) && contradicts(unclear, false),
                "{unclear}"
            );
        }
    }

    #[test]
    fn words_like_any_other() {
        for text in [
            "",
            "correct",
            "This is correct: no operator differs.",
            "Correct: no operator differs.",
            "Correct: the operators agree.",
            "\"incorrect\": no",
            "{\"correct\": \"yes\" | \"no\"}",
            "\"correct\": \"yes\"/\"no\"",
            "\"correct\": \"yes\" or \"no\"",
            "\"correct\": \"...\"",
            "\"correct\" means yes",
            "\"correct\":",
            "correctcorrectcorrect",
        ] {
            assert!(!contradicts(text, true), "{text}");
            assert!(!contradicts(text, false), "{text}");
        }
    }
}
