//! The composite action of `docs/ci`: its very script, run as GitHub would run it.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::gate::data::{check, gates_file, junit_cases};
use crate::support::{JUDICA, Place, Ran};

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci/action/gate.sh")
}

/// A pull request whose accuracy is `accuracy`; 0.8 is asked for. Names have blanks.
fn pull_request(accuracy: f64) -> Place {
    let gate = "name = \"accuracy\"\nmetric = \"/accuracy\"\nop = \">=\"\nthreshold = 0.8";
    let place = check(&json!({"accuracy": accuracy}), &gates_file(&[gate]));
    for (from, to) in [("r.json", "my report.json"), ("g.toml", "my gates.toml")] {
        std::fs::rename(place.path(from), place.path(to)).expect("renamed");
    }
    place
}

/// Runs the script with the inputs of the action as the action passes them on.
fn action(place: &Place, inputs: &[(&str, &str)]) -> Ran {
    let mut command = Command::new("sh");
    command
        .arg(script())
        .current_dir(place.path("."))
        .env("JUDICA", JUDICA)
        .env("INPUT_REPORT", "my report.json")
        .env("INPUT_GATES", "my gates.toml")
        .env("INPUT_JUNIT", "out dir/gates.xml")
        .env("GITHUB_STEP_SUMMARY", place.path("step summary.md"))
        .env_remove("INPUT_BASELINE")
        .env_remove("INPUT_STRICT");
    for (name, value) in inputs {
        command.env(name, value);
    }
    let output = command.output().expect("sh");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_good_gate_lets_the_build_pass() {
    let place = pull_request(0.9);
    let ran = action(&place, &[]).exits(0);
    assert!(!ran.stdout.contains("::error"), "{}", ran.stdout);
    let summary = place.text("step summary.md");
    assert!(summary.contains("**PASS**: 1 gate passed."), "{summary}");
    assert!(
        summary.contains("| accuracy | /accuracy | 0.9 |"),
        "{summary}"
    );
    let cases = junit_cases(&place.text("out dir/gates.xml"));
    assert_eq!(cases, [("accuracy".to_owned(), "passed")]);
}

#[test]
fn a_broken_gate_fails_the_build() {
    let place = pull_request(0.7);
    let ran = action(&place, &[]).exits(1);
    let ran = ran.says(&["::error file=my gates.toml,title=gate accuracy::FAIL: /accuracy is 0.7"]);
    assert!(ran.stdout.contains("FAIL"));
    let summary = place.text("step summary.md");
    assert!(
        summary.contains("| gate | metric | value | must be | result | note |"),
        "{summary}"
    );
    assert!(
        summary.contains("| accuracy | /accuracy | 0.7 |"),
        "{summary}"
    );
    let cases = junit_cases(&place.text("out dir/gates.xml"));
    assert_eq!(cases, [("accuracy".to_owned(), "failure")]);
}

#[test]
fn what_other_steps_wrote_to_the_summary_stays() {
    let place = pull_request(0.7);
    place.write("step summary.md", "# Tests\n\nAll passed.\n");
    action(&place, &[]).exits(1);
    let summary = place.text("step summary.md");
    assert!(summary.starts_with("# Tests\n\nAll passed.\n"), "{summary}");
    assert!(summary.contains("**FAIL**"), "{summary}");
}

#[test]
fn a_baseline_is_passed_on() {
    let place = pull_request(0.9);
    let drop = "name = \"no drop\"\nmetric = \"/accuracy\"\nop = \"max_drop\"\nthreshold = 0.01";
    place.write("my gates.toml", gates_file(&[drop]));
    place.write("the main report.json", "{\"accuracy\": 0.95}");
    let baseline = ("INPUT_BASELINE", "the main report.json");
    action(&place, &[baseline]).exits(1);
    place.write("the main report.json", "{\"accuracy\": 0.9}");
    action(&place, &[baseline]).exits(0);
    // An input that was not given is an empty variable.
    action(&place, &[("INPUT_BASELINE", "")])
        .exits(2)
        .complains(&["--baseline"]);
}

#[test]
fn undefined_numbers_are_allowed_by_a_word() {
    let place = pull_request(0.9);
    place.write("my report.json", "{\"accuracy\": null}");
    action(&place, &[]).exits(1);
    action(&place, &[("INPUT_ALLOW_UNDEFINED", "false")]).exits(1);
    action(&place, &[("INPUT_ALLOW_UNDEFINED", "true")]).exits(0);
}

#[test]
fn what_cannot_be_checked_fails_the_build_and_is_not_a_pass() {
    let place = pull_request(0.9);
    place.write("my gates.toml", "version = 1\n");
    action(&place, &[])
        .exits(2)
        .complains(&["my gates.toml:1:1"]);
    // There is nothing to summarise.
    assert!(!place.path("step summary.md").exists() || place.text("step summary.md").is_empty());
    let place = pull_request(0.9);
    action(&place, &[("INPUT_REPORT", "none.json")])
        .exits(3)
        .complains(&["none.json"]);
    for needed in ["INPUT_REPORT", "INPUT_GATES"] {
        action(&place, &[(needed, "")])
            .exits(2)
            .complains(&["needed"]);
    }
    let ran = action(&place, &[("JUDICA", "/nonexistent/judica")]);
    assert!(ran.code != 0, "a missing program is no pass");
}

#[test]
fn inputs_are_data_and_never_commands() {
    let place = pull_request(0.9);
    let hostile = "$(touch owned) `touch owned`; touch owned #\".json";
    place.write("my report.json", "{\"accuracy\": 0.9}");
    std::fs::rename(place.path("my report.json"), place.path(hostile)).expect("renamed");
    action(&place, &[("INPUT_REPORT", hostile)]).exits(0);
    assert!(!place.path("owned").exists());
    // A name that looks like an option is a name.
    action(&place, &[("INPUT_REPORT", "--help")])
        .exits(3)
        .complains(&["--help"]);
}

#[test]
fn outside_of_github_there_is_no_summary_to_write() {
    let place = pull_request(0.7);
    let ran = action(&place, &[("GITHUB_STEP_SUMMARY", ""), ("INPUT_JUNIT", "")]).exits(1);
    assert!(ran.stdout.contains("accuracy"));
    assert_eq!(place.names("."), ["my gates.toml", "my report.json"]);
}
