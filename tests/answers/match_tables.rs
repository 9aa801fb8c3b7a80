//! Tables in place of JSON: the same numbers, places and rejects.

use serde_json::{Value, json};

use crate::answers::data::{near, printed};
use crate::support::{Place, gzip, raw_bytes, zstd};

const WIDE: &str = "question;turn;label;llama3;gpt4;latency_ms\n\
                    q1;1;Paris;Paris;London;1,5\n\
                    q1;2;42;41;42;2,25\n\
                    q2;1;yes;\"Yes \";yes;3\n\
                    q3;1;no;;\"\";\n";

#[test]
fn a_column_for_each_model_gives_its_numbers_in_one_command() {
    let place = Place::new();
    place.write("m.csv", WIDE);
    let line = "match -p m.csv --gold label --item question,turn --prediction llama3 \
                --prediction gpt4 --run r --json";
    let ran = place.judica(line).exits(0);
    let report = printed(&ran);
    for (at, name, rows, right) in [(0, "m__llama3", 3, 2.0), (1, "m__gpt4", 4, 2.0)] {
        let file = &report["files"][at];
        assert_eq!(
            (&file["dataset"], &file["n_examples"]),
            (&json!(name), &json!(rows))
        );
        near(&file["exact_match"], right / f64::from(rows));
    }
    // An empty cell is no answer; an empty text, which is quoted, is one.
    let rejects = place.json_lines("r/rejects.jsonl");
    assert_eq!(rejects.len(), 1);
    assert_eq!(rejects[0]["reason"], "missing_prediction");
    assert_eq!(
        (&rejects[0]["line"], raw_bytes(&rejects[0])),
        (&json!(5), b"q3;1;no;;\"\";".to_vec())
    );
    let manifest = place.json("r/manifest.json");
    assert_eq!(
        manifest["inputs"][0]["read_as"],
        "CSV, delimiter ';', decimal comma, 6 columns, 4 rows"
    );
    place.judica("show r q1/2 --subject gpt4").exits(0).says(&[
        "from m.csv:3",
        "latency (ms) 2.25",
        "q1;2;42;41;42;2,25",
    ]);
    place.judica("reproduce r").exits(0).says(&["identical"]);
    place
        .judica("compare r --subjects llama3,gpt4 --json")
        .exits(0);
}

#[test]
fn a_word_among_decimal_commas_leaves_equal_cells_equal() {
    let place = Place::new();
    place.write(
        "de.csv",
        "id;gold;prediction\n1;3,5;3,5\n2;2,25;2,25\n3;7,5;unklar\n4;1,75;1,75\n",
    );
    for normalizer in ["auto", "exact", "number"] {
        let line = format!("match -p de.csv --normalizer {normalizer} --json");
        near(&printed(&place.judica(&line).exits(0))["exact_match"], 0.75);
    }
}

#[test]
fn numbers_in_other_digits_are_said_also_of_a_run_in_parts() {
    let place = Place::new();
    let rows = "id,gold,prediction\n1,1,1.0\n2,2,2.0\n3,3,3\n4,4,5.0\n";
    place.write("n.csv", rows);
    let said = "2 predictions are the same number as the gold in other digits";
    place
        .judica("match -p n.csv --run whole")
        .exits(0)
        .says(&[said]);
    for part in ["1/2", "2/2"] {
        let line = format!("match -p n.csv --run parts --part {part}");
        place.judica(&line).exits(0);
    }
    place.judica("finish parts").exits(0).says(&[said]);
    let [whole, parts] = ["whole", "parts"].map(|run| place.json(&format!("{run}/report.json")));
    assert_eq!(whole, parts);
}

#[test]
fn a_file_that_cannot_be_read_is_named_as_what_it_is_for_several_columns() {
    let place = Place::new();
    place.write("c.zip", "PK\u{3}\u{4}of something");
    place.write("c.csv", "id,gold,a,b\n1,x,y\n");
    for (file, said) in [("c.zip", "zip archive"), ("c.csv", "fields")] {
        let line = format!("match -p {file} --gold gold --prediction a --prediction b");
        place.judica(&line).exits(2).complains(&[said]);
    }
    place.write("c.csv", "id,gold,a\n1,x,y\n");
    place
        .judica("match -p c.csv --gold gold --prediction a --prediction b")
        .exits(2)
        .complains(&["no row of c", "has it"]);
}

#[test]
fn frames_and_pages_are_not_taken_for_rows() {
    let place = Place::new();
    // As pandas writes a frame whose index is the id.
    place.write(
        "k.json",
        r#"{"gold":{"q1":"a","q2":"b"},"prediction":{"q1":"a","q2":"a"}}"#,
    );
    place
        .judica("match -p k.json")
        .exits(2)
        .complains(&["k.json", "columns"]);
    place
        .judica("look k.json")
        .says(&["pandas frame", "json.load", "'index': k"]);
    place.write(
        "t.md",
        "| id | gold | prediction |\n|:--|---|---|\n| 1 | a | a |\n| 2 | b | a |\n",
    );
    let report = printed(&place.judica("match -p t.md --json").exits(0));
    assert_eq!(report["n_examples"], 2);
}

#[test]
fn times_that_are_no_numbers_are_said() {
    let place = Place::new();
    place.write(
        "l.csv",
        "id,input,gold,prediction,latency_ms\n1,q,a,a,\"1,900.0\"\n2,r,a,b,timeout\n\
         3,s,a,a,100\n4,t,a,a,NA\n5,u,a,a,\n",
    );
    let said = ["`latency_ms` of 2 rows", "`1,900.0` for one"];
    place.judica("match -p l.csv").exits(0).complains(&said);
    let report = printed(&place.judica("efficiency -p l.csv --json").exits(0));
    assert!(report["notes"].to_string().contains(said[0]), "{report}");
}

#[test]
fn what_may_hold_rows_under_other_names_is_named() {
    let place = Place::new();
    let table = |id: u8| format!("id,gold,prediction\n{id},a,a\n");
    place.write("f/a.csv", table(1));
    place.write("f/b.txt", table(2));
    place.write("f/c.csv.gzip", zstd(table(3).as_bytes()));
    place.write("f/README.md", table(4));
    place.write(
        "judges/j/a.csv",
        "id,input,gold,prediction,correct\n1,q,a,a,yes\n",
    );
    place.write(
        "judges/k/a.csv",
        "id,input,gold,prediction,correct\n1,q,a,a,yes\n",
    );
    place.write(
        "judges/k/part-0",
        "id,input,gold,prediction,correct\n2,q,a,a,yes\n",
    );
    for (command, named) in [
        ("match -p f", "`f/b.txt`;"),
        (
            "agree ratings --input f --item id --rater-columns gold,prediction --level nominal",
            "`f/b.txt`;",
        ),
        (
            "agree judges --eval-dir judges --out j.json",
            "`judges/k/part-0`;",
        ),
    ] {
        place
            .judica(command)
            .exits(0)
            .complains(&["not read", named]);
    }
    let report = printed(&place.judica("match -p f --json").exits(0));
    assert_eq!(report["n_examples"], 2, "{report}");
}

#[test]
fn of_two_lists_of_rows_the_one_that_is_not_taken_is_told() {
    let place = Place::new();
    let two = |taken: &str, left: &str, rows: &str, others: &str| {
        format!(r#"{{"{left}": [{others}], "{taken}": [{rows}]}}"#)
    };
    let prediction = r#"{"id": "q", "gold": "a", "prediction": "a"}"#;
    place.write("p.json", two("results", "data", prediction, prediction));
    let rating = r#"{"item": 1, "rater": "a", "value": 1}"#;
    let other = r#"{"item": 2, "rater": "a", "value": 1}"#;
    let ratings = format!("{rating}, {}", rating.replace("\"a\"", "\"b\""));
    place.write("r.json", two("ratings", "annotations", &ratings, other));
    for (command, said) in [
        (
            "match -p p.json",
            "the rows under `results` are taken, and those under `data` are not",
        ),
        (
            "agree ratings --input r.json --level nominal",
            "the rows under `ratings` are taken, and those under `annotations` are not",
        ),
        (
            "import p.json --as table --item id --metric gold --run a",
            "the rows under `results` are taken",
        ),
    ] {
        place.judica(command).complains(&[said]);
    }
}

#[test]
fn tables_beside_json_are_named_where_they_are_not_read() {
    let place = Place::new();
    place.write("f/a.csv", "id,gold,prediction\n1,a,a\n");
    place.write("f/b.jsonl", r#"{"id":"1","gold":"a","prediction":"a"}"#);
    for command in [
        "match -p f",
        "agree ratings --input f --item id --rater-columns gold,prediction --level nominal",
    ] {
        place
            .judica(command)
            .exits(0)
            .complains(&["not read", "a.csv"]);
    }
    std::fs::remove_file(place.path("f/b.jsonl")).expect("removed");
    let alone = place.judica("match -p f").exits(0);
    assert!(!alone.stderr.contains("not read"), "{}", alone.stderr);
    // Beside a document, which mostly is a report, ratings are read from the table.
    place.write("f/report.json", "{}");
    let ratings = "agree ratings --input f --item id --rater-columns gold,prediction";
    let read = place.judica(&format!("{ratings} --level nominal")).exits(0);
    assert!(!read.stderr.contains("not read"), "{}", read.stderr);
}

#[track_caller]
fn same(report: &Value, expected: &Value) {
    for key in ["n_examples", "exact_match", "counts", "inputs", "rejects"] {
        assert_eq!(report[key], expected[key], "{key}");
    }
}

#[test]
fn every_format_gives_the_same_numbers() {
    let place = Place::new();
    let rows = [
        ("a", "Paris", "paris"),
        ("b", "x, y", "x,y"),
        ("c", "3", "3"),
        ("d", "\"q\"\nr", "no"),
    ];
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let table = |between: &str| {
        let row = |(id, gold, said): &(&str, &str, &str)| {
            let cells = [id, gold, said].map(|cell| quoted(cell));
            format!("{}\r\n", cells.join(between))
        };
        let rows: String = rows.iter().map(row).collect();
        format!("{}\r\n{rows}", ["ID", "Gold", "prediction"].join(between))
    };
    let json: Vec<Value> = rows
        .iter()
        .map(|(id, gold, said)| json!({"id": id, "gold": gold, "prediction": said}))
        .collect();
    let utf16: Vec<u8> = format!("\u{feff}{}", table(";"))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    place.write("a.json", Value::from(json).to_string());
    place.write("a.csv", table(","));
    place.write("a.tsv.gz", gzip(table("\t").as_bytes()));
    place.write("a.txt", table("|"));
    place.write(
        "a.csv.zst",
        zstd(format!("\u{feff}sep=;\n{}", table(";")).as_bytes()),
    );
    place.write("b.csv", utf16);
    let first = place
        .judica("match -p a.json --run a --keep-text --json")
        .exits(0);
    let first = printed(&first);
    for name in ["a.csv", "a.tsv.gz", "a.txt", "a.csv.zst", "b.csv"] {
        let report = printed(&place.judica(&format!("match -p {name} --json")).exits(0));
        same(&report, &first);
        // The same from a pipe.
        let piped = place
            .judica_with_stdin("match -p - --json", place.read(name))
            .exits(0);
        same(&printed(&piped), &first);
    }
    // The records of a run are a table, too.
    let line = "match -p a/records.parquet --gold target --prediction output --column item=item \
                --run b --json";
    let again = place.judica(line).exits(0);
    let read_as = &place.json("b/manifest.json")["inputs"][0]["read_as"];
    assert!(
        read_as
            .as_str()
            .is_some_and(|how| how.starts_with("Parquet, ")),
        "{read_as}"
    );
    same(&printed(&again), &first);
    let shown = place.judica("show b b --json").exits(0);
    let record: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(record.get("input_offset"), Some(&Value::Null), "{record}");
    place
        .judica("show b b")
        .exits(0)
        .says(&["a/records.parquet:2", "\"output\":\"x,y\""]);
    place.judica("reproduce b").exits(0).says(&["identical"]);
}

#[test]
fn a_frame_by_columns_is_not_one_row_whatever_it_is_called() {
    let place = Place::new();
    let by_row = r#"{"gold":{"0":"a","1":"b"},"prediction":{"0":"a","1":"b"}}"#;
    for (name, frame) in [
        ("a.jsonl", by_row),
        ("a.json", by_row),
        ("a.jsonl", r#"{"gold":{},"prediction":{}}"#),
        ("a.json", r#"{"gold":["a","b"],"prediction":["a","b"]}"#),
        (
            "a.jsonl",
            r#"{"id":["q","r"],"gold":["a","b"],"prediction":["a","b"]}"#,
        ),
        ("a.jsonl", r#"{"id":["q"],"gold":["a"],"prediction":["a"]}"#),
    ] {
        place.write(name, frame);
        let ran = place.judica(&format!("match -p {name}")).exits(2);
        ran.complains(&["it holds columns, and no rows"]);
    }
    // A line of its own may hold lists and objects.
    for row in [
        r#"{"gold":["a","b"],"prediction":["a","b"]}"#,
        r#"{"gold":{"a":1,"b":2},"prediction":{"a":1,"b":2}}"#,
    ] {
        place.write("a.jsonl", row);
        place.judica("match -p a.jsonl --normalizer json").exits(0);
    }
}

#[test]
fn columns_are_named_and_what_cannot_be_meant_is_refused() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        "{\"q\": {\"gold\": \"x\"}, \"said\": \"X\"}\n{\"gold\": \"x\", \"said\": \"x\"}\n",
    );
    let line = "match -p a.jsonl --column gold=/q/gold --column prediction=said --json";
    let report = printed(&place.judica(line).exits(0));
    assert_eq!(
        (&report["n_examples"], &report["rejects"]),
        (&json!(1), &json!(1))
    );
    let rejects = place.json_lines("rejects.jsonl");
    assert_eq!(rejects[0]["detail"], "no gold: expected it under `/q/gold`");
    for (said, words) in [
        ("--column colour=x", "there is no field `colour`"),
        ("--column gold", "expected FIELD=COLUMN"),
        ("--gold a --column prediction=a", "cannot both stand"),
        ("--gold a --column gold=b", "said twice"),
        ("--prediction a --prediction b -p -", "standard input"),
        (
            "--prediction a --prediction b --subject one --run r",
            "--subject: each of several columns of predictions is a subject of its own",
        ),
    ] {
        place
            .judica(&format!("match -p a.jsonl {said}"))
            .exits(2)
            .complains(&[words]);
    }
    place.write("b.csv", "gold,gold,prediction\n1,2,3\n");
    place
        .judica("match -p b.csv")
        .exits(3)
        .complains(&["two columns are called `gold`"]);
    place.write("c.csv", "Frage,Antwort\n1,2\n");
    place
        .judica("match -p c.csv")
        .exits(2)
        .complains(&["not", "no gold: expected it under"]);
}

#[test]
fn rows_of_a_table_that_cannot_be_used_are_kept_as_they_stand() {
    let place = Place::new();
    let text = "id,gold,prediction\n1,a,a\n2,b\n\n3,c,\"c\nc\"\nid,gold,prediction\n1,d,d\n4,e,e\n";
    place.write("a.csv", text);
    let report = printed(&place.judica("match -p a.csv --json").exits(0));
    assert_eq!(report["n_examples"], 3);
    let found: Vec<(u64, String, Vec<u8>)> = place
        .json_lines("rejects.jsonl")
        .iter()
        .map(|reject| {
            let reason = reject["reason"].as_str().expect("a reason").to_owned();
            let at = reject["byte_offset"].as_u64().expect("an offset") as usize;
            let raw = raw_bytes(reject);
            assert_eq!(&text.as_bytes()[at..at + raw.len()], raw);
            (reject["line"].as_u64().expect("a line"), reason, raw)
        })
        .collect();
    let expected = [
        (3, "wrong_field_count".to_owned(), b"2,b".to_vec()),
        (
            7,
            "repeated_header".to_owned(),
            b"id,gold,prediction".to_vec(),
        ),
        (8, "duplicate_id".to_owned(), b"1,d,d".to_vec()),
    ];
    assert_eq!(found, expected);
    for threads in [1, 3] {
        let line = format!("match -p a.csv --json --threads {threads}");
        assert_eq!(printed(&place.judica(&line).exits(0)), report);
    }
}

#[test]
fn judges_read_tables_too() {
    let place = Place::new();
    place.write("m.csv", WIDE.replace("question", "input"));
    let line = "judge -p m.csv --no-llm --gold label --item input,turn --prediction llama3 \
                --prediction gpt4 --out j --run r";
    place.judica(line).exits(0);
    place
        .judica(&format!("{line} --subject one"))
        .exits(2)
        .complains(&["--subject", "llama3, gpt4"]);
    let documents = place.names("j");
    let judged: Vec<String> = documents
        .iter()
        .flat_map(|name| place.names(&format!("j/{name}")))
        .collect();
    assert!(judged.contains(&"m__gpt4.json".to_owned()), "{judged:?}");
    place.judica("reproduce r").exits(0).says(&["identical"]);
}

#[test]
fn a_column_says_what_stands_or_falls_together() {
    let place = Place::new();
    let rows: Vec<String> = (0..40)
        .map(|at| {
            format!(
                "q{at},{},a,{}",
                at / 4,
                if at / 4 % 2 == 0 { "a" } else { "b" }
            )
        })
        .collect();
    place.write(
        "p.csv",
        format!("id,passage,gold,prediction\n{}\n", rows.join("\n")),
    );
    let matched = |more: &str| {
        let ran = place.judica(&format!("match --predictions p.csv --json {more}"));
        let report: serde_json::Value = serde_json::from_str(&ran.exits(0).stdout).unwrap();
        report["intervals"]["matched"].clone()
    };
    let (alone, together) = (matched(""), matched("--cluster passage"));
    assert_eq!(
        (&alone["clusters"], &together["clusters"]),
        (&40.into(), &10.into())
    );
    let width =
        |of: &serde_json::Value| of["ci"][1].as_f64().unwrap() - of["ci"][0].as_f64().unwrap();
    assert!(width(&together) > 1.5 * width(&alone), "{alone} {together}");
}

#[test]
fn a_column_that_no_row_has_is_an_error() {
    let place = Place::new();
    let header = "id,input,passage,latency,gold,a,b";
    place.write("p.csv", format!("{header}\n1,q,p,,x,x,y\n2,q,p,,x,y,y\n"));
    let judge = "judge --no-llm --out j";
    for (command, said) in [
        ("match", "cluster=pasage"),
        ("match", "subject=who"),
        ("efficiency", "usd=price"),
        (judge, "cluster=pasage"),
    ] {
        let line = format!("{command} --predictions p.csv --prediction a --column {said}");
        place
            .judica(&line)
            .exits(2)
            .complains(&[&format!("--column {said}: no row of p.csv has it")]);
    }
    // A column that is there may be empty.
    let line = "match --predictions p.csv --prediction a --column latency_ms=latency";
    place.judica(line).exits(0);
    for command in ["match", judge] {
        let line = format!("{command} --predictions p.csv --prediction a --prediction bb");
        place
            .judica(&line)
            .exits(2)
            .complains(&["--prediction bb: no row of p.csv has it"]);
        let line = line.replace("bb", "b");
        place.judica(&line).exits(0);
    }
}

#[test]
fn a_field_that_is_none_is_answered_with_those_of_the_help() {
    let place = Place::new();
    place.write_lines("p.jsonl", &[r#"{"gold": "a", "prediction": "a"}"#]);
    let said = place.judica("match -p p.jsonl --column gld=x").exits(2);
    let help = place.judica("match --help").exits(0).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, fields) = help.split_once("[repeatable; fields: ").unwrap();
    let (fields, _) = fields.split_once(']').unwrap();
    said.complains(&[&format!("there are {fields}")]);
}
