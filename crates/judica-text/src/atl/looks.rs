//! Whether a text is meant as a formula: many that can be read as one are not.

use super::lexer::word_end;
use super::words;
use super::{Formula, LONGEST};

/// What no text has that is not a formula, once it can be read as one.
const SIGNS: [&str; 10] = ["<<", "⟨⟨", "⟪", "[[", "&&", "||", "/\\", "\\/", "->", "=>"];
/// The same in one character.
const SIGN_CHARACTERS: &str = "¬∧∨→⇒⟶⟹↔⇔⟷⟺○◯◇◊⋄□◻⊤⊥";

/// What a text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// It cannot be read as a formula.
    Other,
    /// It can, and so can much that is none: names, comparisons, operators that are words
    /// or that prose uses too (`AT&T`, `~100`).
    Plain,
    /// It has a temporal operator, as a letter that stands for itself: `F p`, but also
    /// `X ray`.
    Temporal,
    /// It has a coalition, or an operator that only formulas have.
    Marked,
}

impl Looks {
    /// What a text looks like.
    pub fn of(text: &str) -> Looks {
        if text.len() > LONGEST || Formula::parse(text).is_none() {
            Looks::Other
        } else if has_sign(text) {
            Looks::Marked
        } else if has_letter(text) {
            Looks::Temporal
        } else {
            Looks::Plain
        }
    }
}

fn has_sign(text: &str) -> bool {
    let negates = |at: usize| !text[at + 1..].starts_with('=');
    SIGNS.iter().any(|sign| text.contains(sign))
        || text.match_indices('!').any(|(at, _)| negates(at))
        || !text.is_ascii() && text.contains(|c| SIGN_CHARACTERS.contains(c))
}

/// Whether a word is a temporal operator, or several.
fn has_letter(text: &str) -> bool {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = word_end(rest, 0);
        let (word, after) = rest.split_at(end.max(first.len_utf8()));
        let run =
            words::letters(word).1.is_empty() && (word.len() == 1 || !after.trim().is_empty());
        if end > 0 && (run || matches!(word, "U" | "W" | "R")) {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_letters_and_words() {
        for (text, looks) in [
            ("<<A>>F p", Looks::Marked),
            ("[[A]]X p", Looks::Marked),
            ("⟨⟨A⟩⟩ p", Looks::Marked),
            ("p && q", Looks::Marked),
            ("p \\/ q", Looks::Marked),
            ("!p", Looks::Marked),
            ("!x = 3", Looks::Marked),
            ("p -> q", Looks::Marked),
            ("p <=> q", Looks::Marked),
            ("□ p", Looks::Marked),
            ("F p", Looks::Temporal),
            ("G(p)", Looks::Temporal),
            ("FG p", Looks::Temporal),
            ("p U q", Looks::Temporal),
            ("höhe W q", Looks::Temporal),
            ("Fp", Looks::Plain),
            ("XX", Looks::Plain),
            ("p", Looks::Plain),
            ("x != 3", Looks::Plain),
            ("x >= 3", Looks::Plain),
            ("p and not q", Looks::Plain),
            ("eventually p", Looks::Plain),
            ("p & q", Looks::Plain),
            ("~p", Looks::Plain),
            ("at(r1, hall)", Looks::Plain),
            ("the rapist", Looks::Other),
            ("p &&", Looks::Other),
            ("", Looks::Other),
            ("yes!", Looks::Other),
            ("F", Looks::Other),
        ] {
            assert_eq!(Looks::of(text), looks, "{text}");
        }
    }

    #[test]
    fn what_is_too_long_to_be_read_is_no_formula() {
        let long = format!("<<A>>F {}", "p".repeat(LONGEST));
        assert_eq!(Looks::of(&long), Looks::Other);
    }
}
