//! What came of judging: one line per judge and data set.

use std::path::Path;

use judica_answer::judged::{JudgeInfo, JudgedDataset, JudgedRow};
use judica_answer::verdict::ParseStatus;
use judica_data::source::read_whole;
use judica_data::work_error::WorkError;
use judica_judge::probe::FlipReport;
use judica_judge::run::Totals;
use judica_model::table::counted;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::datasets::Dataset;
use crate::failure::Failure;

/// What came of judging.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Rows that were read: `inputs = records + rejects`.
    pub inputs: u64,
    /// Rows that could be used.
    pub records: u64,
    /// Rows that could not.
    pub rejects: u64,
    /// Where replies are kept; none if nobody was asked.
    pub cache: Option<String>,
    /// The judges, in the order they were named.
    pub judges: Vec<JudgeReport>,
    /// What counts against the budget.
    #[serde(skip)]
    charged: f64,
}

/// What came of one judge.
#[derive(Debug, Serialize)]
pub struct JudgeReport {
    /// Its folder.
    pub judge: String,
    /// Its model.
    pub model: String,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// Its hash.
    pub prompt_hash: Option<String>,
    /// How many replies a verdict rests on; none if nobody was to be asked.
    pub votes: Option<u32>,
    /// What its calls cost in this run, where prices are known.
    pub usd: Option<f64>,
    /// Why that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_undefined: Option<String>,
    /// What they count against `--max-usd`: the same, and the most that cut replies and
    /// those without told tokens may have cost.
    pub charged_usd: Option<f64>,
    /// The calls of this run.
    pub calls: Calls,
    /// What came of each data set.
    pub datasets: Vec<DatasetReport>,
}

/// Calls of a run; differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// Calls that got a reply.
    pub asked: u64,
    /// Replies that the cache had.
    pub from_cache: u64,
    /// Calls without a reply.
    pub failed: u64,
    /// Tokens of the questions asked; none where the server did not tell all.
    pub input_tokens: Option<u64>,
    /// Tokens of the replies, likewise.
    pub output_tokens: Option<u64>,
    /// Replies whose tokens the server did not tell.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replies_without_usage: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Default for Calls {
    fn default() -> Self {
        Calls {
            asked: 0,
            from_cache: 0,
            failed: 0,
            input_tokens: Some(0),
            output_tokens: Some(0),
            replies_without_usage: 0,
        }
    }
}

impl Calls {
    fn add(&mut self, totals: &Totals) {
        self.asked += totals.asked;
        self.from_cache += totals.from_cache;
        self.failed += totals.failed;
        self.replies_without_usage += totals.replies_without_usage;
        let told = self.replies_without_usage == 0;
        let sum = |so_far: Option<u64>, more: u64| {
            so_far
                .filter(|_| told)
                .map(|tokens| tokens.saturating_add(more))
        };
        self.input_tokens = sum(self.input_tokens, totals.input_tokens);
        self.output_tokens = sum(self.output_tokens, totals.output_tokens);
    }

    /// How many replies said nothing of their tokens.
    pub fn untold(&self) -> String {
        let replies = counted(self.replies_without_usage, ["reply", "replies"]);
        format!("{replies} without usage")
    }
}

/// What came of a data set.
#[derive(Debug, Serialize)]
pub struct DatasetReport {
    /// The data set.
    pub dataset: String,
    /// `written`, `current` (it was judged before, by the same judge and prompt) or
    /// `stopped`.
    pub status: &'static str,
    /// The normaliser that decided first, as in the file; null for one that was stopped.
    pub normalizer: Value,
    /// The file, if one is written.
    pub file: Option<String>,
    /// What was asked and what came of it, as in the file.
    pub judge: Value,
    /// What the verdicts amount to, as in the file.
    pub metrics: Value,
    /// How many verdicts flipped when asked in other words.
    pub probe: Option<FlipReport>,
    /// Why the first row without a reply has none.
    #[serde(skip)]
    no_reply: Option<String>,
}

impl Report {
    /// Nothing was judged yet.
    pub fn new(cache: Option<String>) -> Self {
        Report {
            inputs: 0,
            records: 0,
            rejects: 0,
            cache,
            judges: Vec::new(),
            charged: 0.0,
        }
    }

    /// Counts the rows of a file.
    pub fn count(&mut self, dataset: &Dataset) {
        self.inputs += dataset.predictions.inputs();
        self.records += dataset.predictions.rows.len() as u64;
        self.rejects += dataset.predictions.rejects.len() as u64;
    }

    /// Adds what came of a data set to the last judge.
    pub fn push(&mut self, dataset: DatasetReport) {
        if let Some(judge) = self.judges.last_mut() {
            judge.datasets.push(dataset);
        }
    }

    /// Adds calls to the last judge.
    pub fn spend(&mut self, totals: &Totals) {
        let Some(judge) = self.judges.last_mut() else {
            return;
        };
        judge.calls.add(totals);
        if let Some(usd) = totals.usd {
            judge.usd = Some(judge.usd.unwrap_or(0.0) + usd);
        }
        // What some replies cost is not what all did.
        if judge.calls.replies_without_usage > 0 {
            judge.usd = None;
        }
        if let Some(usd) = totals.charged_usd {
            judge.charged_usd = Some(judge.charged_usd.unwrap_or(0.0) + usd);
            self.charged += usd;
        }
        judge.usd_undefined = why_no_usd(judge.usd, judge.charged_usd, &judge.calls);
    }

    /// What counts as spent so far. Where a server does not tell tokens, that is the most
    /// it can have been.
    pub fn spent(&self) -> f64 {
        self.charged
    }

    /// Whether no data set was come to.
    pub fn is_empty(&self) -> bool {
        self.datasets().next().is_none()
    }

    /// How many rows got no reply, and why the first one did not; `None` if all did.
    pub fn unanswered(&self) -> Option<String> {
        let first = self
            .datasets()
            .find_map(|dataset| dataset.no_reply.as_ref())?;
        let rows = match self
            .datasets()
            .map(|dataset| dataset.number("n_errors"))
            .sum()
        {
            1 => "1 row has".to_owned(),
            n => format!("{n} rows have"),
        };
        Some(format!(
            "SYSTEM_ERROR: {rows} no verdict; the same command asks again. {first}"
        ))
    }

    fn datasets(&self) -> impl Iterator<Item = &DatasetReport> {
        self.judges.iter().flat_map(|judge| &judge.datasets)
    }
}

impl JudgeReport {
    /// A judge that has done nothing yet.
    pub fn new(folder: &str, info: JudgeInfo) -> Self {
        JudgeReport {
            judge: folder.to_owned(),
            model: info.judge_model,
            prompt_version: info.prompt_version,
            prompt_hash: info.prompt_hash,
            votes: info.votes,
            usd: None,
            usd_undefined: why_no_usd(None, None, &Calls::default()),
            charged_usd: None,
            calls: Calls::default(),
            datasets: Vec::new(),
        }
    }
}

/// Why nobody knows what some calls cost. What they count for is known where prices are.
pub fn why_no_usd(usd: Option<f64>, charged: Option<f64>, calls: &Calls) -> Option<String> {
    let why = || match (calls.asked + calls.failed, charged) {
        (0, _) => "nobody was asked".to_owned(),
        (_, None) => "no prices were given".to_owned(),
        (_, Some(_)) => calls.untold(),
    };
    usd.is_none().then(why)
}

impl DatasetReport {
    /// A data set that was written.
    pub fn written(
        dataset: &Dataset,
        path: Option<&Path>,
        document: &JudgedDataset,
        probe: Option<FlipReport>,
    ) -> Self {
        let failed = |row: &&JudgedRow| row.parse_status == Some(ParseStatus::Error);
        let no_reply = document.detailed_results.iter().find(failed);
        DatasetReport {
            no_reply: no_reply.map(|row| row.reasoning.clone()),
            dataset: dataset.predictions.file.dataset.clone(),
            status: "written",
            normalizer: document.normalizer.into(),
            file: path.map(|path| path.display().to_string()),
            judge: json(&document.judge),
            metrics: json(&document.judge_metrics),
            probe,
        }
    }

    /// A data set that was judged before.
    pub fn current(dataset: &Dataset, path: &Path) -> Result<Self, Failure> {
        let bytes = read_whole(path)?;
        let document: Value = serde_json::from_slice(&bytes)
            .map_err(|error| WorkError::BadArtifact(format!("{}: {error}", path.display())))?;
        Ok(DatasetReport {
            dataset: dataset.predictions.file.dataset.clone(),
            status: "current",
            normalizer: document["normalizer"].clone(),
            file: Some(path.display().to_string()),
            judge: document["judge"].clone(),
            metrics: document["judge_metrics"].clone(),
            probe: None,
            no_reply: None,
        })
    }

    /// A data set that was not finished.
    pub fn stopped(dataset: &Dataset, totals: &Totals) -> Self {
        DatasetReport {
            dataset: dataset.predictions.file.dataset.clone(),
            status: "stopped",
            normalizer: Value::Null,
            file: None,
            judge: json(totals),
            metrics: Value::Null,
            probe: None,
            no_reply: None,
        }
    }

    /// A count that stands in the file.
    pub fn number(&self, key: &str) -> u64 {
        self.judge[key].as_u64().unwrap_or(0)
    }
}

/// Numbers and texts of our own, which always have a form in JSON.
fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
