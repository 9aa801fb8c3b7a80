//! A run of `agree pairs` made in pieces is the run made in one go, byte for byte.

use std::fs;

use crate::support::{Place, STAMP};

/// Pairs of which some stand twice, some have labels nobody knows, some break hygiene, and
/// some are broken or blank.
fn hostile() -> Place {
    let place = Place::new();
    let labels = ["VALID", "REJECT", "ABSTAIN", "VALID", "odd"];
    let mut lines = String::new();
    for at in 0..120 {
        let (one, other) = (labels[at % 5], labels[at * 3 % 4]);
        let reason = match at % 4 {
            0 => "call +1 202 555 0100 or write to a@b.example".to_owned(),
            1 => "x".repeat(190 + at),
            _ => "short".to_owned(),
        };
        let epoch = if at % 7 == 0 { ", \"epoch\": 2" } else { "" };
        lines.push_str(&format!(
            "{{\"qid\": \"q{}\", \"scholar\": {{\"label\": \"{one}\", \"reason\": \"{reason}\"}}, \
             \"auditor\": {{\"label\": \"{other}\", \"reason\": \"{reason}\"}}{epoch}}}\n",
            at % 97
        ));
        match at % 17 {
            0 => lines.push_str("not json\n\n"),
            1 => lines.push_str("{\"qid\": \"alone\"}\n  \n"),
            _ => {}
        }
    }
    place.write("p.jsonl", lines);
    place
}

#[test]
fn any_number_of_parts_gives_the_bytes_of_a_run_in_one_go() {
    let place = hostile();
    let base = format!("agree pairs --pairs p.jsonl --timestamp {STAMP}");
    for (more, code) in [
        ("", 1),
        (
            "--hygiene --keep-text --pa-gate 0.1 --kappa-gate=-1 --abstain-gate 1",
            0,
        ),
    ] {
        let whole = place.judica(&format!("{base} {more} --run whole"));
        assert_eq!(whole.code, code, "{}", whole.stderr);
        let report = place.json("whole/report.json");
        assert!(report["rejects"].as_u64() > Some(5), "{report}");
        assert_eq!(report["hygiene"].is_object(), !more.is_empty());
        for parts in [1, 2, 3, 7] {
            for part in 1..=parts {
                let threads = part % 3 + 1;
                let part = format!("--run parts --part {part}/{parts} --threads {threads}");
                place.judica(&format!("{base} {more} {part}")).exits(0);
            }
            // Gates fail here as there.
            let finished = place.judica("finish parts");
            assert_eq!(finished.code, whole.code, "{}", finished.stderr);
            place.same_files("whole", "parts");
            fs::remove_dir_all(place.path("parts")).unwrap();
        }
    }
}

#[test]
fn files_that_a_part_does_not_write_are_refused() {
    let place = hostile();
    for option in ["--junit g.xml", "--markdown g.md", "--github"] {
        place
            .judica(&format!(
                "agree pairs --pairs p.jsonl --run run --part 1/2 {option}"
            ))
            .exits(2)
            .complains(&["--part", option.split(' ').next().unwrap_or_default()]);
    }
}

#[test]
fn pairs_in_two_files_are_made_in_one_go() {
    let place = hostile();
    place.write("s.jsonl", "{\"qid\": \"a\", \"label\": \"VALID\"}\n");
    place
        .judica("agree pairs --scholar s.jsonl --auditor s.jsonl --run run --part 1/2")
        .exits(2)
        .complains(&["in two files"]);
    place
        .judica("agree pairs --pairs p.jsonl --part 1/2")
        .exits(2);
}
