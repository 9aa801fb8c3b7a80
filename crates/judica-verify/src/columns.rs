//! What a run says of its records beyond the head that every run has: the columns of `eval`
//! alone, and the metrics that follow from them. [`mod@write`] fills them, `arrays` knows how Arrow holds
//! them.

mod arrays;
mod pick;
pub mod write;

use std::sync::Arc;

use arrow_array::{Int32Array, StringArray};
use judica_model::evidence::Severity;
use judica_model::run::{Direction, MetricKind, MetricSpec};
use judica_run::layout::{EvidenceWords, Layout, OwnColumn, OwnKind};

use crate::checks::Checks;
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
/// Whether the sample has gold of any use.
const GOLD: &str = "gold";
/// The columns that the report is made of besides the head's and those of families.
pub struct Computed {
    /// How the response was read.
    pub parsing: &'static str,
    /// Required keys present.
    pub fields_present: &'static str,
    /// Whether the sample has gold of any use.
    pub gold: &'static str,
    /// Whether the record is eligible; total, availability, constraints and error; the mean
    /// absolute error.
    pub scores: [&'static str; 6],
}

/// Their names.
pub const COMPUTED: Computed = Computed {
    parsing: PARSING,
    fields_present: FIELDS_PRESENT,
    gold: GOLD,
    scores: [
        "eligible",
        "total",
        "availability",
        "constraints",
        "error",
        "mae",
    ],
};
/// How many columns stand between the numbers and the counts per family.
pub const DETAILS: usize = 6;

/// The columns of a run of `eval`.
pub fn layout(protocol: &Protocol, checks: &Checks, keep_text: bool) -> Layout {
    let layout = Layout::new(own(protocol), keep_text);
    match protocol.verifiers.is_empty() {
        true => layout.with_evidence(words(protocol, checks)),
        // What programs call their rules is not known before.
        false => layout.with_open_evidence(protocol.scores_atoms()),
    }
}

/// Those of the protocol alone, in their order.
pub(crate) fn own(protocol: &Protocol) -> Vec<OwnColumn> {
    let families = || protocol.families.iter().map(|family| &family.name);
    let mut own: Vec<OwnColumn> = Vec::new();
    own.extend(NUMBERS.map(|name| OwnColumn::new(name, OwnKind::Number)));
    own.extend(families().map(|family| OwnColumn::new(reasons(family), OwnKind::Number)));
    own.extend(of_fields(protocol).map(|(name, _)| OwnColumn::new(name, OwnKind::Number)));
    own.extend([PARSING, GRADE, TOP_RULE].map(|name| OwnColumn::new(name, OwnKind::Text)));
    let counts = [FIELDS_PRESENT, COMPARED_VALUES];
    own.extend(counts.map(|name| OwnColumn::new(name, OwnKind::Integer)));
    own.push(OwnColumn::new(GOLD, OwnKind::Boolean));
    for family in families() {
        let counts = ["atoms", "critical", "warning"];
        let named = counts.map(|count| format!("{family}_{count}"));
        own.extend(named.map(|name| OwnColumn::new(name, OwnKind::Integer)));
    }
    own.extend(infos(protocol).map(|name| OwnColumn::new(name, OwnKind::Integer)));
    own.extend(dimensions(protocol).map(|name| OwnColumn::new(name, OwnKind::Number)));
    own
}

/// The columns that count atoms which failed without being a warning, one per family, of a
/// protocol that has such.
pub fn infos(protocol: &Protocol) -> impl Iterator<Item = String> {
    let families = protocol
        .families
        .iter()
        .filter(|_| protocol.fails_as_info());
    families.map(|family| format!("{}_info", family.name))
}

/// The columns of dimensions, in their order.
pub fn dimensions(protocol: &Protocol) -> impl Iterator<Item = String> {
    let dimensions = protocol.dimensions.iter();
    dimensions.map(|dimension| format!("dimension_{}", dimension.name))
}

/// The words of evidence, numbered as the checks have them.
fn words(protocol: &Protocol, checks: &Checks) -> EvidenceWords {
    let texts = |texts: &[String]| Arc::new(StringArray::from_iter_values(texts));
    let steps = protocol.tasks.iter().map(|task| task.horizon).max();
    let severities = Severity::ALL.map(|severity| severity.name());
    EvidenceWords {
        rules: texts(&checks.rule_names),
        fields: texts(&checks.labels),
        steps: Arc::new(Int32Array::from_iter_values(0..steps.unwrap_or(1) as i32)),
        severities: Arc::new(StringArray::from_iter_values(severities)),
        scores: protocol.scores_atoms(),
    }
}

/// What scores are counted in, from 0 to 100.
const POINTS: &str = "points";

/// The metrics that follow from them.
pub fn metrics(protocol: &Protocol) -> Vec<MetricSpec> {
    use Direction::{Higher, Lower};
    use MetricKind::{Mean, Rate};
    let [counted, counts, total, ..] = NUMBERS;
    let mut metrics = vec![
        MetricSpec::column(total, Mean, Higher)
            .over(counted, counts)
            .in_unit(POINTS)
            .primary(),
    ];
    let scores = ["availability", "constraints", "error"];
    let points = |name: &str| MetricSpec::column(name, Mean, Higher).in_unit(POINTS);
    let scores = scores.into_iter().filter(|_| protocol.three.is_some());
    metrics.extend(scores.map(points));
    metrics.extend(dimensions(protocol).map(|name| points(&name)));
    metrics.extend(["mae", "rmse"].map(|name| MetricSpec::column(name, Mean, Lower)));
    metrics.push(MetricSpec::column("eligible", Rate, Higher));
    let families = protocol.families.iter();
    metrics.extend(families.map(|f| MetricSpec::column(&reasons(&f.name), Mean, Lower)));
    metrics.extend(of_fields(protocol).map(|(name, kind)| MetricSpec::column(&name, kind, Higher)));
    metrics
}

/// The columns of what became of each field, of a protocol that has others than numbers, in
/// the order of [`crate::evaluate::Evaluated::by_field`]; and what their means are.
pub fn of_fields(protocol: &Protocol) -> impl Iterator<Item = (String, MetricKind)> {
    let mixed = protocol.is_mixed();
    let fields = protocol.fields.iter().filter(move |_| mixed);
    let steps = protocol.tasks.iter().any(|task| task.horizon > 1);
    let names = fields.flat_map(move |field| {
        // Of one value it is yes or no; of several, a share.
        let kind = match field.list.is_some() || steps {
            true => MetricKind::Mean,
            false => MetricKind::Rate,
        };
        ["precision", "recall"].map(|what| (format!("{what}_{}", field.alias), kind))
    });
    let whole = (WHOLLY_RIGHT.to_owned(), MetricKind::Rate);
    names.chain(mixed.then_some(whole))
}

/// Whether everything that was compared is right.
const WHOLLY_RIGHT: &str = "wholly_right";

fn reasons(family: &str) -> String {
    format!("{family}_reasons")
}
