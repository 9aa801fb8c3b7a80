//! Everything that can be wrong with the rules and scales of a protocol file.

use crate::protocol::load::parse;
use crate::protocol::load::tests::{BASE, mistake, mistakes, told};

#[test]
fn unknown_aliases() {
    // `value = "abs(speed)"`: the quote stands in column 9, the name in 14.
    let error = mistake("abs(speed)", "abs(sped)");
    assert_eq!(error.line_column(), (25, 14));
    assert_eq!(&error.source[error.span.clone()], "sped");
    assert_eq!(error.help.as_deref(), Some("did you mean `speed`?"));
    let error = mistake("warning_above = 50", "warning_above = \"2 * hieght\"");
    assert_eq!(
        (error.line_column(), error.help.as_deref()),
        ((26, 22), Some("did you mean `height`?"))
    );
    // A rule per field reads other names than the aliases.
    let found = mistakes(&BASE.replace("id = \"fast\"", "id = \"fast\"\neach = \"field\""));
    let [error, in_message] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(in_message.line_column(), (29, 13));
    assert_eq!(
        (error.line_column().0, &error.source[error.span.clone()]),
        (26, "speed")
    );
    // In literal and in long strings the place is right too.
    let error = mistake("\"abs(speed)\"", "'abs(sped)'");
    assert_eq!(error.line_column(), (25, 14));
    let error = mistake("\"abs(speed)\"", "'''abs(sped)'''");
    assert_eq!(error.line_column(), (25, 16));
}

#[test]
fn expressions_of_the_wrong_kind() {
    let error = mistake("abs(speed)", "speed > 1");
    assert_eq!(error.line_column(), (25, 10));
    assert!(error.message.contains("needs a number"), "{error}");
    let error = mistake("critical_above = 80", "critical_if = \"speed\"");
    assert_eq!(error.line_column(), (27, 16));
    assert!(error.message.contains("needs a condition"), "{error}");
}

#[test]
fn an_id_may_recur_in_another_family() {
    let other = "[[family]]\nname = \"safety\"\n[[rule]]\nfamily = \"safety\"\nid = \"fast\"\nvalue = \"speed\"\nwarning_above = 1\nmessage = \"\"\n[scores]";
    assert_eq!(
        parse(&BASE.replace("[scores]", other), "tiny")
            .expect("two rules")
            .rules
            .len(),
        2
    );
}

#[test]
fn thresholds_in_the_wrong_order() {
    told(
        "critical_above = 80",
        "critical_above = 49",
        (27, 18),
        "critical_above lies below warning_above",
        None,
    );
    let below = "warning_below = -5\ncritical_below = -4";
    told(
        "critical_above = 80",
        below,
        (28, 18),
        "critical_below lies above warning_below",
        None,
    );
    // Equal ones are in order: the warning just never shows.
    assert!(
        parse(
            &BASE.replace("critical_above = 80", "critical_above = 50"),
            "tiny"
        )
        .is_ok()
    );
    for value in ["nan", "inf", "\"1 / 0\""] {
        told(
            "critical_above = 80",
            &format!("critical_above = {value}"),
            (27, 18),
            "a threshold must be a finite number",
            None,
        );
    }
}

#[test]
fn rules_that_cannot_fail_or_have_nothing_to_hold() {
    told(
        "warning_above = 50\ncritical_above = 80\n",
        "",
        (24, 6),
        "a rule needs something that can fail",
        Some(
            "give warning_above, critical_above, warning_below, critical_below, warning_if, critical_if or levels",
        ),
    );
    told(
        "value = \"abs(speed)\"\n",
        "",
        (24, 6),
        "a rule with thresholds needs a `value`",
        None,
    );
    told(
        "abs(speed)",
        "1 + 1",
        (24, 6),
        "the rule reads no field",
        None,
    );
}

#[test]
fn messages_with_unknown_holes() {
    // `message = "{sped} is …`: the quote stands in column 11, the brace in 12.
    told(
        "\"{speed} is",
        "\"{sped} is",
        (28, 13),
        "unknown name `sped` in the message",
        Some("did you mean `speed`?"),
    );
    told(
        "{value} fast",
        "{valu} fast",
        (28, 24),
        "unknown name `valu` in the message",
        Some("did you mean `value`?"),
    );
    // {field} belongs to rules per field only.
    told(
        "{value} fast",
        "{field}",
        (28, 24),
        "unknown name `field` in the message",
        Some("did you mean `field`?"),
    );
}

#[test]
fn a_message_with_escapes_is_still_pointed_at_on_its_line() {
    let error = mistake("\"{speed} is", "\"\\\"\\\"\u{e9}\u{e9}\u{e9}{sped} is");
    assert_eq!(error.line_column().0, 28);
}

#[test]
fn scales_upside_down() {
    let factor = "`critical_factor` must be at least 1: critical is graver than a warning";
    for value in ["0.99", "nan", "inf", "-2"] {
        let section = format!("[severity]\ncritical_factor = {value}\n[scores]");
        told("[scores]", &section, (30, 1), factor, None);
    }
    told(
        "mae_weight = 0.6",
        "mae_weight = -0.6",
        (31, 1),
        "`mae_weight` must be a number of at least 0",
        None,
    );
    told(
        "rmse_weight = 0.4",
        "rmse_weight = nan",
        (32, 1),
        "`rmse_weight` must be a number of at least 0",
        None,
    );
    told(
        "availability = 0.2",
        "availability = -1",
        (30, 13),
        "`availability` must be a number of at least 0",
        None,
    );
    told(
        "[scores]",
        "[gating]\ncap = inf\n[scores]",
        (30, 1),
        "`cap` must be a finite number",
        None,
    );
    let grades = |list: &str| format!("mae_weight = 0.6\ngrades = [{list}]");
    for list in [
        "{grade = \"D\", from = 0}, {grade = \"S\", from = 90}",
        "{grade = \"A\", from = 1}, {grade = \"B\", from = 1}",
    ] {
        told(
            "mae_weight = 0.6",
            &grades(list),
            (32, 1),
            "`grades` must go from the best to the worst",
            None,
        );
    }
    let equal = BASE.replace("[scores]", "[severity]\ncritical_factor = 1\n[scores]");
    assert!(parse(&equal, "tiny").is_ok());
}

#[test]
fn a_comment_is_not_the_place_of_a_mistake() {
    let source = format!(
        "# mae_weight = how much MAE counts\n{}",
        BASE.replace("mae_weight = 0.6", "mae_weight = -0.6")
    );
    assert_eq!(mistakes(&source)[0].line_column(), (32, 1));
}

#[test]
fn columns_count_characters() {
    // Two-byte letters before the place: `value = "abs(é…` is refused where it stands.
    let error = mistake(
        "name = \"Height\"\nalias = \"height\"",
        "name = \"\u{e9}\u{e9}\"\nalias = \"height\"\nlimit = [1, 0]",
    );
    assert_eq!(error.line_column(), (12, 9));
    let error = mistake("limit = [0, 100]", "limit = [2, 1] # \u{e9}");
    assert_eq!(error.line_column(), (7, 9));
    let error = mistake("{speed} is", "\u{e9}\u{e9} {sped} is");
    assert_eq!(error.line_column(), (28, 16));
}

#[test]
fn texts_beside_an_enumeration_are_values_of_it() {
    let found =
        |condition: &str| -> Vec<(String, String, Option<String>)> {
            let source = BASE
            .replacen(
                "[[field]]",
                "[[field]]\nname = \"level\"\nkind = \"enum\"\nvalues = [\"green\", \"yellow\", \
                 \"red\"]\naliases = { immediate = \"red\" }\n[[field]]",
                1,
            )
            .replace("critical_above = 80", &format!("critical_if = \"{condition}\""));
            let told = mistakes(&source).into_iter().map(|error| {
                let place = error.source[error.span.clone()].to_owned();
                (place, error.message, error.help)
            });
            told.collect()
        };
    for right in [
        "level == 'red' and gold.level != 'green' or 'yellow' == level[-1]",
        "level in ['red', 'green'] and not (context.level in ['yellow'])",
        // Pieces of a value, and what is computed of one.
        "level contains 'ell' or 'e' in level or lower(level) == 'RED'",
        "level matches 'r.d' or level == gold.level",
    ] {
        assert_eq!(found(right), [], "{right}");
    }
    let none = |text: &str, of: &str, help: &str| {
        let message = format!("`{text}` is none of the values of `{of}`");
        (format!("'{text}'"), message, Some(help.to_owned()))
    };
    assert_eq!(
        found("gold.level == 'rde' and level in ['green', 'yelow']"),
        [
            none("rde", "gold.level", "did you mean `red`?"),
            none("yelow", "level", "did you mean `yellow`?"),
        ]
    );
    let all = "they are `green`, `yellow`, `red`";
    for wrong in [
        "level != 'somewhere else'",
        "'somewhere else' == context.level",
    ] {
        let of = if wrong.contains("context") {
            "context.level"
        } else {
            "level"
        };
        assert_eq!(found(wrong), [none("somewhere else", of, all)]);
    }
    let [(place, message, help)] = &found("level == 'immediate'")[..] else {
        panic!("one mistake");
    };
    assert_eq!(place, "'immediate'");
    assert!(
        message.ends_with("values are compared after aliases"),
        "{message}"
    );
    assert_eq!(help.as_deref(), Some("write `red`"));
}

#[test]
fn help_is_given_where_it_helps() {
    let error = mistake("abs(speed)", "abs(contxt.speed)");
    assert_eq!(error.help.as_deref(), Some("did you mean `context`?"));
    let help = |pattern: &str| {
        let of_text = "critical_if = \"note matches '{}'\"".replace("{}", pattern);
        let source = BASE
            .replacen(
                "[[field]]",
                "[[field]]\nname = \"note\"\nkind = \"text\"\n[[field]]",
                1,
            )
            .replace("critical_above = 80", &of_text);
        let found = mistakes(&source);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].help.clone()
    };
    assert_eq!(help("(a"), None);
    assert!(help("(?=a)").is_some_and(|help| help.contains("linear time")));
}
