//! A question to a chat model and what comes back, before any wire format.
//!
//! These are the words in which the parts of this room speak to each other: prompts make a
//! [`ChatRequest`], a client turns it into a [`ChatReply`], the cache stores the one under
//! the other.

use serde::{Deserialize, Serialize};

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The question.
    User,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// The JSON that a reply shall be, for servers that can hold a model to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplySchema {
    /// Its name on the wire.
    pub name: String,
    /// The JSON Schema itself.
    pub schema: serde_json::Value,
}

/// Everything about a question that can change its answer, apart from who is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// 0 for judges.
    pub temperature: f64,
    /// The most tokens that may come back, where a limit is set.
    pub max_output_tokens: Option<u32>,
    /// A seed, for servers that take one; votes differ by it.
    pub seed: Option<u64>,
    /// What the reply shall look like.
    pub schema: Option<ReplySchema>,
}

/// Tokens that a call used, as far as the server said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the question.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
}

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model had said all it wanted.
    Complete,
    /// The token limit cut it short.
    Length,
    /// The provider or the model declined: a content filter or a refusal.
    Refused,
    /// The server gave another reason or none.
    Other,
    /// The server answered, with success, something that is no chat reply at all: not JSON,
    /// without a message, or larger than anyone may send. `text` holds the start of it.
    Unreadable,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text of the answer; for a refusal what the provider said of it.
    pub text: String,
    /// How it ended.
    pub finish: Finish,
    /// Tokens used.
    pub usage: Usage,
    /// The model the server says it asked.
    pub served_by: Option<String>,
    /// From sending the last attempt to its last byte, in milliseconds.
    pub latency_ms: u64,
    /// How many attempts it took.
    pub attempts: u32,
    /// Parts of the question that the server does not take, so that they were left out:
    /// see [`Dialect::left_out`](crate::wire::dialect::Dialect::left_out).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
