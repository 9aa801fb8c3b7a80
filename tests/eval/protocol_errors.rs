//! Mistakes in a protocol file: exit 2, the place, and the name that was probably meant.

use crate::eval::own_protocol::TANK;
use crate::support::Place;
use crate::support::flight::tiny;

/// Replaces one text of the protocol and expects the complaint to point where it stood.
#[track_caller]
fn complaint(from: &str, to: &str, wrong: &str, words: &[&str]) {
    assert!(TANK.contains(from), "{from}");
    let text = TANK.replacen(from, to, 1);
    let at = text.find(wrong).expect("what is wrong stands in the file");
    let line = text[..at].matches('\n').count() + 1;
    let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1) + 1;
    let place = tiny();
    place.write("my.toml", &text);
    for command in [
        "rules --protocol my.toml",
        "eval --protocol my.toml --samples s.jsonl --outputs o.jsonl --out run",
        "calibrate --protocol my.toml --samples s.jsonl",
    ] {
        let ran = place.judica(command).exits(2);
        ran.complains(&[&format!("my.toml:{line}:{column}")])
            .complains(words);
    }
    place.nothing_in("run");
}

#[test]
fn an_unknown_key() {
    complaint(
        "jump = 1",
        "jmup = 1",
        "jmup",
        &["unknown", "`jmup`", "did you mean `jump`?"],
    );
    complaint(
        "[[family]]",
        "[[famly]]",
        "famly",
        &["`famly`", "did you mean `family`?"],
    );
    complaint(
        "mae_curve",
        "mae_curv",
        "mae_curv",
        &["did you mean `mae_curve`?"],
    );
}

#[test]
fn an_unknown_name_in_an_expression() {
    complaint(
        "value = \"level\"",
        "value = \"abs(levl) + 1\"",
        "levl)",
        &["`levl`", "did you mean `level`?"],
    );
    complaint(
        "value = \"level\"",
        "value = \"sqr(level)\"",
        "sqr(",
        &["`sqr`", "did you mean `sqrt`?"],
    );
    complaint(
        "{value}",
        "{valeu}",
        "valeu",
        &["`valeu`", "did you mean `value`?"],
    );
}

#[test]
fn an_expression_that_is_none() {
    complaint(
        "value = \"level\"",
        "value = \"level + * 2\"",
        "* 2",
        &["expected"],
    );
    complaint(
        "value = \"level\"",
        "value = \"(level\"",
        "(level",
        &["never closed"],
    );
}

#[test]
fn an_unknown_family_or_kind() {
    complaint(
        "family = \"safety_constraint\"\nid",
        "family = \"safety_constrant\"\nid",
        "\"safety_constrant\"",
        &["did you mean `safety_constraint`?"],
    );
    complaint(
        "[\"range_sanity\"]",
        "[\"range_sanit\"]",
        "\"range_sanit\"",
        &["did you mean `range_sanity`?"],
    );
    complaint(
        "\"angle\"",
        "\"angel\"",
        "\"angel\"",
        &["did you mean `angle`?"],
    );
}

#[test]
fn an_inverted_range() {
    complaint(
        "limit = [0, 10]",
        "limit = [10, 0]",
        "[10, 0]",
        &["inverted range", "[0, 10]"],
    );
}

#[test]
fn thresholds_in_the_wrong_order() {
    complaint(
        "critical_above = 9",
        "critical_above = 7",
        "7\nmessage",
        &["critical_above", "warning_above"],
    );
}

#[test]
fn a_second_rule_of_the_same_id() {
    let rule =
        &TANK[TANK.find("[[rule]]").expect("a rule")..TANK.find("[scores]").expect("scores")];
    let twice = format!(
        "{rule}{}",
        rule.replace("id = \"overflow\"", "id  = \"overflow\"")
    );
    complaint(
        rule,
        &twice,
        "\"overflow\"\nsummary = \"The tank does not overflow.\"\nwhy = \"It would be wet.\"\nvalue = \"level\"\nunit = \"m\"\nwarning_above = 8\ncritical_above = 9\nmessage = \"level {value} m\"\n\n[scores]",
        &["duplicate rule id", "safety_constraint.overflow"],
    );
}

#[test]
fn text_that_is_not_toml() {
    complaint(
        "unit = \"l/s\"\n",
        "unit = \"l/s\n",
        "\nkind = \"linear\"\nlimit = [0, 100]",
        &["string"],
    );
    let place = Place::new();
    place.write("my.toml", b"[protocol]\nname = \"\xff\"\n");
    place
        .judica("rules --protocol my.toml")
        .exits(2)
        .complains(&["my.toml"]);
    place.write("my.toml", "");
    place
        .judica("rules --protocol my.toml")
        .exits(2)
        .complains(&["my.toml:1:1", "missing"]);
}

#[test]
fn families_that_wait_for_each_other() {
    let cycle = "[[family]]\nname = \"a\"\ndepends_on = [\"b\"]\n\n[[family]]\nname = \"b\"\ndepends_on = [\"a\"]\n\n[[rule]]";
    let place = Place::new();
    place.write("my.toml", TANK.replace("[[rule]]", cycle));
    place
        .judica("rules --protocol my.toml")
        .exits(2)
        .complains(&["my.toml:36:8", "circle", "a, b"]);
}
