use super::*;
use std::cell::RefCell;

fn step(name: &str) -> Step {
    Step {
        name: name.to_owned(),
        run: vec!["agree".to_owned()],
        report: default_report(name),
        gates: None,
        baseline: None,
        holds_gates: false,
    }
}

fn outcome(exit_code: i32, printed: &str) -> Outcome {
    Outcome {
        exit_code: Some(exit_code),
        printed: printed.as_bytes().to_vec(),
        complaint: "judica: no such file\n".to_owned(),
    }
}

const GATE: &str = r#"{"name":"pa","metric":"m","value":0.5,"op":">=","threshold":0.9,"pass":false,"vacuous":false,"note":null}"#;

#[test]
fn all_steps_are_run_whatever_becomes_of_the_first() {
    let config = Config {
        name: "r".to_owned(),
        folder: PathBuf::new(),
        steps: ["broken", "fails", "odd", "fine", "worse"]
            .map(step)
            .to_vec(),
    };
    let kept = RefCell::new(Vec::new());
    let failing = format!(r#"{{"gates":{{"pa":0.9}},"gate_results":[{GATE}]}}"#);
    let report = release(
        &config,
        false,
        |step| {
            Ok(match step.name.as_str() {
                "broken" => outcome(3, ""),
                "fails" => outcome(1, &failing),
                "odd" => outcome(0, "not JSON"),
                "worse" => outcome(1, "{}"),
                _ => outcome(0, "{}"),
            })
        },
        |path, _| {
            kept.borrow_mut().push(path.to_owned());
            Ok(())
        },
    )
    .unwrap();
    let statuses: Vec<&str> = report.steps.iter().map(|s| s.status.name()).collect();
    assert_eq!(statuses, ["ERROR", "FAIL", "ERROR", "PASS", "FAIL"]);
    assert_eq!(report.status, StepStatus::Error);
    assert_eq!(
        report.steps[0].message.as_deref(),
        Some("judica: no such file")
    );
    let names: Vec<&str> = report.gates.iter().map(|gate| gate.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "broken: can be run",
            "fails: pa",
            "odd: can be run",
            "worse: passes"
        ]
    );
    assert!(!report.gates_pass);
    let worse = report.gates.last().unwrap();
    let message = "its command ended with 1\njudica: no such file";
    assert_eq!(worse.note.as_deref(), Some(message));
    assert_eq!((worse.pass, worse.value), (false, Some(1.0)));
    let kept = kept.into_inner();
    assert_eq!(
        kept,
        [
            PathBuf::from("release/fails.json"),
            PathBuf::from("release/fine.json"),
            PathBuf::from("release/worse.json")
        ]
    );
    assert_eq!(tables(&report).len(), 2);
}

#[test]
fn gates_of_a_file_count_beside_those_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("g.toml"),
        "version = 1\n[[gate]]\nname = \"low\"\nmetric = \"/x\"\nop = \"<=\"\nthreshold = 1\n",
    )
    .unwrap();
    let mut with_gates = step("a");
    with_gates.gates = Some(PathBuf::from("g.toml"));
    let config = Config {
        name: "r".to_owned(),
        folder: folder.path().to_owned(),
        steps: vec![with_gates],
    };
    let ended = |code: i32, printed: &'static str| {
        release(
            &config,
            false,
            |_| Ok(outcome(code, printed)),
            |path, bytes| {
                assert_eq!(bytes, printed.as_bytes());
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                // Another release writes its own report there.
                std::fs::write(path, r#"{"x": 0}"#).unwrap();
                Ok(())
            },
        )
        .unwrap()
    };
    let run = |printed| ended(0, printed);
    assert_eq!(run(r#"{"x": 0.5}"#).status, StepStatus::Pass);
    // What the command itself fails for, a gate over another number does not answer.
    let failed = ended(1, r#"{"x": 0.5}"#);
    let names: Vec<&str> = failed.gates.iter().map(|gate| gate.name.as_str()).collect();
    assert_eq!(failed.status, StepStatus::Fail);
    assert_eq!(names, ["a: low", "a: passes"]);
    // But one in the place of its own failing gate does.
    let taken = r#"{"x": 0.5, "gates": [{"name": "low", "metric": "m", "value": 2, "op": "<=",
        "threshold": 1, "pass": false, "vacuous": false, "note": null}]}"#;
    assert_eq!(ended(1, taken).status, StepStatus::Pass);
    assert_eq!(run(r#"{"x": 1.5}"#).status, StepStatus::Fail);
    let twice = run(r#"{"x": 1.5, "x": 0.5}"#);
    let message = twice.steps[0].message.as_deref().unwrap_or_default();
    assert!(message.contains("release/a.json:1:"), "{message}");
    assert!(message.contains("the key `x` stands twice"), "{message}");
    // A metric that is not there is an error, never a pass.
    assert_eq!(run(r#"{"y": 1.5}"#).status, StepStatus::Error);
}
