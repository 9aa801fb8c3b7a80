//! Files of older shapes in the current one.
//!
//! * Metrics that stand at the top get a block of their own, and so do numbers that nobody
//!   knows. Keys that are not metrics (`backend`, `run_id`, …) stay where they are.
//! * `config_path` and `backend` become `"unknown"` where a file has none.
//! * `schema_version` is added.
//!
//! Nothing else is: null means that a metric does not apply, and an old file that lacks one
//! does not say so. What is missing is named instead. Every value is copied byte for byte,
//! so that no number is rounded; only `NaN` and its kin, which are not JSON, become null. A
//! file that needs nothing comes back as it was; one that is no eval JSON is refused.

use std::collections::BTreeMap;
use std::ops::Range;

use judica_data::json::Scanner;
use serde_json::{Map, Value};

use crate::eval_json::catalogue::{METRICS, is_metric};
use crate::eval_json::fault::Fault;
use crate::eval_json::recognise::not_an_eval;
use crate::eval_json::text::{Oddity, OddityKind, Walked, walk};
use crate::eval_json::version::{VERSION, Version};

/// A file in the current shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The file.
    pub text: Vec<u8>,
    /// The version it had.
    pub from: String,
    /// What was changed; nothing if the file was in the current shape.
    pub changes: Vec<String>,
    /// Metrics that every file should have and this one lacks: nobody can tell them now.
    pub missing: Vec<&'static str>,
}

/// Brings a text into the current shape.
pub fn migrate(bytes: &[u8]) -> Result<Migration, Fault> {
    let walked = walk(bytes)?;
    let (None, Value::Object(document)) = (not_an_eval(&walked.value), &walked.value) else {
        let detail = not_an_eval(&walked.value).unwrap_or_default();
        return Err(Fault::new(&walked, "", "not_an_eval", detail));
    };
    let version = Version::of(document)
        .map_err(|detail| Fault::new(&walked, "/schema_version", "version", detail))?;
    if let Some(metrics) = document.get("metrics")
        && !metrics.is_object()
    {
        return Err(Fault::new(
            &walked,
            "/metrics",
            "wrong_type",
            "`metrics` is not an object",
        ));
    }
    let mut rewrite = Rewrite {
        bytes,
        oddities: &walked.oddities,
        changes: Vec::new(),
    };
    let text = rewrite.document(document, &walked);
    let metrics = document.get("metrics").and_then(Value::as_object);
    let metrics = metrics.unwrap_or(document);
    let missing = METRICS.iter().filter(|spec| spec.primary);
    Ok(Migration {
        text: if rewrite.changes.is_empty() {
            bytes.to_vec()
        } else {
            text
        },
        from: version.to_string(),
        changes: rewrite.changes,
        missing: missing
            .map(|spec| spec.name)
            .filter(|name| !metrics.contains_key(*name))
            .collect(),
    })
}

/// A member of an object: its key with quotes, and its value, as they stand.
type Member = (Range<usize>, Range<usize>);

struct Rewrite<'a> {
    bytes: &'a [u8],
    oddities: &'a [Oddity],
    changes: Vec<String>,
}

impl Rewrite<'_> {
    fn document(&mut self, document: &Map<String, Value>, walked: &Walked) -> Vec<u8> {
        for odd in self.oddities {
            let line = walked.line_at(odd.offset);
            match odd.kind {
                OddityKind::BareWord => self.changes.push(format!(
                    "{} (line {line}): {} became null",
                    odd.pointer,
                    String::from_utf8_lossy(&self.bytes[odd.offset..odd.end])
                )),
                // Deeper ones are nobody's metrics and stay as they are.
                OddityKind::Duplicate if is_shallow(&odd.pointer) => self.changes.push(format!(
                    "{} (line {line}): stood twice, the last one counts",
                    odd.pointer
                )),
                OddityKind::Duplicate | OddityKind::TooLarge => {}
            }
        }
        let members = members(self.bytes, 0);
        let mut out = Lines::default();
        for key in ["config_path", "backend"] {
            match find(&members, key) {
                Some(member) => self.copy(member, &mut out),
                None => {
                    self.changes.push(format!("`{key}` became \"unknown\""));
                    out.member(format!("\"{key}\"").as_bytes(), b"\"unknown\"");
                }
            }
        }
        if let Some(member) = find(&members, "dsl_mode") {
            self.copy(member, &mut out);
        }
        match find(&members, "schema_version") {
            Some(member) => self.copy(member, &mut out),
            None => {
                self.changes
                    .push(format!("`schema_version` became \"{VERSION}\""));
                let version = format!("\"{VERSION}\"");
                out.member(b"\"schema_version\"", version.as_bytes());
            }
        }
        let legacy = !document.contains_key("metrics");
        let is_metric = |key: &str| document.get(key).is_some_and(|value| is_metric(key, value));
        if legacy {
            self.changes
                .push("metrics got a block of their own".to_owned());
            let own = members.iter().filter(|(key, _)| is_metric(key));
            self.block(own.map(|(_, member)| member), &mut out);
        }
        for (key, member) in &members {
            match key.as_str() {
                "config_path" | "backend" | "dsl_mode" | "schema_version" => {}
                "metrics" => {
                    let inner = self::members(self.bytes, member.1.start);
                    self.block(inner.iter().map(|(_, member)| member), &mut out);
                }
                key if legacy && is_metric(key) => {}
                _ => self.copy(member, &mut out),
            }
        }
        out.finish()
    }

    fn block<'m>(&self, members: impl Iterator<Item = &'m Member>, out: &mut Lines) {
        let mut block = Lines::at(out.indent + 2);
        for member in members {
            self.copy(member, &mut block);
        }
        let block = block.close();
        out.member(b"\"metrics\"", &block);
    }

    fn copy(&self, (key, value): &Member, out: &mut Lines) {
        let mut copied = Vec::with_capacity(value.len());
        let mut at = value.start;
        let inside = |odd: &&Oddity| {
            odd.kind == OddityKind::BareWord && value.start <= odd.offset && odd.end <= value.end
        };
        for odd in self.oddities.iter().filter(inside) {
            copied.extend_from_slice(&self.bytes[at..odd.offset]);
            copied.extend_from_slice(b"null");
            at = odd.end;
        }
        copied.extend_from_slice(&self.bytes[at..value.end]);
        out.member(&self.bytes[key.clone()], &copied);
    }
}

/// Whether a pointer is to a key of the document or of its metrics.
fn is_shallow(pointer: &str) -> bool {
    let depth = pointer.matches('/').count();
    depth == 1 || depth == 2 && pointer.starts_with("/metrics/")
}

fn find<'m>(members: &'m [(String, Member)], key: &str) -> Option<&'m Member> {
    let found = members.iter().find(|(name, _)| name == key);
    found.map(|(_, member)| member)
}

/// The members of the object at a position of a text that was walked; where a key stands
/// twice, the last value in the first place.
fn members(bytes: &[u8], at: usize) -> Vec<(String, Member)> {
    let mut scanner = Scanner::new(bytes, at);
    let mut members: Vec<(String, Member)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    if !scanner.take(b'{') {
        return members;
    }
    loop {
        scanner.peek();
        let key = scanner.pos;
        let mut name = Vec::new();
        // The text was walked, so nothing fails here but the end of an empty object.
        if scanner.string_into(&mut name).is_err() {
            break;
        }
        let key = key..scanner.pos;
        let colon = scanner.take(b':');
        scanner.peek();
        let value = scanner.pos;
        if !colon || scanner.skip_value(0, usize::MAX).is_err() {
            break;
        }
        let name = String::from_utf8_lossy(&name).into_owned();
        let member = (key, value..scanner.pos);
        match places.get(&name) {
            Some(place) => members[*place].1 = member,
            None => {
                places.insert(name.clone(), members.len());
                members.push((name, member));
            }
        }
        if !scanner.take(b',') {
            break;
        }
    }
    members
}

/// An object under construction, a member on each line.
#[derive(Default)]
struct Lines {
    indent: usize,
    out: Vec<u8>,
}

impl Lines {
    fn at(indent: usize) -> Self {
        Lines {
            indent,
            out: Vec::new(),
        }
    }

    fn member(&mut self, key: &[u8], value: &[u8]) {
        let start: &[u8] = if self.out.is_empty() { b"{\n" } else { b",\n" };
        self.out.extend_from_slice(start);
        self.out.extend(std::iter::repeat_n(b' ', self.indent + 2));
        self.out.extend_from_slice(key);
        self.out.extend_from_slice(b": ");
        self.out.extend_from_slice(value);
    }

    fn close(mut self) -> Vec<u8> {
        if self.out.is_empty() {
            return b"{}".to_vec();
        }
        self.out.push(b'\n');
        self.out.extend(std::iter::repeat_n(b' ', self.indent));
        self.out.push(b'}');
        self.out
    }

    fn finish(self) -> Vec<u8> {
        let mut out = self.close();
        out.push(b'\n');
        out
    }
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
