//! Tables in place of JSON lines: the same report, places, rejects.

use serde_json::{Value, json};

use crate::support::flight::{CALM, EVAL, calm, output, state, tiny, tiny_outputs, tiny_samples};
use crate::support::tables::{Written, arrow, parquet, rows, separated};
use crate::support::{Place, gzip, raw_bytes, zstd};

/// The report without what names the inputs.
fn report(place: &Place, run: &str) -> Value {
    place.json(&format!("{run}/report.json"))
}

fn eval(samples: &str, outputs: &str, run: &str) -> String {
    format!(
        "eval --protocol flight --samples {samples} --outputs {outputs} --out {run} --timestamp \
         2025-01-19T10:30:00Z"
    )
}

#[test]
fn every_format_gives_the_same_report() {
    let place = tiny();
    place.judica(EVAL).exits(0);
    let expected = report(&place, "run");
    let (samples, outputs) = (rows(&tiny_samples()), rows(&tiny_outputs()));
    let formats: [(&str, Written, &str); 6] = [
        (
            "x.csv",
            |rows| separated(rows, ",").into_bytes(),
            "CSV, delimiter ','",
        ),
        (
            "x.tsv.gz",
            |rows| gzip(separated(rows, "\t").as_bytes()),
            "TSV",
        ),
        (
            "x.csv.zst",
            |rows| zstd(separated(rows, ";").as_bytes()),
            "CSV, delimiter ';'",
        ),
        ("x.parquet", parquet, "Parquet"),
        ("x.arrow", arrow, "Arrow"),
        ("x.parquet.gz", |rows| gzip(&parquet(rows)), "Parquet"),
    ];
    for (name, write, how) in formats {
        let (s, o) = (format!("s{name}"), format!("o{name}"));
        place.write(&s, write(&samples));
        place.write(&o, write(&outputs));
        let said = [
            format!("{s}: read as {how}, 4 columns, 4 rows"),
            format!("{o}: read as {how}, 3 columns, 8 rows"),
        ];
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        place.judica(&eval(&s, &o, "again")).exits(0).says(&said);
        assert_eq!(report(&place, "again"), expected, "{name}");
        let manifest = place.json("again/manifest.json");
        let read_as = manifest["inputs"][1]["read_as"].as_str().expect("how");
        assert!(read_as.starts_with(how), "{read_as}");
        place
            .judica("reproduce again")
            .exits(0)
            .says(&["identical"]);
        // What was answered is found where it stands.
        place
            .judica("show again a1 --model wild")
            .exits(0)
            .says(&[&format!("{o}:"), "-3500"]);
        for threads in [1, 3] {
            let line = format!("{} --threads {threads}", eval(&s, &o, "threads"));
            place.judica(&line).exits(0);
            assert_eq!(report(&place, "threads"), expected, "{name}");
        }
    }
    // A pipe has no name.
    let piped = place.judica_with_stdin(&eval("s.jsonl", "-", "piped"), place.read("ox.csv"));
    piped.exits(0);
    assert_eq!(report(&place, "piped"), expected);
}

#[test]
fn columns_are_named_and_the_gold_is_made_of_some() {
    let place = tiny();
    let samples = ["a1", "a2"].map(|id| {
        let mut row = json!({"question": id, "kind": "S1"});
        for (name, value) in CALM {
            row[name] = json!(value);
        }
        row
    });
    let outputs =
        ["a1", "a2"].map(|id| json!({"q": id, "who": "good", "said": calm("S1").to_string()}));
    let lines: Vec<String> = samples.iter().map(Value::to_string).collect();
    place.write_lines("w.jsonl", &lines);
    place.write("w.csv", separated(&samples, ","));
    place.write("w.parquet", parquet(&samples));
    place.write("o.csv", separated(&outputs, ","));
    place.write_lines("one.jsonl", &tiny_samples()[..2]);
    place.write_lines("two.jsonl", &tiny_outputs()[..2]);
    place
        .judica(&eval("one.jsonl", "two.jsonl", "run"))
        .exits(0);
    let expected = report(&place, "run");
    let gold: Vec<&str> = CALM.iter().map(|(name, _)| *name).collect();
    let gold = gold.join(",");
    for name in ["w.csv", "w.parquet", "w.jsonl"] {
        let run = |more: &[&str]| {
            let line = eval(name, "o.csv", "wide");
            let mut command = place.command(&line);
            command.args(["--gold-columns", &gold, "--column", "samples.id=question"]);
            command.args(["--column", "task=kind", "--column", "outputs.id=q"]);
            command.args(["--column", "model=who", "--column", "response=said"]);
            crate::support::ran({
                command.args(more);
                command
            })
        };
        // Outputs have no such column.
        run(&[])
            .exits(2)
            .complains(&["--column task=kind: no row of o.csv has it"]);
        let said = |said: &str| said.replace("task=kind", "samples.task=kind");
        let line = eval(name, "o.csv", "wide");
        let mut command = place.command(&line);
        command.args(["--gold-columns", &gold]);
        for column in [
            "samples.id=question",
            "task=kind",
            "outputs.id=q",
            "model=who",
            "response=said",
        ] {
            command.args(["--column", &said(column)]);
        }
        crate::support::ran(command).exits(0);
        assert_eq!(report(&place, "wide"), expected, "{name}");
        place.judica("reproduce wide").exits(0).says(&["identical"]);
    }
    for (said, words) in [
        ("--column colour=x", "there is no field `colour`"),
        ("--column gold", "expected FIELD=COLUMN"),
        ("--column gold=a --column gold=b", "said twice"),
        (
            "--column gold=a --gold-columns b",
            "--column says where `gold` stands",
        ),
        ("--column gold=nowhere", "no row of one.jsonl has it"),
        ("--column model=/a/b", "no row of two.jsonl has it"),
    ] {
        let line = format!("{} {said}", eval("one.jsonl", "two.jsonl", "none"));
        place.judica(&line).exits(2).complains(&[words]);
    }
}

#[test]
fn gold_may_be_the_object_itself_also_in_a_cell() {
    let place = tiny();
    let gold = [
        state(&[]),
        json!({"next_second": state(&[])}),
        json!(state(&[]).to_string()),
    ];
    let samples: Vec<Value> = gold
        .iter()
        .enumerate()
        .map(|(at, gold)| json!({"id": at, "task": "S1", "gold": gold}))
        .collect();
    let outputs: Vec<String> = (0..3)
        .map(|at| output("m", &at.to_string(), &calm("S1")))
        .collect();
    place.write_lines("o.jsonl", &outputs);
    let lines: Vec<String> = samples.iter().map(Value::to_string).collect();
    place.write_lines("s.jsonl", &lines);
    place.write("s.csv", separated(&samples, ","));
    for name in ["s.jsonl", "s.csv"] {
        place.judica(&eval(name, "o.jsonl", "run")).exits(0);
        let report = report(&place, "run");
        assert_eq!(report["gold"]["usable"], 3, "{name}: {}", report["gold"]);
        place
            .judica(&format!("calibrate --protocol flight --samples {name}"))
            .exits(0)
            .says(&["3 samples, 3 with gold"]);
    }
    place.write("bad.csv", "id,task,gold\n0,S1,{'Pitch (deg)': 1}\n");
    place
        .judica(&eval("bad.csv", "o.jsonl", "run"))
        .exits(0)
        .complains(&["not_an_object"]);
}

#[test]
fn folders_and_patterns_of_tables() {
    let place = tiny();
    place.judica(EVAL).exits(0);
    let expected = report(&place, "run");
    let (samples, outputs) = (rows(&tiny_samples()), rows(&tiny_outputs()));
    for (at, half) in samples.chunks(2).enumerate() {
        place.write(&format!("samples/{at}.csv"), separated(half, ","));
    }
    for (at, half) in outputs.chunks(4).enumerate() {
        place.write(&format!("outputs/{at}.parquet"), parquet(half));
    }
    place.write("outputs/notes.md", "beside");
    for (s, o) in [
        ("samples", "outputs"),
        ("samples/*.csv", "outputs/[0-9].parquet"),
        ("**/*.csv", "out*/"),
    ] {
        place.judica(&eval(s, o, "again")).exits(0);
        assert_eq!(report(&place, "again"), expected, "{s} {o}");
    }
    let inputs = &place.json("again/manifest.json")["inputs"];
    assert_eq!(inputs[0]["path"], "samples/0.csv");
    place
        .judica(&eval("*.xyz", "outputs", "none"))
        .exits(2)
        .complains(&["*.xyz: nothing matches this pattern"]);
}

#[test]
fn rows_that_cannot_be_used_are_kept_as_they_stand() {
    let place = tiny();
    let answer = calm("S1").to_string().replace('"', "\"\"");
    let text = format!(
        "model,sample_id,response\ngood,a1,\"{answer}\"\ngood,a2\nmodel,sample_id,response\ngood,a1,\"{answer}\"\ngood,zz,x\n"
    );
    place.write("o.csv", &text);
    place
        .judica(&eval("s.jsonl", "o.csv", "run"))
        .exits(0)
        .says(&["inputs 5 = records 1 + rejects 4", "1 × repeated_header"]);
    let rejects = place.json_lines("run/rejects.jsonl");
    let reasons: Vec<&str> = rejects
        .iter()
        .map(|reject| reject["reason"].as_str().expect("a reason"))
        .collect();
    assert_eq!(
        reasons,
        [
            "wrong_field_count",
            "repeated_header",
            "duplicate_output",
            "unknown_sample"
        ]
    );
    for reject in &rejects {
        let at = reject["byte_offset"].as_u64().expect("an offset") as usize;
        let raw = raw_bytes(reject);
        assert_eq!(&text.as_bytes()[at..at + raw.len()], raw);
    }
    place.write("o.xlsx", b"PK\x03\x04rest");
    place
        .judica(&eval("s.jsonl", "o.xlsx", "run"))
        .exits(2)
        .complains(&["it seems to be an Excel workbook"]);
}

#[test]
fn confidence_may_be_a_table() {
    let place = tiny();
    place.write(
        "c.json",
        r#"[{"model_name": "good", "c_score": 0.5, "note": "x"}]"#,
    );
    place
        .judica(&format!("{EVAL} --confidence c.json"))
        .exits(0);
    let expected = report(&place, "run");
    place.write("c.csv", "model_name,c_score,note\ngood,0.5,x\n");
    place.judica(&format!("{EVAL} --confidence c.csv")).exits(0);
    assert_eq!(report(&place, "run"), expected);
    place.write("c.csv", "model_name,c_score\ngood\n");
    place
        .judica(&format!("{EVAL} --confidence c.csv"))
        .exits(2)
        .complains(&["c.csv:2: the header has 2 fields"]);
}
