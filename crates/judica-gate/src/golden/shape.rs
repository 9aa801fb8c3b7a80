//! The shape of a run's files. Keys that are not named here may stand there too.
//!
//! What is called `id` may be called by what it is the id of, as some writers do: `claim_id`,
//! `evidence_id`, `step_id`; and `run_id` may be `id`. If both are there the first counts.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::glance::{Glance, Name, Object, Text, Whole};
use crate::unique::{Unique, once};

/// Keys that may say whose an output is, the first that does counts.
pub(super) const AGENT: [&str; 4] = ["agent", "model", "model_name", "backend"];

/// `output.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Output<'a> {
    /// The run's name; its folder's or file's name if it has none.
    #[serde(borrow)]
    run_id: Option<Name<'a>>,
    #[serde(borrow, default)]
    id: Glance<'a>,
    #[serde(borrow, default)]
    agent: Glance<'a>,
    #[serde(borrow, default)]
    model: Glance<'a>,
    #[serde(borrow, default)]
    model_name: Glance<'a>,
    #[serde(borrow, default)]
    backend: Glance<'a>,
    /// The golden query it answers, by id.
    #[serde(borrow)]
    pub query_id: Option<Name<'a>>,
    /// The same under another name.
    #[serde(borrow)]
    pub golden_id: Option<Name<'a>>,
    /// What was asked.
    #[serde(borrow)]
    pub objective: Text<'a>,
    /// Why it stopped.
    #[serde(borrow)]
    pub stop_reason: Option<Text<'a>>,
    /// What it claims.
    #[serde(borrow)]
    pub claims: Vec<Object<Claim<'a>>>,
    /// Its ledger of evidence.
    #[serde(borrow)]
    pub evidence: Vec<Object<Evidence<'a>>>,
    /// What it did, unless `events.jsonl` says.
    #[serde(borrow)]
    pub steps: Option<Vec<Object<Step<'a>>>>,
}

impl Output<'_> {
    /// What it calls itself.
    pub(super) fn name(&self) -> Option<Cow<'_, str>> {
        let own = self.run_id.as_ref().map(|name| Cow::Borrowed(&*name.0));
        // An `id` of another kind is something of the writer's own.
        own.or_else(|| self.id.clone().into_name())
    }

    /// Whose it is, if it says so.
    pub(super) fn agent(&self) -> Option<Cow<'_, str>> {
        let named = [&self.agent, &self.model, &self.model_name, &self.backend];
        named.into_iter().find_map(|name| name.clone().into_name())
    }

    /// Whether all that needs a name has one.
    pub(super) fn is_named(&self) -> bool {
        let mut steps = self.steps.iter().flatten();
        self.claims.iter().all(|Object(claim)| claim.id().is_some())
            && self.evidence.iter().all(|Object(one)| one.id().is_some())
            && steps.all(|Object(step)| step.id().is_some())
    }
}

fn either<'n>(first: &'n Option<Name>, second: &'n Option<Name>) -> Option<&'n str> {
    first
        .as_ref()
        .or(second.as_ref())
        .map(|name| name.0.as_ref())
}

/// A claim.
#[derive(Debug, Deserialize)]
pub(super) struct Claim<'a> {
    #[serde(borrow)]
    id: Option<Name<'a>>,
    #[serde(borrow)]
    claim_id: Option<Name<'a>>,
    #[serde(borrow)]
    pub status: Text<'a>,
    /// None, null and an empty list are the same: a claim without evidence is what the
    /// gate looks for, not a malformed file.
    #[serde(borrow)]
    pub evidence_ids: Option<Vec<Text<'a>>>,
}

impl Claim<'_> {
    /// What it is called.
    pub(super) fn id(&self) -> Option<&str> {
        either(&self.id, &self.claim_id)
    }

    /// Whether the run holds it for verified.
    pub(super) fn is_verified(&self) -> bool {
        self.status.0.eq_ignore_ascii_case("verified")
    }

    /// The evidence it cites.
    pub(super) fn cited(&self) -> impl Iterator<Item = &str> {
        self.evidence_ids.iter().flatten().map(|id| id.0.as_ref())
    }
}

/// A record of the ledger.
#[derive(Debug, Deserialize)]
pub(super) struct Evidence<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    evidence_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    quote: Glance<'a>,
    #[serde(default)]
    span: ValidSpan,
    #[serde(borrow, default)]
    provenance: Whole<'a>,
}

impl Evidence<'_> {
    /// What it is called.
    pub(super) fn id(&self) -> Option<&str> {
        let id = self.id.as_ref().or(self.evidence_id.as_ref());
        id.map(|id| id.0.as_ref())
    }

    /// Whether it says what was found, and where.
    pub(super) fn is_usable(&self) -> bool {
        (self.quote.is_words() || self.span.0) && self.provenance.0.is_something()
    }
}

/// A step in `output.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Step<'a> {
    #[serde(borrow)]
    id: Option<Name<'a>>,
    #[serde(borrow)]
    step_id: Option<Name<'a>>,
    #[serde(borrow, default)]
    pub manifest: Glance<'a>,
}

impl<'a> Step<'a> {
    fn id(&self) -> Option<&str> {
        either(&self.id, &self.step_id)
    }

    /// What it is called.
    pub(super) fn into_id(self) -> Option<Cow<'a, str>> {
        self.id.or(self.step_id).map(|name| name.0)
    }
}

/// A line of `events.jsonl`; what kind of event it is decides what its keys must hold.
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Glance<'a>,
    #[serde(borrow, default)]
    id: Glance<'a>,
    #[serde(borrow, default)]
    step_id: Glance<'a>,
    #[serde(borrow, default)]
    pub manifest: Glance<'a>,
}

impl<'a> Event<'a> {
    /// Whether it is a step.
    pub(super) fn is_step(&self) -> bool {
        matches!(&self.kind, Glance::Text(kind) if kind == "step")
    }

    /// The step's name: `step_id` where there is one, since `id` may then be the event's.
    pub(super) fn into_step(self) -> Option<(Cow<'a, str>, bool)> {
        let has_manifest = self.manifest.is_something();
        let name = self.step_id.into_name().or_else(|| self.id.into_name())?;
        Some((name, has_manifest))
    }
}

/// Whether a span is one: `[start, end]` or `{start, end}`, whole numbers, 0 ≤ start < end.
#[derive(Debug, Default, PartialEq)]
struct ValidSpan(bool);

impl ValidSpan {
    fn between(start: &Glance, end: &Glance) -> Self {
        let (Glance::Integer(start), Glance::Integer(end)) = (start, end) else {
            return ValidSpan(false);
        };
        ValidSpan(0 <= *start && start < end)
    }
}

struct SpanVisitor;

impl<'de> Visitor<'de> for SpanVisitor {
    type Value = ValidSpan;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ValidSpan, A::Error> {
        let start = list.next_element::<Glance>()?.unwrap_or_default();
        let end = list.next_element::<Glance>()?.unwrap_or_default();
        let mut more = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            more = true;
        }
        Ok(ValidSpan(!more && ValidSpan::between(&start, &end).0))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<ValidSpan, A::Error> {
        let (mut start, mut end) = (Glance::Other, Glance::Other);
        let mut keys = BTreeSet::new();
        while let Some(key) = object.next_key::<String>()? {
            match key.as_str() {
                "start" => start = object.next_value::<Whole>()?.0,
                "end" => end = object.next_value::<Whole>()?.0,
                _ => {
                    object.next_value::<Unique>()?;
                }
            }
            once(&mut keys, key)?;
        }
        Ok(ValidSpan::between(&start, &end))
    }

    fn visit_str<E>(self, _: &str) -> Result<ValidSpan, E> {
        Ok(ValidSpan(false))
    }

    fn visit_u64<E>(self, _: u64) -> Result<ValidSpan, E> {
        Ok(ValidSpan(false))
    }

    fn visit_i64<E>(self, _: i64) -> Result<ValidSpan, E> {
        Ok(ValidSpan(false))
    }

    fn visit_f64<E>(self, _: f64) -> Result<ValidSpan, E> {
        Ok(ValidSpan(false))
    }

    fn visit_bool<E>(self, _: bool) -> Result<ValidSpan, E> {
        Ok(ValidSpan(false))
    }

    fn visit_unit<E>(self) -> Result<ValidSpan, E> {
        Ok(ValidSpan(false))
    }
}

impl<'de> Deserialize<'de> for ValidSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpanVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (json, valid) in [
            ("[0, 1]", true),
            ("[3, 3]", false),
            ("[4, 3]", false),
            ("[-1, 3]", false),
            ("[0]", false),
            ("[]", false),
            ("[0, 1, 2]", false),
            ("[0, 1.0]", false),
            (r#"["0", "1"]"#, false),
            ("[false, true]", false),
            (r#"{"start": 5, "end": 9, "page": [2]}"#, true),
            (r#"{"end": 9, "start": 5}"#, true),
            (r#"{"st\u0061rt": 5, "end": 9}"#, true),
            (r#"{"start": 5}"#, false),
            (r#""0-9""#, false),
            ("null", false),
            ("7", false),
            ("-7", false),
            ("0.5", false),
            ("true", false),
        ] {
            let span: ValidSpan = serde_json::from_str(json).unwrap();
            assert_eq!(span.0, valid, "{json}");
        }
        for json in [
            r#"{"start": 3, "end": 1, "end": 9}"#,
            r#"{"start": 3, "end": 9, "page": {"a": 1, "a": 2}}"#,
        ] {
            let said = serde_json::from_str::<ValidSpan>(json).unwrap_err();
            assert!(said.to_string().contains("stands twice"), "{said}");
        }
    }

    #[test]
    fn evidence_needs_a_quote_or_a_span_and_a_provenance() {
        for (json, usable) in [
            (r#"{"id": "e", "quote": "q", "provenance": "p"}"#, true),
            (r#"{"id": "e", "span": [0, 4], "provenance": ["p"]}"#, true),
            (
                r#"{"id": "e", "quote": "", "span": {"start": 1, "end": 2}, "provenance": {"u": 1}}"#,
                true,
            ),
            (
                r#"{"id": "e", "quote": "q", "span": "bad", "provenance": "p"}"#,
                true,
            ),
            (r#"{"id": "e", "quote": " ", "provenance": "p"}"#, false),
            (r#"{"id": "e", "quote": ["q"], "provenance": "p"}"#, false),
            (r#"{"id": "e", "quote": "q", "provenance": ""}"#, false),
            (r#"{"id": "e", "quote": "q", "provenance": {}}"#, false),
            (r#"{"id": "e", "quote": "q", "provenance": 7}"#, false),
            (r#"{"id": "e", "quote": "q"}"#, false),
            (r#"{"id": "e"}"#, false),
        ] {
            let evidence: Evidence = serde_json::from_str(json).unwrap();
            assert_eq!(evidence.is_usable(), usable, "{json}");
        }
    }

    #[test]
    fn events_that_are_no_steps_may_hold_anything() {
        let event: Event = serde_json::from_str(r#"{"type": "tool", "id": [1]}"#).unwrap();
        assert!(!event.is_step());
        let step = r#"{"type": "step", "id": "event-9", "step_id": 4, "manifest": {"k": 1}}"#;
        let step: Event = serde_json::from_str(step).unwrap();
        assert!(step.is_step());
        assert_eq!(step.into_step(), Some((Cow::Borrowed("4"), true)));
        let nameless: Event = serde_json::from_str(r#"{"type": "step", "id": null}"#).unwrap();
        assert_eq!(nameless.into_step(), None);
    }
}
