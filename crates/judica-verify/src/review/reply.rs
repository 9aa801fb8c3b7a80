//! What a reviewer said: the one review that its reply holds, wherever it stands in it.

use judica_model::record::Adjudication;
use serde::Deserialize;

/// A review as a model wrote it, before anything is believed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Said {
    #[serde(default)]
    pub checklist: Vec<SaidItem>,
    pub attribution: Vec<SaidReason>,
    pub narrative: String,
    pub adjudication: Stated,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct SaidItem {
    pub item: String,
    #[serde(default)]
    pub evidence_ids: Ids,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct SaidReason {
    pub reason: String,
    #[serde(default)]
    pub evidence_ids: Ids,
}

/// Ids: a list, or one alone as some models write it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Ids {
    Many(Vec<String>),
    One(String),
}

impl Default for Ids {
    fn default() -> Self {
        Ids::Many(Vec::new())
    }
}

impl Ids {
    pub fn as_slice(&self) -> &[String] {
        match self {
            Ids::Many(ids) => ids,
            Ids::One(id) => std::slice::from_ref(id),
        }
    }
}

/// A decision in the reviewer's spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Stated(pub Adjudication);

impl TryFrom<String> for Stated {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let known = [Adjudication::Eligible, Adjudication::Ineligible];
        let word = text.trim();
        let found = known
            .into_iter()
            .find(|adjudication| adjudication.name().eq_ignore_ascii_case(word));
        found.map(Stated).ok_or_else(|| {
            format!(
                "`{}` is no adjudication",
                crate::response::excerpt(word.as_bytes())
            )
        })
    }
}

/// Reads a reply: prose and code fences around the object do not matter, and neither does
/// the thinking in front of it. Two different reviews are none.
pub(super) fn read(text: &str) -> Result<Said, String> {
    let text = without_thinking(text).ok_or("the reply ends before the thinking does")?;
    let mut found: Option<Said> = None;
    let mut nearest = None;
    let mut at = 0;
    while let Some(brace) = text[at..].find('{') {
        at += brace;
        let mut objects = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Said>();
        match objects.next() {
            Some(Ok(said)) => {
                if found.as_ref().is_some_and(|before| *before != said) {
                    return Err("the reply holds two reviews that differ".to_owned());
                }
                at += objects.byte_offset().max(1);
                found = Some(said);
            }
            Some(Err(error)) => {
                // The first complaint is about the outermost object, and says most.
                nearest.get_or_insert(error);
                at += 1;
            }
            None => at += 1,
        }
    }
    found.ok_or_else(|| match nearest {
        Some(error) => format!("the reply holds no review: {error}"),
        None => "the reply holds no JSON object".to_owned(),
    })
}

/// The text after the thinking it begins with; `None` if that never ends.
fn without_thinking(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let lower = text.to_ascii_lowercase();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        if lower.starts_with(open) {
            return lower.find(close).map(|end| &text[end + close.len()..]);
        }
    }
    Some(text)
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
