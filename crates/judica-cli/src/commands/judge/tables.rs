//! What came of judging, for people.

use std::path::Path;

use judica_model::table::{Cell, Table, counted};
use judica_report::visible;

use super::report::{DatasetReport, Report};
use crate::commands::ending::Accounting;

impl Report {
    /// One line per judge and data set.
    pub fn table(&self) -> Table {
        let mut table = Table::new("Judged")
            .left("judge")
            .left("data set")
            .left("")
            .left("by")
            .right("rows")
            .right("exact")
            .right("struct")
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
    pub fn accounting(&self) -> Accounting {
        let mut all = Accounting::rows(self.inputs, self.records, self.rejects, "");
        for judge in &self.judges {
            let name = visible(&judge.judge);
            for dataset in &judge.datasets {
                if let Some(bounds) = dataset.bounds() {
                    let dataset = visible(&dataset.dataset);
                    all = all.line(&format!("{name}, {dataset}: {bounds}"));
                }
            }
            let calls = &judge.calls;
            if calls.asked + calls.from_cache + calls.failed == 0 {
                continue;
            }
            let usd = match (judge.usd, judge.charged_usd) {
                (Some(usd), Some(most)) if most > usd => {
                    format!(", {usd:.4} USD (up to {most:.4} with what got no whole reply)")
                }
                (Some(usd), _) => format!(", {usd:.4} USD"),
                (None, Some(most)) => format!(", at most {most:.4} USD"),
                (None, None) => String::new(),
            };
            let tokens = match (calls.input_tokens, calls.output_tokens) {
                (Some(input), Some(output)) => format!("{input} tokens in, {output} out"),
                _ => calls.untold(),
            };
            let datasets = judge.datasets.iter();
            let repaired = match datasets.map(|dataset| dataset.number("n_repaired")).sum() {
                0 => String::new(),
                n => format!(", rows with repaired replies: {n}"),
            };
            all = all.line(&format!(
                "{name}: {}, {tokens}{usd}; {} from the cache{repaired}; prompt {} {}",
                counted(calls.asked, ["call", "calls"]),
                counted(calls.from_cache, ["reply", "replies"]),
                judge.prompt_version.as_deref().unwrap_or("-"),
                judge.prompt_hash.as_deref().unwrap_or("-"),
            ));
        }
        all.file("cache", self.cache.as_deref().map(Path::new))
    }
}

impl DatasetReport {
    fn cells(&self, judge: &str) -> Vec<Cell> {
        let mut cells = vec![
            Cell::text(judge),
            Cell::text(&self.dataset),
            Cell::text(self.status),
        ];
        if self.status == "stopped" {
            let missing = || Cell::missing("the run ended before it was finished");
            cells.extend(std::iter::repeat_with(missing).take(10));
            return cells;
        }
        cells.push(Cell::text(self.normalizer.as_str().unwrap_or_default()));
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
        cells.extend(keys.map(|key| Cell::count(self.number(key))));
        let accuracy = self.metrics["accuracy"].as_f64();
        let why = self.metrics["undefined"].as_str();
        let why = why.unwrap_or("no row has a verdict");
        cells.push(Cell::number_or(accuracy, 4, why));
        cells
    }

    /// What is known of an accuracy that is not.
    fn bounds(&self) -> Option<String> {
        let bound = |end: usize| self.metrics["accuracy_bounds"][end].as_f64();
        let (least, most) = (bound(0)?, bound(1)?);
        let why = self.metrics["undefined"].as_str().unwrap_or_default();
        Some(format!(
            "{why}, so the accuracy is not known; it lies between {least:.4} and {most:.4}"
        ))
    }

    fn flip_rate(&self) -> Cell {
        match &self.probe {
            Some(probe) => Cell::number_or(probe.flip_rate.value(), 4, "no verdict both times"),
            None => Cell::missing("not probed"),
        }
    }
}
