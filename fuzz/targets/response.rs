//! What a model wrote, read by protocols of numbers and of other things.

use std::sync::LazyLock;

use judica_run::rows::{Rows, Scratch};
use judica_verify::memory::{Compiled, Defaults};
use judica_verify::protocol::load::parse;
use judica_verify::samples::Samples;
use serde_json::{Map, Value, json};

/// A protocol, its samples, and the id of the one that is answered.
type Asked = (Compiled, Samples, &'static str);

static ASKED: LazyLock<[Asked; 2]> = LazyLock::new(|| {
    let asked = |protocol: &str, samples: &str, id| {
        let compiled = Compiled::new(parse(protocol, "fuzzed").expect("valid")).expect("valid");
        let lines: Vec<&str> = samples.lines().collect();
        let (samples, refused) = compiled.samples(&lines, None);
        assert!(refused.is_empty());
        (compiled, samples, id)
    };
    [
        asked(
            include_str!("../../docs/examples/weather/weather.toml"),
            include_str!("../../docs/examples/weather/samples.jsonl"),
            "mon-06",
        ),
        asked(
            include_str!("../../protocols/extraction.toml"),
            include_str!("../../docs/examples/extraction/samples.jsonl"),
            "a",
        ),
    ]
});

/// A response is one record, whatever it is. An object is read, as text, as JSON and within
/// other text, with the same scores; where there is no brace there is no object.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // Nested less deep than what a line or a response may have around it.
    let object: Option<Map<String, Value>> = serde_json::from_str(&text).ok();
    let object = object.filter(|_| !nests_over(&text, 100));
    for asked in &*ASKED {
        let plain = evaluated(asked, json!(text));
        if object.is_some() {
            assert!(plain.read, "an object is not read");
            assert_eq!(evaluated(asked, json!(format!("It is {text}."))), plain);
            let row = format!(r#"{{"id":"{}","response":{text}}}"#, asked.2);
            assert_eq!(evaluated_row(asked, row), plain);
        } else if !text.contains('{') {
            assert!(!plain.read, "an object was made up");
        }
    }
}

fn nests_over(text: &str, most: usize) -> bool {
    text.matches(['{', '[']).count() > most
}

#[derive(Debug, PartialEq)]
struct Told {
    read: bool,
    score: Option<f64>,
    decision: Option<String>,
    evidence: Vec<String>,
}

fn evaluated(asked: &Asked, response: Value) -> Told {
    evaluated_row(
        asked,
        json!({"id": asked.2, "response": response}).to_string(),
    )
}

fn evaluated_row((compiled, samples, _): &Asked, row: String) -> Told {
    let defaults = Defaults {
        model: Some("m"),
        ..Defaults::default()
    };
    let made = compiled
        .evaluate(samples, &[row], defaults)
        .expect("evaluated");
    assert_eq!((made.records.num_rows(), made.rejects.len()), (1, 0));
    let (records, mut scratch) = (Rows::new(&made.records), Scratch::default());
    let record = records.get(0, &mut scratch);
    let rules = record.evidence.iter().map(|atom| atom.rule);
    let failed = ["protocol.parse_failure", "protocol.api_error"];
    Told {
        read: !rules.clone().any(|rule| failed.contains(&rule)),
        score: record.score,
        decision: record.decision.map(str::to_owned),
        evidence: record
            .evidence
            .iter()
            .map(|atom| format!("{atom:?}"))
            .collect(),
    }
}
