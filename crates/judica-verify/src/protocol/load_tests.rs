//! Everything that can be wrong with a protocol file, with its place and its remedy.

use super::*;
use crate::protocol::ProtocolError;

/// A protocol with room for mistakes. Lines are counted in the comments.
pub const BASE: &str = r#"[protocol]
name = "tiny"
version = "1"
[[field]]
name = "Speed"
alias = "speed"
limit = [0, 100]
jump = 10
[[field]]
name = "Height"
alias = "height"
[[task]]
name = "one"
shape = "scalar"
[[task]]
name = "three"
shape = "array"
horizon = 3
[[family]]
name = "physics"
depends_on = ["range_sanity"]
[[rule]]
family = "physics"
id = "fast"
value = "abs(speed)"
warning_above = 50
critical_above = 80
message = "{speed} is {value} fast"
[scores]
weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
mae_weight = 0.6
rmse_weight = 0.4
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#;

pub fn mistake(from: &str, to: &str) -> ProtocolError {
    assert_eq!(BASE.matches(from).count(), 1, "{from} is not said once");
    match &mistakes(&BASE.replace(from, to))[..] {
        [error] => error.clone(),
        errors => panic!("{to}: {errors:#?}"),
    }
}

/// All mistakes of a file.
pub fn mistakes(source: &str) -> Vec<ProtocolError> {
    parse(source, "tiny.toml").map_or_else(|errors| errors.0, |_| Vec::new())
}

/// The mistake `to` instead of `from` is told like this, at this line and column.
#[track_caller]
pub fn told(from: &str, to: &str, place: (usize, usize), message: &str, help: Option<&str>) {
    let error = mistake(from, to);
    assert_eq!(error.message, message);
    assert_eq!(error.line_column(), place, "{error}");
    assert_eq!(error.help.as_deref(), help);
    let shown = format!("tiny.toml:{}:{}: {message}", place.0, place.1);
    assert!(error.to_string().starts_with(&shown), "{error}");
}

/// Like [`told`], where the words are the TOML reader's own.
#[track_caller]
fn told_roughly(from: &str, to: &str, place: (usize, usize), part: &str, help: Option<&str>) {
    let error = mistake(from, to);
    assert!(error.message.contains(part), "{}", error.message);
    assert_eq!(
        (error.line_column(), error.help.as_deref()),
        (place, help),
        "{error}"
    );
}

#[test]
fn the_base_itself_is_right() {
    let protocol = parse(BASE, "tiny.toml").expect("no mistake");
    assert_eq!(
        (
            protocol.fields.len(),
            protocol.tasks.len(),
            protocol.rules.len()
        ),
        (2, 2, 1)
    );
    assert_eq!(
        (protocol.tasks[0].horizon, protocol.tasks[1].horizon),
        (1, 3)
    );
    assert_eq!(protocol.rules[0].name, "physics.fast");
    assert_eq!(protocol.rules[0].reads, [0]);
    assert_eq!(protocol.task_index("three"), Some(1));
    // Defaults of everything that was left out.
    assert_eq!(
        (
            protocol.critical_factor,
            protocol.critical_deviation,
            protocol.cap,
            protocol.top_k
        ),
        (1.5, 0.5, 0.0, 5)
    );
}

#[test]
fn unknown_keys() {
    told_roughly(
        "jump = 10",
        "jmup = 10",
        (8, 1),
        "unknown field `jmup`",
        Some("did you mean `jump`?"),
    );
    told_roughly(
        "shape = \"array\"",
        "shpe = \"array\"",
        (17, 1),
        "unknown field `shpe`",
        Some("did you mean `shape`?"),
    );
    told_roughly(
        "warning_above",
        "warning_abov",
        (26, 1),
        "`warning_abov`",
        Some("did you mean `warning_above`?"),
    );
    told_roughly(
        "[[family]]",
        "[[familly]]",
        (19, 3),
        "`familly`",
        Some("did you mean `family`?"),
    );
    told_roughly(
        "shape = \"array\"",
        "shape = \"aray\"",
        (17, 9),
        "unknown variant `aray`",
        Some("did you mean `array`?"),
    );
    // Nothing near: no guess.
    told_roughly(
        "jump = 10",
        "zzzzzz = 10",
        (8, 1),
        "unknown field `zzzzzz`",
        None,
    );
}

#[test]
fn broken_toml_and_wrong_types() {
    told_roughly("jump = 10", "jump = ", (8, 8), "", None);
    told_roughly("jump = 10", "jump = \"ten\"", (8, 8), "invalid type", None);
    told_roughly("limit = [0, 100]", "limit = [0]", (7, 9), "", None);
    told_roughly(
        "warning_above = 50",
        "warning_above = true",
        (26, 17),
        "a number or an expression in quotes",
        None,
    );
}

#[test]
fn ranges_and_jumps() {
    let inverted = |lo, hi| {
        format!("inverted range [{lo}, {hi}]: the lower limit must be below the upper one")
    };
    told(
        "limit = [0, 100]",
        "limit = [100, 0]",
        (7, 9),
        &inverted(100, 0),
        Some("did you mean [0, 100]?"),
    );
    told(
        "limit = [0, 100]",
        "limit = [5, 5]",
        (7, 9),
        &inverted(5, 5),
        None,
    );
    for (limit, shown) in [("[0, inf]", "[0, inf]"), ("[nan, 1]", "[NaN, 1]")] {
        told(
            "limit = [0, 100]",
            &format!("limit = {limit}"),
            (7, 9),
            &format!("both limits of {shown} must be finite numbers"),
            None,
        );
    }
    for jump in ["0", "-1", "nan", "inf"] {
        told(
            "jump = 10",
            &format!("jump = {jump}"),
            (8, 8),
            "a jump threshold must be a positive number",
            None,
        );
    }
}

#[test]
fn names_given_twice() {
    told(
        "\"Height\"",
        "\"Speed\"",
        (10, 8),
        "duplicate field name `Speed`",
        None,
    );
    told(
        "\"height\"",
        "\"speed\"",
        (11, 9),
        "duplicate alias `speed`",
        None,
    );
    told(
        "\"three\"",
        "\"one\"",
        (16, 8),
        "duplicate task `one`",
        None,
    );
    let again = "[[family]]\nname = \"physics\"\n[[rule]]";
    told(
        "[[rule]]",
        again,
        (23, 8),
        "duplicate family `physics`",
        None,
    );
    let rule = "[[rule]]\nfamily = \"physics\"\nid = \"fast\"\nvalue = \"speed\"\nwarning_above = 1\nmessage = \"\"\n[scores]";
    told(
        "[scores]",
        rule,
        (31, 6),
        "duplicate rule id `physics.fast`",
        None,
    );
}

#[test]
fn aliases_that_expressions_cannot_name() {
    for alias in [
        "and",
        "or",
        "not",
        "if",
        "then",
        "else",
        "pi",
        "two words",
        "1st",
        "a-b",
        "",
        "value",
        "unit",
    ] {
        told(
            "\"height\"",
            &format!("\"{alias}\""),
            (11, 9),
            &format!("alias `{alias}` cannot be used as a name in expressions and messages"),
            Some("use letters, digits and underscores, not a word of the language"),
        );
    }
}

#[test]
fn families() {
    told(
        "\"range_sanity\"",
        "\"range_santy\"",
        (21, 15),
        "unknown family `range_santy`",
        Some("did you mean `range_sanity`?"),
    );
    told(
        "family = \"physics\"",
        "family = \"phisics\"",
        (23, 10),
        "unknown family `phisics`",
        Some("did you mean `physics`?"),
    );
    told(
        "family = \"physics\"",
        "family = \"protocol\"",
        (23, 10),
        "family `protocol` is built in and takes no rules",
        None,
    );
    // Its rules have lost their family then.
    let found = mistakes(&BASE.replace("name = \"physics\"", "name = \"protocol\""));
    let words: Vec<_> = found.iter().map(|error| error.message.as_str()).collect();
    let lost = "unknown family `physics`";
    assert_eq!(words, ["family `protocol` is built in", lost]);
    assert_eq!(found[0].line_column(), (20, 8));
    told(
        "\"range_sanity\"",
        "\"physics\"",
        (20, 8),
        "families depend on each other in a circle: physics",
        None,
    );
}

#[test]
fn a_circle_names_its_members() {
    let circle = "\"safety\"]\n[[family]]\nname = \"safety\"\ndepends_on = [\"physics\"";
    told(
        "\"range_sanity\"",
        circle,
        (20, 8),
        "families depend on each other in a circle: physics, safety",
        None,
    );
}

#[test]
fn horizons() {
    told(
        "horizon = 3\n",
        "",
        (16, 8),
        "an array task needs a horizon",
        None,
    );
    told(
        "horizon = 3",
        "horizon = 0",
        (18, 11),
        "a horizon lies between 1 and 255",
        None,
    );
    told(
        "horizon = 3",
        "horizon = 256",
        (18, 11),
        "a horizon lies between 1 and 255",
        None,
    );
    told(
        "shape = \"array\"",
        "shape = \"scalar\"",
        (18, 11),
        "a scalar task has horizon 1",
        Some("shape = \"array\"?"),
    );
    assert!(parse(&BASE.replace("horizon = 3", "horizon = 255"), "tiny").is_ok());
}

#[test]
fn curves_and_empty_lists() {
    told_roughly(
        "mae_curve = [[0, 100], [1, 0]]\nr",
        "mae_curve = [[1, 100], [1, 0]]\nr",
        (33, 13),
        "x of point 1",
        None,
    );
    told_roughly(
        "mae_curve = [[0, 100], [1, 0]]\nr",
        "mae_curve = []\nr",
        (33, 13),
        "at least one point",
        None,
    );
}

#[test]
fn unknown_protocols_and_files() {
    let Err(LoadError::Unknown { hint, .. }) = load("fligth") else {
        panic!("taken")
    };
    assert_eq!(hint, "; did you mean `flight`?");
    let Err(error) = load("no/such/file.toml") else {
        panic!("taken")
    };
    assert_eq!(
        error.to_string(),
        "protocol `no/such/file.toml`: no built-in protocol and no file of that name"
    );
    assert!(matches!(load("/"), Err(LoadError::Unreadable { .. })));
}

#[test]
fn a_byte_order_mark_and_crlf_are_harmless() {
    let windows = format!("\u{feff}{}", BASE.replace('\n', "\r\n"));
    let protocol = parse(&windows, "tiny").expect("the same protocol");
    assert_eq!(
        protocol.hashes,
        parse(BASE, "tiny").expect("the base").hashes
    );
}

#[test]
fn a_name_in_a_string_of_several_lines_is_told_where_it_stands() {
    let value = "value = \"abs(speed)\"";
    for (begin, place) in [
        ("'''", (26, 4)),
        ("'''\n", (27, 4)),
        ("'''\r\n", (27, 4)),
        ("\"\"\"\n", (27, 4)),
    ] {
        let end = &begin[..3];
        let long = format!("value = {begin}speed +\n   sped{end}");
        let help = Some("did you mean `speed`?");
        told(value, &long, place, "unknown name `sped`", help);
    }
}

#[test]
fn two_columns_of_one_name() {
    let family = |name: &str| format!("[[family]]\nname = \"{name}\"\n[scores]");
    let text = BASE
        .replace("name = \"Height\"", "name = \"Height\"\nkind = \"text\"")
        .replace("alias = \"height\"", "alias = \"height_reasons\"");
    let dimension = "[[dimension]]\nname = \"atoms\"\nkind = \"fields\"\n[scores]";
    let dimension = BASE.replace("[scores]", dimension);
    for (source, name, column) in [
        (&text, "recall_height", "recall_height_reasons"),
        (&dimension, "dimension", "dimension_atoms"),
    ] {
        let source = source.replace("[scores]", &family(name));
        let found = mistakes(&source);
        let message = format!("records would have two columns called `{column}`");
        assert_eq!((found.len(), &found[0].message), (1, &message));
        assert_eq!(source[found[0].span.clone()], format!("\"{name}\""));
    }
    assert!(mistakes(&text.replace("[scores]", &family("recall"))).is_empty());
}
