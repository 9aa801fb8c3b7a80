use super::*;
use crate::pairs::line::Line;
use crate::pairs::verdict::pair_of;
use proptest::prelude::*;

/// What was once written in code, to hold the file of the program against.
fn by_hand(
    labels: [Option<&str>; 2],
    flagged: bool,
    in_scope: bool,
) -> (&'static str, &'static str) {
    if flagged {
        ("hard_flag", "REJECT")
    } else if !in_scope {
        ("citation_out_of_scope", "REJECT")
    } else {
        match labels {
            [Some("VALID" | "NOT_IN_CONTEXT"), Some("VALID")] => ("auditor_ok", "VALID"),
            [_, Some("VALID")] => ("incoherent_pair", "REJECT"),
            _ => ("auditor_veto", "REJECT"),
        }
    }
}

#[test]
fn the_file_of_the_program_decides_every_pair_as_the_seed_does() {
    let policy = Policy::built_in().unwrap();
    assert_eq!(policy.names(), ["scholar", "auditor"]);
    let names = ["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN", "hm"];
    assert!(
        policy
            .labels
            .iter()
            .map(|label| label.name.as_str())
            .eq(names[..4].iter().copied())
    );
    for at in 0..names.len() * names.len() * 4 {
        let said = [names[at / 4 % 5], names[at / 20]];
        let labels = said.map(|name| policy.label(name.as_bytes()));
        let (flagged, in_scope) = (at % 2 == 1, at / 2 % 2 == 1);
        let Decision { why, label } = policy.decide(labels, flagged, || in_scope);
        let known = said.map(|name| Some(name).filter(|name| *name != "hm"));
        let expected = by_hand(known, flagged, in_scope);
        let found = (policy.why(why), policy.spec(label).name.as_str());
        assert_eq!(found, expected, "{said:?} {flagged} {in_scope}");
        assert_eq!(policy.spec(label).ships, expected.0 == "auditor_ok");
    }
}

#[test]
fn names_are_exact_and_hints_are_kind() {
    let policy = Policy::built_in().unwrap();
    for (label, spec) in policy.labels().zip(&policy.labels) {
        assert_eq!(policy.label(spec.name.as_bytes()), Some(label));
    }
    assert_eq!(policy.label(b"valid"), None);
    assert_eq!(policy.meant(" not in-context"), Some("NOT_IN_CONTEXT"));
    assert_eq!(policy.meant("OK"), None);
}

fn decide(line: &str) -> String {
    let policy = Policy::built_in().unwrap();
    let line = Line::read(line.as_bytes(), &policy.keys).unwrap();
    let judgment = pair_of(&line, &policy.keys).unwrap().judge(&policy);
    policy.why(judgment.decision.why).to_owned()
}

#[test]
fn rules_apply_in_order() {
    let line = |scholar: &str, auditor: &str, more: &str| {
        format!(r#"{{"scholar":{{"label":"{scholar}"}},"auditor":{{"label":"{auditor}"}}{more}}}"#)
    };
    let flag = |flag: &str, value: &str| format!(r#","flags":{{"{flag}":{value}}}"#);
    let cites = r#","answer_json":{"citations":["a"]}"#;
    let retrieved = format!(r#","retrieved_ids":["a"]{cites}"#);
    let provenance = flag("provenance_violation", "1");
    for (scholar, auditor, more, why) in [
        ("VALID", "VALID", "", "auditor_ok"),
        ("NOT_IN_CONTEXT", "VALID", "", "auditor_ok"),
        ("REJECT", "VALID", "", "incoherent_pair"),
        ("ABSTAIN", "VALID", "", "incoherent_pair"),
        ("hm", "VALID", "", "incoherent_pair"),
        ("VALID", "NOT_IN_CONTEXT", "", "auditor_veto"),
        ("VALID", "hm", "", "auditor_veto"),
        ("VALID", "VALID", &provenance, "hard_flag"),
        (
            "VALID",
            "VALID",
            &flag("constraints_mismatch", r#""no""#),
            "hard_flag",
        ),
        (
            "VALID",
            "VALID",
            &flag("constraints_mismatch", "0"),
            "auditor_ok",
        ),
        ("VALID", "VALID", cites, "citation_out_of_scope"),
        ("VALID", "REJECT", cites, "citation_out_of_scope"),
        ("VALID", "VALID", &retrieved, "auditor_ok"),
        (
            "VALID",
            "VALID",
            r#","answer_json":null,"flags":null"#,
            "auditor_ok",
        ),
        (
            "VALID",
            "REJECT",
            &format!("{provenance}{cites}"),
            "hard_flag",
        ),
    ] {
        assert_eq!(
            decide(&line(scholar, auditor, more)),
            why,
            "{scholar} {auditor} {more}"
        );
    }
}

/// Flags are told apart: the last of equal keys counts, for each of them.
#[test]
fn any_of_the_flags_is_enough() {
    let with = |flags: &str| {
        decide(&format!(
            r#"{{"scholar":{{"label":"VALID"}},"auditor":{{"label":"VALID"}},"flags":{{{flags}}}}}"#
        ))
    };
    let (one, other) = (r#""provenance_violation""#, r#""constraints_mismatch""#);
    assert_eq!(with(&format!("{one}:1,{other}:0")), "hard_flag");
    assert_eq!(with(&format!("{other}:1,{one}:0")), "hard_flag");
    assert_eq!(with(&format!("{one}:1,{one}:0")), "auditor_ok");
    assert_eq!(
        with(&format!("{one}:0,{other}:1,{one}:1,{other}:0")),
        "hard_flag"
    );
}

/// A policy of two labels with these rules.
fn with_rules(rules: &str) -> Result<Policy, String> {
    let text = format!(
        "version = 1\nrater = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         label = [{{ name = \"yes\", aliases = [\"y\", \"Y\"] }}, {{ name = \"no\" }}]\n{rules}"
    );
    Policy::parse("p.toml", &text).map_err(|error| error.to_string())
}

const REST: &str = "[[rule]]\nwhy = \"rest\"\nfinal = \"no\"\n";

#[test]
fn order_matters_and_a_rater_may_decide() {
    let agree = "[[rule]]\nwhy = \"agreed\"\nwhen = { agree = true }\nfinal_of = \"b\"\n";
    let yes = "[[rule]]\nwhy = \"a_says\"\nwhen = { a = \"yes\" }\nfinal = \"yes\"\n";
    let decided = |rules: String, said: [&str; 2]| {
        let policy = with_rules(&rules).unwrap();
        let labels = said.map(|said| policy.label(said.as_bytes()));
        let Decision { why, label } = policy.decide(labels, true, || unreachable!());
        (policy.why(why).to_owned(), policy.spec(label).name.clone())
    };
    let is = |why: &str, label: &str| (why.to_owned(), label.to_owned());
    assert_eq!(
        decided(format!("{agree}{yes}{REST}"), ["yes", "y"]),
        is("agreed", "yes")
    );
    assert_eq!(
        decided(format!("{yes}{agree}{REST}"), ["yes", "y"]),
        is("a_says", "yes")
    );
    assert_eq!(
        decided(format!("{yes}{agree}{REST}"), ["no", "no"]),
        is("agreed", "no")
    );
    // Nobody agrees on what is no label.
    assert_eq!(
        decided(format!("{agree}{yes}{REST}"), ["hm", "hm"]),
        is("rest", "no")
    );
}

#[test]
fn rules_that_can_never_decide_are_mistakes() {
    for (rules, told) in [
        (
            format!("{REST}[[rule]]\nwhy = \"late\"\nwhen = {{ a = \"yes\" }}\nfinal = \"yes\"\n"),
            "p.toml:8:7: rule `late` is never reached: all it holds for is decided before, by `rest`",
        ),
        (
            format!(
                "[[rule]]\nwhy = \"odd\"\nwhen = {{ agree = true, a = \"yes\", b = \"no\" }}\nfinal = \"yes\"\n{REST}"
            ),
            "p.toml:5:7: rule `odd` can never hold",
        ),
        (
            format!("[[rule]]\nwhy = \"odd\"\nwhen = {{ a = [] }}\nfinal = \"yes\"\n{REST}"),
            "rule `odd` can never hold",
        ),
        (
            "[[rule]]\nwhy = \"some\"\nunless = { b = \"no\", flagged = true }\nfinal = \"no\"\n"
                .to_owned(),
            "no rule decides where a says yes, b says no, a flag is raised and nothing is cited out of scope",
        ),
        (
            "[[rule]]\nwhy = \"taken\"\nfinal_of = \"a\"\n".to_owned(),
            "no rule decides where a says what is no label",
        ),
    ] {
        let error = with_rules(&rules).unwrap_err();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn all_mistakes_are_told_each_with_its_place() {
    let text = "versoin = 1\nhard_flags = [\"x\", \"x\"]\n[[rater]]\nname = \"why\"\n[[rater]]\nname = \"a\\tb\"\n\
        [[rater]]\nname = \"c\"\nkey = \"QID\"\n[[label]]\nname = \"yes\"\nships = 1\n[[label]]\nname = \"yes\"\n\
        [[label]]\nname = \" no\"\nship = true\nships = true\nabstains = true\n\
        [[rule]]\nfinal = \"yes\"\n[[rule]]\nwhy = \"r\"\nfinal = \"yess\"\n[[rule]]\nwhy = \"r\"\nwhen = {}\n";
    let error = Policy::parse("p.toml", text).unwrap_err().to_string();
    for told in [
        "p.toml:1:1: unknown key `versoin` (did you mean `version`?)",
        "p.toml:1:1: a policy file begins with `version = 1`",
        "p.toml:2:20: there are two flags `x`",
        "p.toml:4:8: a rater cannot be called `why`",
        "p.toml:6:8: `a\\tb` cannot be a rater's name",
        "p.toml:7:1: pairs have two raters",
        "p.toml:9:7: `QID` of a line holds something else",
        "p.toml:12:9: label `yes`: `ships` is true or false, not an integer",
        "p.toml:14:8: there are two labels `yes`",
        "p.toml:16:8: ` no` cannot be a label",
        "label ` no`: unknown key `ship` (did you mean `ships`?)",
        "who abstains ships nothing",
        "p.toml:20:1: a rule: `why` is missing",
        "p.toml:24:9: rule `r`: unknown label `yess` (did you mean `yes`?)",
        "p.toml:26:7: there are two rules called `r`",
        "`when` asks for nothing",
        "`final` is missing",
    ] {
        assert!(error.contains(told), "{told}\nnot in\n{error}");
    }
    let lines: Vec<&str> = error.lines().collect();
    assert!(
        lines.iter().all(|line| line.starts_with("p.toml:")),
        "{error}"
    );
}

#[test]
fn a_policy_without_anything_is_none() {
    for text in ["", "version = 1", "rater = []\nlabel = 1\nrule = [1]"] {
        let error = Policy::parse("p.toml", text).unwrap_err().to_string();
        assert!(
            error.contains("[[rule]]") && error.contains("[[label]]"),
            "{error}"
        );
    }
    let error = Policy::parse("p.toml", "version = [")
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("p.toml:1:"), "{error}");
    let alike = BUILT_IN.replace("name = \"auditor\"", "name = \"scholar_label\"");
    let error = Policy::parse("p.toml", &alike).unwrap_err().to_string();
    assert!(
        error.contains("column `scholar_label` of a table could be either"),
        "{error}"
    );
    let many: String = (0..70)
        .map(|at| format!("[[label]]\nname = \"l{at}\"\n"))
        .collect();
    let error = Policy::parse("p.toml", &format!("{BUILT_IN}{many}")).unwrap_err();
    assert!(
        error.to_string().contains("more than 64 [[label]]"),
        "{error}"
    );
}

proptest! {
    /// Whatever a file holds, it is a policy that decides everything, or its mistakes are told.
    #[test]
    fn nothing_that_is_written_breaks_the_reader(
        from in prop::collection::vec(0..BUILT_IN.len(), 1..4), with in "[\\[\\]{}=\"a-z0-9 \n]{0,6}",
    ) {
        let mut text = BUILT_IN.to_owned();
        for at in from {
            let at = at.min(text.len());
            let end = (at + 7).min(text.len());
            text.replace_range(at..end, &with);
        }
        match Policy::parse("p.toml", &text) {
            Ok(policy) => prop_assert_eq!(policy.names().len(), 2),
            Err(error) => prop_assert!(error.to_string().starts_with("p.toml:")),
        }
    }
}
