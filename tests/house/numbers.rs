//! Numbers that mean nothing are refused before anything is read or written.

use crate::support::Place;

/// Not a number, not finite, not one that means something.
const NEVER: [&str; 7] = ["nan", "-nan", "inf", "-inf", "1e999", "", "many"];

/// Commands, their options, and values that are numbers but out of range.
const OPTIONS: [(&str, &str, &[&str]); 57] = [
    (
        "eval",
        "--threads",
        &["0", "-1", "1025", "18446744073709551615"],
    ),
    ("eval", "--agent-limit", &["0", "18446744073709551615"]),
    ("eval", "--timeout", &["0", "18446744073709551615"]),
    (
        "eval",
        "--max-line",
        &["0", "1023", "2TiB", "18446744073709551615"],
    ),
    ("calibrate", "--tolerate", &["-1", "100.5"]),
    ("calibrate", "--max-line", &["1"]),
    ("reproduce", "--threads", &["0", "18446744073709551615"]),
    ("demo", "--threads", &["0", "18446744073709551615"]),
    ("demo", "--samples", &["0", "4294967295"]),
    ("demo", "--models", &["0", "4294967295"]),
    ("synth", "--samples", &["0", "4294967295"]),
    ("synth", "--models", &["0", "4294967295"]),
    ("synth", "--seed", &["-1", "1.5"]),
    ("match", "--threads", &["0", "18446744073709551615"]),
    ("match", "--tolerance", &["-1e-9"]),
    ("match", "--relative-tolerance", &["-1"]),
    ("match", "--k", &["0", "1001", "4294967296"]),
    ("match", "--max-line", &["0"]),
    (
        "efficiency",
        "--weights",
        &["-1,0.5,0.5", "1e7,0,0", "nan,1,1", "0.5,inf,0.5"],
    ),
    ("efficiency", "--tolerance", &["-1"]),
    ("efficiency gpu-cost", "--gpu-price-usd", &["-1", "1e13"]),
    ("efficiency gpu-cost", "--lifespan-years", &["-1"]),
    ("efficiency gpu-cost", "--utilization", &["-0.1", "1.1"]),
    ("efficiency gpu-cost", "--avg-watts", &["-1"]),
    ("efficiency gpu-cost", "--electricity-usd-per-kwh", &["-1"]),
    ("efficiency gpu-cost", "--overhead", &["-1"]),
    (
        "judge",
        "--timeout",
        &["0", "86401", "18446744073709551615"],
    ),
    ("judge", "--attempts", &["0", "4294967295"]),
    ("judge", "--concurrency", &["0", "1025"]),
    ("judge", "--rpm", &["0"]),
    ("judge", "--tpm", &["0"]),
    ("judge", "--max-output-tokens", &["0", "4294967295"]),
    ("judge", "--max-usd", &["-1", "1e13"]),
    ("judge", "--votes", &["0", "100"]),
    ("judge", "--probe", &["0", "4294967295"]),
    ("judge", "--tolerance", &["-1"]),
    ("agree pairs", "--pa-gate", &["-0.1", "1.1"]),
    ("agree pairs", "--kappa-gate", &["-1.1", "1.1"]),
    ("agree pairs", "--abstain-gate", &["-0.1", "1.1"]),
    ("agree pairs", "--confidence", &["0", "1", "95"]),
    ("agree pairs", "--resamples", &["-1", "4294967295"]),
    (
        "agree judges",
        "--disagreements",
        &["-1", "18446744073709551615"],
    ),
    ("agree ratings", "--threads", &["0", "18446744073709551615"]),
    ("episodes", "--memory-gb", &["-1"]),
    ("episodes", "--threads", &["0"]),
    ("compare", "--alpha", &["0", "1"]),
    ("compare", "--resamples", &["4294967295"]),
    ("plot", "--scale", &["0", "-2", "16.5", "1e30"]),
    ("plot", "--width", &["0", "-1", "99", "8001", "640.5"]),
    ("plot", "--height", &["0", "99", "8001"]),
    ("plot", "--font-size", &["0", "5.9", "48.1", "-12"]),
    ("compare", "--font-size", &["0"]),
    ("efficiency", "--width", &["0"]),
    ("agree ratings", "--height", &["0"]),
    ("plot", "--rows", &["0", "18446744073709551615"]),
    ("aggregate", "--threads", &["0"]),
    ("gate golden", "--min-recall", &["-0.1", "1.1"]),
];

#[test]
fn no_option_takes_a_number_that_means_nothing() {
    let place = Place::new();
    for (command, option, values) in OPTIONS {
        for value in values.iter().chain(&NEVER) {
            let mut program = place.command(command);
            program.arg(format!("{option}={value}"));
            crate::support::ran(program)
                .exits(2)
                .complains(&["invalid value", option]);
        }
    }
    place.nothing_in(".");
}

#[test]
fn the_rates_of_every_gate_are_rates() {
    for option in ["--min-coverage", "--min-abstention", "--min-manifests"] {
        for value in ["nan", "inf", "2"] {
            Place::new()
                .judica(&format!("gate golden --outputs x {option}={value}"))
                .exits(2)
                .complains(&[option, "from 0 to 1"]);
        }
    }
}

#[test]
fn a_gates_file_holds_finite_numbers() {
    let place = Place::new();
    place.write("r.json", "{\"n\": 1}");
    for threshold in ["nan", "inf", "-inf", "+nan", "1e999"] {
        let gate = "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"/n\"\nop = \">=\"\n";
        place.write("g.toml", format!("{gate}threshold = {threshold}\n"));
        place
            .judica("gate check --report r.json --gates g.toml")
            .exits(2)
            .complains(&["g.toml:6"]);
    }
}

#[test]
fn a_scale_is_drawn_or_refused() {
    let place = Place::new();
    let steps: Vec<&str> = vec![r#"{"action": {"type": "click", "x": 0.5, "y": 0.5}}"#; 4];
    let row = |i| {
        format!(
            "{{\"episode_id\": \"e{i}\", \"steps\": [{}]}}",
            steps.join(",")
        )
    };
    let rows: Vec<String> = (0..300).map(row).collect();
    place.write_lines("e.jsonl", &rows);
    place
        .judica(
            "episodes --episodes e.jsonl --predictions e.jsonl --mode coord --config-path c \
             --backend b --out e.json --details d.jsonl",
        )
        .exits(0);
    let plot = "plot --strip d.jsonl --rows 300 --output p.png";
    // Nobody asked for a scale: as many pixels as fit.
    place.judica(plot).exits(0);
    place
        .judica(&format!("{plot} --scale 16"))
        .exits(2)
        .complains(&["--scale 16", "at most"]);
}
