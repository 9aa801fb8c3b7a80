//! What is refused, where, and with which advice.

use super::super::{Expr, ExprError, Kind};
use super::parse_as;

const NAMES: [&str; 5] = ["gps_alt", "baro_alt", "a", "b", "c"];

/// Expects an error over the text between the two `~` in `marked`, the source.
fn refused(marked: &str, message: &str, help: Option<&str>) {
    let parts: Vec<&str> = marked.split('~').collect();
    let [before, inside, after] = parts[..] else {
        panic!("{marked} does not mark one place");
    };
    let source = [before, inside, after].concat();
    let error = Expr::parse(&source, &NAMES).expect_err(&source);
    let expected = ExprError {
        span: before.len()..before.len() + inside.len(),
        message: message.to_owned(),
        help: help.map(str::to_owned),
    };
    assert_eq!(error, expected, "{source}");
}

#[test]
fn characters() {
    refused("a ~@~ b", "unexpected character `@`", None);
    refused("a + ~é~", "unexpected character `é`", None);
    refused("~.~", "expected a value, found `.`", None);
    refused("a ~=~ b", "`=` is not an operator", Some("write `==`"));
    refused("a ~<>~ b", "`<>` is not an operator", Some("write `!=`"));
    refused("a ~=>~ b", "`=>` is not an operator", Some("write `>=`"));
    refused("a ~**~ b", "`**` is not an operator", Some("write `^`"));
    refused(
        "a < b ~&~ a < c",
        "`&` is not an operator",
        Some("write `and`"),
    );
    refused(
        "a < b ~|~ a < c",
        "`|` is not an operator",
        Some("write `or`"),
    );
    refused("a ~≤~ b", "`≤` is not an operator", Some("write `<=`"));
}

#[test]
fn what_other_languages_write() {
    let remainder = Some(
        "write `a - b * floor(a / b)` for the remainder; `arc(a, b)` for the angle between directions",
    );
    refused("a ~%~ b", "`%` is not an operator", remainder);
    refused("~mod~(a, b)", "unknown function `mod`", remainder);
    refused("a ~mod~ b", "expected an operator before `mod`", remainder);
    refused(
        "a ~//~ b",
        "`//` is not an operator",
        Some("write `floor(a / b)`"),
    );
    refused(
        "~log10~(a)",
        "unknown function `log10`",
        Some("write `ln(x) / ln(10)`"),
    );
    refused(
        "~POW~(a, b)",
        "unknown function `POW`",
        Some("write `x ^ y`"),
    );
    refused(
        "a > b ~?~ a : b",
        "unexpected character `?`",
        Some("a choice is written `if … then … else …`"),
    );
}

#[test]
fn all_mistakes_that_leave_the_rest_readable() {
    let source = "ab(1.2.3, a ** nope) + sin() ≤ log10(gps_atl) and (a";
    let errors = parse_as(source, &NAMES, Kind::Boolean).expect_err("many");
    let found: Vec<&str> = errors
        .iter()
        .map(|error| &source[error.span.clone()])
        .collect();
    let wrong = [
        "ab", "1.2.3", "**", "nope", "sin()", "≤", "log10", "gps_atl", "(",
    ];
    assert_eq!(found, wrong, "{errors:#?}");
}

#[test]
fn numbers() {
    let help = Some("write it like `10`, `0.5` or `1e-3`");
    refused("a + ~1.2.3~", "`1.2.3` is not a number", help);
    refused("~10km~ + a", "`10km` is not a number", help);
    refused("~1_000~", "`1_000` is not a number", help);
    refused("~1e~ - 3", "`1e` is not a number", help);
    refused("~1e999~", "`1e999` is too large for a number", None);
}

#[test]
fn names() {
    refused(
        "abs(~gps_atl~ - a)",
        "unknown name `gps_atl`",
        Some("did you mean `gps_alt`?"),
    );
    refused("2 * ~Pi~", "unknown name `Pi`", Some("did you mean `pi`?"));
    refused(
        "a + ~temperature~",
        "unknown name `temperature`",
        Some("the names here are `gps_alt`, `baro_alt`, `a`, `b`, `c`"),
    );
    refused(
        "~ab~(a)",
        "unknown function `ab`",
        Some("did you mean `abs`?"),
    );
    refused("~quaternion~(a)", "unknown function `quaternion`", None);
    refused(
        "~a~(b + c)",
        "`a` is a variable, not a function",
        Some("a product is written with `*`: `a * (…)`"),
    );
    refused(
        "~abs~ + 1",
        "`abs` is a function and needs its arguments",
        Some("write `abs(x)`"),
    );
}

#[test]
fn unknown_name_without_names() {
    let error = Expr::parse("jump", &[]).expect_err("no names");
    assert_eq!((error.span, error.help), (0..4, None));
}

#[test]
fn argument_counts() {
    for (marked, message, help) in [
        ("~abs()~", "`abs` takes 1 argument, not 0", "abs(x)"),
        ("1 + ~abs(a, b)~", "`abs` takes 1 argument, not 2", "abs(x)"),
        (
            "~sin(a, b)~",
            "`sin` takes 1 argument, not 2",
            "sin(radians)",
        ),
        (
            "~atan2(a)~",
            "`atan2` takes 2 arguments, not 1",
            "atan2(y, x)",
        ),
        (
            "~arc(a, b, c)~",
            "`arc` takes 2 arguments, not 3",
            "arc(degrees_a, degrees_b)",
        ),
        (
            "~min(a)~",
            "`min` takes 2 or more arguments, not 1",
            "min(a, b, …)",
        ),
        (
            "~hypot(a)~",
            "`hypot` takes 2 or 3 arguments, not 1",
            "hypot(x, y) or hypot(x, y, z)",
        ),
        (
            "~clamp(a, b)~",
            "`clamp` takes 3 arguments, not 2",
            "clamp(x, low, high)",
        ),
    ] {
        refused(marked, message, Some(&format!("it is called as `{help}`")));
    }
    let many = format!("~sin({})~", vec!["a"; 500].join(", "));
    let help = "it is called as `sin(radians)`";
    refused(&many, "`sin` takes 1 argument, not 500", Some(help));
}

#[test]
fn missing_values() {
    refused("~~", "the expression is empty", None);
    refused("~  ~", "the expression is empty", None);
    refused(
        "a + ~~",
        "expected a value, found the end of the expression",
        None,
    );
    refused("a + ~*~ b", "expected a value, found `*`", None);
    refused("(~)~", "expected a value, found `)`", None);
    refused("abs(a, ~)~", "expected a value, found `)`", None);
    refused("~and~ a > b", "expected a value, found `and`", None);
    refused("a < ~not~ b", "expected a number, found `not`", None);
    let help = Some("a number needs no `+` before it");
    refused("~+~ a", "expected a value, found `+`", help);
}

#[test]
fn what_cannot_follow() {
    let product = Some("a product is written with `*`");
    let choice = Some("a choice is written `if … then … else …`");
    refused("a + b~)~", "this `)` closes nothing", None);
    refused("2 * ~(~a + (b)", "this `(` is never closed", None);
    refused("abs~(~a", "this `(` is never closed", None);
    refused("2 ~a~", "expected an operator before `a`", product);
    refused("a ~2~", "expected an operator before `2`", product);
    refused("(a) ~(~b)", "expected an operator before `(`", product);
    refused("(a ~2~)", "expected an operator before `2`", product);
    refused(
        "a > b ~not~ c > b",
        "expected an operator, found `not`",
        None,
    );
    let help = Some("did you mean `and`?");
    refused(
        "a > b ~AND~ c > b",
        "expected an operator before `AND`",
        help,
    );
    let help = Some("a decimal fraction is written with `.`");
    refused("(1~,~5)", "`,` can only stand between arguments", help);
    refused("a ~else~ b", "`else` without `if`", choice);
    refused("if a > b ~1~ else 2", "expected `then`, found `1`", choice);
    refused(
        "if a > b then 1~~",
        "expected `else`, found the end of the expression",
        choice,
    );
    refused("(if a > b then 1~)~", "expected `else`, found `)`", choice);
}

#[test]
fn chained_comparisons() {
    let message = "comparisons do not chain";
    refused("~a < b < c~", message, Some("write `a < b and b < c`"));
    refused(
        "c > 0 and (~0 <= abs(a) <= 2 * b~)",
        message,
        Some("write `0 <= abs(a) and abs(a) <= 2 * b`"),
    );
    refused(
        "~a == b == c~ or a > b",
        message,
        Some("write `a == b and b == c`"),
    );
}

#[test]
fn kinds() {
    let compare = Some("compare the number with something, for example `… > 0`");
    let choose = Some("a condition becomes a number with `if … then 1 else 0`");
    for (marked, message) in [
        (
            "~a~ and b > c",
            "`and` needs a condition, but `a` is a number",
        ),
        (
            "b > c || ~a + 1~",
            "`||` needs a condition, but `a + 1` is a number",
        ),
        (
            "not ~(a - 1)~",
            "`not` needs a condition, but `(a - 1)` is a number",
        ),
        (
            "!~abs(a)~",
            "`!` needs a condition, but `abs(a)` is a number",
        ),
        (
            "if ~a~ then 1 else 2",
            "`if` needs a condition, but `a` is a number",
        ),
        (
            "if a > b then a > c else ~-1~",
            "this branch, like the first one, needs a condition, but `-1` is a number",
        ),
    ] {
        refused(marked, message, compare);
    }
    for (marked, message) in [
        (
            "~(a > b)~ + 1",
            "`+` needs a number, but `(a > b)` is a condition",
        ),
        (
            "1 * ~(a > b)~",
            "`*` needs a number, but `(a > b)` is a condition",
        ),
        (
            "~(a > b)~ < c",
            "`<` needs a number, but `(a > b)` is a condition",
        ),
        (
            "c != ~(not a > b)~",
            "`!=` needs a number, but `(not a > b)` is a condition",
        ),
        (
            "-~(a > b)~",
            "`-` needs a number, but `(a > b)` is a condition",
        ),
        (
            "~(a > b)~ ^ 2",
            "`^` needs a number, but `(a > b)` is a condition",
        ),
        (
            "2 ^ ~(a > b)~",
            "`^` needs a number, but `(a > b)` is a condition",
        ),
        (
            "max(1, ~a > b~)",
            "`max` needs a number, but `a > b` is a condition",
        ),
        (
            "if a > b then 1 else if a > c then ~b > c~ else 2",
            "this branch, like the first one, needs a number, but `b > c` is a condition",
        ),
    ] {
        refused(marked, message, choose);
    }
}

#[test]
fn kind_of_the_whole() {
    let error = parse_as(" a > b ", &NAMES, Kind::Number).expect_err("a condition");
    let [error] = &error[..] else {
        panic!("{error:?}")
    };
    assert_eq!(error.span, 1..6);
    assert_eq!(
        error.message,
        "this place needs a number, but `a > b` is a condition"
    );
    let error = parse_as("a + b", &NAMES, Kind::Boolean).expect_err("a number");
    let [error] = &error[..] else {
        panic!("{error:?}")
    };
    assert_eq!(error.span, 0..5);
    assert_eq!(
        error.to_string(),
        "this place needs a condition, but `a + b` is a number \
         (compare the number with something, for example `… > 0`)"
    );
}

#[test]
fn depth() {
    let message = "the expression is nested more than 64 levels deep";
    for (open, last, close) in [
        ("(", "a", ")"),
        ("abs(", "a", ")"),
        ("-", "a", ""),
        ("not ", "(a > b)", ""),
        ("2 ^ ", "a", ""),
    ] {
        // The condition's own parentheses are a level too.
        let fits = if last == "a" { 64 } else { 63 };
        let source = |n: usize| format!("{}{last}{}", open.repeat(n), close.repeat(n));
        assert!(Expr::parse(&source(fits), &NAMES).is_ok(), "{open}");
        let error = Expr::parse(&source(100_000), &NAMES).expect_err(open);
        assert_eq!(
            (error.message.as_str(), error.help),
            (message, None),
            "{open}"
        );
        assert!(error.span.start <= open.len() * 65, "{open}");
    }
    // Reported at the first token that is too deep.
    refused(&format!("{}~a~", "(".repeat(65)), message, None);
}

#[test]
fn unfinished_operations() {
    let source = format!("{}a{}", "a + b * (".repeat(40), ")".repeat(40));
    let error = Expr::parse(&source, &NAMES).expect_err("too many");
    assert_eq!(
        error.message,
        "the expression has more than 64 unfinished operations"
    );
}

#[test]
fn long_texts_are_cut_short() {
    let source = format!("{}1 and a > b", "1 + ".repeat(50));
    let error = Expr::parse(&source, &NAMES).expect_err("a number");
    assert_eq!(error.span, 0..201);
    let shown = format!("`{}…`", &source[..40]);
    assert_eq!(
        error.message,
        format!("`and` needs a condition, but {shown} is a number")
    );
}
