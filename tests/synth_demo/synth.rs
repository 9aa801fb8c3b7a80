//! Synthetic data: the same options, the same bytes.

use serde_json::Value;

use crate::support::Place;

const PERSONALITIES: [&str; 5] = [
    "accurate",
    "noisy",
    "unsafe",
    "format-breaking",
    "rate-limited",
];

#[test]
fn the_same_options_give_the_same_bytes() {
    let place = Place::new();
    for domain in ["flight", "battery", "extraction", "tool-call"] {
        let synth = |seed: u32, out: &str| {
            place
                .judica(&format!(
                    "synth {domain} --samples 20 --models 5 --seed {seed} --out {out}"
                ))
                .exits(0);
            place.files(out)
        };
        let first = synth(1, "a");
        assert_eq!(
            first.keys().collect::<Vec<_>>(),
            ["confidence.json", "outputs.jsonl", "samples.jsonl"]
        );
        assert!(synth(1, "b") == first);
        let other = synth(2, "c");
        assert!(
            other["samples.jsonl"] != first["samples.jsonl"]
                && other["outputs.jsonl"] != first["outputs.jsonl"]
        );
    }
}

#[test]
fn every_model_answers_every_sample_and_shows_its_personality() {
    let place = Place::new();
    place
        .judica("synth flight --samples 30 --models 6 --out data")
        .exits(0)
        .says(&["30 samples and 180 outputs", "judica eval"]);
    assert_eq!(place.json_lines("data/samples.jsonl").len(), 30);
    let outputs = place.json_lines("data/outputs.jsonl");
    assert_eq!(outputs.len(), 180);
    let mut models: Vec<&str> = outputs
        .iter()
        .filter_map(|output| output["model_name"].as_str())
        .collect();
    models.dedup();
    assert_eq!(models.len(), 6);
    for personality in PERSONALITIES {
        assert!(
            models.iter().any(|model| model.starts_with(personality)),
            "{personality}"
        );
    }
    let confidence = place.json("data/confidence.json");
    assert_eq!(confidence.as_array().map(Vec::len), Some(6));
}

#[test]
fn more_models_leave_the_earlier_ones_as_they_were() {
    let place = Place::new();
    place
        .judica("synth flight --samples 15 --models 5 --out few")
        .exits(0);
    place
        .judica("synth flight --samples 15 --models 7 --out many")
        .exits(0);
    assert!(place.read("few/samples.jsonl") == place.read("many/samples.jsonl"));
    let of = |folder: &str, model: &str| -> Vec<Value> {
        let outputs = place.json_lines(&format!("{folder}/outputs.jsonl"));
        outputs
            .into_iter()
            .filter(|output| output["model_name"] == model)
            .collect()
    };
    for model in ["accurate-1", "unsafe-1", "rate-limited-1"] {
        assert_eq!(of("few", model).len(), 15);
        assert_eq!(of("few", model), of("many", model));
    }
}

#[test]
fn only_the_tasks_that_were_asked_for() {
    let place = Place::new();
    place
        .judica("synth flight --samples 12 --models 1 --task M3 --task S1 --out data")
        .exits(0);
    let samples = place.json_lines("data/samples.jsonl");
    assert_eq!(samples.len(), 12);
    assert!(
        samples
            .iter()
            .all(|sample| sample["task_id"] == "M3" || sample["task_id"] == "S1")
    );
    assert!(samples.iter().any(|sample| sample["task_id"] == "M3"));
}

#[test]
fn wrong_names_and_places() {
    let place = Place::new();
    place
        .judica("synth flght --samples 1 --models 1 --out data")
        .exits(2)
        .complains(&["flght", "flight", "battery"]);
    place
        .judica("synth flight --samples 1 --models 1 --task S9 --out data")
        .exits(2)
        .complains(&["S9", "S1, M1, M3"]);
    place.nothing_in("data");
    place
        .judica("synth flight --samples x --models 1 --out data")
        .exits(2)
        .complains(&["--samples"]);
    place.write("file", "");
    place
        .judica("synth flight --samples 1 --models 1 --out file/data")
        .exits(3)
        .complains(&["file/data"]);
}
