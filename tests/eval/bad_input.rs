//! Files that are too large, too deep, cut, missing or not files at all.

use std::fs;
use std::io::{BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::support::Place;
use crate::support::flight::{EVAL, answer, output, sample, state, tiny};

const HUGE: usize = 100_000_000;

/// A place with a sample and an output file of: `before`, 100 MB of `x`, `after`, and an
/// ordinary output on a line of its own.
fn huge(before: &str, after: &str) -> Place {
    let place = Place::new();
    place.write("s.jsonl", sample("x", "S1"));
    let file = fs::File::create(place.path("o.jsonl")).expect("a file");
    let mut out = BufWriter::new(file);
    let block = vec![b'x'; 1_000_000];
    out.write_all(before.as_bytes()).expect("written");
    for _ in 0..HUGE / block.len() {
        out.write_all(&block).expect("written");
    }
    writeln!(out, "{after}\n{}", output("after", "x", &state(&[]))).expect("written");
    out.flush().expect("written");
    place
}

#[test]
fn a_line_of_100_mb_that_is_garbage_is_kept_as_its_place() {
    let place = huge("", "");
    place
        .judica(&format!("{EVAL} --records none"))
        .exits(0)
        .says(&["inputs 2 = records 1 + rejects 1", "1 × malformed_json"]);
    let reject = place.json_lines("run/rejects.jsonl").remove(0);
    assert_eq!([&reject["line"], &reject["byte_offset"]], [1, 0]);
    assert_eq!(reject["reason"], "malformed_json");
    crate::support::keeps(&reject, &vec![b'x'; HUGE]);
}

#[test]
fn a_response_of_100_mb_is_a_parse_failure() {
    let place = huge(
        "{\"model_name\": \"m\", \"sample_id\": \"x\", \"raw_response_text\": \"",
        "\"}",
    );
    place
        .judica(&format!("{EVAL} --records jsonl"))
        .exits(0)
        .says(&["inputs 2 = records 2 + rejects 0"]);
    let records = place.json_lines("run/records.jsonl");
    assert_eq!(failed_rules(&records[0]), ["protocol.parse_failure"]);
    assert_eq!(records[1]["agent_output"]["adjudication"], "eligible");
    // A record shows the beginning of such a response, not all of it.
    assert!(
        fs::metadata(place.path("run/records.jsonl"))
            .expect("a file")
            .len()
            < 100_000
    );
}

#[test]
fn a_response_over_16_mib_is_a_parse_failure_even_if_it_would_parse() {
    let place = Place::new();
    place.write_lines("s.jsonl", &[sample("x", "S1"), sample("y", "S1")]);
    let limit = 16 << 20;
    let text = state(&[]).to_string();
    let padded = |length: usize| format!("{text}{}", " ".repeat(length - text.len()));
    place.write_lines(
        "o.jsonl",
        &[
            answer("m", "x", &padded(limit)),
            answer("m", "y", &padded(limit + 1)),
        ],
    );
    place.judica(&format!("{EVAL} --records jsonl")).exits(0);
    let records = place.json_lines("run/records.jsonl");
    assert_eq!(failed_rules(&records[0]), Vec::<String>::new());
    assert_eq!(failed_rules(&records[1]), ["protocol.parse_failure"]);
}

#[test]
fn ten_thousand_nested_brackets_are_a_parse_failure() {
    let deep = 10_000;
    let responses = [
        "[".repeat(deep),
        format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        "{\"a\":".repeat(deep),
        format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep)),
        "{\"a\":[".repeat(deep),
        "{".repeat(deep),
    ];
    let place = Place::new();
    let ids: Vec<String> = (0..responses.len())
        .map(|index| format!("s{index}"))
        .collect();
    place.write_lines(
        "s.jsonl",
        &ids.iter().map(|id| sample(id, "S1")).collect::<Vec<_>>(),
    );
    let mut lines: Vec<String> = ids
        .iter()
        .zip(&responses)
        .map(|(id, text)| answer("m", id, text))
        .collect();
    // The same as an object that is not text, where the line itself is as deep.
    let object = format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep));
    lines.push(format!(
        "{{\"model_name\": \"n\", \"sample_id\": \"s0\", \"response\": {object}}}"
    ));
    // And as a line on its own.
    lines.push("[".repeat(deep));
    lines.push(format!("{}{}", "[".repeat(deep), "]".repeat(deep)));
    place.write_lines("o.jsonl", &lines);
    place
        .judica(&format!("{EVAL} --records jsonl"))
        .exits(0)
        .says(&["inputs 9 = records 7 + rejects 2"]);
    for record in place.json_lines("run/records.jsonl") {
        assert_eq!(failed_rules(&record), ["protocol.parse_failure"]);
    }
    let rejects = place.json_lines("run/rejects.jsonl");
    assert_eq!(rejects[0]["reason"], "malformed_json");
    assert_eq!(rejects[1]["reason"], "not_an_object");
    assert_eq!(rejects[1]["raw"].as_str(), lines.last().map(String::as_str));
}

#[test]
fn nesting_is_measured_not_guessed() {
    // A key whose value is 127 deep makes the response 128 deep, which is allowed.
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let with = |depth: usize| {
        let text = state(&[]).to_string();
        format!("{{\"extra\": {}, {}", nested(depth), &text[1..])
    };
    let place = Place::new();
    place.write_lines("s.jsonl", &[sample("x", "S1"), sample("y", "S1")]);
    place.write_lines(
        "o.jsonl",
        &[answer("m", "x", &with(127)), answer("m", "y", &with(128))],
    );
    place.judica(&format!("{EVAL} --records jsonl")).exits(0);
    let records = place.json_lines("run/records.jsonl");
    assert_eq!(failed_rules(&records[0]), Vec::<String>::new());
    assert_eq!(failed_rules(&records[1]), ["protocol.parse_failure"]);
}

#[test]
fn compressed_files_that_are_cut_end_the_run_and_leave_nothing() {
    let place = tiny();
    // Enough that whole chunks come out before the cut is met.
    place
        .judica("synth flight --samples 300 --models 5 --seed 2 --out data")
        .exits(0);
    let bytes = place.read("data/outputs.jsonl");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&bytes).expect("gzip");
    let gzip = encoder.finish().expect("gzip");
    let zstd = zstd::encode_all(&bytes[..], 1).expect("zstd");
    for (name, packed) in [("o.jsonl.gz", gzip), ("o.jsonl.zst", zstd)] {
        for keep in [packed.len() - 1, packed.len() / 2, 40, 3, 0] {
            place.write(name, &packed[..keep]);
            let eval = EVAL
                .replace("s.jsonl", "data/samples.jsonl")
                .replace("o.jsonl", name);
            let ran = place.judica(&format!("{eval} --records both")).exits(3);
            ran.complains(&["SYSTEM_ERROR", name, "cut short"]);
            place.nothing_in("run");
        }
        place.write(name, &packed);
        place
            .judica(
                &EVAL
                    .replace("s.jsonl", "data/samples.jsonl")
                    .replace("o.jsonl", name),
            )
            .exits(0);
        fs::remove_dir_all(place.path("run")).expect("removed");
    }
}

#[test]
fn a_corrupt_gzip_is_told_from_a_short_one() {
    let place = tiny();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&place.read("o.jsonl")).expect("gzip");
    let mut packed = encoder.finish().expect("gzip");
    let middle = packed.len() / 2;
    packed[middle] ^= 0xff;
    place.write("o.jsonl.gz", packed);
    place
        .judica(&EVAL.replace("o.jsonl", "o.jsonl.gz"))
        .exits(3)
        .complains(&["o.jsonl.gz", "gzip"]);
    place.nothing_in("run");
}

#[test]
fn files_that_are_not_there_or_are_folders() {
    let place = tiny();
    fs::create_dir(place.path("folder")).expect("a folder");
    for (name, instead, word) in [
        ("s.jsonl", "nowhere.jsonl", "no such file"),
        ("s.jsonl", "s.jsonl/x", "no such file"),
        ("o.jsonl", "nowhere.jsonl", "no such file"),
        ("o.jsonl", "s.jsonl/x", "no such file"),
    ] {
        place
            .judica(&EVAL.replace(name, instead))
            .exits(3)
            .complains(&["SYSTEM_ERROR", instead, word]);
        place.nothing_in("run");
    }
    // Both may stand in a folder, but in this one there is nothing.
    for name in ["s.jsonl", "o.jsonl"] {
        place
            .judica(&EVAL.replace(name, "folder"))
            .exits(2)
            .complains(&["folder", "no data in this folder"]);
        place.nothing_in("run");
    }
    place
        .judica(&format!("{EVAL} --confidence nowhere.json"))
        .exits(3)
        .complains(&["nowhere.json"]);
    place.write("c.json", "[{\"confidence_m\": 1}]");
    place
        .judica(&format!("{EVAL} --confidence c.json"))
        .exits(2)
        .complains(&["c.json", "model_name"]);
    place.nothing_in("run");
}

#[test]
fn a_missing_second_file_is_noticed_before_the_first_is_read() {
    let place = tiny();
    place
        .judica(&format!("{EVAL} --outputs nowhere.jsonl --records jsonl"))
        .exits(3)
        .complains(&["nowhere.jsonl"]);
    place.nothing_in("run");
}

#[test]
fn empty_files_give_no_run() {
    for content in ["", "\n\n", "\u{feff}"] {
        let place = tiny();
        place.write("o.jsonl", content);
        place
            .judica(&format!("{EVAL} --records both"))
            .exits(2)
            .complains(&["o.jsonl: there is no row in it"]);
        place.nothing_in("run");
    }
}

#[test]
fn no_samples_means_no_run() {
    let place = tiny();
    place.write("s.jsonl", "");
    place
        .judica(EVAL)
        .exits(2)
        .complains(&["s.jsonl: there is no row in it"]);
    place.nothing_in("run");
}

#[test]
fn outputs_of_unknown_samples_are_no_run() {
    let place = tiny();
    place.write("s.jsonl", sample("other", "S1"));
    place
        .judica(EVAL)
        .exits(2)
        .complains(&["o.jsonl: not one of its 8 rows", "unknown_sample"]);
    assert_eq!(place.names("run"), ["rejects.jsonl"]);
    assert_eq!(place.json_lines("run/rejects.jsonl").len(), 8);
}

#[test]
fn no_eligible_record_means_no_made_up_number() {
    let place = tiny();
    place.write_lines(
        "o.jsonl",
        &[
            answer("m", "a1", "no"),
            answer("m", "a2", "API error: timeout"),
        ],
    );
    place.judica(EVAL).exits(0).says(&["n/a"]);
    let summary = place.json("run/report.json");
    let model = &summary["models"][0];
    assert_eq!(model["eligibility_rate"], 0.0);
    assert_eq!(model["conditional_error"]["mean"], Value::Null);
    assert_eq!(
        summary["leaderboard"][0]["mean_total"], 0.0,
        "{}",
        summary["leaderboard"][0]
    );
    assert_eq!(
        summary["leaderboard"][0]["mean_total_eligible"],
        Value::Null,
        "{}",
        summary["leaderboard"][0]
    );
}

#[test]
fn an_output_folder_that_cannot_be_made_is_an_environment_fault() {
    let place = tiny();
    place.write("file", "");
    // Not a matter of permissions, which root does not have to ask for.
    for out in ["file", "file/run", "/proc/judica/run", "/dev/null/run"] {
        let eval = EVAL.replace("--out run", &format!("--out {out}"));
        place
            .judica(&eval)
            .exits(3)
            .complains(&["SYSTEM_ERROR", out]);
    }
    assert_eq!(place.names("."), ["file", "o.jsonl", "s.jsonl"]);
}

fn failed_rules(record: &Value) -> Vec<String> {
    let atoms = record["evidence_pack"]["atoms"].as_array().expect("atoms");
    let failed = atoms.iter().filter(|atom| atom["pass"] == false);
    failed
        .map(|atom| atom["rule"].as_str().expect("a rule").to_owned())
        .collect()
}
