//! Every way in which rows can come.

use serde_json::{Value, json};

use crate::data::{SCORE, act, click, place, row, scored, two};
use crate::support::{Place, gzip, zstd};

/// The metrics of a run whose inputs have these names.
#[track_caller]
fn metrics(place: &Place, episodes: &str, predictions: &str) -> Value {
    let line = SCORE
        .replace("e.jsonl", episodes)
        .replace("p.jsonl", predictions);
    place.judica(&format!("{line} --mode coord")).exits(0);
    place.json("out/eval.json")["metrics"].clone()
}

#[test]
fn packed_or_not_with_a_mark_or_other_line_ends() {
    let place = two();
    let expected = metrics(&place, "e.jsonl", "p.jsonl");
    let (episodes, predictions) = (place.read("e.jsonl"), place.read("p.jsonl"));
    let dos = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\n', "\r\n");
    let marked = |bytes: &[u8]| [b"\xef\xbb\xbf", bytes].concat();
    let list = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        format!("[{}]", text.trim().replace('\n', ",\n"))
    };
    place.write("e.jsonl.gz", gzip(&episodes));
    place.write("p.jsonl.gz", gzip(&predictions));
    place.write("e.jsonl.zst", zstd(&episodes));
    place.write("p.jsonl.zst", zstd(&predictions));
    place.write("e-dos.jsonl", dos(&episodes));
    place.write("p-dos.jsonl", dos(&predictions));
    place.write("e-bom.jsonl", marked(&episodes));
    place.write("p-bom.jsonl", marked(&predictions));
    place.write("e.json", list(&episodes));
    place.write("p.json", list(&predictions));
    for (episodes, predictions) in [
        ("e.jsonl.gz", "p.jsonl.gz"),
        ("e.jsonl.zst", "p.jsonl.zst"),
        ("e-dos.jsonl", "p-dos.jsonl"),
        ("e-bom.jsonl", "p-bom.jsonl"),
        ("e.json", "p.json"),
        ("e.json", "p.jsonl.zst"),
    ] {
        let found = metrics(&place, episodes, predictions);
        assert_eq!(found, expected, "{episodes} {predictions}");
    }
    // Nothing that was unpacked on the way stays.
    assert_eq!(place.names("out"), ["eval.json"]);
}

#[test]
fn either_may_come_from_standard_input() {
    let place = two();
    let expected = metrics(&place, "e.jsonl", "p.jsonl");
    for name in ["e.jsonl", "p.jsonl"] {
        let line = format!("{} --mode coord", SCORE.replace(name, "-"));
        place.judica_with_stdin(&line, place.read(name)).exits(0);
        assert_eq!(place.json("out/eval.json")["metrics"], expected, "{name}");
        assert_eq!(place.names("out"), ["eval.json"]);
    }
    let both = SCORE.replace("e.jsonl", "-").replace("p.jsonl", "-");
    place
        .judica(&format!("{both} --mode coord"))
        .exits(2)
        .complains(&["standard input"]);
}

#[test]
fn whole_episodes_and_single_steps_say_the_same() {
    let place = two();
    let expected = scored(&place, "--mode coord");
    let rows = place.json_lines("p.jsonl");
    let mut single = Vec::new();
    for row in &rows {
        for (at, step) in row["steps"].as_array().expect("steps").iter().enumerate() {
            let mut step = step.clone();
            step["episode_id"] = row["episode_id"].clone();
            step["step_index"] = json!(at);
            single.push(step.to_string());
        }
    }
    // Whatever their order.
    single.reverse();
    place.write_lines("p.jsonl", &single);
    let found = scored(&place, "--mode coord");
    assert_eq!(found["metrics"], expected["metrics"]);
    assert_eq!(found["counts"], expected["counts"]);
    assert_eq!(found["inputs"]["predictions"]["records"], single.len());
}

#[test]
fn targets_in_every_form_are_the_same_targets() {
    let forms = [
        json!({"type": "click", "x": 0.2, "y": 0.2, "bbox": [0.125, 0.125, 0.375, 0.375]}),
        json!({"type": "click", "normalized_coordinates": [0.2, 0.2],
               "element": {"bounds": {"x": 0.125, "y": 0.125, "width": 0.25, "height": 0.25}}}),
    ];
    let mut found = Vec::new();
    for gold in &forms {
        for predicted in [
            click(0.375, 0.2),
            json!({"type": "click", "normalized_coordinates": [0.375, 0.2]}),
        ] {
            let place = place(
                &[row("a", std::slice::from_ref(gold))],
                &[row("a", &[predicted])],
            );
            found.push(scored(&place, "--mode coord")["metrics"].clone());
        }
    }
    assert_eq!(found[0]["bbox_hit_rate"], 1.0);
    assert!(found.iter().all(|metrics| *metrics == found[0]));
}

#[test]
fn names_of_episodes_may_be_numbers() {
    let place = Place::new();
    place.write_lines(
        "e.jsonl",
        &[r#"{"episode_id": 7, "steps": [{"action": {"type": "x"}}]}"#],
    );
    place.write_lines("p.jsonl", &[row("7", &[act("x")]).to_string()]);
    assert_eq!(
        scored(&place, "--mode coord")["metrics"]["action_type_accuracy"],
        1.0
    );
}
