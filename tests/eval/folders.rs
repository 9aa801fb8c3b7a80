//! Outputs in folders, as evaluation scripts leave them, and the files beside them.

use std::fs;

use serde_json::{Value, json};

use crate::support::flight::{calm, sample, state};
use crate::support::{Place, STAMP, gzip, zstd};

/// A line of a response alone: task, model and sample are said by its place.
fn response(task: &str) -> String {
    json!({"response": calm(task)}).to_string()
}

/// Two samples each of S1 and M1, by line, and the results of two models.
fn results() -> Place {
    let place = Place::new();
    let line = json!({"current_second": calm("S1"), "next_second": calm("S1")}).to_string();
    let named = |task: &str, at: usize| sample(&format!("{task}_00{at}"), task);
    place.write_lines("plain.jsonl", &[line.clone(), line]);
    place.write_lines(
        "s.jsonl",
        &[
            named("S1", 0),
            named("S1", 1),
            named("M1", 0),
            named("M1", 1),
        ],
    );
    for task in ["S1", "M1"] {
        let lines = format!("{}\n{}\n", response(task), response(task));
        place.write(&format!("results/{task}/alpha/out.jsonl"), &lines);
        let packed = gzip(lines.as_bytes());
        place.write(&format!("results/{task}/beta/out.jsonl.gz"), packed);
    }
    place
}

const FOLDER: &str = "eval --protocol flight --samples s.jsonl --outputs results --out run --records jsonl --timestamp 2025-01-19T10:30:00Z";

fn records(place: &Place) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    place
        .json_lines("run/records.jsonl")
        .iter()
        .map(|record| (text(&record["model_name"]), text(&record["sample_id"])))
        .collect()
}

#[test]
fn task_and_model_come_from_the_path() {
    let place = results();
    place
        .judica(FOLDER)
        .exits(0)
        .says(&["inputs 8 = records 8 + rejects 0"]);
    let order = records(&place);
    let expected = [
        ("alpha", "M1_000"),
        ("alpha", "M1_001"),
        ("beta", "M1_000"),
        ("beta", "M1_001"),
        ("alpha", "S1_000"),
        ("alpha", "S1_001"),
        ("beta", "S1_000"),
        ("beta", "S1_001"),
    ];
    assert_eq!(order, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    // What was read is in the manifest, file by file.
    let manifest = place.json("run/manifest.json");
    let outputs: Vec<Value> = manifest["inputs"].as_array().expect("inputs")[1..].to_vec();
    assert_eq!(outputs.len(), 4);
    assert_eq!(outputs[1]["path"], "results/M1/beta/out.jsonl.gz");
    assert_eq!(
        manifest["options"]["places"][1],
        json!({"path": "results/M1/beta/out.jsonl.gz", "task": "M1", "model": "beta"})
    );
    // And is enough to make it again, also where it has moved.
    place.judica("reproduce run").exits(0).says(&["identical"]);
    fs::create_dir(place.path("moved")).expect("made");
    fs::rename(place.path("results"), place.path("moved/results")).expect("moved");
    place
        .judica("reproduce run")
        .exits(3)
        .complains(&["results/M1/alpha/out.jsonl: input not found"]);
    place
        .judica("reproduce run --inputs moved")
        .exits(0)
        .says(&["identical"]);
}

#[test]
fn any_number_of_threads_reads_the_same() {
    let place = results();
    for threads in [1, 5] {
        let out = format!("run{threads}");
        let command = FOLDER.replace("--out run", &format!("--out {out} --threads {threads}"));
        place.judica(&command).exits(0);
    }
    assert_eq!(place.files("run1"), place.files("run5"));
}

#[test]
fn a_part_of_the_tree_can_be_given() {
    let place = results();
    // Samples that name no task, and results of one task: lines pair with lines.
    let plain = "eval --protocol flight --samples plain.jsonl --task S1 --out run --records jsonl";
    for (outputs, models) in [
        (
            "--outputs results/S1",
            vec!["alpha", "alpha", "beta", "beta"],
        ),
        ("--outputs results/S1/beta", vec!["beta", "beta"]),
        ("--outputs results/S1/beta/", vec!["beta", "beta"]),
        (
            "--outputs results/S1/beta --model mine",
            vec!["mine", "mine"],
        ),
        (
            "--outputs results/S1/alpha/out.jsonl --model mine",
            vec!["mine", "mine"],
        ),
    ] {
        place.judica(&format!("{plain} {outputs}")).exits(0);
        let found: Vec<String> = records(&place)
            .into_iter()
            .map(|(model, _)| model)
            .collect();
        assert_eq!(found, models, "{outputs}");
        place.judica("reproduce run").exits(0);
    }
    // From inside the folder its name still counts.
    let mut command = place.command("eval --protocol flight --samples ../../../plain.jsonl --task S1 --outputs . --out ../../../run");
    command.current_dir(place.path("results/S1/alpha"));
    command.assert().success();
    let board = place.json("run/report.json")["leaderboard"].clone();
    assert_eq!(board[0]["model_name"], "alpha");
}

#[test]
fn lines_of_another_task_are_not_taken_for_this_one() {
    let place = results();
    place
        .judica(
            "eval --protocol flight --samples plain.jsonl --task S1 --outputs results --out run",
        )
        .exits(0)
        .says(&["inputs 8 = records 4 + rejects 4", "4 × unknown_sample"]);
    // Nor where a line names a sample of the other.
    place.write(
        "results/M1/alpha/out.jsonl",
        json!({"id": "S1_000", "response": calm("S1")}).to_string(),
    );
    place.judica(FOLDER).exits(0).says(&["1 × task_mismatch"]);
}

#[test]
fn what_a_line_says_wins_over_its_place() {
    let place = Place::new();
    place.write_lines("s.jsonl", &[sample("x", "S1"), sample("y", "M1")]);
    let line = |id: &str, task: &str| {
        json!({"model": "own", "id": id, "task": task, "response": calm("S1")}).to_string()
    };
    place.write_lines(
        "results/S1/other/o.jsonl",
        &[line("x", "S1"), line("y", "M1")],
    );
    place
        .judica(FOLDER)
        .exits(0)
        .says(&["inputs 2 = records 2 + rejects 0"]);
    assert!(records(&place).iter().all(|(model, _)| model == "own"));
}

#[test]
fn other_files_are_left_alone_and_named() {
    let place = results();
    for name in [
        "S1/alpha/metrics.json",
        "README.md",
        "S1/beta/plot.png",
        "a.csv",
    ] {
        place.write(&format!("results/{name}"), "{}");
    }
    place.write("results/S1/alpha/.out.jsonl.swp", "x");
    place.write("results/S1/.ipynb_checkpoints/alpha/out.jsonl", "x");
    place.write(
        "results/S1/gamma/deep/er/out.ndjson.zst",
        zstd(response("S1").as_bytes()),
    );
    let ran = place.judica(FOLDER).exits(0).complains(&[
        "not read",
        "results/README.md, results/S1/alpha/metrics.json, results/S1/beta/plot.png and 1 more",
    ]);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    let models: Vec<String> = records(&place)
        .into_iter()
        .map(|(model, _)| model)
        .collect();
    assert_eq!(models.iter().filter(|model| *model == "gamma").count(), 1);
    assert!(!models.iter().any(|model| model.starts_with('.')));
}

#[test]
fn a_folder_that_holds_no_outputs_or_would_be_written_to_is_refused() {
    let place = results();
    fs::create_dir(place.path("empty")).expect("made");
    place
        .judica(&FOLDER.replace("results", "empty"))
        .exits(2)
        .complains(&["empty", "*.jsonl"]);
    for out in ["results", "results/run", "./results/S1/../run"] {
        let command = FOLDER.replace("--out run", &format!("--out {out}"));
        place
            .judica(&command)
            .exits(2)
            .complains(&["--out", "results"]);
    }
    place
        .judica(&FOLDER.replace("--outputs results", "--outputs nowhere"))
        .exits(3)
        .complains(&["nowhere"]);
    // Not even a run folder is half made.
    assert!(!place.path("run").exists() || place.names("run").is_empty());
}

#[test]
fn the_present_second_is_the_current_state() {
    let place = Place::new();
    let source = place.judica("rules --source").exits(0).stdout;
    let from_state = "reference = \"current_state\"";
    let source = source.replace("reference = \"previous_output\"", from_state);
    assert!(source.contains(from_state));
    place.write("my.toml", source);
    let high = state(&[("GPS Altitude (WGS84 ft)", json!("3060"))]);
    for present in ["current_second", "T0"] {
        let line = json!({"id": 7, present: high, "next_second": calm("S1")});
        place.write_lines("s.jsonl", &[line.to_string()]);
        let line = json!({"id": "7", "model": "m", "response": calm("S1")});
        place.write_lines("o.jsonl", &[line.to_string()]);
        place
            .judica(&format!(
                "eval --protocol my.toml --samples s.jsonl --task S1 --outputs o.jsonl --out run --records jsonl --timestamp {STAMP}"
            ))
            .exits(0);
        let record = &place.json_lines("run/records.jsonl")[0];
        let atoms = record["evidence_pack"]["atoms"].as_array().expect("atoms");
        let jump = atoms
            .iter()
            .find(|atom| {
                atom["type"] == "jump_dynamics" && atom["field"] == "GPS Altitude (WGS84 ft)"
            })
            .expect("a jump was checked");
        assert_eq!(jump["meta"]["observed"], 60.0, "{present}");
    }
}

#[test]
fn confidence_may_stand_under_results() {
    let place = results();
    place.write(
        "c.json",
        r#"{"generated": "today", "results": [{"model_name": "beta", "c_score": 71.5}]}"#,
    );
    place
        .judica(&format!("{FOLDER} --confidence c.json"))
        .exits(0);
    let models = place.json("run/report.json")["models"].clone();
    assert_eq!(models[0]["model_confidence_prior"], Value::Null);
    assert_eq!(
        models[1]["model_confidence_prior"],
        json!({"c_score": 71.5})
    );
    place.judica("reproduce run").exits(0);
    for (bad, why) in [
        (
            r#"{"results": [{"c_score": 1}]}"#,
            "entry 0 has no model_name",
        ),
        (r#"{"results": [5]}"#, "entry 0 is not an object"),
        (
            r#"{"results": [{"model_name": "a"}, {"model_name": "a"}]}"#,
            "named twice",
        ),
    ] {
        place.write("c.json", bad);
        place
            .judica(&format!("{FOLDER} --confidence c.json"))
            .exits(2)
            .complains(&["c.json", why]);
    }
}
