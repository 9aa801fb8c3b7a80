//! `judica calibrate --fit` and `judica rules --from-schema`: what they print can be used.

use serde_json::json;

use crate::support::Place;

const REST: &str = r#"
[protocol]
name = "visits"
version = "1"

[[task]]
name = "t"
shape = "scalar"

[scores]
error = "scaled"
weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
mae_weight = 0.5
rmse_weight = 0.5
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#;

const FIELDS: &str = r#"
[[field]]
name = "weight (kg)"
alias = "weight"
unit = "kg"

[[field]]
name = "beds"
kind = "integer"
limit = [0, 2]

[[field]]
name = "ward"
kind = "text"

[[field]]
name = "day"
kind = "date"

[[field]]
name = "drugs"
kind = "list"
of = "text"
"#;

fn samples() -> Vec<String> {
    let sample = |n: u32| {
        let drugs: Vec<String> = (0..n % 4 + 1).map(|k| format!("drug{k}")).collect();
        let ward = if n.is_multiple_of(2) {
            "north"
        } else {
            "south"
        };
        let gold = json!({"weight (kg)": 50.0 + f64::from(n % 40), "beds": n % 7, "ward": ward,
            "day": format!("2024-03-{:02}", n % 28 + 1), "drugs": drugs});
        json!({"sample_id": format!("s{n}"), "task_id": "t", "gold": gold}).to_string()
    };
    (0..200).map(sample).collect()
}

#[test]
fn what_the_gold_suggests_can_be_pasted() {
    let place = Place::new();
    place.write("mine.toml", format!("{REST}{FIELDS}"));
    place.write_lines("s.jsonl", &samples());
    let calibrate = "calibrate --samples s.jsonl --protocol";
    let fitted = place
        .judica(&format!("{calibrate} mine.toml --fit"))
        .exits(0)
        .stdout;
    for words in [
        "unit = \"kg\"",
        "limit = [46.0, 93.0]",
        "limit = [0.0, 7.0]",
        "jump = ",
        "min_length = 4",
        "# values = [\"north\", \"south\"]",
        "earliest = \"2024-02-",
        "latest = \"2024-03-31\"",
        "min_items = 1",
        "max_items = 5",
        "0.1 % and 99.9 %",
        "10 %",
    ] {
        assert!(fitted.contains(words), "{words}\n{fitted}");
    }
    place.write("fitted.toml", format!("{REST}\n{fitted}"));
    place.judica("rules --protocol fitted.toml").exits(0);
    // The truth does not break what was learnt from it.
    place.judica(&format!("{calibrate} fitted.toml")).exits(0);
    let again = place
        .judica(&format!("{calibrate} fitted.toml --fit"))
        .exits(0)
        .stdout;
    assert_eq!(again, fitted);
    let wide = format!("{calibrate} mine.toml --fit --quantile 0 --margin 1");
    place
        .judica(&wide)
        .exits(0)
        .says(&["limit = [10.0, 130.0]"]);
}

#[test]
fn gold_beyond_the_bounds_there_are_is_learnt_from_or_told() {
    let place = Place::new();
    let fields = r#"
[[field]]
name = "t"
kind = "text"
min_length = 3
[[field]]
name = "xs"
kind = "list"
of = "linear"
limit = [0, 1]
max_items = 1
[[field]]
name = "d"
kind = "date"
earliest = "2024-06-01"
[[field]]
name = "e"
kind = "enum"
values = ["a", "b"]
[[field]]
name = "ns"
kind = "list"
of = "text"
"#;
    place.write("mine.toml", format!("{REST}{fields}"));
    let sample = |n: usize| {
        let (text, choice) = [("a\nb", "a"), ("\"c\"", "c")][n % 2];
        let gold =
            json!({"t": text, "xs": [0, 7], "d": "2024-01-01", "e": choice, "ns": ["x", null]});
        json!({"id": n, "task": "t", "gold": gold}).to_string()
    };
    place.write_lines("s.jsonl", &(0..10).map(sample).collect::<Vec<_>>());
    let calibrate = "calibrate --samples s.jsonl --protocol";
    let fitted = place
        .judica(&format!("{calibrate} mine.toml --fit --margin 0"))
        .exits(0)
        .stdout;
    for words in [
        "min_length = 3\nmax_length = 3",
        "# values = [\"\\\"c\\\"\", \"a\\nb\"]",
        "limit = [0.0, 7.0]",
        "min_items = 2\nmax_items = 2",
        "earliest = \"2024-01-01\"\nlatest = \"2024-01-01\"",
        "# not learnt from: e: 5 × invalid_value (first in sample 1: \"c\")",
        "# not learnt from: ns: 10 × invalid_value (first in sample 0: [1]: null)",
    ] {
        assert!(fitted.contains(words), "{words}\n{fitted}");
    }
    assert!(!fitted.contains("nullable"), "{fitted}");
    place.write("fitted.toml", format!("{REST}\n{fitted}"));
    place.judica("rules --protocol fitted.toml").exits(0);
}

#[test]
fn a_limit_stays_without_a_margin_only_where_the_gold_keeps_it() {
    let place = Place::new();
    let fields = "
[[field]]
name = \"kept\"
limit = [0, 9]
[[field]]
name = \"broken\"
limit = [-10, -9]
[[field]]
name = \"turned\"
kind = \"angle\"
limit = [0, 90]
";
    place.write("mine.toml", format!("{REST}{fields}"));
    let gold = r#"{"id":"a","task":"t","gold":{"kept":8.25,"broken":8.25,"turned":400}}"#;
    place.write_lines("s.jsonl", &[gold]);
    let fitted = place
        .judica("calibrate --samples s.jsonl --protocol mine.toml --fit --margin 0")
        .exits(0)
        .stdout;
    let limits: Vec<&str> = fitted
        .lines()
        .filter(|line| line.contains("limit"))
        .collect();
    assert_eq!(
        limits,
        [
            "# limit: as it was without a margin, as all are alike",
            "limit = [0.0, 9.0]",
            "# limit: none without a margin, as all are alike",
            "# limit: 1 directions",
        ]
    );
}

#[test]
fn bounds_stay_within_what_a_protocol_can_hold() {
    let place = Place::new();
    let fields = "
[[field]]
name = \"until\"
kind = \"date\"
[[field]]
name = \"seen\"
kind = \"datetime\"
[[field]]
name = \"n\"
";
    place.write("mine.toml", format!("{REST}{fields}"));
    let sample = |id: &str, year: &str, n: f64| {
        let gold =
            json!({"until": format!("{year}-12-31"), "seen": format!("{year}-12-31"), "n": n});
        json!({"id": id, "task": "t", "gold": gold}).to_string()
    };
    place.write_lines(
        "s.jsonl",
        &[sample("a", "0001", -1.7e308), sample("b", "9999", 1.7e308)],
    );
    for margin in ["0", "0.1", "10"] {
        let fit = format!(
            "calibrate --samples s.jsonl --protocol mine.toml --fit --quantile 0 --margin {margin}"
        );
        let fitted = place.judica(&fit).exits(0).stdout;
        place.write("fitted.toml", format!("{REST}\n{fitted}"));
        place.judica("rules --protocol fitted.toml").exits(0);
        place
            .judica("calibrate --samples s.jsonl --protocol fitted.toml")
            .exits(0);
    }
}

#[test]
fn nothing_is_learnt_without_gold() {
    let place = Place::new();
    place.write("mine.toml", format!("{REST}{FIELDS}"));
    place.write_lines("s.jsonl", &[r#"{"sample_id":"a","task_id":"t"}"#]);
    let ran = place
        .judica("calibrate --samples s.jsonl --protocol mine.toml --fit")
        .exits(2);
    assert!(ran.stdout.is_empty());
    let odd = "calibrate --samples s.jsonl --protocol mine.toml --quantile 0.1";
    place.judica(odd).exits(2).complains(&["--fit"]);
}

#[test]
fn from_a_schema_to_a_leaderboard() {
    let place = Place::new();
    let schema = json!({"title": "CalendarEvent", "type": "object", "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "date": {"type": "string", "format": "date"},
            "participants": {"type": "array", "items": {"type": "object", "properties": {
                "who": {"type": "string"}, "role": {"type": "string", "enum": ["host", "guest"]}},
                "required": ["who", "role"], "additionalProperties": false}},
            "seats": {"type": "integer", "minimum": 1}
        }, "required": ["name", "date", "participants", "seats"]});
    place.write("event.json", schema.to_string());
    let made = place
        .judica("rules --from-schema event.json")
        .exits(0)
        .stdout;
    place.write("my.toml", made);
    let gold = json!({"name": "Fair", "date": "2024-05-01", "participants": [{"who": "Ann", "role": "host"}], "seats": 3});
    place.write_lines(
        "s.jsonl",
        &[json!({"id": "1", "task": "answer", "gold": gold}).to_string()],
    );
    let mut odd = gold.clone();
    odd["seats"] = json!(0);
    odd["more"] = json!(1);
    let output = |model: &str, response: &serde_json::Value| {
        json!({"id": "1", "model": model, "response": response.to_string()}).to_string()
    };
    place.write_lines("o.jsonl", &[output("good", &gold), output("odd", &odd)]);
    place
        .judica(
            "eval --protocol my.toml --samples s.jsonl --outputs o.jsonl --out run --records jsonl",
        )
        .exits(0)
        .says(&["good", "odd"]);
    let records = place.json_lines("run/records.jsonl");
    assert_eq!(records[0]["agent_output"]["adjudication"], "eligible");
    assert_eq!(records[0]["optional_scores"]["total_score"], 100.0);
    let reasons = records[1]["agent_output"]["attribution"].to_string();
    assert!(
        reasons.contains("schema.seats_minimum") && reasons.contains("extra_keys"),
        "{reasons}"
    );
    for wrong in ["[1", "{\"type\": \"array\"}", ""] {
        place.write("wrong.json", wrong);
        let ran = place.judica("rules --from-schema wrong.json").exits(2);
        assert!(ran.stdout.is_empty());
    }
}
