//! `--hygiene`: what makes two validators' judgments worth comparing.

use serde_json::{Value, json};

use crate::agree_pairs::data::{PAIRS, SEPARATE, merged, pair, report};
use crate::support::{Place, keys, with};

fn line(qid: &str, label: &str, reason: &str, more: Value) -> String {
    let line = json!({"qid": qid, "scholar": {"label": label, "reason": reason}, "auditor": {"label": label}});
    with(line, &more).to_string()
}

/// Lines, each with the rules it breaks.
fn lines() -> Vec<(String, Vec<&'static str>)> {
    let claim = |text: &str| json!({"answer_json": {"claim": text}});
    let long = "x".repeat(201);
    vec![
        (line("clean", "VALID", "cites p1#2", claim("X rejects null keys.")), vec![]),
        (line("refusal", "NOT_IN_CONTEXT", "", claim("not in context")), vec![]),
        (line("synonym", "NOT_IN_CONTEXT", "", claim("Not in the context.")), vec!["refusal_token"]),
        (line("capital", "NOT_IN_CONTEXT", "", claim("Not in context")), vec!["refusal_token"]),
        (line("long", "VALID", &long, json!({})), vec!["reason_length"]),
        (line("just", "VALID", &"é".repeat(200), json!({})), vec![]),
        (line("mail", "VALID", "ask jane.doe@example.org", json!({})), vec!["reason_email"]),
        (line("phone", "VALID", "call +1 (555) 123-4567", json!({})), vec!["reason_telephone"]),
        (
            line("all", "VALID", &format!("{long} a@b.org, tel. 555-123-4567"), json!({})),
            vec!["reason_length", "reason_email", "reason_telephone"],
        ),
        (
            json!({"qid": "evidence", "scholar": {"label": "VALID", "retrieved_ids": ["a"]},
                   "auditor": {"label": "VALID", "retrieved_ids": ["b"]}})
            .to_string(),
            vec!["same_evidence"],
        ),
        (
            json!({"qid": "answers", "scholar": {"label": "VALID", "answer_json": {"claim": "x"}},
                   "auditor": {"label": "VALID", "answer_json": {"claim": "y"}}})
            .to_string(),
            vec!["same_evidence"],
        ),
        (
            json!({"qid": "same", "retrieved_ids": ["a"], "scholar": {"label": "VALID", "retrieved_ids": ["a"]},
                   "auditor": {"label": "VALID", "retrieved_ids": ["a"]}})
            .to_string(),
            vec![],
        ),
    ]
}

#[test]
fn findings_are_atoms_that_name_their_line() {
    let lines = lines();
    let texts: Vec<&String> = lines.iter().map(|(text, _)| text).collect();
    let place = merged(&texts);
    let report = report(&place.judica(&format!("{PAIRS} --json --hygiene")).exits(0));
    let findings = place.json_lines("out/hygiene.jsonl");
    let broken = lines.iter().enumerate();
    let expected: Vec<(usize, &str)> = broken
        .flat_map(|(i, (_, rules))| rules.iter().map(move |rule| (i + 1, *rule)))
        .collect();
    assert_eq!(findings.len(), expected.len());
    for (index, (atom, (number, rule))) in findings.iter().zip(&expected).enumerate() {
        assert_eq!(
            keys(atom),
            [
                "id", "type", "rule", "field", "pass", "severity", "scope", "message", "meta"
            ]
        );
        assert_eq!(atom["id"], format!("EVID_{:03}", index + 1));
        assert_eq!(atom["type"], "hygiene");
        assert_eq!(atom["rule"], format!("hygiene.{rule}"), "line {number}");
        assert_eq!(atom["pass"], false);
        let meta = &atom["meta"];
        assert_eq!(
            (&meta["file"], &meta["line"]),
            (&json!("p.jsonl"), &json!(number))
        );
        let line: Value = serde_json::from_str(texts[number - 1]).expect("JSON");
        assert_eq!(meta["qid"], line["qid"]);
        for key in ["checker", "config_version"] {
            assert!(meta[key].is_string(), "{key}");
        }
    }
    let hygiene = &report["hygiene"];
    assert_eq!(hygiene["findings"], expected.len());
    assert_eq!(hygiene["atoms"], json!(findings));
    for rule in hygiene["rules"].as_array().expect("rules") {
        let name = rule["rule"]
            .as_str()
            .and_then(|name| name.strip_prefix("hygiene."));
        let count = expected
            .iter()
            .filter(|(_, rule)| Some(*rule) == name)
            .count();
        assert_eq!(rule["findings"], count, "{rule}");
    }
}

#[test]
fn findings_change_neither_the_numbers_nor_the_exit_code() {
    let texts: Vec<String> = lines().into_iter().map(|(text, _)| text).collect();
    let place = merged(&texts);
    let plain = report(&place.judica(&format!("{PAIRS} --json")).exits(0));
    assert_eq!(place.names("out"), ["d.tsv"]);
    let mut checked = report(&place.judica(&format!("{PAIRS} --json --hygiene")).exits(0));
    assert_eq!(place.names("out"), ["d.tsv", "hygiene.jsonl"]);
    assert_eq!(plain["hygiene"], Value::Null);
    checked["hygiene"] = Value::Null;
    assert_eq!(plain, checked);
}

#[test]
fn what_must_not_be_published_is_not_repeated() {
    let reason = "jane.doe@example.org or +44 20 7946 0958";
    let place = merged(&[line("a", "VALID", reason, json!({}))]);
    let ran = place.judica(&format!("{PAIRS} --hygiene --json")).exits(0);
    let people = place.judica(&format!("{PAIRS} --hygiene")).exits(0);
    for text in [ran.stdout, people.stdout, place.text("out/hygiene.jsonl")] {
        assert!(!text.contains("jane") && !text.contains("7946"), "{text}");
    }
}

#[test]
fn a_clean_file_has_an_empty_list_of_findings() {
    let place = merged(&[pair("a", "VALID", "VALID")]);
    let ran = place.judica(&format!("{PAIRS} --hygiene --json")).exits(0);
    assert_eq!(report(&ran)["hygiene"]["findings"], 0);
    assert_eq!(place.text("out/hygiene.jsonl"), "");
}

#[test]
fn people_see_the_rules_and_the_first_lines() {
    let texts: Vec<String> = lines().into_iter().map(|(text, _)| text).collect();
    let place = merged(&texts);
    place.judica(&format!("{PAIRS} --hygiene")).exits(0).says(&[
        "Hygiene",
        "hygiene.same_evidence",
        "refusal_token line 3",
        "hygiene findings: out/hygiene.jsonl",
    ]);
}

#[test]
fn separate_files_are_checked_each_in_its_own_place() {
    let place = Place::new();
    let judgment = |qid: &str, reason: &str, ids: Value| {
        json!({"qid": qid, "label": "VALID", "reason": reason, "retrieved_ids": ids}).to_string()
    };
    place.write_lines(
        "s.jsonl",
        &[
            judgment("b", "", json!(["x"])),
            judgment("a", "a@b.org", json!(["x"])),
        ],
    );
    place.write_lines(
        "a.jsonl",
        &[
            judgment("a", "c@d.org", json!(["x"])),
            judgment("b", "", json!(["y"])),
        ],
    );
    place.judica(&format!("{SEPARATE} --hygiene")).exits(0);
    let findings = place.json_lines("out/hygiene.jsonl");
    let places: Vec<(&Value, &Value, &Value)> = findings
        .iter()
        .map(|atom| (&atom["rule"], &atom["meta"]["file"], &atom["meta"]["line"]))
        .collect();
    let (mail, evidence) = (
        json!("hygiene.reason_email"),
        json!("hygiene.same_evidence"),
    );
    assert_eq!(
        places,
        [
            (&mail, &json!("s.jsonl"), &json!(2)),
            (&mail, &json!("a.jsonl"), &json!(1)),
            (&evidence, &json!("a.jsonl"), &json!(2))
        ]
    );
}

#[test]
fn a_line_that_is_a_duplicate_is_not_checked_again() {
    let bad = line("a", "VALID", "a@b.org", json!({}));
    let place = merged(&[&bad, &bad]);
    let ran = place.judica(&format!("{PAIRS} --hygiene --json")).exits(0);
    assert_eq!(report(&ran)["hygiene"]["findings"], 1);
}
