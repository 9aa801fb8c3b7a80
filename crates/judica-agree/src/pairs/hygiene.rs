//! Hygiene: what makes two validators' judgments worth comparing. Findings are evidence
//! atoms that name the line they came from.

use judica_model::evidence::{EvidenceAtom, Scope, Severity};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::contact::email;
use super::evidence::{same_ids, same_json};
use super::label::Label;
use super::policy::Policy;
use super::telephone::telephone;
use super::text::Text;
use super::verdict::Pair;

/// The one way to refuse.
pub const REFUSAL_TOKEN: &str = "not in context";
/// How many characters a reason may have: about two sentences.
pub const REASON_LIMIT: usize = 200;

/// A rule of hygiene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name after `hygiene.`.
    pub name: &'static str,
    /// How bad a finding is.
    pub severity: Severity,
    /// What it checks, for the report.
    pub checks: &'static str,
}

/// All rules, in the order in which they are checked.
pub const RULES: [Rule; 5] = [
    Rule {
        name: "refusal_token",
        severity: Severity::Warning,
        checks: "a refusal is exactly `not in context`",
    },
    Rule {
        name: "same_evidence",
        severity: Severity::Critical,
        checks: "both validators saw the same retrieved ids and the same answer",
    },
    Rule {
        name: "reason_length",
        severity: Severity::Warning,
        checks: "a reason has at most 200 characters",
    },
    Rule {
        name: "reason_email",
        severity: Severity::Critical,
        checks: "a reason holds no e-mail address",
    },
    Rule {
        name: "reason_telephone",
        severity: Severity::Critical,
        checks: "a reason holds no telephone number",
    },
];

/// A finding, before it has a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which of [`RULES`].
    pub rule: usize,
    /// Where in the line.
    pub field: String,
    /// What was found, for people.
    pub message: String,
    /// What was observed.
    pub observed: Value,
    /// The line it came from, if it is known to be another than the pair's.
    pub line: u64,
    /// The file of that line.
    pub file: usize,
}

/// Findings by rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleCount {
    /// `hygiene.<rule>`.
    pub rule: String,
    /// What it checks.
    pub checks: &'static str,
    /// How often it was broken.
    pub findings: u64,
}

/// Where the two sides of a pair stand.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The input of each side, by number.
    pub files: [usize; 2],
    /// The line of each side.
    pub lines: [u64; 2],
}

/// Checks one pair.
pub fn check(
    policy: &Policy,
    pair: &Pair,
    labels: Option<[Label; 2]>,
    place: Place,
    found: &mut Vec<Finding>,
) {
    let mut note = |rule, field: &str, side: usize, message: String, observed| {
        found.push(Finding {
            rule,
            field: field.to_owned(),
            message,
            observed,
            line: place.lines[side],
            file: place.files[side],
        });
    };
    if let Some(claim) = claim(pair)
        && let Some(message) = refusal_problem(policy, &claim, labels)
    {
        note(0, "answer_json.claim", 0, message, json!(claim));
    }
    if let Some((field, what)) = different_evidence(pair) {
        let message = format!("the validators did not see the same {what}");
        note(1, field, 1, message, Value::Null);
    }
    for (side, judgment) in [pair.scholar, pair.auditor].into_iter().enumerate() {
        let Some(reason) = text(&judgment.reason) else {
            continue;
        };
        let field = &format!("{}.reason", policy.raters[side].key);
        let length = reason.chars().count();
        if length > REASON_LIMIT {
            let message = format!("a reason of {length} characters, at most {REASON_LIMIT}");
            note(2, field, side, message, json!(length));
        }
        // What was found is not repeated: the report would spread it.
        if email(&reason).is_some() {
            note(
                3,
                field,
                side,
                "holds an e-mail address".to_owned(),
                Value::Null,
            );
        }
        if telephone(&reason).is_some() {
            let message = "holds what looks like a telephone number".to_owned();
            note(4, field, side, message, Value::Null);
        }
    }
}

fn claim(pair: &Pair) -> Option<String> {
    pair.evidence().find_map(|seen| text(&seen.claim))
}

/// What a value says; of what is no text the JSON, in which people may be named as well.
fn text(value: &Text) -> Option<String> {
    let json = match value {
        Text::WrongType(json) => json,
        _ => return Some(String::from_utf8_lossy(&value.decode()?).into_owned()),
    };
    Some(match serde_json::from_slice::<Value>(json) {
        Ok(value) => value.to_string(),
        Err(_) => String::from_utf8_lossy(json).into_owned(),
    })
}

/// What is wrong with a claim as a refusal, if anything.
fn refusal_problem(policy: &Policy, claim: &str, labels: Option<[Label; 2]>) -> Option<String> {
    if claim == REFUSAL_TOKEN {
        return None;
    }
    let said = labels.into_iter().flatten().map(|label| policy.spec(label));
    if let Some(called) = said.into_iter().find(|label| label.refuses) {
        return Some(format!(
            "called {} but the claim is not exactly `{REFUSAL_TOKEN}`",
            called.name
        ));
    }
    looks_like_refusal(claim).then(|| format!("a refusal in other words than `{REFUSAL_TOKEN}`"))
}

/// Whether a claim is a refusal in other words. Only short claims are: a long one that
/// mentions what is missing says something else as well.
fn looks_like_refusal(claim: &str) -> bool {
    const LONGEST: usize = 80;
    const SAYINGS: [&str; 14] = [
        "not in context",
        "not in the context",
        "not in the provided context",
        "not in given context",
        "not found in context",
        "not found in the context",
        "not mentioned in the context",
        "no answer in context",
        "no information in the context",
        "insufficient context",
        "i don t know",
        "i do not know",
        "cannot answer",
        "unable to answer",
    ];
    if claim.chars().count() > LONGEST {
        return false;
    }
    let plain: String = claim
        .chars()
        .map(|c| {
            if c.is_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let plain = words.join(" ");
    SAYINGS.iter().any(|saying| plain.contains(saying))
}

/// What the validators did not see alike: compared wherever at least two of the three
/// places (beside the pair, beside each validator) say what was seen.
fn different_evidence(pair: &Pair) -> Option<(&'static str, &'static str)> {
    let retrieved = pair.evidence().filter_map(|seen| seen.retrieved_text);
    let answers = pair.evidence().filter_map(|seen| seen.answer_text);
    if differ(retrieved, same_ids) {
        Some(("retrieved_ids", "retrieved ids"))
    } else if differ(answers, same_json) {
        Some(("answer_json", "answer"))
    } else {
        None
    }
}

/// Whether not all of these say the same; null says nothing.
fn differ<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    same: impl Fn(&'t [u8], &'t [u8]) -> bool,
) -> bool {
    let mut texts = texts.filter(|text| *text != b"null");
    let Some(first) = texts.next() else {
        return false;
    };
    texts.any(|text| !same(first, text))
}

impl Finding {
    /// The rule's whole name.
    pub fn rule_name(&self) -> String {
        format!("hygiene.{}", RULES[self.rule].name)
    }

    /// What the observed number was held against.
    pub fn limit(&self) -> Option<usize> {
        (self.rule == 2).then_some(REASON_LIMIT)
    }

    /// The atom, numbered from 1.
    pub fn atom(&self, number: u64, files: &[String], qid: &str) -> EvidenceAtom {
        let rule = RULES[self.rule];
        let mut meta = Map::new();
        meta.insert("checker".to_owned(), json!("agree.hygiene"));
        meta.insert("config_version".to_owned(), json!("1"));
        meta.insert("file".to_owned(), json!(files.get(self.file)));
        meta.insert("line".to_owned(), json!(self.line));
        meta.insert("qid".to_owned(), json!(qid));
        meta.insert("observed".to_owned(), self.observed.clone());
        if let Some(limit) = self.limit() {
            meta.insert("limit".to_owned(), json!(limit));
        }
        EvidenceAtom {
            id: format!("EVID_{number:03}"),
            family: "hygiene".to_owned(),
            rule: self.rule_name(),
            field: Some(self.field.clone()),
            pass: false,
            severity: rule.severity,
            score: None,
            scope: if self.rule == 1 {
                Scope::CrossField
            } else {
                Scope::Field
            },
            message: self.message.clone(),
            meta,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::line::Line;
    use crate::pairs::policy::Policy;
    use crate::pairs::verdict::pair_of;

    fn rules(line: &str) -> Vec<&'static str> {
        let policy = Policy::built_in().unwrap();
        let line = Line::read(line.as_bytes(), &policy.keys).unwrap();
        let pair = pair_of(&line, &policy.keys).unwrap();
        let mut found = Vec::new();
        let place = Place {
            files: [0; 2],
            lines: [7; 2],
        };
        let labels = pair.judge(&policy).labels;
        check(&policy, &pair, labels, place, &mut found);
        assert!(found.iter().all(|finding| finding.line == 7));
        found
            .iter()
            .map(|finding| RULES[finding.rule].name)
            .collect()
    }

    fn line(label: &str, reason: &str, more: &str) -> String {
        format!(
            r#"{{"qid":"a","scholar":{{"label":"{label}","reason":"{reason}"}},"auditor":{{"label":"{label}"}}{more}}}"#
        )
    }

    #[test]
    fn the_refusal_token_has_no_synonyms() {
        for (label, claim, clean) in [
            ("NOT_IN_CONTEXT", "not in context", true),
            ("NOT_IN_CONTEXT", "Not in context.", false),
            ("NOT_IN_CONTEXT", "Paris", false),
            ("VALID", "Paris", true),
            ("VALID", "not in context", true),
            ("REJECT", "Not in the context!", false),
            ("REJECT", "I don't know", false),
        ] {
            let more = format!(r#","answer_json":{{"claim":"{claim}"}}"#);
            let expected: &[&str] = if clean { &[] } else { &["refusal_token"] };
            assert_eq!(rules(&line(label, "", &more)), expected, "{label} {claim}");
        }
        // Without an answer there is nothing to compare.
        assert!(rules(&line("NOT_IN_CONTEXT", "", "")).is_empty());
    }

    #[test]
    fn evidence_is_compared_wherever_it_stands() {
        let with = |top: &str, scholar: &str, auditor: &str| {
            rules(&format!(
                r#"{{"qid":"a","scholar":{{"label":"VALID"{scholar}}},"auditor":{{"label":"VALID"{auditor}}}{top}}}"#
            ))
        };
        let (ab, spaced, ba) = (
            r#","retrieved_ids":["a","b"]"#,
            r#","retrieved_ids":[ "\u0061" , "b" ]"#,
            r#","retrieved_ids":["b","a"]"#,
        );
        assert!(with(ab, "", "").is_empty());
        assert!(with(ab, spaced, ab).is_empty());
        assert_eq!(with("", ab, ba), ["same_evidence"]);
        assert_eq!(with(ab, ba, ""), ["same_evidence"]);
        let (one, two) = (
            r#","answer_json":{"x":1,"y":2}"#,
            r#","answer_json":{"y":2,"x":1}"#,
        );
        assert!(with("", one, two).is_empty());
        assert_eq!(
            with("", one, r#","answer_json":{"x":1}"#),
            ["same_evidence"]
        );
        // Null says nothing, and one text is a list of one.
        let null = r#","retrieved_ids":null,"answer_json":null"#;
        assert!(with(ab, null, "").is_empty());
        assert!(with(null, one, "").is_empty());
        let [text, list] = [r#"" a""#, r#"[" a"]"#].map(|ids| format!(r#","retrieved_ids":{ids}"#));
        assert!(with("", &text, &list).is_empty());
    }

    #[test]
    fn reasons_are_short_and_name_nobody() {
        assert!(rules(&line("VALID", &"x".repeat(200), "")).is_empty());
        assert!(rules(&line("VALID", &"ü".repeat(200), "")).is_empty());
        assert_eq!(
            rules(&line("VALID", &"x".repeat(201), "")),
            ["reason_length"]
        );
        assert_eq!(
            rules(&line("VALID", "ask a.b@c.org or +44 20 7946 0958", "")),
            ["reason_email", "reason_telephone"]
        );
    }

    #[test]
    fn what_is_no_text_is_looked_at_too() {
        for reason in [r#"["a\u0040b.org"]"#, r#"{"by":"a@b.org"}"#] {
            let line = format!(
                r#"{{"qid":"a","scholar":{{"label":"VALID","reason":{reason}}},"auditor":{{"label":"VALID"}}}}"#
            );
            assert_eq!(rules(&line), ["reason_email"], "{reason}");
        }
        for (claim, expected) in [
            (r#"["Paris"]"#, &["refusal_token"][..]),
            (r#"["not in context"]"#, &["refusal_token"]),
            ("42", &["refusal_token"]),
            ("null", &[]),
        ] {
            let more = format!(r#","answer_json":{{"claim":{claim}}}"#);
            assert_eq!(
                rules(&line("NOT_IN_CONTEXT", "", &more)),
                expected,
                "{claim}"
            );
        }
    }

    #[test]
    fn an_atom_names_its_line_and_does_not_repeat_contact_data() {
        let finding = Finding {
            rule: 3,
            field: "auditor.reason".into(),
            message: "holds an e-mail address".to_owned(),
            observed: Value::Null,
            line: 12,
            file: 0,
        };
        let atom = finding.atom(7, &["f.jsonl".to_owned()], "q1");
        assert_eq!(atom.id, "EVID_007");
        assert_eq!(atom.rule, "hygiene.reason_email");
        assert_eq!((atom.pass, atom.severity), (false, Severity::Critical));
        assert_eq!(atom.meta["line"], 12);
        assert_eq!(atom.meta["file"], "f.jsonl");
        assert_eq!(atom.meta["qid"], "q1");
    }
}
