//! Predictions joined to recorded episodes and compared, step by step.
//!
//! The files follow the data: [`refused`] serves every pass; [`batch`] reads and joins a
//! chunk of episodes, [`step`] and [`episode`] compare, [`run`] brings the chunks together.
//! [`samples`] does the same where one file holds both sides.
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
//! model did is never a reason. Of equal names the first counts.

pub mod batch;
pub mod episode;
pub mod refused;
pub mod run;
pub mod samples;
pub mod step;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::atomic::{AtomicFile, prepare_folder};
use judica_data::ordered::Workers;
use judica_data::source::STDIN;

use crate::action::Mode;
use crate::error::EpisodeError;
use crate::load::action::Rules;
use crate::load::milestone::milestone_file;
use crate::load::screen::Screen;
use crate::load::survey::survey;
use crate::tally::metrics::{self, Counts, Metrics, TypeMetrics};
use crate::tally::notes::notes;
use batch::Plan;
use refused::{Input, RefusedKind, Refuser};

/// What is to be scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreRequest {
    /// The recorded episodes.
    pub episodes: PathBuf,
    /// The predictions. At most one of the two may be standard input. None if the episodes
    /// are stored samples, whose rows hold both sides.
    pub predictions: Option<PathBuf>,
    /// What targets are compared by.
    pub mode: Mode,
    /// A file with one list of milestones for every episode, instead of their own.
    pub milestones: Option<PathBuf>,
    /// The size of the screen, if coordinates may be in pixels.
    pub screen: Option<Screen>,
    /// Where a line per episode goes, if that is wanted.
    pub details: Option<PathBuf>,
    /// Where rows go that cannot be used. Its folder also takes a copy of predictions that
    /// cannot be read twice, while they are read.
    pub rejects: PathBuf,
    /// Whether the first such row, or inputs that do not fit the mode, end the run.
    pub strict: bool,
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
}

/// Scores predictions against recorded episodes, and writes details and rejects. The
/// result and the files do not depend on the number of threads.
pub fn score(request: &ScoreRequest, hooks: &Hooks) -> Result<ScoreOutcome, EpisodeError> {
    let predictions = request.predictions.as_ref().unwrap_or(&request.episodes);
    let both = [&request.episodes, predictions];
    let samples = samples::are_given(&request.episodes, request.predictions.as_deref())?;
    if !samples && both.iter().all(|path| path.as_path() == Path::new(STDIN)) {
        let message = "standard input can be only one of episodes and predictions";
        return Err(EpisodeError::BadInput(message.to_owned()));
    }
    // Missing inputs are told before anything is written.
    for path in both
        .into_iter()
        .filter(|path| path.as_path() != Path::new(STDIN))
    {
        judica_data::chunks::ChunkReader::unhashed(std::slice::from_ref(path), 1)?;
    }
    let milestones = request
        .milestones
        .as_deref()
        .map(milestone_file)
        .transpose()?;
    let threads = request.threads.max(1);
    let folder = folder_of(&request.rejects);
    prepare_folder(folder)?;
    let mut details = request.details.as_deref().map(create).transpose()?;
    let mut refuser = Refuser::new(
        &request.episodes,
        predictions,
        &request.rejects,
        request.strict,
    );
    let survey = survey(predictions, folder, threads, hooks, &mut |refused| {
        refuser.refuse(refused)
    })?;
    let plan = Plan {
        rules: Rules {
            mode: request.mode,
            screen: request.screen,
        },
        milestones: milestones.as_deref(),
        index: &survey.index,
        store: &survey.store,
        details: details.is_some(),
    };
    let (episode_rows, tally) = if samples {
        let tally = samples::run(
            &plan,
            hooks.workers(threads),
            &mut refuser,
            details.as_mut(),
        )?;
        (survey.rows, tally)
    } else {
        run::run(
            &request.episodes,
            &plan,
            threads,
            hooks,
            survey.bytes,
            &mut refuser,
            details.as_mut(),
        )?
    };
    let notes = notes(&tally, request.mode, refuser.file(Input::Episodes), samples);
    if let Some(misfit) = notes.iter().find(|note| note.misfit && request.strict) {
        return Err(EpisodeError::BadInput(misfit.text.clone()));
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
    let episode_rows = rows(Input::Episodes, episode_rows);
    let prediction_rows = rows(Input::Predictions, survey.rows);
    let used = [episode_rows.records, prediction_rows.records];
    let refused = refuser.commit([&request.episodes, predictions], used)?;
    if let Some(details) = details {
        details.commit()?;
    }
    Ok(ScoreOutcome {
        mode: request.mode,
        metrics: metrics::metrics(&tally, request.mode, threads),
        by_action_type: metrics::by_type(&tally, request.mode),
        counts: metrics::counts(&tally),
        episode_rows,
        prediction_rows,
        refused,
        notes: notes.into_iter().map(|note| note.text).collect(),
    })
}

fn create(path: &Path) -> Result<AtomicFile, EpisodeError> {
    // As large as the inputs, and can be made again from them.
    Ok(AtomicFile::create_bulk(path)?)
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests;
