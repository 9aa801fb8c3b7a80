//! What `look` proposes is read, and what is refused says how it is mended.

use serde_json::json;

use crate::support::Place;

const KEYS: [&str; 7] = [
    "results",
    "data",
    "items",
    "rows",
    "examples",
    "samples",
    "predictions",
];

#[test]
fn rows_of_a_document_are_read_where_look_finds_them() {
    let place = Place::new();
    let answers: Vec<_> = (0..4)
        .map(|id| json!({"id": id, "gold": "a", "prediction": (["a", "b"][id % 2])}))
        .collect();
    let ratings: Vec<_> = (0..8)
        .map(|n| json!({"item": n / 2, "rater": (["x", "y"][n % 2]), "value": n / 3}))
        .collect();
    let scores = json!([{"doc": "d1", "f1": 0.5}, {"doc": "d2", "f1": 0.25}]);
    let episodes =
        json!([{"episode_id": "e", "goal": "g", "steps": [{"action": {"type": "done"}}]}]);
    for key in KEYS {
        for pretty in [false, true] {
            let write = |name: &str, rows: serde_json::Value| {
                let document = json!({"dataset": "d", (key): rows});
                place.write(
                    name,
                    match pretty {
                        true => serde_json::to_string_pretty(&document).expect("JSON"),
                        false => document.to_string(),
                    },
                );
            };
            write("f.json", json!(answers));
            let looked = place.judica("look f.json").exits(0);
            looked.says(&["predictions with their gold", &format!("under `{key}`")]);
            let matched = "match --predictions f.json --json";
            let matched = place.judica(matched).exits(0);
            let report: serde_json::Value = serde_json::from_str(&matched.stdout).expect("JSON");
            assert_eq!(report["n_examples"], 4, "{report}");
            write("r.json", json!(ratings));
            let command = "agree ratings --input r.json --level ordinal";
            let looked = place.judica("look r.json").exits(0);
            looked.says(&[command]);
            place
                .judica(command)
                .exits(0)
                .says(&["percent agreement", "│     4 │"]);
            write("s.json", scores.clone());
            let _ = std::fs::remove_dir_all(place.path("a-run"));
            let command = "import s.json --as table --run a-run --item doc --metric f1";
            place.judica("look s.json").exits(0).says(&[command]);
            place.judica(command).exits(0);
            write("e.json", episodes.clone());
            place
                .judica("look e.json")
                .exits(0)
                .says(&["recorded episodes"]);
            let command = "episodes --episodes e.json --predictions e.json --mode coord \
                           --config-path c --backend b --out eval.json";
            place.judica(command).exits(0);
        }
    }
    // Elsewhere nobody looks for them, and nothing is proposed that would fail.
    place.write("g.json", json!({"mine": answers}).to_string());
    let looked = place.judica("look g.json").exits(0).says(&[
        "predictions with their gold under `mine`, where no command looks",
        "json.load(open('g.json'))['mine']",
    ]);
    assert!(!looked.stdout.contains("judica match"), "{}", looked.stdout);
    // A row may hold such a list.
    let row = json!({"gold": "a", "prediction": "a", "items": [{"x": 1}]});
    place.write("l.jsonl", format!("{row}\n{row}\n"));
    place.judica("match --predictions l.jsonl").exits(0);
}

#[test]
fn text_that_is_not_utf_8_is_named_with_what_mends_it() {
    let place = Place::new();
    let matched = "--gold antwort --prediction modell";
    let mends = "iconv -f CP1252 -t UTF-8";
    for (text, whole) in [
        (
            &b"nr;antwort;modell\n1;\xd6sterreich;\xd6sterreich\n2;D\xe4nemark;Schweden\n"[..],
            false,
        ),
        (b"nr;antwort;modell;f\xfcr\n1;Wien;Wien;x\n", false),
        (
            b"nr;antwort;modell\n1;Wien;Wien\n2;D\xe4nemark;Schweden\n3;Rom;Wien\n",
            true,
        ),
    ] {
        place.write("l.csv", text);
        let looked = place.judica("look l.csv").exits(if whole { 0 } else { 2 });
        looked.says(&["not UTF-8", &format!("{mends} l.csv > utf8-l.csv")]);
        let ran = place.judica(&format!("match --predictions l.csv {matched}"));
        match whole {
            true => {
                ran.exits(0);
                let rejects = place.text("rejects.jsonl");
                assert!(rejects.contains(mends), "{rejects}");
            }
            false => {
                assert!(ran.code == 2 || ran.code == 3, "{}", ran.stderr);
                ran.complains(&[mends]);
            }
        }
    }
}

#[test]
fn episodes_in_columns_are_known() {
    let place = Place::new();
    place.write(
        "p.csv",
        "episode_id,step_index,action.type,action.x,action.y\ne0,0,click,0.5,0.3\ne0,1,done,,\n",
    );
    place.judica("look p.csv").exits(0).says(&[
        "what an agent did in episodes",
        "--predictions p.csv --mode coord",
    ]);
    place.write(
        "s.csv",
        "episode_id,step_index,pred_action.type,pred_action.element_index,\
         ground_truth_action.type,ground_truth_action.element_index\ne0,0,click,1,click,2\n",
    );
    let command = "episodes --episodes s.csv --mode som --config-path config.yaml --backend agent";
    place
        .judica("look s.csv")
        .exits(0)
        .says(&["stored samples of episodes", "--episodes s.csv --mode som"]);
    place.judica(&format!("{command} --out eval.json")).exits(0);
}

#[test]
fn judges_without_gold_are_judges() {
    let place = Place::new();
    for judge in ["ann", "bob"] {
        place.write(
            &format!("judged/{judge}/sums.jsonl"),
            "{\"input\": \"2+2\", \"prediction\": \"4\", \"correct\": \"yes\"}\n",
        );
    }
    place.judica("look judged").exits(0).says(&[
        "a folder of judges",
        "judica agree judges --eval-dir judged",
    ]);
}

#[test]
fn columns_of_other_names_are_asked_for_by_their_options() {
    let place = Place::new();
    place.write(
        "a.csv",
        "Frage-Nr;Frage;Richtige Antwort;Modell A;Modell B\n1;Wo?;Wien;Wien;Rom\n\
         2;Wer?;Rom;Wien;Rom\n3;Was?;Bern;Bern;Wien\n",
    );
    let columns = "--gold COLUMN";
    place.judica("look a.csv").exits(0).says(&[columns]);
    let line = "match --predictions a.csv";
    let gold = "--column gold=NAME says where it stands";
    place.judica(line).exits(2).complains(&[gold]);
    place
        .judica(
            "judge --predictions a.csv --model m --base-url http://127.0.0.1:9/v1 --dry-run --out o",
        )
        .exits(2)
        .complains(&["--column input=NAME says where it stands"]);
}

#[test]
fn columns_as_lists_are_no_row() {
    let place = Place::new();
    let lists = r#"{"gold": ["a", "b", "c"], "prediction": ["a", "c", "c"]}"#;
    place.write("c.json", lists);
    let frame = "a pandas frame by columns";
    place.judica("look c.json").exits(0).says(&[frame]);
    let line = "match --predictions c.json";
    place.judica(line).exits(2).complains(&[frame]);
    // In lines and lists it is a row, with several golds.
    place.write("c.jsonl", lists);
    place.write("l.json", format!("[{lists}]"));
    place.judica("match --predictions c.jsonl").exits(0);
    place.judica("match --predictions l.json").exits(0);
}

#[test]
fn a_folder_of_one_kind_is_given_to_its_command() {
    let place = Place::new();
    let predictions = "id,gold,prediction\n1,a,a\n2,b,a\n";
    for name in ["p/a.csv", "p/b.txt", "p/.h.csv", "q/a.csv", "q/b.csv"] {
        place.write(name, predictions);
    }
    for name in ["p/README.md", "q/README.md"] {
        place.write(name, "words\n");
    }
    place.write("q/_SUCCESS", "");
    for name in ["r/a.csv", "r/b.csv"] {
        place.write(name, "item,rater,value\n1,x,yes\n1,y,no\n");
    }
    for (folder, said, command) in [
        (
            "p",
            "a folder with 1 file of predictions with their gold",
            "match --predictions p",
        ),
        (
            "q",
            "a folder with 2 files of predictions with their gold",
            "match --predictions q",
        ),
        (
            "r",
            "a folder with 2 files of ratings",
            "agree ratings --input r --level nominal",
        ),
    ] {
        let ran = place.judica(&format!("look {folder}")).exits(0);
        ran.says(&[said, &format!("judica {command}\n")]);
        place.judica(command).exits(0);
    }
    let said = ["not read, by their names: `b.txt`", "1 hidden file"];
    place.judica("look p").exits(0).says(&said);
}

#[test]
fn what_readers_refuse_is_no_row_and_what_is_cut_off_is_no_fault() {
    let place = Place::new();
    let row = r#"{"id": "q1", "gold": "a", "prediction": "a"}"#;
    place.write("commas.jsonl", format!("{row},\n{row},\n{row}\n"));
    place.judica("look commas.jsonl").exits(2);
    place.write(
        "by.jsonl",
        r#"{"gold":{"0":"a","1":"b"},"prediction":{"0":"a","1":"b"}}"#,
    );
    let frame = ["a pandas frame by columns"];
    place.judica("look by.jsonl").exits(0).says(&frame);
    place.write("one.jsonl", format!("{{\"predictions\": [{row}]}}\n"));
    let document = ["1 row under `predictions`", "match --predictions one.jsonl"];
    place.judica("look one.jsonl").exits(0).says(&document);
    place.judica("match --predictions one.jsonl").exits(0);
    let long = "words\n".repeat(20_000);
    let cells: String = (0..12).map(|id| format!("{id},a,\"{long}\"\n")).collect();
    place.write("cut.csv", format!("id,gold,prediction\n{cells}"));
    let cut = place
        .judica("look cut.csv")
        .exits(0)
        .says(&["8 rows in the first 1.0 MiB"]);
    assert!(!cut.stdout.contains("broken"), "{}", cut.stdout);
}

#[test]
fn columns_are_named_as_commands_take_them() {
    let place = Place::new();
    place.write("s.csv", "/id,label,/pred\na,x,x\nb,y,x\nc,x,x\n");
    let command = "match --predictions s.csv --item '/~1id' --gold label --prediction '/~1pred'";
    place
        .judica("look s.csv")
        .exits(0)
        .says(&["--item '/~1id'", "--prediction '/~1pred'"]);
    place.judica(&command.replace('\'', "")).exits(0);
    place.write("v.csv", "qid,label,prediction\n1,A,A\n2,B,A\n3,C,C\n");
    let predictions = ["match --predictions v.csv --item qid --gold label"];
    place.judica("look v.csv").exits(0).says(&predictions);
}

#[test]
fn maps_of_maps_are_no_prices_and_programs_no_logs() {
    let place = Place::new();
    place.write("a.json", r#"{"alice": {"age": 3}, "bob": {"age": 4}}"#);
    place.write("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\n");
    place.write(
        "a.rs",
        "const KEYS: [&str; 2] = [\"testRunData\", \"testCases\"];\nfn main() {}\n",
    );
    for name in ["a.json", "Cargo.toml", "a.rs"] {
        let ran = place.judica(&format!("look {name}"));
        for wrong in ["prices", "DeepEval"] {
            let said = ran.stdout.replace("no prices", "");
            assert!(!said.contains(wrong), "{said}");
        }
    }
}

#[test]
fn rows_of_no_kind_can_be_used_with_options() {
    let place = Place::new();
    place.write("t.csv", "a,b\nlong words,other words\nand more,again\n");
    let ran = place.judica("look t.csv").exits(0);
    ran.says(&["rows of no kind that is known", "Say where things stand."]);
    place.judica("demo --samples 4 --out d").exits(0);
    let ran = place.judica("look d/run/failures.parquet").exits(0);
    ran.says(&["rows of no kind that is known", "Say where things stand."]);
}

#[test]
fn samples_need_no_task_where_the_gold_has_fields() {
    let place = Place::new();
    place.write(
        "s.jsonl",
        "{\"sample_id\": \"a\", \"input\": \"?\", \"context\": \"so\", \"gold\": {\"x\": 1}}\n",
    );
    place.write(
        "o.jsonl",
        "{\"id\": \"a\", \"model\": \"m\", \"response\": \"{}\"}\n",
    );
    let ran = place.judica("look s.jsonl").exits(0);
    ran.says(&["samples of a protocol", "--outputs o.jsonl"]);
    let ran = place.judica("look o.jsonl").exits(0);
    ran.says(&["--samples s.jsonl"]);
    // What was answered is none, and neither is one value.
    for (row, is) in [
        (
            r#"{"id": 1, "gold": {"x": 1}, "input": "?", "output": "{}"}"#,
            "predictions",
        ),
        (
            r#"{"id": 1, "gold": "x", "note": "so"}"#,
            "no kind that is known",
        ),
    ] {
        place.write("t.jsonl", format!("{row}\n").repeat(2));
        place.judica("look t.jsonl").exits(0).says(&[is]);
    }
}

#[test]
fn a_document_is_gated_where_it_holds_a_metric() {
    let place = Place::new();
    for (text, is) in [
        (r#"{"accuracy": 0.5}"#, "judica gate init --report d.json"),
        (r#"{"title": "so", "note": "x"}"#, "Say where things stand."),
        (
            r#"{"q0": {"pred": "a", "gold": "b"}, "q1": {"pred": "a", "gold": "a"}}"#,
            "python3 -c",
        ),
    ] {
        place.write("d.json", text);
        let shown = place.judica("look d.json").exits(0).says(&[is]).stdout;
        let gated = place.judica("gate init --report d.json --out -");
        let metric = shown.contains("gate init");
        gated.exits(if metric { 0 } else { 2 });
        place
            .judica_with_stdin("look -", text)
            .exits(0)
            .says(&[&is[..10]]);
    }
    // The rows that the hint makes are read.
    let shown = place.judica("look d.json").stdout;
    let command = shown.lines().find(|line| line.starts_with("python3"));
    let ran = std::process::Command::new("sh")
        .args(["-c", command.expect("a command")])
        .current_dir(place.path("."))
        .status();
    assert!(ran.expect("a shell").success());
    place
        .judica("look d.jsonl")
        .exits(0)
        .says(&["judica match --predictions d.jsonl"]);
}
