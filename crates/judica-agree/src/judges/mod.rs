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
//! * `measure`, `compare`, `corrected`, `worth`, `estimate`, `panels`, `disagree`: agreement;
//!   judges against people; how often answers are right; what the panel is worth; a label per
//!   item; which judges to keep; where raters disagree
//! * [`report`], [`mod@tables`], `record`: the report, its tables, the records of a run
//!
//! Rows that were decided without a judge would inflate agreement, since every judge
//! copies them; they are left out unless asked for. Whatever a row's texts say, they are
//! data: compared, counted and quoted, never interpreted.

mod annotations;
mod compare;
mod contents;
mod corrected;
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
mod panels;
mod parsed;
mod people;
mod record;
mod refused;
pub mod report;
mod row;
pub mod tables;
mod votes;
mod words;
mod worth;

use std::path::PathBuf;

use judica_data::ordered::Told;
use judica_data::rejects::RejectFile;
use judica_data::source::base_name;
use judica_data::work_error::WorkError;
use judica_run::family::{Family, Input, Rerun};
use judica_run::manifest::name;
use judica_run::options::RunTarget;
use serde::{Deserialize, Serialize};

use crate::panel::BootstrapOptions;
use crate::run::{self, Unfinished};
use folder::Folder;
pub use folder::files_of;
pub use people::HumanReference;
pub use report::JudgesReport;
pub use tables::tables;

/// The command in manifests.
const COMMAND: &str = "agree judges";
/// What files of people's verdicts are used as that the user names.
pub const PEOPLE: &str = "human";
/// And a file of prices.
pub const PRICES: &str = "prices";

/// All that readers of runs are told about this command.
pub static FAMILY: Family = Family {
    command: COMMAND,
    rerun,
    describe: None,
    steps: None,
    json: None,
    finish: None,
};

/// How labels are estimated from votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregation {
    /// By maximum likelihood: see [`judica_stats::dawid_skene`].
    DawidSkene,
}

/// A measurement of judges. What shapes its result goes into the manifest of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgesRequest {
    /// The folder of judged data sets: `<judge>/<dataset>.json`.
    #[serde(skip)]
    pub eval_dir: PathBuf,
    /// People's annotations; of several files each is one person's, where its rows name
    /// nobody. Without any, a folder `human` among the judges', or files that name `human`
    /// as their judge, are taken for people's.
    #[serde(skip)]
    pub human: Vec<Input>,
    /// How several people's verdicts on an item become one.
    pub human_reference: HumanReference,
    /// Whether rows that were decided without a judge count.
    pub include_deterministic: bool,
    /// Whether verdicts that stand in for an unreadable reply are left out.
    pub drop_invalid: bool,
    /// Where fields stand, as the user says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// How many disagreements the report shows.
    pub disagreements: usize,
    /// How many items two judges must share before their errors are compared.
    pub min_common: u64,
    /// How often each answer counts before the first item, where labels are estimated.
    #[serde(default = "one")]
    pub prior: f64,
    /// What judges' tokens cost.
    #[serde(skip)]
    pub prices: Option<Input>,
    /// Whether labels are estimated, and how.
    pub aggregate: Option<Aggregation>,
    /// Whether the report lists every item with its estimated label.
    pub aggregate_items: bool,
    /// Whether the first row that cannot be used ends the run.
    #[serde(skip)]
    pub strict: bool,
    /// How intervals are made; also the number of threads.
    pub bootstrap: BootstrapOptions,
    /// The run that is left, if one is.
    #[serde(skip)]
    pub run: Option<RunTarget>,
}

fn one() -> f64 {
    1.0
}

/// A request as a manifest has it, with what else is to be known of the folder.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedOptions {
    /// The folder's name.
    eval_dir: String,
    /// What was passed over there.
    passed_over: Vec<String>,
    #[serde(flatten)]
    request: JudgesRequest,
}

impl RecordedOptions {
    fn new(request: &JudgesRequest, folder: &Folder) -> Self {
        RecordedOptions {
            eval_dir: base_name(&request.eval_dir),
            passed_over: folder.passed_over.clone(),
            request: request.clone(),
        }
    }
}

/// Measures how far judges agree with each other and with people; `told` hears how many files
/// of how many have been read.
///
/// Rows that cannot be used stand in the report's `rejects`, to be written by the caller; a
/// run that is asked for is to be finished by them, too.
pub fn measure(
    request: &JudgesRequest,
    told: &Told,
) -> Result<(JudgesReport, Option<Unfinished>), WorkError> {
    measure::measure(request, folder::list(&request.eval_dir)?, told)
}

/// Makes a run again.
fn rerun(rerun: &Rerun) -> Result<(), WorkError> {
    let (recorded, target): (RecordedOptions, _) = run::recorded(rerun)?;
    let mut rejects = RejectFile::new(&target.folder.join(name::REJECTS));
    let mut request = JudgesRequest {
        // Nothing of that name is there, so that it stays what it is.
        eval_dir: rerun.folder.join(recorded.eval_dir),
        human: rerun.role(PEOPLE).cloned().collect(),
        prices: rerun.role(PRICES).next().cloned(),
        run: Some(target),
        ..recorded.request
    };
    request.bootstrap.threads = rerun.threads;
    let folder = Folder::of_inputs(rerun.inputs, recorded.passed_over);
    let (report, run) = measure::measure(&request, folder, &|_, _| ())?;
    for reject in &report.rejects {
        rejects.write(reject)?;
    }
    match run {
        Some(run) => run.finish(&report, &tables(&report), rejects),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
