//! Operators that are words, or letters in a word.

use super::formula::Kind;

/// The operator between operands that a word is, where one fits.
pub(super) fn infix(word: &str) -> Option<Kind> {
    match word {
        "U" => Some(Kind::Until),
        "W" => Some(Kind::WeakUntil),
        "R" => Some(Kind::Release),
        _ => connective(word).or_else(|| {
            one_of(
                word,
                &[
                    ("until", Kind::Until),
                    ("release", Kind::Release),
                    ("releases", Kind::Release),
                ],
            )
        }),
    }
}

/// The operator between operands that a word is wherever it stands, so that it is
/// never a name.
pub(super) fn connective(word: &str) -> Option<Kind> {
    one_of(
        word,
        &[
            ("and", Kind::And),
            ("or", Kind::Or),
            ("implies", Kind::Implies),
            ("iff", Kind::Iff),
        ],
    )
}

/// Whether a word is an operator wherever it stands.
pub(super) fn is_reserved(word: &str) -> bool {
    is_not(word) || matches!(word, "U" | "W" | "R") || connective(word).is_some()
}

/// Whether a word is the negation.
pub(super) fn is_not(word: &str) -> bool {
    word.eq_ignore_ascii_case("not")
}

/// The operator before an operand that a word is, if an operand follows.
pub(super) fn prefix(word: &str) -> Option<Kind> {
    one_of(
        word,
        &[
            ("next", Kind::Next),
            ("eventually", Kind::Eventually),
            ("finally", Kind::Eventually),
            ("always", Kind::Always),
            ("globally", Kind::Always),
        ],
    )
}

/// The operators of one letter that a word begins with, and what is left of the word.
pub(super) fn letters(word: &str) -> (impl Iterator<Item = Kind>, &str) {
    let rest = word.trim_start_matches(['X', 'F', 'G']);
    let operators = word[..word.len() - rest.len()]
        .bytes()
        .map(|letter| match letter {
            b'X' => Kind::Next,
            b'F' => Kind::Eventually,
            _ => Kind::Always,
        });
    (operators, rest)
}

/// Whether a name is short enough to be recognised with operators glued to it: `p`, `q2`,
/// `p_1`. In a longer word (`Finished`) the first letter is most likely just that.
pub(super) fn is_short_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes[1..]
            .iter()
            .all(|&byte| byte.is_ascii_digit() || byte == b'_')
}

fn one_of(word: &str, table: &[(&str, Kind)]) -> Option<Kind> {
    table
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|&(_, kind)| kind)
}
