//! The label space: what a validator may say about an answer.

use serde::Serialize;

/// What a validator says about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Label {
    /// Grounded and compliant.
    Valid,
    /// A correct refusal.
    NotInContext,
    /// Violates grounding, provenance, constraints or template.
    Reject,
    /// The validator cannot decide.
    Abstain,
}

impl Label {
    /// All labels; their order is that of rows and columns in a confusion matrix.
    pub const ALL: [Label; 4] = [
        Label::Valid,
        Label::NotInContext,
        Label::Reject,
        Label::Abstain,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Label::Valid => "VALID",
            Label::NotInContext => "NOT_IN_CONTEXT",
            Label::Reject => "REJECT",
            Label::Abstain => "ABSTAIN",
        }
    }

    /// The label of that name, letter for letter.
    pub fn from_name(name: &[u8]) -> Option<Label> {
        Label::ALL
            .into_iter()
            .find(|label| label.name().as_bytes() == name)
    }

    /// Its row or column.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The label that somebody meant who wrote this, for a hint only.
    pub fn meant(name: &str) -> Option<Label> {
        let plain: String = name
            .trim()
            .chars()
            .map(|c| if matches!(c, ' ' | '-') { '_' } else { c })
            .collect::<String>()
            .to_ascii_uppercase();
        Label::from_name(plain.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::Label;

    #[test]
    fn names_are_exact_and_hints_are_kind() {
        for label in Label::ALL {
            assert_eq!(Label::from_name(label.name().as_bytes()), Some(label));
            assert_eq!(Label::ALL[label.index()], label);
        }
        assert_eq!(Label::from_name(b"valid"), None);
        assert_eq!(Label::meant(" not in-context"), Some(Label::NotInContext));
        assert_eq!(Label::meant("OK"), None);
    }
}
