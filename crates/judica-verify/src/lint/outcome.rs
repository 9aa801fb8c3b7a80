//! What a rule can say of values in these intervals.

use super::shown;
use crate::expr::{Expr, Interval, Truth};
use crate::protocol::Rule;
use crate::protocol::levels::Levels;
use crate::protocol::rule::{Bound, Limits};
use crate::render::plain_number;

/// Whether a rule can apply and fail, with the intervals behind it.
pub(super) struct Outcome {
    /// Whether `when` can hold.
    pub(super) applies: Truth,
    /// Why it cannot.
    pub(super) when: String,
    /// Whether it can fail, where it applies.
    pub(super) fails: Truth,
    /// The value and what it is held against.
    pub(super) reason: String,
    /// Why thresholds are in the wrong order, if they are.
    pub(super) order: Option<String>,
}

/// The values of a threshold.
pub(super) fn range(bound: &Bound, slots: &[Interval]) -> Interval {
    match bound {
        Bound::Constant(value) => Interval::point(*value),
        Bound::Computed(expr) => expr.range(slots),
    }
}

/// One side of the thresholds: their names, their ranges.
struct Side {
    word: &'static str,
    above: bool,
    warning: Option<Interval>,
    critical: Option<Interval>,
}

impl Side {
    fn of(limits: &Limits, above: bool, slots: &[Interval]) -> Side {
        let ranged = |bound: &Option<Bound>| {
            let mut range = range(bound.as_ref()?, slots);
            // A multiple of what is infinite may be undefined, which fails too.
            range.nan |= limits.factor.is_some() && range.is_unbounded();
            Some(range)
        };
        Side {
            word: if above { "above" } else { "below" },
            above,
            warning: ranged(&limits.warning),
            critical: ranged(&limits.critical),
        }
    }

    fn bounds(&self) -> impl Iterator<Item = Interval> {
        self.warning.into_iter().chain(self.critical)
    }

    /// Whether a value can be, and whether it can fail to be, beyond a threshold.
    fn crossed(&self, value: Interval) -> Truth {
        let mut crossed = Truth {
            yes: false,
            no: true,
        };
        for bound in self.bounds() {
            let (yes, certain) = if self.above {
                (value.high > bound.low, value.low > bound.high)
            } else {
                (value.low < bound.high, value.high < bound.low)
            };
            // What cannot be computed fails.
            crossed.yes |= yes || bound.nan;
            crossed.no &= !certain;
        }
        crossed
    }

    /// A critical threshold that is always crossed before the warning one.
    fn order(&self) -> Option<String> {
        let (warning, critical) = (self.warning?, self.critical?);
        let inverted = if self.above {
            critical.high < warning.low
        } else {
            critical.low > warning.high
        };
        let word = self.word;
        let both = !warning.is_empty() && !critical.is_empty();
        (inverted && both).then(|| {
            let (warning, critical) = (shown(warning), shown(critical));
            format!("critical_{word} is {critical}, but warning_{word} {warning}: no warning shows")
        })
    }
}

impl Outcome {
    pub(super) fn of(rule: &Rule, slots: &[Interval]) -> Outcome {
        let above = Side::of(&rule.above, true, slots);
        let below = Side::of(&rule.below, false, slots);
        let value = rule.value.as_ref().map(|value| value.range(slots));
        let mut fails = Truth {
            yes: false,
            no: true,
        };
        let mut said = Vec::new();
        if let Some(value) = value {
            said.push(format!("the value is {}", shown(value)));
            fails.yes |= value.nan;
            fails.no &= !value.is_empty();
            for side in [&above, &below] {
                let crossed = side.crossed(value);
                fails.yes |= crossed.yes;
                fails.no &= crossed.no;
                let bounds: Vec<String> = side.bounds().map(shown).collect();
                if !bounds.is_empty() {
                    said.push(format!("it fails {} {}", side.word, bounds.join(" and ")));
                }
            }
        }
        if let (Some(levels), Some(value)) = (&rule.levels, value) {
            let scores = scores_within(levels, value);
            let shown: Vec<String> = scores.iter().map(|score| plain_number(*score)).collect();
            said.push(format!("its scores are {}", shown.join(", ")));
            fails.yes |= scores.iter().any(|score| *score < 1.0) || !rule.adjusted_by.is_empty();
            fails.no &= scores.contains(&1.0);
        }
        let conditions = [
            ("warning_if", &rule.warning_if),
            ("critical_if", &rule.critical_if),
        ];
        for (key, condition) in conditions {
            if let Some(condition) = condition {
                let truth = condition.truth(slots);
                fails.yes |= truth.yes;
                fails.no &= truth.no;
                let word = match truth {
                    Truth { yes: false, .. } => "never",
                    Truth { no: false, .. } => "always",
                    _ => "may",
                };
                said.push(format!("`{key}` {word} holds"));
            }
        }
        let certain = |expr: &Option<Expr>| match expr {
            Some(expr) => expr.truth(slots),
            None => Truth {
                yes: true,
                no: false,
            },
        };
        let order = above.order().or_else(|| below.order());
        Outcome {
            applies: certain(&rule.when),
            when: match &rule.when {
                Some(when) => format!("`when` never holds: {}", when.source()),
                None => String::new(),
            },
            fails,
            reason: said.join("; "),
            order: order.or_else(|| no_room(&above, &below)),
        }
    }
}

/// The scores that values of an interval can have, before they are adjusted.
fn scores_within(levels: &Levels, value: Interval) -> Vec<f64> {
    let mut scores = Vec::new();
    let mut from = f64::NEG_INFINITY;
    for level in &levels.levels {
        if value.low <= level.bound && value.high >= from {
            scores.push(level.grade.score);
        }
        from = level.bound;
    }
    if value.high >= from {
        scores.push(levels.otherwise.score);
    }
    scores
}

/// Thresholds between which no value lies.
fn no_room(above: &Side, below: &Side) -> Option<String> {
    let mut pairs = above
        .bounds()
        .flat_map(|a| below.bounds().map(move |b| (a, b)));
    let (a, b) = pairs.find(|(a, b)| !a.is_empty() && !b.is_empty() && a.high < b.low)?;
    Some(format!(
        "it fails above {} and below {}: every value does one or the other",
        shown(a),
        shown(b)
    ))
}
