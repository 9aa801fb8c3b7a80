//! Intervals: all values that an operation can give for all values of its operands.
//!
//! What is claimed is about the doubles that evaluation computes, not about real numbers. The
//! four operations, roots and roundings of IEEE are monotone as they are rounded, so that their
//! values at the ends bound all between. What comes from `libm` may be off in the last place
//! and is widened by far more than that.

use std::f64::consts::{FRAC_PI_2, PI};

use super::functions::power as pow;

/// How far results of `libm` are widened, relative to themselves.
const SLACK: f64 = 1e-12;

/// The numbers from `low` to `high`, both included and possibly infinite; none if `low` is
/// above `high`. With `nan`, a missing value besides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// No number is lower.
    pub low: f64,
    /// No number is higher.
    pub high: f64,
    /// Whether the value may be missing.
    pub nan: bool,
}

impl Interval {
    /// Any double at all.
    pub(super) const ANY: Interval = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
    };
    /// Nothing but a missing value.
    const MISSING: Interval = Interval {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        nan: true,
    };

    /// The numbers between two, or none if one of them is missing.
    pub fn between(low: f64, high: f64) -> Interval {
        if low.is_nan() || high.is_nan() {
            return Interval::MISSING;
        }
        Interval {
            low,
            high,
            nan: false,
        }
    }

    /// One number.
    pub fn point(value: f64) -> Interval {
        Interval::between(value, value)
    }

    /// Whether it holds no number.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Whether it may be infinite.
    pub fn is_unbounded(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }

    /// The least interval around both.
    #[must_use]
    pub fn or(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
        }
    }

    fn holds(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    fn maybe_nan(self, nan: bool) -> Interval {
        Interval {
            nan: self.nan || nan,
            ..self
        }
    }

    /// Around all of these numbers, or anything if one is missing.
    fn around(ends: &[f64]) -> Interval {
        if ends.iter().any(|end| end.is_nan()) {
            return Interval::ANY;
        }
        let points = ends.iter().map(|end| Interval::point(*end));
        points.reduce(Interval::or).unwrap_or(Interval::ANY)
    }

    /// Wider by what `libm` may be off.
    fn wider(self) -> Interval {
        let by = |end: f64| {
            if end.is_finite() {
                end.abs() * SLACK + f64::MIN_POSITIVE
            } else {
                0.0
            }
        };
        Interval {
            low: self.low - by(self.low),
            high: self.high + by(self.high),
            ..self
        }
    }

    fn within(self, low: f64, high: f64) -> Interval {
        Interval {
            low: self.low.max(low),
            high: self.high.min(high),
            ..self
        }
    }

    fn monotone(self, function: impl Fn(f64) -> f64) -> Interval {
        Interval::around(&[function(self.low), function(self.high)])
    }

    fn abs(self) -> Interval {
        let (low, high) = (self.low.abs(), self.high.abs());
        let least = if self.holds(0.0) { 0.0 } else { low.min(high) };
        Interval::between(least, low.max(high))
    }
}

/// What a function or operator, by its name, gives for these arguments.
pub(super) fn call(name: &str, arguments: &[Interval]) -> Interval {
    let missing = arguments.iter().any(|argument| argument.nan);
    let empty = arguments.iter().any(|argument| argument.is_empty());
    let result = match (name, arguments) {
        _ if empty => Interval::MISSING,
        ("+", [a, b]) => add(*a, *b),
        ("-", [a, b]) => add(*a, Interval::between(-b.high, -b.low)),
        ("*", [a, b]) => times(*a, *b),
        ("/", [a, b]) => over(*a, *b),
        ("^", [a, b]) => power(*a, *b),
        ("abs", [x]) => x.abs(),
        ("arc", [a, b]) => {
            Interval::between(0.0, 180.0).maybe_nan(a.is_unbounded() || b.is_unbounded())
        }
        ("asin", [x]) => of_sine(*x, libm::asin),
        ("acos", [x]) => of_sine(*x, libm::acos),
        ("atan2", [_, x]) => {
            let half = if x.low > 0.0 { FRAC_PI_2 } else { PI };
            Interval::between(-half, half).wider()
        }
        ("ceil", [x]) => x.monotone(f64::ceil),
        ("floor", [x]) => x.monotone(f64::floor),
        ("round", [x]) => x.monotone(f64::round),
        ("sign", [x]) => x.monotone(super::functions::sign),
        ("clamp", [x, low, high]) => least(greatest(*x, *low), *high),
        ("max", [a, b]) => greatest(*a, *b),
        ("min", [a, b]) => least(*a, *b),
        ("degrees", [x]) => times(*x, Interval::point(180.0 / PI)),
        ("radians", [x]) => times(*x, Interval::point(PI / 180.0)),
        ("exp", [x]) => x.monotone(libm::exp).wider().within(0.0, f64::INFINITY),
        ("hypot", [x, y]) => hypot(*x, *y),
        ("hypot", [x, y, z]) => hypot(hypot(*x, *y), *z),
        ("ln", [x]) => from_zero(*x, libm::log).wider(),
        ("sqrt", [x]) => from_zero(*x, f64::sqrt),
        ("sin", [x]) => wave(*x, libm::sin, FRAC_PI_2),
        ("cos", [x]) => wave(*x, libm::cos, 0.0),
        ("tan", [x]) => tangent(*x),
        _ => Interval::ANY,
    };
    // `x ^ 0` and `1 ^ x` are 1 even of a missing value.
    let result = if name == "^" && missing {
        result.or(Interval::point(1.0))
    } else {
        result
    };
    result.maybe_nan(missing)
}

fn add(a: Interval, b: Interval) -> Interval {
    let opposite = a.high == f64::INFINITY && b.low == f64::NEG_INFINITY
        || a.low == f64::NEG_INFINITY && b.high == f64::INFINITY;
    Interval::around(&[a.low + b.low, a.high + b.high]).maybe_nan(opposite)
}

fn corners(a: Interval, b: Interval, operation: fn(f64, f64) -> f64) -> Interval {
    let ends = [
        (a.low, b.low),
        (a.low, b.high),
        (a.high, b.low),
        (a.high, b.high),
    ];
    Interval::around(&ends.map(|(a, b)| operation(a, b)))
}

fn times(a: Interval, b: Interval) -> Interval {
    let nan = a.holds(0.0) && b.is_unbounded() || b.holds(0.0) && a.is_unbounded();
    corners(a, b, |a, b| a * b).maybe_nan(nan)
}

fn over(a: Interval, b: Interval) -> Interval {
    let both = a.is_unbounded() && b.is_unbounded();
    if b.holds(0.0) {
        let all = Interval::between(f64::NEG_INFINITY, f64::INFINITY);
        return all.maybe_nan(both || a.holds(0.0));
    }
    corners(a, b, |a, b| a / b).maybe_nan(both)
}

fn power(base: Interval, exponent: Interval) -> Interval {
    let fixed = (exponent.low == exponent.high).then_some(exponent.low);
    match fixed {
        Some(2.0) => base.abs().monotone(|x| x * x),
        _ if base.low > 0.0 => corners(base, exponent, pow).wider(),
        Some(n) if n.fract() == 0.0 && (n >= 0.0 || !base.holds(0.0)) => {
            let zero = base.holds(0.0).then(|| pow(0.0, n));
            let ends = base.monotone(|x| pow(x, n));
            zero.map_or(ends, |zero| ends.or(Interval::point(zero)))
                .wider()
        }
        Some(n) if n > 0.0 && base.low >= 0.0 => base.monotone(|x| pow(x, n)).wider(),
        _ => Interval::ANY,
    }
}

fn least(a: Interval, b: Interval) -> Interval {
    Interval::between(a.low.min(b.low), a.high.min(b.high))
}

fn greatest(a: Interval, b: Interval) -> Interval {
    Interval::between(a.low.max(b.low), a.high.max(b.high))
}

fn hypot(x: Interval, y: Interval) -> Interval {
    let (x, y) = (x.abs(), y.abs());
    let ends = Interval::around(&[libm::hypot(x.low, y.low), libm::hypot(x.high, y.high)]);
    ends.wider().within(0.0, f64::INFINITY)
}

/// A function that rises from zero on, and is undefined below.
fn from_zero(x: Interval, function: fn(f64) -> f64) -> Interval {
    if x.high < 0.0 {
        return Interval::MISSING;
    }
    let defined = x.within(0.0, f64::INFINITY);
    defined.monotone(function).maybe_nan(x.low < 0.0)
}

/// A function of a sine or cosine: undefined beyond 1.
fn of_sine(x: Interval, function: fn(f64) -> f64) -> Interval {
    let defined = x.within(-1.0, 1.0);
    if defined.is_empty() {
        return Interval::MISSING;
    }
    let outside = x.low < -1.0 || x.high > 1.0;
    defined.monotone(function).wider().maybe_nan(outside)
}

/// Whether a multiple of `period` after `first` lies in the interval, or nearly so.
fn reaches(x: Interval, first: f64, period: f64) -> bool {
    let near = 1e-9;
    let next = first + ((x.low - near - first) / period).ceil() * period;
    next <= x.high + near
}

/// Beyond this, or over more than a turn, a wave is taken to be anywhere.
fn anywhere(x: Interval) -> bool {
    x.low < -1e4 || x.high > 1e4
}

/// A sine, whose crest lies at `crest`.
fn wave(x: Interval, function: fn(f64) -> f64, crest: f64) -> Interval {
    if anywhere(x) {
        return Interval::between(-1.0, 1.0).maybe_nan(x.is_unbounded());
    }
    let mut ends = x.monotone(function).wider();
    if reaches(x, crest, 2.0 * PI) {
        ends.high = 1.0;
    }
    if reaches(x, crest + PI, 2.0 * PI) {
        ends.low = -1.0;
    }
    ends.within(-1.0, 1.0)
}

fn tangent(x: Interval) -> Interval {
    if anywhere(x) || reaches(x, FRAC_PI_2, PI) {
        return Interval::between(f64::NEG_INFINITY, f64::INFINITY).maybe_nan(x.is_unbounded());
    }
    x.monotone(libm::tan).wider()
}
