//! The run: what every measuring command leaves behind, and what every reader takes.
//!
//! An *item* was asked, a *subject* answered it, and a *record* is the result of one
//! subject on one item. A *metric* says how a number follows from records. A run is the
//! records of one command with what they were made of.

use serde::{Deserialize, Serialize};

/// What a record comes to, in the same four words in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The output does what was asked.
    Pass,
    /// It does not.
    Fail,
    /// Nobody could tell.
    Undecided,
    /// There is nothing to tell: no output, or no way to look at it.
    Error,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 4] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Undecided,
        Verdict::Error,
    ];

    /// The word in records.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Undecided => "undecided",
            Verdict::Error => "error",
        }
    }
}

/// What kind of number a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricKind {
    /// A share: every record counts 0 or 1, or several of several.
    Rate,
    /// A mean of values.
    Mean,
    /// A sum over another sum.
    Ratio,
    /// A coefficient that is estimated from labels.
    Coefficient,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither.
    None,
}

/// How a coefficient follows from labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimator {
    /// Which one: `cohen_kappa`, `krippendorff_alpha` …
    pub name: String,
    /// The level of measurement, or the weights.
    pub level: Option<String>,
    /// The raters it is about; empty for all.
    pub raters: Vec<String>,
    /// The categories in their order; empty for those that occur.
    pub categories: Vec<String>,
}

/// A metric: a name, and how its number follows from records. Nearly every one is the sum
/// of the column `above` over the sum of the column `below`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricSpec {
    /// Its name, unique in a run.
    pub name: String,
    /// What kind of number it is.
    pub kind: MetricKind,
    /// Which way is better.
    pub direction: Direction,
    /// The unit of its value, if it has one.
    pub unit: Option<String>,
    /// Whether it is the one that records' `score` holds.
    pub primary: bool,
    /// The column that is summed above the line; none for coefficients.
    pub above: Option<String>,
    /// The column below the line; none where every record with a value counts 1.
    pub below: Option<String>,
    /// How a coefficient is estimated.
    pub estimator: Option<Estimator>,
    /// The coefficient that it is equal to, where that knows more than its columns do; its
    /// value and interval are those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<Estimator>,
    /// What its value can be, where that is known. Of few records an interval can reach beyond
    /// what there is: it is cut there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// The least and the most that a value can be; `None` where there is no end.
pub type Range = [Option<i32>; 2];

/// An interval cut to what its value can be.
pub fn within(range: Option<Range>, ci: [f64; 2]) -> [f64; 2] {
    let [least, most] = range.unwrap_or_default();
    let ends = [
        least.map_or(f64::NEG_INFINITY, f64::from),
        most.map_or(f64::INFINITY, f64::from),
    ];
    ci.map(|end| end.max(ends[0]).min(ends[1]))
}

impl MetricSpec {
    /// A metric of one column, of which every record with a value counts 1.
    pub fn column(name: &str, kind: MetricKind, direction: Direction) -> Self {
        MetricSpec {
            name: name.to_owned(),
            kind,
            direction,
            unit: None,
            primary: false,
            above: Some(name.to_owned()),
            below: None,
            estimator: None,
            same_as: None,
            range: None,
        }
    }

    /// How it is estimated, where its columns do not say all.
    pub fn estimated(&self) -> Option<&Estimator> {
        self.estimator.as_ref().or(self.same_as.as_ref())
    }

    /// A coefficient.
    pub fn coefficient(name: &str, estimator: Estimator) -> Self {
        MetricSpec {
            above: None,
            estimator: Some(estimator),
            ..MetricSpec::column(name, MetricKind::Coefficient, Direction::Higher)
        }
    }

    /// The same over other columns.
    #[must_use]
    pub fn over(mut self, above: &str, below: &str) -> Self {
        self.above = Some(above.to_owned());
        self.below = Some(below.to_owned());
        self
    }

    /// The same in a unit.
    #[must_use]
    pub fn in_unit(mut self, unit: &str) -> Self {
        self.unit = Some(unit.to_owned());
        self
    }

    /// The same as the one that matters most.
    #[must_use]
    pub fn primary(mut self) -> Self {
        self.primary = true;
        self
    }
}

/// Where an output stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place<'a> {
    /// The input as it is called in the manifest.
    pub file: &'a str,
    /// The line, from 1; of a Parquet file the row.
    pub line: u64,
    /// Where its bytes begin in the decompressed input; none for Parquet.
    pub offset: Option<u64>,
    /// How many bytes there are.
    pub bytes: Option<u64>,
    /// The fingerprint of those bytes.
    pub hash: Option<u64>,
}

/// What a rater said of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    /// Who.
    pub rater: &'a str,
    /// What.
    pub value: &'a str,
}

/// One piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence<'a> {
    /// The rule that looked.
    pub rule: &'a str,
    /// At what.
    pub field: Option<&'a str>,
    /// At which step.
    pub step: Option<i32>,
    /// Whether it was as it should be.
    pub pass: bool,
    /// How bad it is if not: `info`, `warning`, `critical`.
    pub severity: &'a str,
    /// The number that was seen.
    pub observed: Option<f64>,
    /// The number it was held against.
    pub limit: Option<f64>,
    /// The text that was seen, or a sentence.
    pub text: Option<&'a str>,
    /// What it is worth, from 0 to 1, where the command gives scores.
    pub score: Option<f64>,
    /// The rules that changed that, joined by commas.
    pub adjusted_by: Option<&'a str>,
}

/// What an item's question, expected answer and answer say, where a run keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Texts<'a> {
    /// The question.
    pub input: Option<&'a str>,
    /// What was expected.
    pub target: Option<&'a str>,
    /// What was answered.
    pub output: Option<&'a str>,
}

/// The value of a column that one command alone has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OwnValue<'a> {
    /// Nothing.
    Null,
    /// Yes or no.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Text.
    Text(&'a str),
}

impl OwnValue<'_> {
    /// A number that may be missing.
    pub fn number(value: Option<f64>) -> Self {
        value.map_or(OwnValue::Null, OwnValue::Number)
    }

    /// Yes or no as 1 or 0, as metrics sum it.
    pub fn flag(value: Option<bool>) -> Self {
        OwnValue::number(value.map(|yes| f64::from(u8::from(yes))))
    }

    /// What metrics sum of it, if that is anything.
    pub fn as_number(self) -> Option<f64> {
        match self {
            OwnValue::Number(value) => Some(value),
            OwnValue::Integer(value) => Some(value as f64),
            OwnValue::Boolean(value) => Some(f64::from(u8::from(value))),
            OwnValue::Null | OwnValue::Text(_) => None,
        }
    }
}

/// One subject's result on one item: what a run stores in columns, as people and readers
/// meet it.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunRecord<'a> {
    /// The data set.
    pub dataset: &'a str,
    /// What was asked.
    pub item: &'a str,
    /// Who answered.
    pub subject: &'a str,
    /// Which repeat of the question, from 1.
    pub epoch: i32,
    /// What it stands or falls with.
    pub cluster: Option<&'a str>,
    /// What it comes to.
    pub verdict: Option<Verdict>,
    /// The command's own word for that.
    pub decision: Option<&'a str>,
    /// The value of the primary metric.
    pub score: Option<f64>,
    /// Where the output stands.
    pub place: Option<Place<'a>>,
    /// How long the answer took.
    pub latency_ms: Option<f64>,
    /// Tokens of the question.
    pub tokens_in: Option<f64>,
    /// Tokens of the answer.
    pub tokens_out: Option<f64>,
    /// What it cost.
    pub usd: Option<f64>,
    /// What raters said.
    pub labels: &'a [Label<'a>],
    /// What was seen.
    pub evidence: &'a [Evidence<'a>],
    /// What it says, where the run keeps that.
    pub texts: Texts<'a>,
    /// The command's own columns, in the order in which it declares them.
    pub own: &'a [OwnValue<'a>],
}
