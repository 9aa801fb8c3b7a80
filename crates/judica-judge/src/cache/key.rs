//! What makes two questions the same: everything that can change the answer.

use std::fmt;

use judica_data::sha256::sha256;
use serde::Serialize;

use crate::chat::ChatRequest;

/// Raised when a change of this program makes old replies answers to other questions,
/// although the requests look the same.
const FORMAT: u32 = 1;

/// The SHA-256 of a question and of who is asked.
///
/// It is taken over one line of JSON without spaces, its members in this order:
/// `{"format":1,"endpoint":"…","vote":0,"request":{…}}`. The members of a schema keep the
/// order they were given in, because a server that holds a model to a schema makes it
/// write in that order, and that can change an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 32]);

#[derive(Serialize)]
struct Question<'a> {
    format: u32,
    endpoint: &'a str,
    vote: u32,
    request: &'a ChatRequest,
}

impl Key {
    /// The key of a question. `endpoint` says everything about who is asked that can
    /// change an answer (kind, address, model), and nothing secret; `vote` tells apart
    /// several answers that are wanted to one question.
    pub fn of(endpoint: &str, request: &ChatRequest, vote: u32) -> Self {
        let question = Question {
            format: FORMAT,
            endpoint,
            vote,
            request,
        };
        let json = serde_json::to_vec(&question).expect("a request is strings and numbers");
        Key(sha256(json))
    }

    /// Its 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::chat::{Message, ReplySchema, Role};

    fn request() -> ChatRequest {
        ChatRequest {
            messages: vec![Message {
                role: Role::User,
                content: "p \"q\"".to_owned(),
            }],
            temperature: 0.0,
            max_output_tokens: Some(9),
            seed: None,
            schema: None,
        }
    }

    #[test]
    fn the_key_is_the_hash_of_the_documented_line() {
        let line = r#"{"format":1,"endpoint":"e","vote":0,"request":{"messages":[{"role":"user","content":"p \"q\""}],"temperature":0.0,"max_output_tokens":9,"seed":null,"schema":null}}"#;
        let expected = sha256(line);
        assert_eq!(Key::of("e", &request(), 0).as_bytes(), &expected);
        // The same, by sha256sum.
        assert_eq!(
            Key::of("e", &request(), 0).to_string(),
            "6a1961fd67668fa9f5db99fe7df563ea8b652351cfe9c3a011a2af98cc9110e3"
        );
    }

    #[test]
    fn everything_that_can_change_an_answer_changes_the_key() {
        let schema = |json: &str| ReplySchema {
            name: "verdict".to_owned(),
            schema: serde_json::from_str(json).unwrap(),
        };
        let changes: Vec<fn(&mut ChatRequest)> = vec![
            |_| (),
            |r| r.messages[0].content.push('.'),
            |r| r.messages[0].role = Role::System,
            |r| r.messages.push(r.messages[0].clone()),
            |r| r.messages.clear(),
            |r| r.temperature = 0.1,
            |r| r.max_output_tokens = None,
            |r| r.max_output_tokens = Some(10),
            |r| r.seed = Some(0),
            |r| r.seed = Some(1),
        ];
        let mut requests: Vec<ChatRequest> = changes
            .iter()
            .map(|change| {
                let mut request = request();
                change(&mut request);
                request
            })
            .collect();
        for json in [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, "true"] {
            requests.push(ChatRequest {
                schema: Some(schema(json)),
                ..request()
            });
        }
        let mut keys: Vec<Key> = requests.iter().map(|r| Key::of("e", r, 0)).collect();
        keys.push(Key::of("e", &request(), 1));
        keys.push(Key::of("f", &request(), 0));
        let different: BTreeSet<Key> = keys.iter().copied().collect();
        assert_eq!(different.len(), keys.len());
        assert_eq!(keys[0], Key::of("e", &request(), 0));
    }
}
