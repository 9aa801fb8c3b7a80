//! All mistakes of a file in one go, and names that stand in the wrong place.

use crate::protocol::load::tests::{BASE, mistake, mistakes};

/// Line, message and help of every mistake of the base with these changes.
fn all(changes: &[(&str, &str)]) -> Vec<(usize, String, String)> {
    let mut source = BASE.to_owned();
    for (from, to) in changes {
        assert_eq!(source.matches(from).count(), 1, "{from} is not said once");
        source = source.replace(from, to);
    }
    let told = mistakes(&source).into_iter();
    told.map(|error| {
        let line = error.line_column().0;
        (line, error.message, error.help.unwrap_or_default())
    })
    .collect()
}

#[track_caller]
fn told(changes: &[(&str, &str)], expected: &[(usize, &str, &str)]) {
    let found = all(changes);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for ((line, message, help), wanted) in found.iter().zip(expected) {
        assert_eq!(*line, wanted.0, "{found:#?}");
        assert!(message.contains(wanted.1), "{message}");
        assert!(help.contains(wanted.2), "{message}: {help}");
    }
}

#[test]
fn mistakes_of_every_stage_are_told_at_once_in_the_order_of_the_file() {
    told(
        &[
            ("jump = 10", "jmup = 10"),
            ("limit = [0, 100]", "limit = [100, 0]"),
            ("\"height\"", "\"if\""),
            ("shape = \"array\"", "shape = \"aray\""),
            ("\"range_sanity\"", "\"range_santy\""),
            ("abs(speed)", "abs(sped) % hieght"),
            ("critical_above = 80", "critical_above = 49"),
            ("{value} fast", "{valu} {sped}"),
            ("mae_weight = 0.6", "mae_weight = -1"),
            ("rmse_weight = 0.4", "rmse_weight = \"much\""),
        ],
        &[
            (7, "inverted range", "[0, 100]"),
            (8, "`jmup`", "`jump`"),
            (11, "alias `if`", ""),
            (17, "`aray`", "`array`"),
            (21, "`range_santy`", "`range_sanity`"),
            (25, "`sped`", "`speed`"),
            (25, "`%` is not an operator", "floor(a / b)"),
            (25, "`hieght`", "the field `Height`"),
            (27, "critical_above lies below", ""),
            (28, "`valu`", "`value`"),
            (28, "`sped`", "`speed`"),
            (31, "`mae_weight`", ""),
            (32, "invalid type", ""),
        ],
    );
}

#[test]
fn what_was_told_of_has_no_consequences() {
    for (from, to, words) in [
        ("value = \"abs(speed)\"", "value = 5", "invalid type"),
        (
            "warning_above = 50\ncritical_above = 80",
            "warning_abve = 5",
            "unknown field",
        ),
        (
            "warning_above = 50\ncritical_above = 80",
            "warning_above = []",
            "number or an",
        ),
        ("shape = \"scalar\"", "shape = 1", "wanted string"),
        (
            "shape = \"array\"",
            "shape = \"zzzzzzzz\"",
            "unknown variant",
        ),
        ("horizon = 3", "horizon = \"3\"", "invalid type"),
        ("id = \"fast\"\n", "", "missing field `id`"),
        ("family = \"physics\"\n", "", "missing field `family`"),
        ("version = \"1\"\n", "", "missing field `version`"),
        (
            "weights = { availability = 0.2, ",
            "weights = { ",
            "missing field `availability`",
        ),
    ] {
        let found = all(&[(from, to)]);
        assert_eq!(found.len(), 1, "{to}: {found:#?}");
        assert!(found[0].1.contains(words), "{found:#?}");
    }
}

#[test]
fn a_missing_section_comes_with_a_skeleton() {
    let scores = BASE.find("[scores]").expect("scores");
    let found = mistakes(&BASE[..scores]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].message, "the section `[scores]` is missing");
    let help = found[0].help.clone().unwrap_or_default();
    assert!(help.contains("\n[scores]\nweights = {"), "{help}");
    // What the help says can be put there and is then right.
    let skeleton = help.split_once('\n').expect("lines").1;
    assert!(mistakes(&format!("{}{skeleton}", &BASE[..scores])).is_empty());
    // An empty file lacks every section that must be there.
    let missing: Vec<String> = mistakes("")
        .into_iter()
        .map(|error| error.message)
        .collect();
    let wanted = ["[protocol]", "[[field]]", "[[task]]", "[scores]"];
    assert_eq!(missing.len(), wanted.len(), "{missing:?}");
    for section in wanted {
        let said = format!("the section `{section}` is missing");
        assert!(missing.contains(&said), "{missing:?}");
    }
    let help = mistake("id = \"fast\"\n", "").help;
    assert_eq!(help.as_deref(), Some("write, for example, `id = \"fast\"`"));
}

#[test]
fn a_name_of_another_kind_is_told_what_it_is() {
    for (from, to, help) in [
        ("abs(speed)", "abs(Speed)", "its alias is `speed`"),
        ("abs(speed)", "abs(speed) + one", "`one` is a task"),
        (
            "abs(speed)",
            "abs(speed) + physics",
            "`physics` is a family",
        ),
        (
            "abs(speed)",
            "abs(speed) + fast",
            "`fast` is a rule of family `physics`",
        ),
        ("abs(speed)", "abs(speed) + jump", "`each = \"field\"`"),
        ("{value} fast", "{Height}", "its alias is `height`"),
        (
            "family = \"physics\"",
            "family = \"Speed\"",
            "`Speed` is a field, not a family",
        ),
        (
            "family = \"physics\"",
            "family = \"three\"",
            "`three` is a task, not a family",
        ),
        (
            "\"range_sanity\"",
            "\"fast\"",
            "is a rule of family `physics`, not a family",
        ),
        (
            "jump = 10",
            "horizon = 10",
            "`horizon` is a key of `[[task]]`",
        ),
        (
            "horizon = 3",
            "depends_on = []\nhorizon = 3",
            "`depends_on` is a key of `[[family]]`",
        ),
    ] {
        let error = mistake(from, to);
        assert!(
            error.help.as_deref().unwrap_or("").contains(help),
            "{error}"
        );
    }
}

#[test]
fn names_of_fields_that_are_no_words_are_found_whole() {
    told(
        &[
            ("name = \"Speed\"", "name = \"Ground Speed (kt)\""),
            ("name = \"Height\"", "name = \"Ground\""),
            ("abs(speed)", "abs(Ground Speed (kt) - Ground) + hight"),
        ],
        &[
            (25, "`Ground Speed (kt)`", "its alias is `speed`"),
            (25, "`Ground`", "its alias is `height`"),
            (25, "`hight`", "did you mean `height`?"),
        ],
    );
}

#[test]
fn several_places_that_are_not_toml() {
    let source = BASE
        .replace("jump = 10", "jump = ")
        .replace("horizon = 3", "horizon 3");
    let lines: Vec<usize> = mistakes(&source)
        .iter()
        .map(|error| error.line_column().0)
        .collect();
    assert_eq!(lines, [8, 18]);
}

#[test]
fn a_file_of_mistakes_ends() {
    let keys: String = (0..1000).map(|n| format!("zzz{n} = 1\n")).collect();
    let found = mistakes(&BASE.replace("jump = 10", &keys));
    assert_eq!(found.len(), 100);
}
