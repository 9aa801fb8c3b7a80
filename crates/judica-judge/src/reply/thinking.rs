//! What reasoning models write before they answer.

/// The tags some models put around their thoughts, as they begin and end.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// The text after the thinking it begins with, if any; `None` if that never ends.
///
/// Only in front of the answer is a tag a tag; anywhere else it is a word, perhaps one that
/// the answer quotes. A closing tag without an opening one, which some servers leave, is a
/// word too: the objects before it then count like those after it, so that nobody can make
/// a judge's verdict vanish by having a closing tag quoted behind it.
pub(super) fn left_out(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += lower[at..].len() - lower[at..].trim_start().len();
        let Some((open, close)) = TAGS
            .into_iter()
            .find(|(open, _)| lower[at..].starts_with(open))
        else {
            return Some(&text[at..]);
        };
        let inside = at + open.len();
        at = inside + lower[inside..].find(close)? + close.len();
    }
}

#[cfg(test)]
mod tests {
    use super::left_out;

    #[test]
    fn thoughts_in_front_are_left_out() {
        assert_eq!(left_out("<think>{}</think>\n a"), Some("a"));
        assert_eq!(
            left_out(" \n<THINK>x</Think><thinking>\ny</thinking>b"),
            Some("b")
        );
        assert_eq!(left_out("<think></think>"), Some(""));
        assert_eq!(left_out("plain"), Some("plain"));
        assert_eq!(left_out(""), Some(""));
    }

    #[test]
    fn thoughts_without_an_end_are_no_answer() {
        assert_eq!(left_out("<think>{\"correct\": \"yes\"}"), None);
        assert_eq!(left_out("<think>a</think><think>b"), None);
    }

    #[test]
    fn elsewhere_a_tag_is_a_word() {
        for text in ["a <think>", "{\"reasoning\": \"</think>\"}", "<thinker>"] {
            assert_eq!(left_out(text), Some(text));
        }
    }
}
