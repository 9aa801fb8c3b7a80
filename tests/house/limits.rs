//! No input, however it is packed, is held beyond the limit: a line that is too long is
//! refused and kept as its place, a document that is too long is an error, and either takes
//! no more than 1 GB of memory.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{JUDICA, Place, Ran, gzip, ran, zstd};

const MIB: usize = 1 << 20;

/// Zstandard data of pieces, each one byte so many times: a block of 128 KiB takes four bytes.
fn packed(pieces: &[(u8, usize)]) -> Vec<u8> {
    const BLOCK: usize = 128 << 10;
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    for &(byte, length) in pieces {
        let mut left = length;
        while left > 0 {
            let size = left.min(BLOCK);
            let header = (size as u32) << 3 | 1 << 1;
            bytes.extend_from_slice(&header.to_le_bytes()[..3]);
            bytes.push(byte);
            left -= size;
        }
    }
    // An empty last block.
    bytes.extend_from_slice(&[1, 0, 0]);
    bytes
}

/// Runs the program with a cap on its memory.
fn capped(place: &Place, arguments: &str) -> Ran {
    let line = format!("ulimit -v 1000000; exec {JUDICA} {arguments}");
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(place.path("."))
        .output()
        .expect("a shell");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn only_reject(place: &Place, file: &str) -> Value {
    let rejects = place.json_lines(file);
    assert_eq!(rejects.len(), 1);
    assert!(place.read(file).len() < 4096);
    rejects[0].clone()
}

#[test]
fn a_line_without_end_is_refused_within_a_gigabyte() {
    let place = Place::new();
    place.write("p.jsonl.zst", packed(&[(b'a', 1200 * MIB)]));
    let line = "agree pairs --pairs p.jsonl.zst --tsv t.tsv --threads 2";
    capped(&place, line)
        .exits(2)
        .complains(&["line_too_long", "256 MiB"]);
    let reject = only_reject(&place, "rejects.jsonl");
    assert_eq!(reject["reason"], "line_too_long");
    assert_eq!(reject["raw_bytes"], json!(1200 * MIB));
    assert_eq!(reject["byte_offset"], 0);
    assert_eq!(
        reject["raw_sha256"],
        "a63bd2c366319f0e5226d2416dad2ced4c537c8ceb8dda96ff77e3a974538473"
    );
    assert_eq!(reject["raw_beginning"], "a".repeat(1024));
    assert!(reject.get("raw").is_none());
}

#[test]
fn a_record_of_csv_without_end_is_an_error_within_a_gigabyte() {
    for start in ["item,rater,value\n1,a,", "item,rater,value\n1,a,\"", ""] {
        let place = Place::new();
        let pieces: Vec<(u8, usize)> = start.bytes().map(|byte| (byte, 1)).collect();
        let bomb = packed(&[&pieces[..], &[(b'a', 1200 * MIB)]].concat());
        place.write("r.csv.zst", bomb);
        capped(&place, "agree ratings --input r.csv.zst --level nominal")
            .exits(3)
            .complains(&["r.csv.zst", "more than 64 MiB", "--max-line"]);
        assert_eq!(place.names("."), ["r.csv.zst"]);
    }
}

#[test]
fn a_record_of_csv_beyond_a_quarter_of_the_limit_is_an_error() {
    let place = Place::new();
    for (length, exits) in [(16_000, 0), (17_000, 3), (300_000, 3)] {
        let text = "x".repeat(length);
        place.write("p.csv", format!("id,gold,prediction\n1,a,{text}\n2,b,b\n"));
        let ran = place.judica("match -p p.csv --max-line 64K").exits(exits);
        if exits == 3 {
            ran.complains(&["p.csv", "more than 16 KiB", "--max-line"]);
        }
    }
}

#[test]
fn an_array_without_end_is_refused_within_a_gigabyte() {
    let place = Place::new();
    place.write("p.json.zst", packed(&[(b'[', 300 * MIB)]));
    capped(&place, "match --predictions p.json.zst --threads 2")
        .exits(2)
        .complains(&["line_too_long"]);
    assert_eq!(
        only_reject(&place, "rejects.jsonl")["reason"],
        "line_too_long"
    );
}

#[test]
fn lines_just_within_the_limit_fit_into_a_gigabyte() {
    let place = Place::new();
    let line = (b'a', 255 * MIB);
    place.write(
        "p.jsonl.zst",
        packed(&[line, (b'\n', 1), line, (b'\n', 1), line]),
    );
    let line = "agree pairs --pairs p.jsonl.zst --tsv t.tsv --threads 2";
    capped(&place, line).exits(2).complains(&["malformed_json"]);
    let rejects = place.json_lines("rejects.jsonl");
    let offsets: Vec<u64> = rejects
        .iter()
        .map(|row| row["byte_offset"].as_u64().unwrap())
        .collect();
    let length = 255 * MIB as u64;
    assert_eq!(offsets, [0, length + 1, 2 * (length + 1)]);
    assert!(rejects.iter().all(|row| row["raw_bytes"] == json!(length)));
}

#[test]
fn answers_just_within_the_limit_fit_into_a_gigabyte() {
    let bytes = |text: &str| -> Vec<(u8, usize)> { text.bytes().map(|byte| (byte, 1)).collect() };
    let bomb = |head: &str| {
        let line = [bytes(head), vec![(b'a', 250 * MIB)], bytes("\"}\n")].concat();
        packed(&line.repeat(2))
    };
    let place = Place::new();
    place.write("s.jsonl", crate::support::flight::sample("x", "S1"));
    let head = r#"{"model_name":"m","sample_id":"x","raw_response_text":""#;
    place.write("o.jsonl.zst", bomb(head));
    // What a model wrote is never bad input: it is a parse failure.
    let eval = "eval --protocol flight --samples s.jsonl --outputs o.jsonl.zst --out run";
    capped(&place, &format!("{eval} --threads 2 --records jsonl")).exits(0);
    let record = place.json_lines("run/records.jsonl").remove(0);
    assert_eq!(record["agent_output"]["adjudication"], "ineligible");
    place.write(
        "p.jsonl.zst",
        bomb(r#"{"input":"q","gold":"g","prediction":""#),
    );
    let ran = capped(&place, "match --predictions p.jsonl.zst --threads 2 --json").exits(0);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(
        (&report["n_examples"], &report["matched"]),
        (&json!(2), &json!(0.0))
    );
}

#[test]
fn documents_beyond_the_limit_are_errors_within_a_gigabyte() {
    let place = Place::new();
    place.write("a.json.zst", packed(&[(b' ', 1200 * MIB)]));
    place.write(
        "g.toml",
        "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"/n\"\nop = \">=\"\nthreshold = 1\n",
    );
    capped(&place, "gate check --report a.json.zst --gates g.toml")
        .exits(3)
        .complains(&["a.json.zst: longer than 256 MiB", "--max-line"]);
}

#[test]
fn every_document_has_the_limit() {
    let place = Place::new();
    let bomb = packed(&[(b' ', 9 * MIB)]);
    for name in [
        "b.json.zst",
        "b.toml.zst",
        "b.yaml.zst",
        "runs/r.json.zst",
        "e/j/d.json.zst",
    ] {
        place.write(name, &bomb);
    }
    place.write("ok.json", "{\"n\": 1}");
    place.write(
        "p.jsonl",
        r#"{"input": "q", "gold": "g", "prediction": "g"}"#,
    );
    place.write(
        "golden.json",
        r#"[{"objective": "a", "required_evidence_ids": ["e"], "evidence_sufficient": true}]"#,
    );
    place.write(
        "ep.jsonl",
        r#"{"episode_id": "e", "steps": [{"action": {"type": "click", "x": 0.5, "y": 0.5}}]}"#,
    );
    let episodes = "episodes --episodes ep.jsonl --predictions ep.jsonl --mode coord --config-path c \
                    --backend b --out e.json";
    for command in [
        "gate check --report b.json.zst --gates b.toml.zst",
        "gate check --report ok.json --gates b.toml.zst",
        "gate golden --golden b.json.zst --outputs runs",
        "release --config b.toml.zst",
        "rules --protocol b.toml.zst",
        "efficiency --predictions p.jsonl --prices b.toml.zst",
        "efficiency --predictions p.jsonl --prices b.yaml.zst",
        "compare --files b.json.zst ok.json",
        "plot --files b.json.zst --output x.svg",
        "aggregate --files b.json.zst",
        "schema migrate b.json.zst",
        "agree judges --eval-dir e --out j.json",
        &format!("{episodes} --milestones b.json.zst"),
        "eval --protocol flight --samples p.jsonl --outputs p.jsonl --confidence b.json.zst --out r",
    ] {
        let ran = place.judica(&format!("{command} --max-line 1MiB"));
        assert!(ran.code == 2 || ran.code == 3, "{command}: {}", ran.stderr);
        ran.complains(&["longer than 1 MiB"]);
    }
    // A run that cannot be read fails its gate, and does not end the evaluation.
    place
        .judica("gate golden --golden golden.json --outputs runs --max-line 1MiB")
        .exits(1)
        .says(&["longer than 1 MiB"]);
}

#[test]
fn values_are_counted_before_they_become_a_tree() {
    let place = Place::new();
    let mut text = b"[1".to_vec();
    text.extend(b",1".repeat(20 * MIB));
    text.push(b']');
    place.write("a.json.zst", zstd(&text));
    place.write(
        "g.toml",
        "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"/n\"\nop = \">=\"\nthreshold = 1\n",
    );
    capped(&place, "gate check --report a.json.zst --gates g.toml")
        .exits(3)
        .complains(&["values"]);
}

#[test]
fn a_long_line_among_others_is_passed_over_and_they_count() {
    let pair = |i: usize| {
        format!(
            "{{\"qid\":\"A{i}\",\"scholar\":{{\"label\":\"VALID\"}},\"auditor\":{{\"label\":\"VALID\"}}}}"
        )
    };
    let long = "x".repeat(3 * MIB);
    let text = format!("{}\n{long}\r\n{}\n", pair(1), pair(2));
    for (name, bytes) in [
        ("p.jsonl", text.clone().into_bytes()),
        ("p.jsonl.gz", gzip(text.as_bytes())),
        ("p.jsonl.zst", zstd(text.as_bytes())),
    ] {
        let place = Place::new();
        place.write(name, bytes);
        let line = format!("agree pairs --pairs {name} --tsv t.tsv --json --max-line 1M");
        let ran = place.judica(&line);
        let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!((&report["n"], &report["rejects"]), (&json!(2), &json!(1)));
        let reject = only_reject(&place, "rejects.jsonl");
        assert_eq!(reject["reason"], "line_too_long");
        assert_eq!(
            (&reject["line"], &reject["raw_bytes"]),
            (&json!(2), &json!(long.len()))
        );
        assert_eq!(reject["byte_offset"], json!(pair(1).len() + 1));
        // Without a limit in its way, it is refused for what it is, at the same place.
        place.judica(&line.replace("1M", "1G"));
        let other = only_reject(&place, "rejects.jsonl");
        assert_eq!(other["reason"], "malformed_json");
        for key in [
            "line",
            "byte_offset",
            "raw_bytes",
            "raw_sha256",
            "raw_beginning",
        ] {
            assert_eq!(other[key], reject[key], "{key}");
        }
    }
}

#[test]
fn short_lines_are_kept_whole_whatever_the_limit() {
    let place = Place::new();
    let long = "x".repeat(5000);
    place.write("p.jsonl", &long);
    let line = "agree pairs --pairs p.jsonl --tsv t.tsv";
    place.judica(line).exits(2);
    assert_eq!(place.json_lines("rejects.jsonl")[0]["raw"], *long);
    place.judica(&format!("{line} --max-line 1KiB")).exits(2);
    let reject = place.json_lines("rejects.jsonl").remove(0);
    assert_eq!(reject["reason"], "line_too_long");
    assert_eq!(reject["raw"], *long);
}

#[test]
fn a_window_that_takes_too_much_memory_is_an_error() {
    let place = Place::new();
    // A window of 2 GiB.
    place.write("p.jsonl.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 1, 0, 0]);
    capped(&place, "agree pairs --pairs p.jsonl.zst --tsv t.tsv")
        .exits(3)
        .complains(&["window", "--long"]);
}

#[test]
fn an_old_file_of_rejects_is_not_read() {
    let place = Place::new();
    let pair = r#"{"qid":"A","scholar":{"label":"VALID"},"auditor":{"label":"VALID"}}"#;
    place.write("p.jsonl", pair);
    place.write(
        "rejects.jsonl",
        r#"{"file":"p.jsonl","line":1,"byte_offset":0,"raw":""#,
    );
    // A hole of 1 TiB, which nobody reads in the time a test has.
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(place.path("rejects.jsonl"));
    file.unwrap().set_len(1 << 40).unwrap();
    capped(&place, "agree pairs --pairs p.jsonl --tsv t.tsv");
    assert!(!place.path("rejects.jsonl").exists());
}

#[test]
fn prices_in_toml_take_linear_time() {
    let place = Place::new();
    place.write(
        "p.jsonl",
        r#"{"input": "q", "gold": "g", "prediction": "g"}"#,
    );
    let model = |i: usize| {
        format!("[models.m{i}]\nprice_input_per_1k = 0.1\nprice_output_per_1k = 0.2\n\n")
    };
    let text: String = (0..50_000).map(model).collect();
    place.write("prices.toml", text);
    // Counting lines from the start for each key took minutes here.
    let mut command = place.command("efficiency --predictions p.jsonl --prices prices.toml");
    command.timeout(std::time::Duration::from_secs(60));
    ran(command).exits(0);
}
