//! Every line is the JSON that the evaluator reads, whatever the options.

mod support;

use judica_synth::{Domain, PERSONALITIES, SynthOptions, model_name, write_outputs, write_samples};
use proptest::prelude::*;
use serde_json::Value;
use support::{options, outputs, rows, samples};

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn a_sample_has_the_keys_of_the_contract() {
    let all = rows(&samples(Domain::Flight, &options(7, 1, 1)));
    let ids: Vec<_> = all.iter().map(|row| row["sample_id"].as_str()).collect();
    let expected = [
        "S1_000000",
        "S1_000001",
        "S1_000002",
        "M1_000000",
        "M1_000001",
        "M3_000000",
        "M3_000001",
    ];
    assert_eq!(ids, expected.map(Some));
    for row in &all {
        assert_eq!(keys(row), ["sample_id", "task_id", "context", "gold"]);
        let context = ["question", "current_state", "record_idx"];
        assert_eq!(keys(&row["context"]), context);
    }
    assert_eq!(keys(&all[0]["gold"]), ["next_second", "available"]);
    assert_eq!(keys(&all[6]["gold"]), ["T+1", "available"]);
    assert_eq!(all[6]["context"]["record_idx"], 1);
    let roll = &all[6]["gold"]["T+1"]["Roll (deg)"];
    assert_eq!(roll.as_array().map(Vec::len), Some(3));
    let state = &all[0]["context"]["current_state"];
    assert_eq!(keys(state), support::FLIGHT.map(|spec| spec.0));
}

#[test]
fn an_output_has_the_keys_of_the_contract() {
    let all = rows(&outputs(Domain::Battery, &options(4, 2, 1)));
    for row in &all {
        let expected = [
            "model_name",
            "sample_id",
            "task_id",
            "timestamp",
            "raw_response_text",
        ];
        assert_eq!(keys(row), expected);
    }
    assert_eq!(all[5]["model_name"], "noisy-1");
    assert_eq!(all[5]["sample_id"], "NEXT_000001");
    assert_eq!(all[5]["timestamp"], "2025-01-01T00:00:01Z");
    assert_eq!(all[7]["task_id"], "H5");
    let text = all[2]["raw_response_text"].as_str().expect("text");
    let reply: Value = serde_json::from_str(text).expect("the accurate model writes JSON");
    let volts = &reply["Pack Voltage (V)"];
    assert_eq!(volts.as_array().map(Vec::len), Some(5));
}

#[test]
fn models_take_turns_and_are_numbered() {
    let names: Vec<String> = (0..11).map(model_name).collect();
    assert_eq!(names[3], "format-breaking-1");
    assert_eq!(names[10], "accurate-3");
    for domain in Domain::ALL {
        assert_eq!(domain.personalities().len(), PERSONALITIES.len());
        for (personality, name) in domain.personalities().iter().zip(&names) {
            assert!(name.starts_with(personality.name));
            assert!(personality.describe.ends_with('.'));
        }
    }
}

#[test]
fn injections_are_data_of_one_or_two_replies() {
    for domain in Domain::ALL {
        let all = rows(&outputs(domain, &options(600, 5, 1)));
        let loud: Vec<_> = all
            .iter()
            .filter(|row| {
                row["raw_response_text"]
                    .as_str()
                    .is_some_and(|t| t.contains("ignore the checks"))
            })
            .collect();
        assert_eq!(loud.len(), 2);
        assert!(loud.iter().all(|row| row["model_name"] == "noisy-1"));
    }
}

#[test]
fn an_unknown_task_is_named() {
    let wrong = SynthOptions {
        tasks: vec!["S2".into()],
        ..options(1, 1, 1)
    };
    let error = write_samples(Domain::Flight, &wrong, &mut Vec::new()).expect_err("no such task");
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert!(
        error
            .to_string()
            .contains("\"S2\": expected one of S1, M1, M3")
    );
}

#[test]
fn a_domain_is_found_by_name() {
    for domain in Domain::ALL {
        assert_eq!(domain.name().parse(), Ok(domain));
    }
    assert!("fligth".parse::<Domain>().is_err());
}

/// The fields of the generator are the fields of the protocol file, in its order.
#[test]
fn protocol_files_have_the_same_fields() {
    for (domain, file) in [
        (
            Domain::Flight,
            include_str!("../../judica-verify/protocols/flight.toml"),
        ),
        (
            Domain::Battery,
            include_str!("../../judica-verify/protocols/battery.toml"),
        ),
    ] {
        // Enough of TOML for this: the name that follows each [[field]] header.
        let declared: Vec<&str> = file
            .split("[[field]]\n")
            .skip(1)
            .filter_map(|part| {
                part.lines()
                    .next()?
                    .strip_prefix("name = \"")?
                    .strip_suffix('"')
            })
            .collect();
        let all = rows(&samples(domain, &options(1, 0, 1)));
        assert_eq!(keys(&all[0]["context"]["current_state"]), declared);
        for task in domain.tasks() {
            assert!(file.contains(&format!("[[task]]\nname = \"{task}\"\n")));
        }
    }
}

/// What the documents ask about are the tasks and the fields of their protocol files.
#[test]
fn documents_answer_with_the_fields_of_their_protocol() {
    for (domain, file) in [
        (
            Domain::Extraction,
            include_str!("../../judica-verify/protocols/extraction.toml"),
        ),
        (
            Domain::ToolCall,
            include_str!("../../judica-verify/protocols/tool-call.toml"),
        ),
    ] {
        for task in domain.tasks() {
            assert!(file.contains(&format!("[[task]]\nname = \"{task}\"\n")));
        }
        for row in rows(&samples(domain, &options(200, 0, 1))) {
            assert_eq!(keys(&row["context"]), ["question", "document"]);
            for key in keys(&row["gold"]) {
                let named = format!("name = \"{key}\"");
                let placed = format!("at = \"/{key}");
                assert!(file.contains(&named) || file.contains(&placed), "{key}");
            }
        }
    }
}

/// The text says what the gold says, so that a reader could answer.
#[test]
fn a_document_says_what_its_gold_says() {
    for row in rows(&samples(Domain::Extraction, &options(300, 0, 4))) {
        let (text, gold) = (row["context"]["document"].as_str(), &row["gold"]);
        let text = text.expect("a text");
        for key in ["invoice_number", "vendor", "currency"] {
            assert!(
                text.contains(gold[key].as_str().expect("text")),
                "{key}: {text}"
            );
        }
        assert_eq!(text.contains("due by"), !gold["due"].is_null(), "{text}");
        assert_eq!(text.contains("Priority"), gold.get("priority").is_some());
        let lines = gold["lines"].as_array().expect("lines");
        let sum = |line: &Value| Some(line["quantity"].as_f64()? * line["price"].as_f64()?);
        let total: f64 = lines.iter().filter_map(sum).sum();
        assert!((total - gold["total"].as_f64().expect("a total")).abs() < 1e-6);
    }
    for row in rows(&samples(Domain::ToolCall, &options(300, 0, 4))) {
        let text = row["context"]["document"].as_str().expect("a text");
        for (key, value) in row["gold"]["arguments"].as_object().expect("arguments") {
            let said = match value {
                Value::String(value) => value.split('T').all(|part| text.contains(part)),
                Value::Array(items) => items
                    .iter()
                    .all(|item| item.as_str().is_some_and(|item| text.contains(item))),
                value => text.contains(&value.to_string()),
            };
            assert!(said, "{key}: {value} in {text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counts_hold_and_every_line_parses(
        domain in prop::sample::select(Domain::ALL.to_vec()),
        count in 0u32..40,
        models in 0u32..8,
        seed in any::<u64>(),
        chosen in 0usize..4,
    ) {
        // 0 asks for all tasks, anything else for one of them.
        let tasks = domain.tasks().get(chosen.wrapping_sub(1)).map(|t| (*t).to_owned());
        let options = SynthOptions { tasks: tasks.into_iter().collect(), ..options(count, models, seed) };

        let mut asked = Vec::new();
        prop_assert_eq!(write_samples(domain, &options, &mut asked).unwrap(), u64::from(count));
        let asked = rows(&asked);
        prop_assert_eq!(asked.len(), count as usize);

        let mut told = Vec::new();
        let (mut last, mut bytes) = (0, Vec::new());
        let total = write_outputs(domain, &options, &mut bytes, &mut |n| told.push(n)).unwrap();
        prop_assert_eq!(total, u64::from(count) * u64::from(models));
        prop_assert_eq!(told.last(), Some(&total));
        for n in told {
            prop_assert!(n >= last);
            last = n;
        }
        let answered = rows(&bytes);
        prop_assert_eq!(answered.len() as u64, total);
        // Model after model, each in the order of the samples.
        for (place, row) in answered.iter().enumerate() {
            let sample = &asked[place % asked.len()];
            prop_assert_eq!(&row["sample_id"], &sample["sample_id"]);
            prop_assert_eq!(&row["task_id"], &sample["task_id"]);
            let name = model_name((place / asked.len()) as u32);
            prop_assert_eq!(row["model_name"].as_str(), Some(name.as_str()));
            prop_assert!(row["raw_response_text"].is_string());
        }
    }
}
