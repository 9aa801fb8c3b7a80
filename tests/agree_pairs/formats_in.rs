//! Every way in which judgments may come gives the report of the plain one.

use serde_json::{Value, json};

use crate::agree_pairs::data::{
    PAIRS, SEPARATE, TEN, gzip, judgment, merged, pair, pair_with, report, ten, ten_tsv, zstd,
};
use crate::support::{Place, Ran};

/// What the ten pairs must give, however they are packed.
fn expected() -> String {
    merged(&ten()).judica(&format!("{PAIRS} --json")).stdout
}

#[track_caller]
fn same(place: &Place, ran: Ran) {
    assert_eq!(ran.exits(1).stdout, expected());
    assert_eq!(place.text("out/d.tsv"), ten_tsv());
}

#[track_caller]
fn same_from(place: &Place, file: &str) {
    let arguments = format!("{PAIRS} --json").replace("p.jsonl", file);
    same(place, place.judica(&arguments));
}

fn array(lines: &[String]) -> Value {
    let values = lines.iter().map(|line| serde_json::from_str(line));
    Value::Array(values.collect::<Result<_, _>>().expect("JSON"))
}

#[test]
fn compressed_files() {
    let place = merged(&ten());
    let bytes = place.read("p.jsonl");
    place.write("p.jsonl.gz", gzip(&bytes));
    place.write("p.ndjson.zst", zstd(&bytes));
    // Several members and frames after each other are one file.
    let (head, tail) = bytes.split_at(333);
    place.write("two.jsonl.gz", [gzip(head), gzip(tail)].concat());
    place.write("two.jsonl.zst", [zstd(head), zstd(tail)].concat());
    for file in [
        "p.jsonl.gz",
        "p.ndjson.zst",
        "two.jsonl.gz",
        "two.jsonl.zst",
    ] {
        same_from(&place, file);
    }
}

#[test]
fn json_arrays_pretty_and_compact() {
    let place = Place::new();
    let array = array(&ten());
    place.write("a.json", array.to_string());
    place.write(
        "b.json",
        serde_json::to_string_pretty(&array).expect("JSON"),
    );
    place.write("c.json.gz", gzip(array.to_string().as_bytes()));
    place.write("d.json", format!("\u{feff}\r\n {array}\r\n"));
    for file in ["a.json", "b.json", "c.json.gz", "d.json"] {
        same_from(&place, file);
    }
}

#[test]
fn byte_order_mark_carriage_returns_blank_lines_and_no_last_newline() {
    let place = Place::new();
    place.write("a.jsonl", format!("\u{feff}{}", ten().join("\r\n")));
    place.write("b.jsonl", format!("\n \t\r\n{}\n\n", ten().join("\n\n")));
    place.write("c.json", format!("{}\n", ten().join("\n")));
    for file in ["a.jsonl", "b.jsonl", "c.json"] {
        same_from(&place, file);
    }
}

#[test]
fn standard_input_plain_compressed_and_as_an_array() {
    let place = merged(&ten());
    let bytes = place.read("p.jsonl");
    let array = array(&ten()).to_string().into_bytes();
    let arguments = format!("{PAIRS} --json").replace("p.jsonl", "-");
    for input in [bytes.clone(), gzip(&bytes), zstd(&bytes), array] {
        same(&place, place.judica_with_stdin(&arguments, input));
    }
}

#[test]
fn one_of_two_files_may_be_standard_input() {
    let place = Place::new();
    let scholar = TEN.map(|(qid, label, _)| judgment(qid, label)).join("\n");
    let auditor = TEN.map(|(qid, _, label)| judgment(qid, label)).join("\r\n");
    place.write("s.jsonl", &scholar);
    place.write("a.jsonl", format!("\u{feff}{auditor}"));
    let plain = place.judica(&format!("{SEPARATE} --json")).exits(1).stdout;
    assert_eq!(place.text("out/d.tsv"), ten_tsv());
    for (name, text) in [("s.jsonl", scholar), ("a.jsonl", auditor)] {
        for input in [text.clone().into_bytes(), gzip(text.as_bytes())] {
            let arguments = format!("{SEPARATE} --json").replace(name, "-");
            let ran = place.judica_with_stdin(&arguments, input).exits(1);
            assert_eq!(ran.stdout, plain);
            assert_eq!(place.text("out/d.tsv"), ten_tsv());
        }
    }
}

#[test]
fn both_forms_say_the_same_of_the_same_pairs() {
    let place = merged(&ten());
    let together = report(&place.judica(&format!("{PAIRS} --json")));
    place.write_lines("s.jsonl", &TEN.map(|(qid, label, _)| judgment(qid, label)));
    place.write_lines("a.jsonl", &TEN.map(|(qid, _, label)| judgment(qid, label)));
    let mut apart = report(&place.judica(&format!("{SEPARATE} --json")));
    assert_eq!(
        (&apart["inputs"], &apart["records"]),
        (&json!(20), &json!(20))
    );
    for key in ["inputs", "records"] {
        apart[key] = together[key].clone();
    }
    assert_eq!(apart, together);
}

#[test]
fn the_same_json_may_be_written_in_many_ways() {
    let plain = pair_with(
        "é\"1",
        "VALID",
        "REJECT",
        json!({"answer_json": {"citations": ["p1#2"]}, "retrieved_ids": ["p1#2"], "flags": {}}),
    );
    let row = "é\"1\tVALID\tREJECT\tREJECT\tauditor_veto\n";
    for line in [
        plain.as_str(),
        r#" { "flags" : { } , "retrieved_ids" : [ "p1\u00232" ] , "auditor" : { "label" : "REJECT" } ,
            "answer_json":{"citations":["p1#2"]},"scholar":{"reason":null,"label":"VALID"},"qid":"é\"1"} "#,
        r#"{"\u0071id":"\u00e9\u00221","scholar":{"l\u0061bel":"\u0056ALID"},"auditor":{"label":"REJECT"}}"#,
        // Of equal keys the last counts.
        r#"{"qid":"x","qid":"é\"1","scholar":{"label":"REJECT"},"scholar":{"label":"ABSTAIN","label":"VALID"},
            "auditor":{"label":"REJECT"},"flags":{"provenance_violation":true},"flags":{}}"#,
        // What is not asked for is passed over, whatever it holds.
        r#"{"extra":{"qid":"no","scholar":{"label":"X"}},"qid":"é\"1","auditor":{"more":[1,{"label":"Y"}],
            "label":"REJECT"},"scholar":{"label":"VALID","confidence":1e-3},"n":null}"#,
    ] {
        let place = merged(&[line.replace('\n', " ")]);
        let ran = place.judica(&format!("{PAIRS} --json"));
        assert_eq!(report(&ran)["n"], 1, "{line}");
        let table = place.text("out/d.tsv");
        assert_eq!(table.split_once('\n').expect("a header").1, row, "{line}");
    }
}

#[test]
fn a_single_object_over_many_lines_is_one_pair() {
    let place = Place::new();
    let value: Value = serde_json::from_str(&pair("a", "VALID", "REJECT")).expect("JSON");
    place.write(
        "p.json",
        serde_json::to_string_pretty(&value).expect("JSON"),
    );
    let ran = place.judica(&format!("{PAIRS} --json").replace("p.jsonl", "p.json"));
    let report = report(&ran);
    assert_eq!((&report["n"], &report["inputs"]), (&json!(1), &json!(1)));
}
