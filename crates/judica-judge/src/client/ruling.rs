//! What follows from what a server said.

use judica_model::text::{cut, is_hazard};
use reqwest::StatusCode;

use crate::wire::fault::Fault;

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ruling {
    /// A filter declined the content: that is the answer.
    Refused,
    /// Another attempt may fare better.
    Retry,
    /// The same, and everybody should ask more slowly.
    Crowded,
    /// This question will not be answered; others may.
    BadQuestion,
    /// A request of this form is refused. That is the form of all requests, unless others
    /// are answered: then it is this question.
    BadRequest,
    /// No question will be answered.
    Fatal,
}

/// What follows from what a server said.
pub(super) fn rule(fault: &Fault) -> Ruling {
    if fault.is_content_filter() {
        return Ruling::Refused;
    }
    if fault.is_out_of_credit() {
        return Ruling::Fatal;
    }
    match fault.status {
        429 | 503 | 529 => Ruling::Crowded,
        408 | 409 | 425 | 500..=599 => Ruling::Retry,
        _ if fault.is_too_long() => Ruling::BadQuestion,
        400 | 422 => Ruling::BadRequest,
        _ => Ruling::Fatal,
    }
}

/// Whether such a status may be due to an optional part of the question.
pub(super) fn may_be_dialect(status: u16) -> bool {
    matches!(status, 400 | 404 | 422 | 500 | 501)
}

/// The status in words, and what a user can do about it.
///
/// `no_key` is what to do where no key was sent.
pub(super) fn in_words(fault: &Fault, location: Option<&str>, no_key: Option<&str>) -> String {
    let status = StatusCode::from_u16(fault.status)
        .map_or_else(|_| fault.status.to_string(), |status| status.to_string());
    let mut words = match fault.in_success {
        true => "the server answered with success, but sent an error".to_owned(),
        false => format!("the server answered {status}"),
    };
    if !fault.message.is_empty() {
        words.push_str(": ");
        words.push_str(&fault.message);
    }
    let advice = match fault.status {
        300..=399 => {
            location.map(|place| format!("redirects are not followed; it points to {place}"))
        }
        401 | 403 => Some(no_key.unwrap_or("check the key").to_owned()),
        404 => Some("check the address and the name of the model".to_owned()),
        _ => None,
    };
    if let Some(advice) = advice {
        words.push_str(" (");
        words.push_str(&advice);
        words.push(')');
    }
    words
}

/// `text` made fit for a terminal and a log: at most `most` characters, none of which moves
/// the cursor or turns the direction of writing.
pub(super) fn harmless(text: &str, most: usize) -> String {
    cut(text, most).replace(is_hazard, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruling(status: u16, body: &str) -> Ruling {
        rule(&Fault::read(status, body.as_bytes()))
    }

    #[test]
    fn every_status_has_a_consequence() {
        for (status, expected) in [
            (301, Ruling::Fatal),
            (400, Ruling::BadRequest),
            (401, Ruling::Fatal),
            (402, Ruling::Fatal),
            (403, Ruling::Fatal),
            (404, Ruling::Fatal),
            (405, Ruling::Fatal),
            (408, Ruling::Retry),
            (409, Ruling::Retry),
            (413, Ruling::BadQuestion),
            (422, Ruling::BadRequest),
            (425, Ruling::Retry),
            (429, Ruling::Crowded),
            (500, Ruling::Retry),
            (502, Ruling::Retry),
            (503, Ruling::Crowded),
            (529, Ruling::Crowded),
            (599, Ruling::Retry),
        ] {
            assert_eq!(ruling(status, "{}"), expected, "{status}");
        }
        assert_eq!(
            ruling(429, r#"{"error":{"code":"insufficient_quota"}}"#),
            Ruling::Fatal
        );
        assert_eq!(
            ruling(400, r#"{"error":{"code":"content_filter"}}"#),
            Ruling::Refused
        );
        assert_eq!(
            ruling(400, r#"{"error":"maximum context length is 8"}"#),
            Ruling::BadQuestion
        );
    }

    #[test]
    fn words_say_what_to_do() {
        let fault = |status| Fault::read(status, br#"{"error":{"message":"no"}}"#);
        assert_eq!(
            in_words(&fault(401), None, None),
            "the server answered 401 Unauthorized: no (check the key)"
        );
        assert!(in_words(&fault(401), None, Some("no key")).ends_with(": no (no key)"));
        assert_eq!(
            in_words(&Fault::read(500, b""), None, None),
            "the server answered 500 Internal Server Error"
        );
        let redirect = in_words(&fault(308), Some("https://h/"), None);
        assert!(redirect.ends_with("it points to https://h/)"));
        assert!(in_words(&fault(599), None, None).starts_with("the server answered 599"));
        let success = Fault::read_in_success(br#"{"error":{"message":"over"}}"#);
        assert_eq!(
            in_words(&success, None, None),
            "the server answered with success, but sent an error: over"
        );
    }

    #[test]
    fn what_a_server_says_cannot_move_the_cursor() {
        assert_eq!(
            harmless("a\u{1b}[2J\r\nb\u{202e}c\u{9b}é", 100),
            "a [2J  b c é"
        );
        assert_eq!(harmless("éééé", 3), "ééé…");
        assert_eq!(harmless("ééé", 3), "ééé");
    }
}
