//! Yes and no.

use super::shown;

/// What a `correct` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Yes,
    No,
    /// Neither: it repeats the form of the reply (`yes|no`, `...`).
    Form,
    /// Neither, and how that is put to people.
    Unclear(String),
}

impl Said {
    /// What a text says: yes or no, true or false, 1 or 0, in any case, with blanks, quotes
    /// or a full stop around it.
    pub(super) fn text(text: &str) -> Said {
        let around = |c: char| c.is_whitespace() || matches!(c, '.' | '!' | '"' | '\'' | '*' | '`');
        let word = text.trim_matches(around);
        match yes_or_no(word) {
            Some(true) => Said::Yes,
            Some(false) => Said::No,
            None if is_form(text) => Said::Form,
            None => Said::unclear(&shown(text)),
        }
    }

    /// What a boolean says.
    pub(super) fn boolean(correct: bool) -> Said {
        if correct { Said::Yes } else { Said::No }
    }

    /// What a number says.
    pub(super) fn number(number: f64) -> Said {
        if number == 1.0 {
            Said::Yes
        } else if number == 0.0 {
            Said::No
        } else {
            Said::unclear(&number.to_string())
        }
    }

    /// Neither yes nor no, but this.
    pub(super) fn unclear(what: &str) -> Said {
        Said::Unclear(format!("`correct` is {what}, expected yes or no"))
    }

    /// What two values of one object come to.
    pub(super) fn and(self, other: Said) -> Said {
        if self == other {
            self
        } else {
            Said::Unclear("`correct` stands twice in one object, differently".to_owned())
        }
    }

    /// Yes or no, or what is wrong.
    pub(super) fn verdict(&self) -> Result<bool, String> {
        match self {
            Said::Yes => Ok(true),
            Said::No => Ok(false),
            Said::Form => Err("it repeats the form of the reply without filling it in".to_owned()),
            Said::Unclear(problem) => Err(problem.clone()),
        }
    }
}

/// What one word says, if it says anything.
pub(super) fn yes_or_no(word: &str) -> Option<bool> {
    let is = |words: [&str; 4]| words.iter().any(|w| word.eq_ignore_ascii_case(w));
    if is(["yes", "true", "1", "1.0"]) {
        Some(true)
    } else if is(["no", "false", "0", "0.0"]) {
        Some(false)
    } else {
        None
    }
}

/// Whether a value offers both answers, or dots in place of one.
fn is_form(text: &str) -> bool {
    // Nothing longer is a form; and a long text need not be taken apart.
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(5)
        .collect();
    let has = |wanted| words.iter().any(|word| yes_or_no(word) == Some(wanted));
    let dots = !text.trim().is_empty() && words.is_empty();
    dots || (words.len() < 5 && has(true) && has(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_judges() {
        for yes in [
            "yes", " YES ", "Yes.", "true", "True", "1", "**yes**", "\"yes\"", "1.0",
        ] {
            assert_eq!(Said::text(yes), Said::Yes, "{yes:?}");
        }
        for no in ["no", "No!", "FALSE", "0", "no\n"] {
            assert_eq!(Said::text(no), Said::No, "{no:?}");
        }
        for form in [
            "yes|no",
            "\"yes\" | \"no\"",
            "yes/no",
            "<yes or no>",
            "...",
            "…",
        ] {
            assert_eq!(Said::text(form), Said::Form, "{form:?}");
        }
        for unclear in [
            "maybe",
            "",
            "  ",
            "yes, mostly",
            "not sure",
            "yesno",
            "correct",
            "2",
        ] {
            assert!(
                matches!(Said::text(unclear), Said::Unclear(_)),
                "{unclear:?}"
            );
        }
    }

    #[test]
    fn numbers_and_repetitions() {
        assert_eq!(Said::number(1.0), Said::Yes);
        assert_eq!(Said::number(-0.0), Said::No);
        for unclear in [0.5, 2.0, f64::NAN, f64::INFINITY] {
            assert!(
                matches!(Said::number(unclear), Said::Unclear(_)),
                "{unclear}"
            );
        }
        assert_eq!(Said::Yes.and(Said::Yes), Said::Yes);
        assert!(Said::Yes.and(Said::No).verdict().is_err());
    }
}
