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
use super::arbitrate::Decision;
use super::hygiene::{Finding, RULES};
use super::label::Label;
use super::policy::Policy;
use crate::run::coefficient;

/// Columns that metrics are sums of, named like them.
fn rates(policy: &Policy) -> [String; 3] {
    let [first, second] = abstain_rates(policy);
    ["agree".to_owned(), first, second]
}

/// How often each rater abstains is called so.
pub(super) fn abstain_rates(policy: &Policy) -> [String; 2] {
    policy.names().map(|name| format!("{name}_abstain_rate"))
}

/// The metrics of pairs.
pub fn metrics(policy: &Policy) -> Vec<MetricSpec> {
    let [agree, first, second] = rates(policy);
    let rate = |name: &str, direction| MetricSpec::column(name, MetricKind::Rate, direction);
    let mut labels: Vec<String> = policy.labels.iter().map(|l| l.name.clone()).collect();
    let mut raters = policy.names().map(str::to_owned);
    // By name, as ratings of anybody are: see `cells_by_name` of the report.
    labels.sort();
    raters.sort();
    vec![
        rate(&agree, Direction::Higher).primary(),
        coefficient("cohen_kappa", None, &raters, &labels),
        rate(&first, Direction::Lower),
        rate(&second, Direction::Lower),
    ]
}

/// The columns of pairs.
pub fn layout(policy: &Policy, keep_text: bool) -> Layout {
    let mut own: Vec<OwnColumn> = rates(policy)
        .map(|name| OwnColumn::new(name, OwnKind::Number))
        .into();
    own.push(OwnColumn::new("why", OwnKind::Text));
    Layout::new(own, keep_text)
}

/// How records are made.
pub struct Recording<'s> {
    /// Their columns, if there is to be a run.
    pub layout: Option<Arc<Layout>>,
    /// Who judged, and what was said.
    pub policy: &'s Policy,
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
    pub decision: Decision,
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
            about,
            labels,
            decision,
            ..
        } = pair;
        let file = &self.files[pair.file];
        let agree = labels[0] == labels[1];
        let said_by = labels.map(|label| self.policy.spec(label));
        let raters = self.policy.names();
        let flag = |yes| OwnValue::flag(Some(yes));
        let said = [0, 1].map(|at| model::Label {
            rater: raters[at],
            value: &said_by[at].name,
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
                ..model::Evidence::default()
            })
            .collect();
        let cluster = about.text(Field::Cluster);
        let question = about.text(Field::Question);
        let answer = pair.answer.map(String::from_utf8_lossy);
        let ends = self.policy.spec(decision.label);
        let found = pair.record.found();
        columns.push(&RunRecord {
            dataset: &about.dataset(self.options, file),
            item: &String::from_utf8_lossy(pair.name),
            subject: &about.subject(self.options, file),
            // Whoever has no epoch is no record.
            epoch: about.epoch().unwrap_or(1),
            cluster: cluster.as_deref(),
            verdict: self.policy.ships().then_some(match ends {
                ends if ends.ships => model::Verdict::Pass,
                ends if ends.abstains => model::Verdict::Undecided,
                _ => model::Verdict::Fail,
            }),
            decision: Some(&ends.name),
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
                flag(said_by[0].abstains),
                flag(said_by[1].abstains),
                OwnValue::Text(self.policy.why(decision.why)),
            ],
        });
    }
}
