//! A file held against the schema, and against what a schema cannot say.
//!
//! A problem makes a file invalid. A warning is about what is odd but possible.

use std::path::Path;

use judica_data::error::DataError;
use judica_model::table::{Cell, Table};
use serde::Serialize;
use serde_json::Value;

use super::check::{CURRENT, Finding};
use super::sense::Sense;
use crate::eval_json::deprecated::{DEPRECATED, Deprecated};
use crate::eval_json::read::read_bytes;
use crate::eval_json::recognise::not_an_eval;
use crate::eval_json::text::{OddityKind, Walked, walk};
use crate::eval_json::version::{VERSION, Version};

/// Something a file should not hold, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The line, from 1.
    pub line: u64,
    /// The value it is about, as a JSON pointer; empty for the whole file.
    pub pointer: String,
    /// A short code for programs.
    pub reason: &'static str,
    /// What was found and what was expected.
    pub detail: String,
}

/// What holding a file against the schema came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Validation {
    /// The file.
    pub file: String,
    /// The version it says or shows; null where it says nothing that can be read.
    pub version: Option<String>,
    /// Whether there is no problem.
    pub valid: bool,
    /// What makes it invalid, in the order of the lines.
    pub problems: Vec<Problem>,
    /// What is odd, in the order of the lines.
    pub warnings: Vec<Problem>,
}

/// Holds a file against the schema. Only a file that cannot be read at all is an error.
pub fn validate(path: &Path) -> Result<Validation, DataError> {
    let bytes = read_bytes(path)?;
    Ok(validate_text(&path.display().to_string(), &bytes))
}

/// Holds a text against the schema.
pub fn validate_text(file: &str, bytes: &[u8]) -> Validation {
    with_deprecated(file, bytes, DEPRECATED)
}

fn with_deprecated(file: &str, bytes: &[u8], deprecated: &[Deprecated]) -> Validation {
    let mut validation = Validation {
        file: file.to_owned(),
        version: None,
        valid: false,
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    match walk(bytes) {
        Ok(walked) => validation.look(&walked, deprecated),
        Err(error) => validation.problems.push(Problem {
            line: error.line,
            pointer: String::new(),
            reason: "not_json",
            detail: error.reason,
        }),
    }
    for found in [&mut validation.problems, &mut validation.warnings] {
        found.sort_by(|a, b| (a.line, &a.pointer).cmp(&(b.line, &b.pointer)));
    }
    validation.valid = validation.problems.is_empty();
    validation
}

impl Validation {
    fn look(&mut self, walked: &Walked, deprecated: &[Deprecated]) {
        let place = |finding: Finding| Problem {
            line: walked.locate(&finding.pointer),
            pointer: finding.pointer,
            reason: finding.reason,
            detail: finding.detail,
        };
        self.problems.extend(oddities(walked));
        let (None, Value::Object(document)) = (not_an_eval(&walked.value), &walked.value) else {
            // What a schema misses in another kind of file helps nobody.
            self.problems.push(place(Finding {
                pointer: String::new(),
                reason: "not_an_eval",
                detail: not_an_eval(&walked.value).unwrap_or_default(),
            }));
            return;
        };
        match Version::of(document) {
            Ok(version) => {
                self.version = Some(version.to_string());
                if version.is_newer() {
                    let detail = format!(
                        "version {version} is newer than {VERSION}, against which it is held"
                    );
                    self.warnings.push(place(version_finding(detail)));
                }
            }
            Err(detail) => {
                self.problems.push(place(version_finding(detail)));
                // What keys mean in another major version is not known.
                if document.get("schema_version").is_some_and(Value::is_string) {
                    return;
                }
            }
        }
        for finding in CURRENT.findings(&walked.value) {
            let reported = |problem: &Problem| problem.pointer == finding.pointer;
            if self.problems.iter().any(reported) {
                continue;
            }
            if finding.is_later_shape() {
                self.warnings.push(place(finding));
            } else {
                self.problems.push(place(hinted(finding)));
            }
        }
        if let Some(Value::Object(metrics)) = document.get("metrics") {
            let mut sense = Sense::of(document, metrics, deprecated);
            // What is no number was read as null, and nobody wrote that.
            let lost: Vec<&str> = walked
                .oddities
                .iter()
                .filter(|odd| !matches!(odd.kind, OddityKind::Duplicate))
                .map(|odd| &*odd.pointer)
                .collect();
            sense
                .warnings
                .retain(|found| !lost.contains(&&*found.pointer));
            self.problems.extend(sense.problems.into_iter().map(place));
            self.warnings.extend(sense.warnings.into_iter().map(place));
        }
    }
}

/// What strict JSON does not allow.
pub(crate) fn oddities(walked: &Walked) -> impl Iterator<Item = Problem> + '_ {
    walked.oddities.iter().map(|odd| {
        let (reason, detail) = match odd.kind {
            OddityKind::BareWord => (
                "not_a_number",
                "NaN and Infinity are not JSON; null says that there is no value",
            ),
            OddityKind::TooLarge => ("too_large", "a number beyond the range of doubles"),
            OddityKind::Duplicate => (
                "duplicate_key",
                "this key stands twice in its object; readers differ in which one counts",
            ),
        };
        Problem {
            line: walked.line_at(odd.offset),
            pointer: odd.pointer.clone(),
            reason,
            detail: detail.to_owned(),
        }
    })
}

fn version_finding(detail: String) -> Finding {
    Finding {
        pointer: "/schema_version".to_owned(),
        reason: "version",
        detail,
    }
}

/// A file without metrics is probably old.
fn hinted(mut finding: Finding) -> Finding {
    if finding.pointer == "/metrics" && finding.reason == "missing" {
        finding
            .detail
            .push_str("; `judica schema migrate` brings files from before 1.0 up to it");
    }
    finding
}

/// Results for people: one line per problem and warning.
pub fn tables(results: &[Validation]) -> Vec<Table> {
    let mut table = Table::new("Eval JSON files")
        .left("file")
        .left("version")
        .left("verdict")
        .right("problems")
        .right("warnings");
    let mut findings = Table::new("What was found")
        .left("where")
        .left("kind")
        .left("pointer")
        .left("what");
    for result in results {
        table.push([
            Cell::text(&result.file),
            match &result.version {
                Some(version) => Cell::text(version),
                None => Cell::missing("the file says no version that can be read"),
            },
            Cell::text(if result.valid { "valid" } else { "invalid" }),
            Cell::count(result.problems.len()),
            Cell::count(result.warnings.len()),
        ]);
        let kinds = [("problem", &result.problems), ("warning", &result.warnings)];
        for (kind, found) in kinds {
            for problem in found {
                findings.push([
                    Cell::text(format!("{}:{}", result.file, problem.line)),
                    Cell::text(kind),
                    Cell::text(&problem.pointer),
                    Cell::text(&problem.detail),
                ]);
            }
        }
    }
    let mut tables = vec![table];
    if !findings.rows.is_empty() {
        tables.push(findings);
    }
    tables
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
