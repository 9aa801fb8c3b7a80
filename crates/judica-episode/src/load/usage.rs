//! What an answer took, which repeat of its episode it is, and whereto it belongs: members that a
//! row, or a step of it, may have, and that change nothing about what is right.

use std::borrow::Cow;

use judica_data::json::Scanner;
use judica_data::json::scan::ValueKind;
use judica_data::rejects::Refusal;
use judica_data::rows::{DEPTH, Value};

use super::fault::Fault;
use super::walk::{members, skip};

/// What an answer took, as far as it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Milliseconds.
    pub latency_ms: Option<f64>,
    /// Tokens of what was asked.
    pub tokens_in: Option<f64>,
    /// Tokens of the answer.
    pub tokens_out: Option<f64>,
    /// Dollars.
    pub usd: Option<f64>,
}

impl Usage {
    /// Takes a member of an object, and what it says of this.
    pub fn member(&mut self, key: &[u8], scanner: &mut Scanner) -> Result<(), Fault> {
        let field = match key {
            b"latency_ms" => &mut self.latency_ms,
            b"tokens_input" | b"tokens_in" => &mut self.tokens_in,
            b"tokens_output" | b"tokens_out" => &mut self.tokens_out,
            b"usd" => &mut self.usd,
            b"token_usage" if scanner.kind()? == ValueKind::Object => {
                return members(scanner, |key, scanner| {
                    let field = match key {
                        b"input_tokens" | b"tokens_input" => &mut self.tokens_in,
                        b"output_tokens" | b"tokens_output" => &mut self.tokens_out,
                        _ => return skip(scanner),
                    };
                    let found = amount(scanner)?;
                    *field = field.or(found);
                    Ok(())
                });
            }
            _ => return skip(scanner),
        };
        let found = amount(scanner)?;
        *field = found.or(*field);
        Ok(())
    }

    /// The same, and what another answer took.
    pub fn add(&mut self, other: &Usage) {
        let add = |sum: &mut Option<f64>, more: Option<f64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0.0) + more);
            }
        };
        add(&mut self.latency_ms, other.latency_ms);
        add(&mut self.tokens_in, other.tokens_in);
        add(&mut self.tokens_out, other.tokens_out);
        add(&mut self.usd, other.usd);
    }

    /// What is told of the whole, else what its parts come to.
    pub fn or(self, parts: Usage) -> Usage {
        Usage {
            latency_ms: self.latency_ms.or(parts.latency_ms),
            tokens_in: self.tokens_in.or(parts.tokens_in),
            tokens_out: self.tokens_out.or(parts.tokens_out),
            usd: self.usd.or(parts.usd),
        }
    }
}

/// A number that an amount can be; anything else tells nothing.
fn amount(scanner: &mut Scanner) -> Result<Option<f64>, Fault> {
    match scanner.kind()? {
        ValueKind::Number => {
            let value = scanner.number()?;
            Ok(Some(value).filter(|value| value.is_finite() && *value >= 0.0))
        }
        _ => skip(scanner).map(|()| None),
    }
}

/// Which repeat of an episode a row says it is, from 1, if it says so.
pub fn epoch(scanner: &mut Scanner) -> Result<Option<i32>, Fault> {
    let told = Value::scan(scanner, 1, DEPTH)?;
    let epoch = told.map_or(Ok(None), Value::epoch);
    epoch.map_err(|refusal| Fault::new(refusal.reason, refusal.detail))
}

/// What a row says of whose it is.
#[derive(Debug, Default, PartialEq)]
pub struct Told<'a> {
    /// The data set.
    pub dataset: Option<Cow<'a, str>>,
    /// Which repeat.
    pub epoch: Option<i32>,
    /// Whose answer.
    pub model: Option<Cow<'a, str>>,
}

/// How a row's own model is called.
const MODEL: [&[u8]; 2] = [b"model", b"model_name"];

/// Whether a row, or one of many, may say anything of this. Few do, and looking for the words is
/// next to nothing.
pub fn may_tell(bytes: &[u8]) -> bool {
    let words: [&[u8]; 4] = [
        b"\"epoch\"",
        b"\"dataset\"",
        b"\"model\"",
        b"\"model_name\"",
    ];
    words
        .iter()
        .any(|word| memchr::memmem::find(bytes, word).is_some())
}

/// What a row as it stands says of this.
pub fn told(bytes: &[u8]) -> Result<Told<'_>, Refusal> {
    if !may_tell(bytes) {
        return Ok(Told::default());
    }
    let (mut dataset, mut epoch, mut models) = (None, None, [None, None]);
    let walked = members(&mut Scanner::new(bytes, 0), |key, scanner| {
        let value = Value::scan(scanner, 1, DEPTH)?;
        match key {
            b"epoch" => epoch = value,
            b"dataset" => dataset = value,
            _ => {
                if let Some(at) = MODEL.iter().position(|name| *name == key) {
                    models[at] = value;
                }
            }
        }
        Ok(())
    });
    if walked.is_err() {
        // What else is wrong with a row is told by who reads it.
        return Ok(Told::default());
    }
    Ok(Told {
        dataset: dataset.and_then(Value::name),
        epoch: epoch.map_or(Ok(None), Value::epoch)?,
        model: models.into_iter().flatten().find_map(Value::name),
    })
}

/// The name of a data set, or of what a row stands or falls with.
pub fn name<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Cow<'a, str>>, Fault> {
    Ok(Value::scan(scanner, 1, DEPTH)?.and_then(Value::name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(text: &str) -> Usage {
        let mut usage = Usage::default();
        let mut scanner = Scanner::new(text.as_bytes(), 0);
        members(&mut scanner, |key, scanner| usage.member(key, scanner)).unwrap();
        usage
    }

    #[test]
    fn amounts_are_taken_and_anything_else_tells_nothing() {
        let all = usage(r#"{"latency_ms":5,"token_usage":{"input_tokens":7,"x":[]},"usd":0.5}"#);
        let expected = Usage {
            latency_ms: Some(5.0),
            tokens_in: Some(7.0),
            tokens_out: None,
            usd: Some(0.5),
        };
        assert_eq!(all, expected);
        for odd in ["-1", "\"5\"", "null", "[1]", "true", "1e400"] {
            let text = format!(r#"{{"latency_ms":{odd},"usd":{odd},"token_usage":{odd}}}"#);
            assert_eq!(usage(&text), Usage::default(), "{odd}");
        }
        let mut sum = Usage::default();
        sum.add(&all);
        sum.add(&all);
        assert_eq!((sum.usd, sum.tokens_out), (Some(1.0), None));
    }

    #[test]
    fn only_what_the_row_itself_says_counts() {
        let epoch = |row: &str| {
            let told = told(row.as_bytes());
            told.map(|told| told.epoch)
                .map_err(|refusal| refusal.reason)
        };
        for two in [r#"{"a":{"epoch":9},"epoch":2.0}"#, r#"{"epoch":"2"}"#] {
            assert_eq!(epoch(two), Ok(Some(2)), "{two}");
        }
        for none in [
            r#"{"a":{"epoch":9}}"#,
            r#"{"epoch":null}"#,
            r#"{"epoch":" "}"#,
            r#"{"epoch"#,
            "",
        ] {
            assert_eq!(epoch(none), Ok(None), "{none}");
        }
        for bad in [r#"{"epoch":0}"#, r#"{"epoch":1.5}"#, r#"{"epoch":"first"}"#] {
            assert_eq!(epoch(bad), Err("bad_epoch"), "{bad}");
        }
        for (row, dataset, model) in [
            (
                r#"{"dataset":7,"model_name":"m","model":null}"#,
                Some("7"),
                Some("m"),
            ),
            (
                r#"{"model_name":"m","model":"n","a":{"dataset":"x"}}"#,
                None,
                Some("n"),
            ),
            (r#"{"dataset":" ","model":["m"]}"#, None, None),
        ] {
            let told = told(row.as_bytes()).unwrap();
            let found = (told.dataset.as_deref(), told.model.as_deref());
            assert_eq!(found, (dataset, model), "{row}");
        }
    }
}
