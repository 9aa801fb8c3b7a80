//! What a line says beside its answer: which repeat of the question it is, what it stands or
//! falls with, and what the answer took. Most lines say nothing of it, and then it costs
//! nothing.

use judica_data::row_keys;
use judica_data::rows::{bad_epoch, whole_epoch, whole_tokens};

use crate::line::{Entry, Refusal};
use crate::outputs::given;

/// The usage that a record carries, in the order of its columns.
pub const USAGE: [&str; 4] = ["latency_ms", "tokens_in", "tokens_out", "usd"];
/// The keys of numbers; of two names the first goes before the second.
const NUMBERS: [&str; 6] = {
    let ([a, b], [c, d]) = (row_keys::TOKENS_IN, row_keys::TOKENS_OUT);
    [row_keys::LATENCY, a, b, c, d, row_keys::USD]
};
/// The key of something that is told beside an answer.
pub fn key(name: &[u8]) -> Option<&'static str> {
    let mut keys = NUMBERS.iter().chain(&[row_keys::EPOCH, row_keys::CLUSTER]);
    keys.find(|key| key.as_bytes() == name).copied()
}

/// What a line says beside its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beside {
    /// Which repeat of the question it is, from 1.
    pub epoch: i32,
    /// Where the name of what it stands or falls with begins and ends among those of the batch.
    pub cluster: Option<(usize, usize)>,
    /// What the answer took, by [`USAGE`]; NaN for what is not told.
    pub usage: [f64; USAGE.len()],
}

/// The same, while the line is read.
pub struct Told<'a> {
    epoch: Option<Entry<'a>>,
    cluster: Option<Entry<'a>>,
    /// By [`NUMBERS`].
    numbers: [f64; NUMBERS.len()],
}

impl<'a> Told<'a> {
    /// Nothing yet.
    pub fn nothing() -> Self {
        Told {
            epoch: None,
            cluster: None,
            numbers: [f64::NAN; NUMBERS.len()],
        }
    }

    /// Takes the value of a key, if it is one of these.
    pub fn take(&mut self, key: &[u8], entry: Entry<'a>) {
        if key == row_keys::EPOCH.as_bytes() {
            return self.epoch = given(Some(entry));
        }
        if key == row_keys::CLUSTER.as_bytes() {
            return self.cluster = given(Some(entry));
        }
        let Some(at) = NUMBERS.iter().position(|name| name.as_bytes() == key) else {
            return;
        };
        let means_something = |number: &f64| match at {
            1..=4 => whole_tokens(*number).is_some(),
            _ => *number >= 0.0,
        };
        // A number that cannot be is none.
        let number = entry.number().filter(means_something);
        self.numbers[at] = number.unwrap_or(f64::NAN);
    }

    /// What was told, if anything; the name of the cluster goes to the end of `clusters`.
    pub fn finish(self, clusters: &mut String) -> Result<Option<Beside>, Refusal> {
        let silent = self.numbers.iter().all(|number| number.is_nan());
        if silent && self.epoch.is_none() && self.cluster.is_none() {
            return Ok(None);
        }
        let epoch = match self.epoch {
            None => 1,
            Some(entry) => {
                let number = entry.number().and_then(whole_epoch);
                number.ok_or_else(|| bad_epoch(&String::from_utf8_lossy(entry.span)))?
            }
        };
        let mut buffer = Vec::new();
        let cluster = self
            .cluster
            .as_ref()
            .and_then(|entry| entry.name(&mut buffer));
        let cluster = cluster.map(|name| {
            let start = clusters.len();
            clusters.push_str(name);
            (start, clusters.len())
        });
        let [
            latency,
            tokens_in,
            tokens_input,
            tokens_out,
            tokens_output,
            usd,
        ] = self.numbers;
        let first = |a: f64, b: f64| if a.is_nan() { b } else { a };
        let usage = [
            latency,
            first(tokens_in, tokens_input),
            first(tokens_out, tokens_output),
            usd,
        ];
        Ok(Some(Beside {
            epoch,
            cluster,
            usage,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::pick;

    fn told(line: &str) -> Result<(Option<Beside>, String), &'static str> {
        let mut told = Told::nothing();
        let mut other = |key: &[u8], entry| told.take(key, entry);
        pick(line.as_bytes(), &["id"], &mut [None], None, &mut other).unwrap();
        let mut clusters = String::new();
        let beside = told
            .finish(&mut clusters)
            .map_err(|refusal| refusal.reason)?;
        Ok((beside, clusters))
    }

    #[test]
    fn a_line_that_says_nothing_has_nothing_beside() {
        for line in [
            r#"{"id": 1, "other": {"epoch": 3}}"#,
            r#"{"epoch": null, "cluster": null, "latency_ms": null}"#,
            r#"{"latency_ms": -1, "tokens_in": 1.5, "usd": "free", "tokens_out": 1e16}"#,
        ] {
            assert_eq!(told(line), Ok((None, String::new())), "{line}");
        }
    }

    #[test]
    fn numbers_come_as_numbers_or_text_and_the_last_of_a_key_counts() {
        let line = r#"{"latency_ms": 1, "latency_ms": "12.5", "tokens_input": 7, "tokens_in": 8,
            "tokens_output": 9, "tokens_out": -1, "usd": 0, "epoch": "3", "cluster": "p\u00e9"}"#;
        let (beside, clusters) = told(line).unwrap();
        let expected = Beside {
            epoch: 3,
            cluster: Some((0, 3)),
            usage: [12.5, 7.0, 9.0, 0.0],
        };
        assert_eq!((beside, &*clusters), (Some(expected), "p\u{e9}"));
        let (beside, clusters) = told(r#"{"cluster": "  ", "epoch": 1.0}"#).unwrap();
        assert_eq!(beside.map(|b| (b.epoch, b.cluster)), Some((1, None)));
        assert_eq!(clusters, "");
    }

    #[test]
    fn an_epoch_that_is_none_is_refused() {
        for epoch in [
            "0",
            "-1",
            "1.5",
            "[]",
            "\"x\"",
            "true",
            "1e300",
            "2147483648",
        ] {
            let line = format!("{{\"epoch\": {epoch}}}");
            assert_eq!(told(&line), Err("bad_epoch"), "{epoch}");
        }
    }
}
