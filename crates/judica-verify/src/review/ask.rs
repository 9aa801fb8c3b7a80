//! Who is asked. This room has no network: whoever starts a run brings somebody who does
//! the asking, with whatever retries, cache and budget are fit.

use serde_json::Value;

/// A question to a chat model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Standing instructions.
    pub system: String,
    /// The question itself.
    pub user: String,
}

/// What questions have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The name of the schema on the wire.
    pub schema_name: &'static str,
    /// The JSON Schema that replies shall follow.
    pub schema: Value,
    /// The hash of the prompt, to be kept with replies.
    pub prompt_hash: String,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The model answered.
    Said {
        /// Its words.
        text: String,
        /// Whether a limit cut them short.
        cut: bool,
    },
    /// The model or its provider would not answer, and said this.
    Declined(String),
    /// The server answered something that is no reply of a model; this is its beginning.
    Unreadable(String),
    /// No answer came, for this reason.
    Failed(String),
    /// Asking ended before it was this question's turn.
    NotAsked,
}

/// Why asking ended before all was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halt {
    /// In words.
    pub message: String,
    /// Whether it was the user who ended it.
    pub interrupted: bool,
}

/// What became of some questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// One reply per question, in their order.
    pub replies: Vec<Reply>,
    /// Why asking ended early; nothing more shall be asked then.
    pub halt: Option<Halt>,
}

/// Somebody who asks a language model, at temperature 0.
pub trait AskModel: Sync {
    /// The model.
    fn model(&self) -> &str;

    /// Everything about who is asked that can change an answer, and nothing secret.
    fn identity(&self) -> &str;

    /// Asks all of them.
    fn ask(&self, questions: &[Question], form: &Form) -> Asked;
}
