//! Rules, compiled: an observed value, the thresholds it is held against, and the
//! fields it reads.

use judica_model::evidence::Severity;

use super::file::{Each, Shape};
use super::levels::{Adjusting, Grade, Levels};
use super::template::Template;
use crate::expr::{Expr, Flags, LANES, Lanes, Slots};

/// A threshold, compiled.
#[derive(Debug, Clone)]
pub enum Bound {
    /// The same for every record.
    Constant(f64),
    /// Computed from the record's own values.
    Computed(Expr),
}

impl Bound {
    /// The threshold for these values.
    #[inline]
    pub fn at(&self, slots: Slots) -> f64 {
        match self {
            Bound::Constant(value) => *value,
            Bound::Computed(expr) => expr.eval_number(slots),
        }
    }

    /// The same for several records; `None` where they are better looked at one by one.
    fn of_lanes(&self, slots: &[Lanes]) -> Option<Lanes> {
        match self {
            Bound::Constant(value) => Some([*value; LANES]),
            Bound::Computed(expr) => expr.eval_numbers(slots),
        }
    }
}

/// Names a per-field rule may read, in slot order.
pub const FIELD_RULE_NAMES: [&str; 4] = ["max_change", "jump", "lo", "hi"];

/// A compiled rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its family, as a position in the protocol's families.
    pub family: usize,
    /// Its own name.
    pub id: String,
    /// `<family>.<rule>`.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// Why it matters.
    pub why: String,
    /// A worked example.
    pub example: String,
    /// Once per step or once per field.
    pub each: Each,
    /// Shapes of tasks it runs for; empty means all.
    pub shapes: Vec<Shape>,
    /// Runs only where this holds.
    pub when: Option<Expr>,
    /// The observed value.
    pub value: Option<Expr>,
    /// Its unit.
    pub unit: String,
    /// Fails above.
    pub above: Limits,
    /// Fails below.
    pub below: Limits,
    /// From where to where a value crosses neither, of limits that no record changes.
    pub crosses_none: Option<[f64; 2]>,
    /// Fails as a warning where this holds.
    pub warning_if: Option<Expr>,
    /// Fails as critical where this holds.
    pub critical_if: Option<Expr>,
    /// Scores by value, in place of all of these.
    pub levels: Option<Levels>,
    /// Rules that change its score, in the order of the file.
    pub adjusted_by: Vec<Adjusting>,
    /// The message.
    pub message: Template,
    /// Fields it reads, whosever value of them, sorted (empty for per-field rules).
    pub reads: Vec<usize>,
    /// Whether it reads more than numbers of the step at hand. Then what it says is told when
    /// it fails, since nobody can tell it later.
    pub beyond: bool,
    /// The slots of such a rule, and of one with levels or that adjusts those, sorted.
    pub slots: Vec<usize>,
    /// Those of them that it can do without, sorted.
    pub dispensable: Vec<usize>,
}

/// A warning and a critical threshold on one side.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Beyond it: warning.
    pub warning: Option<Bound>,
    /// Beyond it: critical. Where a rule gives none, `warning × critical_factor`.
    pub critical: Option<Bound>,
    /// The factor used where no critical threshold is given.
    pub factor: Option<f64>,
}

impl Limits {
    /// Both thresholds for these values; `sign` is 1 for limits above, -1 below.
    #[inline]
    pub fn at(&self, slots: Slots, sign: f64) -> (Option<f64>, Option<f64>) {
        let at = |bound: &Option<Bound>| bound.as_ref().map(|bound| bound.at(slots));
        let warning = at(&self.warning);
        (warning, self.critical(at(&self.critical), warning, sign))
    }

    /// The critical threshold, by the one that is given, if one is.
    #[inline]
    fn critical(&self, given: Option<f64>, warning: Option<f64>, sign: f64) -> Option<f64> {
        match (given, self.factor, warning) {
            (Some(given), _, _) => Some(given),
            (None, Some(factor), Some(warning)) if warning * sign >= 0.0 => Some(warning * factor),
            // "1.5 times" a limit on the other side of zero would be a milder one; go
            // the same distance in the graver direction instead.
            (None, Some(factor), Some(warning)) => {
                Some(warning + sign * warning.abs() * (factor - 1.0))
            }
            _ => None,
        }
    }

    /// Takes the mark from records whose value crosses a threshold, or cannot be held against
    /// it; `None` as [`Bound::of_lanes`].
    fn mark_crossed(
        &self,
        observed: &Lanes,
        slots: &[Lanes],
        sign: f64,
        passed: &mut Flags,
    ) -> Option<()> {
        let at = |bound: &Option<Bound>| match bound {
            Some(bound) => bound.of_lanes(slots).map(Some),
            None => Some(None),
        };
        let (warning, given) = (at(&self.warning)?, at(&self.critical)?);
        for (lane, passed) in passed.iter_mut().enumerate() {
            let of_lane = |limits: &Option<Lanes>| limits.as_ref().map(|limits| limits[lane]);
            let warning = of_lane(&warning);
            let critical = self.critical(of_lane(&given), warning, sign);
            let within = |limit: f64| observed[lane] * sign <= limit * sign;
            *passed &= u64::from(warning.is_none_or(within) & critical.is_none_or(within));
        }
        Some(())
    }

    /// True when neither threshold depends on the record.
    pub fn is_constant(&self) -> bool {
        [&self.warning, &self.critical]
            .into_iter()
            .flatten()
            .all(|bound| matches!(bound, Bound::Constant(_)))
    }
}

/// From where to where a value crosses no limit, if that is the same for every record.
pub(super) fn crosses_none(above: &Limits, below: &Limits) -> Option<[f64; 2]> {
    if !(above.is_constant() && below.is_constant()) {
        return None;
    }
    let nothing = || Slots::from(&[]);
    let (warning_above, critical_above) = above.at(nothing(), 1.0);
    let (warning_below, critical_below) = below.at(nothing(), -1.0);
    let lowest = [warning_above, critical_above].into_iter().flatten();
    let highest = [warning_below, critical_below].into_iter().flatten();
    if lowest.clone().chain(highest.clone()).any(f64::is_nan) {
        return None;
    }
    Some([
        highest.fold(f64::NEG_INFINITY, f64::max),
        lowest.fold(f64::INFINITY, f64::min),
    ])
}

/// What a rule says of one set of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// Info when it passed.
    pub severity: Severity,
    /// The observed value, NaN when the rule has none.
    pub observed: f64,
    /// The threshold that was crossed, NaN when none was.
    pub limit: f64,
}

/// What a rule says of several records.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Where its `when` holds.
    pub runs: Flags,
    /// Where nothing of it fails. Elsewhere something may.
    pub passed: Flags,
    /// The observed values, NaN when the rule has none.
    pub observed: Lanes,
}

impl Rule {
    /// Whether the rule runs for tasks of this shape.
    pub fn runs_for(&self, shape: Shape) -> bool {
        self.shapes.is_empty() || self.shapes.contains(&shape)
    }

    /// Every expression of the rule.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let bounds = [
            &self.above.warning,
            &self.above.critical,
            &self.below.warning,
            &self.below.critical,
        ];
        let computed = bounds
            .into_iter()
            .flatten()
            .filter_map(|bound| match bound {
                Bound::Computed(expr) => Some(expr),
                Bound::Constant(_) => None,
            });
        let plain = [&self.when, &self.value, &self.warning_if, &self.critical_if]
            .into_iter()
            .flatten();
        plain.chain(computed)
    }

    /// What these values are worth, of a rule with levels: the value, the bound that kept it
    /// from more. `None` where its `when` does not hold, and of a rule without.
    pub fn grade<'s>(&self, slots: impl Into<Slots<'s>>) -> Option<(Grade, f64, f64)> {
        let slots = slots.into();
        let (levels, value) = (self.levels.as_ref()?, self.value.as_ref()?);
        if let Some(when) = &self.when
            && !when.eval_bool(slots)
        {
            return None;
        }
        let observed = value.eval_number(slots);
        let (grade, limit) = levels.at(observed);
        Some((grade, observed, limit))
    }

    /// Whether an atom of it can fail without being a warning.
    pub fn fails_as_info(&self) -> bool {
        let adjusted = !self.adjusted_by.is_empty();
        let info = |grade: Grade| {
            grade.severity == Severity::Info && !grade.by_score && (adjusted || !grade.passed())
        };
        let levels = self.levels.as_ref();
        levels.is_some_and(|levels| levels.grades().any(info))
    }

    /// Evaluates the rule; `None` where its `when` does not hold.
    #[inline]
    pub fn check<'s>(&self, slots: impl Into<Slots<'s>>) -> Option<Finding> {
        let slots = slots.into();
        if let Some(when) = &self.when
            && !when.eval_bool(slots)
        {
            return None;
        }
        let passed = |observed| Finding {
            severity: Severity::Info,
            observed,
            limit: f64::NAN,
        };
        let mut finding = match &self.value {
            None => passed(f64::NAN),
            Some(value) => {
                let observed = value.eval_number(slots);
                self.against_limits(observed, slots)
                    .unwrap_or(passed(observed))
            }
        };
        let holds = |condition: &Option<Expr>| match condition {
            Some(condition) => condition.holds(slots),
            None => Some(false),
        };
        if finding.severity < Severity::Critical {
            let critical = holds(&self.critical_if);
            let raised = match critical {
                Some(true) => Some(Severity::Critical),
                _ if finding.severity == Severity::Warning => None,
                // Here, too, what cannot be computed is no pass.
                None => Some(Severity::Warning),
                Some(false) if holds(&self.warning_if) != Some(false) => Some(Severity::Warning),
                Some(false) => None,
            };
            if let Some(severity) = raised {
                finding = Finding {
                    severity,
                    limit: f64::NAN,
                    ..finding
                };
            }
        }
        Some(finding)
    }

    /// Evaluates a rule without levels for several records that have numbers alone; `None` where
    /// they are better looked at one by one.
    pub fn look(&self, slots: &[Lanes]) -> Option<Seen> {
        let holds = |condition: &Option<Expr>, otherwise: u64| match condition {
            Some(condition) => condition.hold(slots),
            None => Some([otherwise; LANES]),
        };
        let mut seen = Seen {
            runs: holds(&self.when, 1)?,
            passed: [1; LANES],
            observed: [f64::NAN; LANES],
        };
        if let Some(value) = &self.value {
            let observed = value.eval_numbers(slots)?;
            seen.observed = observed;
            match self.crosses_none {
                Some([from, to]) => {
                    for (passed, observed) in seen.passed.iter_mut().zip(observed) {
                        *passed = u64::from(from <= observed) & u64::from(observed <= to);
                    }
                }
                None => {
                    for (passed, observed) in seen.passed.iter_mut().zip(observed) {
                        *passed = u64::from(!observed.is_nan());
                    }
                    self.above
                        .mark_crossed(&observed, slots, 1.0, &mut seen.passed)?;
                    self.below
                        .mark_crossed(&observed, slots, -1.0, &mut seen.passed)?;
                }
            }
        }
        for condition in [&self.critical_if, &self.warning_if] {
            let fails = holds(condition, 0)?;
            for (passed, fails) in seen.passed.iter_mut().zip(fails) {
                *passed &= 1 - fails;
            }
        }
        Some(seen)
    }

    fn against_limits(&self, observed: f64, slots: Slots) -> Option<Finding> {
        // Nearly always no limit is crossed.
        if let Some([from, to]) = self.crosses_none
            && (from..=to).contains(&observed)
        {
            return None;
        }
        let (warning_above, critical_above) = self.above.at(slots, 1.0);
        let (warning_below, critical_below) = self.below.at(slots, -1.0);
        let crossed = |severity, limit: Option<f64>| {
            Some(Finding {
                severity,
                observed,
                limit: limit.unwrap_or(f64::NAN),
            })
        };
        let limits = [warning_above, critical_above, warning_below, critical_below];
        if observed.is_nan() || limits.into_iter().flatten().any(f64::is_nan) {
            // What cannot be computed is not a pass; it is not proof of danger either.
            crossed(Severity::Warning, None)
        } else if critical_above.is_some_and(|limit| observed > limit) {
            crossed(Severity::Critical, critical_above)
        } else if critical_below.is_some_and(|limit| observed < limit) {
            crossed(Severity::Critical, critical_below)
        } else if warning_above.is_some_and(|limit| observed > limit) {
            crossed(Severity::Warning, warning_above)
        } else if warning_below.is_some_and(|limit| observed < limit) {
            crossed(Severity::Warning, warning_below)
        } else {
            None
        }
    }
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
