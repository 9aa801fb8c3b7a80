//! A row of predictions as a record of a run.

use judica_data::chunks::RawRecord;
use judica_model::run::{
    Direction, Evidence, MetricKind, MetricSpec, OwnValue, Place, RunRecord, Texts, Verdict,
};
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::records::RecordColumns;

use super::batch::Decided;
use crate::decide::Decision;
use crate::normalize::Sides;
use crate::predictions::Called;
use crate::predictions::row::Row;

/// The metrics, each a column of its name.
pub(super) const METRICS: [&str; 3] = ["matched", "exact", "structural"];
/// Whether the gold holds nothing.
pub(super) const BLANK_GOLD: &str = "blank_gold";
/// Whether a row without an id says the same as an earlier one, which shows only where rows
/// come together.
pub(super) const REPEATED: &str = "repeated";

/// What a run of `match` measures: the shares of rows that match, the first either way.
pub(super) fn metrics() -> Vec<MetricSpec> {
    let rate = |name| MetricSpec::column(name, MetricKind::Rate, Direction::Higher);
    let [matched, others @ ..] = METRICS;
    let mut metrics = vec![rate(matched).primary()];
    metrics.extend(others.map(rate));
    metrics
}

/// The columns of a run of `match`.
pub(super) fn layout(keep_text: bool) -> Layout {
    let mut own = METRICS
        .map(|name| OwnColumn::new(name, OwnKind::Number))
        .to_vec();
    own.extend([BLANK_GOLD, REPEATED].map(|name| OwnColumn::new(name, OwnKind::Boolean)));
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
    /// The file as it is called.
    pub file: &'r str,
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
        let forms = |texts: Vec<&str>| {
            let forms = texts.into_iter().map(|text| normalizer.normalized(text));
            forms.collect::<Vec<_>>()
        };
        let (golds, answers) = match Sides::of(gold, prediction) {
            Sides::Whole(gold, prediction) => (vec![gold], vec![prediction]),
            Sides::Lines(golds, lines) => (golds, lines),
        };
        // What is too long was not looked at.
        let looked_at = Decision::looks_at(prediction);
        let (golds, answers) = (forms(golds), looked_at.then(|| forms(answers)));
        let answers = answers.unwrap_or_else(|| vec![None]);
        let golds = golds.iter().map(|text| form("gold", text));
        let answers = answers.iter().map(|text| form("prediction", text));
        let evidence: Vec<Evidence> = golds.chain(answers).collect();
        let matched = decision.is_match();
        let flag = |yes| OwnValue::flag(Some(yes));
        let item = self.called.item();
        let found = self.record.found();
        let cluster = self.row.cluster();
        let target = gold.shown();
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
            place: Some(Place {
                file: self.file,
                line: self.record.line,
                offset: found.offset,
                bytes: found.bytes,
                hash: Some(found.hash),
            }),
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
            own: &[
                flag(matched),
                flag(decision == Decision::Exact),
                flag(decision == Decision::Structural),
                OwnValue::Boolean(gold.is_blank()),
                OwnValue::Boolean(false),
            ],
        });
    }
}
