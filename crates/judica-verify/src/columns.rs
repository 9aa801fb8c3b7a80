//! What a run says of its records beyond the head that every run has: the columns of `eval`
//! alone, and the metrics that follow from them. [`mod@write`] fills them, `arrays` knows how Arrow holds
//! them.

mod arrays;
pub mod write;

use judica_model::run::{Direction, MetricKind, MetricSpec};
use judica_run::layout::{Layout, OwnColumn, OwnKind};

use crate::protocol::Protocol;

/// The columns that metrics are made of, in order; then come the reasons of each family.
/// What a record counts as on the leaderboard, and how much it counts, stands first.
pub const NUMBERS: [&str; 9] = [
    "total_counted",
    "total_counts",
    "total",
    "availability",
    "constraints",
    "error",
    "mae",
    "rmse",
    "eligible",
];
/// direct, fenced, embedded, parse_failure or api_error.
const PARSING: &str = "parsing";
/// S, A, B, C, D, X or null.
const GRADE: &str = "grade";
/// Rule of the gravest reason, or null.
const TOP_RULE: &str = "top_rule";
/// Required keys present.
const FIELDS_PRESENT: &str = "fields_present";
/// Values compared with the gold.
const COMPARED_VALUES: &str = "compared_values";
/// How many columns stand between the numbers and the counts per family.
pub const DETAILS: usize = 5;

/// The columns of a run of `eval`.
pub fn layout(protocol: &Protocol, keep_text: bool) -> Layout {
    let families = || protocol.families.iter().map(|family| &family.name);
    let mut own: Vec<OwnColumn> = Vec::new();
    own.extend(NUMBERS.map(|name| OwnColumn::new(name, OwnKind::Number)));
    own.extend(families().map(|family| OwnColumn::new(reasons(family), OwnKind::Number)));
    own.extend([PARSING, GRADE, TOP_RULE].map(|name| OwnColumn::new(name, OwnKind::Text)));
    let counts = [FIELDS_PRESENT, COMPARED_VALUES];
    own.extend(counts.map(|name| OwnColumn::new(name, OwnKind::Integer)));
    for family in families() {
        let counts = ["atoms", "critical", "warning"];
        let named = counts.map(|count| format!("{family}_{count}"));
        own.extend(named.map(|name| OwnColumn::new(name, OwnKind::Integer)));
    }
    Layout::new(own, keep_text)
}

/// The metrics that follow from them.
pub fn metrics(protocol: &Protocol) -> Vec<MetricSpec> {
    use Direction::{Higher, Lower};
    use MetricKind::{Mean, Rate};
    let [counted, counts, total, ..] = NUMBERS;
    let mut metrics = vec![
        MetricSpec::column(total, Mean, Higher)
            .over(counted, counts)
            .primary(),
    ];
    let means = [
        ("availability", Higher),
        ("constraints", Higher),
        ("error", Higher),
        ("mae", Lower),
        ("rmse", Lower),
    ];
    metrics.extend(means.map(|(name, direction)| MetricSpec::column(name, Mean, direction)));
    metrics.push(MetricSpec::column("eligible", Rate, Higher));
    let families = protocol.families.iter();
    metrics.extend(families.map(|f| MetricSpec::column(&reasons(&f.name), Mean, Lower)));
    metrics
}

fn reasons(family: &str) -> String {
    format!("{family}_reasons")
}
