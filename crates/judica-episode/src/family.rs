//! The run that `episodes` leaves: its options, its metrics, one record per episode, and how
//! it is made again.

use std::sync::Arc;

use judica_data::chunks::Found;
use judica_data::fingerprint::fingerprint;
use judica_data::rejects::RejectFile;
use judica_data::work_error::WorkError;
use judica_model::run::{
    Direction, MetricKind, MetricSpec, OwnValue, Place, RunRecord, Texts, Verdict,
};
use judica_run::family::{Family, Rerun};
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::manifest::{Counts, InputEntry, name};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::records::RecordColumns;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};
use serde::{Deserialize, Serialize};

use crate::action::Mode;
use crate::details::evidence::evidence;
use crate::eval_json::catalogue::{self, Kind};
use crate::eval_json::{EvalContext, EvalDocument, tables};
use crate::load::index::Run;
use crate::load::screen::Screen;
use crate::load::store::Stands;
use crate::load::usage::Usage;
use crate::score::episode::{Compared, Outcome};
use crate::score::{Hooks, ScoreOutcome, ScoreRequest, score};

/// `episodes`, for readers of runs.
pub static FAMILY: Family = Family {
    command: "episodes",
    rerun,
    describe: None,
    steps: Some(crate::steps::steps),
    json: None,
    finish: None,
};

/// What inputs are used as.
pub mod role {
    /// Recorded episodes, or stored samples.
    pub const EPISODES: &str = "episodes";
    /// What an agent did.
    pub const PREDICTIONS: &str = "predictions";
    /// Milestones for every episode.
    pub const MILESTONES: &str = "milestones";
}

/// What shapes the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeOptions {
    /// What targets are compared by.
    pub mode: Mode,
    /// The size of the screen.
    pub screen: Option<Screen>,
    /// Where fields stand, as the user says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// What stands in the eval file and cannot be known from episodes.
    #[serde(flatten)]
    pub context: EvalContext,
    /// How records are called.
    #[serde(flatten)]
    pub run: RunOptions,
}

/// What an episode adds to a metric above and below the line.
pub(crate) type Terms = fn(&Outcome) -> [f64; 2];

/// The metrics of a run, the one that people look at first in the first place.
pub(crate) const METRICS: [(&str, Terms); 10] = [
    ("episode_success_rate", |of| flag(of.totals.success())),
    ("action_type_accuracy", |of| {
        share(of.totals.type_matches, of.totals.steps)
    }),
    ("mean_coord_error", |of| {
        let sum = of.coord_error_sum().unwrap_or(0.0);
        [sum, of.totals.coord_errors as f64]
    }),
    ("click_hit_rate", |of| {
        share(of.totals.hits, of.totals.coord_errors)
    }),
    ("bbox_hit_rate", |of| {
        share(of.totals.bbox_hits, of.totals.bbox_targets)
    }),
    ("mean_episode_progress", |of| mean(of.totals.progress())),
    ("mean_episode_step_score", |of| mean(of.totals.step_score())),
    ("weak_episode_success_rate", |of| flag(of.weak_success())),
    ("state_success_rate", |of| flag(of.state_success)),
    ("element_accuracy", |of| {
        share(of.totals.element_hits, of.totals.element_targets)
    }),
];

fn share(hits: u64, of: u64) -> [f64; 2] {
    [hits as f64, of as f64]
}

fn mean(value: Option<f64>) -> [f64; 2] {
    value.map_or([0.0, 0.0], |value| [value, 1.0])
}

fn flag(value: Option<bool>) -> [f64; 2] {
    mean(value.map(|yes| f64::from(u8::from(yes))))
}

/// The metrics of records, in their order.
pub(crate) fn metric_names() -> impl Iterator<Item = &'static str> {
    METRICS.iter().map(|(name, _)| *name)
}

/// Where a metric stands among them.
pub(crate) fn place(metric: &str) -> Option<usize> {
    metric_names().position(|name| name == metric)
}

/// What they are.
pub(crate) fn specs() -> Vec<MetricSpec> {
    let specs = METRICS.iter().enumerate().map(|(at, (name, _))| {
        let known = catalogue::spec(name);
        let kind = match known.map(|known| known.kind) {
            Some(Kind::Rate) => MetricKind::Rate,
            Some(Kind::Distance) => MetricKind::Ratio,
            _ => MetricKind::Mean,
        };
        let direction = known.map_or(Direction::None, |known| known.direction);
        let [above, below] = columns(name);
        let spec = MetricSpec {
            range: known.map(|known| known.kind.range()),
            ..MetricSpec::column(name, kind, direction).over(&above, &below)
        };
        match at {
            0 => spec.primary(),
            _ => spec,
        }
    });
    specs.collect()
}

fn columns(metric: &str) -> [String; 2] {
    ["above", "below"].map(|side| format!("{metric}_{side}"))
}

/// How the records of a run are made.
pub struct Recording {
    target: RunTarget,
    options: EpisodeOptions,
    layout: Arc<Layout>,
    /// Whose episodes these are.
    subject: String,
    /// The inputs by name.
    episodes: String,
    predictions: String,
}

/// The rows that an episode was made of.
pub struct Rows<'r> {
    /// The recorded one, where it is one.
    pub target: Option<&'r [u8]>,
    /// Those of its predictions,
    pub runs: &'r [&'r Run],
    /// where each run of them begins in
    pub starts: &'r [usize],
    /// these bytes.
    pub block: &'r [u8],
    /// Where they stand if they are rows of a table.
    pub stands: &'r Stands,
}

impl<'r> Rows<'r> {
    fn predicted(&self) -> impl Iterator<Item = (&'r Run, &'r [u8])> {
        let runs = self.runs.iter().zip(self.starts);
        runs.map(|(run, start)| {
            let length = (run.end - run.offset) as usize;
            (*run, &self.block[*start..start + length])
        })
    }
}

impl Recording {
    /// Of the run that is asked for, if one is.
    pub fn new(request: &ScoreRequest, predictions: &str) -> Option<Recording> {
        let target = request.run.clone()?;
        let backend = Some(&*request.context.backend);
        let subject = target.options.subject(backend, predictions).to_owned();
        let own = METRICS.iter().flat_map(|(name, _)| columns(name));
        let own = own.map(|name| OwnColumn::new(name, OwnKind::Number));
        Some(Recording {
            layout: Arc::new(Layout::new(own.collect(), target.options.keep_text)),
            options: EpisodeOptions {
                mode: request.mode,
                screen: request.screen,
                columns: request.columns.clone(),
                context: request.context.clone(),
                run: target.options.clone(),
            },
            target,
            subject,
            episodes: request.episodes.name.clone(),
            predictions: predictions.to_owned(),
        })
    }

    /// Begins the run.
    pub fn begin(&self) -> Result<RunWriter, WorkError> {
        let spec = RunSpec {
            command: FAMILY.command,
            options: serde_json::to_value(&self.options).unwrap_or_default(),
            metrics: specs(),
            created_at: self.target.created_at.clone(),
        };
        RunWriter::create(&self.target.folder, spec, Layout::clone(&self.layout))
    }

    /// Columns that a thread can fill.
    pub fn columns(&self) -> RecordColumns {
        RecordColumns::new(&self.layout)
    }

    /// Appends the record of an episode.
    pub fn push(&self, of: &Compared, rows: Rows, columns: &mut RecordColumns) {
        let Compared {
            episode,
            outcome,
            predicted,
            ..
        } = *of;
        let Usage {
            latency_ms,
            tokens_in,
            tokens_out,
            usd,
        } = predicted.usage;
        let mut own = [OwnValue::Null; 2 * METRICS.len()];
        for (pair, (_, terms)) in own.chunks_exact_mut(2).zip(METRICS) {
            let [above, below] = terms(outcome);
            if below != 0.0 {
                pair.copy_from_slice(&[OwnValue::Number(above), OwnValue::Number(below)]);
            }
        }
        let success = outcome.totals.success();
        // Where the rows of an episode stand together, all of them; else the first.
        let place = rows.predicted().next().map(|(run, bytes)| {
            let found = rows.stands.found(run.offset).unwrap_or_else(|| Found {
                offset: Some(run.offset),
                bytes: Some(bytes.len() as u64),
                hash: fingerprint(bytes),
            });
            Place {
                file: &self.predictions,
                line: run.line,
                offset: found.offset,
                bytes: found.bytes,
                hash: Some(found.hash),
            }
        });
        let (mut target, mut output) = (None, None);
        if self.options.run.keep_text {
            let text = |bytes| String::from_utf8_lossy(bytes);
            target = rows.target.map(text);
            let predicted: Vec<_> = rows.predicted().map(|(_, bytes)| text(bytes)).collect();
            output = (!predicted.is_empty()).then(|| predicted.join("\n"));
        }
        let mut texts = String::new();
        columns.push(&RunRecord {
            dataset: self
                .options
                .run
                .dataset(episode.dataset.as_deref(), &self.episodes),
            item: &episode.name,
            subject: &self.subject,
            epoch: episode.epoch.unwrap_or(1),
            cluster: of.cluster(),
            verdict: Some(match success {
                Some(true) => Verdict::Pass,
                Some(false) => Verdict::Fail,
                None => Verdict::Undecided,
            }),
            score: success.map(|success| f64::from(u8::from(success))),
            place,
            latency_ms,
            tokens_in,
            tokens_out,
            usd,
            evidence: &evidence(of, &mut texts),
            texts: Texts {
                input: episode.goal.as_deref(),
                target: target.as_deref(),
                output: output.as_deref(),
            },
            own: &own,
            ..RunRecord::default()
        });
    }
}

/// Ends a run: a row of samples is one of either input, and counts once.
pub fn finish(
    run: RunWriter,
    request: &ScoreRequest,
    outcome: &ScoreOutcome,
    samples: bool,
    inputs: Vec<InputEntry>,
    rejects: Option<RejectFile>,
) -> Result<(), WorkError> {
    let document = EvalDocument::scored(request.context.clone(), outcome);
    let both = [outcome.episode_rows, outcome.prediction_rows];
    let rows = &both[usize::from(samples)..];
    let refused = outcome.refused.iter();
    let counts = Counts::of(
        rows.iter().map(|rows| rows.inputs).sum(),
        rows.iter().map(|rows| rows.records).sum(),
        refused.map(|kind| (kind.reason, kind.count)),
    );
    run.finish(RunEnd {
        inputs,
        counts,
        report: &document,
        tables: &tables(&document),
        rejects,
        trace: None,
    })?;
    Ok(())
}

fn rerun(again: &Rerun) -> Result<(), WorkError> {
    let options: EpisodeOptions = again.manifest.options()?;
    let input = |role| again.role(role).next().cloned();
    let Some(episodes) = input(role::EPISODES) else {
        let message = format!("{}: names no episodes", name::MANIFEST);
        return Err(WorkError::BadArtifact(message));
    };
    let request = ScoreRequest {
        episodes,
        predictions: input(role::PREDICTIONS),
        mode: options.mode,
        milestones: input(role::MILESTONES),
        screen: options.screen,
        columns: options.columns,
        details: None,
        rejects: again.folder.join(name::REJECTS),
        // What ends a strict run is not in one that ended well.
        strict: false,
        context: options.context,
        run: Some(RunTarget {
            folder: again.folder.to_owned(),
            created_at: again.manifest.created_at.clone(),
            options: options.run,
        }),
        threads: again.threads,
    };
    let hooks = Hooks {
        progress: &|_| {},
        interrupted: again.interrupted,
    };
    score(&request, &hooks).map(drop)
}
