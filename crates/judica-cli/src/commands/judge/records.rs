//! The run of `judica judge`: one record for each row, by all judges together.
//!
//! A judge's verdict counts here only if it could be read: what is `invalid` or `refused` is
//! `no` in documents, as their format demands, and null in a record.

use std::path::Path;

use judica_answer::decide::Decision;
use judica_answer::predictions::row::kept;
use judica_answer::predictions::{FilesRead, PredictionFile, PredictionRow};
use judica_answer::verdict::{ParseStatus, RowVerdict, Vote};
use judica_data::rejects::RejectFile;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;
use judica_judge::judging::Judgement;
use judica_model::run::{
    Direction, Evidence, Label, MetricKind, MetricSpec, OwnValue, RunRecord, Texts, Verdict,
};
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::manifest::{Counts, InputEntry};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::records::RecordColumns;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};
use judica_text::normalize::{Matched, Tolerance};
use serde::{Deserialize, Serialize};

use super::again::{FAMILY, PREDICTIONS, Trace};
use super::datasets::Dataset;
use super::replies::{self, REPLIES};
use super::report::Report;
use super::setting::Setting;
use super::verdicts;

/// By judge and data set what was judged of the undecided rows; none if nobody was asked.
pub type Heard = Vec<Vec<Option<Vec<Judgement>>>>;

/// What shapes a run, as its manifest keeps it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeOptions {
    pub normalizer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
    #[serde(flatten)]
    pub files: FilesRead,
    /// Model and name of each judge.
    pub judges: Vec<(String, String)>,
    pub votes: u32,
    /// Whether nobody was asked.
    pub no_llm: bool,
    #[serde(flatten)]
    pub run: RunOptions,
}

/// What is known when all is judged.
pub struct Ending<'e> {
    pub report: &'e Report,
    /// The folder of the documents.
    pub out: Option<&'e Path>,
    /// The prompt, if it was not the built-in one.
    pub prompt: Option<InputEntry>,
    pub rejects: RejectFile,
}

/// Leaves the run.
pub fn leave(
    target: &RunTarget,
    setting: &Setting,
    datasets: &[Dataset],
    heard: &Heard,
    ending: Ending,
) -> Result<(), WorkError> {
    let files = datasets
        .iter()
        .map(|dataset| dataset.predictions.file.clone());
    let files: Vec<PredictionFile> = files.collect();
    let options = JudgeOptions {
        normalizer: setting.choice.name().to_owned(),
        tolerance: setting.choice.tolerance(),
        files: FilesRead::of(&files),
        judges: setting.judges.clone(),
        votes: setting.votes,
        no_llm: !setting.asks,
        run: target.options.clone(),
    };
    let spec = RunSpec {
        command: FAMILY.command,
        options: serde_json::json!(options),
        metrics: metrics(setting),
        created_at: target.created_at.clone(),
    };
    let layout = layout(setting, target.options.keep_text);
    let mut writer = RunWriter::create(&target.folder, spec, layout)?;
    for (at, dataset) in datasets.iter().enumerate() {
        let mut columns = RecordColumns::new(writer.layout());
        let said: Vec<Vec<Option<RowVerdict>>> = heard
            .iter()
            .map(|judged| judged.get(at).cloned().flatten().unwrap_or_default())
            .map(|judgements| verdicts::of(&dataset.decisions, judgements))
            .collect();
        for (row, (prediction, decision)) in dataset
            .predictions
            .rows
            .iter()
            .zip(&dataset.decisions)
            .enumerate()
        {
            let row = JudgedRecord {
                file: &dataset.predictions.file,
                row: prediction,
                decision: *decision,
                reasoning: match decision {
                    Decision::Exact => setting.normalizer(dataset).reasoning(Matched::Exact),
                    Decision::Structural => {
                        setting.normalizer(dataset).reasoning(Matched::Structural)
                    }
                    Decision::Undecided => None,
                },
                said: setting
                    .judges
                    .iter()
                    .zip(&said)
                    .map(|((_, judge), said)| {
                        (judge.as_str(), said.get(row).and_then(Option::as_ref))
                    })
                    .collect(),
            };
            row.push(&mut columns);
        }
        writer.append(columns.take())?;
    }
    let replies = replies::write(setting, datasets, heard);
    if !replies.is_empty() {
        writer.add(REPLIES, "replies", &replies, true)?;
    }
    let report = ending.report;
    let rejects = datasets.iter().flat_map(|of| &of.predictions.rejects);
    let refused = rejects.map(|reject| (reject.reason.as_ref(), 1));
    let counts = Counts::of(report.inputs, report.records, refused);
    let predictions = datasets.iter().flat_map(|dataset| {
        let found = &dataset.predictions;
        let digest = InputDigest {
            path: found.file.path.clone(),
            sha256: found.sha256.clone(),
            bytes: found.bytes,
            read_as: found.read_as.clone(),
        };
        found.file.inputs(PREDICTIONS, &digest)
    });
    let finished = writer.finish(RunEnd {
        inputs: predictions.chain(ending.prompt).collect(),
        counts,
        report,
        tables: &[report.table()],
        rejects: Some(ending.rejects),
        trace: Some(serde_json::json!(Trace::of(report, ending.out))),
    });
    finished.map(|_| ())
}

fn correct_by(judge: &str) -> String {
    format!("correct:{judge}")
}

fn metrics(setting: &Setting) -> Vec<MetricSpec> {
    let rate = |name: &str| MetricSpec::column(name, MetricKind::Rate, Direction::Higher);
    let mut metrics = vec![rate("correct").primary()];
    metrics.extend(
        setting
            .judges
            .iter()
            .map(|(_, judge)| rate(&correct_by(judge))),
    );
    metrics
}

fn layout(setting: &Setting, keep_text: bool) -> Layout {
    let mut own = vec![OwnColumn::new("correct", OwnKind::Number)];
    for (_, judge) in &setting.judges {
        own.push(OwnColumn::new(correct_by(judge), OwnKind::Number));
    }
    own.push(OwnColumn::new("decision_method", OwnKind::Text));
    for name in ["judge_tokens_in", "judge_tokens_out"] {
        own.push(OwnColumn::new(name, OwnKind::Number));
    }
    Layout::new(own, keep_text)
}

/// A row with what each judge says of it.
struct JudgedRecord<'r> {
    file: &'r PredictionFile,
    row: &'r PredictionRow,
    decision: Decision,
    /// Why nobody was asked.
    reasoning: Option<&'static str>,
    said: Vec<(&'r str, Option<&'r RowVerdict>)>,
}

/// The word for a verdict; none where no reply came.
fn word(verdict: &RowVerdict) -> Option<&'static str> {
    Some(match (verdict.status, verdict.correct) {
        (ParseStatus::Error, _) | (_, None) => return None,
        (ParseStatus::Invalid, _) => "invalid",
        (ParseStatus::Refused, _) => "refused",
        (ParseStatus::Ok | ParseStatus::Repaired, Some(true)) => "yes",
        (ParseStatus::Ok | ParseStatus::Repaired, Some(false)) => "no",
    })
}

impl JudgedRecord<'_> {
    fn method(&self) -> &'static str {
        let asked = self.said.iter().any(|(_, verdict)| verdict.is_some());
        match self.decision {
            Decision::Undecided if asked => "llm",
            Decision::Undecided => "no_llm",
            matched => matched.name(),
        }
    }

    /// What a judge says, as far as it could be read. Of rows that match, and of those that
    /// nobody was to be asked about, every document says the same.
    fn correct_by(&self, verdict: Option<&RowVerdict>) -> Option<bool> {
        match verdict.and_then(word) {
            Some("yes") => Some(true),
            Some("no") => Some(false),
            Some(_) => None,
            None if verdict.is_none() => Some(self.decision.is_match()),
            None => None,
        }
    }

    /// What most judges say, and the word for that.
    fn majority(&self) -> (Option<bool>, Option<&'static str>) {
        let said = self.said.iter().map(|(_, verdict)| *verdict);
        let correct: Vec<bool> = said
            .clone()
            .filter_map(|said| self.correct_by(said))
            .collect();
        let yes = correct.iter().filter(|correct| **correct).count();
        match yes.cmp(&(correct.len() - yes)) {
            std::cmp::Ordering::Greater => (Some(true), Some("yes")),
            std::cmp::Ordering::Less => (Some(false), Some("no")),
            std::cmp::Ordering::Equal if yes > 0 => (None, Some("tie")),
            std::cmp::Ordering::Equal => {
                let words: Vec<&str> = said.filter_map(|said| word(said?)).collect();
                let all_refused = words.iter().all(|word| *word == "refused");
                let word = if all_refused { "refused" } else { "invalid" };
                (None, (!words.is_empty()).then_some(word))
            }
        }
    }

    fn push(&self, columns: &mut RecordColumns) {
        let row = self.row;
        let (correct, decision) = self.majority();
        let labels: Vec<Label> = self
            .said
            .iter()
            .filter_map(|(rater, verdict)| {
                Some(Label {
                    rater,
                    value: word((*verdict)?)?,
                })
            })
            .collect();
        let mut evidence: Vec<Evidence> = Vec::new();
        let mut tell = |rule, field, step, text| {
            evidence.push(Evidence {
                rule,
                field,
                step,
                pass: true,
                severity: "info",
                text,
                ..Evidence::default()
            });
        };
        if self.reasoning.is_some() {
            tell("reasoning", None, None, self.reasoning);
        }
        for (judge, verdict) in &self.said {
            let Some(verdict) = verdict else { continue };
            tell("reasoning", Some(*judge), None, Some(&verdict.reasoning));
            for (number, vote) in (1..).zip(&verdict.votes) {
                let step = (verdict.votes.len() > 1).then_some(number);
                tell("reply", Some(*judge), step, vote.raw_reply.as_deref());
            }
        }
        let tokens = |of: fn(&Vote) -> Option<u64>| {
            let said = self.said.iter().filter_map(|(_, verdict)| *verdict);
            let mut votes = said.flat_map(|verdict| &verdict.votes).peekable();
            votes.peek()?;
            votes.map(of).try_fold(0.0, |sum, n| Some(sum + n? as f64))
        };
        let mut own = vec![OwnValue::flag(correct)];
        let each = self.said.iter();
        own.extend(each.map(|(_, verdict)| OwnValue::flag(self.correct_by(*verdict))));
        own.push(OwnValue::Text(self.method()));
        own.push(OwnValue::number(tokens(|vote| vote.tokens_input)));
        own.push(OwnValue::number(tokens(|vote| vote.tokens_output)));
        let target = kept(&row.gold);
        columns.push(&RunRecord {
            dataset: &row.called.dataset,
            item: &row.called.item(),
            subject: &row.called.subject,
            epoch: row.called.epoch,
            cluster: row.cluster.as_deref(),
            verdict: Some(match (correct, decision) {
                (Some(true), _) => Verdict::Pass,
                (Some(false), _) => Verdict::Fail,
                (None, Some(_)) => Verdict::Undecided,
                (None, None) => Verdict::Error,
            }),
            decision,
            score: correct.map(|correct| f64::from(u8::from(correct))),
            place: Some(self.file.place(row.line, &row.stands)),
            latency_ms: row.latency_ms,
            tokens_in: row.tokens_input.map(|n| n as f64),
            tokens_out: row.tokens_output.map(|n| n as f64),
            usd: row.usd,
            labels: &labels,
            evidence: &evidence,
            texts: Texts {
                input: Some(&row.input),
                target: Some(&target),
                output: Some(&row.prediction),
            },
            own: &own,
        });
    }
}
