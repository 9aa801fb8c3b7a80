//! The domains that are documents, from end to end: answers of every kind.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Place, STAMP, python};

const DOMAINS: [&str; 2] = ["extraction", "tool-call"];

fn evaluate(place: &Place, domain: &str, outputs: &str, run: &str) {
    place
        .judica(&format!(
            "eval --protocol {domain} --samples data/samples.jsonl --outputs {outputs} \
             --out {run} --records both --timestamp {STAMP}"
        ))
        .exits(0);
}

fn run(domain: &str, samples: u32, seed: u32) -> Place {
    let place = Place::new();
    place
        .judica(&format!(
            "synth {domain} --samples {samples} --models 5 --seed {seed} --out data"
        ))
        .exits(0);
    evaluate(&place, domain, "data/outputs.jsonl", "run");
    place
}

/// The mean of a column over the records of each model that have it.
fn means(place: &Place, column: &str) -> BTreeMap<String, f64> {
    let csv = place.judica("export run --format csv").exits(0).stdout;
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    let at = |name: &str| head.iter().position(|key| *key == name).expect("a column");
    let (model, column) = (at("subject"), at(column));
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for line in lines {
        if let Ok(value) = line[column].parse::<f64>() {
            let (sum, count) = sums.entry(line[model].to_owned()).or_default();
            (*sum, *count) = (*sum + value, *count + 1.0);
        }
    }
    sums.into_iter()
        .map(|(model, (sum, count))| (model, sum / count))
        .collect()
}

#[test]
fn the_truth_is_perfect() {
    for domain in DOMAINS {
        let place = run(domain, 300, 3);
        let samples = place.json_lines("data/samples.jsonl");
        let truth: Vec<String> = samples
            .iter()
            .map(|sample| {
                let text = sample["gold"].to_string();
                json!({"model": "truth", "id": sample["sample_id"], "response": text}).to_string()
            })
            .collect();
        place.write("truth.jsonl", truth.join("\n"));
        evaluate(&place, domain, "truth.jsonl", "truth");
        for record in place.json_lines("truth/records.jsonl") {
            assert_eq!(record["agent_output"]["adjudication"], "eligible");
            let scores = &record["optional_scores"];
            assert_eq!(scores["total_score"], 100.0, "{record}");
            let atoms = record["evidence_pack"]["atoms"].as_array().expect("atoms");
            assert!(atoms.iter().all(|atom| atom["pass"] == true), "{record}");
        }
        place
            .judica(&format!(
                "calibrate --protocol {domain} --samples data/samples.jsonl"
            ))
            .exits(0)
            .says(&["300 samples, 300 with gold", "no rule is violated"]);
    }
}

#[test]
fn the_order_of_the_models_is_known() {
    for domain in DOMAINS {
        for seed in [1, 2] {
            let place = run(domain, 300, seed);
            let report = place.json("run/report.json");
            let mut board: Vec<&Value> = report["leaderboard"]
                .as_array()
                .expect("a leaderboard")
                .iter()
                .map(|row| &row["model_name"])
                .collect();
            // Bad form and bad connections cost about as much as each other.
            board[2..4].sort_by_key(|name| name.to_string());
            let order = [
                "accurate-1",
                "noisy-1",
                "format-breaking-1",
                "rate-limited-1",
                "unsafe-1",
            ];
            assert_eq!(board, order, "{domain} {seed}");
        }
    }
}

#[test]
fn precision_and_recall_tell_the_models_apart() {
    let place = run("extraction", 300, 5);
    let (precision, recall) = (means(&place, "precision_due"), means(&place, "recall_due"));
    // One leaves dates out, the other invents them.
    assert!(
        precision["noisy-1"] > 0.99 && recall["noisy-1"] < 0.97,
        "{recall:?}"
    );
    assert!(precision["unsafe-1"] < 0.8, "{precision:?}");
    assert!(recall["unsafe-1"] > precision["unsafe-1"], "{recall:?}");
    // A provider's error gives nothing, so it is missed and not wrong.
    assert!(precision["rate-limited-1"] > 0.97 && recall["rate-limited-1"] < 0.8);
    let tags = means(&place, "precision_tags");
    assert!(
        tags["unsafe-1"] < 0.85 && tags["noisy-1"] > 0.99,
        "{tags:?}"
    );
    let right = means(&place, "wholly_right");
    assert!(
        right["accurate-1"] > 0.95 && right["noisy-1"] < 0.6,
        "{right:?}"
    );

    let place = run("tool-call", 300, 5);
    let tool = means(&place, "precision_tool");
    assert!(
        tool["accurate-1"] == 1.0 && tool["unsafe-1"] < 0.85,
        "{tool:?}"
    );
    let weather = means(&place, "recall_weather");
    assert!(
        weather["noisy-1"] < 0.7 && weather["accurate-1"] > 0.9,
        "{weather:?}"
    );
}

#[test]
fn the_other_commands_take_their_runs() {
    for (domain, item, rule, shown) in [
        (
            "extraction",
            "invoice_000001",
            "lines_add_up",
            "lines_add_up",
        ),
        ("tool-call", "call_000001", "right_tool", "right_tool"),
    ] {
        let place = run(domain, 60, 7);
        place
            .judica(&format!("show run {item} --subject unsafe-1 --all"))
            .exits(0)
            .says(&[item, "type_validity"]);
        place
            .judica(&format!("explain {rule} --protocol {domain}"))
            .exits(0)
            .says(&[shown]);
        place
            .judica(&format!("rules --protocol {domain}"))
            .exits(0)
            .says(&[rule]);
        place
            .judica(&format!("lint {domain}"))
            .exits(0)
            .says(&["nothing found"]);
        for format in ["markdown", "latex", "csv", "jsonl"] {
            place
                .judica(&format!("export run --format {format}"))
                .exits(0)
                .says(&["accurate-1"]);
        }
        let stored = place.text("run/records.jsonl");
        assert!(place.judica("export run --format jsonl").exits(0).stdout == stored);
        place.judica("reproduce run").exits(0).says(&["identical"]);
        evaluate(&place, domain, "data/outputs.jsonl", "again");
        place
            .judica("compare run again")
            .exits(0)
            .says(&["no difference"]);
    }
}

/// Hostile answers, judged by implementations of the protocols that share nothing with this
/// program.
#[test]
fn independent_implementations_agree() {
    for (domain, script, table, records) in [
        ("extraction", "extraction_oracle.py", "hostile.csv", 960),
        ("tool-call", "tool_call_oracle.py", "", 640),
    ] {
        let place = run(domain, 80, 9);
        let ask = |what: &str| python(&place, script, what);
        let Some(made) = ask("cases data/samples.jsonl hostile.jsonl") else {
            return;
        };
        assert!(made.status.success(), "{made:?}");
        evaluate(&place, domain, "hostile.jsonl", "hostile");
        let csv = place.judica("export hostile --format csv").exits(0).stdout;
        place.write("hostile.csv", csv);
        let protocols = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols");
        let checked = ask(&format!(
            "check data/samples.jsonl hostile.jsonl hostile/records.jsonl {table} \
             {protocols}/{domain}.toml"
        ))
        .expect("python3 was there");
        let said = String::from_utf8_lossy(&checked.stdout);
        let all = format!("{records} records, 0 differences");
        assert!(
            checked.status.success() && said.contains(&all),
            "{said}{}",
            String::from_utf8_lossy(&checked.stderr)
        );
    }
}
