//! What a release writes for people and for CI systems.

use roxmltree::Document;

use crate::release::data::{AGREE, GOLDEN, agree_with_gates, place, report};

#[test]
fn one_junit_case_per_gate_of_every_step() {
    let broken = "name = \"broken\"\nrun = \"no-such-command\"";
    let place = place(6, &[&agree_with_gates(), broken, GOLDEN]);
    let ran = place
        .judica("release --json --junit o/r.xml --out o/r.json")
        .exits(2);
    let report = report(&ran);
    assert_eq!(place.json("o/r.json"), report);
    let xml = place.text("o/r.xml");
    let document = Document::parse(&xml).expect("XML");
    let cases: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .collect();
    let gates = report["gates"].as_array().expect("gates");
    assert_eq!(cases.len(), gates.len());
    for (case, gate) in cases.iter().zip(gates) {
        assert_eq!(case.attribute("name"), gate["name"].as_str());
        let failed = case.children().any(|child| child.has_tag_name("failure"));
        assert_eq!(failed, gate["pass"] == false, "{}", gate["name"]);
    }
    let suite = document
        .root_element()
        .first_element_child()
        .expect("a suite");
    let failures = gates.iter().filter(|gate| gate["pass"] == false).count();
    assert_eq!(suite.attribute("failures"), Some(&*failures.to_string()));
    assert!(
        suite
            .attribute("name")
            .expect("a name")
            .contains("assistant 2.3")
    );
}

#[test]
fn markdown_has_the_steps_and_the_gates() {
    let place = place(6, &[AGREE, GOLDEN]);
    place.judica("release --markdown o/r.md").exits(1);
    let page = place.text("o/r.md");
    for words in [
        "assistant 2.3",
        "| agreement",
        "FAIL",
        "| golden",
        "PASS",
        "kept/golden.json",
        "of 8 gates failed",
        "agreement: kappa",
    ] {
        assert!(page.contains(words), "no {words} in {page}");
    }
}

#[test]
fn annotations_point_at_the_config() {
    let place = place(6, &[AGREE, GOLDEN]);
    let ran = place.judica("release --github").exits(1);
    let errors: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("::error "))
        .collect();
    assert!(!errors.is_empty(), "{}", ran.stdout);
    for error in errors {
        assert!(
            error.starts_with("::error file=release.toml,title=gate agreement%3A "),
            "{error}"
        );
    }
    let ran = place.judica("release --github --json").exits(1);
    assert_eq!(report(&ran)["status"], "FAIL");
    assert!(
        ran.stderr.contains("::error file=release.toml"),
        "{}",
        ran.stderr
    );
}

#[test]
fn outputs_do_not_overwrite_the_config_or_each_other() {
    let place = place(10, &[AGREE]);
    for bad in ["--out release.toml", "--junit x --markdown x", "--out -"] {
        let before = place.read("release.toml");
        place.judica(&format!("release {bad}")).exits(2);
        assert_eq!(place.read("release.toml"), before);
    }
}

#[test]
fn a_kept_report_does_not_overwrite_what_the_release_reads() {
    for mine in ["release.toml", "gates/agreement.toml"] {
        let step = format!("{}\nreport = \"{mine}\"", agree_with_gates());
        let place = place(10, &[&step]);
        let before = place.read(mine);
        place.judica("release").exits(2).complains(&[mine]);
        assert!(place.read(mine) == before, "{mine} was overwritten");
    }
}

#[test]
fn the_release_report_does_not_overwrite_a_kept_one() {
    let place = place(10, &[GOLDEN]);
    place
        .judica("release --out kept/golden.json")
        .exits(2)
        .complains(&["kept/golden.json"]);
}

/// What the commands of steps read and write is nobody else's to write.
#[test]
fn outputs_do_not_overwrite_what_steps_read_or_write() {
    let report = |step: &str, file: &str| format!("{step}\nreport = \"{file}\"");
    let check = "name = \"check\"\nrun = \"gate check --report r.json --gates own.toml\"";
    let agree = agree_with_gates();
    let pairs = |name: &str, outputs: &str| {
        format!("name = \"{name}\"\nrun = \"agree pairs --pairs pairs.jsonl {outputs}\"")
    };
    let gated = |outputs: &str| {
        let step = pairs("gated", outputs);
        format!("{step}\ngates = \"gates/agreement.toml\"\nbaseline = \"r.json\"")
    };
    for (steps, arguments, file) in [
        (vec![report(&agree, "pairs.jsonl")], "", "pairs.jsonl"),
        (vec![report(check, "r.json")], "", "r.json"),
        (vec![report(check, "own.toml")], "", "own.toml"),
        // A gate of `own.toml` names it.
        (vec![report(check, "b.json")], "", "b.json"),
        (
            vec![report(check, "check.json"), report(&agree, "r.json")],
            "",
            "r.json",
        ),
        (vec![agree.clone()], "--out pairs.jsonl", "pairs.jsonl"),
        (vec![agree.clone()], "--junit out/d.tsv", "out/d.tsv"),
        (vec![check.to_owned()], "--markdown own.toml", "own.toml"),
        (vec![check.to_owned()], "--markdown b.json", "b.json"),
        (vec![gated("--out r.json")], "", "r.json"),
        (
            vec![gated("--out gates/agreement.toml")],
            "",
            "gates/agreement.toml",
        ),
        (vec![pairs("a", "--out release.toml")], "", "release.toml"),
        (
            vec![agree.clone(), pairs("b", "--arbitrated pairs.jsonl")],
            "",
            "pairs.jsonl",
        ),
        (
            vec![
                pairs("a", "--out b.json"),
                pairs("b", "--out b.json --tsv d"),
            ],
            "",
            "b.json",
        ),
    ] {
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        let place = place(10, &steps);
        place.write("r.json", "{\"n\": 1}");
        place.write("b.json", "{\"n\": 1}");
        place.write("out/d.tsv", "mine");
        let own = "version = 1\n[[gate]]\nname = \"n\"\nmetric = \"/n\"\nmax_drop = 1\nbaseline = \"b.json\"\n";
        place.write("own.toml", own);
        let before = place.read(file);
        let ran = place.judica(&format!("release {arguments}")).exits(2);
        ran.complains(&[file, "would overwrite"]);
        assert!(place.read(file) == before, "{file} was overwritten");
        place.nothing_in("release");
    }
}

/// A step may read what one before it left, and keep its report where it writes it itself.
#[test]
fn steps_may_read_what_others_leave() {
    let first = "name = \"a\"\nrun = \"agree pairs --pairs pairs.jsonl --tsv out/d.tsv --out kept/a.json\"\nreport = \"kept/a.json\"";
    let second =
        "name = \"b\"\nrun = \"gate check --report kept/a.json --gates gates/agreement.toml\"";
    // What nobody asked for, as both keep it beside their tables, is nobody's.
    let third = "name = \"c\"\nrun = \"agree pairs --pairs pairs.jsonl --tsv out/e.tsv\"";
    let place = place(10, &[first, second, third]);
    for _ in 0..2 {
        place.judica("release").exits(0);
    }
}
