//! An option means one thing, whichever command it is given to.

use crate::support::Place;

/// Every command that measures.
const MEASURING: [&str; 8] = [
    "eval",
    "match",
    "judge",
    "agree pairs",
    "agree judges",
    "agree ratings",
    "episodes",
    "gate golden",
];

/// What all of them take.
const SHARED: [&str; 7] = [
    "--run",
    "--keep-text",
    "--timestamp",
    "--strict",
    "--threads",
    "--json",
    "--format",
];

/// Every command that draws.
const DRAWING: [&str; 6] = [
    "plot",
    "compare",
    "match",
    "efficiency",
    "agree judges",
    "agree ratings",
];

/// What can be chosen about any figure.
const LOOKS: [&str; 4] = ["--width", "--height", "--theme", "--font-size"];

/// What a help text says of an option: the line that names it, and those below.
#[track_caller]
fn said(help: &str, option: &str) -> String {
    let mut lines = help.lines().skip_while(|line| {
        let mut words = line.split_whitespace();
        !line.trim_start().starts_with('-') || !words.any(|word| word == option)
    });
    let first = lines.next().unwrap_or_else(|| panic!("no {option}"));
    let rest = lines.take_while(|line| {
        let line = line.trim_start();
        !line.starts_with("--") && !line.starts_with("-h") && !line.ends_with(':')
    });
    // That `--out` is another name of it belongs to `eval` alone.
    let rest = rest.filter(|line| !line.contains("[alias"));
    let all: Vec<&str> = std::iter::once(first)
        .chain(rest)
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    all.join("\n")
}

#[test]
fn what_all_share_has_one_help_text() {
    let place = Place::new();
    for (commands, options) in [(&MEASURING[..], &SHARED[..]), (&DRAWING, &LOOKS)] {
        let help = |command: &&str| place.judica(&format!("{command} --help")).exits(0).stdout;
        let helps: Vec<String> = commands.iter().map(help).collect();
        for option in options {
            let texts: Vec<String> = helps.iter().map(|help| said(help, option)).collect();
            for (text, command) in texts.iter().zip(commands) {
                assert_eq!(text, &texts[0], "{command} {option}");
            }
        }
    }
}

/// Spellings of other tools, on the commands that do what they did.
#[test]
fn spellings_of_other_tools_are_understood() {
    let place = Place::new();
    for line in [
        "match --predictions_dir p --output o.json",
        "match --datasets p",
        "judge --datasets p --judges m --output_dir o --base-url http://127.0.0.1:9/v1",
        "judge --predictions_dir p --model m --output o --base-url http://127.0.0.1:9/v1",
        "efficiency --predictions_dir p --eval_dir e --output_dir o",
        "agree judges --eval_dir e --human_annotations h --max_disagreements 3 --output o.json",
        "agree pairs --pairs p --pa_gate 0.9 --kappa_gate 0.75 --abstain_gate 0.02 --output o.json",
        "agree ratings --input p --level nominal --output o.json",
        "episodes --episodes e --predictions p --mode coord --config_path c --backend b \
         --checkpoint_path k --gpu_model g --memory_gb 8 --output o.json",
        "compare --files a b --output o.json",
        "plot --files a b --output o.png",
        "aggregate --files a --output o.json",
        "schema migrate a --output o.json",
        "gate golden --golden g --outputs o --output r.json",
        "gate golden --golden g --outputs o --report r.json",
        "gate check --report r --gates g --output o.json",
        "release --config c --output o.json",
    ] {
        let ran = place.judica(line);
        // Nothing of it is there; but everything was understood.
        assert!(
            !ran.stderr.contains("unexpected argument") && !ran.stderr.contains("Usage:"),
            "{line}: {}",
            ran.stderr
        );
        assert!(matches!(ran.code, 2 | 3), "{line}");
    }
}

#[test]
fn a_timestamp_goes_into_the_run_of_any_command() {
    let place = Place::new();
    place.write(
        "p.jsonl",
        r#"{"id": 1, "input": "q", "gold": "a", "prediction": "a"}"#,
    );
    place.write("r.csv", "item,rater,value\na,x,1\na,y,1\n");
    let when = "2026-01-02T03:04:05Z";
    for line in [
        "match --predictions p.jsonl",
        "judge --predictions p.jsonl --no-llm",
        "agree ratings --input r.csv --level nominal",
    ] {
        place
            .judica(&format!("{line} --run a --timestamp {when}"))
            .exits(0);
        assert_eq!(place.json("a/manifest.json")["created_at"], when, "{line}");
        place
            .judica(&format!("{line} --run b --timestamp yesterday"))
            .exits(2)
            .complains(&["--timestamp"]);
        assert!(!place.path("b").exists(), "{line}");
    }
}

#[test]
fn golden_queries_refuse_no_run_unless_they_are_strict() {
    let place = Place::new();
    place.write(
        "g.json",
        r#"[{"objective": "q", "required_evidence_ids": [], "evidence_sufficient": true}]"#,
    );
    place.write("o/one/output.json", "{");
    let line = "gate golden --golden g.json --outputs o";
    place
        .judica(&format!("{line} --rejects r.jsonl"))
        .exits(2)
        .complains(&["--rejects", "malformed"]);
    place
        .judica(&format!("{line} --run a"))
        .exits(1)
        .says(&["FAIL"]);
    place
        .judica(&format!("{line} --run b --strict"))
        .exits(3)
        .complains(&["one/output.json"]);
    assert!(!place.path("b/manifest.json").exists());
    // Tables can be had in any format, as everywhere.
    place
        .judica(&format!("{line} --format markdown"))
        .exits(1)
        .says(&["| gate"]);
}

/// What would change nothing where it stands is refused.
#[test]
fn options_go_with_what_they_are_about() {
    let place = Place::new();
    for (line, option) in [
        ("show r --metrics --subject s", "--subject"),
        ("show r --all", "ITEM"),
        ("compare r --subjects a,b --details d", "--details"),
        ("compare r --subjects a,b --labels x y", "--labels"),
        ("compare --files a b --one-each", "--one-each"),
        ("plot r --rows 5 --out p.svg", "--rows"),
        ("efficiency r --normalizer exact", "--predictions"),
        ("efficiency r --column gold=x", "--predictions"),
    ] {
        let refused = place.judica(line).exits(2);
        refused.complains(&["Usage:", option]);
    }
    place.judica("reproduce r --inputs none").exits(2);
}
