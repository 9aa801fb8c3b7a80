//! Whether a file is an eval JSON at all, and what else it seems to be.
//!
//! Anything with braces could be migrated into the current shape, and every file of a
//! project listed as invalid; neither helps who named the wrong file.

use judica_model::text::named;
use serde_json::{Map, Value};

use super::catalogue::{Kind, METRICS};

/// What else a file may be, by keys that it must have.
const OTHERS: [(&[&str], &str); 15] = [
    (&["name", "version", "dependencies"], "a package.json"),
    (&["name", "version", "scripts"], "a package.json"),
    (&["$schema", "properties"], "a JSON Schema"),
    (&["leaderboard", "tasks"], "a summary of `judica eval`"),
    (&["evidence_pack"], "a record of `judica eval`"),
    (
        &["protocol", "inputs", "created_at"],
        "the manifest of a run",
    ),
    (
        &["golden", "outputs", "gates"],
        "a report of `judica gate golden`",
    ),
    (&["gates_file", "gates"], "a report of `judica gate check`"),
    (
        &["steps", "gates", "gates_pass"],
        "a report of `judica release`",
    ),
    (
        &["kappa", "gate_results"],
        "a report of `judica agree pairs`",
    ),
    (&["sides", "verdicts"], "a report of `judica compare`"),
    (
        &["mean_action_accuracy", "groups"],
        "a report of `judica aggregate`",
    ),
    (
        &["episode_id", "n_steps"],
        "a line of `judica episodes --details`",
    ),
    (
        &["episode_id", "steps"],
        "an episode or its predictions, which `judica episodes` scores",
    ),
    (&["predictions"], "a file of predictions"),
];

/// Why a document is no eval JSON; `None` if it is one, good or bad.
///
/// It is if it has a known metric: in a block of them, or at the top, where steps alone may
/// be those of anything. Or if it has a block of metrics beside a key that says what was
/// evaluated, or a version, since all metrics may be the user's own.
pub fn not_an_eval(document: &Value) -> Option<String> {
    let Value::Object(members) = document else {
        return Some(format!(
            "an eval JSON is one object; this is {}",
            kind(document)
        ));
    };
    let about = ["config_path", "backend", "dsl_mode"];
    let is_about = about.iter().any(|key| members.contains_key(*key))
        || members.get("schema_version").is_some_and(Value::is_string);
    let is_one = match members.get("metrics") {
        Some(_) if is_about => true,
        Some(block) => block
            .as_object()
            .is_some_and(|block| has_metric(block, true)),
        None => has_metric(members, false),
    };
    if is_one {
        return None;
    }
    Some(format!(
        "not an eval JSON: it has no metric of one, such as `action_type_accuracy`; it seems to \
         be {}",
        seems(members)
    ))
}

/// Whether there is a known metric; `counts` says whether those count.
fn has_metric(metrics: &Map<String, Value>, counts: bool) -> bool {
    let telling = METRICS
        .iter()
        .filter(|spec| counts || spec.kind != Kind::Count);
    telling
        .into_iter()
        .any(|spec| metrics.contains_key(spec.name))
}

fn seems(members: &Map<String, Value>) -> String {
    let has = |keys: &&(&[&str], &str)| keys.0.iter().all(|key| members.contains_key(*key));
    if let Some((_, what)) = OTHERS.iter().find(has) {
        return (*what).to_owned();
    }
    if members.is_empty() {
        return "an empty object".to_owned();
    }
    let named = named(members.keys(), members.len());
    format!("something with the keys {named}")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn eval_files_of_every_shape_are_known() {
        for document in [
            json!({"action_type_accuracy": 0.5}),
            json!({"metrics": {"click_hit_rate": null}}),
            json!({"config_path": "c", "metrics": {"my_own": 1}}),
            json!({"backend": "b", "metrics": [1], "schema_version": "2.0"}),
            json!({"dsl_mode": "som", "metrics": {}}),
            json!({"metrics": {"num_steps": 5}}),
            json!({"schema_version": "3.1", "metrics": {}}),
        ] {
            assert_eq!(not_an_eval(&document), None, "{document}");
        }
    }

    #[test]
    fn what_is_none_is_told_apart() {
        for (document, says) in [
            (json!([{"action_type_accuracy": 1}]), "this is a list"),
            (json!("eval"), "this is text"),
            (json!({}), "an empty object"),
            (
                json!({"name": "x", "version": "1", "dependencies": {}}),
                "a package.json",
            ),
            (
                json!({"leaderboard": [], "tasks": []}),
                "a summary of `judica eval`",
            ),
            (
                json!({"golden": "g", "outputs": "o", "metrics": {"golden_recall": {}}, "gates": []}),
                "a report of `judica gate golden`",
            ),
            (
                json!({"num_steps": 100, "lr": 0.1}),
                "the keys `num_steps`, `lr`",
            ),
            (json!({"metrics": {"loss": 5}}), "the keys `metrics`"),
            (json!({"metrics": 3}), "the keys `metrics`"),
            (
                json!({"episode_id": 1, "steps": []}),
                "`judica episodes` scores",
            ),
        ] {
            let said = not_an_eval(&document).unwrap_or_default();
            assert!(said.contains(says), "{document}: {said}");
        }
    }
}
