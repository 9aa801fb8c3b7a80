//! What a server says when it refuses or fails.
//!
//! Everybody has a shape of their own: `{"error": {"message", "type", "code", "param"}}`,
//! the same with an `innererror`, `{"error": "text"}`, `{"detail": [{"loc", "msg"}]}`,
//! `{"message": …}`, plain text, a page of HTML. This reads what it can.

use serde_json::Value;

/// What a server said when it refused or failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The HTTP status, or the one that a body with an error names.
    pub(crate) status: u16,
    /// The server's own code, in lower case.
    code: String,
    /// The parameters it names.
    parameters: Vec<String>,
    /// Its words; never empty unless the body was.
    pub(crate) message: String,
    /// Whether a filter declined the content.
    filtered: bool,
    /// Whether it came with success, so that nobody spoke of the status.
    pub(crate) in_success: bool,
}

impl Fault {
    /// Reads the body of an answer with an error status.
    pub(crate) fn read(status: u16, body: &[u8]) -> Fault {
        let text = String::from_utf8_lossy(body);
        let parsed: Option<Value> = serde_json::from_str(&text).ok();
        match parsed {
            Some(value) if value.is_object() => Fault::from_object(status, &value, &text),
            _ => Fault {
                status,
                message: text.trim().to_owned(),
                ..Fault::default()
            },
        }
    }

    /// Reads a body that came with success and is an error all the same. Its code stands in
    /// for the status; what is no status counts as a failure of the server.
    pub(crate) fn read_in_success(body: &[u8]) -> Fault {
        let mut fault = Fault::read(0, body);
        fault.in_success = true;
        fault.status = match fault.code.parse() {
            Ok(status @ 400..=599) => status,
            _ if fault.code.contains("rate_limit") => 429,
            _ if fault.code.contains("api_key") || fault.code.contains("unauthorized") => 401,
            _ if fault.code.contains("not_found") => 404,
            _ if fault.filtered => 400,
            _ => 500,
        };
        fault
    }

    fn from_object(status: u16, value: &Value, whole: &str) -> Fault {
        let error = value
            .get("error")
            .filter(|error| !error.is_null())
            .unwrap_or(value);
        let message = [
            error,
            &error["message"],
            &error["msg"],
            &value["message"],
            &value["detail"],
        ]
        .into_iter()
        .find_map(Value::as_str)
        .unwrap_or(whole);
        let code = |value: &Value| match value {
            Value::String(text) => text.to_lowercase(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let own = code(&error["code"]);
        let kind = code(&error["type"]);
        let inner = code(&error["innererror"]["code"]);
        let filtered = [&own, &kind, &inner].into_iter().any(|code| {
            matches!(
                code.as_str(),
                "content_filter" | "content_policy_violation" | "responsibleaipolicyviolation"
            )
        }) || error["metadata"].get("flagged_input").is_some();
        let named = error["param"].as_str().into_iter();
        let located = value["detail"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|problem| problem["loc"].as_array())
            .flatten()
            .filter_map(Value::as_str);
        Fault {
            status,
            parameters: named.chain(located).map(str::to_lowercase).collect(),
            message: message.trim().to_owned(),
            code: if own.is_empty() { kind } else { own },
            filtered,
            in_success: false,
        }
    }

    /// The names of parameters that the server gives, in its words.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(String::as_str)
    }

    /// Whether a content filter declined the question.
    pub(crate) fn is_content_filter(&self) -> bool {
        self.filtered && matches!(self.status, 400 | 403 | 422)
    }

    /// Whether the money is used up, which no waiting mends.
    pub(crate) fn is_out_of_credit(&self) -> bool {
        self.status == 402 || self.code == "insufficient_quota" || self.code == "billing_not_active"
    }

    /// Whether the question is longer than the model or the server reads.
    pub(crate) fn is_too_long(&self) -> bool {
        let words = self.message.to_lowercase();
        self.status == 413
            || self.code == "context_length_exceeded"
            || self.status < 500
                && [
                    "context length",
                    "context window",
                    "context size",
                    "prompt is too long",
                ]
                .iter()
                .any(|phrase| words.contains(phrase))
    }
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
