//! Where an output says something wrong, as a JSON pointer.
//!
//! Runs are read into their [`shape`](super::shape), fast, with errors that know a line
//! and a column only. When that fails the text is looked at again, slowly, by the same
//! rules, for the place that a person can find.

use serde_json::{Map, Value};

/// What is wrong with an output; `None` if its values are as they should be.
pub(super) fn output(value: &Value) -> Option<String> {
    let Some(run) = value.as_object() else {
        return Some("must be an object".to_owned());
    };
    let found = key(run, "", "objective", Kind::Text)
        .or_else(|| optional(run, "", "run_id", Kind::Name))
        .or_else(|| optional(run, "", "query_id", Kind::Name))
        .or_else(|| optional(run, "", "golden_id", Kind::Name))
        .or_else(|| optional(run, "", "stop_reason", Kind::Text));
    found
        .or_else(|| {
            list(run, "claims", |claim, at| {
                name(claim, at, "claim_id", Kind::Name)
                    .or_else(|| key(claim, at, "status", Kind::Text))
                    .or_else(|| cited(claim, at))
            })
        })
        .or_else(|| {
            list(run, "evidence", |record, at| {
                name(record, at, "evidence_id", Kind::Text)
            })
        })
        .or_else(|| match run.get("steps") {
            None | Some(Value::Null) => None,
            Some(_) => list(run, "steps", |step, at| {
                name(step, at, "step_id", Kind::Name)
            }),
        })
}

/// What a value must be.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Name,
}

impl Kind {
    fn admits(self, value: &Value) -> bool {
        let whole = value.is_u64() || value.is_i64();
        value.is_string() || (whole && matches!(self, Kind::Name))
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Text => "a string",
            Kind::Name => "a string or an integer",
        }
    }
}

fn key(object: &Map<String, Value>, at: &str, key: &str, kind: Kind) -> Option<String> {
    match object.get(key) {
        None => Some(format!("{at}/{key} is missing")),
        Some(value) if kind.admits(value) => None,
        Some(_) => Some(format!("{at}/{key} must be {}", kind.name())),
    }
}

fn optional(object: &Map<String, Value>, at: &str, name: &str, kind: Kind) -> Option<String> {
    match object.get(name) {
        None | Some(Value::Null) => None,
        Some(_) => key(object, at, name, kind),
    }
}

/// `id`, or `other`: one of them must be there, and each be what it should.
fn name(object: &Map<String, Value>, at: &str, other: &str, kind: Kind) -> Option<String> {
    let there = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
    let wrong = optional(object, at, "id", kind).or_else(|| optional(object, at, other, kind));
    wrong.or_else(|| match there("id") || there(other) {
        true => None,
        // Null is what stands there, if it does.
        false => key(object, at, "id", kind),
    })
}

/// Looks for what is wrong with a list of objects.
fn list(
    run: &Map<String, Value>,
    name: &str,
    check: impl Fn(&Map<String, Value>, &str) -> Option<String>,
) -> Option<String> {
    let items = match run.get(name) {
        None => return Some(format!("/{name} is missing")),
        Some(Value::Array(items)) => items,
        Some(_) => return Some(format!("/{name} must be an array")),
    };
    items.iter().enumerate().find_map(|(index, item)| {
        let at = format!("/{name}/{index}");
        match item.as_object() {
            Some(object) => check(object, &at),
            None => Some(format!("{at} must be an object")),
        }
    })
}

fn cited(claim: &Map<String, Value>, at: &str) -> Option<String> {
    match claim.get("evidence_ids") {
        None | Some(Value::Null) => None,
        Some(Value::Array(ids)) if ids.iter().all(Value::is_string) => None,
        Some(_) => Some(format!("{at}/evidence_ids must be an array of strings")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::glance::Object;
    use super::super::shape::Output;
    use super::output;

    /// The fast reading and the slow one must agree on what is wrong.
    #[test]
    fn every_wrong_value_is_found_and_no_right_one() {
        let right = json!({
            "run_id": "r", "query_id": 3, "objective": "o", "stop_reason": null, "other": [],
            "claims": [{"id": "c", "status": "verified", "evidence_ids": ["e"]}, {"id": 2, "status": "open"}],
            "evidence": [{"id": "e", "quote": 5}],
            "steps": [{"id": "s"}, {"id": 1, "manifest": {}}],
        });
        assert!(reads(&right));
        assert_eq!(output(&right), None);
        let renamed = json!({
            "id": 5, "objective": "o",
            "claims": [{"claim_id": "c", "status": "verified"}, {"id": null, "claim_id": 2, "status": ""}],
            "evidence": [{"evidence_id": "e"}, {"id": "f", "evidence_id": "g"}],
            "steps": [{"step_id": "s"}],
        });
        assert!(reads(&renamed));
        assert_eq!(output(&renamed), None);
        for (pointer, value, message) in [
            ("", json!([]), "must be an object"),
            ("/objective", json!(null), "/objective must be a string"),
            (
                "/run_id",
                json!(1.5),
                "/run_id must be a string or an integer",
            ),
            (
                "/query_id",
                json!([]),
                "/query_id must be a string or an integer",
            ),
            ("/stop_reason", json!(0), "/stop_reason must be a string"),
            ("/claims", json!(null), "/claims must be an array"),
            ("/claims", json!({}), "/claims must be an array"),
            (
                "/claims/1",
                json!(["c", "verified", []]),
                "/claims/1 must be an object",
            ),
            (
                "/claims/1",
                json!({"status": "open"}),
                "/claims/1/id is missing",
            ),
            (
                "/claims/1",
                json!({"status": "open", "claim_id": []}),
                "/claims/1/claim_id must be a string or an integer",
            ),
            (
                "/evidence/0",
                json!({"evidence_id": 5}),
                "/evidence/0/evidence_id must be a string",
            ),
            (
                "/claims/0/status",
                json!(true),
                "/claims/0/status must be a string",
            ),
            (
                "/claims/0/evidence_ids",
                json!("e"),
                "/claims/0/evidence_ids must be an array of strings",
            ),
            (
                "/claims/0/evidence_ids/0",
                json!(1),
                "/claims/0/evidence_ids must be an array of strings",
            ),
            ("/evidence", json!("e"), "/evidence must be an array"),
            (
                "/evidence/0/id",
                json!(1),
                "/evidence/0/id must be a string",
            ),
            ("/steps", json!({}), "/steps must be an array"),
            (
                "/steps/1/id",
                json!(null),
                "/steps/1/id must be a string or an integer",
            ),
        ] {
            let mut wrong = right.clone();
            *wrong.pointer_mut(pointer).unwrap() = value;
            assert_eq!(output(&wrong).as_deref(), Some(message));
            assert!(!reads(&wrong), "{message}");
        }
        for key in ["objective", "claims", "evidence"] {
            let mut wrong = right.clone();
            wrong.as_object_mut().unwrap().remove(key);
            assert_eq!(output(&wrong), Some(format!("/{key} is missing")));
            assert!(!reads(&wrong));
        }
    }

    fn reads(value: &serde_json::Value) -> bool {
        serde_json::from_str::<Object<Output>>(&value.to_string())
            .is_ok_and(|Object(output)| output.is_named())
    }
}
