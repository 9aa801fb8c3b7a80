//! A run made in pieces is the run made in one go, byte for byte.

use std::fs;

use crate::support::{Place, STAMP};

/// Several models and tasks in two files and an array, in an order that mixes them, with
/// lines that are refused for all kinds of reasons in between.
fn hostile() -> Place {
    let place = Place::new();
    place
        .judica("synth flight --samples 90 --models 5 --seed 11 --out data")
        .exits(0);
    let text = place.text("data/outputs.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert_ne!(lines.len() % 7919, 0);
    let mut files = [String::new(), String::new()];
    let mut rest = Vec::new();
    for index in 0..lines.len() {
        let line = lines[index * 7919 % lines.len()];
        if index % 9 == 0 {
            rest.push(line);
            continue;
        }
        let file = &mut files[index % 2];
        // Some answer again and again.
        for epoch in 1..=index % 5 / 2 * 2 {
            let epoch = format!("{{\"epoch\": {}, ", epoch + 1);
            file.push_str(&format!("{}\n", line.replacen('{', &epoch, 1)));
        }
        file.push_str(line);
        file.push('\n');
        match index % 13 {
            0 => file.push_str("not json\n\n   \n"),
            1 => file.push_str(&format!("{}\n", lines[index / 2])),
            2 => file.push_str("{\"model\": \"m\", \"id\": \"nobody\", \"response\": {}}\n"),
            3 => file.push_str("{\"id\": \"S1_000001\", \"response\": {}}\n\u{0}\n"),
            _ => {}
        }
    }
    let [a, b] = files;
    place.write("a.jsonl", a);
    place.write("b.jsonl", b);
    // Many records on one line.
    place.write("c.json", format!("[{}]", rest.join(", ")));
    let samples = place.text("data/samples.jsonl");
    place.write(
        "s.jsonl",
        format!("broken\n{samples}{{\"sample_id\": []}}\n"),
    );
    place
}

fn eval(more: &str) -> String {
    format!(
        "eval --protocol flight --samples s.jsonl --outputs a.jsonl --outputs b.jsonl --outputs \
         c.json --confidence data/confidence.json --timestamp {STAMP} {more}"
    )
}

/// Makes all parts, the last one first, and the run of them.
#[track_caller]
fn in_parts(place: &Place, parts: usize, more: &str, out: &str) {
    for part in (1..=parts).rev() {
        let threads = part % 3 + 1;
        let part = format!("{more} --out {out} --part {part}/{parts} --threads {threads}");
        place.judica(&eval(&part)).exits(0).says(&["judica finish"]);
        assert!(!place.names(out).contains(&"manifest.json".to_owned()));
    }
    place.judica(&format!("finish {out}")).exits(0);
}

#[test]
fn any_number_of_parts_gives_the_bytes_of_a_run_in_one_go() {
    let place = hostile();
    for (more, counts) in [
        ("", &[1, 2, 3, 7][..]),
        ("--records both --keep-text", &[4]),
    ] {
        place.judica(&eval(&format!("{more} --out whole"))).exits(0);
        let files = place.names("whole");
        assert!(files.contains(&"rejects.jsonl".to_owned()), "{files:?}");
        for parts in counts {
            in_parts(&place, *parts, more, "parts");
            place.same_files("whole", "parts");
            fs::remove_dir_all(place.path("parts")).unwrap();
        }
    }
    // Into the folder of another run, which stays until the pieces take its place.
    for part in ["1/2", "2/2"] {
        place
            .judica(&eval(&format!("--out whole --part {part}")))
            .exits(0);
        place.judica("show whole").exits(0);
    }
    place.judica("finish whole").exits(0);
    assert!(!place.path("whole/records.jsonl").exists());
    place
        .judica("reproduce whole")
        .exits(0)
        .says(&["identical"]);
}

#[test]
fn more_records_than_a_row_group_holds() {
    let place = Place::new();
    place
        .judica("synth flight --samples 1700 --models 5 --seed 2 --out data")
        .exits(0);
    let eval = format!(
        "eval --protocol flight --samples data/samples.jsonl --outputs data/outputs.jsonl \
         --timestamp {STAMP}"
    );
    place.judica(&format!("{eval} --out whole")).exits(0);
    for part in 1..=3 {
        place
            .judica(&format!("{eval} --out parts --part {part}/3"))
            .exits(0);
    }
    place.judica("finish parts --threads 1").exits(0);
    place.same_files("whole", "parts");
}

#[test]
fn parts_can_be_made_at_the_same_time_and_again() {
    let place = hostile();
    place.judica(&eval("--out whole")).exits(0);
    let part = |part: usize| {
        let arguments = eval(&format!("--out parts --part {part}/4"));
        let mut process = place.process(&arguments);
        process.stdout(std::process::Stdio::null());
        process.spawn().unwrap()
    };
    // The third twice.
    let started: Vec<_> = [1, 2, 3, 3, 4].map(part).into_iter().collect();
    for mut process in started {
        assert!(process.wait().unwrap().success());
    }
    part(2).wait().unwrap();
    place.judica("finish parts --keep-pieces").exits(0);
    assert!(place.path("parts/records/part-00001.parquet").exists());
    // Killed half way, or done: it can be done again.
    fs::remove_file(place.path("parts/manifest.json")).unwrap();
    fs::write(place.path("parts/report.json"), "half").unwrap();
    // What is no piece stays.
    place.write("parts/records/notes.txt", "mine");
    place.judica("finish parts").exits(0);
    assert_eq!(place.names("parts/records"), ["notes.txt"]);
    fs::remove_dir_all(place.path("parts/records")).unwrap();
    place.same_files("whole", "parts");
    place
        .judica("finish parts")
        .exits(3)
        .complains(&["holds no pieces", "finished run"]);
    place.judica("finish nowhere").exits(3);
    assert!(!place.path("nowhere").exists());
}

#[test]
fn a_folder_of_pieces_is_no_finished_run() {
    let place = hostile();
    place.judica(&eval("--out run --part 1/3")).exits(0);
    for reader in [
        "show run",
        "export run --format csv",
        "reproduce run",
        "gate init run",
    ] {
        place
            .judica(reader)
            .exits(3)
            .complains(&["not finished", "judica finish run"]);
    }
    place
        .judica("finish run")
        .exits(3)
        .complains(&["of 3 parts", "2, 3", "--part 2/3"]);
}

#[test]
fn pieces_that_do_not_fit_are_told_by_what_differs() {
    let place = hostile();
    let make = |part: &str, more: &str| {
        place
            .judica(&eval(&format!("--out run --part {part} {more}")))
            .exits(0);
    };
    let complains = |words: &[&str]| {
        place.judica("finish run").exits(3).complains(words);
    };
    make("1/2", "");
    make("2/2", "--keep-text");
    complains(&["part-00002.json", "/options/keep_text", "true in part 2"]);
    make("2/2", "");
    make("3/3", "");
    complains(&["part-00003.json", "/parts", "2 in part 1", "3 in part 3"]);
    fs::remove_file(place.path("run/records/part-00003.json")).unwrap();
    complains(&["part-00003.parquet", "no piece of this run"]);
    fs::remove_file(place.path("run/records/part-00003.parquet")).unwrap();
    let _ = fs::remove_file(place.path("run/records/part-00003.rejects.jsonl"));

    // A foreign file, one that was cut short, one that was scratched, one under the name of
    // another.
    let records = place.path("run/records/part-00002.parquet");
    let bytes = fs::read(&records).unwrap();
    fs::write(&records, &bytes[..bytes.len() - 9]).unwrap();
    complains(&["part-00002.parquet", "bytes long", "damaged"]);
    let mut scratched = bytes.clone();
    let end = scratched.len() - 20;
    scratched[end] ^= 0xff;
    fs::write(&records, &scratched).unwrap();
    complains(&["part-00002.parquet"]);
    fs::write(&records, vec![b'x'; bytes.len()]).unwrap();
    complains(&["part-00002.parquet", "not a Parquet file"]);
    fs::write(&records, &bytes).unwrap();
    fs::write(place.path("run/records/strange.parquet"), "x").unwrap();
    complains(&["strange.parquet", "no piece of this run"]);
    fs::remove_file(place.path("run/records/strange.parquet")).unwrap();
    let piece = place.path("run/records/part-00002.json");
    let first = place.read("run/records/part-00001.json");
    let second = fs::read(&piece).unwrap();
    let late = place.text("run/records/part-00002.json");
    fs::write(
        &piece,
        late.replace("\"created_at\": \"2", "\"created_at\": \"x2"),
    )
    .unwrap();
    complains(&["part-00002.json", "created_at: x2", "no date and time"]);
    fs::write(&piece, first).unwrap();
    complains(&["part-00002.json", "under the name of another"]);
    fs::write(&piece, "{\"schema_version\": \"judica.run/2\"}").unwrap();
    complains(&["part-00002.json", "not a piece of a run"]);
    fs::write(&piece, second).unwrap();

    // An input that changed in between.
    let text = place.text("b.jsonl");
    place.write("b.jsonl", format!("{text}\n"));
    make("2/2", "");
    complains(&["b.jsonl", "changed between part 1 and part 2"]);
    place.write("b.jsonl", text);
    make("2/2", "");
    place.judica("finish run").exits(0);
}

#[test]
fn a_part_without_any_record_is_a_part() {
    let place = hostile();
    place.judica(&eval("--out whole")).exits(0);
    // Far more parts than models and tasks.
    in_parts(&place, 40, "", "parts");
    place.same_files("whole", "parts");
}

#[test]
fn parts_of_nothing_usable_are_no_run() {
    let place = hostile();
    place.write("a.jsonl", "not json\n");
    let eval = "eval --protocol flight --samples s.jsonl --outputs a.jsonl --out run --part";
    place.judica(&format!("{eval} 1/2")).exits(0);
    place.judica(&format!("{eval} 2/2")).exits(0);
    place
        .judica("finish run")
        .exits(2)
        .complains(&["its one row cannot be used", "run/rejects.jsonl"]);
    assert_eq!(place.json_lines("run/rejects.jsonl").len(), 3);
    assert!(!place.path("run/manifest.json").exists());
}

#[test]
fn what_is_no_part_is_refused() {
    let place = hostile();
    for part in ["0/2", "3/2", "2", "1/0", "x", "1/100000"] {
        place
            .judica(&eval(&format!("--out run --part {part}")))
            .exits(2)
            .complains(&["--part"]);
    }
    place.judica(&eval("--out run --part 1/2 --json")).exits(2);
    place
        .judica(&eval("--out run --part 1/2 --outputs a.jsonl"))
        .exits(2)
        .complains(&["read more than once"]);
    place
        .judica(&eval(
            "--out run --part 1/2 --agent llm --agent-model m --base-url http://localhost:1/v1",
        ))
        .exits(2)
        .complains(&["--part"]);
}

/// What is drawn at random depends on who items are, never on where they stand. Of one model
/// the order stays, since a jump is measured from the answer before.
#[test]
fn the_order_of_lines_does_not_show_in_the_report() {
    let place = Place::new();
    place
        .judica("synth flight --samples 120 --models 4 --seed 5 --out data")
        .exits(0);
    let text = place.text("data/outputs.jsonl");
    let mut outputs: Vec<&str> = text.lines().collect();
    let text = place.text("data/samples.jsonl");
    let samples: Vec<&str> = text.lines().collect();
    let mut reports = Vec::new();
    for step in [1, 7919, 104_729] {
        let mixed = (0..samples.len()).map(|at| samples[at * step % samples.len()]);
        place.write_lines("samples.jsonl", &mixed.collect::<Vec<_>>());
        // Four answers each, of which each is a series of its own.
        let again = (1..=4).flat_map(|epoch| {
            let epoch = format!(
                "{{\"epoch\": {}, ",
                if step == 1 { epoch } else { 5 - epoch }
            );
            outputs
                .iter()
                .map(move |line| line.replacen('{', &epoch, 1))
        });
        place.write_lines("outputs.jsonl", &again.collect::<Vec<_>>());
        place
            .judica(&format!(
                "eval --protocol flight --samples samples.jsonl --outputs outputs.jsonl --out run \
                 --timestamp {STAMP}"
            ))
            .exits(0);
        let report = place.json("run/report.json");
        reports.push(["leaderboard", "tasks", "models"].map(|key| report[key].clone()));
        // From one model after the other to one line of each in turn.
        let model = |line: &&str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["model_name"].as_str().unwrap().to_owned()
        };
        let mut of_model = std::collections::BTreeMap::<String, usize>::new();
        outputs.sort_by_cached_key(|line| {
            let place = of_model.entry(model(line)).or_default();
            *place += 1;
            (*place / step, model(line))
        });
    }
    assert!(reports[0][0][0]["ci"].is_array());
    assert!(reports[0] == reports[1]);
    assert!(reports[0] == reports[2]);
}
