//! A value held against the JSON Schema, every problem with its pointer.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use judica_data::json::pointer_key;
use judica_model::text::cut;
use serde_json::Value;

use super::generate::{LATER, typed};

/// How much of a value a message quotes.
const QUOTED: usize = 60;

/// Something that is not as the schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// A short code for programs.
    pub reason: &'static str,
    /// What was found and what was expected.
    pub detail: String,
}

impl Finding {
    /// Whether it is about the shape of a key that came after the first published files.
    /// Those may hold something of their own under the same name, so such a file is odd,
    /// but not invalid.
    pub fn is_later_shape(&self) -> bool {
        let first = self.pointer.split('/').nth(1).unwrap_or_default();
        self.reason != "out_of_range" && LATER.contains(&first)
    }
}

/// The current schema, ready for use.
pub static CURRENT: LazyLock<Checker> = LazyLock::new(|| Checker::new(&typed()));

/// A schema, ready for use.
pub struct Checker {
    validator: Option<Validator>,
}

impl Checker {
    /// Prepares a schema.
    pub fn new(schema: &Value) -> Self {
        let validator = jsonschema::validator_for(schema);
        // A schema that does not compile would be a mistake of this program; tests hold
        // every schema there is against files.
        debug_assert!(validator.is_ok(), "{validator:?}");
        Checker {
            validator: validator.ok(),
        }
    }

    /// Everything in which a value differs from the schema, in the order of the schema.
    pub fn findings(&self, value: &Value) -> Vec<Finding> {
        let Some(validator) = &self.validator else {
            return vec![Finding {
                pointer: String::new(),
                reason: "schema",
                detail: "the schema itself does not compile".to_owned(),
            }];
        };
        let mut told = BTreeSet::new();
        let mut found: Vec<Finding> = validator
            .iter_errors(value)
            .map(|error| finding(&error))
            .collect();
        // `null` where a number is needed may offend twice, by type and by condition.
        found.retain(|finding| told.insert((finding.pointer.clone(), finding.reason)));
        found
    }
}

fn finding(error: &ValidationError) -> Finding {
    let pointer = error.instance_path().as_str().to_owned();
    let quoted = quote(error.instance());
    let (reason, detail) = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            return Finding {
                pointer: format!("{pointer}/{}", pointer_key(name)),
                reason: "missing",
                detail: format!("`{name}` is missing"),
            };
        }
        ValidationErrorKind::Type { kind } => {
            ("wrong_type", format!("{quoted} is not {}", expected(kind)))
        }
        ValidationErrorKind::Minimum { limit } => (
            "out_of_range",
            format!("{quoted} is below {limit}, the least it can be"),
        ),
        ValidationErrorKind::Maximum { limit } => (
            "out_of_range",
            format!("{quoted} is above {limit}, the most it can be"),
        ),
        ValidationErrorKind::MinItems { limit } | ValidationErrorKind::MaxItems { limit } => (
            "wrong_shape",
            format!("{quoted} should have {limit} entries"),
        ),
        _ => ("wrong_value", error.masked_with(quoted).to_string()),
    };
    Finding {
        pointer,
        reason,
        detail,
    }
}

fn expected(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => named(one.as_str()).to_owned(),
        TypeKind::Multiple(several) => {
            let mut names: Vec<_> = several.iter().map(|one| one.as_str()).collect();
            // What was probably meant comes first.
            names.sort_by_key(|name| *name == "null");
            names
                .into_iter()
                .map(named)
                .collect::<Vec<_>>()
                .join(" or ")
        }
    }
}

fn named(kind: &str) -> &str {
    match kind {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a string",
        "object" => "an object",
        "array" => "a list",
        "boolean" => "true or false",
        other => other,
    }
}

fn quote(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(items) if items.len() > 4 => format!("a list of {}", items.len()),
        _ => cut(&value.to_string(), QUOTED).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn findings(metrics: Value) -> Vec<String> {
        let mut file = json!({"config_path": "c", "backend": "b", "metrics": {
            "num_episodes": 2, "num_steps": 10, "action_type_accuracy": 0.5,
            "coord_error_count": 0, "episode_success_rate": 0.5,
        }});
        for (key, value) in metrics.as_object().unwrap() {
            file["metrics"][key] = value.clone();
        }
        let found = CURRENT.findings(&file).into_iter();
        found
            .map(|f| format!("{} {}", f.pointer, f.detail))
            .collect()
    }

    #[test]
    fn every_problem_is_said_once_with_its_pointer() {
        assert!(findings(json!({})).is_empty());
        assert!(findings(json!({"unheard_of": {"x": [1]}, "num_steps": 10.0})).is_empty());
        let found = findings(json!({
            "num_episodes": -1, "num_steps": 2.5, "action_type_accuracy": 1.2,
            "mean_coord_error": -0.1, "episode_success_rate": "0.5", "click_hit_rate_ci": [0.1],
            "bbox_hit_rate": true, "extra_steps": -1,
        }));
        for expected in [
            "/metrics/num_episodes -1 is below 0, the least it can be",
            "/metrics/num_steps 2.5 is not a whole number",
            "/metrics/action_type_accuracy 1.2 is above 1.0, the most it can be",
            "/metrics/mean_coord_error -0.1 is below 0.0, the least it can be",
            "/metrics/episode_success_rate \"0.5\" is not a number or null",
            "/metrics/click_hit_rate_ci [0.1] should have 2 entries",
            "/metrics/bbox_hit_rate true is not a number or null",
            "/metrics/extra_steps -1 is below 0, the least it can be",
        ] {
            assert!(
                found.iter().any(|f| f == expected),
                "{expected}: {found:#?}"
            );
        }
        assert_eq!(found.len(), 8, "{found:#?}");
    }

    #[test]
    fn a_rate_is_null_only_where_there_is_nothing_to_measure() {
        let nothing = json!({"num_steps": 0, "num_episodes": 0,
            "action_type_accuracy": null, "episode_success_rate": null});
        assert!(findings(nothing).is_empty());
        let found = findings(json!({"action_type_accuracy": null, "episode_success_rate": null}));
        assert_eq!(
            found,
            [
                "/metrics/action_type_accuracy null is not a number",
                "/metrics/episode_success_rate null is not a number"
            ]
        );
    }

    #[test]
    fn missing_keys_have_the_pointer_they_should_have() {
        let found = CURRENT.findings(&json!({"metrics": {}}));
        let pointers: Vec<_> = found.iter().map(|f| f.pointer.as_str()).collect();
        for expected in [
            "/config_path",
            "/backend",
            "/metrics/num_episodes",
            "/metrics/num_steps",
            "/metrics/action_type_accuracy",
            "/metrics/coord_error_count",
            "/metrics/episode_success_rate",
        ] {
            assert!(pointers.contains(&expected), "{expected}: {pointers:?}");
        }
        assert_eq!(found.len(), 7);
        assert_eq!(
            CURRENT.findings(&json!([]))[0].detail,
            "[] is not an object"
        );
    }

    #[test]
    fn long_values_are_quoted_in_part() {
        let found = findings(json!({"bbox_hit_rate": "é".repeat(1000)}));
        assert!(found[0].len() < 200, "{}", found[0]);
    }
}
