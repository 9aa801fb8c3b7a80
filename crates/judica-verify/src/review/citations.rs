//! Whether a record bears out what a reviewer says of it.
//!
//! A review holds if everything it says rests on atoms of the record: each item, each
//! reason and the narrative cite at least one, none cites an atom that is not there, a
//! reason for a failure cites a failure, an ineligible record has a reason that cites an
//! atom which made it so, and the decision it states is the one that follows.

use std::collections::BTreeMap;

use judica_model::evidence::{EvidenceAtom, Severity};
use judica_model::record::{Adjudication, CheckStatus, Record};

use super::reply::Said;
use super::{ReviewItem, ReviewReason};
use crate::response::excerpt;
use judica_model::text::few;

/// Problems that are named; the others are counted.
const NAMED: usize = 5;

/// What of a review can be relied on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checked {
    pub checklist: Vec<ReviewItem>,
    pub attribution: Vec<ReviewReason>,
}

/// Holds a review against its record; the error says everything that is wrong.
pub(super) fn check(said: &Said, record: &Record, deciding: Severity) -> Result<Checked, String> {
    let mut claims = Claims::new(record);
    let mut checklist = Vec::new();
    for (number, item) in (1..).zip(&said.checklist) {
        let what = format!("checklist item {number}");
        let cited = claims.check(&what, &item.item, item.evidence_ids.as_slice());
        let fails = cited.iter().any(|atom| !atom.pass);
        checklist.push(ReviewItem {
            item: item.item.trim().to_owned(),
            status: if fails {
                CheckStatus::Fail
            } else {
                CheckStatus::Pass
            },
            evidence_ids: ids(&cited),
        });
    }
    let mut attribution = Vec::new();
    let mut decisive = false;
    for (rank, reason) in (1..).zip(&said.attribution) {
        let what = format!("reason {rank}");
        let cited = claims.check(&what, &reason.reason, reason.evidence_ids.as_slice());
        let failed = cited.iter().filter(|atom| !atom.pass);
        let severity = failed.map(|atom| atom.severity).max();
        if severity.is_none() && !cited.is_empty() {
            claims.problem(format!(
                "{what} cites only atoms that passed, which are no reason for a failure"
            ));
        }
        decisive |= severity >= Some(deciding);
        attribution.push(ReviewReason {
            rank,
            reason: reason.reason.trim().to_owned(),
            severity: severity.unwrap_or(Severity::Info),
            evidence_ids: ids(&cited),
        });
    }
    claims.check_narrative(&said.narrative);
    let decision = record.agent_output.adjudication;
    if decision == Adjudication::Ineligible && !decisive {
        claims.problem("no reason cites an atom that made the record ineligible".to_owned());
    }
    let stated = said.adjudication.0;
    if stated != decision {
        claims.problem(format!(
            "it says {}, but by the evidence the record is {}",
            stated.name(),
            decision.name()
        ));
    }
    claims.result()?;
    Ok(Checked {
        checklist,
        attribution,
    })
}

fn ids(atoms: &[&EvidenceAtom]) -> Vec<String> {
    atoms.iter().map(|atom| atom.id.clone()).collect()
}

/// The atoms of a record, and what is wrong with the claims made about them.
struct Claims<'r> {
    atoms: BTreeMap<&'r str, &'r EvidenceAtom>,
    problems: Vec<String>,
}

impl<'r> Claims<'r> {
    fn new(record: &'r Record) -> Self {
        let atoms = record.evidence_pack.atoms.iter();
        Claims {
            atoms: atoms.map(|atom| (atom.id.as_str(), atom)).collect(),
            problems: Vec::new(),
        }
    }

    fn problem(&mut self, problem: String) {
        // One invented id often stands in several places of one claim.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn unknown(&mut self, what: &str, id: &str) {
        let id = excerpt(id.as_bytes());
        self.problem(format!(
            "{what} cites `{id}`, which is no atom of the record"
        ));
    }

    /// Holds one claim against the record: its words, and the ids it gives. The atoms it
    /// cites come back once each.
    fn check(&mut self, what: &str, words: &str, given: &[String]) -> Vec<&'r EvidenceAtom> {
        if words.trim().is_empty() {
            self.problem(format!("{what} says nothing"));
        }
        let mut cited: Vec<&EvidenceAtom> = Vec::new();
        for id in given {
            match self.atoms.get(id.trim()) {
                Some(atom) if cited.iter().any(|known| known.id == atom.id) => {}
                Some(atom) => cited.push(atom),
                None => self.unknown(what, id),
            }
        }
        if given.is_empty() {
            self.problem(format!("{what} cites no evidence"));
        }
        self.check_words(what, words);
        cited
    }

    /// The narrative cites in its words.
    fn check_narrative(&mut self, words: &str) {
        if self.check_words("the narrative", words) == 0 {
            self.problem("the narrative cites no evidence".to_owned());
        }
    }

    /// How many ids the words mention. All of them must be there.
    fn check_words(&mut self, what: &str, words: &str) -> usize {
        let mentions = mentions(words);
        for id in &mentions {
            if !self.atoms.contains_key(id) {
                self.unknown(what, id);
            }
        }
        mentions.len()
    }

    fn result(self) -> Result<(), String> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let named = self.problems.iter().take(NAMED);
        Err(few(named, "; ", self.problems.len()))
    }
}

/// Everything in a text that looks like the id of an atom, also where it is misspelt
/// (`evid 7`) or shortened to a range (`EVID_001-009`): such a thing is no id, so it must
/// not pass as prose.
fn mentions(text: &str) -> Vec<&str> {
    const NAME: &str = "evid";
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (start, _) in lower.match_indices(NAME) {
        let after = &text[start + NAME.len()..];
        let between: usize = after
            .chars()
            .take(2)
            .take_while(|c| !c.is_alphanumeric())
            .map(char::len_utf8)
            .sum();
        let digits = &after[between..];
        if !digits.starts_with(char::is_numeric) {
            continue;
        }
        let mut end = word_end(digits);
        while let Some(range) = digits[end..].strip_prefix(['-', '–', '—', '~', '…'])
            && range.starts_with(char::is_numeric)
        {
            end = digits.len() - range.len() + word_end(range);
        }
        found.push(&text[start..start + NAME.len() + between + end]);
    }
    found
}

/// Where the letters and digits that a text begins with end.
fn word_end(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len())
}

#[cfg(test)]
#[path = "citations_tests.rs"]
mod tests;
