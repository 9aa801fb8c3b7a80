//! Gates in the formats that CI systems show.

use serde_json::json;

use crate::gate::data::{
    CHECK, GOLDEN, check, gates_file, golden, junit_cases, passing, query, report,
};
use crate::support::Place;

/// Three gates: one passes, one fails, one has nothing to test and may pass then; their
/// names are hostile.
fn three() -> Place {
    let gates = gates_file(&[
        "name = \"good <&>\"\nmetric = \"/good\"\nop = \">=\"\nthreshold = 0.5",
        "name = \"bad: 100%, \\\"so\\\"\"\nmetric = \"/bad\"\nop = \"<=\"\nthreshold = 0.25\n\
         note = \"line one\\n::error::line two | `x`\"",
        "name = \"empty\\u001b[31m\"\nmetric = \"/empty\"\nop = \">=\"\nthreshold = 0.5\n\
         vacuous = \"pass\"",
    ]);
    let document =
        json!({"good": 0.5, "bad": 0.75, "empty": {"value": null, "undefined": "no <items>"}});
    check(&document, &gates)
}

#[test]
fn junit_has_one_case_per_gate() {
    let place = three();
    place
        .judica(&format!("{CHECK} --junit ci/gates.xml"))
        .exits(1);
    let xml = place.text("ci/gates.xml");
    let cases = junit_cases(&xml);
    let outcomes: Vec<&str> = cases.iter().map(|(_, outcome)| *outcome).collect();
    assert_eq!(outcomes, ["passed", "failure", "skipped"]);
    assert_eq!(cases[0].0, "good <&>");
    assert_eq!(cases[1].0, "bad: 100%, \"so\"");
    assert!(!cases[2].0.contains('\u{1b}'));
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let failure = document
        .descendants()
        .find(|node| node.has_tag_name("failure"));
    assert_eq!(
        failure.and_then(|node| node.attribute("message")),
        Some("/bad is 0.75, must be <= 0.25")
    );
    // Nothing that differs from run to run.
    for word in ["timestamp", "hostname", "time="] {
        assert!(!xml.contains(word), "{xml}");
    }
    place.judica(&format!("{CHECK} --junit again.xml")).exits(1);
    assert_eq!(place.text("again.xml"), xml);
}

#[test]
fn a_gate_over_an_undefined_number_is_a_failure_with_its_reason() {
    let place = three();
    let gates = place.text("g.toml").replace("vacuous = \"pass\"", "");
    place.write("g.toml", gates);
    place
        .judica(&format!("{CHECK} --junit g.xml --markdown g.md --github"))
        .exits(1)
        .says(&[
            "FAIL (undefined)",
            "no <items>",
            "::error file=g.toml,title=gate empty",
        ]);
    let page = place.text("g.md");
    assert!(
        page.contains("**FAIL**: 2 of 3 gates failed, 1 over an undefined number."),
        "{page}"
    );
    assert!(
        place
            .text("g.xml")
            .contains("must be &gt;= 0.5: no &lt;items&gt;")
    );
    let outcomes: Vec<&str> = junit_cases(&place.text("g.xml"))
        .iter()
        .map(|(_, is)| *is)
        .collect();
    assert_eq!(outcomes, ["passed", "failure", "failure"]);
}

#[test]
fn markdown_is_one_table_whatever_names_hold() {
    let place = three();
    place
        .judica(&format!("{CHECK} --markdown ci/summary.md"))
        .exits(1);
    let page = place.text("ci/summary.md");
    assert!(page.starts_with("## gates: r.json\n"), "{page}");
    assert!(
        page.contains("**FAIL**: 1 of 3 gates failed; 1 passed with nothing to test."),
        "{page}"
    );
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 5, "{page}");
    for row in &rows {
        let bars = row.matches('|').count() - row.matches("\\|").count();
        assert_eq!(bars, 7, "{row}");
    }
    assert!(rows[2].contains("**PASS**") && rows[3].contains("**FAIL**"));
    assert!(rows[3].contains("0.75") && rows[3].contains("0.25"));
    assert!(!page.contains('\u{1b}'));
}

#[test]
fn annotations_are_lines_that_start_one_command_each() {
    let place = three();
    let ran = place.judica(&format!("{CHECK} --github")).exits(1);
    let lines: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("::"))
        .collect();
    assert_eq!(lines.len(), 2, "{}", ran.stdout);
    assert!(
        lines[0].starts_with(
            "::error file=g.toml,title=gate bad%3A 100%25%2C \"so\"::FAIL: /bad is 0.75"
        ),
        "{}",
        lines[0]
    );
    assert!(
        lines[0].contains("line one%0A::error::line two"),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].starts_with("::notice file=g.toml,title=gate empty"),
        "{}",
        lines[1]
    );
    // With --json, standard output is the report alone.
    let ran = place.judica(&format!("{CHECK} --github --json")).exits(1);
    assert_eq!(report(&ran)["status"], "FAIL");
    assert_eq!(
        ran.stderr.matches("\n::").count() + usize::from(ran.stderr.starts_with("::")),
        2
    );
    // Without --github there are none; a note of the gates file cannot smuggle one in.
    let ran = place.judica(CHECK).exits(1);
    let commands = ran
        .stdout
        .lines()
        .filter(|line| line.trim_start().starts_with("::"));
    assert_eq!(commands.count(), 0, "{}", ran.stdout);
}

#[test]
fn gate_golden_writes_the_same_formats() {
    let outputs = "--junit o/g.xml --markdown o/g.md --github";
    let place = passing();
    let ran = place.judica(&format!("{GOLDEN} {outputs}")).exits(0);
    assert!(!ran.stdout.contains("\n::"), "{}", ran.stdout);
    let cases = junit_cases(&place.text("o/g.xml"));
    assert_eq!(cases.len(), 5);
    assert!(cases.iter().all(|(_, outcome)| *outcome == "passed"));
    assert!(place.text("o/g.md").contains("**PASS**: 5 gates passed."));

    let place = golden(&[query("known", &["e1"], true)], &[]);
    std::fs::create_dir(place.path("runs")).expect("a folder");
    let ran = place.judica(&format!("{GOLDEN} {outputs}")).exits(1);
    ran.says(&[
        "::error file=golden.json,title=gate golden_recall::FAIL",
        "::error file=golden.json,title=gate evidence_coverage_rate::FAIL (undefined)",
        // Abstaining was not asked for.
        "::notice file=golden.json,title=gate abstention_accuracy::",
    ]);
    let failed: Vec<String> = junit_cases(&place.text("o/g.xml"))
        .into_iter()
        .filter(|(_, outcome)| *outcome == "failure")
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        failed,
        [
            "evidence_coverage_rate",
            "golden_recall",
            "manifest_integrity",
            "well_formed_runs"
        ]
    );
    assert!(place.text("o/g.md").contains(
        "**FAIL**: 4 of 5 gates failed, 3 over an undefined number; 1 passed with nothing to test."
    ));
}
