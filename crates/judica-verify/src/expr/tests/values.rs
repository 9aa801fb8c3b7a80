//! What expressions evaluate to.

use super::super::Kind;
use super::parse_as;

const NAMES: [&str; 6] = ["a", "b", "c", "x", "nan", "inf"];
const SLOTS: [f64; 6] = [3.0, 4.0, -2.5, 0.1, f64::NAN, f64::INFINITY];

fn number(source: &str) -> f64 {
    match parse_as(source, &NAMES, Kind::Number) {
        Ok(expr) => expr.eval_number(&SLOTS),
        Err(error) => panic!("{source}: {error:?}"),
    }
}

fn condition(source: &str) -> bool {
    match parse_as(source, &NAMES, Kind::Boolean) {
        Ok(expr) => expr.eval_bool(&SLOTS),
        Err(error) => panic!("{source}: {error:?}"),
    }
}

fn check(table: &[(&str, f64)]) {
    for &(source, expected) in table {
        let value = number(source);
        let same = value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan();
        assert!(same, "{source} is {value:?}, not {expected:?}");
    }
}

#[test]
fn literals() {
    check(&[
        ("1", 1.0),
        ("007", 7.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
        ("2e+2", 200.0),
        ("1e-400", 0.0),
        ("pi", std::f64::consts::PI),
        ("\t a\n", 3.0),
    ]);
}

#[test]
fn precedence_and_grouping() {
    check(&[
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("10 - (4 - 3)", 9.0),
        ("24 / 4 / 2", 3.0),
        ("24 / (4 / 2)", 12.0),
        ("2 * 3 / 4 * 5", 7.5),
        ("2 ^ 3 ^ 2", 512.0),
        ("(2 ^ 3) ^ 2", 64.0),
        ("-2 ^ 2", -4.0),
        ("(-2) ^ 2", 4.0),
        ("2 ^ -1", 0.5),
        ("2 ^ -1 ^ 2", 0.5),
        ("-a * b", -12.0),
        ("a * -b", -12.0),
        ("a - -b", 7.0),
        ("--a", 3.0),
        ("-0", -0.0),
        ("2 * a ^ 2", 18.0),
        ("1+2-3*4/5", 1.0 + 2.0 - 3.0 * 4.0 / 5.0),
        ("a - b * (c - a * (b - 2))", 3.0 - 4.0 * (-2.5 - 3.0 * 2.0)),
        ("(a + b) * (a - b) / (c * c)", -7.0 / 6.25),
    ]);
}

#[test]
fn arithmetic_is_done_as_written() {
    check(&[
        ("x + 0.2 + 0.3", (0.1 + 0.2) + 0.3),
        ("x + (0.2 + 0.3)", 0.1 + (0.2 + 0.3)),
        ("x * 3 / 3", 0.1 * 3.0 / 3.0),
        ("1e308 * 10 / 10", f64::INFINITY),
        ("a * x + b", 3.0_f64 * 0.1 + 4.0),
        ("0 / 0", f64::NAN),
        ("1 / -0", f64::NEG_INFINITY),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("abs(c)", 2.5),
        ("min(a, b)", 3.0),
        ("min(a, b, c, x)", -2.5),
        ("max(a, b, c)", 4.0),
        ("max(abs(a - b), abs(c))", 2.5),
        ("min(0, -0)", -0.0),
        ("min(-0, 0)", -0.0),
        ("max(-0, 0)", 0.0),
        ("max(0, -0)", 0.0),
        ("min(inf, -inf)", f64::NEG_INFINITY),
        ("sqrt(16)", 4.0),
        ("sqrt(-1)", f64::NAN),
        ("hypot(a, b)", 5.0),
        ("hypot(1, 2, 2)", 3.0),
        ("atan2(1, 1)", libm::atan2(1.0, 1.0)),
        ("atan2(b, c)", libm::atan2(4.0, -2.5)),
        ("sin(x)", libm::sin(0.1)),
        ("cos(x)", libm::cos(0.1)),
        ("tan(x)", libm::tan(0.1)),
        ("asin(x)", libm::asin(0.1)),
        ("acos(x)", libm::acos(0.1)),
        ("exp(1)", libm::exp(1.0)),
        ("ln(a)", libm::log(3.0)),
        ("ln(0)", f64::NEG_INFINITY),
        ("a ^ x", libm::pow(3.0, 0.1)),
        ("degrees(pi)", 180.0),
        ("radians(180)", std::f64::consts::PI),
        ("floor(c)", -3.0),
        ("ceil(c)", -2.0),
        ("round(c)", -3.0),
        ("round(2.4)", 2.0),
        ("sign(c)", -1.0),
        ("sign(a)", 1.0),
        ("sign(0)", 0.0),
        ("clamp(5, 0, 3)", 3.0),
        ("clamp(c, 0, 3)", 0.0),
        ("clamp(x, 0, 3)", 0.1),
        ("clamp(1, 3, 0)", 0.0),
    ]);
}

#[test]
fn arcs_are_the_short_way_around() {
    check(&[
        ("arc(350, 10)", 20.0),
        ("arc(10, 350)", 20.0),
        ("arc(0, 180)", 180.0),
        ("arc(0, 181)", 179.0),
        ("arc(-170, 170)", 20.0),
        ("arc(725, 0)", 5.0),
        ("arc(360, 0)", 0.0),
        ("arc(nan, 0)", f64::NAN),
        ("arc(inf, 0)", f64::NAN),
    ]);
}

#[test]
fn missing_values_stay_missing() {
    for source in [
        "nan + 1",
        "-nan",
        "nan ^ 2",
        "abs(nan)",
        "min(nan, 1)",
        "min(1, nan)",
        "max(nan, 1)",
        "max(1, nan)",
        "clamp(nan, 0, 1)",
        "clamp(1, nan, 2)",
        "clamp(1, 0, nan)",
        "sign(nan)",
        "hypot(nan, inf)",
        "hypot(inf, 1, nan)",
        "atan2(nan, 1)",
        "round(nan)",
    ] {
        assert!(number(source).is_nan(), "{source}");
    }
}

#[test]
fn conditions() {
    for (source, expected) in [
        ("a < b", true),
        ("b < a", false),
        ("a <= 3", true),
        ("a > 3", false),
        ("a >= 3", true),
        ("a == 3", true),
        ("a != 3", false),
        ("0 == -0", true),
        ("a + 1 == b", true),
        ("a + b < a * b", true),
        ("a + b > a * b", false),
        ("a * 2 <= b + b", true),
        ("a * 2 >= b + b", false),
        ("a * 2 == b + 2", true),
        ("a * 2 != b + 2", false),
        ("a < b and b < a", false),
        ("a < b and c < 0", true),
        ("a > b or c < 0", true),
        ("a > b or c > 0", false),
        ("a < b && c < 0 || a > b", true),
        // `and` binds tighter than `or`, `not` tighter than both.
        ("a < b or a < b and a > b", true),
        ("(a < b or a < b) and a > b", false),
        ("a > b and a < b or a < b", true),
        ("not a > b and a > b", false),
        ("not (a > b and a > b)", true),
        ("not a > b", true),
        ("!(a > b)", true),
        ("! a > b", true),
        ("not not a > b", false),
        ("abs(c) > 60 or abs(a) > 2", true),
        ("if a < b then c > 0 else c < 0", false),
        ("(if a > b then c > 0 else c < 0) and a == 3", true),
        // Missing values compare false, except by `!=`.
        ("nan < 1", false),
        ("nan <= 1", false),
        ("nan > 1", false),
        ("nan >= 1", false),
        ("nan == nan", false),
        ("nan != nan", true),
        ("not (nan >= 1)", true),
        ("1 < nan", false),
        ("a * 1 < nan * 1", false),
    ] {
        assert_eq!(condition(source), expected, "{source}");
    }
}

#[test]
fn choices() {
    check(&[
        ("if a < b then 1 else 2", 1.0),
        ("if a > b then 1 else 2", 2.0),
        ("if a > b then 1 else 2 + 3", 5.0),
        ("(if a > b then 1 else 2) + 3", 5.0),
        ("10 - (if a > b then a * b else a + b * 2) * 2", -12.0),
        ("10 * if a < b then 1 else 2", 10.0),
        ("if a > b then 1 else if a == 3 then 2 else 3", 2.0),
        ("if a > b then 1 else if a == 4 then 2 else 3", 3.0),
        ("if a < b then if c > 0 then 1 else 2 else 3", 2.0),
        ("if a > b or c > 0 then 1 else 2", 2.0),
        ("abs(if a < b then c else a)", 2.5),
        ("-(if a < b then c else a)", 2.5),
        ("max(1, if a < b then 7 else 8, 2)", 7.0),
        ("(if a < b then 2 else 3) - 1", 1.0),
        (
            "clamp(if a < b then 9 else 0, if a < b then 1 else 2, 5)",
            5.0,
        ),
        ("2 ^ if a < b then 3 else 1", 8.0),
    ]);
}

#[test]
fn long_chains_are_not_deep() {
    let sum = vec!["a"; 5000].join(" + ");
    assert_eq!(number(&sum), 15000.0);
    let any = vec!["a > b"; 5000].join(" or ");
    assert!(!condition(&any));
    let most = format!("max({})", vec!["a"; 5000].join(", "));
    assert_eq!(number(&most), 3.0);
    let chain = format!("{} 7", "if a > b then 1 else ".repeat(5000));
    assert_eq!(number(&chain), 7.0);
}

#[test]
fn deep_right_sides_use_the_large_stack() {
    // Every level holds one number back, more than the small stack has.
    let depth = 60;
    let source = format!("{}a{}", "a - (".repeat(depth), ")".repeat(depth));
    assert_eq!(number(&source), 3.0);
    let source = format!("{}a{}", "a - (".repeat(9), ")".repeat(9));
    assert_eq!(number(&source), 0.0);
}
