//! A sample as Inspect writes it: what is needed is read, all else passed over.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::lenient::{First, InOrder, Message, Messages, Scalars, Targets, Words, id};
use super::value::Given;
use crate::bare::is_cut;
use crate::log::Own;

/// What texts are replaced by that stand elsewhere.
const ATTACHMENT: &str = "attachment://";

/// A sample.
#[derive(serde::Deserialize)]
#[serde(expecting = "a sample")]
pub(super) struct RawSample {
    #[serde(deserialize_with = "id")]
    pub id: Words,
    #[serde(default = "one")]
    pub epoch: i32,
    #[serde(default)]
    pub input: Messages,
    #[serde(default)]
    pub target: Targets,
    pub output: Option<Output>,
    #[serde(default)]
    pub scores: Option<InOrder<RawScore>>,
    /// How samples of the first versions had their one score.
    pub score: Option<RawScore>,
    #[serde(default)]
    pub metadata: Scalars,
    #[serde(default)]
    pub model_usage: Option<BTreeMap<String, Usage>>,
    pub total_time: Option<f64>,
    pub error: Option<RawError>,
    pub limit: Option<Limit>,
    /// Who took it back, when and why.
    pub invalidation: Option<serde::de::IgnoredAny>,
}

fn one() -> i32 {
    1
}

#[derive(serde::Deserialize)]
#[serde(expecting = "what a scorer gave")]
pub(super) struct RawScore {
    #[serde(default = "none")]
    pub value: Given,
    #[serde(default)]
    pub explanation: Words,
}

fn none() -> Given {
    Given::None
}

#[derive(serde::Deserialize)]
#[serde(expecting = "an error")]
pub(super) struct RawError {
    #[serde(default)]
    pub message: Words,
}

#[derive(serde::Deserialize)]
#[serde(expecting = "a limit")]
pub(super) struct Limit {
    #[serde(default, rename = "type")]
    pub kind: Words,
}

#[derive(serde::Deserialize)]
#[serde(expecting = "what was used")]
pub(super) struct Usage {
    pub input_tokens: Option<f64>,
    pub output_tokens: Option<f64>,
    pub total_cost: Option<f64>,
}

/// What was answered: its text, or that of the first choice in logs that do not repeat it.
#[derive(Default, serde::Deserialize)]
#[serde(default, expecting = "an output")]
pub(super) struct Output {
    completion: Words,
    choices: First<Choice>,
}

#[derive(serde::Deserialize)]
#[serde(expecting = "a choice")]
struct Choice {
    #[serde(default)]
    message: Message,
}

impl Output {
    /// The text, if there is one.
    pub fn text(self) -> Option<String> {
        let chosen = || self.choices.0.and_then(|choice| choice.message.text);
        self.completion.0.or_else(chosen)
    }
}

impl RawSample {
    /// All texts that are shown.
    pub fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let asked = self
            .input
            .0
            .iter_mut()
            .filter_map(|said| said.text.as_mut());
        let answered = self.output.iter_mut().flat_map(|output| {
            let chosen = output.choices.0.as_mut();
            let chosen = chosen.and_then(|choice| choice.message.text.as_mut());
            output.completion.0.as_mut().into_iter().chain(chosen)
        });
        asked.chain(&mut self.target.0).chain(answered)
    }

    /// What the texts that are shown refer to.
    pub fn attachments(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for text in self.texts().filter(|text| text.contains(ATTACHMENT)) {
            references(text, &mut |name| {
                found.push(name.to_owned());
                None
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Puts texts where they are referred to. What leads nowhere stays what it is.
    pub fn resolve(&mut self, attachments: &BTreeMap<String, String>) {
        for text in self.texts().filter(|_| !attachments.is_empty()) {
            *text = references(text, &mut |name| attachments.get(name).map(|text| &**text));
        }
    }

    /// Whether a text that is needed was too long to be held.
    pub fn is_cut(&mut self) -> bool {
        let explained = self.scores.iter().flat_map(|scores| &scores.0);
        let explained = explained.filter_map(|(_, score)| score.explanation.0.as_deref());
        explained.chain(self.id.0.as_deref()).any(is_cut)
            || self
                .metadata
                .0
                .iter()
                .any(|(_, value)| matches!(&value.own, Own::Text(t) if is_cut(t)))
            || self.texts().any(|text| is_cut(text))
    }
}

/// A text with what it refers to put in place, as far as that is found.
fn references<'a>(text: &str, find: &mut dyn FnMut(&str) -> Option<&'a str>) -> String {
    let mut parts = text.split(ATTACHMENT);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        match find(name) {
            Some(text) => whole.push_str(text),
            None => whole.extend([ATTACHMENT, name]),
        }
        whole.push_str(rest);
    }
    whole
}

/// The texts that are wanted of all that a sample keeps apart.
pub(super) struct Attachments<'w>(pub &'w [String]);

impl<'de> DeserializeSeed<'de> for Attachments<'_> {
    type Value = BTreeMap<String, String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Attachments<'_> {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a sample or its attachments")
    }

    /// Of a sample its attachments are looked at, of attachments those that are wanted.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "attachments" {
                found.extend(map.next_value_seed(Attachments(self.0))?);
            } else if self.0.contains(&key) {
                found.extend(map.next_value::<Words>()?.0.map(|text| (key, text)));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// The same of a list whose first text has this number; also the number after its last.
pub(super) struct Numbered<'w> {
    pub wanted: &'w [String],
    pub start: usize,
}

impl<'de> DeserializeSeed<'de> for Numbered<'_> {
    type Value = (BTreeMap<String, String>, usize);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Numbered<'_> {
    type Value = (BTreeMap<String, String>, usize);

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut found, mut number) = (BTreeMap::new(), self.start);
        loop {
            let name = number.to_string();
            let next = match self.wanted.contains(&name) {
                true => list.next_element::<Words>()?.map(|words| words.0),
                false => list.next_element::<IgnoredAny>()?.map(|_| None),
            };
            match next {
                Some(text) => found.extend(text.map(|text| (name, text))),
                None => return Ok((found, number)),
            }
            number += 1;
        }
    }
}
