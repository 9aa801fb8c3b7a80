//! Judges who said yes or no to the same predictions, and people.
//!
//! The files follow the data:
//!
//! * `folder`, `contents`, `document`, `row`, `gold`: whose files there are, what is in
//!   them, where their rows stand, what a row says
//! * `items`, `judge`, `parsed`, `load`: rows become items and verdicts
//! * `annotations`, `people`, `human`: and people's verdicts on them
//! * `refused`, `notes`: what is not used, and why; what else a reader should know
//! * `votes`: the table of who voted how on what
//! * `measure`, `compare`, `worth`, `estimate`, `disagree`: agreement; judges against
//!   people; what the panel is worth; a label per item; where raters disagree
//! * [`report`], [`mod@tables`]: the report and its tables
//!
//! Rows that were decided without a judge would inflate agreement, since every judge
//! copies them; they are left out unless asked for. Whatever a row's texts say, they are
//! data: compared, counted and quoted, never interpreted.

mod annotations;
mod compare;
mod contents;
mod disagree;
mod document;
mod estimate;
mod folder;
mod gold;
mod human;
mod items;
mod judge;
mod load;
mod measure;
mod notes;
mod parsed;
mod people;
mod refused;
pub mod report;
mod row;
pub mod tables;
mod votes;
mod words;
mod worth;

use std::path::PathBuf;

use crate::error::AgreeError;
use crate::panel::BootstrapOptions;
use judica_stats::effective_raters::MIN_COMMON;
pub use people::HumanReference;
pub use report::JudgesReport;
pub use tables::tables;

/// How labels are estimated from votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// By maximum likelihood: see [`judica_stats::dawid_skene`].
    DawidSkene,
}

/// A measurement of judges.
#[derive(Clone, Debug)]
pub struct JudgesRequest {
    /// The folder of judged data sets: `<judge>/<dataset>.json`.
    pub eval_dir: PathBuf,
    /// People's annotations; of several files each is one person's, where its rows name
    /// nobody. Without any, a folder `human` among the judges', or files that name `human`
    /// as their judge, are taken for people's.
    pub human: Vec<PathBuf>,
    /// How several people's verdicts on an item become one.
    pub human_reference: HumanReference,
    /// Whether rows that were decided without a judge count.
    pub include_deterministic: bool,
    /// Whether verdicts that stand in for an unreadable reply are left out.
    pub drop_invalid: bool,
    /// How many disagreements the report shows.
    pub disagreements: usize,
    /// How many items two judges must share before their errors are compared.
    pub min_common: u64,
    /// Whether labels are estimated, and how.
    pub aggregate: Option<Aggregation>,
    /// Whether the report lists every item with its estimated label.
    pub aggregate_items: bool,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
    /// How intervals are made; also the number of threads.
    pub bootstrap: BootstrapOptions,
}

impl JudgesRequest {
    /// The folder with nothing out of the ordinary.
    pub fn new(eval_dir: impl Into<PathBuf>) -> Self {
        Self {
            eval_dir: eval_dir.into(),
            human: Vec::new(),
            human_reference: HumanReference::default(),
            include_deterministic: false,
            drop_invalid: false,
            disagreements: 0,
            min_common: MIN_COMMON,
            aggregate: None,
            aggregate_items: false,
            strict: false,
            bootstrap: BootstrapOptions::default(),
        }
    }
}

/// Measures how far judges agree with each other and with people.
///
/// Rows that cannot be used stand in the report's `rejects`, to be written by the caller.
pub fn measure(request: &JudgesRequest) -> Result<JudgesReport, AgreeError> {
    measure::measure(request)
}

#[cfg(test)]
mod tests;
