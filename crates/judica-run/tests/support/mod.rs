//! Small runs, made through the same door as all others.

use std::path::Path;
use std::sync::Arc;

use judica_model::run::{
    Direction, Evidence, Label, MetricKind, MetricSpec, OwnValue, Place, RunRecord, Verdict,
};
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::manifest::{Counts, Manifest};
use judica_run::records::RecordColumns;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};
use serde_json::json;

/// One record: data set, item, subject, epoch, cluster, whether it is right, how long it is.
#[derive(Clone, Debug)]
pub struct Answer {
    pub dataset: &'static str,
    pub item: String,
    pub subject: &'static str,
    pub epoch: i32,
    pub cluster: Option<String>,
    pub right: Option<bool>,
    pub length: Option<f64>,
    pub labels: Vec<(&'static str, &'static str)>,
}

impl Answer {
    pub fn new(item: impl Into<String>, right: Option<bool>, length: Option<f64>) -> Self {
        Answer {
            dataset: "d",
            item: item.into(),
            subject: "m",
            epoch: 1,
            cluster: None,
            right,
            length,
            labels: Vec::new(),
        }
    }
}

pub fn metrics() -> Vec<MetricSpec> {
    vec![
        MetricSpec::column("right", MetricKind::Rate, Direction::Higher).primary(),
        MetricSpec::column("length", MetricKind::Mean, Direction::Lower).in_unit("words"),
    ]
}

/// Writes a run, in batches of so many records.
pub fn write(
    folder: &Path,
    answers: &[Answer],
    metrics: Vec<MetricSpec>,
    batch: usize,
) -> Manifest {
    let own = [
        ("right", OwnKind::Number),
        ("length", OwnKind::Number),
        ("word", OwnKind::Text),
    ];
    let own = own.map(|(name, kind)| OwnColumn::new(name, kind)).to_vec();
    let spec = RunSpec {
        command: "match",
        options: json!({"a": 1}),
        metrics,
        created_at: "2025-01-19T10:30:00Z".to_owned(),
    };
    let mut writer = RunWriter::create(folder, spec, Layout::new(own, false)).unwrap();
    let mut columns = RecordColumns::new(&Arc::clone(writer.layout()));
    for (line, answer) in answers.iter().enumerate() {
        let labels: Vec<Label> = answer
            .labels
            .iter()
            .map(|(rater, value)| Label { rater, value })
            .collect();
        let evidence = [Evidence {
            rule: "seen",
            pass: answer.right == Some(true),
            severity: "critical",
            text: Some("as it was"),
            ..Evidence::default()
        }];
        columns.push(&RunRecord {
            dataset: answer.dataset,
            item: &answer.item,
            subject: answer.subject,
            epoch: answer.epoch,
            cluster: answer.cluster.as_deref(),
            verdict: answer.right.map(|right| match right {
                true => Verdict::Pass,
                false => Verdict::Fail,
            }),
            decision: None,
            score: answer.right.map(|right| f64::from(u8::from(right))),
            place: Some(Place {
                file: "in.jsonl",
                line: line as u64 + 1,
                ..Place::default()
            }),
            labels: &labels,
            evidence: &evidence,
            own: &[
                OwnValue::flag(answer.right),
                OwnValue::number(answer.length),
                OwnValue::Text("w"),
            ],
            ..RunRecord::default()
        });
        if columns.len() == batch {
            writer.append(columns.take()).unwrap();
        }
    }
    writer.append(columns.take()).unwrap();
    let n = answers.len() as u64;
    writer
        .finish(RunEnd {
            inputs: Vec::new(),
            counts: Counts {
                inputs: n,
                used: n,
                ..Counts::default()
            },
            report: &json!({"n": n}),
            tables: &[],
            rejects: None,
            trace: None,
        })
        .unwrap()
}
