//! The other ways to ask.

use crate::prompt::pieces::Field::{self, Gold, Input, Prediction};

/// One way to ask.
pub(super) struct Wording {
    /// The order of the texts.
    pub order: [Field; 3],
    /// What the markers call input, gold and prediction.
    labels: [&'static str; 3],
    /// The question, in place of the built-in one.
    pub question: &'static str,
    /// How the message ends.
    pub closing: &'static str,
}

impl Wording {
    /// What the markers call a text.
    pub fn label(&self, field: Field) -> &'static str {
        self.labels[field as usize]
    }

    /// Says which text is which, since the instructions speak of gold and prediction.
    pub fn names(&self) -> String {
        let (gold, prediction) = (self.label(Gold), self.label(Prediction));
        format!("The gold is marked {gold}, the prediction {prediction}.\n")
    }
}

/// All of them. Between any two, and the built-in template, more than one thing differs:
/// a judge that minds any of them shall show it.
pub(super) const WORDINGS: [Wording; 5] = [
    Wording {
        order: [Prediction, Gold, Input],
        labels: ["INPUT", "GOLD", "PREDICTION"],
        question: "Decide whether the prediction and the gold have the same meaning, given the input they both answer.",
        closing: "Reply with the JSON object.",
    },
    Wording {
        order: [Input, Prediction, Gold],
        labels: ["INPUT", "REFERENCE", "CANDIDATE"],
        question: "Is the candidate an acceptable equivalent of the reference as an answer to the input?",
        closing: "Give your verdict on the candidate as the JSON object.",
    },
    Wording {
        order: [Gold, Prediction, Input],
        labels: ["REQUEST", "EXPECTED", "ANSWER"],
        question: "Somebody answered a request. Compare the answer with what was expected: do they say the same?",
        closing: "Give your verdict on the answer as the JSON object.",
    },
    Wording {
        order: [Prediction, Input, Gold],
        labels: ["TASK", "REFERENCE", "CANDIDATE"],
        question: "Below is a candidate, the task it was written for, and a reference for that task. Would the reference's author accept the candidate as meaning the same?",
        closing: "Reply with the JSON object.",
    },
    Wording {
        order: [Gold, Input, Prediction],
        labels: ["SOURCE", "TEXT-A", "TEXT-B"],
        question: "Does text B state what text A states about the source, no more and no less?",
        closing: "Give your verdict on text B as the JSON object.",
    },
];
