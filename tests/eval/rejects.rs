//! Lines that cannot be used: none is lost, each says where it stood and why.

use serde_json::{Value, json};

use crate::support::flight::{EVAL, answer, output, sample, state};
use crate::support::{Place, keys, raw_bytes};

/// Lines of outputs, each with the reason for which it must be refused, or none.
fn outputs() -> Vec<(Vec<u8>, Option<&'static str>)> {
    let good = |model: &str| output(model, "x", &state(&[])).into_bytes();
    let with = |line: Value| line.to_string().into_bytes();
    vec![
        (good("a"), None),
        (
            b"garbage \xe2\x80\xa6 \"quoted\" \\ tab\t".to_vec(),
            Some("malformed_json"),
        ),
        (
            b"{\"model_name\": \"b\", \"sample_id\": ".to_vec(),
            Some("malformed_json"),
        ),
        (b"{} trailing".to_vec(), Some("malformed_json")),
        (b"\xff\xfe\x00not text".to_vec(), Some("invalid_utf8")),
        (
            b"{\"model_name\": \"b\", \"raw_response_text\": \"\xc3\x28\"}".to_vec(),
            Some("invalid_utf8"),
        ),
        (b"[1, 2]".to_vec(), Some("not_an_object")),
        (b"  \"text\"  ".to_vec(), Some("not_an_object")),
        (b"null".to_vec(), Some("not_an_object")),
        (
            answer("b", "nowhere", "{}").into_bytes(),
            Some("unknown_sample"),
        ),
        (good("a"), Some("duplicate_output")),
        (
            with(
                json!({"model_name": "b", "sample_id": "x", "raw_response_text": "{}", "task_id": "S9"}),
            ),
            Some("unknown_task"),
        ),
        (
            with(
                json!({"model_name": "b", "sample_id": "x", "raw_response_text": "{}", "task_id": 3.5}),
            ),
            Some("unknown_task"),
        ),
        (
            with(
                json!({"model_name": "b", "sample_id": "x", "raw_response_text": "{}", "task_id": ["S1"]}),
            ),
            Some("invalid_task"),
        ),
        (
            with(
                json!({"model_name": "b", "sample_id": "x", "raw_response_text": "{}", "task_id": "M1"}),
            ),
            Some("task_mismatch"),
        ),
        (
            with(json!({"model_name": "b", "raw_response_text": "{}"})),
            Some("missing_sample_id"),
        ),
        (
            with(json!({"model_name": "b", "raw_response_text": "{}", "sample_id": {}})),
            Some("invalid_sample_id"),
        ),
        (
            with(json!({"sample_id": "x", "raw_response_text": "{}"})),
            Some("missing_model_name"),
        ),
        (
            with(json!({"model_name": " ", "sample_id": "x", "raw_response_text": "{}"})),
            Some("missing_model_name"),
        ),
        (
            with(json!({"model_name": [7], "sample_id": "x", "raw_response_text": "{}"})),
            Some("invalid_model_name"),
        ),
        (
            with(json!({"model_name": "b", "sample_id": "x"})),
            Some("missing_response"),
        ),
        (
            with(json!({"model_name": "b", "sample_id": "x", "response": null})),
            Some("missing_response"),
        ),
        (
            with(json!({"model_name": "b", "sample_id": "x", "response": 17})),
            Some("invalid_response"),
        ),
        (
            with(json!({"model_name": "b", "sample_id": "x", "response": [state(&[])]})),
            Some("invalid_response"),
        ),
        (
            with(json!({"model_name": "b", "sample_id": "x", "response": "", "epoch": 1.5})),
            Some("bad_epoch"),
        ),
        (good("b"), None),
    ]
}

/// Lines of samples, likewise.
fn samples() -> Vec<(Vec<u8>, Option<&'static str>)> {
    let with = |line: Value| line.to_string().into_bytes();
    vec![
        (sample("x", "S1").into_bytes(), None),
        (sample("x", "S1").into_bytes(), Some("duplicate_sample")),
        (b"{\"sample_id\": \"y\", }".to_vec(), Some("malformed_json")),
        (b"\x80".to_vec(), Some("invalid_utf8")),
        (b"17".to_vec(), Some("not_an_object")),
        (sample("y", "S7").into_bytes(), Some("unknown_task")),
        (
            with(json!({"sample_id": "y", "task_id": {}})),
            Some("invalid_task"),
        ),
        (
            with(json!({"sample_id": "y", "next_second": state(&[])})),
            Some("missing_task"),
        ),
        (
            with(json!({"sample_id": ["y"], "task_id": "S1"})),
            Some("invalid_sample_id"),
        ),
    ]
}

fn join(lines: &[(Vec<u8>, Option<&'static str>)], end: &[u8]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|(line, _)| [line.as_slice(), end].concat())
        .collect()
}

/// Holds what was refused against what stood in the file.
#[track_caller]
fn account(
    rejects: &[&Value],
    file: &str,
    bytes: &[u8],
    lines: &[(Vec<u8>, Option<&'static str>)],
) {
    let refused = lines
        .iter()
        .enumerate()
        .filter_map(|(index, (line, reason))| reason.map(|reason| (index + 1, line, reason)));
    let refused: Vec<_> = refused.collect();
    assert_eq!(rejects.len(), refused.len());
    for (reject, (number, line, reason)) in rejects.iter().zip(refused) {
        assert_eq!(reject["file"], file);
        assert_eq!(reject["line"], number, "{reject}");
        assert_eq!(reject["reason"], reason, "line {number}: {reject}");
        assert!(
            reject["detail"]
                .as_str()
                .is_some_and(|detail| !detail.is_empty())
        );
        assert_eq!(&raw_bytes(reject), line, "line {number} is not lossless");
        // Whoever seeks to the offset finds the line there.
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert_eq!(&bytes[offset..offset + line.len()], line.as_slice());
    }
}

#[test]
fn every_reason_is_told_counted_and_lossless() {
    for (end, mark) in [(&b"\n"[..], &b""[..]), (b"\r\n", b"\xef\xbb\xbf")] {
        let place = Place::new();
        let sample_bytes = [mark, &join(&samples(), end)].concat();
        let output_bytes = [mark, &join(&outputs(), end)].concat();
        place.write("s.jsonl", &sample_bytes);
        place.write("o.jsonl", &output_bytes);
        place
            .judica(&format!("{EVAL} --records both"))
            .exits(0)
            .says(&[
                "inputs 26 = records 2 + rejects 24",
                "samples 1, sample rejects 8",
                "run/rejects.jsonl",
            ]);
        let rejects = place.json_lines("run/rejects.jsonl");
        for reject in &rejects {
            let names = keys(reject);
            assert_eq!(
                names[..5],
                ["file", "line", "byte_offset", "reason", "detail"]
            );
        }
        let of = |file: &str| -> Vec<&Value> {
            rejects
                .iter()
                .filter(|reject| reject["file"] == file)
                .collect()
        };
        account(&of("s.jsonl"), "s.jsonl", &sample_bytes, &samples());
        account(&of("o.jsonl"), "o.jsonl", &output_bytes, &outputs());

        let kept = &place.json("run/manifest.json")["counts"];
        assert_eq!(
            (&kept["inputs"], &kept["used"], &kept["rejects"]),
            (&26.into(), &2.into(), &24.into())
        );
        // The manifest counts outputs; what was refused of samples, the report does.
        let by_reason = kept["rejects_by_reason"].as_object().expect("counts");
        let total: u64 = by_reason.values().filter_map(Value::as_u64).sum();
        assert_eq!(total, 24);
        let counts = &place.json("run/report.json")["counts"];
        assert_eq!(counts["outputs"], 26);
        assert_eq!(counts["records"], 2);
        assert_eq!(counts["rejects"], 24);
        assert_eq!(counts["sample_rejects"], 8);
        let by_reason = counts["rejects_by_reason"].as_object().expect("counts");
        for (reason, count) in by_reason {
            let seen = rejects
                .iter()
                .filter(|reject| reject["reason"] == reason.as_str())
                .count();
            assert_eq!(count, seen, "{reason}");
        }
        let total: u64 = by_reason.values().filter_map(Value::as_u64).sum();
        assert_eq!(total, 32);
        assert_eq!(place.json_lines("run/records.jsonl").len(), 2);
        assert_eq!(
            place
                .judica("export run --format csv")
                .exits(0)
                .stdout
                .lines()
                .count(),
            3
        );
    }
}

#[test]
fn rejects_of_an_array_say_where_they_stood() {
    let place = Place::new();
    let good = output("a", "x", &state(&[]));
    let bytes = format!("[\n  {good},\n  17,\n  {{\"model\": \"b\"}}\n]\n");
    place.write("s.jsonl", sample("x", "S1"));
    place.write("o.json", &bytes);
    place
        .judica(&EVAL.replace("o.jsonl", "o.json"))
        .exits(0)
        .says(&["inputs 3 = records 1 + rejects 2"]);
    let rejects = place.json_lines("run/rejects.jsonl");
    for (reject, (line, raw, reason)) in rejects.iter().zip([
        (3, "17", "not_an_object"),
        (4, "{\"model\": \"b\"}", "missing_response"),
    ]) {
        assert_eq!(
            (&reject["line"], &reject["raw"], &reject["reason"]),
            (&json!(line), &json!(raw), &json!(reason))
        );
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert!(bytes[offset..].starts_with(raw));
    }
}

#[test]
fn offsets_of_compressed_input_are_those_of_its_content() {
    let place = Place::new();
    let bytes = join(&outputs(), b"\n");
    place.write("s.jsonl", sample("x", "S1"));
    place.write(
        "o.jsonl.zst",
        zstd::encode_all(&bytes[..], 0).expect("zstd"),
    );
    place
        .judica(&EVAL.replace("o.jsonl", "o.jsonl.zst"))
        .exits(0);
    let rejects = place.json_lines("run/rejects.jsonl");
    account(
        &rejects.iter().collect::<Vec<_>>(),
        "o.jsonl.zst",
        &bytes,
        &outputs(),
    );
}

#[test]
fn strict_ends_at_the_first_of_them_and_leaves_nothing() {
    let good = output("a", "x", &state(&[])).into_bytes();
    for (line, reason) in outputs() {
        let Some(reason) = reason else { continue };
        let place = Place::new();
        place.write("s.jsonl", sample("x", "S1"));
        place.write(
            "o.jsonl",
            [&good[..], b"\n\n", &line, b"\nalso bad\n"].concat(),
        );
        let ran = place
            .judica(&format!("{EVAL} --records both --strict"))
            .exits(2);
        ran.complains(&["o.jsonl:3: ", reason]);
        place.nothing_in("run");
    }
}

#[test]
fn strict_holds_for_samples_too() {
    for (line, reason) in samples() {
        let Some(reason) = reason else { continue };
        let place = Place::new();
        place.write(
            "s.jsonl",
            [sample("x", "S1").as_bytes(), b"\n", &line, b"\n"].concat(),
        );
        place.write("o.jsonl", output("a", "x", &state(&[])));
        let ran = place.judica(&format!("{EVAL} --strict")).exits(2);
        ran.complains(&["s.jsonl:2: ", reason]);
        place.nothing_in("run");
    }
}

#[test]
fn strict_without_bad_lines_changes_nothing() {
    let place = Place::new();
    place.write("s.jsonl", sample("x", "S1"));
    place.write("o.jsonl", output("a", "x", &state(&[])));
    place
        .judica(&format!("{EVAL} --strict"))
        .exits(0)
        .says(&["records 1 + rejects 0"]);
}

#[test]
fn the_first_of_two_outputs_counts() {
    let place = Place::new();
    place.write("s.jsonl", sample("x", "S1"));
    place.write_lines(
        "o.jsonl",
        &[output("a", "x", &state(&[])), answer("a", "x", "nothing")],
    );
    place.judica(&format!("{EVAL} --records jsonl")).exits(0);
    let records = place.json_lines("run/records.jsonl");
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["agent_output"]["adjudication"], "eligible");
}
