//! Fields of every kind, from a protocol file to records, metrics and back.

use serde_json::{Value, json};

use crate::support::{Place, STAMP};

/// A protocol whose object's schema stands in a file beside it.
const ORDERS: &str = r#"
[protocol]
name = "orders"
version = "1"
[parsing]
extra_keys = "warning"
[[task]]
name = "order"
shape = "scalar"
[[field]]
name = "city"
kind = "text"
compare = "text"
[[field]]
name = "when"
alias = "day"
kind = "date"
nullable = true
[[field]]
name = "state"
kind = "enum"
values = ["new", "sent", "paid"]
order = true
[[field]]
name = "sizes"
kind = "list"
of = "integer"
[[field]]
name = "item price"
alias = "price"
at = "/items/*/price"
limit = [0, 100]
[[field]]
name = "options"
kind = "object"
schema = "options.json"
required = false
[[family]]
name = "sense"
[[rule]]
family = "sense"
id = "dear"
value = "sum(price)"
warning_above = 50
critical_above = 500
message = "{value} in all for {price} to {city}, {gold.city} was right"
[scores]
error = "scaled"
weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
mae_weight = 1
rmse_weight = 0
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#;

fn orders() -> Place {
    let place = Place::new();
    place.write("orders.toml", ORDERS);
    place.write(
        "options.json",
        r#"{"type": "object", "properties": {"gift": {"type": "boolean"}}, "additionalProperties": false}"#,
    );
    let gold = json!({"city": "Zürich", "when": null, "state": "new", "sizes": [1, 2],
        "items": [{"price": 10}, {"price": 60}], "options": {"gift": true}});
    let samples: Vec<String> = (0..40)
        .map(|n| json!({"id": format!("s{n}"), "task": "order", "gold": gold}).to_string())
        .collect();
    place.write_lines("s.jsonl", &samples);
    let mut outputs = Vec::new();
    for n in 0..40 {
        let mut answer = gold.clone();
        answer["items"] = json!([{"price": 60}, {"price": 10}]);
        match n % 4 {
            0 => answer["city"] = json!("ZÜRICH "),
            1 => answer["when"] = json!("2024-02-30"),
            2 => answer["state"] = json!("paid"),
            _ => answer["options"] = json!("{\"gift\": 1}"),
        }
        if n % 5 == 0 {
            answer["note"] = json!(n);
        }
        let text = format!("Here you are:\n```json\n{answer}\n```");
        outputs.push(
            json!({"model": format!("m{}", n % 2), "id": format!("s{n}"), "response": text})
                .to_string(),
        );
    }
    place.write_lines("o.jsonl", &outputs);
    place
}

const EVAL: &str = "eval --protocol orders.toml --samples s.jsonl --outputs o.jsonl";

fn record<'a>(records: &'a [Value], sample: &str) -> &'a Value {
    let found = records.iter().find(|record| record["sample_id"] == sample);
    found.expect("a record")
}

#[test]
fn records_tell_of_every_kind() {
    let place = orders();
    place
        .judica(&format!(
            "{EVAL} --out run --records both --timestamp {STAMP}"
        ))
        .exits(0);
    let records = place.json_lines("run/records.jsonl");
    let failed = |sample: &str| -> Vec<(String, String, String)> {
        let atoms = record(&records, sample)["evidence_pack"]["atoms"]
            .as_array()
            .cloned();
        let atoms = atoms.expect("atoms").into_iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        atoms
            .filter(|atom| atom["pass"] == false)
            .map(|atom| {
                (
                    text(&atom["rule"]),
                    text(&atom["field"]),
                    text(&atom["message"]),
                )
            })
            .collect()
    };
    let dear = |sample| {
        let (rule, _, message) = failed(sample).pop().expect("a failure");
        assert_eq!(rule, "sense.dear");
        message
    };
    assert_eq!(
        dear("s0"),
        "70 in all for [60, 10] to ZÜRICH , Zürich was right: above the warning limit of 50"
    );
    let of_s1 = failed("s1");
    assert_eq!(of_s1[0].0, "type_validity.invalid_value");
    assert_eq!(
        of_s1[0].2,
        "when should be a date like 2024-12-31, found \"2024-02-30\""
    );
    let of_s3 = failed("s3");
    assert_eq!(of_s3[0].1, "options");
    assert_eq!(failed("s5")[1].2, "the protocol does not know: note");
    // Errors: all right but for the last step of three in the order of states.
    let scores = &record(&records, "s2")["optional_scores"];
    assert_eq!(scores["compared_values"], 6);
    assert_eq!(scores["mae"], json!(1.0 / 6.0));
    let values = record(&records, "s2")["evidence_pack"]["atoms"]
        .as_array()
        .cloned();
    let shown: Vec<Value> = values
        .expect("atoms")
        .iter()
        .map(|atom| atom["meta"]["observed"].clone())
        .collect();
    assert_eq!(shown[0], "Zürich");
    assert_eq!(shown[1], "paid");
    assert_eq!(shown[2], "[1, 2]");
    assert_eq!(shown[3], "[60, 10]");
    assert_eq!(shown[4], "{\"gift\":true}");

    // What is read back is what was written.
    let shown = place.judica("show run s1 --json").exits(0).stdout;
    let shown: Value = serde_json::from_str(shown.trim()).expect("one record");
    assert_eq!(&shown, record(&records, "s1"));
    // Of all records; what the gold says is null is neither given nor wanted.
    let report = place.judica("show run").exits(0).stdout;
    for (metric, share, n) in [
        ("recall_state", "0.7500", "40"),
        ("precision_state", "0.7500", "40"),
        ("recall_options", "0.7500", "40"),
        ("wholly_right", "0.2500", "40"),
    ] {
        let mut lines = report.lines();
        let line = lines.find(|line| line.contains(metric) && line.contains("all"));
        let line = line.unwrap_or_else(|| panic!("no {metric} in {report}"));
        assert!(line.contains(share) && line.contains(n), "{line}");
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads_in_pieces_and_again() {
    let place = orders();
    for (threads, run) in [(1, "one"), (4, "four")] {
        place
            .judica(&format!(
                "{EVAL} --out {run} --threads {threads} --timestamp {STAMP}"
            ))
            .exits(0);
    }
    for part in ["1/3", "3/3", "2/3"] {
        place
            .judica(&format!(
                "{EVAL} --out parts --part {part} --timestamp {STAMP}"
            ))
            .exits(0);
    }
    place.judica("finish parts").exits(0);
    for file in [
        "records.parquet",
        "failures.parquet",
        "report.json",
        "protocol.toml",
    ] {
        let whole = place.read(&format!("one/{file}"));
        assert!(whole == place.read(&format!("four/{file}")), "{file}");
        assert!(whole == place.read(&format!("parts/{file}")), "{file}");
    }
    // The schema is part of the protocol that the run keeps.
    std::fs::remove_file(place.path("options.json")).expect("removed");
    place.judica("reproduce one").exits(0);
    place.judica("show one s3").exits(0);
}

#[test]
fn a_schema_that_is_not_there_is_told_of() {
    let place = orders();
    std::fs::remove_file(place.path("options.json")).expect("removed");
    place
        .judica(&format!("{EVAL} --out run"))
        .exits(2)
        .complains(&[
            "`options.json` is no JSON file that can be read",
            "beside the protocol",
        ]);
}

#[test]
fn numbers_of_other_places_stand_in_messages() {
    let place = Place::new();
    place.write(
        "tank.toml",
        r#"
[protocol]
name = "tank"
version = "1"
[[task]]
name = "two"
shape = "array"
horizon = 2
[[field]]
name = "Level"
alias = "level"
limit = [0, 10]
[[family]]
name = "sense"
[[rule]]
family = "sense"
id = "far"
value = "level - level[-1]"
warning_above = 1
critical_above = 100
message = "{level} after {level[-1]}, {gold.level} was right"
[scores]
weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
mae_weight = 0.6
rmse_weight = 0.4
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#,
    );
    place.write(
        "s.jsonl",
        r#"{"id": "a", "task": "two", "gold": {"Level": [1, 2]}}"#,
    );
    place.write(
        "o.jsonl",
        r#"{"model": "m", "id": "a", "response": "{\"Level\": [1.5, 4]}"}"#,
    );
    place
        .judica("eval --protocol tank.toml --samples s.jsonl --outputs o.jsonl --out run")
        .exits(0);
    place
        .judica("show run a")
        .exits(0)
        .says(&["4 after 1.5, 2 was right"]);
}
