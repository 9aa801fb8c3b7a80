//! What every harness's log comes to: samples with their scores, in the harness's own order,
//! and the log's own aggregates beside the same numbers computed again from the samples.

use std::borrow::Cow;
use std::fmt;

use judica_data::chunks::Found as Stands;
use judica_data::rejects::Raw;
use judica_data::work_error::WorkError;
use judica_model::run::Direction;
use serde::{Deserialize, Serialize};

/// A program whose logs are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// Inspect: `.eval` and `.json`.
    Inspect,
    /// lm-evaluation-harness: a results file with its samples files.
    LmEval,
    /// promptfoo: `.json` and `.jsonl`.
    Promptfoo,
    /// DeepEval: a test run.
    #[serde(rename = "deepeval")]
    DeepEval,
    /// HELM: the folder of a run.
    Helm,
    /// OpenAI evals: events as lines.
    #[serde(rename = "openai-evals")]
    OpenAiEvals,
    /// Any other tool: a table of its scores.
    Table,
}

impl Harness {
    /// Those whose logs are told by what they hold.
    pub const ALL: [Harness; 6] = [
        Harness::Inspect,
        Harness::LmEval,
        Harness::Promptfoo,
        Harness::DeepEval,
        Harness::Helm,
        Harness::OpenAiEvals,
    ];

    /// Its name, as its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            Harness::Inspect => "Inspect",
            Harness::LmEval => "lm-evaluation-harness",
            Harness::DeepEval => "DeepEval",
            Harness::Helm => "HELM",
            Harness::OpenAiEvals => "OpenAI evals",
            Harness::Promptfoo | Harness::Table => self.name(),
        }
    }

    /// Its name, as it is said and written.
    pub fn name(self) -> &'static str {
        match self {
            Harness::Inspect => "inspect",
            Harness::LmEval => "lm-eval",
            Harness::Promptfoo => "promptfoo",
            Harness::DeepEval => "deepeval",
            Harness::Helm => "helm",
            Harness::OpenAiEvals => "openai-evals",
            Harness::Table => "table",
        }
    }
}

/// One log: a file, or the files that belong together.
pub trait Log {
    /// What it is.
    fn about(&self) -> &About;

    /// Hands over every sample, in an order that depends on the log alone. It is called twice:
    /// once to learn which scorers, columns and keys there are, and once to write them.
    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError>;

    /// The log's own aggregates, and what they are by its samples. Called after the samples.
    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError>;

    /// Of each metric that was asked for, whether the log has a number of it. Called after the
    /// samples.
    fn metrics_asked(&self) -> &[Asked] {
        &[]
    }

    /// Which way is better for a scorer, where the log says it. Called after the samples.
    fn direction(&self, _scorer: &str) -> Option<Direction> {
        None
    }
}

/// Whether a metric that was asked for has a number, or why it has none; nothing where no sample
/// could tell.
pub type Asked = Option<Result<(), String>>;

/// Takes what is found in a log; on any thread, one after the other. Says whether it is of the
/// log's samples: what is refused, be it as a second sample of one key, is in none of its
/// numbers.
pub type Take<'t> = dyn FnMut(Found) -> Result<bool, WorkError> + Send + 't;

/// What is found where a sample is looked for.
pub enum Found<'a> {
    /// A sample.
    Sample(Box<Sample<'a>>),
    /// Something that is none, or that cannot be read.
    Refused(RefusedSample<'a>),
}

/// What cannot be read.
pub struct RefusedSample<'a> {
    /// The file as the user knows it.
    pub file: &'a str,
    /// The line, the number of the element, or 0.
    pub line: u64,
    /// Where it begins, in bytes, where that is known.
    pub offset: u64,
    /// A short code, as in all rejects.
    pub reason: &'static str,
    /// A sentence; it names the member of an archive.
    pub detail: String,
    /// Its text.
    pub raw: Raw,
}

/// What a log is, known before its first sample.
#[derive(Debug, Clone)]
pub struct About {
    /// The program that wrote it.
    pub harness: Harness,
    /// `success`, `error`, `cancelled`, `started` …: the log's own word, or what is missing.
    pub status: String,
    /// When it was made, as the log says: of two logs with the same key the later one wins.
    pub stamp: String,
    /// What a person should know: an unknown version, members that stand twice …
    pub notes: Vec<String>,
}

impl About {
    /// A log that came to its end, of which nothing else is known.
    pub fn of(harness: Harness) -> Self {
        About {
            harness,
            status: "success".to_owned(),
            stamp: String::new(),
            notes: Vec::new(),
        }
    }
}

/// One subject's result on one item.
#[derive(Debug, Clone, Default)]
pub struct Sample<'a> {
    /// The key.
    pub dataset: Cow<'a, str>,
    /// What was asked.
    pub item: Cow<'a, str>,
    /// Which repeat, from 1.
    pub epoch: i32,
    /// Who answered.
    pub subject: Cow<'a, str>,
    /// The texts.
    pub input: Option<Cow<'a, str>>,
    /// What was expected.
    pub target: Option<Cow<'a, str>>,
    /// What was answered.
    pub output: Option<Cow<'a, str>>,
    /// What scorers gave, each scorer once, in the log's order.
    pub scores: Vec<Score<'a>>,
    /// Whether it passed, where the log says that of the sample itself, whatever its scores.
    pub passed: Option<bool>,
    /// Why there is no result, where there is none: an error is neither 0 nor unscored.
    pub error: Option<Cow<'a, str>>,
    /// How long it took.
    pub latency_ms: Option<f64>,
    /// Tokens of the question.
    pub tokens_in: Option<f64>,
    /// Tokens of the answer.
    pub tokens_out: Option<f64>,
    /// What it cost.
    pub usd: Option<f64>,
    /// Other columns: `doc_hash`, `limit`, `metadata.group` …
    pub own: Vec<(Cow<'a, str>, Own<'a>)>,
    /// Where it stands.
    pub place: Place<'a>,
}

/// Where a sample stands.
#[derive(Clone, Default)]
pub struct Place<'a> {
    /// The file, as the user knows it.
    pub file: Cow<'a, str>,
    /// The line or the number there, from 1.
    pub line: u64,
    /// Where it begins, in bytes; 0 where it is a file of its own or made of several parts.
    pub offset: u64,
    /// How the text of the sample alone is found again, where the log has one.
    pub stands: Option<Stands>,
    /// Gives its text as the log has it; asked only where the sample is refused.
    pub raw: Option<&'a dyn Fn() -> Raw>,
}

impl fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{} at {}", self.file, self.line, self.offset)
    }
}

/// A value of a column that one harness alone has.
#[derive(Debug, Clone, PartialEq)]
pub enum Own<'a> {
    /// Yes or no.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(Cow<'a, str>),
}

/// What a scorer gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Score<'a> {
    /// The scorer: the name of its column.
    pub scorer: Cow<'a, str>,
    /// Its value as a finite number; none: unscored.
    pub value: Option<f64>,
    /// What the log has, where that is no number.
    pub logged: Option<Cow<'a, str>>,
    /// Why, in the scorer's words.
    pub explanation: Option<Cow<'a, str>>,
}

/// A number that the log states of its samples, and what it is by them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aggregate {
    /// The scorer, or what else it is about.
    pub scorer: String,
    /// The reducer or the filter.
    pub group: Option<String>,
    /// The log's own key.
    pub metric: String,
    /// What the log says.
    pub logged: Option<f64>,
    /// What its samples say.
    pub recomputed: Option<f64>,
    /// Whether that is the same.
    pub verdict: Check,
    /// Why not, or why it cannot be told.
    pub why: Option<String>,
}

/// Whether a log's number follows from its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// It does, to 1e−9.
    Equal,
    /// It does not.
    Different,
    /// It cannot be told.
    Unchecked,
}

impl Aggregate {
    /// A number that was computed again.
    pub fn checked(
        scorer: &str,
        group: Option<&str>,
        metric: &str,
        logged: Option<f64>,
        recomputed: Option<f64>,
    ) -> Self {
        let equal = match (logged, recomputed) {
            (Some(logged), Some(recomputed)) => {
                (logged - recomputed).abs() <= 1e-9 * logged.abs().max(recomputed.abs()).max(1.0)
            }
            (None, None) => true,
            _ => false,
        };
        Aggregate {
            scorer: scorer.to_owned(),
            group: group.map(str::to_owned),
            metric: metric.to_owned(),
            logged,
            recomputed,
            verdict: if equal {
                Check::Equal
            } else {
                Check::Different
            },
            why: (!equal).then(|| "the samples say otherwise".to_owned()),
        }
    }

    /// A number that cannot be computed again.
    pub fn unchecked(
        scorer: &str,
        group: Option<&str>,
        metric: &str,
        logged: Option<f64>,
        why: &str,
    ) -> Self {
        Aggregate {
            recomputed: None,
            verdict: Check::Unchecked,
            why: Some(why.to_owned()),
            ..Aggregate::checked(scorer, group, metric, logged, None)
        }
    }
}
