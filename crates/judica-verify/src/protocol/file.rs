//! A protocol file as it is written: the TOML shape, before anything is checked.
//!
//! Values that a later check may complain about carry their place in the file
//! ([`Spanned`]), so that the complaint can point at it.

mod fields;

use judica_model::evidence::Severity;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use toml::Spanned;

pub use fields::{By, FieldEntry, FieldKind, Order, Spellings};

/// The whole file.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolFile {
    /// Name, version, description.
    pub protocol: Header,
    /// How responses are read.
    #[serde(default)]
    pub parsing: ParsingSection,
    /// What is predicted, in order.
    #[serde(rename = "field")]
    pub fields: Vec<FieldEntry>,
    /// Which questions are asked.
    #[serde(rename = "task")]
    pub tasks: Vec<TaskEntry>,
    /// How bad is bad.
    #[serde(default)]
    pub severity: SeveritySection,
    /// The range check.
    #[serde(default)]
    pub range: RangeSection,
    /// The jump check.
    #[serde(default)]
    pub jump: JumpSection,
    /// Families of rules.
    #[serde(default, rename = "family")]
    pub families: Vec<FamilyEntry>,
    /// The rules.
    #[serde(default, rename = "rule")]
    pub rules: Vec<RuleEntry>,
    /// Programs that check responses.
    #[serde(default, rename = "verifier", skip_serializing_if = "Vec::is_empty")]
    pub verifiers: Vec<VerifierEntry>,
    /// Scores of records that each look at one thing.
    #[serde(default, rename = "dimension", skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<DimensionEntry>,
    /// Which severity makes a record ineligible.
    #[serde(default)]
    pub gating: GatingSection,
    /// How many reasons are given.
    #[serde(default)]
    pub attribution: AttributionSection,
    /// Weights and curves.
    pub scores: ScoresSection,
    /// What summaries show.
    #[serde(default)]
    pub summary: SummarySection,
}

/// Name, version, description.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Short name, as given to `--protocol`.
    pub name: String,
    /// The author's own version of the file.
    pub version: String,
    /// One sentence.
    #[serde(default)]
    pub description: String,
}

/// How responses are read.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ParsingSection {
    /// Texts that mark a provider failure, letters of any case.
    #[serde(default)]
    pub api_error_keywords: Vec<String>,
    /// What keys are that the protocol does not know.
    #[serde(default, skip_serializing_if = "ExtraKeys::are_allowed")]
    pub extra_keys: ExtraKeys,
}

/// What keys are that the protocol does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtraKeys {
    /// Nobody's business.
    #[default]
    Allow,
    /// Worth a warning.
    Warning,
    /// A failure.
    Critical,
}

impl ExtraKeys {
    /// Whether they are nobody's business.
    pub fn are_allowed(&self) -> bool {
        *self == ExtraKeys::Allow
    }
}

/// What errors are scores made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Errors {
    /// As they are, in the units of their fields.
    #[default]
    Raw,
    /// As a share of each field's scale, at most 1.
    Scaled,
}

impl Errors {
    fn are_raw(&self) -> bool {
        *self == Errors::Raw
    }
}

/// One number or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Every field is one number.
    Scalar,
    /// Every field is an array of `horizon` numbers.
    Array,
}

/// One task.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TaskEntry {
    /// As in `task_id`.
    pub name: Spanned<String>,
    /// scalar or array.
    pub shape: Shape,
    /// Length of the arrays.
    pub horizon: Option<Spanned<u32>>,
    /// For people.
    #[serde(default)]
    pub description: String,
}

/// How bad is bad.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SeveritySection {
    /// A lone warning threshold becomes critical beyond this multiple of it.
    pub critical_factor: f64,
    /// Weights in the constraint-satisfaction score.
    pub weights: SeverityWeights,
}

impl Default for SeveritySection {
    fn default() -> Self {
        SeveritySection {
            critical_factor: 1.5,
            weights: SeverityWeights::default(),
        }
    }
}

/// Weights in the constraint-satisfaction score.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeverityWeights {
    /// Of a failed critical atom.
    pub critical: f64,
    /// Of a failed warning atom.
    pub warning: f64,
    /// Of a passed atom.
    pub info: f64,
}

impl Default for SeverityWeights {
    fn default() -> Self {
        SeverityWeights {
            critical: 3.0,
            warning: 1.0,
            info: 0.5,
        }
    }
}

/// The range check.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RangeSection {
    /// Distance outside / width of the limit, beyond which it is critical.
    pub critical_deviation: f64,
}

impl Default for RangeSection {
    fn default() -> Self {
        RangeSection {
            critical_deviation: 0.5,
        }
    }
}

/// What a scalar prediction's jump is measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JumpReference {
    /// The last valid value of the same model, task and epoch, in input order.
    #[default]
    PreviousOutput,
    /// The sample's own `context.current_state`.
    CurrentState,
}

/// The jump check.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct JumpSection {
    /// What a scalar prediction's jump is measured from.
    pub reference: JumpReference,
}

/// A family of rules: a node of the verifier graph.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyEntry {
    /// The atom's `type`.
    pub name: Spanned<String>,
    /// Families that run before.
    #[serde(default)]
    pub depends_on: Vec<Spanned<String>>,
    /// For people.
    #[serde(default)]
    pub description: String,
}

/// What a rule is evaluated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Each {
    /// Once per step, over the aliases of all fields.
    #[default]
    Step,
    /// Once per field, over `max_change`, `jump`, `lo`, `hi`.
    Field,
}

/// A rule.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RuleEntry {
    /// The family it belongs to.
    pub family: Spanned<String>,
    /// Unique within the family.
    pub id: Spanned<String>,
    /// One sentence: what holds when the rule passes.
    #[serde(default)]
    pub summary: String,
    /// Why it matters.
    #[serde(default)]
    pub why: String,
    /// A worked example.
    #[serde(default)]
    pub example: String,
    /// step or field.
    #[serde(default)]
    pub each: Each,
    /// Shapes of tasks it runs for; empty means all.
    #[serde(default)]
    pub shapes: Vec<Shape>,
    /// Runs only where this holds.
    pub when: Option<Spanned<String>>,
    /// The observed value.
    pub value: Option<Spanned<String>>,
    /// Unit of the value.
    #[serde(default)]
    pub unit: String,
    /// Fails as a warning above this.
    pub warning_above: Option<Spanned<Threshold>>,
    /// Fails as critical above this.
    pub critical_above: Option<Spanned<Threshold>>,
    /// Fails as a warning below this.
    pub warning_below: Option<Spanned<Threshold>>,
    /// Fails as critical below this.
    pub critical_below: Option<Spanned<Threshold>>,
    /// Fails as a warning where this holds.
    pub warning_if: Option<Spanned<String>>,
    /// Fails as critical where this holds.
    pub critical_if: Option<Spanned<String>>,
    /// What a reader is told; `{alias}`, `{value}`, `{field}`, `{unit}` are filled in. A rule
    /// that adjusts another says nothing of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Spanned<String>>,
    /// Scores by value, in place of thresholds: the first level whose bound holds counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Spanned<Vec<Spanned<LevelEntry>>>>,
    /// What counts where no level does.
    #[serde(rename = "else", skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Spanned<LevelEntry>>,
    /// Of levels that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Spanned<Severity>>,
    /// The rule whose score this one changes, where its `when` holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusts: Option<Spanned<String>>,
    /// By so much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtract: Option<Spanned<f64>>,
    /// To no more than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<Spanned<f64>>,
}

/// A score for values up to a bound.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LevelEntry {
    /// For values less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// For values of at most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upto: Option<f64>,
    /// The score, from 0 to 1.
    pub score: f64,
    /// The severity; else the rule's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}

/// A threshold: a number, or an expression over the aliases.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Threshold {
    /// A plain number.
    Number(f64),
    /// An expression.
    Expression(String),
}

impl<'de> Deserialize<'de> for Threshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ThresholdVisitor;
        impl Visitor<'_> for ThresholdVisitor {
            type Value = Threshold;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a number or an expression in quotes")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Threshold, E> {
                Ok(Threshold::Number(value as f64))
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Threshold, E> {
                Ok(Threshold::Number(value))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Threshold, E> {
                Ok(Threshold::Expression(text.to_owned()))
            }
        }
        deserializer.deserialize_any(ThresholdVisitor)
    }
}

/// A program that checks responses.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VerifierEntry {
    /// The family of its atoms: one of the file, else it is made.
    pub family: Spanned<String>,
    /// The program and its arguments.
    pub command: Spanned<Vec<String>>,
    /// Seconds that it has for a batch.
    #[serde(default = "default_timeout")]
    pub timeout_s: Spanned<f64>,
    /// Records that it is given at once, at most.
    #[serde(default = "default_batch")]
    pub batch: Spanned<u32>,
    /// For people.
    #[serde(default)]
    pub description: String,
}

/// Which severity makes a record ineligible.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct GatingSection {
    /// The lowest severity whose failed atom gates the record.
    pub severity: Severity,
    /// What a gated record counts as on the leaderboard.
    pub cap: f64,
}

impl Default for GatingSection {
    fn default() -> Self {
        GatingSection {
            severity: Severity::Critical,
            cap: 0.0,
        }
    }
}

/// How many reasons are given.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttributionSection {
    /// The gravest so many.
    pub top_k: u32,
}

impl Default for AttributionSection {
    fn default() -> Self {
        AttributionSection { top_k: 5 }
    }
}

/// Weights and curves.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ScoresSection {
    /// What errors the error score is made of.
    #[serde(default, skip_serializing_if = "Errors::are_raw")]
    pub error: Errors,
    /// Of the three scores in the total. These five keys may be left out where the total is
    /// made of dimensions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<ScoreWeights>,
    /// Of the MAE score in the error score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae_weight: Option<f64>,
    /// Of the RMSE score in the error score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse_weight: Option<f64>,
    /// `[error, score]` points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae_curve: Option<Spanned<Vec<[f64; 2]>>>,
    /// `[error, score]` points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse_curve: Option<Spanned<Vec<[f64; 2]>>>,
    /// What the total is made of: the three scores unless it says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Spanned<TotalKind>>,
    /// The dimension that filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Spanned<String>>,
    /// Grades by total, best first.
    #[serde(default = "default_grades")]
    pub grades: Vec<GradeEntry>,
}

/// What a total is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TotalKind {
    /// Availability, constraint satisfaction and the error against the gold.
    Scores,
    /// The protocol's dimensions.
    Dimensions,
}

/// What a dimension is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DimensionKind {
    /// The scores of atoms, by severity.
    #[default]
    Atoms,
    /// The share of required fields with usable values.
    Fields,
    /// The error against the gold, by the widths of the limits.
    Error,
}

/// A score of a record that looks at one thing.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DimensionEntry {
    /// Its name.
    pub name: Spanned<String>,
    /// How much it counts in the total; 1 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Spanned<f64>>,
    /// What it is made of.
    #[serde(default)]
    pub kind: DimensionKind,
    /// Of kind `atoms`: the families whose atoms it weighs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<Spanned<String>>,
}

/// Of the three scores in the total.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreWeights {
    /// Present keys.
    pub availability: f64,
    /// Passed atoms.
    pub constraint_satisfaction: f64,
    /// Closeness to the gold.
    pub conditional_error: f64,
}

/// A grade and the total from which it is given.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GradeEntry {
    /// One letter.
    pub grade: String,
    /// The lowest total that earns it.
    pub from: f64,
}

/// What summaries show.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SummarySection {
    /// Error scores below which the share of samples is reported.
    pub exceedance_below: Vec<f64>,
    /// An error score below this is a high risk.
    pub high_risk_below: f64,
    /// How many of the worst samples are named.
    pub worst_samples: u32,
    /// Bootstrap resamples for the leaderboard.
    pub bootstrap_resamples: u32,
    /// Their fixed seed.
    pub bootstrap_seed: u64,
}

impl Default for SummarySection {
    fn default() -> Self {
        SummarySection {
            exceedance_below: vec![50.0, 70.0, 90.0],
            high_risk_below: 50.0,
            worst_samples: 5,
            bootstrap_resamples: 1000,
            bootstrap_seed: 20_250_119,
        }
    }
}

fn default_timeout() -> Spanned<f64> {
    Spanned::new(0..0, 60.0)
}

fn default_batch() -> Spanned<u32> {
    Spanned::new(0..0, 5000)
}

fn yes() -> bool {
    true
}

fn default_grades() -> Vec<GradeEntry> {
    [
        ("S", 90.0),
        ("A", 80.0),
        ("B", 70.0),
        ("C", 60.0),
        ("D", 0.0),
    ]
    .map(|(grade, from)| GradeEntry {
        grade: grade.to_owned(),
        from,
    })
    .to_vec()
}
