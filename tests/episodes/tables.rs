//! Tables in place of JSON lines: the same eval file.

use serde_json::{Value, json};

use crate::data::{SCORE, act, click, place, row};
use crate::support::tables::{Written, arrow, parquet, separated};
use crate::support::{Place, gzip, zstd};

const COORD: &str = "--mode coord";

/// Recorded episodes, and what was predicted, step by step.
fn episodes() -> [Vec<Value>; 2] {
    let recorded = vec![
        row("one", &[click(0.5, 0.5), act("type"), act("done")]),
        row("two", &[click(0.2, 0.2), act("type")]),
    ];
    let step = |name: &str, at: u32, action: Value, more: Value| {
        let mut step = json!({"episode_id": name, "step_index": at, "action": action});
        if more != Value::Null {
            step["state"] = json!({"success": more});
        }
        step
    };
    let predicted = vec![
        step("one", 0, click(0.51, 0.5), Value::Null),
        step("two", 0, click(0.9, 0.9), json!(false)),
        step("one", 1, act("type"), Value::Null),
        step("one", 2, act("done"), json!(true)),
        step("nobody", 0, act("done"), Value::Null),
    ];
    [recorded, predicted]
}

fn score(place: &Place, e: &str, p: &str) -> Value {
    let line = SCORE.replace("e.jsonl", e).replace("p.jsonl", p);
    place.judica(&format!("{line} {COORD}")).exits(0);
    place.json("out/eval.json")
}

#[test]
fn a_column_of_one_input_is_said_of_that_one() {
    let [mut recorded, predicted] = episodes();
    let expected = score(&place(&recorded, &predicted), "e.jsonl", "p.jsonl");
    for row in &mut recorded {
        row["task"] = row["goal"].take();
        row["name"] = row["episode_id"].take();
    }
    let place = crate::data::place(&recorded, &predicted);
    let line = format!("{SCORE} {COORD} --column goal=task");
    // Predictions have no goal, but they have names.
    let both = place.judica(&format!("{line} --column episode_id=name"));
    both.exits(2).complains(&[
        "--column episode_id=name: no row of p.jsonl has it; if only the other input has it: \
         --column episodes.episode_id=name",
    ]);
    place
        .judica(&format!("{line} --column episodes.episode_id=name"))
        .exits(0);
    assert_eq!(place.json("out/eval.json")["metrics"], expected["metrics"]);
}

#[test]
fn every_format_gives_the_same_eval_file() {
    let [recorded, predicted] = episodes();
    let place = place(&recorded, &predicted);
    let expected = score(&place, "e.jsonl", "p.jsonl");
    assert_eq!(expected["metrics"]["num_episodes"], 2, "{expected}");
    let formats: [(&str, Written); 5] = [
        ("x.csv", |rows| separated(rows, ",").into_bytes()),
        ("x.tsv.gz", |rows| gzip(separated(rows, "\t").as_bytes())),
        ("x.csv.zst", |rows| zstd(separated(rows, ";").as_bytes())),
        ("x.parquet", parquet),
        ("x.arrow", arrow),
    ];
    for (name, write) in formats {
        let (e, p) = (format!("e{name}"), format!("p{name}"));
        place.write(&e, write(&recorded));
        place.write(&p, write(&predicted));
        assert_eq!(score(&place, &e, &p), expected, "{name}");
        let rejects = place.json_lines("out/rejects.jsonl");
        assert_eq!(rejects[0]["reason"], "unknown_episode", "{name}");
        let typed = name.contains("parquet") || name.contains("arrow");
        assert_eq!(rejects[0]["line"], if typed { 5 } else { 6 }, "{name}");
        for threads in [1, 3] {
            let line = format!(
                "episodes --episodes {e} --predictions {p} --config-path c --backend b --mode \
                 coord --run r --threads {threads}"
            );
            place
                .judica(&line)
                .exits(0)
                .says(&[&format!("{p}: read as "), "columns, 5 rows"]);
            place.judica("reproduce r").exits(0).says(&["identical"]);
            place
                .judica("show r two")
                .exits(0)
                .says(&[&format!("from {p}:"), "0.9"]);
        }
        let manifest = place.json("r/manifest.json");
        assert!(manifest["inputs"][1]["read_as"].is_string(), "{manifest}");
        // The same through a pipe.
        let line = SCORE.replace("e.jsonl", &e).replace("p.jsonl", "-");
        let piped = place.judica_with_stdin(&format!("{line} {COORD}"), place.read(&p));
        piped.exits(0);
        assert_eq!(place.json("out/eval.json"), expected, "{name}");
    }
}

#[test]
fn decimal_commas_are_read_in_columns_of_actions() {
    let [recorded, predicted] = episodes();
    let place = place(&recorded, &predicted);
    let expected = score(&place, "e.jsonl", "p.jsonl");
    place.write(
        "p.csv",
        "episode_id;step_index;action.type;action.x;action.y;state.success\none;0;click;0,51;0,5;\n\
         two;0;click;0,9;0,9;false\none;1;type;;;\none;2;done;;;true\nnobody;0;done;;;\n",
    );
    assert_eq!(score(&place, "e.jsonl", "p.csv"), expected);
    let samples = "episode_id;step_index;pred_action.type;pred_action.x;pred_action.y;\
                   ground_truth_action.type;ground_truth_action.x;ground_truth_action.y\n\
                   one;0;click;0,52;0,50;click;0,5;0,5\ntwo;0;click;0,9;0,1;click;0,5;0,5\n";
    place.write("s.csv", samples);
    place.write("t.csv", samples.replace(',', ".").replace(';', ","));
    let score = |name: &str| {
        let line = "--mode coord --config-path c --backend b --out out/eval.json";
        let line = format!("episodes --episodes {name} {line}");
        place.judica(&line).exits(0);
        place.json("out/eval.json")["metrics"].clone()
    };
    let points = score("t.csv");
    assert_eq!(points["click_hit_rate"], 0.5, "{points}");
    assert_eq!(score("s.csv"), points);
}

#[test]
fn an_action_may_stand_in_columns_of_its_own() {
    let [recorded, predicted] = episodes();
    let place = place(&recorded, &predicted);
    let expected = score(&place, "e.jsonl", "p.jsonl");
    place.write(
        "p.csv",
        "task,step_index,action.type,x,y,success\none,0,click,0.51,0.5,\ntwo,0,click,0.9,0.9,False\n\
         one,1,type,,,\none,2,done,,,True\nnobody,0,done,,,\n",
    );
    let line = SCORE.replace("p.jsonl", "p.csv");
    let line = format!("{line} {COORD} --column predictions.episode_id=task");
    place.judica(&line).exits(0);
    assert_eq!(place.json("out/eval.json"), expected);
    // A key of JSON is named alike.
    let renamed: Vec<String> = predicted
        .iter()
        .map(|row| row.to_string().replace("episode_id", "task"))
        .collect();
    place.write_lines("p.jsonl", &renamed);
    place.judica(&line.replace("p.csv", "p.jsonl")).exits(0);
    assert_eq!(place.json("out/eval.json"), expected);
    for (said, words) in [
        ("--column colour=x", "there is no field `colour`"),
        ("--column goal=nowhere", "--column goal=nowhere: no row of "),
    ] {
        let line = format!("{SCORE} {COORD} {said}");
        place.judica(&line).exits(2).complains(&[words]);
    }
}

#[test]
fn stored_samples_as_a_table() {
    let sample = |name: &str, at: u32, gold: Value, said: Value| {
        json!({"episode_id": name, "step_index": at, "goal": "log in", "model_output_raw": "…",
               "ground_truth_action": gold, "pred_action": said})
    };
    let mark = |at: u32| json!({"type": "click", "element_index": at});
    let rows = vec![
        sample("a", 0, mark(1), mark(1)),
        sample("b", 0, mark(2), mark(3)),
        sample("a", 1, act("done"), act("done")),
    ];
    let place = place(&rows, &[]);
    let line = "episodes --episodes e.jsonl --mode som --config-path c --backend b --out out.json";
    place.judica(line).exits(0);
    let expected = place.json("out.json");
    assert_eq!(expected["metrics"]["num_episodes"], 2, "{expected}");
    place.write("e.csv", separated(&rows, ","));
    place.write("e.parquet", parquet(&rows));
    let flat = "episode_id,step_index,ground_truth_action.type,ground_truth_action.element_index,\
                pred_action.type,pred_action.element_index\na,0,click,1,click,1\n\
                b,0,click,2,click,3\na,1,done,,done,\n";
    place.write("flat.csv", flat);
    for name in ["e.csv", "e.parquet", "flat.csv"] {
        place.judica(&line.replace("e.jsonl", name)).exits(0);
        assert_eq!(place.json("out.json"), expected, "{name}");
    }
}

#[test]
fn equal_episodes_of_a_table_are_refused_one_by_one() {
    let [mut recorded, predicted] = episodes();
    recorded.extend([recorded[0].clone(), recorded[0].clone()]);
    let place = place(&recorded, &predicted);
    place.write("e.parquet", parquet(&recorded));
    for name in ["e.jsonl", "e.parquet"] {
        let line = format!("{} {COORD}", SCORE.replace("e.jsonl", name));
        place.judica(&line).exits(0);
        let rejects = place.json_lines("out/rejects.jsonl");
        let of_episodes = rejects.iter().filter(|reject| reject["file"] == name);
        let why: Vec<&Value> = of_episodes.map(|reject| &reject["reason"]).collect();
        assert_eq!(why, ["duplicate_episode", "duplicate_episode"], "{name}");
        place.judica(&format!("{line} --strict")).exits(2);
    }
}

#[test]
fn rows_of_a_table_that_cannot_be_used() {
    let [recorded, predicted] = episodes();
    let place = place(&recorded, &predicted);
    place.write(
        "p.csv",
        "episode_id,step_index,action\none,0,\"{\"\"type\"\": \"\"click\"\"}\"\none,1\n,2,x\n\
         episode_id,step_index,action\ntwo,0,\n",
    );
    let line = SCORE.replace("p.jsonl", "p.csv");
    place.judica(&format!("{line} {COORD}")).exits(0);
    let rejects = place.json_lines("out/rejects.jsonl");
    let found: Vec<(&str, u64)> = rejects
        .iter()
        .map(|reject| {
            (
                reject["reason"].as_str().expect("why"),
                reject["line"].as_u64().expect("a line"),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("missing_episode_id", 4),
            ("wrong_field_count", 3),
            ("repeated_header", 5)
        ]
    );
    place.write("p.xlsx", b"PK\x03\x04rest");
    place
        .judica(&format!("{} {COORD}", SCORE.replace("p.jsonl", "p.xlsx")))
        .exits(2)
        .complains(&["it seems to be an Excel workbook"]);
}
