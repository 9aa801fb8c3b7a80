//! What a CI runner reads: names in files are data, and command nobody.

use serde_json::json;

use crate::gate::data::{
    CHECK, GOLDEN, check, claim, gates_file, golden, output, query, report, with,
};
use crate::support::{Place, Ran};

const OLD: &str = "##[error]taken over ##vso[task.complete result=Succeeded;]";
const NEW: &str = "::stop-commands::x";

/// No line commands a runner, but for annotations that are ours.
#[track_caller]
fn commands_nobody(text: &str, annotations: &[&str]) {
    for line in text.lines() {
        assert!(!line.contains("##[") && !line.contains("##vso["), "{line}");
        let own = annotations.iter().any(|own| line.starts_with(own));
        assert!(own || !line.trim_start().starts_with("::"), "{line}");
    }
}

#[track_caller]
fn both(ran: &Ran, annotations: &[&str]) {
    commands_nobody(&ran.stdout, annotations);
    commands_nobody(&ran.stderr, annotations);
}

fn hostile_runs() -> Place {
    let run = with(
        with(
            output(OLD, NEW),
            "claims",
            json!([claim(NEW, "verified", &[OLD])]),
        ),
        "stop_reason",
        json!(OLD),
    );
    let place = golden(
        &[query("known", &[OLD], true), query(OLD, &[NEW], false)],
        &[("a", run)],
    );
    place.write(&format!("runs/{NEW}/output.json").replace("::", "%%"), "{");
    place.write("runs/##[group]b.json", "{\"objective\": 3}");
    place
}

#[test]
fn golden_queries_with_hostile_names() {
    let place = hostile_runs();
    both(&place.judica(GOLDEN).exits(1), &[]);
    let ran = place
        .judica(&format!("{GOLDEN} --github --junit g.xml --markdown g.md"))
        .exits(1);
    both(
        &ran,
        &["::error file=golden.json,title=gate ", "::notice file="],
    );
    assert!(ran.stdout.contains("::error "));
    commands_nobody(&place.text("g.xml"), &[]);
    commands_nobody(&place.text("g.md"), &[]);
    // As JSON the names stay what they are.
    let ran = place
        .judica(&format!("{GOLDEN} --json --report r.json"))
        .exits(1);
    both(&ran, &[]);
    assert_eq!(report(&ran), place.json("r.json"));
    assert!(report(&ran)["per_run"].to_string().contains("##[error]"));
}

#[test]
fn gates_with_hostile_names() {
    let gates = gates_file(&[
        &format!("name = \"{NEW}\"\nmetric = \"/m\"\nop = \">=\"\nthreshold = 1\nnote = \"{OLD}\""),
        &format!(
            "name = \"{OLD}\"\nmetric = \"/u\"\nop = \">=\"\nthreshold = 1\nvacuous = \"pass\""
        ),
    ]);
    let place = check(
        &json!({"m": 0.5, "u": {"value": null, "undefined": NEW}}),
        &gates,
    );
    both(&place.judica(CHECK).exits(1), &[]);
    for json in ["", "--json"] {
        let ran = place.judica(&format!("{CHECK} --github {json}")).exits(1);
        both(
            &ran,
            &[
                "::error file=g.toml,title=gate ",
                "::notice file=g.toml,title=gate ",
            ],
        );
        let all = format!("{}{}", ran.stdout, ran.stderr);
        let ours = all.lines().filter(|line| line.starts_with("::"));
        assert_eq!(ours.count(), 2, "{all}");
    }
    // Complaints name what they found.
    place.write("g.toml", gates.replace("/m", "/##[error]"));
    let ran = place.judica(CHECK).exits(2);
    both(&ran, &[]);
    assert!(ran.stderr.contains("##\\[error]"), "{}", ran.stderr);
}

#[test]
fn names_in_other_reports() {
    let place = Place::new();
    let row =
        |name: &str| json!({"episode_id": name, "steps": [{"action": {"type": NEW}}]}).to_string();
    place.write_lines("e.jsonl", &[row("a"), row(OLD)]);
    place.write_lines("p.jsonl", &[row(OLD), row(NEW)]);
    let score =
        "episodes --episodes e.jsonl --predictions p.jsonl --mode coord --config-path c --out";
    for more in ["", "--json", "--format markdown", "--strict"] {
        let line = format!("{score} x.json {more} --backend {}", "::error::backend");
        both(&place.judica(&line), &[]);
    }
    place
        .judica(&format!("{score} y.json --backend ##[error]b"))
        .exits(0);
    for command in [
        "compare --files x.json y.json --labels ::error::a ##[group]b",
        "compare --files x.json y.json --labels ::error::a ##[group]b --json",
        "aggregate --files x.json y.json",
        "aggregate --files x.json y.json --format latex",
        "plot --files x.json --labels ::a --output ##[error].svg",
        "schema validate ##[error].json",
    ] {
        both(&place.judica(command), &[]);
    }
}
