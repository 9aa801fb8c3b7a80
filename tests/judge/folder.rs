//! One judge over a folder of predictions.

use serde_json::{Value, json};

use crate::judge::data::{NO, YES, all_asked, asked, judge, place_with, yes};
use crate::server::{Answer, Server};
use crate::support::{Place, keys};

/// Two files in two shapes: two rows are equal, one has the same structure, two are left
/// to the model.
fn predictions() -> Place {
    let place = Place::new();
    let document = json!({
        "run_name": "qwen-3b_baseline_zero_shot",
        "model": "qwen-3b",
        "condition": "baseline_zero_shot",
        "finetuned": false,
        "few_shot": false,
        "seed": 42,
        "metrics": {"n_examples": 3, "exact_match": 0.5},
        "predictions": [
            {"id": 1, "input": "same", "expected": "<<User>>F p", "generated": "<< user >> F p"},
            {"id": 2, "input": "turned", "expected": "<<A>>F (p && q)", "generated": "<<A>>F (q && p)"},
            {"id": 3, "input": "wrong", "expected": "<<A>>F p", "generated": "<<A>>G p", "latency_ms": 12.5},
        ],
    });
    place.write("preds/qwen.json", document.to_string());
    place.write_lines(
        "preds/llama.jsonl",
        &[
            r#"{"input": "same", "gold": "<<A>>X p", "prediction": "<<A>>Xp"}"#,
            r#"{"input": "right", "gold": "<<A>>F p", "prediction": "<<A>>(true U p)"}"#,
        ],
    );
    place.write("preds/notes.md", "not predictions");
    place
}

fn server() -> Server {
    Server::start(|received, _| {
        let right = asked(received) == "right";
        Answer::says(if right { YES } else { NO })
    })
}

#[test]
fn the_document_has_the_shape_of_the_seed() {
    let (place, server) = (predictions(), server());
    judge(&place, &server, "").exits(0).says(&[
        "inputs 5 = records 5 + rejects 0",
        "m: 2 calls, 22 tokens in, 14 out",
        "judged/judge_report.json",
    ]);
    let document = place.json("judged/m/qwen.json");
    assert_eq!(
        keys(&document),
        [
            "run_name",
            "model",
            "condition",
            "finetuned",
            "few_shot",
            "seed",
            "metrics",
            "judge_model",
            "source_file",
            "source_sha256",
            "normalizer",
            "tolerance",
            "prompt_version",
            "prompt_hash",
            "votes",
            "judge_temperature",
            "judica_version",
            "judge",
            "judge_metrics",
            "detailed_results"
        ]
    );
    assert_eq!(document["judge_model"], "m");
    assert_eq!(document["source_file"], "qwen.json");
    assert_eq!(document["metrics"]["exact_match"], 0.5);
    let rows = document["detailed_results"].as_array().unwrap();
    let column = |key: &str| -> Vec<&Value> { rows.iter().map(|row| &row[key]).collect() };
    assert_eq!(column("decision_method"), ["exact", "structural", "llm"]);
    assert_eq!(column("correct"), ["yes", "yes", "no"]);
    assert_eq!(
        column("gold"),
        ["<<User>>F p", "<<A>>F (p && q)", "<<A>>F p"]
    );
    assert_eq!(
        column("prediction"),
        ["<< user >> F p", "<<A>>F (q && p)", "<<A>>G p"]
    );
    assert_eq!(rows[0]["reasoning"], "Exact match (normalized).");
    assert_eq!(keys(&rows[0])[..3], ["input", "gold", "prediction"]);
    // Rows that nobody was asked about do not say what was answered.
    assert_eq!(rows[0].get("raw_reply"), None);
    let row = &rows[2];
    assert_eq!(
        (&row["reasoning"], &row["raw_reply"]),
        (&"F is not G.".into(), &NO.into())
    );
    assert_eq!((&row["id"], &row["latency_ms"]), (&3.into(), &12.5.into()));
    assert_eq!(
        (&row["parse_status"], &row["judge_served_by"]),
        (&"ok".into(), &"served-model".into())
    );
    assert_eq!(
        (&row["judge_tokens_input"], &row["judge_tokens_output"]),
        (&11.into(), &7.into())
    );
    assert_eq!(
        (&row["call"]["from_cache"], &row["call"]["attempts"]),
        (&false.into(), &1.into())
    );
    assert!(row["call"]["latency_ms"].is_u64());
}

#[test]
fn metrics_and_counts_add_up() {
    let (place, server) = (predictions(), server());
    judge(&place, &server, "").exits(0);
    let document = place.json("judged/m/qwen.json");
    let metrics = &document["judge_metrics"];
    let third = 1.0 / 3.0;
    assert_eq!(metrics["accuracy"], 2.0 * third);
    assert_eq!(metrics["total_evaluated"], 3);
    assert_eq!(
        (&metrics["correct"], &metrics["incorrect"]),
        (&2.into(), &1.into())
    );
    assert_eq!(metrics["exact_match"], json!({"count": 1, "rate": third}));
    assert_eq!(metrics["structural"], json!({"count": 1, "rate": third}));
    assert_eq!(
        metrics["llm_judged"],
        json!({"count": 1, "rate": third, "approval_rate": 0.0})
    );
    assert_eq!(metrics["accuracy_from_exact_match"], third);
    assert_eq!(metrics["accuracy_boost_from_llm"], 0.0);
    assert_eq!(metrics["no_llm_fallback_count"], 0);
    let counts = &document["judge"];
    let count = |key: &str| counts[key].as_u64().unwrap();
    assert_eq!(
        ["n_rows", "n_exact", "n_structural", "n_asked"].map(count),
        [3, 1, 1, 1]
    );
    assert_eq!(
        [
            "n_repaired",
            "n_invalid",
            "n_refused",
            "n_errors",
            "n_from_cache",
            "n_no_llm"
        ]
        .map(count),
        [0; 6]
    );
    let report = place.json("judged/judge_report.json");
    assert_eq!(report["judges"][0]["calls"]["asked"], 2);
    assert_eq!(report["judges"][0]["datasets"][1]["metrics"], *metrics);
}

#[test]
fn only_what_is_undecided_is_asked_in_a_fenced_prompt_at_temperature_0() {
    let (place, server) = (predictions(), server());
    judge(&place, &server, "").exits(0);
    let mut questions = all_asked(&server);
    questions.sort();
    assert_eq!(questions, ["right", "wrong"]);
    for request in server.requests() {
        assert_eq!(request.target, "/v1/chat/completions");
        let body = request.json();
        assert_eq!(
            (&body["model"], &body["temperature"]),
            (&"m".into(), &0.0.into())
        );
        assert_eq!(body["response_format"]["type"], "json_schema");
        // The reasoning comes before the verdict, in the schema and in the prompt.
        let schema = &body["response_format"]["json_schema"]["schema"];
        assert_eq!(schema["required"], json!(["reasoning", "correct"]));
        let properties = schema["properties"].as_object().expect("properties");
        assert!(properties.keys().eq(["reasoning", "correct"]));
        let system = body["messages"][0]["content"].as_str().expect("text");
        assert!(system.contains("{\"reasoning\": \"...\", \"correct\": \"yes\" | \"no\"}"));
        assert_eq!(
            request.header("authorization"),
            None,
            "there is no key to send"
        );
    }
}

#[test]
fn agree_judges_reads_the_result_without_rejects() {
    let (place, server) = (predictions(), server());
    judge(&place, &server, "--model other").exits(0);
    place
        .judica("agree judges --eval-dir judged --include-deterministic --out agreement.json")
        .exits(0);
    let report = place.json("agreement.json");
    assert_eq!(report["refused"], json!([]), "{report}");
    let judges = report["judges"].as_array().unwrap();
    assert_eq!(judges.len(), 2, "{report}");
    for judge in judges {
        assert_eq!((&judge["rows"], &judge["used"]), (&5.into(), &5.into()));
        assert_eq!(
            judge["methods"],
            json!({"exact": 2, "llm": 2, "structural": 1})
        );
    }
    assert!(!place.path("rejects.jsonl").exists());
}

#[test]
fn the_report_on_screen_is_the_report_in_the_file() {
    let (place, server) = (predictions(), server());
    let said = judge(&place, &server, "--json").exits(0);
    assert_eq!(said.stdout, place.text("judged/judge_report.json"));
    assert_eq!(said.stderr, "");
}

/// 255 bytes are allowed, with `.json`; what is longer is refused before anybody is asked.
#[test]
fn a_name_that_is_too_long_is_refused_before_the_first_call() {
    let (place, server) = (place_with(1), yes());
    let long = "m".repeat(256);
    let url = server.base_url();
    let line = format!("judge --predictions preds --base-url {url} --out judged");
    place
        .judica(&format!("{line} --model {long}"))
        .exits(2)
        .complains(&["256 bytes", "255", "--judge-name"]);
    place
        .judica(&format!("{line} --model m --judge-name {long}"))
        .exits(2)
        .complains(&["256 bytes"]);
    // As a folder it is shorter than with its letters of two bytes.
    let bytes = "é".repeat(128);
    place
        .judica(&format!("{line} --model {bytes}"))
        .exits(2)
        .complains(&["256 bytes"]);
    let deep = vec!["d".repeat(250); 17].join("/");
    place
        .judica(&format!("{line}/{deep} --model m"))
        .exits(2)
        .complains(&["too long"]);
    assert!(server.requests().is_empty());
    assert!(!place.path("judged").exists());
    judge(
        &place,
        &server,
        &format!("--judge-name {}", "m".repeat(255)),
    )
    .exits(0);
    assert!(
        place
            .path(&format!("judged/{}/set.json", "m".repeat(255)))
            .exists()
    );
}

#[test]
fn a_data_set_whose_document_cannot_be_named_is_refused_before_the_first_call() {
    let (place, server) = (place_with(1), yes());
    let rows = place.read("preds/set.jsonl");
    for (name, fits) in [(250, true), (251, false)] {
        // A file without an ending has a document with one.
        let name = "d".repeat(name);
        place.write(&name, &rows);
        let ran = place.judica(&format!(
            "judge --predictions {name} --model m --base-url {} --out judged",
            server.base_url()
        ));
        match fits {
            true => ran.exits(0),
            false => ran.exits(2).complains(&["too long", "256 bytes"]),
        };
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_is_in_the_way_of_a_document_is_noticed_before_the_first_call() {
    let server = yes();
    let place = place_with(1);
    place.write("judged/m", "a file");
    judge(&place, &server, "")
        .exits(3)
        .complains(&["judged/m", "a folder is needed"]);
    assert_eq!(place.text("judged/m"), "a file");
    let place = place_with(1);
    place.write("judged/m/set.json/mine", "a file in a folder");
    judge(&place, &server, "")
        .exits(3)
        .complains(&["judged/m/set.json", "a file is needed"]);
    assert!(server.requests().is_empty());
}
