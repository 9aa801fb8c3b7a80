//! What a gate asks of its metric.

use judica_model::gate::Threshold;
use judica_model::run::Direction;

/// A gate's operator with everything it needs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rule {
    /// `>=`
    AtLeast(f64),
    /// `<=`
    AtMost(f64),
    /// `==`
    Equal { target: f64, tolerance: f64 },
    /// `between`
    Between([f64; 2]),
    /// `max_drop`
    MaxDrop(f64),
    /// `max_rise`
    MaxRise(f64),
    /// `lower_bound_at_least`
    LowerBound(f64),
    /// `upper_bound_at_most`
    UpperBound(f64),
    /// `no_significant_drop`
    NoSignificantDrop(Significance),
    /// `no_worse_than`
    NoWorseThan(f64),
}

/// How a drop is tested.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Significance {
    /// The level of the test.
    pub alpha: f64,
    /// Whether a lower value is the worse one, if the gate says so.
    pub higher_is_better: Option<bool>,
    /// Where the results per item stand.
    pub items: Option<String>,
}

impl Significance {
    /// Which way is better, if the gate says so.
    pub(super) fn better(&self) -> Option<Direction> {
        self.higher_is_better.map(|higher| match higher {
            true => Direction::Higher,
            false => Direction::Lower,
        })
    }
}

/// The operators as a gates file names them.
pub(super) const OPERATORS: [&str; 10] = [
    ">=",
    "<=",
    "==",
    "between",
    "max_drop",
    "max_rise",
    "lower_bound_at_least",
    "upper_bound_at_most",
    NO_SIGNIFICANT_DROP,
    NO_WORSE_THAN,
];

/// Operators under whose own name a threshold may stand: `no_worse_than = 0.02`.
pub(super) const IN_SHORT: [&str; 6] = [
    "between",
    "max_drop",
    "max_rise",
    "lower_bound_at_least",
    "upper_bound_at_most",
    NO_WORSE_THAN,
];

/// The operator that has a level instead of a threshold.
pub(super) const NO_SIGNIFICANT_DROP: &str = "no_significant_drop";

/// The operator over two runs whose threshold is a margin.
pub(super) const NO_WORSE_THAN: &str = "no_worse_than";

impl Rule {
    /// The operator's name.
    pub(super) fn operator(&self) -> &'static str {
        match self {
            Rule::AtLeast(_) => ">=",
            Rule::AtMost(_) => "<=",
            Rule::Equal { .. } => "==",
            Rule::Between(_) => "between",
            Rule::MaxDrop(_) => "max_drop",
            Rule::MaxRise(_) => "max_rise",
            Rule::LowerBound(_) => "lower_bound_at_least",
            Rule::UpperBound(_) => "upper_bound_at_most",
            Rule::NoSignificantDrop(_) => NO_SIGNIFICANT_DROP,
            Rule::NoWorseThan(_) => NO_WORSE_THAN,
        }
    }

    /// What the value is held against.
    pub(super) fn threshold(&self) -> Threshold {
        match self {
            Rule::Between(range) => Threshold::Range(*range),
            Rule::NoSignificantDrop(significance) => significance.alpha.into(),
            Rule::AtLeast(number)
            | Rule::AtMost(number)
            | Rule::Equal { target: number, .. }
            | Rule::MaxDrop(number)
            | Rule::MaxRise(number)
            | Rule::LowerBound(number)
            | Rule::UpperBound(number)
            | Rule::NoWorseThan(number) => (*number).into(),
        }
    }

    /// Whether it needs a baseline.
    pub(super) fn compares(&self) -> bool {
        matches!(
            self,
            Rule::MaxDrop(_) | Rule::MaxRise(_) | Rule::NoSignificantDrop(_) | Rule::NoWorseThan(_)
        )
    }
}

/// Whether `key` means something to `operator`.
pub(super) fn belongs(key: &str, operator: &str) -> bool {
    let bounds = ["lower_bound_at_least", "upper_bound_at_most"];
    let differences = ["max_drop", "max_rise", NO_WORSE_THAN];
    match key {
        "tolerance" => operator == "==",
        "alpha" | "higher_is_better" | "items" => operator == NO_SIGNIFICANT_DROP,
        "threshold" => operator != NO_SIGNIFICANT_DROP,
        "interval" => operator == NO_SIGNIFICANT_DROP || bounds.contains(&operator),
        "baseline" => operator == NO_SIGNIFICANT_DROP || differences.contains(&operator),
        key if IN_SHORT.contains(&key) => key == operator,
        _ => true,
    }
}
