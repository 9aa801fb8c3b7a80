//! Releases that fail, and steps that cannot be run: the others are run all the same.

use crate::release::data::{
    AGREE, GOLDEN, agree_with_gates, gate_names, gates, place, released, results,
};

#[test]
fn a_gate_of_a_command_fails_the_release() {
    let place = place(6, &[AGREE, GOLDEN]);
    let report = released(&place, 1);
    assert_eq!(report["status"], "FAIL");
    assert_eq!(report["gates_pass"], false);
    assert_eq!(results(&report), ["agreement FAIL", "golden PASS"]);
    assert!(
        gate_names(&report).contains(&"!agreement: kappa".to_owned()),
        "{report}"
    );
    // The report of a step that failed is kept: it says why.
    assert_eq!(place.json("release/agreement.json")["pass"], false);
}

#[test]
fn a_gate_of_a_file_fails_the_release() {
    let place = place(10, &[&agree_with_gates(), GOLDEN]);
    place.write("gates/agreement.toml", gates("/n", ">=", "11"));
    let report = released(&place, 1);
    assert_eq!(results(&report), ["agreement FAIL", "golden PASS"]);
    let failing: Vec<String> = gate_names(&report)
        .into_iter()
        .filter(|name| name.starts_with('!'))
        .collect();
    assert_eq!(failing, ["!agreement: own"]);
    // The command itself had no complaint.
    assert_eq!(report["steps"][0]["exit_code"], 0);
}

#[test]
fn a_step_that_cannot_be_run_does_not_stop_the_others() {
    for (run, code, words) in [
        ("agree pairs --no-such-option", 2, "--no-such-option"),
        (
            "agree pairs --pairs none.jsonl --tsv out/x.tsv",
            3,
            "none.jsonl",
        ),
        (
            "gate golden --golden none.json --outputs runs",
            3,
            "SYSTEM_ERROR",
        ),
        ("no-such-command", 2, "no-such-command"),
        ("rules --no-such-option", 2, "--no-such-option"),
    ] {
        let broken = format!("name = \"broken\"\nrun = \"{run}\"");
        let place = place(10, &[&broken, AGREE, GOLDEN]);
        let report = released(&place, code);
        assert_eq!(report["status"], "ERROR", "{run}");
        assert_eq!(report["gates_pass"], false);
        assert_eq!(
            results(&report),
            ["broken ERROR", "agreement PASS", "golden PASS"],
            "{run}"
        );
        let step = &report["steps"][0];
        assert_eq!(step["exit_code"], code);
        let message = step["message"].as_str().expect("a message");
        assert!(message.contains(words), "{message}");
        assert_eq!(gate_names(&report)[0], "!broken: can be run");
        place
            .judica("release")
            .exits(code)
            .says(&["ERROR", words, "agreement"]);
        assert!(!place.path("release/broken.json").exists());
    }
}

#[test]
fn the_worst_code_counts() {
    let step = |name: &str, run: &str| format!("name = \"{name}\"\nrun = \"{run}\"");
    let usage = step("usage", "agree pairs --no-such-option");
    let missing = step("missing", "gate golden --golden none.json --outputs runs");
    for (same, steps, code) in [
        (6, vec![usage.as_str(), AGREE], 2),
        (6, vec![AGREE, missing.as_str()], 3),
        (10, vec![usage.as_str(), missing.as_str()], 3),
        (10, vec![missing.as_str(), usage.as_str()], 3),
    ] {
        released(&place(same, &steps), code);
    }
}

#[test]
fn gates_that_cannot_be_held_are_an_error_and_never_a_pass() {
    let place = place(10, &[&agree_with_gates(), GOLDEN]);
    place.write("gates/agreement.toml", gates("/kapa", ">=", "0"));
    let report = released(&place, 2);
    assert_eq!(results(&report), ["agreement ERROR", "golden PASS"]);
    let message = report["steps"][0]["message"].as_str().expect("a message");
    assert!(message.contains("no metric at `/kapa`"), "{message}");
    std::fs::remove_file(place.path("gates/agreement.toml")).expect("removed");
    released(&place, 3);
}

#[test]
fn a_step_without_a_json_report_is_an_error() {
    let words = "name = \"version\"\nrun = \"--version\"";
    let place = place(10, &[words, AGREE]);
    let report = released(&place, 2);
    assert_eq!(results(&report), ["version ERROR", "agreement PASS"]);
}

/// No step of this release has verified claims: coverage has nothing to test.
fn with_nothing_to_test() -> crate::support::Place {
    let place = place(10, &[GOLDEN]);
    place.write("runs/a.json", "{\"objective\": \"known\", \"claims\": [], \"evidence\": [{\"id\": \"e1\", \"quote\": \"q\", \"provenance\": \"p\"}]}");
    place
}

#[test]
fn undefined_numbers_fail_gates_of_files_unless_allowed() {
    let gated = format!("{GOLDEN}\ngates = \"own.toml\"");
    let place = place(10, &[&gated]);
    place.write(
        "own.toml",
        gates("/metrics/abstention_accuracy", ">=", "0.5"),
    );
    let ran = place.judica("release --json").exits(1);
    assert!(gate_names(&crate::release::data::report(&ran)).contains(&"!golden: own".to_owned()));
    place.judica("release --allow-undefined").exits(0);
}

#[test]
fn undefined_numbers_fail_the_commands_own_gates_unless_allowed() {
    let place = with_nothing_to_test();
    place.judica("release").exits(1);
    place.judica("release --strict-gates").exits(1);
    place.judica("release --allow-undefined").exits(0);
    // Options of all commands may stand before the command.
    let before = GOLDEN.replace("gate golden", "--max-line 1MiB gate golden");
    place.write("release.toml", crate::release::data::config(&[&before]));
    place.judica("release").exits(1);
    place.judica("release --allow-undefined").exits(0);
    // A step has the last word on itself.
    let config = place.text("release.toml");
    place.write(
        "release.toml",
        config.replace("--outputs runs", "--outputs runs --strict-gates"),
    );
    place.judica("release --allow-undefined").exits(1);
}
