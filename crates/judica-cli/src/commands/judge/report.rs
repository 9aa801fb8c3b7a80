//! What came of judging: one line per judge and data set.

use std::path::Path;

use judica_answer::error::AnswerError;
use judica_answer::judged::{JudgeInfo, JudgedDataset, JudgedRow};
use judica_answer::verdict::ParseStatus;
use judica_data::error::DataError;
use judica_judge::probe::FlipReport;
use judica_judge::run::Totals;
use judica_model::table::{Cell, Table};
use serde::Serialize;
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
    /// How many replies a verdict rests on.
    pub votes: u32,
    /// What its calls cost in this run, where prices are known.
    pub usd: Option<f64>,
    /// The calls of this run.
    pub calls: Calls,
    /// What came of each data set.
    pub datasets: Vec<DatasetReport>,
}

/// Calls of a run; differs from run to run.
#[derive(Debug, Default, Serialize)]
pub struct Calls {
    /// Calls that got a reply.
    pub asked: u64,
    /// Replies that the cache had.
    pub from_cache: u64,
    /// Calls without a reply.
    pub failed: u64,
    /// Tokens of the questions asked.
    pub input_tokens: u64,
    /// Tokens of the replies.
    pub output_tokens: u64,
}

/// What came of a data set.
#[derive(Debug, Serialize)]
pub struct DatasetReport {
    /// The data set.
    pub dataset: String,
    /// `written`, `current` (it was judged before, by the same judge and prompt) or
    /// `stopped`.
    pub status: &'static str,
    /// The file.
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
    pub fn new(cache: &Path, asks_nobody: bool) -> Self {
        Report {
            inputs: 0,
            records: 0,
            rejects: 0,
            cache: (!asks_nobody).then(|| cache.display().to_string()),
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
        judge.calls.asked += totals.asked;
        judge.calls.from_cache += totals.from_cache;
        judge.calls.failed += totals.failed;
        judge.calls.input_tokens += totals.input_tokens;
        judge.calls.output_tokens += totals.output_tokens;
        if let Some(usd) = totals.usd {
            judge.usd = Some(judge.usd.unwrap_or(0.0) + usd);
        }
        self.charged += totals.charged_usd.unwrap_or(0.0);
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
            1 => "1 row".to_owned(),
            n => format!("{n} rows"),
        };
        Some(format!(
            "SYSTEM_ERROR: {rows} without a verdict, the same command asks for them again. {first}"
        ))
    }

    fn datasets(&self) -> impl Iterator<Item = &DatasetReport> {
        self.judges.iter().flat_map(|judge| &judge.datasets)
    }

    /// For people.
    pub fn table(&self) -> Table {
        let mut table = Table::new("Judged")
            .left("judge")
            .left("data set")
            .left("")
            .right("rows")
            .right("exact")
            .right("struct.")
            .right("model")
            .right("invalid")
            .right("refused")
            .right("failed")
            .right("cached")
            .right("accuracy");
        let probed = self
            .judges
            .iter()
            .any(|judge| judge.datasets.iter().any(|dataset| dataset.probe.is_some()));
        if probed {
            table = table.right("flips");
        }
        for judge in &self.judges {
            for dataset in &judge.datasets {
                let mut cells = dataset.cells(&judge.judge);
                if probed {
                    cells.push(dataset.flip_rate());
                }
                table.push(cells);
            }
        }
        table
    }

    /// What became of the rows, and what it cost.
    pub fn accounting(&self) -> String {
        let mut text = format!(
            "\ninputs {} = records {} + rejects {}\n",
            self.inputs, self.records, self.rejects
        );
        for judge in &self.judges {
            let calls = &judge.calls;
            if calls.asked + calls.from_cache + calls.failed == 0 {
                continue;
            }
            let usd = judge
                .usd
                .map_or(String::new(), |usd| format!(", {usd:.4} USD"));
            text.push_str(&format!(
                "{}: {} calls, {} tokens in, {} out{usd}; {} replies from the cache; prompt {} {}\n",
                judica_report::visible(&judge.judge),
                calls.asked,
                calls.input_tokens,
                calls.output_tokens,
                calls.from_cache,
                judge.prompt_version.as_deref().unwrap_or("-"),
                judge.prompt_hash.as_deref().unwrap_or("-"),
            ));
        }
        if let Some(cache) = &self.cache {
            text.push_str(&format!("cache: {}\n", judica_report::visible(cache)));
        }
        text
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
            calls: Calls::default(),
            datasets: Vec::new(),
        }
    }
}

impl DatasetReport {
    /// A data set that was written.
    pub fn written(
        dataset: &Dataset,
        path: &Path,
        document: &JudgedDataset,
        probe: Option<FlipReport>,
    ) -> Self {
        let failed = |row: &&JudgedRow| row.parse_status == Some(ParseStatus::Error);
        let no_reply = document.detailed_results.iter().find(failed);
        DatasetReport {
            no_reply: no_reply.map(|row| row.reasoning.clone()),
            dataset: dataset.predictions.file.dataset.clone(),
            status: "written",
            file: Some(path.display().to_string()),
            judge: json(&document.judge),
            metrics: json(&document.judge_metrics),
            probe,
        }
    }

    /// A data set that was judged before.
    pub fn current(dataset: &Dataset, path: &Path) -> Result<Self, Failure> {
        let bytes = std::fs::read(path).map_err(|error| DataError::reading(path, error))?;
        let document: Value = serde_json::from_slice(&bytes)
            .map_err(|error| AnswerError::BadArtifact(format!("{}: {error}", path.display())))?;
        Ok(DatasetReport {
            dataset: dataset.predictions.file.dataset.clone(),
            status: "current",
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
            file: None,
            judge: json(totals),
            metrics: Value::Null,
            probe: None,
            no_reply: None,
        }
    }

    fn number(&self, key: &str) -> u64 {
        self.judge[key].as_u64().unwrap_or(0)
    }

    fn cells(&self, judge: &str) -> Vec<Cell> {
        let mut cells = vec![
            Cell::text(judge),
            Cell::text(&self.dataset),
            Cell::text(self.status),
        ];
        if self.status == "stopped" {
            let missing = || Cell::missing("the run ended before it was finished");
            cells.extend(std::iter::repeat_with(missing).take(9));
            return cells;
        }
        let keys = [
            "n_rows",
            "n_exact",
            "n_structural",
            "n_asked",
            "n_invalid",
            "n_refused",
            "n_errors",
            "n_from_cache",
        ];
        cells.extend(keys.map(|key| count(self.number(key))));
        let accuracy = self.metrics["accuracy"].as_f64();
        cells.push(Cell::number_or(accuracy, 4, "no row has a verdict"));
        cells
    }

    fn flip_rate(&self) -> Cell {
        match &self.probe {
            Some(probe) => Cell::number_or(probe.flip_rate.value(), 4, "no verdict both times"),
            None => Cell::missing("not probed"),
        }
    }
}

/// A count.
pub fn count(n: u64) -> Cell {
    Cell::count(usize::try_from(n).unwrap_or(usize::MAX))
}

/// Numbers and texts of our own, which always have a form in JSON.
fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
