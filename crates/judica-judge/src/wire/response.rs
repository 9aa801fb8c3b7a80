//! The body of an answer.
//!
//! Read with the tolerant scanner, not into a tree: a field of an unexpected type is passed
//! over instead of spoiling the rest, and a large hostile body costs no more memory than its
//! own bytes.

use judica_data::json::{ScanError, Scanner, ValueKind};

use crate::chat::{Finish, Usage};

/// How deep a body may be nested.
const DEPTH: usize = 128;

type Scan<T> = Result<T, ScanError>;

/// What an answer with a success status turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// A chat reply.
    Reply(Reply),
    /// An error in the clothes of success.
    Error,
    /// No chat reply at all.
    Nonsense,
}

/// A chat reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) finish: Finish,
    pub(crate) usage: Usage,
    pub(crate) served_by: Option<String>,
}

/// Reads the body of an answer with a success status.
pub(crate) fn read(body: &[u8]) -> Body {
    let mut found = Found::default();
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut scanner = Scanner::new(body, 0);
    let whole = found.read(&mut scanner).is_ok() && scanner.at_end();
    if !whole {
        return Body::Nonsense;
    }
    if found.has_message {
        return Body::Reply(found.into_reply());
    }
    if found.has_error {
        Body::Error
    } else {
        Body::Nonsense
    }
}

#[derive(Default)]
struct Found {
    has_message: bool,
    has_error: bool,
    content: Option<String>,
    refusal: Option<String>,
    finish_reason: Option<String>,
    usage: Usage,
    model: Option<String>,
}

impl Found {
    fn into_reply(self) -> Reply {
        let refusal = self.refusal.filter(|words| !words.is_empty());
        let finish = match self.finish_reason.as_deref() {
            _ if refusal.is_some() => Finish::Refused,
            Some("content_filter") => Finish::Refused,
            Some("stop") => Finish::Complete,
            Some("length") => Finish::Length,
            _ => Finish::Other,
        };
        Reply {
            text: refusal.or(self.content).unwrap_or_default(),
            finish,
            usage: self.usage,
            served_by: self.model,
        }
    }

    fn read(&mut self, scanner: &mut Scanner<'_>) -> Scan<()> {
        members(scanner, 0, |key, scanner| match key {
            b"choices" => self.first_choice(scanner),
            b"usage" => members(scanner, 1, |key, scanner| {
                match key {
                    b"prompt_tokens" => self.usage.input_tokens = count(scanner, 2)?,
                    b"completion_tokens" => self.usage.output_tokens = count(scanner, 2)?,
                    _ => scanner.skip_value(2, DEPTH)?,
                }
                Ok(())
            }),
            b"model" => {
                self.model = text(scanner, 1)?;
                Ok(())
            }
            b"error" => {
                self.has_error = scanner.kind()? != ValueKind::Null;
                scanner.skip_value(1, DEPTH)
            }
            _ => scanner.skip_value(1, DEPTH),
        })
    }

    fn first_choice(&mut self, scanner: &mut Scanner<'_>) -> Scan<()> {
        let mut first = true;
        elements(scanner, 1, |scanner| {
            if !std::mem::take(&mut first) {
                return scanner.skip_value(2, DEPTH);
            }
            members(scanner, 2, |key, scanner| match key {
                b"message" => {
                    self.has_message = scanner.kind()? == ValueKind::Object;
                    members(scanner, 3, |key, scanner| {
                        match key {
                            b"content" => self.content = text_or_parts(scanner, 4)?,
                            b"refusal" => self.refusal = text(scanner, 4)?,
                            _ => scanner.skip_value(4, DEPTH)?,
                        }
                        Ok(())
                    })
                }
                b"finish_reason" => {
                    self.finish_reason = text(scanner, 3)?;
                    Ok(())
                }
                _ => scanner.skip_value(3, DEPTH),
            })
        })
    }
}

/// Hands each member of an object to `each`, which must take its value. What is no object is
/// passed over. `depth` containers are open around it.
fn members<'a>(
    scanner: &mut Scanner<'a>,
    depth: usize,
    each: impl FnMut(&[u8], &mut Scanner<'a>) -> Scan<()>,
) -> Scan<()> {
    if scanner.kind()? != ValueKind::Object {
        return scanner.skip_value(depth, DEPTH);
    }
    scanner.members(each)
}

/// The same for the elements of an array.
fn elements<'a>(
    scanner: &mut Scanner<'a>,
    depth: usize,
    mut each: impl FnMut(&mut Scanner<'a>) -> Scan<()>,
) -> Scan<()> {
    if scanner.kind()? != ValueKind::Array {
        return scanner.skip_value(depth, DEPTH);
    }
    scanner.elements(|_, scanner| each(scanner))
}

/// A string; anything else is passed over.
fn text(scanner: &mut Scanner<'_>, depth: usize) -> Scan<Option<String>> {
    if scanner.kind()? != ValueKind::String {
        scanner.skip_value(depth, DEPTH)?;
        return Ok(None);
    }
    let mut bytes = Vec::new();
    scanner.string_into(&mut bytes)?;
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Some(text))
}

/// A string, or an array of parts whose `text` is joined.
fn text_or_parts(scanner: &mut Scanner<'_>, depth: usize) -> Scan<Option<String>> {
    if scanner.kind()? != ValueKind::Array {
        return text(scanner, depth);
    }
    let mut joined = String::new();
    elements(scanner, depth, |scanner| {
        members(scanner, depth + 1, |key, scanner| {
            if key == b"text" {
                joined.extend(text(scanner, depth + 2)?);
                return Ok(());
            }
            scanner.skip_value(depth + 2, DEPTH)
        })
    })?;
    Ok(Some(joined))
}

/// A whole number that is not negative; anything else is passed over.
fn count(scanner: &mut Scanner<'_>, depth: usize) -> Scan<Option<u64>> {
    if scanner.kind()? != ValueKind::Number {
        scanner.skip_value(depth, DEPTH)?;
        return Ok(None);
    }
    let number = scanner.number()?;
    let whole = (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
    Ok(whole.then_some(number as u64))
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
