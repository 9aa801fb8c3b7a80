//! A run's ledger of evidence, and what claims and queries find in it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::capped::Capped;
use super::glance::Object;
use super::shape::{Claim, Evidence};

/// How far a ledger holds a record; the further down the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Presence {
    /// Not at all.
    Missing,
    /// Without quote and span, or without provenance.
    Unusable,
    /// As it should be.
    Usable,
}

/// The records of a run, by id.
#[derive(Debug)]
pub(super) struct Ledger<'a> {
    records: Vec<(&'a str, bool)>,
}

impl<'a> Ledger<'a> {
    /// Takes the records of an output, whose text is looked at again only if ids repeat.
    /// Fails if an id stands for different things.
    pub(super) fn of(evidence: &'a [Object<Evidence<'a>>], text: &str) -> Result<Self, String> {
        let mut records: Vec<(&str, bool)> = evidence
            .iter()
            .filter_map(|Object(record)| Some((record.id()?, record.is_usable())))
            .collect();
        records.sort_unstable();
        if records.windows(2).any(|pair| pair[0].0 == pair[1].0)
            && let Some(conflict) = conflict(text)
        {
            return Err(conflict);
        }
        Ok(Ledger { records })
    }

    /// How far it holds a record.
    pub(super) fn presence(&self, id: &str) -> Presence {
        let at = self.records.partition_point(|(other, _)| *other < id);
        match self.records.get(at) {
            Some((other, usable)) if *other == id => match usable {
                true => Presence::Usable,
                false => Presence::Unusable,
            },
            _ => Presence::Missing,
        }
    }
}

/// The first id that stands for two records that differ in any key.
fn conflict(text: &str) -> Option<String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        // Read once already, so this is nesting beyond what can be compared.
        return Some("/evidence uses an id twice, in records nested too deeply".to_owned());
    };
    let mut first: BTreeMap<&str, (usize, &Value)> = BTreeMap::new();
    let records = value.get("evidence").and_then(Value::as_array);
    for (at, record) in records.into_iter().flatten().enumerate() {
        let name = |key| record.get(key).and_then(Value::as_str);
        let id = name("id")
            .or_else(|| name("evidence_id"))
            .unwrap_or_default();
        let (earlier, same) = *first.entry(id).or_insert((at, record));
        if same != record {
            return Some(format!(
                "/evidence/{at} has the id of /evidence/{earlier}, \"{id}\", and other content"
            ));
        }
    }
    None
}

/// What became of a run's claims.
#[derive(Debug, Default)]
pub(super) struct CheckedClaims {
    /// How many there are.
    pub total: u64,
    /// How many are verified.
    pub verified: u64,
    /// How many of those cite usable evidence.
    pub covered: u64,
    /// Verified claims that do not.
    pub uncovered: Capped<Uncovered>,
    /// A claim, and what it cites that is not in the ledger.
    pub unknown: Capped<(String, String)>,
}

/// A verified claim without usable evidence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Uncovered {
    /// The claim.
    pub claim: String,
    /// What it cites.
    pub cited: Vec<String>,
    /// What is wrong with that.
    pub problem: &'static str,
}

impl CheckedClaims {
    /// Holds claims against the ledger.
    pub(super) fn of<'a>(claims: &[Object<Claim<'a>>], ledger: &Ledger) -> Self {
        let mut checked = CheckedClaims::default();
        for Object(claim) in claims {
            checked.total += 1;
            let name = || claim.id().unwrap_or_default().to_owned();
            let mut best = None;
            for id in claim.cited() {
                let presence = ledger.presence(id);
                best = best.max(Some(presence));
                if presence == Presence::Missing {
                    checked.unknown.push(|| (name(), id.to_owned()));
                }
            }
            if !claim.is_verified() {
                continue;
            }
            checked.verified += 1;
            let problem = match best {
                Some(Presence::Usable) => {
                    checked.covered += 1;
                    continue;
                }
                Some(Presence::Unusable) => "unusable_evidence",
                Some(Presence::Missing) => "unknown_evidence",
                None => "no_evidence_cited",
            };
            checked.uncovered.push(|| Uncovered {
                claim: name(),
                cited: claim.cited().map(str::to_owned).collect(),
                problem,
            });
        }
        checked
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::Output;
    use super::*;

    const EVIDENCE: &str = r#"
        {"id": "good", "quote": "q", "provenance": "p", "tags": {"a": 1, "b": 2}},
        {"id": "bare", "quote": "q"},
        {"tags": {"b": 2, "a": 1}, "provenance": "p", "quote": "q", "id": "good"}"#;

    fn with<R>(evidence: &str, claims: &str, look: impl Fn(&Output, &str) -> R) -> R {
        let text =
            format!(r#"{{"objective": "", "evidence": [{evidence}], "claims": [{claims}]}}"#);
        let Object(output) = serde_json::from_str(&text).unwrap();
        look(&output, &text)
    }

    #[test]
    fn the_same_record_twice_is_no_conflict() {
        with(EVIDENCE, "", |output, text| {
            let ledger = Ledger::of(&output.evidence, text).unwrap();
            assert_eq!(ledger.presence("good"), Presence::Usable);
            assert_eq!(ledger.presence("bare"), Presence::Unusable);
            for absent in ["", "goo", "good ", "z"] {
                assert_eq!(ledger.presence(absent), Presence::Missing);
            }
        });
        let other =
            r#"{"id": "e", "quote": "q", "x": 1}, {"id": "f"}, {"id": "e", "quote": "q", "x": 2}"#;
        let error = with(other, "", |output, text| {
            Ledger::of(&output.evidence, text).err()
        });
        assert_eq!(
            error.as_deref(),
            Some("/evidence/2 has the id of /evidence/0, \"e\", and other content")
        );
    }

    #[test]
    fn one_usable_record_covers_a_claim() {
        let claims = r#"
            {"id": "c1", "status": "Verified", "evidence_ids": ["none", "bare", "good"]},
            {"id": "c2", "status": "verified", "evidence_ids": ["none", "bare"]},
            {"id": "c3", "status": "VERIFIED", "evidence_ids": ["none"]},
            {"id": 4, "status": "verified"},
            {"id": "c5", "status": "verified ", "evidence_ids": ["lost"]}"#;
        let checked = with(EVIDENCE, claims, |output, text| {
            let ledger = Ledger::of(&output.evidence, text).unwrap();
            CheckedClaims::of(&output.claims, &ledger)
        });
        assert_eq!(
            (checked.total, checked.verified, checked.covered),
            (5, 4, 1)
        );
        let problems: Vec<_> = checked
            .uncovered
            .first()
            .iter()
            .map(|u| (u.claim.as_str(), u.problem))
            .collect();
        assert_eq!(
            problems,
            [
                ("c2", "unusable_evidence"),
                ("c3", "unknown_evidence"),
                ("4", "no_evidence_cited")
            ]
        );
        assert_eq!(checked.uncovered.first()[0].cited, ["none", "bare"]);
        let unknown: Vec<_> = checked
            .unknown
            .first()
            .iter()
            .map(|(claim, id)| format!("{claim}:{id}"))
            .collect();
        assert_eq!(unknown, ["c1:none", "c2:none", "c3:none", "c5:lost"]);
    }
}
