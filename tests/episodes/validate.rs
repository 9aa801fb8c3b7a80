//! `judica schema print` and `validate`.

use serde_json::{Value, json};

use crate::data::{eval, fixture, fixtures, scored, two, write_eval};
use crate::support::Place;

#[track_caller]
fn validated(place: &Place, arguments: &str, code: i32) -> Value {
    let ran = place
        .judica(&format!("schema validate {arguments} --json"))
        .exits(code);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[track_caller]
fn pointers(result: &Value) -> Vec<&str> {
    let problems = result["problems"].as_array().expect("problems");
    problems
        .iter()
        .map(|problem| problem["pointer"].as_str().expect("a pointer"))
        .collect()
}

#[test]
fn what_is_printed_is_the_published_schema() {
    let ran = Place::new().judica("schema print").exits(0);
    let path = fixtures().join("../../../../docs/schema/eval-1.0.schema.json");
    let published = std::fs::read_to_string(path).expect("the published schema");
    assert_eq!(ran.stdout, published);
    let schema: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let required: Vec<&Value> = schema["required"]
        .as_array()
        .expect("keys")
        .iter()
        .collect();
    for key in ["config_path", "backend", "metrics"] {
        assert!(required.contains(&&json!(key)), "{key}");
    }
    assert!(!required.contains(&&json!("dsl_mode")));
}

#[test]
fn every_problem_is_said_at_once() {
    let place = Place::new();
    fixture(&place, "invalid-ranges.json");
    let results = validated(&place, "invalid-ranges.json", 2);
    assert_eq!(
        pointers(&results[0]),
        [
            "/metrics/num_steps",
            "/metrics/action_type_accuracy",
            "/metrics/element_accuracy"
        ]
    );
    assert_eq!(results[0]["problems"][1]["line"], 8);
    place
        .judica("schema validate invalid-ranges.json")
        .exits(2)
        .says(&[
            "invalid-ranges.json:7: error: out_of_range /metrics/num_steps: -384",
            "invalid-ranges.json:8: error: out_of_range /metrics/action_type_accuracy: 1.2",
            "invalid-ranges.json:18: error: wrong_type /metrics/element_accuracy",
        ]);
}

#[test]
fn keys_with_strange_names_have_escaped_pointers() {
    let place = Place::new();
    let mut document = eval("b", json!({}));
    document["metrics_by_action_type"] = json!({"a/b~c": {"num_steps": -1}});
    write_eval(&place, "x.json", &document);
    let results = validated(&place, "x.json", 2);
    assert_eq!(
        pointers(&results[0]),
        ["/metrics_by_action_type/a~1b~0c/num_steps"]
    );
}

#[test]
fn what_is_no_eval_file() {
    let place = Place::new();
    for (text, words) in [
        ("", "empty"),
        ("[]", "object"),
        ("{\"metrics\": ", "x.json:1"),
        ("{\n\"backend\": \"b\", \"metrics\": 3}", "/metrics"),
        ("{}", "an empty object"),
        ("nonsense", "x.json:1"),
    ] {
        place.write("x.json", text);
        place
            .judica("schema validate x.json")
            .exits(2)
            .says(&["x.json", words]);
    }
}

#[test]
fn a_folder_is_all_its_files() {
    let place = two();
    scored(&place, "--mode coord");
    fixture(&place, "v1.0-marked.json");
    fixture(&place, "invalid-nan.json");
    place.write("out/deep/x.json", place.read("v1.0-marked.json"));
    place.write("out/readme.md", "not one");
    let results = validated(&place, "out v1.0-marked.json", 0);
    assert_eq!(results.as_array().map(Vec::len), Some(3));
    let results = validated(&place, ".", 2);
    let valid: Vec<&Value> = results
        .as_array()
        .expect("files")
        .iter()
        .map(|file| &file["valid"])
        .collect();
    assert_eq!(valid, [false, true, true, true]);
}

#[test]
fn warnings_count_if_asked() {
    let place = Place::new();
    fixture(&place, "v1.7-future-minor.json");
    let results = validated(&place, "v1.7-future-minor.json", 0);
    assert_eq!(results[0]["warnings"][0]["pointer"], "/schema_version");
    validated(&place, "v1.7-future-minor.json --strict", 2);
}

/// Whoever names the wrong file is told what it seems to be, whatever was to be done with it.
#[test]
fn files_of_another_kind_are_refused_by_every_command() {
    let place = two();
    scored(&place, "--mode coord");
    place.write("good.json", place.read("out/eval.json"));
    for (text, words) in [
        (
            "{\"name\": \"app\", \"version\": \"1.0.0\", \"dependencies\": {}}",
            "a package.json",
        ),
        (
            "{\"schema_version\": 1, \"leaderboard\": [], \"tasks\": []}",
            "a summary of `judica eval`",
        ),
        (
            "{\"golden\": \"g\", \"outputs\": \"o\", \"gates\": [], \"metrics\": {\"golden_recall\": {\"value\": 1}}}",
            "a report of `judica gate golden`",
        ),
        ("[{\"action_type_accuracy\": 1}]", "a list"),
        (
            "{\"num_steps\": 500, \"learning_rate\": 0.1}",
            "`num_steps`, `learning_rate`",
        ),
        ("{}", "an empty object"),
    ] {
        place.write("x.json", text);
        place
            .judica("schema validate x.json good.json")
            .exits(2)
            .says(&["x.json:1: error: not_an_eval: ", words]);
        for command in [
            "schema migrate x.json",
            "schema migrate x.json --out m.json",
            "compare --files good.json x.json",
            "plot --files good.json x.json --output f.svg",
            "aggregate --files x.json --strict",
        ] {
            let ran = place.judica(command).exits(2);
            ran.complains(&["x.json", "not_an_eval", words]);
        }
        place
            .judica("aggregate --files x.json")
            .exits(2)
            .complains(&["x.json"]);
        // Beside good files it is named and left out.
        place
            .judica("aggregate --files x.json good.json")
            .exits(0)
            .says(&["x.json:1"]);
        assert!(!place.path("m.json").exists() && !place.path("f.svg").exists());
    }
}

#[test]
fn no_table_is_said_to_become_an_eval_file() {
    let place = Place::new();
    place.write("t.csv", "id,score\na,1\n");
    let refused = place.judica("plot --files t.csv --out f.svg").exits(2);
    let refused = refused.complains(&["t.csv:1: not_json", "judica look t.csv"]);
    assert!(!refused.stderr.contains("python3"), "{}", refused.stderr);
}
