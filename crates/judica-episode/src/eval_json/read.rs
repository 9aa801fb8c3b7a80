//! Files of any version as they are compared, aggregated and drawn.
//!
//! Reading is more lenient than validating: metrics may be missing, as in old files, or
//! null where the schema wants a number. It is as strict about what is there: a rate of 1.2
//! or a negative count must not reach a mean or a figure.

use std::path::Path;

use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::json::{interval_ends, pointer_part};
use judica_data::source::read_tree;
use judica_data::work_error::WorkError;
use serde_json::{Map, Value};

use super::catalogue::{is_metric, spec};
use super::deprecated::{DEPRECATED, find};
use super::fault::Fault;
use super::metrics::whole;
use super::recognise::not_an_eval;
use super::text::{Walked, walk};
use super::version::Version;
use crate::schema::check::{CURRENT, Finding};
use crate::schema::validate::oddities;

/// What a file says about a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// A number.
    Value(f64),
    /// That it does not apply.
    Null,
    /// Nothing.
    Absent,
}

impl Reading {
    /// The number, if there is one.
    pub fn value(self) -> Option<f64> {
        match self {
            Reading::Value(value) => Some(value),
            Reading::Null | Reading::Absent => None,
        }
    }
}

/// An eval JSON of any version, in the current shape.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalFile {
    /// What it is called in reports and messages.
    pub name: String,
    /// The version it had.
    pub version: Version,
    document: Map<String, Value>,
    metrics: Map<String, Value>,
}

/// Reads an eval JSON.
pub fn read_eval(path: &Path) -> Result<EvalFile, WorkError> {
    let bytes = read_bytes(path)?;
    let name = path.display().to_string();
    EvalFile::parse(&name, &bytes).map_err(|fault| {
        let foreign = matches!(fault.reason, "not_json" | "not_an_eval");
        match refused(name, fault) {
            // No rewriting of rows makes one of a table: such are only pointed out.
            error if foreign => {
                WorkError::BadInput(error.to_string()).explained(path, Reads::JsonOrTable)
            }
            error => error,
        }
    })
}

/// A whole file, unpacked.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, DataError> {
    read_tree(path)
}

/// The error that a fault in a file is.
pub fn refused(file: String, fault: Fault) -> WorkError {
    let detail = if fault.pointer.is_empty() {
        fault.detail
    } else {
        format!("{}: {}", fault.pointer, fault.detail)
    };
    WorkError::Refused {
        file,
        line: fault.line,
        reason: fault.reason,
        detail,
    }
}

impl EvalFile {
    /// Reads the text of an eval JSON.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<EvalFile, Fault> {
        let mut walked = walk(bytes)?;
        if let Some(odd) = oddities(&walked).next() {
            return Err(Fault {
                line: odd.line,
                pointer: odd.pointer,
                reason: odd.reason,
                detail: odd.detail,
            });
        }
        let refusal = not_an_eval(&walked.value);
        let (None, Value::Object(mut document)) = (&refusal, walked.value.take()) else {
            let detail = refusal.unwrap_or_default();
            return Err(Fault::new(&walked, "", "not_an_eval", detail));
        };
        let version = Version::of(&document)
            .map_err(|detail| Fault::new(&walked, "/schema_version", "version", detail))?;
        let (metrics, at) = match document.remove("metrics") {
            Some(Value::Object(metrics)) => (metrics, "/metrics"),
            Some(_) => {
                let detail = "`metrics` is not an object";
                return Err(Fault::new(&walked, "/metrics", "wrong_type", detail));
            }
            None => (take_metrics(&mut document), ""),
        };
        let metrics = checked(metrics, at, &walked)?;
        Ok(EvalFile {
            name: name.to_owned(),
            version,
            document,
            metrics,
        })
    }

    /// Its metrics, known and unknown, as they stand.
    pub fn metrics(&self) -> &Map<String, Value> {
        &self.metrics
    }

    /// What it says about a metric. What is not a number, and what a deprecated metric is
    /// written as, is no value.
    pub fn reading(&self, metric: &str) -> Reading {
        let Some(value) = self.metrics.get(metric) else {
            return Reading::Absent;
        };
        if find(DEPRECATED, metric).is_some_and(|entry| entry.sentinel.is(value)) {
            return Reading::Null;
        }
        match value.as_f64() {
            Some(value) => Reading::Value(value),
            None if value.is_null() => Reading::Null,
            None => Reading::Absent,
        }
    }

    /// The interval of a metric, if the file has one that can be one.
    pub fn interval(&self, metric: &str) -> Option<[f64; 2]> {
        interval_ends(self.metrics.get(&format!("{metric}_ci"))?)
    }

    /// How many items a metric rests on, if that is known.
    pub fn n(&self, metric: &str) -> Option<u64> {
        let spec = spec(metric)?;
        let stated = || self.metrics.get(spec.rests_on?).and_then(whole);
        self.count(spec.items?).or_else(stated)
    }

    /// How many of those are hits, if the file says so.
    pub fn hits(&self, metric: &str) -> Option<u64> {
        self.count(spec(metric)?.hits?)
    }

    fn count(&self, key: &str) -> Option<u64> {
        whole(self.document.get("counts")?.get(key)?)
    }

    /// Why a metric has no value, as the file says or as its absence does.
    pub fn why_undefined(&self, metric: &str) -> String {
        let said = self
            .document
            .get("undefined")
            .and_then(|all| all.get(metric));
        match (said.and_then(Value::as_str), self.reading(metric)) {
            (Some(reason), _) => reason.to_owned(),
            (None, Reading::Absent) => "the file does not have it".to_owned(),
            (None, _) => "null in the file".to_owned(),
        }
    }

    /// The mode, `coord` unless the file says otherwise.
    pub fn mode(&self) -> &str {
        self.text("dsl_mode").unwrap_or("coord")
    }

    /// A text at the top of the file.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.document.get(key).and_then(Value::as_str)
    }

    /// What stands at a JSON pointer (RFC 6901), in the current shape.
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        let parts: Vec<String> = pointer.split('/').skip(1).map(pointer_part).collect();
        let (first, rest) = parts.split_first()?;
        let (mut found, rest) = match (first.as_str(), rest.split_first()) {
            ("metrics", Some((metric, rest))) => (self.metrics.get(metric)?, rest),
            _ => (self.document.get(first)?, rest),
        };
        for part in rest {
            found = match found {
                Value::Object(members) => members.get(part)?,
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(found)
    }
}

/// The metrics of a file from before 1.0, which stand at its top.
fn take_metrics(document: &mut Map<String, Value>) -> Map<String, Value> {
    let (metrics, kept) = std::mem::take(document)
        .into_iter()
        .partition(|(key, value)| is_metric(key, value));
    *document = kept;
    metrics
}

/// Refuses known metrics that are not what they can be.
fn checked(
    metrics: Map<String, Value>,
    at: &str,
    walked: &Walked,
) -> Result<Map<String, Value>, Fault> {
    let mut document = Map::new();
    document.insert("metrics".to_owned(), Value::Object(metrics));
    let document = Value::Object(document);
    let is_wrong = |finding: &Finding| {
        let value = document.pointer(&finding.pointer);
        finding.reason != "missing" && value.is_some_and(|value| !value.is_null())
    };
    let faults = CURRENT.findings(&document).into_iter().filter(is_wrong);
    let first = faults
        .map(|finding| {
            let pointer = finding.pointer.strip_prefix("/metrics").unwrap_or_default();
            let pointer = format!("{at}{pointer}");
            Fault::new(walked, pointer, finding.reason, finding.detail)
        })
        .min_by_key(|fault| fault.line);
    match (first, document) {
        (Some(fault), _) => Err(fault),
        (None, Value::Object(mut document)) => match document.remove("metrics") {
            Some(Value::Object(metrics)) => Ok(metrics),
            _ => Ok(Map::new()),
        },
        (None, _) => Ok(Map::new()),
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
