//! A run of `match` made in pieces is the run made in one go, byte for byte.

use std::fs;

use crate::support::{Place, STAMP};

/// Rows with and without ids, repeats, second records of a key, blanks and broken lines, in
/// files of formulas, of text, and in an array.
fn hostile() -> Place {
    let place = Place::new();
    let mut formulas = String::new();
    let mut texts = String::new();
    let mut rest = Vec::new();
    for at in 0..60 {
        let gold = ["<<A>>F p", "<<A>>G (p && q)", "F p", ""][at % 4];
        let answer = ["<<A>>F p", "<<A>> G(q && p)", "G p", "  "][at * 7 % 4];
        let usage = match at % 3 {
            0 => String::new(),
            1 => format!(", \"tokens_input\": {at}"),
            _ => format!(", \"tokens_input\": {at}, \"tokens_output\": 3, \"usd\": 0.1"),
        };
        let id = match at % 5 {
            0 => String::new(),
            _ => format!("\"id\": {}, \"model\": \"m{}\", ", at / 2, at % 2),
        };
        let row = format!(
            "{{{id}\"input\": \"q\", \"gold\": \"{gold}\", \"prediction\": \"{answer}\"{usage}}}"
        );
        rest.push(row.replace("\"q\"", "\"other\""));
        formulas.push_str(&format!("{row}\n"));
        texts.push_str(&format!("{}\n", row.replace("<<A>>", "the rapist ")));
        match at % 11 {
            0 => formulas.push_str("not json\n\n"),
            1 => texts.push_str("{\"gold\": 1}\n  \n"),
            2 => texts.push_str("\u{feff}\n[1]\n"),
            _ => {}
        }
    }
    place.write("f.jsonl", formulas);
    place.write("t.jsonl", texts);
    place.write("a.json", format!("[{}]", rest.join(",")));
    place
}

#[test]
fn any_number_of_parts_gives_the_bytes_of_a_run_in_one_go() {
    let place = hostile();
    let base = format!(
        "match --predictions f.jsonl --predictions t.jsonl --predictions a.json --timestamp {STAMP}"
    );
    for more in [
        "",
        "--normalizer atl --keep-text --subject us",
        "--classes --k 1,2 --by model --confidence tokens_input",
        "--normalizer number --by dataset",
    ] {
        place.judica(&format!("{base} {more} --run whole")).exits(0);
        let report = place.json("whole/report.json");
        assert!(report["duplicates"].as_u64() > Some(0), "{report}");
        assert!(report["rejects"].as_u64() > Some(5), "{report}");
        for parts in [1, 2, 3, 7] {
            for part in 1..=parts {
                let threads = part % 3 + 1;
                let part = format!("--run parts --part {part}/{parts} --threads {threads}");
                place.judica(&format!("{base} {more} {part}")).exits(0);
            }
            place.judica("finish parts").exits(0);
            place.same_files("whole", "parts");
            fs::remove_dir_all(place.path("parts")).unwrap();
        }
    }
    place
        .judica("reproduce whole")
        .exits(0)
        .says(&["identical"]);
}

#[test]
fn pieces_of_other_options_or_inputs_are_refused() {
    let place = hostile();
    let part = |part: &str, more: &str| {
        place
            .judica(&format!(
                "match --predictions f.jsonl --run run --part {part} {more}"
            ))
            .exits(0);
    };
    part("1/2", "");
    part("2/2", "--normalizer text");
    place
        .judica("finish run")
        .exits(3)
        .complains(&["/options/normalizer", "in part 2"]);
    let text = place.text("f.jsonl");
    place.write("f.jsonl", format!("{text}\n"));
    part("2/2", "");
    place
        .judica("finish run")
        .exits(3)
        .complains(&["f.jsonl", "changed between part 1 and part 2"]);
    place
        .judica("match --predictions f.jsonl --part 1/2")
        .exits(2);
}

#[test]
fn a_limit_of_lines_is_an_option_of_the_run() {
    let place = Place::new();
    let row = |at: usize| {
        let input = "x".repeat(if at == 3 { 4000 } else { 4 });
        format!(r#"{{"id":"{at}","input":"{input}","gold":"a","prediction":"a"}}"#)
    };
    let rows: Vec<String> = (0..6).map(row).collect();
    place.write_lines("p.jsonl", &rows);
    place
        .judica("match -p p.jsonl --max-line 2KiB --run whole")
        .exits(0)
        .says(&["inputs 6 = records 5 + rejects 1"]);
    assert_eq!(
        place.json("whole/manifest.json")["options"]["max_line"],
        2048
    );
    place
        .judica("reproduce whole")
        .exits(0)
        .says(&["identical"]);
    for (part, limit) in [(1, ""), (2, "--max-line 2KiB")] {
        let line = format!("match -p p.jsonl --run parts --part {part}/2 {limit}");
        place.judica(&line).exits(0);
    }
    place
        .judica("finish parts")
        .exits(3)
        .complains(&["max_line"]);
}
