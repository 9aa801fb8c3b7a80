use judica_data::prices::PriceList;
use serde_json::{Value, json};

use super::*;

mod edges;

fn prices(text: &str) -> PriceList {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.yaml");
    std::fs::write(&path, text).unwrap();
    PriceList::open(&path).unwrap()
}

fn run(model: &str, run: &str, correct: u64, n: u64) -> RunFacts {
    RunFacts {
        model: model.to_owned(),
        run: run.to_owned(),
        rows: n,
        exact: Tally { correct, n },
        ..RunFacts::default()
    }
}

/// Verdicts on every row.
fn judged(correct: u64, n: u64) -> Option<Verdicts> {
    Some(Verdicts {
        decided: Tally { correct, n },
        ..Verdicts::default()
    })
}

/// Three models: two by the token, one by the hour.
fn three() -> Vec<RunFacts> {
    vec![
        RunFacts {
            judged: judged(9, 10),
            latencies_ms: vec![2000.0; 10],
            tokens: Tokens {
                input: 10_000,
                output: 2_000,
                rows: 10,
            },
            ..run("big", "big_a", 7, 10)
        },
        RunFacts {
            judged: judged(6, 10),
            latencies_ms: (1..=10).map(|i| f64::from(i) * 100.0).collect(),
            tokens: Tokens {
                input: 10_000,
                output: 1_000,
                rows: 10,
            },
            ..run("small", "small_a", 5, 10)
        },
        RunFacts {
            judged: judged(5, 10),
            latencies_ms: vec![3600.0; 10],
            tokens: Tokens {
                input: 9_000,
                output: 1_000,
                rows: 10,
            },
            ..run("local", "local_a", 5, 10)
        },
    ]
}

const PRICES: &str = "\
big: {price_input_per_1k: 0.01, price_output_per_1k: 0.05}
small: {price_input_per_1k: 0.001, price_output_per_1k: 0.002}
local: {gpu_hour_usd: 3.0}
";

fn json_of(report: &EfficiencyReport) -> Value {
    serde_json::to_value(report).unwrap()
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!(
        (value - expected).abs() < 1e-12,
        "{value} is not {expected}"
    );
}

#[test]
fn three_models_worked_by_hand() {
    let list = prices(PRICES);
    let report = json_of(&report(three(), Some(&list), &Options::default()).unwrap());
    let [big, local, small] = [
        &report["models"][0],
        &report["models"][1],
        &report["models"][2],
    ];
    assert_eq!(
        (&big["model"], &local["model"], &small["model"]),
        (&json!("big"), &json!("local"), &json!("small"))
    );

    // big: 10 · 0.01 + 2 · 0.05 = 0.2 for 10 rows and 12,000 tokens; 2 s a row.
    near(&big["accuracy"], 0.9);
    assert_eq!(big["accuracy_source"], "judge");
    assert_eq!(big["accuracy_n"], 10);
    near(&big["cost"]["total_usd"], 0.2);
    near(&big["cost"]["avg_usd"], 0.02);
    near(&big["cost"]["per_1k_tokens_usd"], 0.2 / 12.0);
    near(&big["throughput"]["rows_per_second"], 0.5);
    near(&big["throughput"]["tokens_per_second"], 600.0);
    near(&big["accuracy_per_dollar"], 45.0);
    near(&big["accuracy_per_second"], 0.45);

    // local: 36 s are 0.01 hours at 3 dollars; 10,000 tokens in them, so 0.003 for 1000.
    assert_eq!(local["cost"]["source"], "gpu_hour");
    near(&local["cost"]["total_usd"], 0.03);
    near(&local["cost"]["hours_used"], 0.01);
    near(&local["cost"]["tokens_per_hour"], 1e6);
    near(&local["cost"]["per_1k_tokens_usd"], 0.003);

    // small: 100, 200, … 1000 ms. Position 9 · 0.95 = 8.55 lies between 900 and 1000.
    near(&small["latency_ms"]["mean"], 550.0);
    near(&small["latency_ms"]["median"], 550.0);
    near(&small["latency_ms"]["p95"], 955.0);
    near(&small["latency_ms"]["p99"], 991.0);
    near(&small["latency_ms"]["std"], 82_500f64.sqrt());
    assert_eq!(small["latency_ms"]["n"], 10);

    // Accuracy 0.9, 0.5, 0.6 → 1, 0, 0.25; cost 0.02, 0.003, 0.0012 → 0, 17/18.8, 1;
    // latency 2000, 3600, 550 → 1600/3050, 0, 1.
    near(&big["composite"]["score"], 0.5 + 0.25 * 1600.0 / 3050.0);
    near(&local["composite"]["score"], 0.25 * 17.0 / 18.8);
    near(&small["composite"]["score"], 0.5 * 0.25 + 0.25 + 0.25);

    let order = |name: &str| -> Vec<&str> {
        let places = report["rankings"][name].as_array().unwrap();
        places
            .iter()
            .map(|place| place["model"].as_str().unwrap())
            .collect()
    };
    assert_eq!(order("cheapest"), ["small", "local", "big"]);
    assert_eq!(order("fastest"), ["small", "big", "local"]);
    assert_eq!(order("most_accurate"), ["big", "small", "local"]);
    assert_eq!(order("accuracy_per_dollar"), ["small", "local", "big"]);
    assert_eq!(order("accuracy_per_second"), ["small", "big", "local"]);
    assert_eq!(order("composite"), ["big", "small", "local"]);
    assert_eq!(report["rankings"]["cheapest"][0]["rank"], 1);

    let plane = &report["pareto"]["accuracy_cost"];
    assert_eq!(plane["frontier"][0]["model"], "small");
    assert_eq!(plane["frontier"][1]["model"], "big");
    assert_eq!(
        plane["dominated"],
        json!([{"model": "local", "by": ["small"]}])
    );
    assert_eq!(report["notes"], json!([]));
}

#[test]
fn the_order_of_the_runs_does_not_matter() {
    let list = prices(PRICES);
    let forward = report(three(), Some(&list), &Options::default()).unwrap();
    let mut facts = three();
    facts.reverse();
    facts.iter_mut().for_each(|run| run.latencies_ms.reverse());
    assert_eq!(
        report(facts, Some(&list), &Options::default()).unwrap(),
        forward
    );
}

#[test]
fn runs_of_a_model_are_put_together_or_not() {
    let facts = || {
        vec![
            RunFacts {
                latencies_ms: vec![100.0; 10],
                ..run("m", "b", 10, 10)
            },
            RunFacts {
                stated_seconds: Some(9.0),
                latencies_ms: vec![300.0; 30],
                ..run("m", "a", 0, 30)
            },
        ]
    };
    let together = report(facts(), None, &Options::default()).unwrap();
    assert_eq!(together.models.len(), 1);
    let model = &together.models[0];
    assert_eq!(model.runs, ["a", "b"]);
    assert_eq!((model.n, model.share.accuracy), (40, Some(0.25)));
    assert_eq!(model.latency_ms.mean, Some(250.0));
    // 9 stated seconds and ten times 0.1 for 40 rows.
    assert_eq!(model.throughput.rows_per_second, Some(4.0));

    let options = Options {
        by: By::Run,
        ..Options::default()
    };
    let apart = report(facts(), None, &options).unwrap();
    let labels: Vec<&str> = apart.models.iter().map(|model| model.label()).collect();
    assert_eq!(labels, ["a", "b"]);
    assert_eq!(
        json_of(&apart)["rankings"]["fastest"][0],
        json!({
            "rank": 1, "model": "m", "run": "b", "value": 100.0,
        })
    );
}

#[test]
fn points_carry_their_intervals_and_the_frontier() {
    let report = report(three(), Some(&prices(PRICES)), &Options::default()).unwrap();
    let [cost, latency] = scatters(&report);
    assert_eq!((cost.points.len(), latency.points.len()), (3, 3));
    let on: Vec<bool> = cost.points.iter().map(|point| point.on_frontier).collect();
    assert_eq!(on, [true, false, true]);
    assert!(
        cost.points[0]
            .y_ci
            .is_some_and(|[lo, hi]| lo < 0.9 && hi > 0.9)
    );
}

#[test]
fn the_notebook_reads_the_file_it_is_told() {
    let cells = notebook_cells("a \"b\".json");
    let all: Vec<String> = cells
        .iter()
        .map(|cell| match cell {
            judica_model::notebook::NotebookCell::Markdown(text)
            | judica_model::notebook::NotebookCell::Code(text) => text.clone(),
        })
        .collect();
    assert!(
        all.iter()
            .any(|text| text.contains(r#"Path("a \"b\".json")"#))
    );
    assert!(!all.iter().any(|text| text.contains("REPORT_FILE")));
}
