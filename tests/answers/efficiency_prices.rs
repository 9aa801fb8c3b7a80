//! Price files: YAML, TOML, JSON; and what is wrong with some.

use serde_json::json;

use crate::answers::data::{efficiency, model, near, notes, ranking, run, three};
use crate::support::{Place, gzip};

#[test]
fn yaml_toml_and_json_say_the_same() {
    let place = three();
    let yaml = "models:\n  big:\n    price_input_per_1k: 0.01\n    price_output_per_1k: 0.03\n    \
                provider: azure\n  small: {price_input_per_1k: 0.01, price_output_per_1k: 0.03}\n";
    let toml = "[models.big]\nprice_input_per_1k = 0.01\nprice_output_per_1k = 0.03\n\
                [models.small]\nprice_input_per_1k = 0.01\nprice_output_per_1k = 0.03\n";
    let list = json!({"models": [
        {"name": "big", "price_input_per_1k": 0.01, "price_output_per_1k": 0.03},
        {"short_name": "small", "name": "org/small", "price_input_per_1k": 0.01, "price_output_per_1k": 0.03},
    ]});
    place.write("p.yaml", yaml);
    place.write("p.yml", yaml);
    place.write("p.toml", toml);
    place.write("p.json", list.to_string());
    place.write("p.yaml.gz", gzip(yaml.as_bytes()));
    for name in ["p.yaml", "p.yml", "p.toml", "p.json", "p.yaml.gz"] {
        let report = efficiency(&place, &format!("--prices {name}"));
        near(&model(&report, "big")["cost"]["avg_usd"], 0.025);
        near(&model(&report, "small")["cost"]["avg_usd"], 0.013);
    }
}

#[test]
fn a_gpu_by_the_hour() {
    let place = three();
    place.write("p.yaml", "big: {gpu_hour_usd: 3.6}\n");
    let report = efficiency(&place, "--prices p.yaml");
    let cost = &model(&report, "big")["cost"];
    assert_eq!(cost["source"], "gpu_hour");
    // Eight seconds at a tenth of a cent, for 6,000 tokens.
    near(&cost["total_usd"], 0.008);
    near(&cost["avg_usd"], 0.002);
    near(&cost["hours_used"], 8.0 / 3600.0);
    near(&cost["tokens_per_hour"], 2_700_000.0);
    near(&cost["per_1k_tokens_usd"], 3.6 / 2_700_000.0 * 1000.0);
}

#[test]
fn hours_that_a_run_states_go_before_its_latencies() {
    let place = Place::new();
    let mut stated = run("m", 4, 1000.0, [10, 10]);
    stated["hours_used"] = json!(0.5);
    place.write("preds/a.json", stated.to_string());
    place.write("p.toml", "[models.m]\ngpu_hour_usd = 2\n");
    let report = efficiency(&place, "--prices p.toml");
    near(&model(&report, "m")["cost"]["total_usd"], 1.0);
    near(
        &model(&report, "m")["throughput"]["rows_per_second"],
        4.0 / 1800.0,
    );
    near(&model(&report, "m")["latency_ms"]["mean"], 1000.0);
}

#[test]
fn a_model_without_a_price_is_named_and_not_ranked() {
    let place = three();
    place.write("p.json", crate::answers::data::prices(&["big", "smal"]));
    let report = efficiency(&place, "--prices p.json");
    for (name, expected) in [("small", "did you mean `smal`?"), ("worse", "p.json")] {
        let cost = &model(&report, name)["cost"];
        assert_eq!(cost["avg_usd"], json!(null));
        assert!(
            cost["undefined"].as_str().expect("why").contains(expected),
            "{cost}"
        );
        assert!(
            notes(&report, &[&format!("`{name}`"), "no cost"]),
            "{report}"
        );
    }
    assert_eq!(ranking(&report, "cheapest"), [(1, "big".to_owned())]);
    assert_eq!(ranking(&report, "accuracy_per_dollar").len(), 1);
    assert_eq!(ranking(&report, "fastest").len(), 3);
    let left = report["pareto"]["accuracy_cost"]["left_out"]
        .as_array()
        .expect("a list");
    assert_eq!(left.len(), 2);
    // The composite goes on without the term.
    assert_eq!(ranking(&report, "composite").len(), 3);
}

#[test]
fn half_a_price_is_none() {
    let place = three();
    place.write(
        "p.json",
        json!({"big": {"price_input_per_1k": 0.01}}).to_string(),
    );
    let report = efficiency(&place, "--prices p.json");
    let cost = &model(&report, "big")["cost"];
    assert_eq!(cost["total_usd"], json!(null), "what came out is not free");
    let why = cost["undefined"].as_str().expect("why");
    assert!(why.contains("price_output_per_1k"), "{why}");
}

#[test]
fn nothing_costs_nothing() {
    let place = three();
    let free = json!({"big": {"price_input_per_1k": 0, "price_output_per_1k": 0}});
    place.write("p.json", free.to_string());
    let report = efficiency(&place, "--prices p.json");
    let big = model(&report, "big");
    assert_eq!(big["cost"]["total_usd"], 0.0);
    assert_eq!(big["accuracy_per_dollar"], json!(null));
    assert!(big["accuracy_per_dollar_undefined"].is_string());
}

#[test]
fn files_that_are_wrong() {
    let place = three();
    for (name, text, words) in [
        (
            "a.yaml",
            "big:\n  price_inptu_per_1k: 1\n",
            &["line 2", "did you mean `price_input_per_1k`"][..],
        ),
        (
            "a.toml",
            "[models.big]\ngpu_hours_usd = 1\n",
            &["big", "did you mean `gpu_hour_usd`"],
        ),
        (
            "a.yaml",
            "big:\n  price_input_per_1k: -0.01\n",
            &["line 2", "-0.01"],
        ),
        ("a.yaml", "big:\n  gpu_hour_usd: .inf\n", &["gpu_hour_usd"]),
        ("a.yaml", "big:\n  gpu_hour_usd: cheap\n", &["gpu_hour_usd"]),
        // Never silently no price.
        (
            "a.json",
            r#"{"big": {"gpu_hour_usd": "3"}}"#,
            &["gpu_hour_usd"],
        ),
        ("a.yaml", "models: [\n", &["YAML"]),
        ("a.toml", "models = \n", &["line 1"]),
        ("a.json", "{\"big\": ", &["line 1"]),
        ("a.json", "3", &[]),
        ("a.yaml", "\u{0}\u{1}", &[]),
    ] {
        place.write(name, text);
        let ran = place.judica(&format!("efficiency -p preds --out out --prices {name}"));
        ran.exits(2).complains(&[name]).complains(words);
        place.nothing_in("out");
    }
    place.write("bytes.yaml", b"big: \xff\n");
    place
        .judica("efficiency -p preds --prices bytes.yaml")
        .exits(2);
    place
        .judica("efficiency -p preds --prices none.yaml")
        .exits(3)
        .complains(&["none.yaml"]);
}
