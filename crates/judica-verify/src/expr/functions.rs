//! The functions of the language.
//!
//! Whatever the platform could round differently comes from `libm`. What IEEE
//! rounds exactly (roots, remainders, rounding to integers) is the same
//! everywhere and comes from the standard library.

use std::f64::consts::PI;

use super::code::Op;
use super::lex::REMAINDER;

/// A function by its name.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// How it is called, for the reader of an error.
    pub(super) usage: &'static str,
    pub(super) body: Body,
}

/// How a function is evaluated, by the number of its arguments.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body {
    /// One argument, with an instruction of its own.
    Inline(Op),
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
    TwoOrThree(fn(f64, f64) -> f64, fn(f64, f64, f64) -> f64),
    /// Two arguments that are dates.
    Dates(fn(f64, f64) -> f64),
    /// Two arguments or more, taken together from left to right.
    Fold(fn(f64, f64) -> f64),
    /// Nothing, of any arguments.
    Any,
}

const fn function(name: &'static str, usage: &'static str, body: Body) -> Function {
    Function { name, usage, body }
}

/// All functions, by name.
pub(super) static FUNCTIONS: [Function; 22] = [
    function("abs", "abs(x)", Body::Inline(Op::Abs)),
    function("acos", "acos(x)", Body::One(libm::acos)),
    function("arc", "arc(degrees_a, degrees_b)", Body::Two(arc)),
    function("asin", "asin(x)", Body::One(libm::asin)),
    function("atan2", "atan2(y, x)", Body::Two(libm::atan2)),
    function("ceil", "ceil(x)", Body::One(f64::ceil)),
    function("clamp", "clamp(x, low, high)", Body::Three(clamp)),
    function("cos", "cos(radians)", Body::One(libm::cos)),
    function(
        "days_between",
        "days_between(earlier, later)",
        Body::Dates(days_between),
    ),
    function("degrees", "degrees(radians)", Body::One(degrees)),
    function("exp", "exp(x)", Body::One(libm::exp)),
    function("floor", "floor(x)", Body::One(f64::floor)),
    function(
        "hypot",
        "hypot(x, y) or hypot(x, y, z)",
        Body::TwoOrThree(hypot, hypot3),
    ),
    function("ln", "ln(x)", Body::One(libm::log)),
    function("max", "max(a, b, …)", Body::Fold(max)),
    function("min", "min(a, b, …)", Body::Fold(min)),
    function("radians", "radians(degrees)", Body::One(radians)),
    function("round", "round(x)", Body::One(f64::round)),
    function("sign", "sign(x)", Body::One(sign)),
    function("sin", "sin(radians)", Body::One(libm::sin)),
    function("sqrt", "sqrt(x)", Body::Inline(Op::Sqrt)),
    function("tan", "tan(radians)", Body::One(libm::tan)),
];

/// Stands for a function that does not exist, so that its arguments are read all the same:
/// any number of them.
pub(super) static UNKNOWN: Function = function("this function", "", Body::Any);

/// What to write for names that other languages know.
const ELSEWHERE: [(&str, &str); 32] = [
    ("log10", "write `ln(x) / ln(10)`"),
    ("log2", "write `ln(x) / ln(2)`"),
    ("log1p", "write `ln(1 + x)`"),
    (
        "log",
        "write `ln(x)` for the natural logarithm, `ln(x) / ln(10)` for the decimal one",
    ),
    ("lg", "write `ln(x) / ln(10)`"),
    ("expm1", "write `exp(x) - 1`"),
    ("pow", "write `x ^ y`"),
    ("power", "write `x ^ y`"),
    ("square", "write `x ^ 2`"),
    ("cbrt", "write `sign(x) * abs(x) ^ (1 / 3)`"),
    ("mod", REMAINDER),
    ("fmod", REMAINDER),
    ("rem", REMAINDER),
    ("remainder", REMAINDER),
    ("div", "write `floor(a / b)`"),
    ("int", TRUNCATED),
    ("trunc", TRUNCATED),
    ("atan", "write `atan2(x, 1)`"),
    ("arctan", "write `atan2(x, 1)`"),
    ("arctan2", "write `atan2(y, x)`"),
    ("arcsin", "write `asin(x)`"),
    ("arccos", "write `acos(x)`"),
    ("sinh", "write `(exp(x) - exp(-x)) / 2`"),
    ("cosh", "write `(exp(x) + exp(-x)) / 2`"),
    ("tanh", "write `1 - 2 / (exp(2 * x) + 1)`"),
    ("mean", MEAN),
    ("avg", MEAN),
    ("isnan", MISSING),
    ("is_nan", MISSING),
    (
        "true",
        "write the condition itself: `a > b`, not `a > b == true`",
    ),
    ("false", "write `not …` for the opposite of a condition"),
    ("xor", "write `a and not b or b and not a`"),
];
const TRUNCATED: &str = "write `if x < 0 then ceil(x) else floor(x)`";
const MEAN: &str = "write `(a + b) / 2`";
const MISSING: &str = "a rule runs only where every field it reads is a number; a result that is none fails as a warning";

/// What to write for a name that other languages know, in letters of any case.
pub(super) fn elsewhere(name: &str) -> Option<&'static str> {
    let found = ELSEWHERE
        .iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known));
    found.map(|(_, advice)| *advice)
}

/// The function of this name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Body {
    /// How many arguments it takes, in words, unless `count` is right.
    pub(super) fn wrong_count(self, count: usize) -> Option<&'static str> {
        let (right, words) = match self {
            Body::Inline(_) | Body::One(_) => (count == 1, "1 argument"),
            Body::Two(_) | Body::Dates(_) => (count == 2, "2 arguments"),
            Body::Three(_) => (count == 3, "3 arguments"),
            Body::TwoOrThree(..) => (count == 2 || count == 3, "2 or 3 arguments"),
            Body::Fold(_) => (count >= 2, "2 or more arguments"),
            Body::Any => (true, ""),
        };
        (!right).then_some(words)
    }
}

/// Days from one moment to a later one; fewer than none where it is earlier.
fn days_between(earlier: f64, later: f64) -> f64 {
    (later - earlier) / 86_400.0
}

/// Power. The square is the product, which is rounded once; `libm::pow` may be
/// off in the last place, and is slower.
pub(super) fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 2.0 {
        base * base
    } else {
        libm::pow(base, exponent)
    }
}

/// Shortest way around the circle between two directions in degrees.
pub(super) fn arc(a: f64, b: f64) -> f64 {
    judica_stats::angle::shortest_arc(a, b).unwrap_or(f64::NAN)
}

/// The smaller one; NaN if either is, and `-0` before `0`. The standard
/// library's `min` drops NaN, which would hide a missing value.
pub(super) fn min(a: f64, b: f64) -> f64 {
    // Equal or missing values are rare: the branch is foreseeable, and what is
    // left is a single instruction that does not branch on the data.
    if a == b || a.is_nan() {
        return if a.is_sign_positive() && a == b { b } else { a };
    }
    if a < b { a } else { b }
}

/// The larger one; NaN if either is, and `0` before `-0`.
pub(super) fn max(a: f64, b: f64) -> f64 {
    -min(-a, -b)
}

/// `x` brought to at least `low`, then to at most `high`.
pub(super) fn clamp(x: f64, low: f64, high: f64) -> f64 {
    min(max(x, low), high)
}

/// -1, 0 or 1.
pub(super) fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        // Zero keeps its sign and NaN stays NaN.
        x
    }
}

fn degrees(radians: f64) -> f64 {
    radians * (180.0 / PI)
}

fn radians(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

/// Euclidean length; IEEE would give infinity for an infinite and a NaN leg,
/// but here a missing value makes the result missing.
fn hypot(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else {
        libm::hypot(x, y)
    }
}

fn hypot3(x: f64, y: f64, z: f64) -> f64 {
    hypot(hypot(x, y), z)
}
