//! Which optional parts of a question a server takes.
//!
//! There is no way to ask a server what it takes; one sends the best form and listens to
//! what is refused. Each refusal leads one step down on one of four ladders, and a client
//! remembers where it stands, so that a server is taught once and not at every question:
//!
//! | part | steps |
//! |---|---|
//! | reply format | strict JSON Schema → some JSON object → free text |
//! | output limit | `max_tokens` → `max_completion_tokens`; never none, it bounds the cost |
//! | seed | sent → left out |
//! | temperature | sent → left out |
//!
//! A step is taken for everybody when the server names the part. A refusal that names
//! nothing may be due to the reply format, the part that servers fail at most, or to the
//! question itself: then only this question goes down the ladder of formats, and the others
//! follow when that proved right.

use std::sync::atomic::{AtomicU8, Ordering};

use super::fault::Fault;
use crate::chat::ChatRequest;

/// How a reply is held to its shape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// By a strict JSON Schema.
    #[default]
    Schema,
    /// To be some JSON object.
    Object,
    /// By the words of the prompt alone.
    Free,
}

/// How the length of a reply is limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// `max_tokens`
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, as reasoning models want it.
    MaxCompletionTokens,
}

/// Which optional parts of a question are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// How a reply is held to its shape.
    pub format: Format,
    /// How its length is limited.
    pub limit: Limit,
    /// Whether the seed is sent.
    pub seed: bool,
    /// Whether the temperature is sent.
    pub temperature: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect {
            format: Format::default(),
            limit: Limit::default(),
            seed: true,
            temperature: true,
        }
    }
}

/// A part of a question that can be left out or said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The reply format.
    Format,
    /// The output limit.
    Limit,
    /// The seed.
    Seed,
    /// The temperature.
    Temperature,
}

impl Dialect {
    /// One step down for `part`, if there is one and `request` has that part.
    pub(crate) fn step_down(self, part: Part, request: &ChatRequest) -> Option<Dialect> {
        let mut next = self;
        match part {
            Part::Format => {
                request.schema.as_ref()?;
                next.format = match self.format {
                    Format::Schema => Format::Object,
                    Format::Object => Format::Free,
                    Format::Free => return None,
                };
            }
            Part::Limit => {
                request.max_output_tokens?;
                next.limit = match self.limit {
                    Limit::MaxTokens => Limit::MaxCompletionTokens,
                    Limit::MaxCompletionTokens => return None,
                };
            }
            Part::Seed => {
                request.seed.filter(|_| self.seed)?;
                next.seed = false;
            }
            Part::Temperature => {
                if !self.temperature {
                    return None;
                }
                next.temperature = false;
            }
        }
        Some(next)
    }

    /// What both can do.
    pub(crate) fn poorer_of(self, other: Dialect) -> Dialect {
        Dialect {
            format: self.format.max(other.format),
            limit: self.limit.max(other.limit),
            seed: self.seed && other.seed,
            temperature: self.temperature && other.temperature,
        }
    }

    /// What a reader of the results should know, one sentence for each part that the server
    /// does not take.
    pub fn notes(self) -> Vec<&'static str> {
        let format = match self.format {
            Format::Schema => None,
            Format::Object => {
                Some("The server takes no JSON Schema: replies were only held to be a JSON object.")
            }
            Format::Free => Some(
                "The server takes no reply format: replies were held to JSON by the prompt alone.",
            ),
        };
        let limit = match self.limit {
            Limit::MaxTokens => None,
            Limit::MaxCompletionTokens => {
                Some("The server takes max_completion_tokens in place of max_tokens.")
            }
        };
        let seed = (!self.seed).then_some("The server takes no seed: votes may repeat each other.");
        let temperature = (!self.temperature)
            .then_some("The server takes no temperature: replies may differ from run to run.");
        [format, limit, seed, temperature]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The same, but for what held before.
    pub fn notes_since(self, before: Dialect) -> Vec<&'static str> {
        let mut notes = self.notes();
        notes.retain(|note| !before.notes().contains(note));
        notes
    }

    /// The names of what is left out of a question that has all parts.
    pub fn left_out(self) -> Vec<String> {
        let format = match self.format {
            Format::Schema => None,
            Format::Object => Some("json_schema"),
            Format::Free => Some("response_format"),
        };
        let seed = (!self.seed).then_some("seed");
        let temperature = (!self.temperature).then_some("temperature");
        let all = [format, seed, temperature].into_iter().flatten();
        all.map(str::to_owned).collect()
    }

    fn to_bits(self) -> u8 {
        self.format as u8
            | (self.limit as u8) << 2
            | u8::from(!self.seed) << 4
            | u8::from(!self.temperature) << 5
    }

    fn from_bits(bits: u8) -> Dialect {
        Dialect {
            format: match bits & 3 {
                0 => Format::Schema,
                1 => Format::Object,
                _ => Format::Free,
            },
            limit: match bits >> 2 & 3 {
                0 => Limit::MaxTokens,
                _ => Limit::MaxCompletionTokens,
            },
            seed: bits & 1 << 4 == 0,
            temperature: bits & 1 << 5 == 0,
        }
    }
}

/// What a client has learnt about its server, shared by all its questions.
#[derive(Debug, Default)]
pub(crate) struct Learnt(AtomicU8);

impl Learnt {
    pub(crate) fn now(&self) -> Dialect {
        Dialect::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// Goes down to what `dialect` can do too. Says the state before and after if that was
    /// news.
    pub(crate) fn adopt(&self, dialect: Dialect) -> Option<[Dialect; 2]> {
        let lower = |bits| {
            let now = Dialect::from_bits(bits);
            let next = now.poorer_of(dialect);
            (next != now).then_some(next.to_bits())
        };
        let before = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, lower)
            .ok()?;
        Some([before, lower(before)?].map(Dialect::from_bits))
    }
}

/// The part that a refusal names.
pub(crate) fn named_part(fault: &Fault) -> Option<Part> {
    // Where servers put the name itself.
    for name in fault.parameters() {
        for (start, part) in [
            ("response_format", Part::Format),
            ("max_tokens", Part::Limit),
            ("max_completion_tokens", Part::Limit),
            ("seed", Part::Seed),
            ("temperature", Part::Temperature),
        ] {
            if name
                .strip_prefix(start)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            {
                return Some(part);
            }
        }
    }
    // Others only say it in words, and words may be about anything. Names of parameters that
    // nobody uses in prose are telling by themselves …
    let words = fault.message.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    if says(&[
        "response_format",
        "response format",
        "json_schema",
        "json_object",
        "structured output",
        "grammar",
        "requested parameters",
    ]) {
        return Some(Part::Format);
    }
    // … common words only beside one that refuses.
    if !says(&[
        "unsupported",
        "not support",
        "unrecognized",
        "unrecognised",
        "unknown",
        "unexpected",
        "extra",
        "invalid",
        "not permitted",
        "not allowed",
        "only the default",
    ]) {
        return None;
    }
    if says(&["max_tokens", "max_completion_tokens"]) {
        Some(Part::Limit)
    } else if says(&["temperature"]) {
        Some(Part::Temperature)
    } else if says(&[
        "'seed'",
        "\"seed\"",
        "`seed`",
        "seed parameter",
        "parameter: seed",
    ]) {
        Some(Part::Seed)
    } else {
        None
    }
}

#[cfg(test)]
#[path = "dialect_tests.rs"]
mod tests;
