//! Files that people have, each in one command; and files that are no rows, named as what
//! they are.

use serde_json::{Value, json};

use crate::support::{Place, STAMP};

/// What every command that reads rows is given, with `IN` for the file.
const READERS: [&str; 7] = [
    "eval --protocol flight --samples IN --outputs IN --task S1 --model m --out out",
    "match --predictions IN",
    "efficiency --predictions IN",
    "judge --predictions IN --no-llm --out out",
    "episodes --episodes IN --predictions IN --mode coord --config-path c --backend b --out o.json",
    "agree pairs --pairs IN",
    "agree ratings --input IN --level nominal",
];

/// A frame as pandas writes it unless told to write rows.
#[test]
fn frames_that_are_no_rows_are_named_and_never_taken_for_one() {
    let orients = [
        (
            "columns",
            json!({"id": {"0": "a", "1": "b"}, "gold": {"0": 1, "1": 2}}),
        ),
        (
            "index",
            json!({"0": {"id": "a", "gold": 1}, "1": {"id": "b", "gold": 2}}),
        ),
        (
            "split",
            json!({"columns": ["id", "gold"], "index": [0, 1], "data": [["a", 1], ["b", 2]]}),
        ),
        (
            "table",
            json!({"schema": {"fields": [{"name": "id"}], "pandas_version": "1.4.0"},
                   "data": [{"index": 0, "id": "a"}]}),
        ),
        ("values", json!([["a", 1], ["b", 2]])),
    ];
    for (orient, frame) in orients {
        for reader in READERS {
            let place = Place::new();
            place.write("f.json", frame.to_string());
            let ran = place.judica(&reader.replace("IN", "f.json"));
            let what = if orient == "values" {
                "a list of lists"
            } else {
                "a pandas frame"
            };
            assert!(
                ran.code == 2 || ran.code == 3,
                "{orient}: {reader}: {ran:?}"
            );
            assert!(
                ran.stderr.contains(what),
                "{orient}: {reader}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn other_kinds_of_files_are_named() {
    let kinds: [(&str, &[u8], &str); 9] = [
        ("f.xlsx", b"PK\x03\x04rest", "an Excel workbook"),
        ("f.ods", b"PK\x03\x04rest", "an OpenDocument sheet"),
        ("f.zip", b"PK\x03\x04rest", "a zip archive"),
        ("f.csv.bz2", b"BZh91AY&SY", "a bzip2 archive"),
        ("f.csv.xz", b"\xfd7zXZ\0\0", "an xz archive"),
        ("f.pkl", b"\x80\x04\x95rest", "a Python pickle"),
        ("f.dta", b"<stata_dta><header>", "a Stata table"),
        ("f.db", b"SQLite format 3\0", "an SQLite database"),
        ("f.csv", b"\xff\xfe\0\0a\0\0\0", "UTF-32 text"),
    ];
    for (name, bytes, what) in kinds {
        for reader in READERS {
            let place = Place::new();
            place.write(name, bytes);
            let ran = place.judica(&reader.replace("IN", name));
            assert!(ran.code == 2 || ran.code == 3, "{name}: {reader}: {ran:?}");
            assert!(
                ran.stderr.contains(what),
                "{name}: {reader}: {}",
                ran.stderr
            );
        }
    }
}

fn printed(place: &Place, line: &str) -> Value {
    let ran = place.judica(&format!("{line} --json")).exits(0);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[test]
fn annotators_who_have_a_column_each() {
    let place = Place::new();
    place.write(
        "wide.csv",
        "text;ann;bob;cy\nx;yes;yes;no\ny;no;no;\nz;yes;no;no\nw;no;no;no\n",
    );
    let line = "agree ratings --input wide.csv --level nominal --column item=text \
                --rater-columns ann,bob,cy";
    let report = printed(&place, line);
    assert_eq!(
        (&report["items"], &report["ratings"]),
        (&json!(4), &json!(11))
    );
    assert!(
        report["krippendorff_alpha"]["value"].is_number(),
        "{report}"
    );
}

/// Judgments of pairs of answers as MT-bench has them: an item is a question, a turn and two
/// models; each judge is a rater.
#[test]
fn pairwise_judgments_of_two_judges() {
    let place = Place::new();
    place.write(
        "mt_bench.csv",
        "question_id,model_a,model_b,winner,judge,turn\n\
         81,gpt,llama,model_a,author_2,1\n81,gpt,llama,model_a,expert_1,1\n\
         81,gpt,llama,tie,author_2,2\n81,gpt,llama,model_b,expert_1,2\n\
         82,gpt,llama,model_b,author_2,1\n82,gpt,llama,model_b,expert_1,1\n",
    );
    let line = "agree ratings --input mt_bench.csv --level nominal --item \
                question_id,turn,model_a,model_b --rater judge --value winner";
    let report = printed(&place, line);
    assert_eq!(
        (&report["items"], &report["ratings"]),
        (&json!(3), &json!(6))
    );
    assert!(
        report["krippendorff_alpha"]["value"].is_number(),
        "{report}"
    );
}

#[test]
fn the_folders_of_nl2atl_and_openadapt() {
    let place = Place::new();
    let prediction = |said: &str| {
        json!({"metadata": {"run_id": "r", "model": "qwen", "model_short": "q"},
               "predictions": [
                   {"id": 1, "input": "a", "expected": "<<A>>F p", "generated": said,
                    "latency_ms": 5, "token_usage": {"input_tokens": 3, "output_tokens": 4}},
                   {"id": 2, "input": "b", "expected": "<<A>>G p", "generated": "<<A>>G p"}]})
    };
    place.write(
        "outputs/model_predictions/one.json",
        prediction("<<A>>F p").to_string(),
    );
    place.write(
        "outputs/model_predictions/sub/two.json",
        prediction("<<A>>G p").to_string(),
    );
    let report = printed(&place, "match --predictions outputs/model_predictions");
    assert_eq!(report["n_examples"], 4);
    let report = printed(
        &place,
        "efficiency --predictions outputs/model_predictions/**/*.json",
    );
    assert_eq!(report["records"], 4);
    let step = |at: u32, said: &str| {
        json!({"episode_id": "e", "step_index": at, "goal": "g", "model_output_raw": "…",
               "pred_action": {"type": said}, "ground_truth_action": {"type": "click"}})
    };
    let samples = [step(0, "click"), step(1, "done")].map(|row| row.to_string());
    place.write_lines("eval/samples.jsonl", &samples);
    place.write("eval/readme.md", "beside");
    let line = format!(
        "episodes --episodes eval --mode coord --config-path c --backend b --out e.json --timestamp \
         {STAMP}"
    );
    place.judica(&line).exits(0);
    assert_eq!(place.json("e.json")["metrics"]["action_type_accuracy"], 0.5);
    place.write("eval/more.jsonl", &samples[0]);
    place
        .judica(&line)
        .exits(2)
        .complains(&["eval: 2 files", "expected one"]);
}
