//! Every shape of a judged file, every name of a field, every spelling of a verdict.

use serde_json::{Value, json};

use crate::agree_judges::data::{
    JUDGES, gzip, judge, judged, measured, refused, report, row, row_with, rows,
};
use crate::support::Place;

/// Two judges who say the same of three items: one in the usual shape, one as given.
#[track_caller]
fn reads(name: &str, bytes: impl AsRef<[u8]>) {
    let place = Place::new();
    judge(&place, "ana", "one", &rows("yny"));
    place.write(name, bytes);
    let report = measured(&place, "");
    let judges = report["judges"].as_array().expect("judges");
    assert_eq!(judges.len(), 2, "{name}");
    for judge in judges {
        assert_eq!([&judge["used"], &judge["yes"]], [3, 2], "{name}");
    }
    assert_eq!([&report["items"], &report["sources"]], [3, 1], "{name}");
    assert_eq!(report["disagreement_items"], 0, "{name}");
}

fn lines(end: &str) -> String {
    rows("yny")
        .iter()
        .map(|row| format!("{row}{end}"))
        .collect()
}

#[test]
fn shapes_of_files() {
    let list = json!(rows("yny")).to_string();
    reads("eval/ben/one.json", judged("m", "one", &rows("yny")));
    reads("eval/ben/one.json", &list);
    reads("eval/ben/one.json", format!("\n\n  {list}\n\n"));
    reads("eval/ben/one.json", format!("\u{feff}{list}"));
    for key in ["detailed_results", "predictions", "annotations"] {
        let object = json!({"metrics": {"n": 3}, key: rows("yny")});
        reads("eval/ben/one.json", object.to_string());
    }
}

#[test]
fn lines_with_either_end() {
    for end in ["\n", "\r\n", "\n\n", " \n"] {
        reads("eval/ben/one.jsonl", lines(end));
        reads("eval/ben/one.ndjson", lines(end));
        // Also where the name promises something else.
        reads("eval/ben/one.json", lines(end));
    }
    reads("eval/ben/one.jsonl", lines("\n").trim_end());
    reads("eval/ben/one.jsonl", format!("\u{feff}{}", lines("\n")));
}

#[test]
fn compressed_files() {
    let list = json!(rows("yny")).to_string();
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).expect("zstd");
    reads("eval/ben/one.json.gz", gzip(list.as_bytes()));
    reads("eval/ben/one.json.zst", zstd(list.as_bytes()));
    reads("eval/ben/one.jsonl.gz", gzip(lines("\r\n").as_bytes()));
    reads("eval/ben/one.jsonl.zst", zstd(lines("\n").as_bytes()));
    // Told by their contents, not only by their name.
    reads("eval/ben/one.json", gzip(list.as_bytes()));
}

/// The data set is what a file says it judged; its own name if it does not say.
#[test]
fn names_of_the_data_set() {
    for source in ["one.json", "runs/one.json", "C:\\runs\\one.json", "one"] {
        let file = json!({"source_file": source, "detailed_results": rows("yny")});
        reads("eval/ben/whatever.json", file.to_string());
    }
    let named = rows("yny")
        .into_iter()
        .map(|row| with_source(row, "runs/one.jsonl.gz"));
    reads(
        "eval/ben/whatever.json",
        json!(named.collect::<Vec<_>>()).to_string(),
    );
}

fn with_source(mut row: Value, source: &str) -> Value {
    row["source_file"] = source.into();
    row
}

/// A file outside any judge's folder says whose it is.
#[test]
fn files_that_name_their_judge() {
    reads("eval/any name.json", judged("ben", "one", &rows("yny")));
    let place = Place::new();
    judge(&place, "ana", "one", &rows("yn"));
    place.write("eval/nobody.json", json!(rows("yy")).to_string());
    let report = measured(&place, "");
    assert_eq!(report["judges"].as_array().map(Vec::len), Some(1));
    assert_eq!(refused(&report, "no_judge"), 1);
}

#[test]
fn names_of_fields() {
    let renamed = |names: [&str; 3]| {
        let rows = rows("yny").into_iter().map(|row| {
            json!({names[0]: row["input"], names[1]: row["gold"], names[2]: row["prediction"],
                   "correct": row["correct"]})
        });
        json!(rows.collect::<Vec<_>>()).to_string()
    };
    for names in [
        ["nl", "expected", "generated"],
        ["input", "reference", "model_output"],
        ["nl", "output", "prediction"],
        ["input", "expected_options", "generated"],
    ] {
        reads("eval/ben/one.json", renamed(names));
    }
    // A name whose value is null is as good as absent.
    let rows = rows("yny").into_iter().map(|row| {
        let input = row["input"].clone();
        json!({"input": null, "nl": input, "gold": row["gold"], "generated": null,
               "prediction": row["prediction"], "correct": row["correct"]})
    });
    reads(
        "eval/ben/one.json",
        json!(rows.collect::<Vec<_>>()).to_string(),
    );
}

/// Texts that are written differently in JSON are the same texts.
#[test]
fn spellings_of_texts() {
    let mut text = json!(rows("yny")).to_string();
    text = text.replace("input 1", r"\u0069nput\u00201");
    text = text.replace("<<A>>F p2", r"\u003c<A>\u003EF p2");
    reads("eval/ben/one.json", text.replace(",", " ,\n\t"));
}

#[test]
fn spellings_of_verdicts() {
    let yes = [
        json!("yes"),
        json!("Yes"),
        json!("YES"),
        json!("yEs"),
        json!("true"),
        json!("TRUE"),
        json!("True"),
        json!(true),
        json!(1),
        json!("1"),
        json!(" yes\n"),
    ];
    let no = [
        json!("no"),
        json!("No"),
        json!("NO"),
        json!("nO"),
        json!("false"),
        json!("FALSE"),
        json!("False"),
        json!(false),
        json!(0),
        json!("0"),
        json!("\tno "),
    ];
    for (said, expected) in [(&yes, 11), (&no, 0)] {
        let place = Place::new();
        let rows: Vec<Value> = said
            .iter()
            .enumerate()
            .map(|(item, word)| row(item, word.clone()))
            .collect();
        judge(&place, "ana", "one", &rows);
        let judge = &measured(&place, "")["judges"][0];
        assert_eq!(
            [&judge["used"], &judge["yes"], &judge["refused_rows"]],
            [11, expected, 0]
        );
    }
}

/// What is not text is compared as what it is.
#[test]
fn golds_that_are_lists() {
    let place = Place::new();
    for (judge, text) in [("ana", r#"["p","q"]"#), ("ben", "[ \"p\",\n\"\\u0071\" ]")] {
        let row = row(0, "yes").to_string();
        let row = row.replace("\"<<A>>F p0\"", text);
        place.write(&format!("eval/{judge}/one.json"), format!("[{row}]"));
    }
    let report = measured(&place, "");
    assert_eq!([&report["items"], &report["pairwise"][0]["n"]], [1, 1]);
}

/// Hidden files, files of other kinds and deeper folders are not read; the visible ones
/// are named.
#[test]
fn other_things_in_the_folder() {
    let place = crate::agree_judges::data::panel(&[("ana", "yn"), ("ben", "yy")]);
    let plain = measured(&place, "");
    for name in [
        "eval/.cache/x.json",
        "eval/ana/.one.json",
        "eval/.DS_Store",
        "eval/.x.json",
    ] {
        place.write(name, "oops");
    }
    assert_eq!(measured(&place, ""), plain);
    for name in [
        "eval/README.md",
        "eval/ana/log.txt",
        "eval/ana/old/one.json",
    ] {
        place.write(name, "oops");
    }
    let report = measured(&place, "");
    assert_eq!(report["overall"], plain["overall"]);
    for word in ["README.md", "ana/log.txt", "ana/old"] {
        assert!(
            crate::agree_judges::data::notes(&report, word),
            "{word}: {}",
            report["notes"]
        );
    }
}

#[test]
fn the_report_does_not_say_where_the_folder_is() {
    let place = crate::agree_judges::data::three();
    let here = place.judica(&format!("{JUDGES} --json")).exits(0).stdout;
    let there = place.path("eval").display().to_string();
    let line = JUDGES.replace("--eval-dir eval", &format!("--eval-dir {there}/../eval/"));
    let ran = place.judica(&format!("{line} --json")).exits(0);
    assert_eq!(ran.stdout, here);
    assert_eq!(report(&ran)["eval_dir"], "eval");
}

/// Replies that could not be read are counted, and used unless that is unwanted. Rows that
/// a model declined to judge are counted, and have no verdict.
#[test]
fn replies_that_were_invalid_or_refused() {
    let place = Place::new();
    judge(&place, "ana", "one", &rows("yyyy"));
    let said = [
        row(0, "yes"),
        row_with(1, "no", json!({"parse_status": "invalid"})),
        row_with(2, "no", json!({"status": "content_filter"})),
        row_with(3, "yes", json!({"parse_status": "ok"})),
    ];
    judge(&place, "ben", "one", &said);
    let ben = |options: &str| measured(&place, options)["judges"][1].clone();
    let all = ben("");
    assert_eq!([&all["used"], &all["invalid"], &all["declined"]], [3, 1, 1]);
    assert_eq!(all["left_out"]["declined"], 1);
    let some = ben("--drop-invalid");
    assert_eq!(
        [
            &some["used"],
            &some["left_out"]["invalid"],
            &some["left_out"]["declined"]
        ],
        [2, 1, 1]
    );
}
