//! Random responses for property tests: nearly right, badly wrong and everything
//! between.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::test_support::{FLIGHT, good, sample, state};

/// Six samples, two of each task, half of them with gold.
pub fn samples() -> Vec<Value> {
    let gold = |task: &str, id: &str| {
        let truth = state(task, &[]);
        json!({"sample_id": id, "task_id": task, "gold": {"next_second": truth, "available": true}})
    };
    vec![
        gold("S1", "a"),
        sample("b", "S1"),
        gold("M1", "c"),
        sample("d", "M1"),
        gold("M3", "e"),
        sample("f \u{1f6e9} \"quoted\"", "M3"),
    ]
}

const SAMPLE_IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f \u{1f6e9} \"quoted\""];

/// A JSON token as a model might write a value.
fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (-20_000i32..20_000).prop_map(|n| n.to_string()),
        4 => (-20_000f64..20_000.0).prop_map(|n| json!(n).to_string()),
        2 => any::<f64>().prop_map(|n| json!(n).to_string()),
        2 => prop::sample::select(vec![
            "0", "-0.0", "0.1", "1e308", "-1e308", "5e-324", "90", "180", "360", "1e999", "NaN", "Infinity",
            "-Infinity", "null", "true", "false", "\"\"", "\" 5. \"", "\".5\"", "\"abc\"", "\"1e3\"", "[]", "{}",
            "[1]", "[1,2,3]", "[1,null,3]", "[1,2,3,4]", "[1e308,-1e308,0]", "[NaN,1,2]", "\"\\u00e9\\ud83d\\ude00\"",
            "\"Infinity\"", "{\"a\":[{}]}",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>().prop_map(|text| json!(text).to_string()),
    ]
}

fn array() -> impl Strategy<Value = String> {
    prop::collection::vec(token(), 0..5).prop_map(|tokens| format!("[{}]", tokens.join(",")))
}

/// An object near the flawless state: some fields changed, some left out.
fn object(task: &'static str) -> impl Strategy<Value = String> {
    let edit = (
        0..FLIGHT.fields.len(),
        prop_oneof![3 => token().boxed(), 2 => array().boxed()],
        any::<bool>(),
    );
    prop::collection::vec(edit, 0..6).prop_map(move |edits| {
        let mut pairs: Vec<(String, String)> = good(task)
            .into_iter()
            .map(|(name, value)| (json!(name).to_string(), value.to_string()))
            .collect();
        for (field, value, keep) in edits {
            let name = json!(FLIGHT.fields[field].name).to_string();
            match pairs.iter().position(|(known, _)| *known == name) {
                Some(at) if keep => pairs[at].1 = value,
                Some(at) => drop(pairs.remove(at)),
                None => pairs.push((name, value)),
            }
        }
        let pairs: Vec<String> = pairs
            .into_iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        format!("{{{}}}", pairs.join(", "))
    })
}

/// The text of a response.
pub fn response() -> impl Strategy<Value = String> {
    let objects = || prop_oneof![object("S1"), object("M3")];
    prop_oneof![
        6 => objects(),
        1 => objects().prop_map(|text| format!("Sure!\n```json\n{text}\n```\nDone.")),
        1 => objects().prop_map(|text| format!("The answer {{is}} {text} I think.")),
        1 => any::<String>(),
        1 => "[\\{\\}\\[\\]\",:a0. `\n-]{0,40}",
        1 => prop::sample::select(vec!["", " ", "HTTP error 500", "Rate Limit Exceeded", "{", "{}", "null"])
            .prop_map(str::to_owned),
    ]
}

/// An output line: any of three models, any of the samples, the response as text.
pub fn line() -> impl Strategy<Value = String> {
    let model = prop::sample::select(vec!["alpha", "beta \u{3b2}", "gamma \"3\""]);
    (model, prop::sample::select(SAMPLE_IDS.to_vec()), response()).prop_map(
        |(model, sample, response)| {
            json!({"model_name": model, "sample_id": sample, "raw_response_text": response})
                .to_string()
        },
    )
}

/// Output lines, most of which become records.
pub fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop_oneof![12 => line().boxed(), 1 => "[a-z{}\":]{1,20}".boxed()],
        0..most,
    )
}
