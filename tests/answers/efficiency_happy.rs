//! What `judica efficiency` says of three models, worked by hand.

use serde_json::{Value, json};

use crate::answers::data::{efficiency, model, near, ranking, row, run, three, with};
use crate::support::Place;

fn report() -> Value {
    efficiency(&three(), "--prices prices.json")
}

#[test]
fn accuracy_cost_latency_and_throughput() {
    let report = report();
    let big = model(&report, "big");
    assert_eq!(big["n"], 4);
    assert_eq!(big["runs"], json!(["big-run"]));
    assert_eq!(big["accuracy"], 1.0);
    assert_eq!(big["accuracy_source"], "exact_match");
    assert_eq!(
        big["tokens"],
        json!({"n": 4, "input": 4000, "output": 2000, "total": 6000})
    );
    // 1 · 0.01 + 0.5 · 0.03 a row.
    assert_eq!(big["cost"]["source"], "tokens");
    near(&big["cost"]["avg_usd"], 0.025);
    near(&big["cost"]["total_usd"], 0.1);
    near(&big["cost"]["per_1k_tokens_usd"], 0.1 / 6.0);
    near(&big["latency_ms"]["mean"], 2000.0);
    near(&big["throughput"]["rows_per_second"], 0.5);
    near(&big["throughput"]["tokens_per_second"], 750.0);
    near(&big["accuracy_per_dollar"], 40.0);
    near(&big["accuracy_per_second"], 0.5);
    assert_eq!(report["inputs"], 12);
    assert_eq!(report["records"], 12);
    assert_eq!(report["rejects"], 0);
}

#[test]
fn the_composite_is_a_weighted_mean_of_places() {
    let report = report();
    assert_eq!(
        report["weights"],
        json!({"accuracy": 0.5, "cost": 0.25, "latency": 0.25})
    );
    // Accuracy 1, 1/3, 0; cost 0, 1, 1/2; latency 0, 1, 2/3.
    near(&model(&report, "big")["composite"]["score"], 0.5);
    near(
        &model(&report, "small")["composite"]["score"],
        0.5 / 3.0 + 0.5,
    );
    near(
        &model(&report, "worse")["composite"]["score"],
        0.125 + 0.5 / 3.0,
    );
    near(&model(&report, "worse")["composite"]["terms"]["cost"], 0.5);
}

#[test]
fn other_weights() {
    let place = three();
    let report = efficiency(&place, "--prices prices.json --weights 1,0,0");
    near(&model(&report, "small")["composite"]["score"], 1.0 / 3.0);
    // Only their ratio matters.
    let [tens, ones] = ["--weights 20,30,50", "--weights 0.2,0.3,0.5"].map(|weights| {
        efficiency(&place, &format!("--prices prices.json {weights}"))["models"].clone()
    });
    for (tens, ones) in tens
        .as_array()
        .expect("models")
        .iter()
        .zip(ones.as_array().expect("models"))
    {
        near(
            &tens["composite"]["score"],
            ones["composite"]["score"].as_f64().expect("a score"),
        );
    }
}

#[test]
fn rankings() {
    let report = report();
    for (name, order) in [
        ("cheapest", ["small", "worse", "big"]),
        ("fastest", ["small", "worse", "big"]),
        ("most_accurate", ["big", "small", "worse"]),
        ("accuracy_per_dollar", ["big", "small", "worse"]),
        ("accuracy_per_second", ["small", "big", "worse"]),
        ("composite", ["small", "big", "worse"]),
    ] {
        let expected: Vec<(u64, String)> = (1..).zip(order.map(str::to_owned)).collect();
        assert_eq!(ranking(&report, name), expected, "{name}");
    }
}

#[test]
fn equals_share_a_rank() {
    let place = Place::new();
    for (model, right) in [("a", 2), ("b", 3), ("c", 2), ("d", 1)] {
        place.write(
            &format!("preds/{model}.json"),
            run(model, right, 1.0, [1, 1]).to_string(),
        );
    }
    let report = efficiency(&place, "");
    let ranks =
        [(1, "b"), (2, "a"), (2, "c"), (4, "d")].map(|(rank, name)| (rank, name.to_owned()));
    assert_eq!(ranking(&report, "most_accurate"), ranks);
}

#[test]
fn the_frontier_and_who_is_beaten_by_whom() {
    let report = report();
    for plane in ["accuracy_cost", "accuracy_latency"] {
        let plane = &report["pareto"][plane];
        let front: Vec<&Value> = plane["frontier"]
            .as_array()
            .expect("a frontier")
            .iter()
            .map(|point| &point["model"])
            .collect();
        assert_eq!(front, ["small", "big"]);
        assert_eq!(
            plane["dominated"],
            json!([{"model": "worse", "by": ["small"]}])
        );
        assert_eq!(plane["left_out"], json!([]));
    }
}

#[test]
fn runs_of_a_model_together_or_apart() {
    let place = three();
    let mut again = run("small", 4, 1500.0, [1000, 100]);
    again["run_name"] = json!("second");
    place.write("preds/again.json", again.to_string());
    let together = efficiency(&place, "--prices prices.json");
    let small = model(&together, "small");
    assert_eq!(small["runs"], json!(["second", "small-run"]));
    assert_eq!(small["n"], 8);
    near(&small["accuracy"], 0.75);
    near(&small["latency_ms"]["mean"], 1000.0);
    near(&small["latency_ms"]["std"], 500.0);
    near(&small["cost"]["avg_usd"], 0.013);
    near(&small["cost"]["total_usd"], 0.104);
    let apart = efficiency(&place, "--prices prices.json --by run");
    let runs: Vec<&Value> = apart["models"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|model| &model["run"])
        .collect();
    assert_eq!(runs, ["big-run", "second", "small-run", "worse-run"]);
    assert_eq!(apart["rankings"]["fastest"][0]["run"], "small-run");
}

#[test]
fn latencies_are_described() {
    let place = Place::new();
    let rows: Vec<Value> = (1..=5)
        .map(|number| {
            with(
                row("p", "p"),
                json!({"id": number, "latency_ms": number * 100}),
            )
        })
        .collect();
    place.write(
        "preds/a.json",
        json!({"model": "a", "predictions": rows}).to_string(),
    );
    let report = efficiency(&place, "");
    let latency = &report["models"][0]["latency_ms"];
    for (name, expected) in [
        ("mean", 300.0),
        ("median", 300.0),
        ("p95", 480.0),
        ("p99", 496.0),
        ("min", 100.0),
        ("max", 500.0),
        ("std", 20_000.0_f64.sqrt()),
    ] {
        near(&latency[name], expected);
    }
    // Five rows in 1.5 seconds.
    near(
        &report["models"][0]["throughput"]["rows_per_second"],
        5.0 / 1.5,
    );
}

#[test]
fn a_row_knows_itself_whether_it_matched() {
    let place = Place::new();
    let rows = [
        with(row("p", "q"), json!({"id": 1, "exact_match": true})),
        with(row("p", "q"), json!({"id": 2, "exact_match": 1})),
        with(row("p", "p"), json!({"id": 3, "exact_match": false})),
        with(row("p", "p"), json!({"id": 4, "exact_match": null})),
    ];
    place.write("preds/a.json", json!(rows).to_string());
    assert_eq!(efficiency(&place, "")["models"][0]["accuracy"], 0.75);
}

#[test]
fn other_normalisers() {
    let place = Place::new();
    place.write(
        "preds/a.json",
        json!([row("5", "5.0"), row("7", "8")]).to_string(),
    );
    assert_eq!(efficiency(&place, "")["models"][0]["accuracy"], 0.0);
    let report = efficiency(&place, "--normalizer number");
    assert_eq!(report["models"][0]["accuracy"], 0.5);
    assert_eq!(report["normalizer"], "number");
    let wide = efficiency(&place, "--normalizer number --tolerance 1");
    assert_eq!(wide["models"][0]["accuracy"], 1.0);
}
