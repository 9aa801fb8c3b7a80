//! The snippets of `docs/ci` name commands, options and files that exist.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::JUDICA;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
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
    for name in ["workflow.yml", "pre-commit-config.yaml", "README.md"] {
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

#[test]
fn the_action_runs_its_script_and_passes_every_input_on() {
    let action = text("action/action.yml");
    let script = text("action/gate.sh");
    assert!(action.contains("using: composite"));
    assert!(action.contains("$GITHUB_ACTION_PATH/gate.sh"));
    let inputs = action.lines().skip_while(|line| *line != "inputs:").skip(1);
    let inputs: Vec<&str> = inputs
        .take_while(|line| line.starts_with(' ') || line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|name| !name.starts_with(' '))
        .collect();
    assert_eq!(
        inputs,
        ["report", "gates", "baseline", "junit", "allow-undefined"]
    );
    for input in inputs {
        let variable = format!("INPUT_{}", input.to_uppercase().replace('-', "_"));
        let passed = format!("{variable}: ${{{{ inputs.{input} }}}}");
        assert!(action.contains(&passed), "{passed}");
        assert!(script.contains(&variable), "{variable}");
    }
    // An input pasted into a command would be run as one.
    for line in action.lines().filter(|line| line.contains("run:")) {
        assert!(!line.contains("${{"), "{line}");
    }
    assert!(script.starts_with("#!/bin/sh\n") && script.contains("\nset -eu\n"));
}

#[test]
fn snippets_are_yaml_as_far_as_can_be_told_without_a_parser() {
    for name in [
        "workflow.yml",
        "pre-commit-config.yaml",
        "action/action.yml",
    ] {
        let text = text(name);
        assert!(!text.contains('\t'), "{name}: YAML has no tabs");
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            assert_eq!(indent % 2, 0, "{name}: {line}");
        }
    }
    assert!(text("workflow.yml").contains("docs/ci/action"));
    assert!(text("pre-commit-config.yaml").contains("repo: local"));
}
