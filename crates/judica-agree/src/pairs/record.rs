//! Decided pairs as records of a run.

use std::sync::Arc;

use judica_data::chunks::RawRecord;
use judica_model::run::{
    self as model, Direction, MetricKind, MetricSpec, OwnValue, Place, RunRecord, Texts,
};
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::options::RunOptions;
use judica_run::records::RecordColumns;

use super::about::{About, Field};
use super::arbitrate::Why;
use super::hygiene::{Finding, RULES};
use super::label::Label;
use crate::run::coefficient;

/// The raters' names.
const RATERS: [&str; 2] = ["scholar", "auditor"];
/// Columns that metrics are sums of, named like them.
const RATES: [&str; 3] = ["agree", "scholar_abstain_rate", "auditor_abstain_rate"];

/// The metrics of pairs.
pub fn metrics() -> Vec<MetricSpec> {
    let rate = |at: usize, direction| MetricSpec::column(RATES[at], MetricKind::Rate, direction);
    let labels = Label::ALL.map(|label| label.name().to_owned());
    vec![
        rate(0, Direction::Higher).primary(),
        coefficient("cohen_kappa", None, &RATERS.map(str::to_owned), &labels),
        rate(1, Direction::Lower),
        rate(2, Direction::Lower),
    ]
}

/// The columns of pairs.
pub fn layout(keep_text: bool) -> Layout {
    let mut own: Vec<OwnColumn> = RATES
        .map(|name| OwnColumn::new(name, OwnKind::Number))
        .into();
    own.push(OwnColumn::new("why", OwnKind::Text));
    Layout::new(own, keep_text)
}

/// How records are made.
pub struct Recording<'s> {
    /// Their columns, if there is to be a run.
    pub layout: Option<Arc<Layout>>,
    /// What they are called and what they keep.
    pub options: &'s RunOptions,
    /// The names of the inputs.
    pub files: &'s [String],
}

/// A pair that is counted, and where it stands.
pub struct Decided<'d> {
    /// The question.
    pub name: &'d [u8],
    /// What else is told about the answer.
    pub about: &'d About<'d>,
    /// What was said of it.
    pub labels: [Label; 2],
    /// How it was decided.
    pub why: Why,
    /// What hygiene found.
    pub findings: &'d [Finding],
    /// The input it stands in.
    pub file: usize,
    /// Where it stands there.
    pub record: &'d RawRecord<'d>,
    /// The answer as it stands.
    pub answer: Option<&'d [u8]>,
}

impl Recording<'_> {
    /// Columns for records, if there are to be any.
    pub fn columns(&self) -> Option<RecordColumns> {
        self.layout.as_ref().map(RecordColumns::new)
    }

    /// Appends the record of a pair.
    pub fn push(&self, pair: &Decided, columns: &mut RecordColumns) {
        let &Decided {
            about, labels, why, ..
        } = pair;
        let file = &self.files[pair.file];
        let [agree, scholar, auditor] = [
            labels[0] == labels[1],
            labels[0] == Label::Abstain,
            labels[1] == Label::Abstain,
        ];
        let flag = |yes| OwnValue::flag(Some(yes));
        let said = [0, 1].map(|at| model::Label {
            rater: RATERS[at],
            value: labels[at].name(),
        });
        let rules: Vec<String> = pair.findings.iter().map(Finding::rule_name).collect();
        let evidence: Vec<model::Evidence> = pair
            .findings
            .iter()
            .zip(&rules)
            .map(|(finding, rule)| model::Evidence {
                rule,
                field: Some(&finding.field),
                step: None,
                pass: false,
                severity: RULES[finding.rule].severity.name(),
                observed: finding.observed.as_f64(),
                limit: finding.limit().map(|limit| limit as f64),
                text: Some(&finding.message),
            })
            .collect();
        let cluster = about.text(Field::Cluster);
        let question = about.text(Field::Question);
        let answer = pair.answer.map(String::from_utf8_lossy);
        let final_label = why.final_label();
        let found = pair.record.found();
        columns.push(&RunRecord {
            dataset: &about.dataset(self.options, file),
            item: &String::from_utf8_lossy(pair.name),
            subject: &about.subject(self.options, file),
            // Whoever has no epoch is no record.
            epoch: about.epoch().unwrap_or(1),
            cluster: cluster.as_deref(),
            verdict: Some(match final_label {
                Label::Valid => model::Verdict::Pass,
                _ => model::Verdict::Fail,
            }),
            decision: Some(final_label.name()),
            score: Some(f64::from(u8::from(agree))),
            place: Some(Place {
                file,
                line: pair.record.line,
                offset: found.offset,
                bytes: found.bytes,
                hash: Some(found.hash),
            }),
            latency_ms: about.number(Field::Latency),
            tokens_in: about.number(Field::TokensIn),
            tokens_out: about.number(Field::TokensOut),
            usd: about.number(Field::Usd),
            labels: &said,
            evidence: &evidence,
            texts: Texts {
                input: question.as_deref(),
                target: None,
                output: answer.as_deref(),
            },
            own: &[
                flag(agree),
                flag(scholar),
                flag(auditor),
                OwnValue::Text(why.name()),
            ],
        });
    }
}
