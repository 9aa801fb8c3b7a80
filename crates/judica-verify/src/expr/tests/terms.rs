//! Text, dates, lists, and whose value is read.

use super::super::{Expr, Kind, Read, Reads, Scope, Slots, Source, Variable};
use crate::moment;
use crate::value::Value;

const fn of(name: &'static str, kind: Kind, element: Kind) -> Variable<'static> {
    Variable {
        name,
        kind,
        element,
        values: None,
    }
}

const NAMES: [Variable; 9] = [
    of("n", Kind::Number, Kind::Number),
    of("t", Kind::Text, Kind::Text),
    of("b", Kind::Boolean, Kind::Boolean),
    of("d", Kind::Date, Kind::Date),
    of("tags", Kind::List, Kind::Text),
    of("xs", Kind::List, Kind::Number),
    of("c", Kind::Boolean, Kind::Boolean),
    of("ds", Kind::List, Kind::Date),
    of("bs", Kind::List, Kind::Boolean),
];

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn values() -> Vec<Value> {
    let day = moment::iso("2024-02-29").expect("a date");
    vec![
        Value::Number(3.0),
        text("Grüße, Welt"),
        Value::Number(1.0),
        Value::Number(day),
        Value::List(vec![text("a"), text("B"), text("a")]),
        Value::List(vec![Value::Number(1.0), Value::Number(-2.5), Value::Null]),
        Value::Number(0.0),
        Value::List(vec![Value::Number(day)]),
        Value::List(vec![Value::Number(1.0), Value::Number(0.0)]),
    ]
}

fn run(source: &str, kind: Kind, values: &[Value]) -> f64 {
    let reads = Reads::new(NAMES.len());
    let scope = Scope {
        variables: &NAMES,
        reads: Some(&reads),
    };
    let expr = Expr::parse_as(source, scope, kind);
    let expr = expr.unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    let numbers: Vec<f64> = values.iter().map(Value::number).collect();
    let values: Vec<&Value> = values.iter().collect();
    expr.eval_number(Slots {
        numbers: &numbers,
        values: &values,
    })
}

#[test]
fn conditions_over_every_kind() {
    for (source, holds) in [
        ("t == \"Grüße, Welt\"", true),
        ("t != 'x'", true),
        ("lower(t) == \"grüße, welt\"", true),
        ("t contains \"Welt\"", true),
        ("\"Welt\" in t", true),
        ("t matches \"^Gr.*t$\"", true),
        ("t matches 'ü'", true),
        ("not t matches '^ü'", true),
        ("t in [\"x\", \"Grüße, Welt\"]", true),
        ("t in []", false),
        ("b", true),
        ("not c and b", true),
        ("b == true and c == false", true),
        ("b != c", true),
        ("b == c or n > 2", true),
        ("d == \"2024-02-29\"", true),
        ("\"2024-03-01\" > d", true),
        ("d <= '2024-02-28T23:59:59Z'", false),
        ("\"2024-02-29T02:00:00+02:00\" == d", true),
        ("tags contains \"B\"", true),
        ("\"b\" in tags", false),
        ("n in [1, 3, -2.5]", true),
        ("d in ['2024-01-01', '2024-02-29']", true),
        ("d in ['2024-02-29T01:00:00+01:00']", true),
        ("d in ['2024-01-01'] or [] contains d", false),
        ("['2024-02-29'] contains d", true),
        ("ds contains '2024-02-29' and d in ds", true),
        ("'2024-02-28' in ds", false),
        ("any(ds in ['2024-02-29'])", true),
        ("ds == ['2024-02-29']", true),
        ("['2024-02-29'] != ds", false),
        ("bs contains 1 and bs == [1, 0]", true),
        ("-2.5 in xs", true),
        ("xs contains n - 2", true),
        ("any(tags == \"B\")", true),
        ("all(lower(tags) in ['a', 'b'])", true),
        ("all(xs > -3)", false),
        ("any(xs < n - 5)", true),
        ("any(xs < n and tags == 'B')", true),
        ("tags == tags", true),
        ("len(t) == 11 and len(tags) == 3", true),
        ("if b then c else b", false),
        ("is_null(n)", false),
        ("is_null(t) or is_null(tags)", false),
    ] {
        let result = run(source, Kind::Boolean, &values());
        assert_eq!(result == 1.0, holds, "{source}");
    }
}

#[test]
fn numbers_of_every_kind() {
    for (source, number) in [
        ("len(t) + len(tags) * 2", 17.0),
        ("n - (if b then len(t) else 0)", -8.0),
        ("n * (if t contains 'x' then 2 else 5)", 15.0),
        ("days_between(d, \"2024-03-01\")", 1.0),
        ("days_between(\"2024-03-01T12:00:00\", d)", -1.5),
        ("sum(len(tags))", 3.0),
        ("max(len(tags), n)", 3.0),
        ("1 + max(if tags == 'a' then 2 else 7)", 8.0),
    ] {
        assert_eq!(run(source, Kind::Number, &values()), number, "{source}");
    }
    // An element that is null makes the sum unknown.
    assert!(run("sum(xs)", Kind::Number, &values()).is_nan());
    assert!(run("max(xs)", Kind::Number, &values()).is_nan());
}

#[test]
fn nothing_is_equal_to_nothing_and_empty_lists_have_no_largest() {
    let nothing = vec![Value::Null; NAMES.len()];
    for (source, holds) in [
        ("t == t", false),
        ("t != 'x'", true),
        ("t matches ''", false),
        ("'' in t", false),
        ("b", false),
        ("d < '2024-01-01'", false),
        ("any(tags == 'a')", false),
        ("all(tags == 'a')", false),
        ("is_null(t) and is_null(n) and is_null(tags)", true),
    ] {
        let result = run(source, Kind::Boolean, &nothing);
        assert_eq!(result == 1.0, holds, "{source}");
    }
    assert!(run("len(t)", Kind::Number, &nothing).is_nan());
    let mut empty = values();
    empty[4] = Value::List(Vec::new());
    assert_eq!(run("all(tags == 'a')", Kind::Boolean, &empty), 1.0);
    assert_eq!(run("any(tags == 'a')", Kind::Boolean, &empty), 0.0);
    assert_eq!(run("sum(len(tags))", Kind::Number, &empty), 0.0);
    assert!(run("min(len(tags))", Kind::Number, &empty).is_nan());
}

#[test]
fn other_reads_have_slots_behind_the_fields() {
    let reads = Reads::new(NAMES.len());
    let scope = Scope {
        variables: &NAMES,
        reads: Some(&reads),
    };
    let source = "abs(n[1] - 2 * n + n[-1]) + gold.n + n[0] - context.n * previous.n + gold.n[1]";
    let expr = Expr::parse_as(source, scope, Kind::Number).expect("valid");
    assert_eq!(expr.variables(), [0, 9, 10, 11, 12, 13, 14]);
    let again = Expr::parse_as("n[-1] > 0 and is_null(gold.t)", scope, Kind::Boolean);
    let again = again.expect("valid");
    assert_eq!(again.variables(), [10, 15]);
    assert_eq!(again.asked(), [15]);
    let read = |source, field, offset| Read {
        source,
        field,
        offset,
    };
    assert_eq!(
        reads.into_beyond(),
        [
            read(Source::Own, 0, 1),
            read(Source::Own, 0, -1),
            read(Source::Gold, 0, 0),
            read(Source::Context, 0, 0),
            read(Source::Previous, 0, 0),
            read(Source::Gold, 0, 1),
            read(Source::Gold, 1, 0),
        ]
    );
}

#[test]
fn what_is_refused() {
    let reads = Reads::new(NAMES.len());
    let scope = Scope {
        variables: &NAMES,
        reads: Some(&reads),
    };
    for (source, message) in [
        ("t > 'a'", "text has no order"),
        ("t == n", "`==` needs text, but `n` is a number"),
        ("n == t", "`==` needs a number, but `t` is text"),
        ("d > n", "`>` needs a date, but `n` is a number"),
        ("d > 'soon'", "`'soon'` is no date"),
        ("d > '2023-02-29'", "`'2023-02-29'` is no date"),
        ("d in ['2024-01-01', 'soon']", "`'soon'` is no date"),
        ("ds == ['soon']", "`'soon'` is no date"),
        ("'soon' in ds", "`'soon'` is no date"),
        ("n in ds", "`in` needs a number, but `ds` holds a date"),
        ("d in [1]", "`in` needs a date, but `[1]` holds a number"),
        ("n in ['7']", "`in` needs a number, but `['7']` holds text"),
        (
            "[1] contains t",
            "`contains` needs text, but `[1]` holds a number",
        ),
        ("t in xs", "`in` needs text, but `xs` holds a number"),
        ("tags != xs", "`!=` needs text, but `xs` holds a number"),
        ("[1] == tags", "`==` needs text, but `[1]` holds a number"),
        ("d + 1 > 2", "`+` needs a number, but `d` is a date"),
        ("t matches n", "a pattern is written down, in quotes"),
        (
            "t matches '(?=x)'",
            "no pattern: look-around, including look-ahead and look-behind, is not supported",
        ),
        (
            "t matches '(a)\\1'",
            "no pattern: backreferences are not supported",
        ),
        ("tags > 1", "`>` needs a list, but `1` is a number"),
        (
            "n in n",
            "`in` looks into a list or text, and `n` is a number",
        ),
        ("n in t", "`in` needs text, but `n` is a number"),
        (
            "any(n > 1)",
            "`any` goes over the elements of a list, and this reads none",
        ),
        (
            "any(all(xs > 1))",
            "`all` cannot stand within another that goes over lists",
        ),
        ("sum(tags) > 1", "`sum` needs a number, but `tags` is text"),
        ("gold.nope > 1", "unknown name `nope`"),
        ("n[x] > 1", "expected a number of steps, found `x`"),
        ("context.n[1] > 1", "`context.n[1]` has no other steps"),
        (
            "previous.t == 'a'",
            "`previous` knows numbers, dates and booleans only",
        ),
        ("is_null(n + n)", "`is_null` asks of one name"),
        ("is_null(n + 1)", "`is_null` asks of one name"),
        ("is_null(-n)", "`is_null` asks of one name"),
        ("is_null(lower(t))", "`is_null` asks of one name"),
        ("is_null(n[-1] in [1])", "`is_null` asks of one name"),
        ("len(n) > 1", "`len` needs text, but `n` is a number"),
        ("t", "this place needs a condition, but `t` is text"),
        ("t == 'open", "this quote is never closed"),
        (
            "if b then t else t",
            "a branch gives a number or a condition",
        ),
    ] {
        let errors = Expr::parse_as(source, scope, Kind::Boolean).expect_err(source);
        assert_eq!(errors[0].message, message, "{source}");
    }
    let alone = Scope {
        variables: &NAMES,
        reads: None,
    };
    let errors = Expr::parse_as("gold.n > 1", alone, Kind::Boolean).expect_err("no gold");
    assert_eq!(
        errors[0].message,
        "`gold.n` can be read by rules per step only"
    );
}
