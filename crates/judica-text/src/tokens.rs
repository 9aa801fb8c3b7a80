//! How many words two texts have in common.

use crate::normalize::{Normalizer, Text};

/// F1 over the bags of words of two texts, after the normaliser [`Text`]: words are what
/// stands between white space, and count as often as they stand there. Two texts without a
/// word are equal: 1.
///
/// ```
/// use judica_text::tokens::token_f1;
/// // Two of two words are found, and two of three were looked for: 2·2 / (2 + 3).
/// assert_eq!(token_f1("The  red house", "house RED"), 0.8);
/// ```
pub fn token_f1(gold: &str, said: &str) -> f64 {
    let (gold, said) = (bag(gold), bag(said));
    if gold.is_empty() && said.is_empty() {
        return 1.0;
    }
    let mut common = 0;
    let mut rest = said.iter().peekable();
    for word in &gold {
        while rest.next_if(|other| *other < word).is_some() {}
        common += usize::from(rest.next_if_eq(&word).is_some());
    }
    2.0 * common as f64 / (gold.len() + said.len()) as f64
}

/// The words of a text, sorted.
pub(crate) fn bag(text: &str) -> Vec<String> {
    let form = Text.normalized(text).unwrap_or_default();
    let mut words: Vec<String> = form.split_whitespace().map(str::to_owned).collect();
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_count_as_often_as_they_stand_there() {
        for (gold, said, f1) in [
            ("", " \n", 1.0),
            ("a", "", 0.0),
            ("", "a", 0.0),
            ("a a b", "a b b", 2.0 / 3.0),
            ("Straße", "STRASSE", 1.0),
            ("a, b", "a b", 0.5),
            ("a b c d", "d", 0.4),
        ] {
            assert_eq!(token_f1(gold, said), f1, "{gold:?} {said:?}");
        }
    }

    proptest! {
        #[test]
        fn it_is_what_counting_gives(gold in "[ab c]{0,9}", said in "[ab c]{0,9}") {
            let words = |text: &str| text.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect::<Vec<_>>();
            let (left, mut right) = (words(&gold), words(&said));
            let sum = left.len() + right.len();
            let common = left.iter().filter(|word| {
                right.iter().position(|other| other == *word).map(|at| right.remove(at)).is_some()
            }).count();
            let expected = if sum == 0 { 1.0 } else { 2.0 * common as f64 / sum as f64 };
            prop_assert_eq!(token_f1(&gold, &said), expected);
            prop_assert_eq!(token_f1(&said, &gold), expected);
        }
    }
}
