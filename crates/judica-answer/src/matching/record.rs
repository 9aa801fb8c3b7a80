//! A row of predictions as a record of a run.

use judica_data::chunks::RawRecord;
use judica_model::run::{
    Direction, Evidence, MetricKind, MetricSpec, OwnValue, RunRecord, Texts, Verdict,
};
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::records::RecordColumns;

use super::batch::{Decided, Task};
use super::wanted::{MOST_COLUMNS, Wanted};
use crate::decide::Decision;
use crate::predictions::row::{Row, kept};
use crate::predictions::{Called, PredictionFile};
use judica_text::normalize::Sides;

/// The metrics, each a column of its name.
pub(super) const METRICS: [&str; 3] = ["matched", "exact", "structural"];
/// Whether the gold holds nothing.
pub(super) const BLANK_GOLD: &str = "blank_gold";
/// Whether a row without an id says the same as an earlier one, which shows only where rows
/// come together.
pub(super) const REPEATED: &str = "repeated";

/// The columns that every run has.
const OWN: usize = METRICS.len() + 2;

/// What a run of `match` measures: the shares of rows that match, the first either way, and
/// what is asked beyond that.
pub(super) fn metrics(wanted: &Wanted) -> Vec<MetricSpec> {
    let rate = |name| MetricSpec::column(name, MetricKind::Rate, Direction::Higher);
    let [matched, others @ ..] = METRICS;
    let mut metrics = vec![rate(matched).primary()];
    metrics.extend(others.map(rate));
    metrics.extend(wanted.metrics());
    metrics
}

/// The columns of a run of `match`.
pub(super) fn layout(keep_text: bool, wanted: &Wanted) -> Layout {
    let mut own = METRICS
        .map(|name| OwnColumn::new(name, OwnKind::Number))
        .to_vec();
    own.extend([BLANK_GOLD, REPEATED].map(|name| OwnColumn::new(name, OwnKind::Boolean)));
    own.extend(wanted.columns());
    Layout::new(own, keep_text)
}

/// What was compared: no more can be said of it, so that it never fails.
fn form<'e>(rule: &'e str, text: &'e Option<String>) -> Evidence<'e> {
    Evidence {
        rule,
        pass: true,
        severity: "info",
        text: text.as_deref(),
        ..Evidence::default()
    }
}

/// A row that was decided.
pub(super) struct Recorded<'r, 'a> {
    pub task: &'r Task<'r>,
    pub file: &'r PredictionFile,
    pub record: &'r RawRecord<'a>,
    pub row: &'r Row<'a>,
    pub called: &'r Called<'a>,
    pub decided: &'r Decided<'r>,
}

impl Recorded<'_, '_> {
    /// Appends it. Its evidence is what was compared: the normal forms of gold and
    /// prediction.
    pub fn push(&self, columns: &mut RecordColumns) {
        let Decided {
            decision,
            gold,
            prediction,
            normalizer,
        } = *self.decided;
        let mut own = [OwnValue::Null; OWN + MOST_COLUMNS];
        let answers = self
            .task
            .wanted
            .answers(self.row, self.called, self.decided);
        let asked = answers.values(&mut own[OWN..]);
        let forms = |texts: Vec<&str>| {
            let forms = texts.into_iter().map(|text| normalizer.normalized(text));
            forms.collect::<Vec<_>>()
        };
        let sides = match self.task.one_run {
            true => Sides::of(gold, prediction),
            // Evidence is for a run.
            false => Sides::Lines(Vec::new(), Vec::new()),
        };
        let (golds, answers) = match sides {
            Sides::Whole(gold, prediction) => (vec![gold], vec![prediction]),
            Sides::Lines(golds, lines) => (golds, lines),
        };
        let looked_at = self.decided.is_looked_at();
        let (golds, answers) = (forms(golds), looked_at.then(|| forms(answers)));
        let answers = answers.unwrap_or_else(|| vec![None]);
        let golds = golds.iter().map(|text| form("gold", text));
        let answers = answers.iter().map(|text| form("prediction", text));
        let evidence: Vec<Evidence> = golds.chain(answers).collect();
        let matched = decision.is_match();
        let flag = |yes| OwnValue::flag(Some(yes));
        own[..OWN].copy_from_slice(&[
            flag(matched),
            flag(decision == Decision::Exact),
            flag(decision == Decision::Structural),
            OwnValue::Boolean(gold.is_blank()),
            OwnValue::Boolean(false),
        ]);
        let item = self.called.item();
        let found = self.record.found();
        let cluster = self.row.cluster();
        let target = kept(gold);
        let input = self.row.input_value().map(|value| value.text());
        columns.push(&RunRecord {
            dataset: &self.called.dataset,
            item: &item,
            subject: &self.called.subject,
            epoch: self.called.epoch,
            cluster: cluster.as_deref(),
            verdict: Some(if matched {
                Verdict::Pass
            } else {
                Verdict::Fail
            }),
            decision: Some(decision.name()),
            score: Some(f64::from(u8::from(matched))),
            place: Some(self.file.place(self.record.line, &found)),
            latency_ms: self.row.latency_ms(),
            tokens_in: self.row.tokens_input().map(|n| n as f64),
            tokens_out: self.row.tokens_output().map(|n| n as f64),
            usd: self.row.usd(),
            labels: &[],
            evidence: &evidence,
            texts: Texts {
                input: input.as_deref(),
                target: Some(&target),
                output: Some(prediction),
            },
            own: &own[..OWN + asked],
        });
    }
}
