//! Workflows, and the snippets of `docs/ci`, name commands, options and files that exist.

use std::process::Command;

use serde_json::Value;

use crate::root;
use crate::support::JUDICA;

const OURS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];
const ACTION: &str = "docs/ci/action/action.yml";
const WORKFLOW: &str = "docs/ci/workflow.yml";
const HOOKS: &str = "docs/ci/pre-commit-config.yaml";

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn yaml(name: &str) -> Value {
    serde_saphyr::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every step of a workflow or of an action.
fn steps(name: &str) -> Vec<Value> {
    let whole = yaml(name);
    let jobs = whole["jobs"]
        .as_object()
        .into_iter()
        .flat_map(|jobs| jobs.values());
    let lists = jobs
        .chain([&whole["runs"]])
        .filter_map(|job| job["steps"].as_array());
    let steps: Vec<Value> = lists.flatten().cloned().collect();
    assert!(!steps.is_empty(), "{name}");
    steps
}

/// Lines with those that end in `\` joined to the next, without comments.
fn lines(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let code = joined.lines().map(str::trim);
    code.filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// The words after each `judica` that begins a command: after `run:`, `entry:`, `- ` or
/// at the start of a line.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for line in lines(text) {
        let command = ["- run: ", "run: ", "entry: ", "- "]
            .iter()
            .fold(line.as_str(), |rest, lead| {
                rest.strip_prefix(lead).unwrap_or(rest)
            });
        let mut words = command
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'']));
        if words.next() == Some("judica") {
            found.push(words.map(str::to_owned).collect());
        }
    }
    found
}

/// What a subcommand says about itself; panics if there is none.
fn help(subcommand: &[&str]) -> String {
    let output = Command::new(JUDICA)
        .args(subcommand)
        .arg("--help")
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "judica {}", subcommand.join(" "));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_command_and_option_exists() {
    let mut seen = 0;
    let pages = [WORKFLOW, HOOKS, "docs/ci/README.md", "docs/install.md"];
    for name in pages.iter().chain(&OURS) {
        for words in commands(&text(name)) {
            let subcommand: Vec<&str> = words
                .iter()
                .map(String::as_str)
                .take_while(|word| word.chars().all(|c| c.is_ascii_lowercase()))
                .collect();
            let known = help(&subcommand);
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or_default();
                let listed = known.split_whitespace().any(|word| word == option);
                assert!(
                    listed,
                    "{name}: judica {} has no {option}",
                    subcommand.join(" ")
                );
            }
            seen += 1;
        }
    }
    assert!(seen >= 4, "only {seen} commands found");
}

/// A step does one thing; what it uses has a version that is pinned; what it runs is there.
#[test]
fn every_step_can_be_taken() {
    for name in OURS.iter().chain(&[ACTION, WORKFLOW]) {
        for step in steps(name) {
            match (step["run"].as_str(), step["uses"].as_str()) {
                (Some(run), None) => {
                    // An input pasted into a command would be run as one.
                    assert!(!run.contains("${{"), "{name}: {run}");
                    let words = run
                        .split_whitespace()
                        .map(|word| word.trim_matches(['"', '\'']));
                    for word in words.filter(|word| {
                        word.starts_with(".ci/")
                            || word.starts_with("scripts/")
                            || word.starts_with("tests/")
                    }) {
                        assert!(root().join(word).is_file(), "{name}: {word}");
                    }
                    for script in run.split("$GITHUB_ACTION_PATH/").skip(1) {
                        let script = script.split('"').next().unwrap_or_default();
                        assert!(
                            root().join("docs/ci/action").join(script).is_file(),
                            "{name}: {script}"
                        );
                    }
                }
                (None, Some(uses)) => {
                    let (_, version) = uses
                        .split_once('@')
                        .unwrap_or_else(|| panic!("{name}: {uses}"));
                    let major = version.strip_prefix('v').unwrap_or_default();
                    assert!(
                        major.starts_with(|c: char| c.is_ascii_digit()),
                        "{name}: {uses}"
                    );
                }
                _ => panic!("{name}: {step}"),
            }
        }
    }
    assert_eq!(yaml(HOOKS)["repos"][0]["repo"], "local");
}

#[test]
fn the_action_passes_every_input_on() {
    let (action, script) = (text(ACTION), text("docs/ci/action/gate.sh"));
    let inputs = yaml(ACTION)["inputs"].clone();
    let inputs: Vec<&String> = inputs.as_object().expect("inputs").keys().collect();
    assert_eq!(
        inputs,
        [
            "version",
            "repository",
            "report",
            "gates",
            "baseline",
            "junit",
            "allow-undefined"
        ]
    );
    for input in inputs {
        assert!(
            action.contains(&format!("${{{{ inputs.{input} ")),
            "{input}"
        );
        let variable = format!("INPUT_{}", input.to_uppercase().replace('-', "_"));
        assert_eq!(
            action.contains(&variable),
            script.contains(&variable),
            "{variable}"
        );
    }
    for script in ["gate.sh", "install.sh"] {
        let script = text(&format!("docs/ci/action/{script}"));
        assert!(script.starts_with("#!/bin/sh\n") && script.contains("\nset -eu\n"));
    }
    // What a workflow gives to the action is one of its inputs.
    let known = yaml(ACTION)["inputs"].clone();
    let uses = |step: &Value| {
        step["uses"]
            .as_str()
            .is_some_and(|uses| uses.contains("docs/ci/action@"))
    };
    let used: Vec<Value> = steps(WORKFLOW).into_iter().filter(uses).collect();
    assert!(!used.is_empty());
    for step in &used {
        for input in step["with"]
            .as_object()
            .into_iter()
            .flat_map(|with| with.keys())
        {
            assert!(known.get(input).is_some(), "{input}");
        }
    }
}
