//! What is asked about a record: a template with a version and a hash, and the record's
//! evidence, fenced.
//!
//! Evidence quotes the answers that were checked, so it may hold anything, also words that
//! speak to the reviewer. Atoms are lines of JSON between markers that carry a key: a hash
//! of the data that the data do not contain, so no text can end its own block, and the
//! same record is always asked about with the same words.
//!
//! Who gave the answer is not told: it is no evidence, and it could sway a reviewer.

use std::fmt::Write;

use judica_data::sha256::sha256_hex;
use judica_model::evidence::{EvidenceAtom, Severity};
use judica_model::record::Record;
use judica_model::text::cut;
use serde_json::{Value, json};

use super::ask::{Form, Question};
use crate::agent::deciding_severity;
use crate::protocol::Protocol;

const TEMPLATE: &str = include_str!("../../prompts/reviewer-v1.txt");
/// Hex digits of hashes and keys.
const DIGITS: usize = 16;
/// Failed atoms that are shown in full. The ids of the others are told.
const ATOMS_SHOWN: usize = 60;
/// Characters of a message that are shown.
const MESSAGE_CHARS: usize = 400;

/// How a reviewer is asked about the records of one protocol.
#[derive(Debug, Clone)]
pub struct Prompt {
    version: &'static str,
    system: &'static str,
    user: &'static str,
    hash: String,
    protocol: String,
    deciding: Severity,
}

impl Prompt {
    /// The prompt that ships with the program.
    pub fn new(protocol: &Protocol) -> Prompt {
        // A test reads the file; nothing a user does can break it.
        let (head, sections) = TEMPLATE.split_once("\n[system]\n").unwrap_or_default();
        let (system, user) = sections.split_once("\n[user]\n").unwrap_or_default();
        let version = head.lines().find_map(|line| line.strip_prefix("version: "));
        let (system, user) = (system.trim(), user.trim());
        let content = json!([system, user, reply_schema()]).to_string();
        let mut hash = sha256_hex(content);
        hash.truncate(DIGITS);
        Prompt {
            version: version.unwrap_or_default(),
            system,
            user,
            hash,
            protocol: protocol.name.clone(),
            deciding: deciding_severity(protocol),
        }
    }

    /// What people call it.
    pub fn version(&self) -> &str {
        self.version
    }

    /// The first 16 hex digits of SHA-256 over what every question has in common: both
    /// sections of the template and the schema of the reply.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// What all questions have in common.
    pub fn form(&self) -> Form {
        Form {
            schema_name: "review",
            schema: reply_schema(),
            prompt_hash: self.hash.clone(),
        }
    }

    /// From which severity on a failed atom decides.
    pub(super) fn deciding(&self) -> Severity {
        self.deciding
    }

    /// The question about one record.
    pub fn question(&self, record: &Record) -> Question {
        let atoms = &record.evidence_pack.atoms;
        let mut failed: Vec<&EvidenceAtom> = atoms.iter().filter(|atom| !atom.pass).collect();
        failed.sort_by_key(|atom| std::cmp::Reverse(atom.severity));
        let shown = failed.len().min(ATOMS_SHOWN);
        let about = json!({
            "protocol": self.protocol,
            "task": record.task_id,
            "atoms": atoms.len(),
            "failed": failed.len(),
        });
        let about = about.to_string();
        let lines = failed[..shown].iter().map(|atom| atom_line(atom));
        let lines = lines.collect::<Vec<_>>().join("\n");
        let families = family_lines(record);
        let key = absent_key(&[&about, &lines, &families]);
        let deciding = match self.deciding {
            Severity::Critical => "critical",
            _ => "warning or critical",
        };
        let shown = format!("{shown} of {}", failed.len());
        let user = filled(self.user, |hole| match hole {
            "key" => &key,
            "record" => &about,
            "shown" => &shown,
            "failed" => &lines,
            "families" => &families,
            "deciding" => deciding,
            _ => "",
        });
        Question {
            system: self.system.to_owned(),
            user,
        }
    }
}

/// The JSON that a reply shall be.
fn reply_schema() -> Value {
    let ids = json!({"type": "array", "items": {"type": "string"}});
    let cited = |words: &str| {
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {words: {"type": "string"}, "evidence_ids": ids},
                "required": [words, "evidence_ids"],
                "additionalProperties": false,
            },
        })
    };
    json!({
        "type": "object",
        "properties": {
            "checklist": cited("item"),
            "attribution": cited("reason"),
            "narrative": {"type": "string"},
            "adjudication": {"type": "string", "enum": ["eligible", "ineligible"]},
        },
        "required": ["checklist", "attribution", "narrative", "adjudication"],
        "additionalProperties": false,
    })
}

/// A failed atom. JSON keeps line breaks of quoted text inside its line.
fn atom_line(atom: &EvidenceAtom) -> String {
    let mut line = json!({
        "id": atom.id,
        "rule": atom.rule,
        "field": atom.field,
        "severity": atom.severity.name(),
        "message": cut(&atom.message, MESSAGE_CHARS),
    });
    if let Some(step) = atom.meta.get("step") {
        line["step"] = step.clone();
    }
    line.to_string()
}

/// One line per family that left atoms: how many passed and failed, and their ids.
fn family_lines(record: &Record) -> String {
    let mut families: Vec<(&str, [Ids; 2])> = Vec::new();
    for (position, atom) in record.evidence_pack.atoms.iter().enumerate() {
        // Atoms of a family stand together.
        if families.last().is_none_or(|(name, _)| *name != atom.family) {
            families.push((&atom.family, Default::default()));
        }
        if let Some((_, ids)) = families.last_mut() {
            ids[usize::from(atom.pass)].push(position, &atom.id);
        }
    }
    let line = |(family, [failed, passed]): &(&str, [Ids; 2])| {
        json!({
            "family": family,
            "passed": passed.count,
            "passed_ids": passed.to_string(),
            "failed": failed.count,
            "failed_ids": failed.to_string(),
        })
        .to_string()
    };
    families.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Ids as ranges: first and last of each run of neighbours.
#[derive(Default)]
struct Ids<'a> {
    count: usize,
    runs: Vec<(&'a str, &'a str)>,
    next: usize,
}

impl<'a> Ids<'a> {
    fn push(&mut self, position: usize, id: &'a str) {
        match self.runs.last_mut() {
            Some(run) if self.next == position => run.1 = id,
            _ => self.runs.push((id, id)),
        }
        self.next = position + 1;
        self.count += 1;
    }
}

impl std::fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, (first, last)) in self.runs.iter().enumerate() {
            f.write_str(if number > 0 { ", " } else { "" })?;
            f.write_str(first)?;
            if first != last {
                write!(f, " to {last}")?;
            }
        }
        Ok(())
    }
}

/// A hash of the data that the data do not contain.
fn absent_key(data: &[&str]) -> String {
    let data = data.join("\n");
    let lower = data.to_ascii_lowercase();
    // A text has finitely many pieces, so this ends, and mostly at once.
    for attempt in 0u32.. {
        let mut key = sha256_hex(format!("{attempt}\n{data}"));
        key.truncate(DIGITS);
        if !lower.contains(&key) {
            return key;
        }
    }
    String::new()
}

/// The template with its holes filled. What fills a hole is not looked at again, so data
/// that look like a hole stay as they are.
fn filled<'a>(template: &str, value: impl Fn(&str) -> &'a str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (hole, after) = after.split_once("}}").unwrap_or((after, ""));
        // Writing to a string cannot fail.
        let _ = write!(out, "{before}{}", value(hole));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
