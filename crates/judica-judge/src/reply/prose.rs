//! What a text says about the verdict in sentences.
//!
//! A judge that writes "The prediction is incorrect." beside an object that says yes has
//! said both. But judges also think aloud before they decide: "An incorrect answer would be
//! 4." So no single word counts, only a sentence that says of the prediction, or of the
//! verdict, what it is, and goes on no further. What stands under a condition, is denied or
//! is told of somebody says nothing.

/// What is judged, and how judges call it.
const JUDGED: [&str; 4] = ["prediction", "answer", "response", "candidate"];
/// What may stand in front of that; "the gold answer" and "another answer" are others.
const BEFORE: [&str; 9] = [
    "the",
    "this",
    "predicted",
    "given",
    "proposed",
    "submitted",
    "candidate",
    "model's",
    "student's",
];
/// Behind a verdict these mean what was judged; before it they could mean anything.
const PRONOUNS: [&str; 2] = ["it", "this"];
const VERDICT: [&str; 4] = ["verdict", "judgement", "judgment", "decision"];
const ADVERBS: [&str; 15] = [
    "actually",
    "also",
    "clearly",
    "definitely",
    "factually",
    "hence",
    "in",
    "fact",
    "indeed",
    "just",
    "simply",
    "still",
    "then",
    "therefore",
    "thus",
];
/// After one of these a sentence says nothing for certain.
const SUPPOSED: [&str; 20] = [
    "if",
    "whether",
    "unless",
    "when",
    "otherwise",
    "suppose",
    "assuming",
    "would",
    "could",
    "might",
    "may",
    "should",
    "must",
    "say",
    "says",
    "said",
    "claims",
    "states",
    "why",
    "how",
];
/// After one of these it says nothing until its next part.
const DENIED: [&str; 8] = [
    "not", "no", "never", "nor", "cannot", "can't", "don't", "doesn't",
];
const PARTS: [&str; 7] = [",", ":", "so", "and", "hence", "thus", "therefore"];
/// What may follow a statement without taking it back.
const GROUNDS: [&str; 4] = ["because", "since", "as", ":"];

/// Whether a sentence clearly says something else than `correct`. `behind` is whether the
/// text follows the verdict.
pub(super) fn contradicts(text: &str, correct: bool, behind: bool) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let text = text.replace("it's", "it is");
    let mut sentences = text.split(['.', '!', '?', ';', '\n']);
    sentences.any(|sentence| says(&words(sentence), !correct, behind))
}

fn says(words: &[&str], wanted: bool, behind: bool) -> bool {
    let mut denied = false;
    for (at, word) in words.iter().enumerate() {
        if SUPPOSED.contains(word) {
            return false;
        }
        denied = (denied || DENIED.contains(word)) && !PARTS.contains(word);
        if denied {
            continue;
        }
        let rest = &words[at + 1..];
        let named = at == 0 || BEFORE.contains(&words[at - 1]);
        let judged = JUDGED.contains(word) && named || behind && PRONOUNS.contains(word);
        let said = match VERDICT.contains(word) {
            true => verdict(rest),
            false if judged => quality(rest),
            false => None,
        };
        if said == Some(wanted) {
            return true;
        }
    }
    false
}

/// What follows "the verdict".
fn verdict(words: &[&str]) -> Option<bool> {
    let (is, rest) = words.split_first()?;
    let rest = past_adverbs(rest);
    let (word, behind) = rest.split_first()?;
    let ends = |behind: &[&str]| behind.first() == Some(&",") || ends(behind);
    match *word {
        _ if !matches!(*is, "is" | ":" | "=") => None,
        "yes" | "true" if ends(behind) => Some(true),
        "no" | "false" if ends(behind) => Some(false),
        _ => quality_of(rest),
    }
}

/// What follows "the prediction".
fn quality(words: &[&str]) -> Option<bool> {
    let (verb, rest) = words.split_first()?;
    let said = quality_of(past_adverbs(rest))?;
    match *verb {
        "is" | "was" => Some(said),
        // "isn't wrong" is not yet right.
        "isn't" | "wasn't" => said.then_some(false),
        _ => None,
    }
}

fn quality_of(words: &[&str]) -> Option<bool> {
    let (word, rest) = words.split_first()?;
    match *word {
        "correct" | "right" if ends(rest) => Some(true),
        "incorrect" | "wrong" if ends(rest) => Some(false),
        "not" => quality_of(past_adverbs(rest))?.then_some(false),
        _ => None,
    }
}

/// Whether nothing follows, or why it is so.
fn ends(words: &[&str]) -> bool {
    let mut words = words.iter().skip_while(|word| **word == ",");
    words.next().is_none_or(|word| GROUNDS.contains(word))
}

fn past_adverbs<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let adverbs = words.iter().take_while(|word| ADVERBS.contains(word));
    &words[adverbs.count()..]
}

/// The words of a sentence, and the marks that part it.
fn words(sentence: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = sentence;
    while let Some(c) = rest.chars().next() {
        let length = rest
            .find(|c: char| !c.is_alphanumeric() && c != '\'')
            .unwrap_or(rest.len())
            .max(c.len_utf8());
        let (word, more) = rest.split_at(length);
        let word = word.trim_matches('\'');
        if word.starts_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | ':' | '=')) {
            words.push(word);
        }
        rest = more;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::contradicts;

    #[test]
    fn sentences_about_the_verdict() {
        for no in [
            "The prediction is incorrect.",
            "So **the predicted answer** is therefore wrong:",
            "The model’s answer isn’t correct because 3 is not 4.",
            "The two do not match, so the prediction is not correct",
            "My verdict is no.",
            "Hence my final verdict: no, they differ",
            "Verdict = incorrect",
        ] {
            assert!(contradicts(no, true, false), "{no}");
            assert!(!contradicts(no, false, false), "{no}");
        }
        for yes in ["The answer is clearly correct.", "Verdict: yes"] {
            assert!(contradicts(yes, false, false), "{yes}");
            assert!(!contradicts(yes, true, false), "{yes}");
        }
        for later in ["However, on reflection it is incorrect.", "It’s wrong."] {
            assert!(contradicts(later, true, true) && !contradicts(later, true, false));
        }
    }

    #[test]
    fn thinking_aloud() {
        for text in [
            "",
            "An incorrect answer would be 4.",
            "If the prediction is incorrect, say no.",
            "I cannot say that the prediction is wrong.",
            "The prediction is not incorrect.",
            "The gold answer is wrong. Any other answer is incorrect.",
            "The correct answer is no. The prediction says the answer is incorrect.",
            "The prediction is wrong only in its spelling.",
            "The prediction is correct in its first part, but it is not complete.",
            "The prediction is correct, but short.",
            "Some would say 4. That answer is wrong.",
            "Verdict: no difference.",
            "Is the verdict right or wrong",
        ] {
            for correct in [true, false] {
                assert!(!contradicts(text, correct, false), "{text}");
            }
        }
    }
}
