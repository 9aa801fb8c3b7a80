//! What the runs of all three kinds of measurement have in common.

use std::path::Path;

use judica_data::rejects::RejectFile;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;
use judica_model::run::{Direction, Estimator, MetricKind, MetricSpec, OwnValue, RunRecord};
use judica_model::table::Table;
pub use judica_run::family::Input;
use judica_run::family::Rerun;
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::manifest::{Counts, InputEntry};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::records::RecordColumns;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};
use serde::{Deserialize, Serialize};

use crate::panel::{Coefficients, OF_TWO_RATERS, Panel, speakers};

/// A command's options as a manifest has them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recorded<O> {
    #[serde(flatten)]
    pub(crate) how: O,
    #[serde(flatten)]
    pub(crate) run: RunOptions,
}

/// What a run is, known before its first record.
pub(crate) fn spec<O: Serialize>(
    command: &'static str,
    how: O,
    target: &RunTarget,
    metrics: Vec<MetricSpec>,
) -> RunSpec {
    let run = target.options.clone();
    RunSpec {
        command,
        // Options are plain values under texts, which JSON can hold.
        options: serde_json::to_value(Recorded { how, run }).unwrap_or_default(),
        metrics,
        created_at: target.created_at.clone(),
    }
}

/// The options of a run that is made again, and where it goes.
pub(crate) fn recorded<O: for<'de> Deserialize<'de>>(
    rerun: &Rerun,
) -> Result<(O, RunTarget), WorkError> {
    let Recorded { how, run } = rerun.manifest.options()?;
    let target = RunTarget {
        folder: rerun.folder.to_owned(),
        created_at: rerun.manifest.created_at.clone(),
        options: run,
    };
    Ok((how, target))
}

/// An input that is called as it was given.
pub fn input(role: &str, path: &Path) -> Input {
    Input {
        role: role.to_owned(),
        path: path.to_owned(),
        name: path.display().to_string(),
    }
}

/// The inputs as they stand in the manifest.
pub(crate) fn entries(inputs: &[Input], digests: &[InputDigest]) -> Vec<InputEntry> {
    let both = inputs.iter().zip(digests);
    both.map(|(input, digest)| InputEntry::new(&input.role, &input.name, digest))
        .collect()
}

/// A coefficient that is estimated from labels.
pub(crate) fn coefficient(
    name: &str,
    level: Option<&str>,
    raters: &[String],
    categories: &[String],
) -> MetricSpec {
    let estimator = Estimator {
        name: name.to_owned(),
        level: level.map(str::to_owned),
        raters: raters.to_vec(),
        categories: categories.to_vec(),
    };
    MetricSpec::coefficient(name, estimator)
}

/// Whose the rated outputs are where nobody says.
const NOBODY: &str = "answers";
/// The column and metric of how far an item's raters agree.
const AGREEMENT: &str = "agreement";

/// The columns of items that any number of raters rated, and others.
pub(crate) fn panel_layout(
    options: &RunOptions,
    more: impl IntoIterator<Item = OwnColumn>,
) -> Layout {
    let mut own = vec![
        OwnColumn::new(AGREEMENT, OwnKind::Number),
        OwnColumn::new("ratings", OwnKind::Integer),
    ];
    own.extend(more);
    Layout::new(own, options.keep_text)
}

/// The metrics of such items: how far raters agree on each, then coefficients.
pub(crate) fn panel_metrics(panel: &Panel, coefficients: Vec<MetricSpec>) -> Vec<MetricSpec> {
    let mut agreement = MetricSpec::column(AGREEMENT, MetricKind::Rate, Direction::Higher);
    // Two raters agree on an item or do not. Of more than two it is a rate of pairs of ratings,
    // and a record does not say how many it has.
    if !of_two(panel) {
        let mut percent = coefficients.iter();
        let percent = percent.find(|spec| spec.name == "percent_agreement");
        agreement.same_as = percent.and_then(|spec| spec.estimator.clone());
    }
    let mut metrics = vec![agreement.primary()];
    metrics.extend(coefficients);
    metrics
}

fn of_two(panel: &Panel) -> bool {
    let speakers = speakers(panel.ratings).into_iter();
    speakers.filter(|said| *said).count() == 2
}

/// The coefficients that a panel's number of raters allows, under their names behind a
/// prefix; of `raters` (all, if none are named) and `categories` (those that occur, if none
/// are).
pub(crate) fn coefficients(
    panel: &Panel,
    prefix: &str,
    raters: &[String],
    categories: &[String],
) -> Vec<MetricSpec> {
    let two = of_two(panel);
    let names = Coefficients::undefined("");
    let names = names.named().map(|(name, _)| name);
    let fits = |name: &&str| two || !OF_TWO_RATERS.contains(name);
    names
        .into_iter()
        .filter(fits)
        .map(|name| {
            let level = match name {
                "krippendorff_alpha" => Some(panel.level.name()),
                "gwet_ac2" => Some(panel.weights.name()),
                _ => None,
            };
            let mut spec = coefficient(name, level, raters, categories);
            spec.name.insert_str(0, prefix);
            spec
        })
        .collect()
}

/// An item that any number of raters rated.
pub(crate) struct PanelRecord<'r, C> {
    /// What is known of it but how far raters agree; columns behind those of all panels.
    pub(crate) record: RunRecord<'r>,
    /// The categories they chose, in any order.
    pub(crate) agreeing: C,
}

impl<C: Iterator<Item = u32>> PanelRecord<'_, C> {
    /// Appends it.
    pub(crate) fn push(self, options: &RunOptions, columns: &mut RecordColumns) {
        let mut chosen: Vec<u32> = self.agreeing.collect();
        chosen.sort_unstable();
        let pairs = |n: usize| (n * n.saturating_sub(1)) as f64;
        let alike = chosen
            .chunk_by(|a, b| a == b)
            .map(|alike| pairs(alike.len()));
        let agreement = (chosen.len() > 1).then(|| alike.sum::<f64>() / pairs(chosen.len()));
        let mut own = vec![
            OwnValue::number(agreement),
            OwnValue::Integer(chosen.len() as i64),
        ];
        own.extend_from_slice(self.record.own);
        columns.push(&RunRecord {
            subject: match self.record.subject {
                "" => options.subject.as_deref().unwrap_or(NOBODY),
                own => own,
            },
            epoch: self.record.epoch.max(1),
            score: agreement,
            own: &own,
            ..self.record
        });
    }
}

/// A run whose records are written, and which is to be ended once it is known that there is
/// something to tell.
pub struct Unfinished {
    pub(crate) run: RunWriter,
    pub(crate) inputs: Vec<InputEntry>,
    pub(crate) counts: Counts,
}

impl Unfinished {
    /// Ends the run.
    pub fn finish(
        self,
        report: &impl Serialize,
        tables: &[Table],
        rejects: RejectFile,
    ) -> Result<(), WorkError> {
        let end = RunEnd {
            inputs: self.inputs,
            counts: self.counts,
            report,
            tables,
            rejects: Some(rejects),
            trace: None,
        };
        self.run.finish(end).map(drop)
    }
}
