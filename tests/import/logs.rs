//! Several logs, and how they become one run.

use serde_json::{Value, json};

use crate::import::eval_log::{ZSTD, eval, header, log_of, sample};
use crate::support::{Place, STAMP, report};

fn verdicts(place: &Place, run: &str) -> Vec<String> {
    let ran = place
        .judica(&format!("export {run} --format jsonl"))
        .exits(0);
    let lines = ran.stdout.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| record[key].to_string().replace('"', "");
        format!("{}.{} {}", word("item"), word("epoch"), word("verdict"))
    });
    lines.collect()
}

#[test]
fn of_two_logs_the_later_one_counts_whatever_they_are_called() {
    let place = Place::new();
    place.write("a.eval", log_of("CCC", "2026-11-15T10:00:00+00:00"));
    place.write("b.eval", log_of("II", "2026-11-14T10:00:00+00:00"));
    place
        .judica("import a.eval b.eval --run run")
        .exits(0)
        .says(&["inputs 5 = records 3 + rejects 2", "2 × superseded"]);
    assert_eq!(
        verdicts(&place, "run"),
        ["0.1 pass", "1.1 pass", "2.1 pass"]
    );
    let rejects = place.json_lines("run/rejects.jsonl");
    assert_eq!(rejects[0]["file"], "b.eval");
    let told = rejects[0]["detail"].as_str().unwrap();
    assert!(told.contains("stands in a later log, a.eval"), "{told}");
    let report = place.json("run/report.json");
    assert_eq!(report["logs"][0]["path"], "b.eval");
    assert_eq!(report["logs"][0]["counts"]["superseded"], 2);

    place
        .judica("import a.eval b.eval --keep-all --run all")
        .exits(0);
    let all = verdicts(&place, "all");
    assert_eq!(
        all,
        ["0.1 fail", "1.1 fail", "0.2 pass", "1.2 pass", "2.1 pass"]
    );

    // One file is one log, however it is spelt.
    place.write("deep/x", "");
    place
        .judica("import b.eval ./b.eval deep/../b.eval --keep-all --run once")
        .exits(0);
    assert_eq!(verdicts(&place, "once"), ["0.1 fail", "1.1 fail"]);
}

#[test]
fn a_log_is_later_by_the_clock_and_not_by_how_it_writes_that() {
    let place = Place::new();
    place.write("early.eval", log_of("II", "2026-11-15T10:00:00+02:00"));
    place.write("late.eval", log_of("CC", "2026-11-15T09:00:00Z"));
    place
        .judica("import late.eval early.eval --run run")
        .exits(0);
    assert_eq!(verdicts(&place, "run"), ["0.1 pass", "1.1 pass"]);
}

#[test]
fn a_folder_gives_all_its_logs_and_says_what_is_none() {
    let place = Place::new();
    let other = header("other", "m", "", json!(null));
    let one = [sample(json!("x"), 1, json!({"match": "I"}), json!({}))];
    place.write("logs/deep/b.eval", eval(&other, &one, ZSTD));
    place.write("logs/a.eval", log_of("CI", ""));
    place.write("logs/notes.txt", "hello");
    place
        .judica("import logs --run run")
        .exits(0)
        .complains(&["1 file is of no harness that is known: logs/notes.txt"]);
    assert_eq!(verdicts(&place, "run").len(), 3);
    let manifest = place.json("run/manifest.json");
    let inputs: Vec<&Value> = manifest["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| &i["path"])
        .collect();
    assert_eq!(inputs, [&json!("logs/a.eval"), &json!("logs/deep/b.eval")]);
    // A folder whose logs were given before is not without logs.
    place
        .judica("import logs/a.eval logs logs/deep --keep-all --run again")
        .exits(0);
    assert_eq!(verdicts(&place, "again"), verdicts(&place, "run"));
    place.write("none/notes.txt", "hello");
    place
        .judica("import none --run other")
        .exits(2)
        .complains(&["none: no log in this folder; looked at 1 files"]);
    place
        .judica("import logs --as promptfoo --run other")
        .exits(2);
}

#[test]
fn records_can_be_clustered_by_metadata() {
    let place = Place::new();
    let samples: Vec<Value> = (0..6)
        .map(|i| {
            let more = json!({"metadata": {"passage": format!("p{}", i / 2)}});
            sample(
                json!(i),
                1,
                json!({"match": if i < 3 { "C" } else { "I" }}),
                more,
            )
        })
        .collect();
    place.write(
        "log.eval",
        eval(&header("t", "m", "", json!(null)), &samples, ZSTD),
    );
    place
        .judica("import log.eval --run run --cluster metadata.passage")
        .exits(0);
    place
        .judica("export run --format csv")
        .exits(0)
        .says(&["p2"]);
    place
        .judica("import log.eval --run other --cluster metadata.page")
        .exits(2)
        .complains(&["--cluster metadata.page: no sample has it"]);
    assert_eq!(place.names("other"), Vec::<String>::new());
}

#[test]
fn texts_can_be_left_out_and_names_be_given() {
    let place = Place::new();
    place.write("log.eval", log_of("CI", ""));
    place
        .judica("import log.eval --run run --no-text --subject mine --dataset ours")
        .exits(0);
    let ran = place.judica("export run --format jsonl").exits(0);
    let record: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&record["subject"], &record["dataset"]),
        (&json!("mine"), &json!("ours"))
    );
    assert!(record.get("input").is_none(), "{record}");
}

#[test]
fn a_run_is_made_again_with_the_same_bytes() {
    let place = Place::new();
    place.write("a.eval", log_of("CCCI", "2026-11-15T10:00:00+00:00"));
    place.write("b.eval", log_of("II", "2026-11-14T10:00:00+00:00"));
    let line = format!("import a.eval b.eval --run run --timestamp {STAMP}");
    place.judica(&line).exits(0);
    place.judica("reproduce run").exits(0);
    std::fs::create_dir(place.path("moved")).unwrap();
    for log in ["a.eval", "b.eval"] {
        std::fs::rename(place.path(log), place.path(&format!("moved/{log}"))).unwrap();
    }
    place.judica("reproduce run --inputs moved").exits(0);
    place.write("moved/a.eval", log_of("CCCC", ""));
    place.judica("reproduce run --inputs moved").exits(3);
}

/// A scorer that has no say on a sample does not leave it undecided.
#[test]
fn logs_with_other_scorers_decide_for_themselves() {
    let place = Place::new();
    place.write("a.eval", log_of("CI", "2026-11-14T10:00:00+00:00"));
    let scores = |value: &str| json!({"other": value});
    let samples: Vec<Value> = ["C", "I", "maybe"]
        .iter()
        .map(|value| sample(json!(value), 1, scores(value), json!({})))
        .collect();
    let header = header("b", "m", "2026-11-15T10:00:00+00:00", json!(null));
    place.write("b.eval", eval(&header, &samples, ZSTD));
    place.judica("import a.eval b.eval --run run").exits(0);
    let all = [
        "0.1 pass",
        "1.1 fail",
        "C.1 pass",
        "I.1 fail",
        "maybe.1 undecided",
    ];
    assert_eq!(verdicts(&place, "run"), all);
}

/// More logs than are kept open at once.
#[test]
fn many_logs_are_one_run() {
    let place = Place::new();
    for number in 0..70 {
        let header = header(&format!("task{number}"), "m", "", json!(null));
        let one = [sample(json!("x"), 1, json!({"match": "C"}), json!({}))];
        place.write(&format!("logs/{number:03}.eval"), eval(&header, &one, ZSTD));
    }
    place
        .judica("import logs --run run")
        .exits(0)
        .says(&["inputs 70 = records 70"]);
    place.judica("reproduce run").exits(0);
}

#[test]
fn a_gate_says_of_a_log_that_it_did_not_end_well() {
    let place = Place::new();
    let mut broken = header("t", "m", "", json!(null));
    broken["status"] = json!("error");
    let one = [sample(json!("x"), 1, json!({"match": "C"}), json!({}))];
    place.write("log.eval", eval(&broken, &one, ZSTD));
    place.judica("import log.eval --run run").exits(0);
    place
        .judica("gate init --report run --out gates.toml")
        .exits(0);
    let note = "log.eval: the status of this log is `error`";
    let held = place.judica("gate check run --gates gates.toml --json");
    let held = held.exits(0).complains(&[note]);
    assert_eq!(report(&held)["notes"], json!([note]));
}
