//! Any expression means the same as the tree it was printed from, and any text
//! at all is either compiled or refused.

use proptest::prelude::*;

use super::super::{Expr, Interval, Kind};
use super::parse_as;

const NAMES: [&str; 4] = ["a", "b2", "_c", "gps_alt"];

/// A tree, with the values it is to have computed independently.
#[derive(Debug, Clone)]
enum Tree {
    Number(f64),
    Slot(usize),
    /// A prefix operator and its operand.
    Prefix(&'static str, Box<Tree>),
    Infix(Box<Tree>, &'static str, Box<Tree>),
    Call(&'static str, Vec<Tree>),
    If(Box<[Tree; 3]>),
}

/// How tightly the outermost part of a tree binds, as the language defines it.
fn binding(tree: &Tree) -> u8 {
    match tree {
        Tree::If(_) => 0,
        Tree::Prefix("not", _) => 3,
        Tree::Prefix(..) => 7,
        Tree::Infix(_, operator, _) => infix(operator).0,
        Tree::Number(_) | Tree::Slot(_) | Tree::Call(..) => 9,
    }
}

/// Binding of an operator, and the least that its sides may have.
fn infix(operator: &str) -> (u8, u8, u8) {
    match operator {
        "or" => (1, 1, 2),
        "and" => (2, 2, 3),
        "+" | "-" => (5, 5, 6),
        "*" | "/" => (6, 6, 7),
        "^" => (8, 9, 7),
        _ => (4, 5, 5),
    }
}

/// The tree as text, with parentheses only where they are needed.
fn print(tree: &Tree, least: u8) -> String {
    let text = match tree {
        Tree::Number(value) => format!("{value:?}"),
        Tree::Slot(slot) => NAMES[*slot].to_owned(),
        Tree::Prefix(operator, inner) => {
            format!("{operator} {}", print(inner, binding(tree)))
        }
        Tree::Infix(left, operator, right) => {
            let (_, l, r) = infix(operator);
            format!("{} {operator} {}", print(left, l), print(right, r))
        }
        Tree::Call(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|a| print(a, 0)).collect();
            format!("{name}({})", arguments.join(", "))
        }
        Tree::If(parts) => {
            let [condition, yes, no] = &**parts;
            let (condition, yes, no) = (print(condition, 0), print(yes, 0), print(no, 0));
            format!("if {condition} then {yes} else {no}")
        }
    };
    if binding(tree) < least {
        format!("({text})")
    } else {
        text
    }
}

fn evaluate(tree: &Tree, slots: &[f64]) -> f64 {
    let value = |tree: &Tree| evaluate(tree, slots);
    let truth = |condition: bool| if condition { 1.0 } else { 0.0 };
    match tree {
        Tree::Number(number) => *number,
        Tree::Slot(slot) => slots[*slot],
        Tree::Prefix("not", inner) => 1.0 - value(inner),
        Tree::Prefix(_, inner) => -value(inner),
        Tree::Infix(left, operator, right) => {
            let (l, r) = (value(left), value(right));
            match *operator {
                "or" => truth(l + r > 0.0),
                "and" => l * r,
                "<" => truth(l < r),
                "<=" => truth(l <= r),
                ">" => truth(l > r),
                ">=" => truth(l >= r),
                "==" => truth(l == r),
                "!=" => truth(l != r),
                "+" => l + r,
                "-" => l - r,
                "*" => l * r,
                "/" => l / r,
                _ if r == 2.0 => l * l,
                _ => libm::pow(l, r),
            }
        }
        Tree::Call(name, arguments) => {
            let arguments: Vec<f64> = arguments.iter().map(value).collect();
            call(name, &arguments)
        }
        Tree::If(parts) => {
            let [condition, yes, no] = &**parts;
            value(if value(condition) == 1.0 { yes } else { no })
        }
    }
}

fn call(name: &str, arguments: &[f64]) -> f64 {
    let missing = arguments.iter().any(|x| x.is_nan());
    match (name, arguments) {
        (_, _) if missing => f64::NAN,
        ("abs", [x]) => x.abs(),
        ("sqrt", [x]) => x.sqrt(),
        ("floor", [x]) => x.floor(),
        ("sin", [x]) => libm::sin(*x),
        ("cos", [x]) => libm::cos(*x),
        ("tan", [x]) => libm::tan(*x),
        ("asin", [x]) => libm::asin(*x),
        ("acos", [x]) => libm::acos(*x),
        ("exp", [x]) => libm::exp(*x),
        ("ln", [x]) => libm::log(*x),
        ("ceil", [x]) => x.ceil(),
        ("round", [x]) => x.round(),
        ("sign", [x]) => {
            if *x == 0.0 {
                *x
            } else {
                x.signum()
            }
        }
        ("degrees", [x]) => x * (180.0 / std::f64::consts::PI),
        ("radians", [x]) => x * (std::f64::consts::PI / 180.0),
        ("arc", [a, b]) => judica_stats::shortest_arc(*a, *b).unwrap_or(f64::NAN),
        ("hypot", [x, y]) => libm::hypot(*x, *y),
        ("hypot", [x, y, z]) => libm::hypot(libm::hypot(*x, *y), *z),
        ("atan2", [y, x]) => libm::atan2(*y, *x),
        ("clamp", [x, low, high]) => least(greatest(*x, *low), *high),
        ("min", [first, rest @ ..]) => rest.iter().fold(*first, |m, x| least(m, *x)),
        ("max", [first, rest @ ..]) => rest.iter().fold(*first, |m, x| greatest(m, *x)),
        _ => panic!("{name} is not known to the test"),
    }
}

// The total order agrees with the numeric one where NaN is out, and puts -0
// before 0.
fn least(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_le() { a } else { b }
}

fn greatest(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_ge() { a } else { b }
}

fn numbers(depth: u32) -> BoxedStrategy<Tree> {
    let leaf = prop_oneof![
        (0..NAMES.len()).prop_map(Tree::Slot),
        (0_u32..5).prop_map(|n| Tree::Number(f64::from(n))),
        (0.0..1e6).prop_map(Tree::Number),
        any::<f64>()
            .prop_filter("literals are finite", |x| x.is_finite())
            .prop_map(|x| Tree::Number(x.abs())),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || numbers(depth - 1);
    let operator = prop::sample::select(vec!["+", "-", "*", "/", "^"]);
    let one = prop::sample::select(vec![
        "abs", "sqrt", "floor", "sin", "cos", "tan", "asin", "acos", "exp", "ln", "ceil", "round",
        "sign", "degrees", "radians",
    ]);
    let two = prop::sample::select(vec!["hypot", "atan2", "min", "max", "arc"]);
    let three = prop::sample::select(vec!["hypot", "clamp", "min", "max"]);
    prop_oneof![
        1 => leaf,
        1 => inner().prop_map(|tree| Tree::Prefix("-", tree.into())),
        4 => (inner(), operator, inner())
            .prop_map(|(l, operator, r)| Tree::Infix(l.into(), operator, r.into())),
        1 => (one, inner()).prop_map(|(name, x)| Tree::Call(name, vec![x])),
        1 => (two, inner(), inner()).prop_map(|(name, x, y)| Tree::Call(name, vec![x, y])),
        1 => (three, prop::collection::vec(inner(), 3))
            .prop_map(|(name, arguments)| Tree::Call(name, arguments)),
        1 => (conditions(depth - 1), inner(), inner())
            .prop_map(|(condition, yes, no)| Tree::If([condition, yes, no].into())),
    ]
    .boxed()
}

fn conditions(depth: u32) -> BoxedStrategy<Tree> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let sides = depth.saturating_sub(1);
    let leaf = (numbers(sides), operator, numbers(sides))
        .prop_map(|(l, operator, r)| Tree::Infix(l.into(), operator, r.into()));
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || conditions(depth - 1);
    let operator = prop::sample::select(vec!["and", "or"]);
    prop_oneof![
        2 => leaf,
        1 => inner().prop_map(|tree| Tree::Prefix("not", tree.into())),
        2 => (inner(), operator, inner())
            .prop_map(|(l, operator, r)| Tree::Infix(l.into(), operator, r.into())),
        1 => (inner(), inner(), inner())
            .prop_map(|(condition, yes, no)| Tree::If([condition, yes, no].into())),
    ]
    .boxed()
}

/// Values that agree, differ, are missing or are out of the ordinary.
fn slots() -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![
        (-3_i32..3).prop_map(f64::from),
        -1e3..1e3,
        any::<f64>(),
        Just(f64::NAN),
        Just(-0.0),
    ];
    prop::collection::vec(value, NAMES.len())
}

/// Intervals, narrow and wide, and a point in each.
fn spans() -> impl Strategy<Value = Vec<(f64, f64, f64)>> {
    let end = || {
        prop_oneof![
            (-3_i32..4).prop_map(f64::from),
            -10.0..10.0,
            -1e3..1e3,
            any::<f64>().prop_filter("limits are finite", |x| x.is_finite()),
        ]
    };
    let share = prop_oneof![Just(0.0), Just(1.0), 0.0..1.0];
    let span = (end(), end(), share).prop_map(|(a, b, share): (f64, f64, f64)| {
        let (low, high) = (a.min(b), a.max(b));
        (
            low,
            high,
            (low * (1.0 - share) + high * share).clamp(low, high),
        )
    });
    prop::collection::vec(span, NAMES.len())
}

/// Pieces of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b2", "q", "pi", "1", "2.5", "1e", "abs", "min", "hypot", "(", ")", ",", "+", "-",
        "*", "/", "^", "<", "<=", "==", "!=", "!", "not", "and", "or", "if", "then", "else", " ",
        "é", "=",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

fn survives(source: &str) -> Result<(), TestCaseError> {
    match Expr::parse(source, &NAMES) {
        Ok(expr) => {
            let _ = expr.eval_number(&[1.0, 2.0]);
        }
        Err(error) => prop_assert!(source.get(error.span).is_some()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_mean_what_was_printed(tree in numbers(4), slots in slots()) {
        let source = print(&tree, 0);
        let expr = parse_as(&source, &NAMES, Kind::Number).expect(&source);
        let (value, expected) = (expr.eval_number(&slots), evaluate(&tree, &slots));
        // The sign and payload of NaN are the platform's affair.
        let same = value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan();
        prop_assert!(same, "{source} is {value:?}, not {expected:?}");
    }

    #[test]
    fn conditions_mean_what_was_printed(tree in conditions(4), slots in slots()) {
        let source = print(&tree, 0);
        let expr = parse_as(&source, &NAMES, Kind::Boolean).expect(&source);
        prop_assert_eq!(expr.eval_bool(&slots), evaluate(&tree, &slots) == 1.0, "{}", source);
    }

    #[test]
    fn no_number_leaves_its_range(tree in numbers(3), spans in spans()) {
        let source = print(&tree, 0);
        let expr = parse_as(&source, &NAMES, Kind::Number).expect(&source);
        let slots: Vec<Interval> = spans.iter().map(|(a, b, _)| Interval::between(*a, *b)).collect();
        let values: Vec<f64> = spans.iter().map(|(_, _, value)| *value).collect();
        let (range, value) = (expr.range(&slots), expr.eval_number(&values));
        let inside = if value.is_nan() {
            range.nan
        } else {
            range.low <= value && value <= range.high
        };
        prop_assert!(inside, "{source} is {value:?}, not in {range:?}; {spans:?}");
    }

    #[test]
    fn no_condition_does_what_it_never_does(tree in conditions(3), spans in spans()) {
        let source = print(&tree, 0);
        let expr = parse_as(&source, &NAMES, Kind::Boolean).expect(&source);
        let slots: Vec<Interval> = spans.iter().map(|(a, b, _)| Interval::between(*a, *b)).collect();
        let values: Vec<f64> = spans.iter().map(|(_, _, value)| *value).collect();
        let (truth, holds) = (expr.truth(&slots), expr.eval_bool(&values));
        prop_assert!(if holds { truth.yes } else { truth.no }, "{source}: {truth:?}; {spans:?}");
    }

    #[test]
    fn any_text_is_compiled_or_refused(source in any::<String>()) {
        survives(&source)?;
    }

    #[test]
    fn any_order_of_words_is_compiled_or_refused(source in soup()) {
        survives(&source)?;
    }
}
