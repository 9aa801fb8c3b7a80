//! How many tokens a question takes, before anybody has counted them.
//!
//! Every model cuts text differently, and its tokenizer is not at hand. So there are two
//! numbers: an estimate, for plans and for pacing, and a bound, for budgets that must hold.
//! Both are replaced by the server's own count once there is one.

use crate::chat::ChatRequest;

/// Around each message: role, separators.
const MESSAGE_ESTIMATE: u64 = 4;
/// The same for templates that say much about little.
const MESSAGE_AT_MOST: u64 = 16;
/// Around the conversation. Some templates add a date and a line about the model.
const REQUEST_ESTIMATE: u64 = 3;
const REQUEST_AT_MOST: u64 = 64;

/// The tokens of a request, both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTokens {
    /// Those of the question, with the schema of the reply, which servers count as input.
    pub input: u64,
    /// The most that may come back, where the request sets a limit.
    pub output: Option<u64>,
}

/// About how many tokens a text is: a quarter of its ASCII bytes and half of its other
/// characters. English prose comes out a little high, formulas and code a little low.
pub fn estimate(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let others = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(4) + others.div_ceil(2)
}

/// A number of tokens that a text never exceeds: a tokenizer that works on bytes, as those
/// of today's chat models do, makes at most one token of each.
pub fn at_most(text: &str) -> u64 {
    text.len() as u64
}

/// About how many tokens a request takes.
pub fn request_estimate(request: &ChatRequest) -> RequestTokens {
    request_tokens(request, estimate, MESSAGE_ESTIMATE, REQUEST_ESTIMATE)
}

/// A number of tokens that a request does not exceed.
pub fn request_at_most(request: &ChatRequest) -> RequestTokens {
    request_tokens(request, at_most, MESSAGE_AT_MOST, REQUEST_AT_MOST)
}

fn request_tokens(
    request: &ChatRequest,
    of: impl Fn(&str) -> u64,
    per_message: u64,
    per_request: u64,
) -> RequestTokens {
    let messages = request.messages.iter();
    let messages: u64 = messages.map(|m| of(&m.content) + per_message).sum();
    let schema = request.schema.as_ref().map_or(0, |schema| {
        of(&schema.name) + of(&schema.schema.to_string())
    });
    RequestTokens {
        input: messages + schema + per_request,
        output: request.max_output_tokens.map(u64::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, Role};
    use crate::prompt::reply_schema;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        assert_eq!((estimate(""), at_most("")), (0, 0));
        assert_eq!((estimate("abcde"), at_most("abcde")), (2, 5));
        // Four ASCII bytes and three others, of 2, 3 and 4 bytes.
        assert_eq!((estimate("a é ∧𝄞b"), at_most("a é ∧𝄞b")), (1 + 2, 4 + 9));
    }

    #[test]
    fn a_request_is_its_messages_schema_and_frame() {
        let message = |role, content: &str| Message {
            role,
            content: content.to_owned(),
        };
        let mut request = ChatRequest {
            messages: vec![message(Role::System, "abcdefgh"), message(Role::User, "")],
            temperature: 0.0,
            max_output_tokens: Some(512),
            seed: None,
            schema: None,
        };
        let frame = 2 * MESSAGE_ESTIMATE + REQUEST_ESTIMATE;
        assert_eq!(
            request_estimate(&request),
            RequestTokens {
                input: 2 + frame,
                output: Some(512)
            }
        );
        let bare = request_at_most(&request).input;
        assert_eq!(bare, 8 + 2 * MESSAGE_AT_MOST + REQUEST_AT_MOST);
        request.schema = Some(reply_schema());
        request.max_output_tokens = None;
        assert!(request_at_most(&request).input > bare + 100);
        assert_eq!(request_at_most(&request).output, None);
    }

    proptest! {
        #[test]
        fn the_estimate_keeps_the_bound(text in ".*") {
            prop_assert!(estimate(&text) <= at_most(&text));
        }
    }
}
