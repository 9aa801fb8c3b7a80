//! Scores of rules: what a value is worth, instead of pass or fail alone.

use judica_model::evidence::Severity;

use super::rule::Rule;

/// What an atom of a rule with levels is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grade {
    /// From 0 to 1.
    pub score: f64,
    /// How much it weighs, passed or not.
    pub severity: Severity,
    /// Whether nobody named that severity, so that it changes with the score.
    pub by_score: bool,
    /// Which of the rules that adjust it did, a bit for each.
    pub adjusted: u32,
}

impl Grade {
    /// What could not be computed is no pass, and no proof of danger either.
    const UNDEFINED: Grade = Grade::new(0.0, Severity::Warning);

    /// A score of this severity.
    pub const fn new(score: f64, severity: Severity) -> Self {
        Grade {
            score,
            severity,
            by_score: false,
            adjusted: 0,
        }
    }

    /// A score of the severity that follows from it.
    pub fn of_score(score: f64) -> Self {
        let mut grade = Grade {
            by_score: true,
            ..Grade::new(score, Severity::Info)
        };
        grade.set_score(score);
        grade
    }

    /// Another score, and the severity that follows from it where none is named.
    pub fn set_score(&mut self, score: f64) {
        self.score = score;
        if self.by_score {
            self.severity = match self.passed() {
                true => Severity::Info,
                false => Severity::Warning,
            };
        }
    }

    /// Only a full score passes.
    #[inline]
    pub fn passed(&self) -> bool {
        self.score == 1.0
    }

    /// The code of its outcome in columns: that of a passed atom is the same for all.
    #[inline]
    pub fn code(&self) -> u8 {
        match self.passed() {
            true => 0,
            false => self.severity as u8,
        }
    }
}

/// A score for values up to a bound.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    /// The bound.
    pub bound: f64,
    /// Whether it belongs to the level.
    pub upto: bool,
    /// What values within are worth.
    pub grade: Grade,
}

impl Level {
    /// Whether a value belongs to it.
    #[inline]
    fn takes(&self, value: f64) -> bool {
        value < self.bound || self.upto && value == self.bound
    }

    /// The key that sets its bound.
    pub fn key(&self) -> &'static str {
        if self.upto { "upto" } else { "below" }
    }
}

/// The levels of a rule, and what counts beyond them.
#[derive(Debug, Clone)]
pub struct Levels {
    /// Their bounds rise.
    pub levels: Vec<Level>,
    /// Beyond the last one.
    pub otherwise: Grade,
}

impl Levels {
    /// What a value is worth, and the bound that kept it from more: NaN for none.
    pub fn at(&self, value: f64) -> (Grade, f64) {
        if value.is_nan() {
            return (Grade::UNDEFINED, f64::NAN);
        }
        let mut crossed = f64::NAN;
        for level in &self.levels {
            if level.takes(value) {
                return (level.grade, crossed);
            }
            crossed = level.bound;
        }
        (self.otherwise, crossed)
    }

    /// Everything that a value can be worth, before it is adjusted.
    pub fn grades(&self) -> impl Iterator<Item = Grade> {
        let levels = self.levels.iter().map(|level| level.grade);
        levels.chain([self.otherwise])
    }
}

/// How a rule changes the score of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// By so much, down to 0.
    Subtract(f64),
    /// To no more than that.
    Cap(f64),
}

/// A rule that changes the score of another where its `when` holds.
#[derive(Debug, Clone)]
pub struct Adjusting {
    /// The rule. It leaves no atom.
    pub rule: Rule,
    /// What it does.
    pub change: Change,
}

impl Adjusting {
    /// Changes a score.
    pub fn adjust(&self, score: f64) -> f64 {
        match self.change {
            Change::Subtract(by) => (score - by).max(0.0),
            Change::Cap(most) => score.min(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_level_whose_bound_holds_counts() {
        let level = |bound, upto, score| Level {
            bound,
            upto,
            grade: Grade::new(score, Severity::Info),
        };
        let levels = Levels {
            levels: vec![level(300.0, true, 1.0), level(500.0, false, 0.75)],
            otherwise: Grade::new(0.0, Severity::Critical),
        };
        for (value, score, crossed) in [
            (f64::NEG_INFINITY, 1.0, None),
            (300.0, 1.0, None),
            (300.0_f64.next_up(), 0.75, Some(300.0)),
            (500.0_f64.next_down(), 0.75, Some(300.0)),
            (500.0, 0.0, Some(500.0)),
            (f64::INFINITY, 0.0, Some(500.0)),
            (f64::NAN, 0.0, None),
        ] {
            let (grade, limit) = levels.at(value);
            assert_eq!(grade.score, score, "{value}");
            assert_eq!((!limit.is_nan()).then_some(limit), crossed, "{value}");
        }
        assert_eq!(levels.at(f64::NAN).0.severity, Severity::Warning);
    }
}
