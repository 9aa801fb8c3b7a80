//! Input that was given and of which nothing can be used: exit 2, in every command, with what
//! it seems to be; what was refused is kept, and no result is written.

use serde_json::json;

use crate::support::Place;
use crate::support::flight::{calm, output, sample};

/// Every command that reads rows or files, `IN` for the one that cannot be used.
const COMMANDS: [&str; 19] = [
    "eval --protocol flight --samples samples.jsonl --outputs IN --out res",
    "eval --protocol flight --samples IN --outputs outputs.jsonl --out res",
    "calibrate --protocol flight --samples IN",
    "match --predictions IN --out res/m.json --details res/d.jsonl",
    "judge --predictions IN --no-llm --out res",
    "judge --predictions IN --model m --base-url http://127.0.0.1:9/v1 --dry-run --out res",
    "efficiency --predictions IN --out res",
    "agree pairs --pairs IN --tsv res/t.tsv --out res/p.json --arbitrated res/a.jsonl",
    "agree pairs --scholar side.jsonl --auditor IN --tsv res/t.tsv --out res/p.json",
    "agree ratings --input IN --level nominal --out res/r.json",
    "agree judges --eval-dir judged --out res/j.json",
    "agree judges --eval-dir good --human IN --out res/j.json",
    "episodes --episodes IN --predictions ep.jsonl --mode coord --config-path c --backend b \
     --out res/e.json",
    "episodes --episodes ep.jsonl --predictions IN --mode coord --config-path c --backend b \
     --out res/e.json --details res/d.jsonl",
    "aggregate --files IN --out res/a.json",
    "compare --files IN ep.jsonl --out res/c.json",
    "plot --files IN --output res/p.svg",
    "gate check --report IN --gates gates.toml --out res/g.json",
    "import IN --run res",
];

/// What is in the file, and what it seems to be.
fn foreign() -> Vec<(Vec<u8>, &'static str)> {
    let utf_16 = "{\"qid\": \"a\"}\n{\"qid\": \"b\"}\n".encode_utf16();
    let utf_16: Vec<u8> = utf_16.flat_map(u16::to_le_bytes).collect();
    vec![
        (
            b"PAR1\x15\x04\x15\x00\n\xff\xfePAR1".to_vec(),
            "a Parquet table",
        ),
        (b"PK\x03\x04\x14\x00\n\x00\x08".to_vec(), "a zip archive"),
        (b"SQLite format 3\0\x10\n".to_vec(), "an SQLite database"),
        // With a mark it is read.
        (utf_16, "UTF-16 text"),
        (b"<!DOCTYPE html>\n<html>\n".to_vec(), "a web page"),
        (
            br#"{"qid":{"0":"a","1":"b"},"label":{"0":"x","1":"y"}}"#.to_vec(),
            "a pandas frame by columns",
        ),
        (
            br#"{"columns":["qid"],"index":[0],"data":[["a"]]}"#.to_vec(),
            "a pandas frame, split",
        ),
        (b"".to_vec(), "empty"),
        (b"\n \n".to_vec(), "empty"),
    ]
}

fn place() -> Place {
    let place = Place::new();
    place.write("samples.jsonl", sample("s1", "S1"));
    place.write("outputs.jsonl", output("m", "s1", &calm("S1")));
    place.write("side.jsonl", r#"{"qid": "A1", "label": "VALID"}"#);
    let action = json!({"type": "click", "x": 0.5, "y": 0.5});
    let episode = json!({"episode_id": "e", "goal": "g", "steps": [{"action": action}]});
    place.write("ep.jsonl", episode.to_string());
    place.write(
        "gates.toml",
        "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"/n\"\nop = \">=\"\nthreshold = 1\n",
    );
    let row = json!({"input": "q", "gold": "g", "prediction": "p", "correct": "yes"});
    for judge in ["a", "b"] {
        let judged = json!({"judge_model": judge, "detailed_results": [row]});
        place.write(&format!("good/{judge}/d.json"), judged.to_string());
    }
    place
}

fn told(place: &Place, command: &str, bytes: &[u8], what: &str) {
    place.write("in.jsonl", bytes);
    place.write("judged/j/in.jsonl", bytes);
    let ran = place.judica(&command.replace("IN", "in.jsonl")).exits(2);
    assert!(ran.stdout.is_empty(), "{command}: {}", ran.stdout);
    ran.complains(&["in.jsonl", what]);
    let mut left = place.names("res");
    left.retain(|name| name != "rejects.jsonl");
    assert_eq!(left, Vec::<String>::new(), "{command} {what}");
}

#[test]
fn every_command_says_what_a_foreign_file_seems_to_be() {
    for command in COMMANDS {
        let place = place();
        for (bytes, what) in foreign() {
            // Any JSON may be a report; then the metric is missing.
            let is_report = command.starts_with("gate check") && what.contains("pandas");
            let what = if is_report { "no metric" } else { what };
            told(&place, command, &bytes, what);
        }
    }
}

#[test]
fn comma_separated_values_are_read_or_told() {
    for command in COMMANDS {
        let (csv, what) = (b"qid,label\na,VALID\nb,REJECT\n", "seems to be CSV");
        told(&place(), command, csv, what);
    }
}

#[test]
fn rows_that_are_all_refused_are_kept_and_named() {
    for command in COMMANDS {
        let place = place();
        // No file of rows, or none that is kept.
        let documents = [
            "aggregate",
            "compare",
            "plot",
            "gate",
            "calibrate",
            "import",
            "ratings",
            "--dry-run",
        ];
        if documents.iter().any(|word| command.contains(word)) {
            continue;
        }
        told(&place, command, b"{\"x\": 1}\n{\"x\": 2}\n", "line 1");
        let rejects = place.json_lines("res/rejects.jsonl");
        let ours = rejects.iter().filter(|row| row["raw"] == "{\"x\": 1}");
        assert_eq!(ours.count(), 1, "{command}");
    }
}

#[test]
fn standard_input_is_told_too() {
    let place = place();
    place
        .judica_with_stdin("agree pairs --pairs - --tsv res/t.tsv", *b"PAR1\x15\n")
        .exits(2)
        .complains(&["standard input", "a Parquet table"]);
    place
        .judica_with_stdin("match --predictions -", *b"")
        .exits(2)
        .complains(&["empty"]);
}

#[test]
fn one_file_of_several_is_told_and_the_others_count() {
    let good = r#"{"id": "1", "input": "q", "gold": "g", "prediction": "g"}"#;
    let (place, bad) = (place(), b"PAR1\x15\n\xff");
    place.write("good.jsonl", good);
    place.write("bad.jsonl", bad);
    for command in [
        "match --predictions good.jsonl --predictions bad.jsonl --out res/m.json",
        "judge --predictions good.jsonl --predictions bad.jsonl --no-llm --out res/j",
        "efficiency --predictions good.jsonl --predictions bad.jsonl --out res/e",
        "eval --protocol flight --samples samples.jsonl --outputs outputs.jsonl --outputs bad.jsonl \
         --out res/run",
        "eval --protocol flight --samples samples.jsonl --samples bad.jsonl --outputs outputs.jsonl \
         --out res/run",
    ] {
        let ran = place.judica(command).exits(0);
        let told: Vec<&str> = ran.stderr.lines().collect();
        assert_eq!(told.len(), 1, "{command}: {}", ran.stderr);
        ran.complains(&["bad.jsonl", "a Parquet table"]);
    }
}

#[test]
fn a_run_is_not_touched_by_one_that_could_use_nothing() {
    let place = place();
    let eval = "eval --protocol flight --samples samples.jsonl --out run --outputs";
    place.judica(&format!("{eval} outputs.jsonl")).exits(0);
    let before = place.files("run");
    place.write("bad.jsonl", "PAR1\n");
    place
        .judica(&format!("{eval} bad.jsonl"))
        .exits(2)
        .complains(&["left as it was"]);
    assert_eq!(place.files("run"), before);
}

#[test]
fn a_folder_without_runs_passes_no_gate() {
    let place = place();
    place.write(
        "golden.json",
        r#"[{"objective": "a", "required_evidence_ids": [], "evidence_sufficient": true}]"#,
    );
    std::fs::create_dir(place.path("runs")).unwrap();
    place
        .judica("gate golden --golden golden.json --outputs runs --allow-undefined")
        .exits(1)
        .says(&["no runs"]);
}

#[test]
fn pairs_that_are_spread_over_lines_are_read() {
    let pair = |i: usize| json!({"qid": format!("A{i}"), "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}});
    let pairs: Vec<_> = (0..3).map(pair).collect();
    let pretty = serde_json::to_string_pretty(&pairs).unwrap();
    let objects: Vec<String> = pairs
        .iter()
        .map(|pair| serde_json::to_string_pretty(pair).unwrap())
        .collect();
    let one_line = serde_json::to_string(&pairs).unwrap();
    for text in [pretty, objects.join("\n"), one_line] {
        let place = Place::new();
        place.write("p.jsonl", &text);
        let ran = place.judica("agree pairs --pairs p.jsonl --json");
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            (&report["n"], &report["rejects"]),
            (&json!(3), &json!(0)),
            "{text}"
        );
    }
}
