//! `judica efficiency gpu-cost`: the seed's estimate.

use serde_json::Value;

use crate::answers::data::near;
use crate::support::{Place, keys};

const GPU: &str = "efficiency gpu-cost --gpu-price-usd 17520 --lifespan-years 4 --utilization 0.5 \
                   --avg-watts 300 --electricity-usd-per-kwh 0.2";

#[track_caller]
fn cost(options: &str) -> Value {
    let ran = Place::new()
        .judica(&format!("{GPU} {options} --json"))
        .exits(0);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[test]
fn worked_by_hand() {
    // 17,520 / (4 · 365 · 24 · 0.5) = 1; 0.3 kW at 0.2 = 0.06.
    let plain = cost("");
    assert_eq!(
        keys(&plain),
        [
            "gpu_amort_hour",
            "power_hour",
            "overhead_hour",
            "gpu_hour_usd"
        ]
    );
    near(&plain["gpu_amort_hour"], 1.0);
    near(&plain["power_hour"], 0.06);
    near(&plain["overhead_hour"], 0.0);
    near(&plain["gpu_hour_usd"], 1.06);
    let shared = cost("--overhead 0.25");
    near(&shared["overhead_hour"], 0.265);
    near(&shared["gpu_hour_usd"], 1.325);
    Place::new()
        .judica(GPU)
        .exits(0)
        .says(&["gpu_hour_usd", "1.0600 USD"]);
}

#[test]
fn what_it_prints_is_a_price() {
    let place = crate::answers::data::three();
    let hour = &cost("")["gpu_hour_usd"];
    let model = format!("models:\n  big:\n    gpu_hour_usd: {hour}\n");
    place.write("gpu.yaml", model);
    let report = crate::answers::data::efficiency(&place, "--prices gpu.yaml");
    // Four answers of two seconds.
    near(
        &crate::answers::data::model(&report, "big")["cost"]["total_usd"],
        8.0 / 3600.0 * 1.06,
    );
}

#[test]
fn numbers_out_of_range() {
    for (option, value) in [
        ("gpu-price-usd", "-1"),
        ("gpu-price-usd", "inf"),
        ("lifespan-years", "0"),
        ("lifespan-years", "-4"),
        ("utilization", "0"),
        ("utilization", "1.01"),
        ("utilization", "nan"),
        ("avg-watts", "-300"),
        ("electricity-usd-per-kwh", "-0.1"),
        ("overhead", "-0.1"),
        ("overhead", "20"),
        ("avg-watts", "many"),
    ] {
        let options: Vec<String> = [
            ("gpu-price-usd", "100"),
            ("lifespan-years", "4"),
            ("utilization", "0.5"),
            ("avg-watts", "300"),
            ("electricity-usd-per-kwh", "0.2"),
            ("overhead", "0"),
        ]
        .iter()
        .map(|(name, usual)| {
            let given = if *name == option { value } else { usual };
            format!("--{name}={given}")
        })
        .collect();
        let line = format!("efficiency gpu-cost {}", options.join(" "));
        let ran = Place::new().judica(&line).exits(2);
        let name = option.replace('-', "_");
        assert!(
            ran.stderr.contains(option) || ran.stderr.contains(&name),
            "{option} {value}: {}",
            ran.stderr
        );
        assert_eq!(ran.stdout, "");
    }
    Place::new()
        .judica("efficiency gpu-cost --gpu-price-usd 1")
        .exits(2)
        .complains(&["--lifespan-years"]);
}
