//! Verifiers that are programs of their own, real ones in Python, however they behave.

use serde_json::{Value, json};

use crate::support::{Place, STAMP, note};

const PROTOCOL: &str = r#"
[protocol]
name = "tank"
version = "1"

[[field]]
name = "Level"
alias = "level"
limit = [0, 10]

[[task]]
name = "next"
shape = "scalar"

[[family]]
name = "plan"

[[rule]]
family = "plan"
id = "half"
value = "level"
warning_above = 9
critical_above = 100
message = "level {value}"

[[verifier]]
family = "plan"
command = ["python3", "check.py"]
timeout_s = TIMEOUT
batch = BATCH

[[verifier]]
family = "house_rules"
command = ["python3", "other.py"]

[scores]
weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
mae_weight = 0.6
rmse_weight = 0.4
mae_curve = [[0, 100], [10, 0]]
rmse_curve = [[0, 100], [20, 0]]
"#;

/// Reads everything, answers every record by a function of it.
const WHOLE: &str = r#"
import json, sys
records = [json.loads(line) for line in sys.stdin]
def answer(record):
    level = (record["fields"] or {}).get("Level")
    odd = level is not None and level % 2 == 1
    return [{"rule": "even", "field": "Level", "pass": not odd, "severity": "warning",
             "message": f"level {level} of {record['sample']['sample_id']} is odd", "observed": level, "limit": 2}]
"#;
/// Says nothing against anything.
const CONTENT: &str = "import sys\nfor line in sys.stdin: print('[]')\n";

fn place(check: &str, records: usize, timeout: f64, batch: usize) -> Option<Place> {
    if std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_err()
    {
        note("python3 is not here, no verifier was run");
        return None;
    }
    let place = Place::new();
    let protocol = PROTOCOL
        .replace("TIMEOUT", &format!("{timeout:?}"))
        .replace("BATCH", &batch.to_string());
    place.write("protocols/tank.toml", protocol);
    place.write("protocols/check.py", check);
    place.write("protocols/other.py", CONTENT);
    let sample = |n: usize| json!({"sample_id": format!("s{n}"), "task_id": "next", "gold": {"Level": n % 10}});
    let output = |n: usize| match n {
        3 => json!({"sample_id": "s3", "model_name": "m", "response": "I'd rather not"}),
        n => {
            json!({"sample_id": format!("s{n}"), "model_name": "m", "response": format!("{{\"Level\": {}}}", n % 10)})
        }
    };
    let samples: Vec<String> = (0..records).map(|n| sample(n).to_string()).collect();
    let outputs: Vec<String> = (0..records).map(|n| output(n).to_string()).collect();
    place.write_lines("samples.jsonl", &samples);
    place.write_lines("outputs.jsonl", &outputs);
    Some(place)
}

const EVAL: &str = "eval --protocol protocols/tank.toml --samples samples.jsonl --outputs outputs.jsonl --records jsonl";

fn records(place: &Place) -> Vec<Value> {
    let arguments = format!("{EVAL} --out run --allow-commands --timestamp {STAMP}");
    place.judica(&arguments).exits(0);
    place.json_lines("run/records.jsonl")
}

/// The atoms of a record by one rule.
fn atoms<'r>(record: &'r Value, rule: &str) -> Vec<&'r Value> {
    let atoms = record["evidence_pack"]["atoms"].as_array().unwrap().iter();
    atoms.filter(|atom| atom["rule"] == rule).collect()
}

/// Why nothing was said of each record that can be trusted, `None` where something was.
fn failures(records: &[Value]) -> Vec<Option<String>> {
    let failed = |record: &Value| {
        let failed = atoms(record, "verifier.failed");
        assert!(failed.len() < 2);
        let failed = failed.first()?;
        assert_eq!(failed["severity"], "critical");
        assert_eq!(failed["type"], "plan");
        assert_eq!(record["agent_output"]["adjudication"], "ineligible");
        Some(failed["message"].as_str().unwrap().to_owned())
    };
    records.iter().map(failed).collect()
}

#[track_caller]
fn all_fail(check: &str, timeout: f64, because: &str) {
    let Some(place) = place(check, 5, timeout, 2) else {
        return;
    };
    let failures = failures(&records(&place));
    assert_eq!(failures.len(), 5);
    for why in failures {
        let why = why.unwrap_or_default();
        assert!(why.contains(because), "{why}");
    }
}

#[test]
fn atoms_of_a_program_are_atoms_like_others() {
    let check = format!("{WHOLE}\nfor record in records: print(json.dumps(answer(record)))");
    let Some(place) = place(&check, 12, 20.0, 5) else {
        return;
    };
    let records = records(&place);
    assert_eq!(failures(&records), vec![None; 12]);
    let even = atoms(&records[2], "plan.even")[0];
    assert_eq!(
        (&even["pass"], &even["severity"]),
        (&json!(true), &json!("info"))
    );
    assert_eq!(
        (&even["message"], &even["meta"]["observed"]),
        (&json!("passed"), &json!(2.0))
    );
    let odd = atoms(&records[5], "plan.even")[0];
    assert_eq!(odd["message"], "level 5 of s5 is odd");
    assert_eq!(
        (&odd["severity"], &odd["field"]),
        (&json!("warning"), &json!("Level"))
    );
    assert_eq!(
        (&odd["meta"]["observed"], &odd["meta"]["limit"]),
        (&json!(5.0), &json!(2.0))
    );
    assert_eq!(odd["meta"]["checker"], "plan");
    // They stand with the rules of their family, are counted with them, and are reasons.
    let ids = |record: &Value, family: &str| {
        let list = record["agent_output"]["checklist"].as_array().unwrap();
        let item = list.iter().find(|item| item["constraint_id"] == family);
        item.unwrap()["evidence_ids"].as_array().unwrap().len()
    };
    assert_eq!(
        (ids(&records[5], "PLAN"), ids(&records[5], "HOUSE_RULES")),
        (2, 0)
    );
    assert_eq!(
        records[5]["agent_output"]["attribution"][0]["rule"],
        "plan.even"
    );
    // A response that is none is shown to programs, too, without fields.
    assert_eq!(atoms(&records[3], "plan.even").len(), 1);
    assert_eq!(records[3]["protocol_result"]["parsing"]["success"], false);

    // What is stored is read as it was written.
    let exported = place.judica("export run --format jsonl").exits(0).stdout;
    assert!(exported == place.text("run/records.jsonl"));
    place
        .judica("show run s5")
        .exits(0)
        .says(&["plan.even", "level 5 of s5 is odd"]);
    let manifest = place.json("run/manifest.json");
    let programs = manifest["inputs"].as_array().unwrap().iter();
    let programs = programs.filter(|input| input["role"] == "verifier");
    let programs: Vec<&Value> = programs.map(|input| &input["path"]).collect();
    assert_eq!(programs, ["protocols/check.py", "protocols/other.py"]);
    assert!(
        manifest["trace"]["commands"]["note"]
            .as_str()
            .unwrap()
            .contains("programs")
    );
}

#[test]
fn commands_run_only_where_that_is_allowed() {
    let check = format!("{WHOLE}\nopen('ran', 'w')\nfor record in records: print('[]')");
    let Some(place) = place(&check, 3, 20.0, 1000) else {
        return;
    };
    let words = &["python3 check.py", "--allow-commands"];
    place
        .judica(&format!("{EVAL} --out run"))
        .exits(2)
        .complains(words);
    assert!(place.names("run").is_empty() && !place.path("protocols/ran").exists());
    records(&place);
    assert!(
        place.path("protocols/ran").exists(),
        "it runs in the folder of the protocol"
    );
    // That it was allowed once allows nothing later.
    place.judica("reproduce run").exits(2).complains(words);
    place
        .judica("reproduce run --allow-commands")
        .exits(0)
        .says(&["identical"]);
    // Another program is another protocol.
    let before = place.json("run/manifest.json")["trace"]["config_hash"].clone();
    place.write("protocols/check.py", CONTENT);
    place
        .judica("reproduce run --allow-commands")
        .exits(3)
        .complains(&["check.py"]);
    records(&place);
    assert_ne!(
        place.json("run/manifest.json")["trace"]["config_hash"],
        before
    );
}

#[test]
fn threads_and_pieces_make_no_difference() {
    let check = format!(
        "{WHOLE}\nfor record in records: print(json.dumps(answer(record) + [{{'rule': record['sample']['sample_id'][-1], 'pass': True}}]))"
    );
    let Some(place) = place(&check, 3000, 20.0, 700) else {
        return;
    };
    let common = format!("{EVAL} --allow-commands --timestamp {STAMP}");
    place
        .judica(&format!("{common} --out one --threads 1"))
        .exits(0);
    place
        .judica(&format!("{common} --out two --threads 2"))
        .exits(0);
    place.same_files("one", "two");
    for part in ["1/2", "2/2"] {
        place
            .judica(&format!("{common} --out parts --part {part}"))
            .exits(0);
    }
    place.judica("finish parts").exits(0);
    place.same_files("one", "parts");
}

#[test]
fn a_program_that_ends_badly_is_not_trusted() {
    all_fail("raise SystemExit(3)", 20.0, "exit code 3");
    all_fail("import os; os.abort()", 20.0, "signal");
    all_fail(
        &format!("{WHOLE}\nprint('[]', flush=True)\nraise ValueError('no idea')"),
        20.0,
        "ValueError: no idea",
    );
}

#[test]
fn a_program_that_hangs_is_ended() {
    all_fail("import time; time.sleep(600)", 0.3, "longer than 0.3 s");
    // So is what it started, which holds on to its output.
    let starts = "import subprocess, sys\nsubprocess.Popen(['sleep', '600'])\nfor line in sys.stdin: print('[]')";
    all_fail(starts, 0.5, "longer than 0.5 s");
}

#[test]
fn a_program_that_never_stops_printing_is_ended() {
    let check = "import sys\nwhile True: sys.stdout.write('x' * 1000000)";
    all_fail(check, 60.0, "more than 64 MiB");
    let errors = "import sys\nfor _ in range(200): sys.stderr.write('y' * 1000000)\nraise SystemExit('enough')";
    all_fail(errors, 60.0, "enough");
}

#[test]
fn no_order_of_reading_and_writing_stops_it() {
    // Much more than a pipe holds, before anything is read.
    let early =
        "import sys\nprint('[' + ' ' * 1000000 + ']')\nprint('[]', flush=True)\nsys.stdin.read()";
    let Some(first) = place(early, 2, 20.0, 1000) else {
        return;
    };
    assert_eq!(failures(&records(&first)), [None, None]);
    // Nothing is read at all, and the input is larger than a pipe.
    let never = "for _ in range(3000): print('[]')";
    let Some(second) = place(never, 3000, 20.0, 100_000) else {
        return;
    };
    assert!(failures(&records(&second)).iter().all(Option::is_none));
}

#[test]
fn answers_with_ids_come_in_any_order() {
    let named = |lines: &str| {
        format!(
            "{WHOLE}\nanswers = [json.dumps({{'id': r['id'], 'atoms': answer(r)}}) for r in records]\n{lines}"
        )
    };
    let why = |check: &str| {
        let place = place(check, 4, 20.0, 1000)?;
        let records = records(&place);
        for (n, record) in records.iter().enumerate() {
            // An answer is about its own record.
            if let Some(atom) = atoms(record, "plan.even").first()
                && atom["pass"] == false
            {
                assert_eq!(atom["message"], format!("level {n} of s{n} is odd"));
            }
        }
        Some(
            failures(&records)
                .iter()
                .map(Option::is_some)
                .collect::<Vec<bool>>(),
        )
    };
    let Some(backwards) = why(&named("print('\\n'.join(reversed(answers)))")) else {
        return;
    };
    assert_eq!(backwards, [false; 4]);
    let twice = why(&named("print('\\n'.join(answers + answers[1:2]))")).unwrap();
    assert_eq!(twice, [false, true, false, false]);
    let missing = why(&named("print('\\n'.join(answers[1:]))")).unwrap();
    assert_eq!(missing, [true, false, false, false]);
    let wrong = why(&named("print('\\n'.join(['oops'] + answers[:2]))")).unwrap();
    assert_eq!(wrong, [false, false, true, true]);
    // Without ids nobody can tell which line is one too many.
    let plain = why(&format!("{WHOLE}\nfor _ in range(5): print('[]')")).unwrap();
    assert_eq!(plain, [true; 4]);
    let short = why(&format!("{WHOLE}\nprint('[]\\nnope\\n[]')")).unwrap();
    assert_eq!(short, [false, true, false, true]);
}

#[test]
fn what_no_atom_may_say_is_not_taken() {
    for (atom, because) in [
        (
            r#"{"rule": "half", "pass": True}"#,
            "plan.half` is a rule of the protocol",
        ),
        (r#"{"rule": "plan.", "pass": True}"#, "no name of its own"),
        (r#"{"rule": "a", "pass": 1}"#, "invalid type"),
        (
            r#"{"rule": "a", "pass": False, "severity": "fatal"}"#,
            "fatal",
        ),
        (r#"{"rule": "a"}"#, "pass"),
        (
            r#"{"rule": "a", "pass": True, "observed": float("nan")}"#,
            "line 1",
        ),
    ] {
        all_fail(
            &format!("{WHOLE}\nfor _ in records: print(json.dumps([{atom}]))"),
            20.0,
            because,
        );
    }
    // More different rules than can be numbered.
    let check = format!(
        "{WHOLE}\nfor n, _ in enumerate(records): print(json.dumps([{{'rule': f'{{n}}-{{k}}', 'pass': True}} for k in range(30000)]))"
    );
    let Some(place) = place(&check, 5, 60.0, 1000) else {
        return;
    };
    let failures = failures(&records(&place));
    assert_eq!(
        failures.iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, false, true, true, true]
    );
    assert!(failures[2].as_ref().unwrap().contains("one too many"));
}

#[test]
fn a_verifier_that_makes_no_sense_is_told_of() {
    let place = Place::new();
    let wrong = PROTOCOL
        .replace("TIMEOUT", "0")
        .replace("BATCH", "0")
        .replace(
            "family = \"house_rules\"\ncommand = [\"python3\", \"other.py\"]",
            "family = \"range_sanity\"\ncommand = []",
        );
    place.write("wrong.toml", wrong);
    place.judica("lint wrong.toml").exits(2).complains(&[
        "timeout_s",
        "batch",
        "built in",
        "a program and its arguments",
    ]);
    let missing = PROTOCOL
        .replace("TIMEOUT", "1")
        .replace("BATCH", "1")
        .replace("python3", "no-such-program");
    place.write("protocols/tank.toml", missing);
    place.write_lines("samples.jsonl", &["{}"]);
    place.write_lines("outputs.jsonl", &["{}"]);
    place
        .judica(&format!("{EVAL} --out run --allow-commands"))
        .exits(2)
        .complains(&["no-such-program", "PATH"]);
    assert!(place.names("run").is_empty());
}

#[test]
fn a_program_that_fails_is_told_of_in_the_report() {
    let check = format!(
        "{WHOLE}\nif any(record['sample']['sample_id'] == 's2' for record in records): raise ValueError('no idea')\nfor record in records: print('[]')"
    );
    let Some(place) = place(&check, 3000, 20.0, 700) else {
        return;
    };
    let common = format!("{EVAL} --allow-commands --timestamp {STAMP}");
    let told = "verifier.failed in 700 of 3000 records";
    place
        .judica(&format!("{common} --out one --threads 1"))
        .exits(0)
        .complains(&[told, "ValueError: no idea"]);
    let report = place.json("one/report.json");
    let note = report["notes"][0].as_str().unwrap_or_default();
    assert!(note.contains(told) && note.contains("check.py"), "{note}");
    for part in ["1/2", "2/2"] {
        place
            .judica(&format!("{common} --out parts --part {part}"))
            .exits(0);
    }
    place.judica("finish parts").exits(0);
    place.same_files("one", "parts");
}
