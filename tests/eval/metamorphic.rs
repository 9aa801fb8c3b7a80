//! Changes of the input whose effect is known without knowing the result.

use std::collections::BTreeMap;

use crate::support::flight::{tiny_outputs, tiny_samples};
use crate::support::{Place, STAMP, placeless};

fn synthetic() -> Place {
    let place = Place::new();
    place
        .judica("synth flight --samples 60 --models 5 --seed 9 --out data")
        .exits(0);
    place
}

fn eval(place: &Place, outputs: &str, out: &str) {
    place
        .judica(&format!(
            "eval --protocol flight --samples data/samples.jsonl {outputs} --out {out} --records jsonl --timestamp {STAMP}"
        ))
        .exits(0);
}

/// The lines of each model in their order.
fn by_model(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut models: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        // Records are large; parsing them all would take most of the time.
        let model = line
            .split("\"model_name\":\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        models
            .entry(model.expect("a model").to_owned())
            .or_default()
            .push(line.to_owned());
    }
    models
}

#[test]
fn the_order_of_models_does_not_touch_a_models_own_records() {
    let place = synthetic();
    eval(&place, "--outputs data/outputs.jsonl", "run");
    let expected = by_model(&placeless(&place.text("run/records.jsonl")));
    assert_eq!(expected.len(), 5);
    let outputs = by_model(&place.text("data/outputs.jsonl"));
    let longest = outputs.values().map(Vec::len).max().unwrap_or(0);
    let reversed: Vec<&String> = outputs.values().rev().flatten().collect();
    let in_turn: Vec<&String> = (0..longest)
        .flat_map(|index| outputs.values().filter_map(move |lines| lines.get(index)))
        .collect();
    let alone: Vec<&String> = outputs["noisy-1"].iter().collect();
    for (name, lines) in [
        ("reversed", reversed),
        ("in_turn", in_turn),
        ("alone", alone),
    ] {
        place.write_lines("o.jsonl", &lines);
        eval(&place, "--outputs o.jsonl", name);
        let found = by_model(&placeless(&place.text(&format!("{name}/records.jsonl"))));
        assert!(!found.is_empty());
        for (model, records) in found {
            assert!(
                records == expected[&model],
                "{name}: records of {model} changed"
            );
        }
    }
}

#[test]
fn two_files_are_as_good_as_one() {
    let place = synthetic();
    eval(&place, "--outputs data/outputs.jsonl", "one");
    let text = place.text("data/outputs.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    // Cut inside a model, whose history must go on in the second file.
    let (head, tail) = lines.split_at(85);
    place.write_lines("a.jsonl", head);
    place.write_lines("b.jsonl", tail);
    eval(&place, "--outputs a.jsonl --outputs b.jsonl", "two");
    let records = |run: &str| placeless(&place.text(&format!("{run}/records.jsonl")));
    assert!(records("one") == records("two"));
    let summary = |run: &str| place.json(&format!("{run}/report.json"));
    assert_eq!(summary("one"), summary("two"));
}

#[test]
fn an_output_repeated_in_a_second_file_is_refused_there() {
    let place = Place::new();
    place.write_lines("data/samples.jsonl", &tiny_samples());
    place.write_lines("a.jsonl", &tiny_outputs());
    place.write_lines("b.jsonl", &tiny_outputs()[..1]);
    eval(&place, "--outputs a.jsonl --outputs b.jsonl", "run");
    let rejects = place.json_lines("run/rejects.jsonl");
    assert_eq!(rejects.len(), 1);
    assert_eq!(rejects[0]["file"], "b.jsonl");
    assert_eq!(rejects[0]["line"], 1);
    assert_eq!(rejects[0]["byte_offset"], 0);
    assert_eq!(rejects[0]["reason"], "duplicate_output");
}

#[test]
fn the_order_of_samples_changes_no_record() {
    let place = synthetic();
    eval(&place, "--outputs data/outputs.jsonl", "run");
    let text = place.text("data/samples.jsonl");
    let lines: Vec<&str> = text.lines().rev().collect();
    place.write_lines("data/samples.jsonl", &lines);
    eval(&place, "--outputs data/outputs.jsonl", "again");
    assert!(place.read("run/records.jsonl") == place.read("again/records.jsonl"));
}
