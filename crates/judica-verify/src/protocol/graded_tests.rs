//! Levels and adjusting rules: what is wrong with them, told in one go, and what they give.

use serde_json::{Value, json};

use crate::protocol::load::parse;
use crate::protocol::load::tests::{BASE, mistakes, told};
use crate::protocol::{Protocol, hash::ContentHashes};
use crate::test_support::Bench;

const THRESHOLDS: &str = "warning_above = 50\ncritical_above = 80\n";
const LEVELS: &str = r#"levels = [{ below = 1, score = 1.0 }, { upto = 1, score = 0.75, severity = "info" }, { upto = 5, score = 0.5 }]
else = { score = 0.0, severity = "critical" }
severity = "warning"
"#;
const ADJUSTING: &str = r#"[[rule]]
family = "physics"
id = "low"
adjusts = "fast"
when = "height < 10"
subtract = 0.25
[[rule]]
family = "physics"
id = "high"
adjusts = "physics.fast"
when = "height > 100"
cap = 0.25
[[rule]]
family = "physics"
id = "higher"
shapes = ["array"]
adjusts = "constraint.physics.fast"
when = "height > 1000"
subtract = 0.5
"#;

/// The tiny protocol with levels, and rules that adjust them.
pub(crate) fn graded() -> String {
    let source = BASE.replace(THRESHOLDS, LEVELS);
    source.replace("[scores]", &format!("{ADJUSTING}[scores]"))
}

pub(crate) fn protocol() -> Protocol {
    parse(&graded(), "graded").unwrap_or_else(|errors| panic!("{errors}"))
}

/// A mistake, by what replaces a piece of the graded protocol.
#[track_caller]
fn complains(from: &str, to: &str, wanted: &[&str]) {
    let source = graded();
    assert!(source.contains(from), "{from}");
    let found = mistakes(&source.replacen(from, to, 1));
    let words: Vec<&str> = found.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(words, wanted, "{to}");
}

#[test]
fn everything_that_can_be_wrong_with_levels() {
    assert!(mistakes(&graded()).is_empty());
    let both = "a level has `below` or `upto`, not both";
    complains(
        "{ below = 1, score = 1.0 }",
        "{ below = 1, upto = 1, score = 1 }",
        &[both],
    );
    let neither = "a level needs a bound: `below` or `upto`";
    complains("{ below = 1, score = 1.0 }", "{ score = 1 }", &[neither]);
    let never = "this level is never reached: bounds must rise from level to level";
    complains("upto = 5", "upto = 0.5", &[never]);
    complains("upto = 5", "upto = 1", &[never]);
    complains("{ upto = 1,", "{ below = 1,", &[never]);
    complains(
        "upto = 5",
        "upto = inf",
        &["the bound of a level must be a finite number"],
    );
    for (score, said) in [("1.5", "1.5"), ("-0.1", "-0.1"), ("nan", "NaN")] {
        let wanted = format!("a score lies between 0 and 1, not at {said}");
        complains("score = 0.5 }", &format!("score = {score} }}"), &[&wanted]);
        complains("score = 0.0,", &format!("score = {score},"), &[&wanted]);
    }
    complains("score = 0.5 }", "}", &["missing field `score`"]);
    complains(
        "else = { score = 0.0, severity = \"critical\" }\n",
        "",
        &["levels need an `else`"],
    );
    let bound = "`else` has no bound: it is what counts beyond the levels";
    complains("else = { score", "else = { below = 9, score", &[bound]);
    let together = "a rule has `levels`, or thresholds and conditions that fail, not both";
    complains(
        "severity = \"warning\"\n",
        "warning_above = 1\n",
        &[together],
    );
    complains(
        "severity = \"warning\"\n",
        "warning_if = \"speed > 1\"\n",
        &[together],
    );
    complains(
        "value = \"abs(speed)\"\n",
        "",
        &["a rule with levels needs a `value`"],
    );
    complains(
        "message = \"{speed} is {value} fast\"\n",
        "",
        &["missing field `message`"],
    );
    let (from, to) = (
        LEVELS.find('[').unwrap_or(0),
        LEVELS.find("]\n").unwrap_or(0) + 1,
    );
    complains(&LEVELS[from..to], "[]", &["there are no levels"]);
    // What is of the wrong kind has no consequences.
    complains(
        &LEVELS[from..to],
        "3",
        &["invalid type: integer `3`, expected a sequence"],
    );
    told(
        "critical_above = 80",
        "severity = \"critical\"",
        (27, 12),
        "`severity` belongs to `levels`",
        Some("thresholds are named after theirs: warning_above, critical_above"),
    );
    let alone = mistakes(&BASE.replace("critical_above = 80", "else = { score = 0 }"));
    assert_eq!(alone[0].message, "`else` belongs to `levels`");
}

#[test]
fn everything_that_can_be_wrong_with_adjusting() {
    complains(
        "adjusts = \"fast\"",
        "adjusts = \"fats\"",
        &["no rule is called `fats`"],
    );
    let found = mistakes(&graded().replacen("adjusts = \"fast\"", "adjusts = \"fats\"", 1));
    assert_eq!(found[0].help.as_deref(), Some("did you mean `fast`?"));
    let no_levels = "rule `physics.high` has no levels, so no score to adjust";
    complains("adjusts = \"fast\"", "adjusts = \"high\"", &[no_levels]);
    complains(
        "when = \"height < 10\"\n",
        "",
        &["a rule that adjusts another needs a `when`"],
    );
    let how = "a rule that adjusts another says how: `subtract` or `cap`";
    complains("subtract = 0.25\n", "", &[how]);
    let both = "a rule adjusts by `subtract` or by `cap`, not both";
    complains("subtract = 0.25\n", "subtract = 0.25\ncap = 0.5\n", &[both]);
    let beyond = "scores lie between 0 and 1, and 1.25 does not";
    complains("subtract = 0.25", "subtract = 1.25", &[beyond]);
    let own = "a rule that adjusts another leaves no atom of its own: it has a `when`, and no value, levels or thresholds";
    complains("cap = 0.25\n", "cap = 0.25\nvalue = \"speed\"\n", &[own]);
    complains(
        "cap = 0.25\n",
        "cap = 0.25\nwarning_if = \"speed > 1\"\n",
        &[own],
    );
    complains(
        "adjusts = \"fast\"\n",
        "",
        &[
            "missing field `message`",
            "a rule needs something that can fail",
            "`subtract` changes the score of another rule",
        ],
    );
    let each = "a rule per field adjusts a rule per field, one per step one per step";
    let found = mistakes(&graded().replacen(
        "when = \"height < 10\"",
        "each = \"field\"\nwhen = \"jump > 1\"",
        1,
    ));
    assert_eq!(
        found.iter().map(|e| e.message.as_str()).collect::<Vec<_>>(),
        [each]
    );
    // Everything at once, in the order of the file.
    let wrong = graded()
        .replace("upto = 5, score = 0.5", "upto = 0, score = 5")
        .replace("cap = 0.25", "cap = -1")
        .replacen("adjusts = \"fast\"", "adjusts = \"slow\"", 1);
    assert_eq!(mistakes(&wrong).len(), 4);
}

#[test]
fn a_protocol_without_levels_hashes_as_ever() {
    let file = toml::from_str(BASE).expect("a protocol");
    let said = serde_json::to_value(&file).expect("JSON");
    let file: crate::protocol::file::ProtocolFile = file;
    let rule: &Value = &said["rule"][0];
    for key in ["levels", "else", "severity", "adjusts", "subtract", "cap"] {
        assert!(rule.get(key).is_none(), "{key}");
    }
    let graded = toml::from_str(&graded()).expect("a protocol");
    assert_ne!(
        ContentHashes::of(&file).config,
        ContentHashes::of(&graded).config
    );
}

fn atoms(task: &str, answer: Value) -> Vec<Value> {
    atoms_by(protocol(), task, answer)
}

fn atoms_by(protocol: Protocol, task: &str, answer: Value) -> Vec<Value> {
    let sample = json!({"sample_id": "s", "task_id": task});
    let bench = Bench::new(protocol, &[sample]);
    let line = json!({"model_name": "m", "sample_id": "s", "raw_response_text": answer});
    let run = bench.run(&[line.to_string()]);
    let record: Value = serde_json::from_str(&bench.render(&run)[0]).expect("JSON");
    let atoms = record["evidence_pack"]["atoms"].as_array().expect("atoms");
    atoms
        .iter()
        .filter(|atom| atom["rule"] == "physics.fast")
        .cloned()
        .collect()
}

#[test]
fn levels_and_adjustments_make_the_score_of_an_atom() {
    for (speed, height, pass, score, severity, adjusted) in [
        (0.5, 50, true, 1.0, "warning", json!(null)),
        (-1.0, 50, false, 0.75, "info", json!(null)),
        (5.0, 50, false, 0.5, "warning", json!(null)),
        (5.1, 50, false, 0.0, "critical", json!(null)),
        (0.5, 9, false, 0.75, "warning", json!(["physics.low"])),
        (5.1, 9, false, 0.0, "critical", json!(["physics.low"])),
        (0.5, 101, false, 0.25, "warning", json!(["physics.high"])),
        // Only in array tasks there is another.
        (0.5, 1001, false, 0.25, "warning", json!(["physics.high"])),
    ] {
        let found = atoms("one", json!({"Speed": speed, "Height": height}));
        let [atom] = &found[..] else {
            panic!("{found:?}")
        };
        let what = format!("{speed} {height}: {atom}");
        assert_eq!(atom["pass"], pass, "{what}");
        assert_eq!(atom["score"].as_f64(), Some(score), "{what}");
        assert_eq!(atom["severity"], severity, "{what}");
        assert_eq!(
            atom["meta"].get("adjusted_by").cloned().unwrap_or_default(),
            adjusted,
            "{what}"
        );
        assert_eq!(
            atom["meta"]["limits"]["levels"].as_array().map(Vec::len),
            Some(3)
        );
        let said = atom["message"].as_str().unwrap_or_default();
        assert!(pass == (said == "passed"), "{what}");
        assert!(pass || said.contains(": score "), "{what}");
    }
    let found = atoms(
        "three",
        json!({"Speed": [0.5, 1, 9], "Height": [1001, 1001, 5]}),
    );
    let scores: Vec<_> = found.iter().map(|atom| atom["score"].as_f64()).collect();
    assert_eq!(scores, [Some(0.0); 3]);
    assert_eq!(
        found[0]["meta"]["adjusted_by"],
        json!(["physics.high", "physics.higher"])
    );
    // What a rule that adjusts reads is not there: it does not apply.
    let found = atoms("one", json!({"Speed": 0.5, "Height": "?"}));
    assert_eq!(found[0]["score"].as_f64(), Some(1.0));
    assert!(atoms("one", json!({"Speed": null, "Height": 1})).is_empty());
}

#[test]
fn a_severity_that_nobody_names_follows_from_the_adjusted_score() {
    let levels = |severity: &str| {
        format!("levels = [{{ below = 50, score = 1.0{severity} }}]\nelse = {{ score = 0.0 }}\n")
    };
    let severity = |levels: &str, answer: Value| {
        let source = graded().replacen(LEVELS, levels, 1);
        let protocol = parse(&source, "graded").unwrap_or_else(|errors| panic!("{errors}"));
        atoms_by(protocol, "one", answer)[0]["severity"].clone()
    };
    let (adjusted, plain) = (
        json!({"Speed": 1, "Height": 5}),
        json!({"Speed": 1, "Height": 50}),
    );
    assert_eq!(severity(&levels(""), plain), "info");
    assert_eq!(severity(&levels(""), adjusted.clone()), "warning");
    let named = levels(", severity = \"info\"");
    assert_eq!(severity(&named, adjusted), "info");
}
