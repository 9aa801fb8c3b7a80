//! `judica episodes --run`: what is left for those who read runs.

use judica_model::run::{OwnValue, Verdict};
use judica_run::open::Run;
use serde_json::{Value, json};

use crate::data::{SCORE, act, click, place, row, two};
use crate::support::{MANIFEST_KEYS, Place, each_record, keys};

const RUN: &str =
    "episodes --episodes e.jsonl --predictions p.jsonl --config-path c --backend qwen3";

/// Item, data set, subject and verdict of every record.
#[track_caller]
fn heads(place: &Place, folder: &str) -> Vec<[String; 4]> {
    let mut found = Vec::new();
    each_record(place, folder, &mut |record, _| {
        let verdict = record.verdict.map_or("none", Verdict::name);
        found.push([record.item, record.dataset, record.subject, verdict].map(str::to_owned));
    });
    found
}

fn head(item: &str, dataset: &str, subject: &str, verdict: &str) -> [String; 4] {
    [item, dataset, subject, verdict].map(str::to_owned)
}

/// Every file of a run but the manifest, which holds the time.
fn files(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let manifest = place.json(&format!("{folder}/manifest.json"));
    let names = keys(&manifest["files"]).into_iter();
    let read = |name: &str| std::fs::read(place.path(&format!("{folder}/{name}"))).unwrap();
    names.map(|name| (name.to_owned(), read(name))).collect()
}

#[test]
fn an_episode_is_a_record_with_its_terms_and_its_evidence() {
    let place = two();
    let ran = place
        .judica(&format!("{RUN} --mode coord --run r --json"))
        .exits(0);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(place.json("r/report.json"), report);
    let manifest = place.json("r/manifest.json");
    assert_eq!(keys(&manifest), MANIFEST_KEYS);
    assert_eq!(manifest["command"], "episodes");
    assert_eq!(manifest["options"]["mode"], "coord");
    assert_eq!(manifest["options"]["backend"], "qwen3");
    assert_eq!(manifest["inputs"][0]["role"], "episodes");
    assert_eq!(manifest["inputs"][1]["path"], "p.jsonl");
    assert_eq!(
        manifest["counts"],
        json!({"inputs": 4, "used": 4, "rejects": 0, "records": 2, "rejects_by_reason": {}})
    );
    assert_eq!(
        keys(&manifest["files"]),
        ["records.parquet", "report.json", "tables.json"]
    );
    let metrics = manifest["metrics"].as_array().unwrap();
    assert_eq!(metrics.len(), 10);
    assert_eq!(metrics[0]["name"], "episode_success_rate");
    let primary = |metric: &&Value| metric["primary"] == true;
    assert_eq!(metrics.iter().filter(primary).count(), 1);
    assert_eq!(metrics[2]["direction"], "lower");

    assert_eq!(
        heads(&place, "r"),
        [
            head("one", "e", "qwen3", "pass"),
            head("two", "e", "qwen3", "fail"),
        ]
    );
    let mut rules = Vec::new();
    each_record(&place, "r", &mut |record, names| {
        let value = |name: &str| {
            let at = names.iter().position(|own| *own == name).expect(name);
            record.own[at]
        };
        // Nothing in these episodes has a mark.
        assert_eq!(value("element_accuracy_above"), OwnValue::Null);
        assert_eq!(value("element_accuracy_below"), OwnValue::Null);
        let steps = if record.item == "one" { 3.0 } else { 2.0 };
        assert_eq!(value("action_type_accuracy_below"), OwnValue::Number(steps));
        assert_eq!(record.epoch, 1);
        let place = record.place.expect("predictions");
        assert_eq!(place.file, "p.jsonl");
        assert_eq!(place.line, if record.item == "one" { 1 } else { 2 });
        let failed = record.evidence.iter().filter(|atom| !atom.pass);
        rules.extend(failed.map(|atom| {
            assert!(atom.text.is_some());
            (record.item.to_owned(), atom.rule.to_owned(), atom.step)
        }));
    });
    let expected = [
        ("coordinate.miss", Some(0)),
        ("bbox.miss", Some(0)),
        ("action_type.missing_step", Some(1)),
        ("action_type.extra_steps", None),
    ];
    let expected = expected.map(|(rule, step)| ("two".to_owned(), rule.to_owned(), step));
    assert_eq!(rules, expected);
}

/// The metrics that readers find in records are those of the report.
#[test]
fn metrics_follow_from_records() {
    let place = two();
    place
        .judica(&format!("{RUN} --mode coord --run r"))
        .exits(0);
    let metrics = place.json("r/report.json")["metrics"].clone();
    let run = Run::open(&place.path("r")).unwrap();
    let values =
        judica_run::values::values(&run, &judica_stats::clusters::Intervals::default()).unwrap();
    let all = values
        .iter()
        .filter(|of| of.subject.is_none() && of.dataset.is_none());
    let mut seen = 0;
    for of in all {
        match (of.value.value(), metrics[&of.metric].as_f64()) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-12, "{}: {a} {b}", of.metric),
            (a, b) => assert_eq!(a, b, "{}", of.metric),
        }
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn readers_of_runs_serve_it() {
    let place = two();
    place
        .judica(&format!("{RUN} --mode coord --run r"))
        .exits(0);
    let shown = place.judica("show r two").exits(0).stdout;
    for words in [
        "qwen3",
        "p.jsonl:2",
        "fail",
        "coordinate.miss",
        "episode_id",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    place.judica("export r --format csv --out r.csv").exits(0);
    place.judica("reproduce r").exits(0);
    // A twin that does better.
    let better = row("two", &[click(0.2, 0.2), act("type")]);
    let one = place.text("p.jsonl").lines().next().unwrap().to_owned();
    place.write_lines("p.jsonl", &[one, better.to_string()]);
    place
        .judica(&format!("{RUN} --mode coord --run twin"))
        .exits(0);
    place.judica("compare r twin --fail-if-worse").exits(0);
    place.write(
        "gates.toml",
        "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"episode_success_rate\"\nsubject = \"qwen3\"\n\
         op = \">=\"\nthreshold = 0.9\n",
    );
    place.judica("gate check r --gates gates.toml").exits(1);
    place.judica("gate check twin --gates gates.toml").exits(0);
    // What it was made of has changed since.
    place
        .judica("reproduce r")
        .exits(3)
        .complains(&["p.jsonl", "changed"]);
}

#[test]
fn neither_threads_nor_places_change_a_byte() {
    let rows: Vec<Value> = (0..300)
        .map(|at| row(&format!("e{at}"), &[click(0.5, 0.5), act("type")]))
        .collect();
    // Every other one wrong, in steps that stand apart, the last first.
    let step = |at: usize, index: usize| {
        let action = [click(0.5, 0.3 + 0.001 * at as f64), act("scroll")];
        json!({"episode_id": format!("e{at}"), "step_index": index, "action": action[index]})
    };
    let mut steps: Vec<Value> = (0..300).rev().map(|at| step(at, 1)).collect();
    steps.extend((0..300).map(|at| step(at, 0)));
    steps.push(step(7, 0));
    let place = place(&rows, &steps);
    for threads in [1, 3] {
        place
            .judica(&format!(
                "{RUN} --mode coord --timestamp 2026-01-01T00:00:00Z --run r{threads} \
                 --threads {threads}"
            ))
            .exits(0);
    }
    assert_eq!(files(&place, "r1"), files(&place, "r3"));
    let manifest = place.json("r1/manifest.json");
    assert_eq!(
        manifest["counts"]["rejects_by_reason"],
        json!({"duplicate_step": 1})
    );
    assert_eq!(place.json_lines("r1/rejects.jsonl").len(), 1);
    place.judica("reproduce r1 --threads 3").exits(0);
    // The same from inputs that have moved.
    std::fs::create_dir(place.path("moved")).unwrap();
    for name in ["e.jsonl", "p.jsonl"] {
        std::fs::rename(place.path(name), place.path(&format!("moved/{name}"))).unwrap();
    }
    place.judica("reproduce r1").exits(3);
    place.judica("reproduce r1 --inputs moved").exits(0);
}

#[test]
fn what_came_through_a_pipe_is_found_by_its_bytes() {
    let place = two();
    let piped = place.text("p.jsonl");
    place
        .judica_with_stdin(
            &format!("{} --mode coord --run r", RUN.replace("p.jsonl", "-")),
            piped,
        )
        .exits(0);
    place
        .judica("reproduce r")
        .exits(3)
        .complains(&["--inputs"]);
    place.judica("reproduce r --inputs .").exits(0);
}

#[test]
fn names_and_texts_are_the_users_then_the_rows() {
    let mut one = row("one", &[act("done")]);
    one["dataset"] = json!("web");
    one["cluster"] = json!("shop");
    let place = place(
        &[one.clone(), row("two", &[act("done")]), row("none", &[])],
        &[row("one", &[act("done")])],
    );
    place
        .judica(&format!("{RUN} --mode som --run r --keep-text"))
        .exits(0);
    assert_eq!(
        heads(&place, "r"),
        [
            head("one", "web", "qwen3", "pass"),
            head("two", "e", "qwen3", "fail"),
            head("none", "e", "qwen3", "undecided"),
        ]
    );
    each_record(&place, "r", &mut |record, _| {
        let [input, target, output] =
            [record.texts.input, record.texts.target, record.texts.output];
        assert_eq!(input, Some("log in"));
        assert!(target.unwrap().contains(record.item));
        let first = record.item == "one";
        assert_eq!(output.is_some(), first);
        assert_eq!(record.place.is_some(), first);
        assert_eq!(record.cluster, first.then_some("shop"));
    });
    place.judica("reproduce r").exits(0);
    place
        .judica(&format!(
            "{RUN} --mode som --run named --subject us --dataset ours"
        ))
        .exits(0);
    assert_eq!(heads(&place, "named")[0], head("one", "ours", "us", "pass"));
}

#[test]
fn stored_samples_are_one_input() {
    let place = Place::new();
    let sample = |name: &str, step: u64, gold: &str, did: &str| {
        json!({"episode_id": name, "step_index": step, "goal": "g", "dataset": "d",
               "ground_truth_action": {"type": gold}, "pred_action": {"type": did}})
        .to_string()
    };
    let rows = [
        sample("a", 0, "click", "click"),
        sample("b", 0, "done", "wait"),
        sample("a", 1, "done", "done"),
        sample("a", 1, "done", "done"),
    ];
    place.write_lines("s.jsonl", &rows);
    let score = "episodes --episodes s.jsonl --mode coord --config-path c --backend b";
    place.judica(&format!("{score} --run r")).exits(0);
    assert_eq!(
        heads(&place, "r"),
        [head("a", "d", "b", "pass"), head("b", "d", "b", "fail")]
    );
    let manifest = place.json("r/manifest.json");
    assert_eq!(manifest["inputs"].as_array().unwrap().len(), 1);
    assert_eq!(
        manifest["counts"],
        json!({"inputs": 4, "used": 3, "rejects": 1, "records": 2,
               "rejects_by_reason": {"duplicate_step": 1}})
    );
    place.judica("reproduce r").exits(0);
}

#[test]
fn milestones_are_an_input() {
    let place = two();
    place.write(
        "m.json",
        r#"[{"name": "in", "step_index": 0, "type": "click"}]"#,
    );
    place
        .judica(&format!("{RUN} --mode coord --milestones m.json --run r"))
        .exits(0);
    let manifest = place.json("r/manifest.json");
    assert_eq!(manifest["inputs"][2]["role"], "milestones");
    place.judica("reproduce r").exits(0);
}

#[test]
fn nothing_usable_leaves_rejects_and_no_run() {
    let place = place(&[json!({"steps": []})], &[row("a", &[act("x")])]);
    place
        .judica(&format!("{RUN} --mode coord --run r"))
        .exits(2);
    assert_eq!(place.names("r"), ["rejects.jsonl"]);
}

#[test]
fn a_run_keeps_its_rejects_itself() {
    let place = two();
    place
        .judica(&format!("{RUN} --mode coord --run r --rejects x.jsonl"))
        .exits(2)
        .complains(&["--rejects", "--run"]);
    place
        .judica(&format!("{RUN} --mode coord"))
        .exits(2)
        .complains(&["--out"]);
    // Rows of a run that went before are not left behind.
    let bad = json!({"episode_id": "nobody", "steps": []}).to_string();
    let good = place.text("p.jsonl");
    place.write("p.jsonl", format!("{good}{bad}\n"));
    let line = format!("{RUN} --mode coord --run r --out eval.json");
    place.judica(&line).exits(0);
    assert!(place.path("r/rejects.jsonl").exists());
    assert_eq!(place.json("r/report.json"), place.json("eval.json"));
    place.write("p.jsonl", good);
    place.judica(&line).exits(0);
    assert!(!place.path("r/rejects.jsonl").exists());
}

/// A row with more members.
fn with(mut row: Value, more: Value) -> Value {
    let members = more.as_object().expect("an object").clone();
    row.as_object_mut().expect("an object").extend(members);
    row
}

#[test]
fn repeats_clusters_and_what_they_took_stand_in_the_head() {
    let step = |index: u64, more: Value| {
        with(
            json!({"episode_id": "a", "step_index": index, "action": act("x")}),
            more,
        )
    };
    let place = place(
        &[
            row("a", &[act("x"), act("y")]),
            with(row("b", &[act("x")]), json!({"epoch": 2, "cluster": 12})),
        ],
        &[
            step(0, json!({"epoch": 1, "latency_ms": 10, "usd": 0.5})),
            step(0, json!({"epoch": 3, "latency_ms": 7, "cluster": "c"})),
            with(
                step(1, json!({"epoch": 1})),
                json!({"action": act("y"), "latency_ms": 5}),
            ),
            with(
                row("b", &[act("x")]),
                json!({"epoch": 2, "token_usage": {"input_tokens": 9}, "tokens_out": 4, "usd": -1}),
            ),
            // Nobody recorded that repeat.
            with(row("b", &[act("x")]), json!({"epoch": 4})),
            with(row("b", &[act("x")]), json!({"epoch": 0})),
        ],
    );
    place
        .judica(&format!("{RUN} --mode coord --run r --details d.jsonl"))
        .exits(0);
    let lines = place.judica("export r --format jsonl").exits(0).stdout;
    let records: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let heads: Vec<Value> = records
        .iter()
        .map(|of| {
            json!([
                of["item"],
                of["epoch"],
                of["cluster"],
                of["verdict"],
                of["latency_ms"],
                of["tokens_in"],
                of["tokens_out"],
                of["usd"]
            ])
        })
        .collect();
    assert_eq!(
        heads,
        [
            json!(["a", 1, null, "pass", 15.0, null, null, 0.5]),
            json!(["a", 3, "c", "fail", 7.0, null, null, null]),
            json!(["b", 2, "12", "pass", null, 9.0, 4.0, null]),
        ]
    );
    assert_eq!(
        place.json("r/manifest.json")["counts"]["rejects_by_reason"],
        json!({"bad_epoch": 1, "unknown_episode": 1})
    );
    let epochs: Vec<Value> = place
        .json_lines("d.jsonl")
        .iter()
        .map(|line| line["epoch"].clone())
        .collect();
    assert_eq!(epochs, [Value::Null, json!(3), json!(2)]);
    place.judica("reproduce r").exits(0);
    place.judica("efficiency r --json").exits(0);
}

#[test]
fn a_prediction_without_its_repeat_is_of_the_first() {
    let of = |epoch: u64| with(row("a", &[act("x")]), json!({"epoch": epoch}));
    let place = place(
        &[row("a", &[act("x")])],
        &[row("a", &[act("x")]), of(2), of(3)],
    );
    place
        .judica(&format!("{RUN} --mode coord --run r"))
        .exits(0);
    assert_eq!(place.json("r/manifest.json")["counts"]["records"], 3);
    assert_eq!(place.json("r/manifest.json")["counts"]["rejects"], 0);
}

#[test]
fn a_recording_that_stands_twice_is_refused_once_for_all_its_repeats() {
    let of = |epoch: u64| with(row("a", &[act("x")]), json!({"epoch": epoch}));
    let (a, b) = (row("a", &[act("x")]), row("b", &[act("x")]));
    let scored = |recorded: &[Value]| {
        let place = place(recorded, &[of(1), of(2), of(3)]);
        place.judica(&format!("{SCORE} --mode coord")).exits(0);
        place.json("out/eval.json")["inputs"]["episodes"].clone()
    };
    assert_eq!(
        scored(&[a.clone(), a.clone(), b]),
        json!({"inputs": 3, "records": 2, "rejects": 1})
    );
    // The second stands for the repeats that the first leaves it.
    assert_eq!(
        scored(&[of(2), a]),
        json!({"inputs": 2, "records": 2, "rejects": 0})
    );
}

#[test]
fn repeats_of_stored_samples_are_told_apart() {
    let sample = |epoch: u64, did: &str| {
        json!({"episode_id": "a", "step_index": 0, "epoch": epoch, "usd": 0.25,
               "ground_truth_action": act("x"), "pred_action": act(did)})
    };
    let place = place(&[sample(1, "x"), sample(2, "y"), sample(2, "x")], &[]);
    place
        .judica(&format!(
            "{} --mode coord --run r",
            RUN.replace("--predictions p.jsonl", "")
        ))
        .exits(0);
    let found = place.judica("show r a --epoch 2 --json").exits(0).stdout;
    let record: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(
        (&record["verdict"], &record["usd"]),
        (&json!("fail"), &json!(0.25))
    );
    let counts = &place.json("r/manifest.json")["counts"];
    assert_eq!(counts["records"], 2);
    assert_eq!(counts["rejects_by_reason"], json!({"duplicate_step": 1}));
}
