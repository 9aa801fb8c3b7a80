//! The body of a question.

use serde::Serialize;
use serde_json::Value;

use super::dialect::{Dialect, Format, Limit};
use crate::chat::{ChatRequest, Message};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: JsonSchema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

/// The question as the server shall read it. Bytes, so that a repeated attempt sends the
/// very same ones.
pub(crate) fn body(request: &ChatRequest, model: &str, dialect: Dialect) -> Vec<u8> {
    let limit_as = |kind| request.max_output_tokens.filter(|_| dialect.limit == kind);
    let response_format = request
        .schema
        .as_ref()
        .and_then(|schema| match dialect.format {
            Format::Schema => Some(ResponseFormat::JsonSchema {
                json_schema: JsonSchema {
                    name: &schema.name,
                    strict: true,
                    schema: &schema.schema,
                },
            }),
            Format::Object => Some(ResponseFormat::JsonObject),
            Format::Free => None,
        });
    let body = Body {
        model,
        messages: &request.messages,
        temperature: Some(request.temperature).filter(|t| dialect.temperature && t.is_finite()),
        max_tokens: limit_as(Limit::MaxTokens),
        max_completion_tokens: limit_as(Limit::MaxCompletionTokens),
        // Servers read seeds as signed 64-bit integers.
        seed: request
            .seed
            .filter(|_| dialect.seed)
            .map(|seed| seed & i64::MAX as u64),
        response_format,
    };
    // Text, numbers and a schema that was JSON before: it always serialises.
    serde_json::to_vec(&body).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::{ReplySchema, Role};

    fn question() -> ChatRequest {
        ChatRequest {
            messages: vec![Message {
                role: Role::User,
                content: "a \"b\"\u{0}".into(),
            }],
            temperature: 0.0,
            max_output_tokens: Some(300),
            seed: Some(u64::MAX),
            schema: Some(ReplySchema {
                name: "verdict".into(),
                schema: json!({"type": "object"}),
            }),
        }
    }

    fn sent(request: &ChatRequest, dialect: Dialect) -> Value {
        serde_json::from_slice(&body(request, "m", dialect)).unwrap()
    }

    #[test]
    fn everything_is_sent_at_first() {
        assert_eq!(
            sent(&question(), Dialect::default()),
            json!({
                "model": "m",
                "messages": [{"role": "user", "content": "a \"b\"\u{0}"}],
                "temperature": 0.0,
                "max_tokens": 300,
                "seed": i64::MAX,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "verdict", "strict": true, "schema": {"type": "object"}},
                },
            })
        );
    }

    #[test]
    fn a_poorer_dialect_leaves_out_what_the_server_does_not_take() {
        let dialect = Dialect {
            format: Format::Object,
            limit: Limit::MaxCompletionTokens,
            seed: false,
            temperature: false,
        };
        assert_eq!(
            sent(&question(), dialect),
            json!({
                "model": "m",
                "messages": [{"role": "user", "content": "a \"b\"\u{0}"}],
                "max_completion_tokens": 300,
                "response_format": {"type": "json_object"},
            })
        );
        let poorest = Dialect {
            format: Format::Free,
            ..dialect
        };
        let body = sent(&question(), poorest);
        assert_eq!(body.as_object().unwrap().len(), 3, "{body}");
    }

    #[test]
    fn what_was_not_asked_for_is_not_sent() {
        let request = ChatRequest {
            temperature: f64::NAN,
            max_output_tokens: None,
            seed: None,
            schema: None,
            ..question()
        };
        let body = sent(&request, Dialect::default());
        assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
    }
}
