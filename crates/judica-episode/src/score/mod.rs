//! Predictions joined to recorded episodes and compared, step by step.
//!
//! The files follow the data: `refused` serves every pass; `batch` reads and joins a
//! chunk of episodes, `step` and `episode` compare, `run` brings the chunks together.
//! `samples` does the same where one file holds both sides.
//!
//! # What is counted
//!
//! * Types are compared without regard to case and white space around them; a type nobody
//!   knows is compared by its name like any other.
//! * Steps are matched by their place in the recording. A recorded step whose
//!   `has_screenshot` is false, or whose observation has no `screenshot_path`, is left out,
//!   and what was predicted for that place with it.
//! * A predicted action that cannot be read is a mismatch, and no missing one. A predicted
//!   point outside the screen hits nothing; its distance counts.
//! * In coord mode, a recorded `click` or `drag` is measured: the distance where both
//!   sides have coordinates, whatever type was predicted; the bounding box wherever the
//!   recorded action has one. In som mode, a recorded `click`, `drag` or `type` with an
//!   element index is.
//! * A step is right in all if its type matches and its target is hit: within the radius
//!   if the recording has coordinates, in the box if it has only that. A step without a
//!   target asks for its type only.
//! * An episode without a step to compare is an episode, but enters no rate or mean over
//!   steps. A milestone there is not reached.
//! * What the model says about success counts also beyond the end of the recording; the
//!   last statement by step index wins.
//!
//! # What is refused
//!
//! A recorded row with anything wrong in it is refused whole, with a JSON pointer to what is
//! wrong. It is not scored, and its predictions are refused with it. A row of predictions is
//! refused only where it cannot be told which steps of which episode it is about: what a
//! model did is never a reason. Of equal names in one data set the first counts. Answers of a
//! second model are refused, too: a run has one subject.

pub(crate) mod batch;
pub(crate) mod episode;
pub(crate) mod refused;
pub(crate) mod run;
pub(crate) mod samples;
pub(crate) mod step;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::atomic::{AtomicFile, folder_of, prepare_folder};
use judica_data::ordered::Workers;
use judica_data::rows::Placed;
use judica_data::source::STDIN;
use judica_data::work_error::WorkError;
use judica_run::manifest::InputEntry;
use judica_run::options::RunTarget;
use judica_run::writer::RunWriter;

use crate::action::Mode;
use crate::eval_json::EvalContext;
use crate::family::{self, Recording};
use crate::load::action::Rules;
use crate::load::columns;
use crate::load::milestone::milestone_file;
use crate::load::screen::Screen;
use crate::load::survey::{Whose, reader, survey};
use crate::tally::metrics::{self, Counts, Measured, Metrics, TypeMetrics};
use crate::tally::notes::notes;
use batch::Plan;
use refused::{Input, RefusedKind, Refuser};

/// What is to be scored.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRequest {
    /// The recorded episodes.
    pub episodes: judica_run::family::Input,
    /// The predictions. At most one of the two may be standard input. None if the episodes
    /// are stored samples, whose rows hold both sides.
    pub predictions: Option<judica_run::family::Input>,
    /// What targets are compared by.
    pub mode: Mode,
    /// A file with one list of milestones for every episode, instead of their own.
    pub milestones: Option<judica_run::family::Input>,
    /// Where fields stand, as the user says.
    pub columns: Vec<String>,
    /// The size of the screen, if coordinates may be in pixels.
    pub screen: Option<Screen>,
    /// Where a line per episode goes, if that is wanted.
    pub details: Option<PathBuf>,
    /// Where rows go that cannot be used. Its folder also takes a copy of predictions that
    /// cannot be read twice, while they are read.
    pub rejects: PathBuf,
    /// Whether the first such row, or inputs that do not fit the mode, end the run.
    pub strict: bool,
    /// What scoring cannot know about the evaluation.
    pub context: EvalContext,
    /// The run that is left, if one is; rejects then go to its folder.
    pub run: Option<RunTarget>,
    /// How many threads.
    pub threads: usize,
}

/// Who watches a run.
#[derive(Clone, Copy)]
pub struct Hooks<'h> {
    /// Told now and then how many bytes have been read.
    pub progress: &'h (dyn Fn(u64) + Sync),
    /// Set from outside to stop the run.
    pub interrupted: &'h AtomicBool,
}

impl Hooks<'_> {
    pub(crate) fn workers(&self, threads: usize) -> Workers<'_> {
        Workers {
            threads,
            interrupted: self.interrupted,
        }
    }
}

/// Rows of an input: `inputs = records + rejects`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RowCounts {
    /// All of them.
    pub inputs: u64,
    /// Those that were used.
    pub records: u64,
    /// Those that were refused.
    pub rejects: u64,
}

/// What a run found.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreOutcome {
    /// What targets were compared by.
    pub mode: Mode,
    /// The metrics.
    pub metrics: Metrics,
    /// The metrics of each type of recorded action, sorted by name.
    pub by_action_type: Vec<TypeMetrics>,
    /// Every numerator and denominator.
    pub counts: Counts,
    /// Rows of recorded episodes.
    pub episode_rows: RowCounts,
    /// Rows of predictions.
    pub prediction_rows: RowCounts,
    /// What was refused, by reason.
    pub refused: Vec<RefusedKind>,
    /// What a reader should know beside the numbers.
    pub notes: Vec<String>,
    /// How tables were read.
    pub read: Vec<String>,
}

/// What a run writes while it reads.
pub struct Outputs {
    refuser: Refuser,
    details: Option<AtomicFile>,
    run: Option<RunWriter>,
}

/// Scores predictions against recorded episodes, and writes details, rejects and the run.
/// The result and the files do not depend on the number of threads.
pub fn score(request: &ScoreRequest, hooks: &Hooks) -> Result<ScoreOutcome, WorkError> {
    let given = request.predictions.as_ref();
    let placed = columns::placed(&request.columns)?;
    let episodes = &*request.episodes.path;
    let samples = samples::are_given(episodes, &placed[0], given.map(|given| &*given.path))?;
    // What the user calls predictions, too, is the same file by another name.
    let predictions = match given {
        Some(predictions) if !samples => predictions,
        _ => &request.episodes,
    };
    let both = [&*request.episodes.path, &*predictions.path];
    let is_file = |path: &&Path| *path != Path::new(STDIN);
    if !samples && !both.iter().any(is_file) {
        let message = "standard input can be only one of episodes and predictions";
        return Err(WorkError::BadInput(message.to_owned()));
    }
    // Missing inputs are told before anything is written.
    for path in both.into_iter().filter(is_file) {
        reader(path, false, &Placed::default())?;
    }
    let milestones = request.milestones.as_ref();
    let (milestones, milestones_digest) = milestones
        .map(|milestones| milestone_file(&milestones.path))
        .transpose()?
        .unzip();
    let threads = request.threads.max(1);
    let folder = folder_of(&request.rejects);
    prepare_folder(&folder)?;
    let recording = Recording::new(request, &predictions.name);
    // As large as the inputs, and can be made again from them.
    let details = request.details.as_deref().map(AtomicFile::create_bulk);
    let mut outputs = Outputs {
        refuser: Refuser::new(
            [&request.episodes.name, &predictions.name],
            &request.rejects,
            request.strict,
        ),
        details: details.transpose()?,
        run: recording.as_ref().map(Recording::begin).transpose()?,
    };
    let hashed = recording.is_some();
    let stands = outputs.refuser.stands.clone();
    let naming = request.run.as_ref().map(|target| target.options.clone());
    let naming = naming.unwrap_or_default();
    let whose = Whose {
        dataset: naming.dataset.is_none(),
    };
    let survey = survey(
        (&predictions.path, &placed[usize::from(!samples)]),
        hashed,
        (&folder, &stands),
        whose,
        threads,
        hooks,
        &mut |refused| outputs.refuser.refuse(refused),
    )?;
    let plan = Plan {
        rules: Rules {
            mode: request.mode,
            screen: request.screen,
        },
        milestones: milestones.as_deref(),
        index: &survey.index,
        store: &survey.store,
        stands: &stands,
        details: outputs.details.is_some(),
        recording: recording.as_ref(),
        naming: &naming,
        whose,
        file: &request.episodes.name,
    };
    let episodes = if samples {
        run::Read {
            rows: survey.rows,
            tally: samples::run(&plan, hooks.workers(threads), &mut outputs)?,
            digest: None,
            read_as: None,
        }
    } else {
        run::run(
            (episodes, &placed[0]),
            &plan,
            threads,
            hooks,
            survey.bytes,
            &mut outputs,
        )?
    };
    let run::Read { tally, digest, .. } = episodes;
    let Outputs {
        refuser,
        details,
        run,
    } = outputs;
    let notes = notes(&tally, plan.rules, refuser.file(Input::Episodes), samples);
    if let Some(misfit) = notes.iter().find(|note| note.misfit && request.strict) {
        return Err(WorkError::BadInput(misfit.text.clone()));
    }
    let rows = |input: Input, inputs: u64| {
        // A row of samples is one of either kind.
        let input = if samples { Input::Predictions } else { input };
        let rejects = refuser.count(input);
        RowCounts {
            inputs,
            records: inputs - rejects,
            rejects,
        }
    };
    let episode_rows = rows(Input::Episodes, episodes.rows);
    let prediction_rows = rows(Input::Predictions, survey.rows);
    let used = [episode_rows.records, prediction_rows.records];
    let (refused, rejects) = refuser.finish(both, used, run.is_some())?;
    if let Some(details) = details {
        details.commit()?;
    }
    let measured = Measured::new(&tally, threads);
    let outcome = ScoreOutcome {
        mode: request.mode,
        metrics: measured.metrics(request.mode),
        by_action_type: measured.by_type(request.mode),
        counts: metrics::counts(&tally),
        episode_rows,
        prediction_rows,
        refused,
        notes: notes.into_iter().map(|note| note.text).collect(),
        read: [
            (&request.episodes, episodes.read_as),
            (predictions, survey.read_as),
        ]
        .into_iter()
        .filter_map(|(input, how)| Some(format!("{}: read as {}", input.name, how?)))
        .collect(),
    };
    if let Some(run) = run {
        let read = [
            (Some(&request.episodes), digest),
            (Some(predictions), survey.digest),
            (request.milestones.as_ref(), milestones_digest),
        ];
        let inputs = read
            .into_iter()
            .filter_map(|(input, digest)| Some((input?, digest?)))
            .map(|(input, digest)| InputEntry::new(&input.role, &input.name, &digest))
            .collect();
        family::finish(run, request, &outcome, samples, inputs, rejects)?;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests;
