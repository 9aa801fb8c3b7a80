//! Evaluations and episodes as figures, before anyone draws them.
//!
//! A metric without a value is a gap with its reason, never a bar of height 0.

use std::path::Path;

use judica_data::foreign::{Reads, Unusable};
use judica_data::work_error::WorkError;
use judica_model::chart::{BarChart, BarSeries, Mark, StepState, Strip, StripRow, metric_name};
use judica_model::nearest::hint;
use judica_model::run::Direction;

use crate::details::{self, EpisodeDetail, StepDetail};
use crate::eval_json::catalogue::{Kind, METRICS, spec};
use crate::eval_json::{EvalFile, Reading};
use crate::load::sample::MOST_STEPS;

/// Bars of the metrics of several files, a group for each metric.
///
/// Without a choice of metrics, all known ones are drawn that have a value in at least one
/// file and are not counts. A metric that was chosen and that no file has is refused: it is
/// probably misspelt.
pub fn bars(
    files: &[(String, EvalFile)],
    metrics: &[String],
    title: &str,
) -> Result<BarChart, WorkError> {
    let chosen = if metrics.is_empty() {
        METRICS
            .iter()
            .filter(|spec| spec.kind != Kind::Count)
            .filter(|spec| {
                files
                    .iter()
                    .any(|(_, file)| file.reading(spec.name).value().is_some())
            })
            .map(|spec| spec.name.to_owned())
            .collect()
    } else {
        known(files, metrics)?;
        metrics.to_vec()
    };
    if chosen.is_empty() {
        let message = "there is nothing to draw: no file has a value of a known metric";
        return Err(WorkError::BadInput(message.to_owned()));
    }
    let series: Vec<BarSeries> = files
        .iter()
        .map(|(label, file)| BarSeries {
            label: label.clone(),
            marks: chosen.iter().map(|metric| mark(file, metric)).collect(),
        })
        .collect();
    let lower = |metric: &str| spec(metric).is_some_and(|spec| spec.direction == Direction::Lower);
    let groups = chosen.iter().map(|name| metric_name(name, lower(name)));
    Ok(BarChart::new(title, groups.collect(), series))
}

fn known(files: &[(String, EvalFile)], metrics: &[String]) -> Result<(), WorkError> {
    let has = |metric: &String| {
        let mut files = files.iter();
        files.any(|(_, file)| file.reading(metric) != Reading::Absent)
    };
    let Some(missing) = metrics.iter().find(|metric| !has(metric)) else {
        return Ok(());
    };
    let names = files.iter().flat_map(|(_, file)| file.metrics().keys());
    let meant = hint(missing, names.map(String::as_str));
    let message = format!("no file has the metric `{missing}`{meant}");
    Err(WorkError::BadInput(message))
}

fn mark(file: &EvalFile, metric: &str) -> Mark {
    match file.reading(metric) {
        Reading::Value(value) => Mark::Value {
            value,
            ci: file.interval(metric),
            n: file.n(metric),
        },
        Reading::Null | Reading::Absent => Mark::Missing(file.why_undefined(metric)),
    }
}

/// Which steps fail: a row for each of the first `most` episodes of a file of details.
pub fn strip(path: &Path, most: usize, title: &str) -> Result<Strip, WorkError> {
    let mut strip = Strip {
        title: title.to_owned(),
        rows: Vec::new(),
        left_out: 0,
    };
    for detail in details::read(path)? {
        let detail = detail?;
        if strip.rows.len() < most {
            strip.rows.push(row(detail));
        } else {
            strip.left_out += 1;
        }
    }
    if strip.rows.is_empty() && strip.left_out == 0 {
        let nothing = Unusable {
            path,
            name: &path.to_string_lossy(),
            rows: 0,
            format: Reads::Json,
            first: None,
        };
        return Err(WorkError::BadInput(nothing.message()));
    }
    Ok(strip)
}

/// Steps stand at their places in the recording, with gaps where some are left out.
fn row(detail: EpisodeDetail) -> StripRow {
    let mut steps = Vec::new();
    for step in &detail.steps {
        if step.index < MOST_STEPS {
            let place = steps.len().max(step.index as usize);
            steps.resize(place, StepState::LeftOut);
        }
        steps.push(state(step));
    }
    let label = match detail.epoch {
        1 => detail.episode_id,
        epoch => format!("{} (epoch {epoch})", detail.episode_id),
    };
    StripRow { label, steps }
}

fn state(step: &StepDetail) -> StepState {
    match step {
        StepDetail {
            predicted_type: None,
            unreadable: false,
            ..
        } => StepState::Absent,
        StepDetail {
            type_match: false, ..
        } => StepState::WrongType,
        StepDetail { full: false, .. } => StepState::Missed,
        StepDetail { .. } => StepState::Right,
    }
}

#[cfg(test)]
#[path = "plot_tests.rs"]
mod tests;
