//! Whatever a model says becomes a record.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::support::flight::{EVAL, answer, sample};
use crate::support::{Place, raw_bytes};

/// Text that comes close to being JSON, and text that does not.
fn response() -> impl Strategy<Value = String> {
    let fragments = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\ud800",
        "```",
        "```json\n",
        "\n",
        "NaN",
        "-Infinity",
        "1e999",
        "-",
        "0",
        "\"Pitch (deg)\"",
        "{\"Pitch (deg)\": 1}",
        "null",
        "true",
        "API error",
        " ",
        "\u{0}",
        "\u{feff}",
        "é",
        "\u{1f6e9}",
    ]);
    let close = vec(fragments, 0..40).prop_map(|parts| parts.concat());
    prop_oneof![2 => close, 1 => any::<String>()]
}

proptest! {
    // Each case is a run of the program over many responses.
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_record(responses in vec(response(), 150)) {
        let place = Place::new();
        let ids: Vec<String> = (0..responses.len()).map(|index| format!("s{index}")).collect();
        place.write_lines("s.jsonl", &ids.iter().map(|id| sample(id, "S1")).collect::<Vec<_>>());
        let outputs: Vec<String> = ids.iter().zip(&responses).map(|(id, text)| answer("m", id, text)).collect();
        place.write_lines("o.jsonl", &outputs);
        place.judica(&format!("{EVAL} --records both")).exits(0)
            .says(&["inputs 150 = records 150 + rejects 0"]);
        let records = place.text("run/records.jsonl");
        prop_assert_eq!(records.lines().count(), 150);
        // What went through the table comes out the same, odd characters and all.
        let exported = place.judica("export run --format jsonl").exits(0).stdout;
        prop_assert!(exported == records);
    }

    #[test]
    fn any_bytes_are_a_record_or_a_reject(responses in vec(vec(any::<u8>(), 0..60), 100)) {
        let place = Place::new();
        place.write("s.jsonl", sample("x", "S1"));
        let mut bytes = Vec::new();
        let mut lines = Vec::new();
        for (index, response) in responses.iter().enumerate() {
            // Newlines would end the line; all else stands in it raw.
            let body: Vec<u8> = response.iter().copied().filter(|byte| *byte != b'\n').collect();
            let head = json!({"model_name": format!("m{index}"), "sample_id": "x"}).to_string();
            let head = head.trim_end_matches('}');
            let line = [head.as_bytes(), b", \"raw_response_text\": \"", &body, b"\"}"].concat();
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
            lines.push(line);
        }
        place.write("o.jsonl", bytes);
        // At least one output can be used.
        let last = json!({"model_name": "last", "sample_id": "x", "raw_response_text": ""});
        let last = format!("{last}\n").into_bytes();
        let all = [place.read("o.jsonl"), last].concat();
        place.write("o.jsonl", all);
        place.judica(EVAL).exits(0).says(&["inputs 101 = records "]);
        let counts = place.json("run/report.json")["counts"].clone();
        let count = |key: &str| counts[key].as_u64().unwrap_or(0);
        prop_assert_eq!(count("records") + count("rejects"), 101);
        if count("rejects") > 0 {
            for reject in place.json_lines("run/rejects.jsonl") {
                let number = reject["line"].as_u64().unwrap_or(0) as usize;
                prop_assert_eq!(&raw_bytes(&reject), &lines[number - 1]);
            }
        }
    }
}
