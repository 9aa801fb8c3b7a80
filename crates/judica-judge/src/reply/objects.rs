//! The JSON objects in a text, and what each says.

use std::ops::Range;

use judica_data::json::scan::RawString;
use judica_data::json::{ScanError, Scanner, ValueKind};

use super::near::respelt;
use super::stray;
use super::words::Said;

/// Containers that may be open at once.
pub(super) const MAX_DEPTH: usize = 128;
/// Bytes that may be read in vain: some, and some more per byte of the text.
const PATIENCE_BASE: usize = 64 << 10;
const PATIENCE_FACTOR: usize = 8;
/// The names of the verdict. Others (`verdict`, `answer`, `match`) could mean anything.
pub(super) const CORRECT: [&str; 2] = ["correct", "is_correct"];
/// The names of the reasoning, the preferred one first.
pub(super) const REASONING: [&str; 4] = ["reasoning", "reason", "explanation", "rationale"];

/// An object of a reply.
#[derive(Debug)]
pub(super) struct Object {
    /// Where it stands.
    pub span: Range<usize>,
    /// What its `correct` says, if it has one.
    pub correct: Option<Said>,
    /// Its reasoning; empty where there is none.
    pub reasoning: String,
    /// Whether it is almost JSON only.
    pub repaired: bool,
}

/// The object that is all of the text, if the text is one object.
pub(super) fn whole(text: &str) -> Option<Object> {
    let object = read_or_repair(text, 0).ok()?;
    (object.span.end == text.len()).then_some(object)
}

/// The objects in a text, from left to right: each begins at the earliest `{` after the one
/// before from which an object can be read. Those inside of other values are not given.
pub(super) fn each(text: &str) -> Each<'_> {
    Each {
        text,
        at: 0,
        patience: PATIENCE_BASE + PATIENCE_FACTOR * text.len(),
    }
}

/// Whether an object that [`each`] passes over, since it stands inside of another value,
/// has a verdict. Of several only the first is looked at.
pub(super) fn any_inside(text: &str) -> bool {
    let key = text.to_ascii_lowercase().find(CORRECT[0]);
    let open = key.and_then(|key| text[..key].rfind('{'));
    open.is_some_and(|at| read_or_repair(text, at).is_ok_and(|object| object.correct.is_some()))
}

/// Brackets so tangled that looking for objects among them was given up.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tangled;

/// See [`each`].
pub(super) struct Each<'a> {
    text: &'a str,
    at: usize,
    /// Bytes that may still be read in vain. A reader that starts anew at each bracket of a
    /// deep nest would read its inside once per bracket.
    patience: usize,
}

impl Iterator for Each<'_> {
    type Item = Result<Object, Tangled>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.at += self.text[self.at..].find(['{', '['])?;
            let failed = match self.value() {
                Ok(Some(object)) => return Some(Ok(object)),
                Ok(None) => continue,
                Err(error) => error,
            };
            let stopped = failed.position().max(self.at + 1);
            self.patience = match self.patience.checked_sub(stopped - self.at) {
                Some(left) => left,
                None => {
                    self.at = self.text.len();
                    return Some(Err(Tangled));
                }
            };
            self.at = match failed {
                ScanError::Syntax(_) => self.at + 1,
                // What is nested that deep is no verdict.
                ScanError::TooDeep(_) => stopped,
            };
        }
    }
}

impl Each<'_> {
    /// Reads the object or list that begins here and goes on behind it.
    fn value(&mut self) -> Result<Option<Object>, ScanError> {
        if self.text.as_bytes()[self.at] == b'{' {
            let object = read_or_repair(self.text, self.at)?;
            self.at = object.span.end;
            return Ok(Some(object));
        }
        let mut scanner = Scanner::new(self.text.as_bytes(), self.at);
        self.at = match scanner.skip_value(0, MAX_DEPTH) {
            Ok(()) => scanner.pos,
            Err(ScanError::Syntax(_)) => respelt(self.text, self.at)?.end,
            Err(error) => return Err(error),
        };
        Ok(None)
    }
}

/// Reads the object that begins at `at`, in JSON or almost.
fn read_or_repair(text: &str, at: usize) -> Result<Object, ScanError> {
    let failed = match read(text, at) {
        Err(ScanError::Syntax(failed)) => failed,
        done => return done,
    };
    // What was read in vain is the longer of both ways.
    let near = respelt(text, at).map_err(|error| match error {
        ScanError::Syntax(stopped) => ScanError::Syntax(stopped.max(failed)),
        deep => deep,
    })?;
    let mut object = read(&near.json, 0).map_err(|_| ScanError::Syntax(near.end))?;
    object.span = at..near.end;
    object.repaired = true;
    if near.mixed_quotes
        && object.correct == Some(Said::Yes)
        && stray::contradicts(&text[object.span.clone()], true)
    {
        object.correct = Some(Said::Unclear("it says both yes and no".to_owned()));
    }
    Ok(object)
}

/// Reads the object that begins at `at`.
fn read(text: &str, at: usize) -> Result<Object, ScanError> {
    let mut scanner = Scanner::new(text.as_bytes(), at);
    let mut correct = None;
    let mut reasoning = [None; REASONING.len()];
    scanner.members(|key, scanner| {
        let is = |name: &&str| key.eq_ignore_ascii_case(name.as_bytes());
        let verdict = CORRECT.iter().any(is);
        let reason = REASONING.iter().position(is);
        let value = Value::read(scanner)?;
        if verdict {
            let said = value.said();
            correct = Some(match correct.take() {
                None => said,
                Some(before) => said.and(before),
            });
        } else if let Some(name) = reason {
            reasoning[name] = Some(value);
        }
        Ok::<_, ScanError>(())
    })?;
    let reasoning = reasoning.into_iter().flatten().next();
    Ok(Object {
        span: at..scanner.pos,
        correct,
        reasoning: reasoning.map(Value::text).unwrap_or_default(),
        repaired: false,
    })
}

/// A value as it stands in the text.
#[derive(Clone, Copy)]
enum Value<'a> {
    Text(RawString<'a>),
    Number(f64, &'a [u8]),
    Boolean(bool),
    Null,
    Nested(&'a [u8]),
}

impl<'a> Value<'a> {
    fn read(scanner: &mut Scanner<'a>) -> Result<Value<'a>, ScanError> {
        let kind = scanner.kind()?;
        let start = scanner.pos;
        if kind == ValueKind::String {
            return Ok(Value::Text(scanner.string()?));
        }
        if matches!(kind, ValueKind::Number | ValueKind::BareWord) {
            let number = scanner.number()?;
            return Ok(Value::Number(number, scanner.slice(start, scanner.pos)));
        }
        scanner.skip_value(1, MAX_DEPTH)?;
        let bytes = scanner.slice(start, scanner.pos);
        Ok(match kind {
            ValueKind::Boolean => Value::Boolean(bytes == b"true"),
            ValueKind::Null => Value::Null,
            _ => Value::Nested(bytes),
        })
    }

    /// What it says as a verdict.
    fn said(self) -> Said {
        match self {
            Value::Text(_) => Said::text(&self.text()),
            Value::Number(number, _) => Said::number(number),
            Value::Boolean(correct) => Said::boolean(correct),
            Value::Null => Said::unclear("null"),
            Value::Nested([b'[', ..]) => Said::unclear("a list"),
            Value::Nested(_) => Said::unclear("an object"),
        }
    }

    /// The contents of a string, nothing for null, anything else as it is written.
    fn text(self) -> String {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self {
            Value::Text(text) => {
                let mut buffer = Vec::new();
                lossy(text.decode(&mut buffer))
            }
            Value::Number(_, bytes) | Value::Nested(bytes) => lossy(bytes),
            Value::Boolean(value) => value.to_string(),
            Value::Null => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<&str> {
        each(text)
            .map(|object| &text[object.unwrap().span])
            .collect()
    }

    #[test]
    fn objects_from_left_to_right() {
        assert_eq!(
            spans("a {} b {\"x\": {\"y\": 1}}{}"),
            ["{}", "{\"x\": {\"y\": 1}}", "{}"]
        );
        assert_eq!(spans("{p && {q}} {{\"a\":1}"), ["{\"a\":1}"]);
        assert_eq!(
            spans("{\"a\":1,} {\"a\" 1} {'a':1} ['x', {'a':1}]"),
            ["{\"a\":1,}", "{'a':1}"]
        );
        // Inside of a list an object is an element; a list that is none hides nothing.
        assert_eq!(spans("[{}] [[A]]F p {\"é\":0} [{}"), ["{\"é\":0}", "{}"]);
    }

    #[test]
    fn too_deep_is_not_looked_into() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let fits = format!("{{\"correct\": 1, \"x\": {}}}", nested(MAX_DEPTH - 1));
        assert!(whole(&fits).is_some());
        let deep = format!("{{\"correct\": 1, \"x\": {}}}", nested(MAX_DEPTH));
        assert!(whole(&deep).is_none());
        assert_eq!(spans(&deep), [""; 0]);
        assert_eq!(spans(&format!("{deep} {{}}")), ["{}"]);
    }

    #[test]
    fn a_broken_nest_is_not_read_once_per_bracket() {
        let nest = |depth: usize| {
            let inside = "1,".repeat(32 << 10);
            format!("{}[{inside}x {{}}", "{\"a\":".repeat(depth))
        };
        assert_eq!(spans(&nest(6)), ["{}"]);
        let found: Vec<_> = each(&nest(100)).map(|o| o.map(|_| ())).collect();
        assert_eq!(found, [Err(Tangled)]);
    }

    #[test]
    fn reasoning_by_its_names() {
        let reasoning = |text| whole(text).map(|object| object.reasoning);
        assert_eq!(
            reasoning(r#"{"reason": "b", "Reasoning": "a\n\u00e9"}"#).as_deref(),
            Some("a\né")
        );
        assert_eq!(reasoning(r#"{"reasoning": null}"#).as_deref(), Some(""));
        assert_eq!(
            reasoning(r#"{"reasoning": ["a", 1]}"#).as_deref(),
            Some(r#"["a", 1]"#)
        );
        assert_eq!(
            reasoning(r#"{"explanation": 1.50}"#).as_deref(),
            Some("1.50")
        );
        assert_eq!(
            reasoning(r#"{"reasoning": "\ud800"}"#).map(|r| r.is_empty()),
            Some(false)
        );
        assert_eq!(reasoning("{}").as_deref(), Some(""));
    }
}
